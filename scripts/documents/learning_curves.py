"""Train presets of all games with several seeds; write their results, and draw their learning curves.

    python scripts/documents/learning_curves.py                                 # what is missing: hours
    python scripts/documents/learning_curves.py --presets quick scratch --seeds 0
    python scripts/documents/learning_curves.py --presets scratch --minutes 15
    python scripts/documents/learning_curves.py --presets scratch --hidden-sizes 64 64
    python scripts/documents/learning_curves.py --games GAME --presets league --options="--positions 0"
    python scripts/documents/generate.py                                        # the tables of the documents

Each training is `blackjacky train` in a folder below runs/learning_curves, where an interrupted one is resumed and a
finished one kept; agents/results/GAME/training.json holds those of all calls. Train on a quiet machine: minutes are
what the presets have in common.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from parts import DOCS, RESULTS, ROOMS, ROOT

from blackjacky_agents import bot_names
from blackjacky_agents.cli.exploit import CHAMPION
from blackjacky_agents.files import only_writer, write_file, write_json
from blackjacky_agents.learning.curves import Line, Run, as_svg, draw_curves
from blackjacky_agents.learning.run import read_progress
from blackjacky_agents.learning.settings import presets_of
from blackjacky_agents.reports import duration
from blackjacky_env.games import get_game

FOLDER = ROOT / "runs" / "learning_curves"
_LONGEST = 200  # characters of a folder's name


@dataclass(frozen=True)
class Args:
    """Train presets of all games with several seeds; write their results, and draw their learning curves."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    presets: tuple[str, ...] = ("quick", "scratch", "sb3")
    """Presets by name."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Seeds, one training each."""
    minutes: float | None = None
    """Time limit of a training; by default that of the preset."""
    hidden_sizes: tuple[int, ...] = ()
    """Sizes of the hidden layers; by default those of the preset."""
    options: str = ""
    """Other options of `blackjacky train`, as typed at the top of the repository."""


def main(args: Args) -> None:
    """Train what has not been trained, and write all that is known."""
    with only_writer(FOLDER):
        for seed in args.seeds:
            for game in args.games:
                for preset in args.presets:
                    add(game, finished(game, preset, seed, args))


def finished(game: str, preset: str, seed: int, args: Args) -> dict[str, Any]:
    """The results of one training, which is begun or resumed if need be."""
    minutes = args.minutes or presets_of(game)[preset].minutes
    sizes, others = list(map(str, args.hidden_sizes)), shlex.split(args.options)
    name = "-".join([game, preset, f"{minutes:g}", str(seed), *sizes, *(Path(word.strip("-")).name for word in others)])
    if len(name) > _LONGEST:  # systems allow 255 bytes
        name = f"{name[:_LONGEST]}-{zlib.crc32(name.encode()):08x}"
    run, command = FOLDER / "runs" / name, ["blackjacky", "train", "--game", game, "--preset", preset]
    command += ["--seed", str(seed), "--minutes", f"{minutes:g}"] + ["--hidden-sizes", *sizes] * bool(sizes) + others
    if not (run / "results.json").exists():
        begun = (run / "checkpoints").exists()
        how = ["--resume", f"runs/{name}"] if begun else [*map(from_root, command[2:]), "--name", name]
        print(f"{name} ...", flush=True)
        script = str(ROOT / "scripts" / "train.py")
        subprocess.run([sys.executable, script, *how], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
    card = json.loads((run / "weights.json").read_text("utf-8"))
    players, (*weaker, bot) = get_game(game).default_players, bot_names(game)
    results = {row["opponents"]: row for row in card["results"] if row["players"] == players}
    return {
        "preset": preset,
        "minutes": minutes,
        "hidden_sizes": args.hidden_sizes or presets_of(game)[preset].hidden_sizes,
        "options": args.options,
        "seed": seed,
        "command": shlex.join(command),
        "steps": card["steps"],
        "seconds": card["seconds"],
        "machine": card["machine"],
        "versions": card["versions"],
        "result": results[bot],
        "champion": results.get(CHAMPION),
        "weaker": {name: results[name]["win_rate"] for name in weaker if name in results},
        "curve": [[test["steps"], test["seconds"], test["win_rate"][bot]] for test in read_progress(run)],
    }


def from_root(word: str) -> str:
    """The word, or the whole path of a file below the top of the repository."""
    return str(ROOT / word) if (ROOT / word).is_file() else word


def add(game: str, row: dict[str, Any]) -> None:
    """Put a training among the results of its game, in place of the same one before, and draw the curves again."""
    path = RESULTS / game / "training.json"
    rows = json.loads(path.read_text("utf-8")) if path.exists() else []
    rows = sorted([other for other in rows if key(other) != key(row)] + [row], key=key)
    write_json(path, rows)
    if drawn := list(lines(game, rows)):
        write_file(DOCS / "learning" / f"{game}.svg", picture(game, drawn, row["result"]["opponents"]))
    result = row["result"]
    print(
        f"{game}, {row['preset']}, {duration(60 * row['minutes'])}, seed {row['seed']}: {row['steps']:,} decisions, "
        f"{result['win_rate']:.1%} ({result['low']:.1%} .. {result['high']:.1%}) against {result['opponents']}",
        flush=True,
    )


def key(row: dict[str, Any]) -> tuple[str, float, tuple[int, ...], str, int]:
    """The identity of a training among those of its game."""
    return row["preset"], row["minutes"], tuple(row["hidden_sizes"]), row["options"], row["seed"]


def picture(game: str, drawn: list[Line], bot: str) -> str:
    """The learning curves of a game's presets, by time."""
    title = f"{get_game(game).title}: against {drawn[0].players - 1} {bot}"
    return as_svg(draw_curves(drawn, title, ["seconds"]), f"learning-{game}")


def lines(game: str, rows: list[dict[str, Any]]) -> Iterator[Line]:
    """A line for each preset of its usual size and options, and each length, over all its seeds."""
    sized = [row for row in rows if tuple(row["hidden_sizes"]) == presets_of(game)[row["preset"]].hidden_sizes]
    usual = [row for row in sized if not row["options"]]
    for (preset, minutes), own in groupby(usual, key=lambda row: (row["preset"], row["minutes"])):
        trained = list(own)
        runs = [Run(*np.array(row["curve"]).T) for row in trained]
        yield Line(f"{preset}, {minutes:g} min", runs, trained[0]["result"]["players"])


if __name__ == "__main__":
    main(tyro.cli(Args))

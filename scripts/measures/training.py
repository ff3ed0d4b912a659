"""Train presets with several seeds, and put what they reach into results/GAME/training.json.

    python -m scripts.measures.training --game GAME                    # what is missing: hours
    python -m scripts.measures.training --presets scratch --seeds 0 --options="--hidden-sizes 64 64"

Each training is `blackjacky train` in a folder below runs/learning_curves, where an interrupted one is resumed and a
finished one kept. Train on a quiet machine: minutes are what the presets have in common.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from blackjacky_agents import bot_names
from blackjacky_agents.learning.training_run import read_progress
from blackjacky_agents.reports import percent
from blackjacky_agents.storage.files import only_writer
from blackjacky_env.games import DEFAULT, get_game
from scripts.results import ROOT, fingerprints_of, save

FOLDER = ROOT / "runs" / "learning_curves"


@dataclass(frozen=True)
class Args:
    """Train presets of a game with several seeds, and write their results."""

    game: str = DEFAULT  # Name of the game.
    presets: tuple[str, ...] = ("quick", "scratch")  # Presets by name.
    seeds: tuple[int, ...] = (0, 1, 2)  # Seeds, one training each.
    options: str = ""  # Other options of `blackjacky train`.


def main(args: Args) -> None:
    """Train what has not been trained, and write all that is known."""
    with only_writer(FOLDER):
        for seed in args.seeds:
            for preset in args.presets:
                add(args.game, trained(args.game, preset, seed, args.options))


def trained(game: str, preset: str, seed: int, options: str) -> dict[str, Any]:
    """The results of one training, which is begun or resumed if need be."""
    arguments = ["--game", game, "--preset", preset, "--seed", str(seed), *shlex.split(options)]
    name = f"{preset}-{seed}" + (f"-{zlib.crc32(options.encode()):08x}" if options else "")
    run = train(FOLDER, game, name, arguments)
    card = json.loads((run / "weights.json").read_text("utf-8"))
    settings = json.loads((run / "config.json").read_text("utf-8"))["settings"]
    players, (*weaker, bot) = get_game(game).default_players, bot_names(game)
    results = {row["opponents"]: row for row in card["results"] if row["players"] == players}
    return {
        "preset": preset,
        "minutes": settings["minutes"],
        "hidden_sizes": settings["hidden_sizes"],
        "options": options,
        "seed": seed,
        "command": shlex.join(["blackjacky", "train", *arguments]),
        "steps": card["steps"],
        "seconds": card["seconds"],
        "result": results[bot],
        "weaker": {name: results[name]["win_rate"] for name in weaker if name in results},
        "curve": [[test["steps"], test["seconds"], test["win_rate"][bot]] for test in read_progress(run)],
    }


def train(folder: Path, game: str, name: str, arguments: Sequence[str]) -> Path:
    """The folder of a training by today's rules, below the ``folder``, that is begun, resumed, or kept as it is."""
    name = f"{game}-{name}-{fingerprints_of(game)['rules'][:8]}"
    run = folder / "runs" / name
    if not (run / "results.json").exists():
        how = ["--resume", f"runs/{name}"] if (run / "config.json").exists() else [*arguments, "--name", name]
        print(f"{name} ...", flush=True)
        command = [sys.executable, "-m", "blackjacky_agents", "train", *how]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return run


def add(game: str, row: dict[str, Any]) -> None:
    """Put a training among the results of its game, in place of the same one before."""
    facts = {"seed": row["seed"], "minutes": row["seconds"] / 60}
    save("training", [row], game=game, replaces=lambda other: key(other) == key(row), **facts)
    result = row["result"]
    print(f"{row['command']}: {percent(result['win_rate'])} against {result['opponents']}", flush=True)


def key(row: Mapping[str, Any]) -> tuple[str, float, tuple[int, ...], str, int]:
    """The identity of a training among those of its game."""
    return row["preset"], row["minutes"], tuple(row["hidden_sizes"]), row["options"], row["seed"]


if __name__ == "__main__":
    main(tyro.cli(Args))

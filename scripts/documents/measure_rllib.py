"""Train with RLlib and with MaskablePPO, for the same time and with the same settings, and compare how they learn.

    python scripts/documents/measure_rllib.py --minutes 2 --folder build/short       to see how it goes
    python scripts/documents/measure_rllib.py --write                                half an hour for each

RLlib gets an environment of its own, build/frameworks/rllib, as in `make frameworks`. A training that was stopped or
killed goes on when the command is repeated. With --write the table goes to docs/scaling.md, the curves to
docs/rllib.svg.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from make_frameworks import FRAMEWORKS
from measure_frameworks import install
from parts import DOCS, ROOT

from blackjacky_agents.arena.intervals import wilson
from blackjacky_agents.files import write_file
from blackjacky_agents.games import bot_names
from blackjacky_agents.learning.checkpoint import has_checkpoint
from blackjacky_agents.learning.curves import Line, Run, draw_curves
from blackjacky_agents.learning.run import PROGRESS_FILE
from blackjacky_agents.reports import duration, markdown_table, replace_part, where, where_run
from blackjacky_env.engine.checks import check_choice
from blackjacky_env.games import DEFAULT, get_game

PAGE, PICTURE = DOCS / "scaling.md", DOCS / "rllib.svg"


@dataclass(frozen=True)
class Args:
    """Train with RLlib and with MaskablePPO, for the same time and with the same settings, and compare them."""

    minutes: float = 30.0
    """Time of each training."""
    steps: int = 10_000_000
    """Decisions of each training, if it is not over before."""
    game: str = DEFAULT
    """Name of the game."""
    opponent: str = "threshold"
    """Bot in all other seats, in the picture and for the time when par is reached."""
    eval_games: int = 1_000
    """Games against each bot in an evaluation during the training."""
    final_eval_games: int = 20_000
    """Games against each bot in the final evaluation."""
    folder: Path = ROOT / "build" / "rllib"
    """Folder of the trainings."""
    environments: Path = ROOT / "build" / "frameworks"
    """Folder of RLlib's environment."""
    write: bool = False
    """Write table and picture."""


class Training(NamedTuple):
    """A finished training."""

    title: str
    curve: list[dict[str, Any]]
    """Its evaluations: steps, seconds, and win rates by name of the bot."""
    results: list[dict[str, Any]]
    """Its final evaluation against each bot."""


def main(args: Args) -> int:
    """Train, compare, print and write; returns the exit status."""
    check_choice("opponent", args.opponent, tuple(bot_names(args.game)))
    python = install(args.environments, next(each for each in FRAMEWORKS if each.name == "rllib"))
    args.folder.mkdir(parents=True, exist_ok=True)
    commands = {
        "RLlib": ("rllib", [python, ROOT / "scripts" / "train_rllib.py"]),
        "MaskablePPO": ("maskable_ppo", [sys.executable, ROOT / "scripts" / "train.py", "--preset", "quick"]),
    }
    trained = [train(args, title, name, command) for title, (name, command) in commands.items()]
    text = f"{table(args, trained)}\n\n{about(args)}"
    print(text)
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "rllib", text))
        draw(args, trained, PICTURE)
    return 0


def train(args: Args, title: str, name: str, command: Sequence[object]) -> Training:
    """Train, go on with a training, or read one that has ended."""
    folder = args.folder / "runs" / name
    if not (folder / "results.json").exists():
        is_begun = name == "maskable_ppo" and has_checkpoint(folder / "checkpoints")
        begun = [*command, "--resume", folder] if is_begun else [*command, "--name", name, *options(args)]
        print(f"{title} ...", flush=True)
        subprocess.run(
            list(map(str, begun)), check=True, cwd=args.folder, env={**os.environ, "PYTHONWARNINGS": "ignore"}
        )
    curve = [json.loads(line) for line in (folder / PROGRESS_FILE).read_text("utf-8").splitlines()]
    return Training(title, curve, json.loads((folder / "results.json").read_text("utf-8"))["table"])


def options(args: Args) -> list[str]:
    """What both trainings are told: one table size, and when to end and evaluate."""
    told = {
        "game": args.game,
        "players": players(args),
        "minutes": args.minutes,
        "steps": args.steps,
        "eval-games": args.eval_games,
        "final-eval-games": args.final_eval_games,
    }
    return [text for name, value in told.items() for text in (f"--{name}", str(value))]


def players(args: Args) -> int:
    """The table size, the game's usual one."""
    return get_game(args.game).default_players


def table(args: Args, trained: Sequence[Training]) -> str:
    """A row for each training."""
    bots = bot_names(args.game)
    heading = ["trained with", "decisions", "decisions/s", f"above par against {args.opponent}", *bots]
    return markdown_table(heading, [row(args, each, bots) for each in trained])


def row(args: Args, training: Training, bots: Sequence[str]) -> list[str]:
    """How fast a training was, when it was above par, and its agent's win rates at the end."""
    last = training.curve[-1]
    above = next((line for line in training.curve if low(args, line) > 1 / players(args)), None)
    after = f"after {duration(above['seconds'])}" if above else "no"
    found = {line["opponents"]: line for line in training.results if line["players"] == players(args)}
    rates = [f"{found[bot]['win_rate']:.1%} ({found[bot]['low']:.1%} .. {found[bot]['high']:.1%})" for bot in bots]
    return [training.title, f"{last['steps']:,}", f"{last['steps'] / last['seconds']:,.0f}", after, *rates]


def low(args: Args, line: dict[str, Any]) -> float:
    """The lower end of the interval of a win rate during a training."""
    return wilson(line["win_rate"][args.opponent], args.eval_games)[0]


def about(args: Args) -> str:
    """What was run, and where."""
    given = " ".join(options(args))
    return (
        f"`python scripts/train_rllib.py {given}`, and the same options with `python scripts/train.py --preset quick`: "
        f"win rates against copies of each bot in {args.final_eval_games:,} games at a table of {players(args)}, with "
        f"95 % intervals. {where_run(where())}."
    )


def draw(args: Args, trained: Sequence[Training], path: Path) -> None:
    """Draw both learning curves over time."""
    from matplotlib import rcParams

    rcParams["svg.hashsalt"] = "rllib"  # makes the SVG reproducible
    lines = []
    for training in trained:
        rows = [(line["steps"], line["seconds"], line["win_rate"][args.opponent]) for line in training.curve]
        lines.append(Line(training.title, [Run(*map(np.array, zip(*rows, strict=True)))], players(args)))
    title = f"{get_game(args.game).title}: against {players(args) - 1} {args.opponent}"
    figure = draw_curves(lines, title)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))

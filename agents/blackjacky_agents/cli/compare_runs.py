"""``blackjacky train --compare``: the learning curves of runs over each other, by decisions and by seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blackjacky_agents.cli.runs import RUNS, read_config
from blackjacky_agents.files import write_file
from blackjacky_agents.games import bot_names
from blackjacky_agents.learning.curves import Line, Run, as_png, draw_curves
from blackjacky_agents.learning.run import PROGRESS_FILE, read_progress
from blackjacky_agents.reports import duration, markdown_table
from blackjacky_env.games import get_game

PICTURE = RUNS / "learning_curves.png"


class Trained(NamedTuple):
    """What is compared of a run."""

    folder: Path
    game: str
    players: int
    tests: list[dict[str, Any]]


def compare(folders: Sequence[Path]) -> str:
    """Draw the learning curves of runs against the strongest bot into `PICTURE`; returns a table of them.

    Raises `ValueError` if a folder is no run or has no tests yet, or if the runs differ in game or table size.
    """
    runs = [read_run(folder) for folder in folders]
    first = runs[0]
    for other in runs[1:]:
        if (other.game, other.players) != (first.game, first.players):
            raise ValueError(
                f"{other.folder} is of {other.game} with {other.players} players and {first.folder} of {first.game} "
                f"with {first.players}: compare runs of the same game and table size"
            )
    bot = bot_names(first.game)[-1]
    title = f"{get_game(first.game).title}: against {first.players - 1} {bot}"
    lines = [Line(run.folder.name, [curve(run, bot)], run.players) for run in runs]
    PICTURE.parent.mkdir(exist_ok=True)
    write_file(PICTURE, as_png(draw_curves(lines, title, ["decisions", "seconds"])))
    rows = [
        [run.folder.as_posix(), f"{last['steps']:,}", duration(last["seconds"]), f"{last['win_rate'][bot]:.1%}"]
        for run in runs
        for last in [run.tests[-1]]
    ]
    table = markdown_table(["run", "decisions", "time", f"win rate against {bot}"], rows)
    return f"{table}\n\nLearning curves: {PICTURE.as_posix()}"


def read_run(folder: Path) -> Trained:
    """The tests of a run so far."""
    settings = read_config(folder)[0]
    tests = read_progress(folder) if (folder / PROGRESS_FILE).exists() else []
    if not tests:
        raise ValueError(f"the run in {str(folder)!r} has not been tested yet, so it has no learning curve")
    return Trained(folder, settings.game, settings.eval_players, tests)


def curve(run: Trained, bot: str) -> Run:
    """The learning curve of a run against a bot."""
    points = [(test["steps"], test["seconds"], test["win_rate"][bot]) for test in run.tests]
    return Run(*np.array(points, float).T)

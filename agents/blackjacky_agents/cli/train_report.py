"""What ``blackjacky train`` says at its end: the verdict, the results, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from blackjacky_agents.learning.run import CURVE_FILE, TrainingRun
from blackjacky_agents.learning.settings import TrainingSettings
from blackjacky_agents.reports import markdown_table, rate_cells
from blackjacky_env.engine.text import listed
from blackjacky_env.games import DEFAULT

Row = Mapping[str, Any]
"""A row of `TrainingRun.results`."""

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def results_table(rows: Sequence[Row]) -> str:
    """The results as a Markdown table."""
    heading = ["players", "against copies of", "win rate", "95 % interval", "par", "no winner", "games"]
    cells = (
        [row["players"], row["opponents"], *rate_cells(row), f"{row['nobody']:.1%}", f"{row['games']:,}"]
        for row in rows
    )
    return markdown_table(heading, cells)


def verdict(agent: str, rows: Sequence[Row]) -> str:
    """The results at the first table size in a sentence.

    The agent beats a bot if the 95 % interval of its win rate lies above par, and loses to it if it lies below.
    """
    players, par = rows[0]["players"], rows[0]["par"]
    results: dict[str, list[str]] = {"beats": [], "is on par with": [], "loses to": []}
    for row in rows:
        if row["players"] == players:
            verb = "beats" if row["low"] > par else "loses to" if row["high"] < par else "is on par with"
            results[verb].append(f"{copies(row['opponents'], players - 1)} ({row['win_rate']:.1%})")
    told = listed([f"{verb} {listed(bots)}" for verb, bots in results.items() if bots])
    return f"At a table of {players}, {agent} {told}; par is {par:.1%}."


def copies(name: str, count: int) -> str:
    """A number of copies of an agent in words."""
    return name if count == 1 else f"{_COUNTS[count] if count < len(_COUNTS) else count} {name}"


def next_steps(run: TrainingRun, program: str) -> str:
    """Commands to play against the agent, watch it, train it longer, and open TensorBoard."""
    settings, folder = run.settings, run.folder.as_posix()
    agent, others = f"ppo:{folder}", settings.eval_players - 1
    strongest = f"{run.bots[-1].name}*{others}".removesuffix("*1")
    opponents, options = f"{agent}*{others}".removesuffix("*1"), game_options(settings)
    steps = {
        "play against it": ["blackjacky", "play", *options, "--opponents", opponents],
        "watch it": ["blackjacky", "watch", *options, "--players", f"{agent},{strongest}", "--out", "game.html"],
        "train it longer": [*program.split(), "--resume", folder, *longer(run)],
    }
    if (run.folder / "tensorboard").is_dir():
        steps["see all its curves"] = ["tensorboard", "--logdir", (run.folder / "tensorboard").as_posix()]
    width = max(map(len, steps))
    lines = [f"  {what:{width}}  {shlex.join(command)}" for what, command in steps.items()]
    return "\n".join([f"Learning curve: {(run.folder / CURVE_FILE).as_posix()}", "", "What next?", *lines])


def longer(run: TrainingRun) -> list[str]:
    """Options that double the limits by which the training ended."""
    settings = run.settings
    limits = [] if run.steps < settings.steps else ["--steps", str(2 * settings.steps)]
    return [*limits, "--minutes", f"{2 * settings.minutes:g}"]


def game_options(settings: TrainingSettings) -> list[str]:
    """The options of a command line that select the game, variant and rules of a training."""
    options = [] if settings.game == DEFAULT else ["--game", settings.game]
    if settings.variant is not None:
        options += ["--variant", settings.variant]
    for name, value in settings.rule_options.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            options.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            options += [f"--{flag}", *map(str, value if isinstance(value, list | tuple) else [value])]
    return options

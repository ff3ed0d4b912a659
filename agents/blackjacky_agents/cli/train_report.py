"""The final report of ``blackjacky train``: how the agent stands, the results, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.learning.differences import Difference, Slope
from blackjacky_agents.learning.run import CURVE_FILE, TrainingRun
from blackjacky_agents.reports import duration, in_this_shell, markdown_table, rate_cells
from blackjacky_env.draw import listed
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


def standing(agent: str, rows: Sequence[Row]) -> str:
    """Between which bots and agents an agent stands at the first table size, in a sentence.

    It beats others if the 95 % interval of its win rate against copies of them lies above par, and loses to them if it
    lies below; it stands between those it beats least and those it loses to least.
    """
    players, par = rows[0]["players"], rows[0]["par"]
    own = sorted((row for row in rows if row["players"] == players), key=lambda row: row["win_rate"])
    others = [f"{copies(row['opponents'], players - 1)} ({row['win_rate']:.1%})" for row in own]
    beaten = [name for name, row in zip(others, own, strict=True) if row["low"] > par]
    better = [name for name, row in zip(others, own, strict=True) if row["high"] < par]
    places = []
    if beaten and better:
        places.append(f"between {beaten[0]}, which it beats, and {better[-1]}, to which it loses")
    elif beaten:
        places.append(f"above {beaten[0]}" if len(beaten) < len(own) else f"above all, even {beaten[0]}")
    elif better:
        places.append(f"below {better[-1]}" if len(better) < len(own) else f"below all, even {better[-1]}")
    if level := [name for name in others if name not in beaten + better]:
        places.append(f"level with {listed(level)}")
    return f"At a table of {players}, {agent} stands {', '.join(places)}; par is {par:.1%}."


def lesson(bot: str, opponents: str, found: Sequence[Difference], longer: Slope | None) -> str:
    """Where an agent differs most from the strongest bot, what that is worth, and what more time would give.

    Says nothing about a worth whose 95 % interval includes 0.

    Args:
        bot: the strongest bot.
        opponents: copies of it in words, whose win rate `Slope` is about.
        found: all differences, most first.
        longer: the slope of the learning curve, if known.
    """
    said = []
    if found and found[0].different > 1:
        first = found[0]
        share, kind = first.different / first.decisions, first.kind.replace("_", " ")
        gain = _points("which {} its chance of winning by {} each time", first)
        said.append(
            f'It differs most from {bot} where {bot} would choose "{kind}": in {share:.0%} of these decisions it does '
            f"something else{', ' * bool(gain)}{gain}."
        )
    if longer is not None and (gain := _points(f"{{}} its win rate against {opponents} by {{}}", longer)):
        said.append(f"Twice the time {gain}, if it goes on as it has since {duration(longer.since)}.")
    return " ".join(said)


def _points(sentence: str, change: Difference | Slope) -> str:
    """A change of a probability in percentage points; "" if its interval includes 0."""
    if change.low <= 0 <= change.high:
        return ""
    low, size, high = (f"{100 * each:.1f}" for each in sorted(map(abs, (change.low, change.gain, change.high))))
    found = f"{size} percentage points (95 % interval {low} to {high})"
    verb = "raises" if change.gain > 0 else "lowers"
    return sentence.format(verb, found if high != "0.0" else "less than 0.1 percentage points")


def copies(name: str, count: int) -> str:
    """A number of copies of an agent in words."""
    return name if count == 1 else f"{_COUNTS[count] if count < len(_COUNTS) else count} {name}"


def next_steps(run: TrainingRun) -> str:
    """Commands, as they are typed here, to play against the agent, watch it, train it longer, and open TensorBoard."""
    settings, folder = run.settings, run.folder.as_posix()
    agent, others = f"ppo:{folder}", settings.eval_players - 1
    strongest = f"{run.bots[-1].name}*{others}".removesuffix("*1")
    opponents, options = f"{agent}*{others}".removesuffix("*1"), game_options(settings)
    steps = {
        "play against it": ["blackjacky", "play", *options, "--opponents", opponents],
        "watch it": ["blackjacky", "watch", *options, "--players", f"{agent},{strongest}", "--out", "game.html"],
        "train it longer": ["blackjacky", "train", "--resume", folder, *longer(run)],
    }
    if (run.folder / "tensorboard").is_dir():
        steps["see all its curves"] = ["tensorboard", "--logdir", (run.folder / "tensorboard").as_posix()]
    width = max(map(len, steps))
    lines = [f"  {what:{width}}  {in_this_shell(name)} {shlex.join(rest)}" for what, (name, *rest) in steps.items()]
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

"""Tables and the picture of forecasts, from agents/results/GAME/forecasts.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from parts import DOCS, RESULTS, ROOMS, Part, command_of

from blackjacky_agents.cli.forecast import HEADING
from blackjacky_agents.learning.curves import COLOURS, as_svg
from blackjacky_agents.reports import duration, markdown_table, where_run
from blackjacky_env.games import get_game

PAGE = DOCS / "forecasts.md"
PICTURE = DOCS / "learning" / "forecasts.svg"
Measured = Mapping[str, Any]


def parts() -> Iterator[Part]:
    """The tables of every game that has been measured, and the picture of them all."""
    measured = {
        get_game(game).title: json.loads(path.read_text("utf-8"))
        for game in ROOMS
        if (path := RESULTS / game / "forecasts.json").exists()
    }
    tables = [text for title, found in measured.items() for text in (f"### {title}", *tables_of(found))]
    missing = [title for game in ROOMS if (title := get_game(game).title) not in measured]
    if missing:
        tables.append(f"Not measured yet: {', '.join(missing)}.")
    yield Part(PAGE, "forecasts", "\n\n".join(tables))
    shown = f"![Forecast and observed frequency of winning](learning/{PICTURE.name})"
    yield Part(PAGE, "reliability", shown if measured else "Nothing has been measured yet.")
    if measured:
        yield Part(PICTURE, "", picture(measured))


def tables_of(found: Measured) -> Iterator[str]:
    """A table for each question, and how it was measured."""
    for row, question in enumerate(found["questions"]):
        lines = [
            [f"`{who}`" if ":" in who else who, *pair(each[row], "log"), *pair(each[row], "brier")]
            for who, each in found["scores"].items()
            if row < len(each)
        ]
        yield f"Who {question}?\n\n{markdown_table(HEADING, lines)}"
    errors = " and ".join(f"{100 * error:.1f} %" for error in found["errors"])
    yield (
        f"{found['positions']} positions of {found['players']} players. Truth: {found['truth_playouts']:,} playouts of "
        f"each by `{found['champion']}`; the standard error of a frequency is {errors}. {command_of(found)}: "
        f"{duration(found['cpu_seconds'])} of CPU time on {where_run(found['machine'])}."
    )


def pair(scored: Measured, name: str) -> list[str]:
    """The score and its excess, with the interval; the truth has none."""
    excess = scored[f"{name}_excess"]
    mean = f"{scored[name]['mean']:.3f}"
    if excess["low"] is None:
        return [mean, "0", ""]
    return [mean, f"{excess['mean']:.4f}", f"{excess['low']:.4f} .. {excess['high']:.4f}"]


def picture(measured: Mapping[str, Measured]) -> str:
    """Observed frequency by forecast probability of winning; a panel for each game."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 9), layout="constrained")
    for number, (title, found) in enumerate(measured.items()):
        axes = figure.add_subplot(2, 2, number + 1, xlabel="forecast", ylabel="observed", title=title)
        axes.plot([0, 1], [0, 1], color="#666666", linestyle=(0, (4, 3)))
        drawn = [
            (who, each[0]["reliability"]) for who, each in found["scores"].items() if len(each[0]["reliability"]) > 1
        ]
        for (who, points), colour in zip(drawn[1:], COLOURS * len(drawn), strict=False):
            told, seen, _ = zip(*points, strict=True)
            axes.plot(told, seen, label=who, color=colour, marker="o", markersize=3)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small")
    return as_svg(figure, "forecasts")

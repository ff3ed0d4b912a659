"""Learning curves for publication: by decisions and by time, a band over seeds, and par."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from blackjacky_agents.intervals import Floats
from blackjacky_agents.reports import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

By = Literal["decisions", "seconds"]
_UNITS: dict[By, tuple[str, float]] = {"decisions": ("million decisions", 1e6), "seconds": ("minutes of training", 60)}

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Colours that people with colour blindness can tell apart (Okabe and Ito 2008)."""
_FONT = 14
_GRID = 200  # points at which runs of several seeds are compared


class Curve(NamedTuple):
    """A learning curve of one seed, each of shape (points,)."""

    decisions: Floats
    seconds: Floats  # of training up to each point
    win_rates: Floats


class DrawnCurve(NamedTuple):
    """What is drawn as one line: the mean of one or several runs, with a band from the least to the most."""

    name: str
    runs: Sequence[Curve]
    players: int
    """Number of players of the games it was measured in, whose inverse is par."""


def draw_curves(lines: Sequence[DrawnCurve], title: str, by: Sequence[By] = ("decisions", "seconds")) -> Figure:
    """A figure of learning curves, 1600 pixels wide at 160 dots an inch, in letters that the last row can read.

    Args:
        lines: at least one line of at least one run.
        title: game, preset and opponents.
        by: a panel for each: by decisions, or by seconds, shown as minutes.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(10.0, 5.6), dpi=160, layout="constrained")
    panels = figure.subplots(1, len(by), sharey=True, squeeze=False)[0]
    panels[0].set_title(title, fontsize=_FONT + 2, loc="left", pad=12)
    panels[0].set_ylabel("win rate", fontsize=_FONT)
    panels[0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    most = max(max(1 / line.players, *(float(run.win_rates.max()) for run in line.runs)) for line in lines)
    panels[0].set_ylim(0, min(1.0, math.ceil(10 * most + 0.2) / 10))
    for axes, each in zip(panels, by, strict=True):
        _draw(axes, lines, each)
    panels[-1].legend(fontsize=_FONT - 3)
    return figure


def _draw(axes: Axes, lines: Sequence[DrawnCurve], by: By) -> None:
    """One panel: the lines, their bands, and par."""
    label, unit = _UNITS[by]
    axes.set_xlabel(label, fontsize=_FONT)
    axes.tick_params(labelsize=_FONT - 1)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    for line, colour in zip(lines, COLOURS * len(lines), strict=False):
        along = [np.asarray(getattr(run, by)) / unit for run in line.runs]
        style: dict[str, Any] = {"color": colour, "linewidth": 2.5, "marker": "o" if along[0].size == 1 else ""}
        if len(line.runs) == 1:
            axes.plot(along[0], line.runs[0].win_rates, label=line.name, **style)
            continue
        grid = np.linspace(max(each[0] for each in along), min(each[-1] for each in along), _GRID)
        rates = np.array([np.interp(grid, each, run.win_rates) for each, run in zip(along, line.runs, strict=True)])
        axes.plot(grid, rates.mean(axis=0), label=f"{line.name}, {len(rates)} seeds", **style)
        axes.fill_between(grid, rates.min(axis=0), rates.max(axis=0), color=colour, alpha=0.2)
    for players in dict.fromkeys(line.players for line in lines):
        name = f"par of {players}, {percent(1 / players, 0)}"
        axes.axhline(1 / players, color="#666666", linestyle=(0, (4, 3)), label=name)
    axes.set_xlim(left=0)


def as_svg(figure: Figure, salt: str) -> str:
    """A figure as SVG; the same figure gives the same text, in which the names of parts depend on ``salt``."""
    from matplotlib import rc_context

    drawn = io.StringIO()
    with rc_context({"svg.hashsalt": salt}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"

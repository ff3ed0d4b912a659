"""Learning curves for publication: title, decisions and time, a band over seeds, and the par of each line."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from blackjacky_agents.intervals import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

By = Literal["decisions", "seconds"]
_UNITS: dict[By, tuple[str, float]] = {"decisions": ("million decisions", 1e6), "seconds": ("minutes of training", 60)}

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Colours that people with colour blindness can tell apart (Okabe and Ito 2008)."""
_SIZE = (10.0, 5.6)  # inches; at 160 dots each, 1600 pixels wide
_FONT = 14
_GRID = 200  # points at which runs of several seeds are compared
_APART = 0.045  # between two names, as a share of the axis


@dataclass(frozen=True)
class Run:
    """A learning curve of one seed, each of shape (points,)."""

    decisions: Floats
    seconds: Floats
    """Seconds of training up to each point; NaN where they are not known."""
    win_rates: Floats


@dataclass(frozen=True)
class Line:
    """What is drawn as one line: the mean of one or several runs, with a band from the least to the most."""

    name: str
    runs: Sequence[Run]
    players: int
    """Number of players of the games it was measured in, whose inverse is par."""

    def at(self, points: Floats, by: By = "decisions") -> Floats:
        """The win rates of all runs after so many decisions or seconds, interpolated, shape (runs, points)."""
        return np.array([np.interp(points, getattr(run, by), run.win_rates) for run in self.runs])

    def grid(self, by: By = "decisions") -> Floats:
        """Decisions or seconds within all runs; those of the points if there is a single run."""
        along: list[Floats] = [getattr(run, by) for run in self.runs]
        if len(along) == 1:
            return along[0]
        return np.linspace(max(each[0] for each in along), min(each[-1] for each in along), _GRID)


def draw_curves(lines: Sequence[Line], title: str, by: Sequence[By] = ("decisions",)) -> Figure:
    """A figure of learning curves, 1600 pixels wide at 160 dots an inch, in letters that the last row can read.

    Args:
        lines: at least one line of at least one run.
        title: game, preset and opponents.
        by: a panel for each: by decisions, or by seconds, shown as minutes. Above decisions alone stand the minutes of
            the first run that knows them.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=_SIZE, dpi=160, layout="constrained")
    panels = figure.subplots(1, len(by), sharey=True, squeeze=False)[0]
    panels[0].set_title(title, fontsize=_FONT + 2, loc="left", pad=12)
    panels[0].set_ylabel("win rate", fontsize=_FONT)
    panels[0].set_ylim(0, _top(lines))
    panels[0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for axes, each in zip(panels, by, strict=True):
        _draw(axes, lines, each)
    _name(panels[-1], lines)
    _explain_bands(panels[-1], lines)
    if list(by) == ["decisions"]:
        _show_minutes(panels[0], lines)
    return figure


def as_png(figure: Figure) -> bytes:
    """A figure as PNG."""
    drawn = io.BytesIO()
    figure.savefig(drawn)
    return drawn.getvalue()


def as_svg(figure: Figure, salt: str) -> str:
    """A figure as SVG; the same figure gives the same text, in which the names of parts depend on ``salt``."""
    from matplotlib import rc_context

    drawn = io.StringIO()
    with rc_context({"svg.hashsalt": salt}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"


def _top(lines: Sequence[Line]) -> float:
    """The upper end of the win rates: 1, or a tenth where all lie far below."""
    most = max(float(run.win_rates.max()) for line in lines for run in line.runs)
    most = max(most, *(1 / line.players for line in lines))
    return min(1.0, math.ceil(10 * most + 0.2) / 10)


def _draw(axes: Axes, lines: Sequence[Line], by: By) -> None:
    """One panel: the lines, their bands, and par."""
    label, unit = _UNITS[by]
    axes.set_xlabel(label, fontsize=_FONT)
    axes.tick_params(labelsize=_FONT - 1)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    for line, colour in zip(lines, COLOURS * len(lines), strict=False):
        points = line.grid(by)
        rates = line.at(points, by)
        axes.plot(points / unit, rates.mean(axis=0), color=colour, linewidth=2.5, marker="o" * (len(points) == 1))
        if len(rates) > 1:
            axes.fill_between(points / unit, rates.min(axis=0), rates.max(axis=0), color=colour, alpha=0.2)
    for players in dict.fromkeys(line.players for line in lines):
        axes.axhline(1 / players, color="#666666", linestyle=(0, (4, 3)))
    axes.set_xlim(left=0)


def _name(axes: Axes, lines: Sequence[Line]) -> None:
    """Write the name of each line, and par, beside its end, apart from each other."""
    ends = [
        (float(np.mean([run.win_rates[-1] for run in line.runs])), line.name, colour)
        for line, colour in zip(lines, COLOURS * len(lines), strict=False)
    ]
    sizes = dict.fromkeys(line.players for line in lines)
    ends += [(1 / players, f"par of {players}, {1 / players:.0%}", "#666666") for players in sizes]
    apart = _APART * axes.get_ylim()[1]
    lowest = -apart
    for height, name, colour in sorted(ends):
        lowest = max(height, lowest + apart)
        axes.annotate(
            name, (1.01, lowest), xycoords=("axes fraction", "data"), color=colour, fontsize=_FONT - 1, va="center"
        )


def _explain_bands(axes: Axes, lines: Sequence[Line]) -> None:
    """Say what the bands are, in the lower corner, where win rates are seldom."""
    if seeds := sorted({len(line.runs) for line in lines} - {1}):
        words = f"line: mean of {' or '.join(map(str, seeds))} seeds, band: lowest to highest"
        axes.text(0.99, 0.03, words, transform=axes.transAxes, ha="right", color="#444444", fontsize=_FONT - 1)


def _show_minutes(axes: Axes, lines: Sequence[Line]) -> None:
    """A second axis above with the time of training."""
    runs = [run for line in lines for run in line.runs if len(run.seconds) and not np.isnan(run.seconds).any()]
    if not runs:
        return
    millions, minutes = runs[0].decisions / 1e6, runs[0].seconds / 60
    if millions[0] > 0:  # at 0 a teacher's lessons have taken time before the first decision
        millions, minutes = np.append(0, millions), np.append(0, minutes)
    if millions[-1] <= millions[0] or minutes[-1] <= minutes[0]:
        return
    slope = (minutes[-1] - minutes[0]) / (millions[-1] - millions[0])  # before the first point and after the last

    def to_minutes(x: Any) -> Any:
        return np.interp(x, millions, minutes) + slope * (x - np.clip(x, millions[0], millions[-1]))

    def to_millions(x: Any) -> Any:
        return np.interp(x, minutes, millions) + (x - np.clip(x, minutes[0], minutes[-1])) / slope

    from matplotlib.ticker import MaxNLocator

    above = axes.secondary_xaxis("top", functions=(to_minutes, to_millions))
    above.xaxis.set_major_locator(MaxNLocator(4))
    above.set_xlabel("minutes of training", fontsize=_FONT)
    above.tick_params(labelsize=_FONT - 1)

"""Curves: of training and of frameworks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from blackjacky_agents.learning.curves import Curve, DrawnCurve, as_svg, draw_curves
from blackjacky_env.games import get_game
from scripts.pages.measured import FRAMEWORKS
from scripts.pages.part import DOCS, Part
from scripts.results import ROOMS, Result, load

FOLDER = DOCS / "learning"


def parts() -> Iterator[Part]:
    """All curves that have been measured."""
    for game in ROOMS:
        if result := load("training", game):
            yield Part(FOLDER / f"{game}.svg", "", training(game, result))
    if result := load("ppo_batch"):
        yield Part(FOLDER / "ppo_batch.svg", "", ppo_batch(result))
    if result := load("frameworks"):
        yield Part(DOCS / "frameworks.svg", "", frameworks(result))


def training(game: str, result: Result) -> str:
    """The learning curves of a game's presets that had the shortest time: a line for each."""
    lines = []
    shortest = min(row["minutes"] for row in result["rows"])
    short = [row for row in result["rows"] if row["minutes"] == shortest]
    for preset, own in groupby(short, key=lambda row: row["preset"]):
        rows = list(own)
        runs = [Curve(*np.array(row["curve"]).T) for row in rows]
        lines.append(DrawnCurve(preset, runs, rows[0]["result"]["players"]))
    title = f"{get_game(game).title}: against {lines[0].players - 1} {result['rows'][0]['result']['opponents']}"
    return as_svg(draw_curves(lines, title, ["seconds"]), f"learning-{game}")


def ppo_batch(result: Result) -> str:
    """The learning curve of each seed of examples/ppo_batch.py."""
    lines = []
    for seed, own in groupby(result["rows"], key=lambda row: row["seed"]):
        points = np.array([[row["steps"], row["cpu_seconds"], row["win_rate"]] for row in own], float)
        lines.append(DrawnCurve(f"seed {seed}", [Curve(*points.T)], 4))
    return as_svg(draw_curves(lines, "examples/ppo_batch.py: against 3 threshold, one core"), "ppo_batch")


def frameworks(result: Result) -> str:
    """The learning curves of all frameworks in one picture, that of MaskablePPO thicker."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot(ylim=(0, 1), xlabel="decisions", ylabel="wins against random agents")
    axes.grid(alpha=0.3)
    found = {row["framework"]: row["curve"] for row in result["rows"]}
    for name in [name for name in FRAMEWORKS if name in found]:
        curve = found[name]
        named = ("decisions", "win_rate", "low", "high")
        decisions, rates, low, high = ([point[each] for point in curve] for each in named)
        [line] = axes.plot(decisions, rates, label=FRAMEWORKS[name][0], linewidth=3 if name == "sb3" else 1.5)
        axes.fill_between(decisions, low, high, alpha=0.1, color=line.get_color())
    axes.axhline(0.25, color="black", linestyle=":", label="par")
    axes.legend(ncols=2, fontsize="small")
    return as_svg(figure, "frameworks")

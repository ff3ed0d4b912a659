"""Curves: of training, of exact play, of search by budget, of forecasts and of frameworks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from blackjacky_agents import bot_names
from blackjacky_agents.learning.curves import COLOURS, Curve, DrawnCurve, as_svg, draw_curves
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_env.games import get_game
from scripts.pages.exact import shown, solved
from scripts.pages.measured import FRAMEWORKS
from scripts.pages.part import DOCS, Part, Row
from scripts.results import ROOMS, Result, load

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLDER = DOCS / "learning"
PAR: Mapping[str, Any] = {"color": "#666666", "linestyle": (0, (4, 3))}
SOLVERS = {
    "cfr": "CFR",
    "cfr+": "CFR+",
    "dcfr": "discounted CFR",
    "mccfr": "sampled games (MCCFR)",
    "ppo": "PPO, self-play, one run",
    "nfsp": "NFSP (OpenSpiel's), one run",
}
"""What is drawn of exact play, by name in the results."""


def parts() -> Iterator[Part]:
    """All curves that have been measured."""
    for game in ROOMS:
        title = get_game(game).title
        if result := load("training", game):
            yield Part(FOLDER / f"{game}.svg", "", training(game, result))
        if (rows := solved(game)) and (table := shown(rows)):
            yield Part(FOLDER / f"exact-{game}.svg", "", exact(rows[table], f"{title}, {table}"))
    yield Part(FOLDER / "search.svg", "", search())
    yield Part(FOLDER / "forecasts.svg", "", forecasts())
    if result := load("ppo_batch"):
        yield Part(FOLDER / "ppo_batch.svg", "", ppo_batch(result))
    if result := load("frameworks"):
        yield Part(DOCS / "frameworks.svg", "", frameworks(result))


def panel(width: float = 8, height: float = 4.5, **axes: Any) -> tuple[Figure, Axes]:
    """A figure with one panel and a grid."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    panel = figure.add_subplot(**axes)
    panel.grid(alpha=0.3)
    return figure, panel


def training(game: str, result: Result) -> str:
    """The learning curves of a game's presets by time: a line for each preset as it is, and each length."""
    usual = [
        row
        for row in result["rows"]
        if not row["options"] and tuple(row["hidden_sizes"]) == presets_of(game)[row["preset"]].hidden_sizes
    ]
    lines = []
    for (preset, minutes), own in groupby(usual, key=lambda row: (row["preset"], row["minutes"])):
        rows = list(own)
        runs = [Curve(*np.array(row["curve"]).T) for row in rows]
        lines.append(DrawnCurve(f"{preset}, {minutes:g} min", runs, rows[0]["result"]["players"]))
    title = f"{get_game(game).title}: against {lines[0].players - 1} {usual[0]['result']['opponents']}"
    return as_svg(draw_curves(lines, title, ["seconds"]), f"learning-{game}")


def ppo_batch(result: Result) -> str:
    """The learning curve of each seed of examples/ppo_batch.py."""
    lines = []
    for seed, own in groupby(result["rows"], key=lambda row: row["seed"]):
        points = np.array([[row["steps"], row["cpu_seconds"], row["win_rate"]] for row in own], float)
        lines.append(DrawnCurve(f"seed {seed}", [Curve(*points.T)], 4))
    return as_svg(draw_curves(lines, "examples/ppo_batch.py: against 3 random, one core"), "ppo_batch")


def exact(row: Row, name: str) -> str:
    """How exploitability falls with the seconds of solvers and learners at one table."""
    figure, axes = panel(xscale="log", yscale="log", xlabel="CPU seconds, one thread", ylabel="exploitability")
    axes.set_title(f"{name}: {row['size']['information_states']:,} information states")
    for (kind, title), colour in zip(SOLVERS.items(), COLOURS, strict=False):
        points = [point for point in row["curves"].get(kind, []) if min(point) > 0]
        if points:
            axes.plot(*zip(*points, strict=True), label=title, color=colour)
    axes.legend(fontsize="small")
    return as_svg(figure, name)


def search() -> str:
    """Win rates against the strongest bot of each game, by simulations that the champion guides."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = panel(10, 5.6, xlabel="simulations per decision; 0: the champion alone", ylabel="win rate")
    axes.set_xscale("symlog", base=2, linthresh=8)
    budgets: set[int] = set()
    for game, colour in zip(ROOMS, COLOURS, strict=False):
        bot, players = bot_names(game)[-1], get_game(game).default_players
        result = load("guided", game)
        own = {}
        for row in result["rows"] if result else ():
            if row["players"] == players and " " not in row["agent"]:
                budget = 0 if row["agent"] == "champion" else int(row["agent"].removeprefix("search:"))
                own[budget] = row["against the strongest bot"]
        rows = [own[budget] for budget in sorted(own)]
        errors = np.array([[row["mean"] - row["low"], row["high"] - row["mean"]] for row in rows]).T
        label = f"{get_game(game).title}, against {players - 1} {bot}"
        means = [row["mean"] for row in rows]
        axes.errorbar(sorted(own), means, errors, color=colour, linewidth=2, marker="o", capsize=4, label=label)
        budgets |= set(own)
    for players in sorted({get_game(game).default_players for game in ROOMS}):
        axes.axhline(1 / players, label=f"par of {players}", **PAR)
    axes.set_xticks(sorted(budgets), [str(budget) for budget in sorted(budgets)])
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    figure.legend(loc="outside upper center", ncols=2)
    return as_svg(figure, "search")


def forecasts() -> str:
    """Observed frequency by forecast probability of winning; a panel for each game."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 9), layout="constrained")
    for number, game in enumerate(ROOMS):
        axes = figure.add_subplot(2, 2, number + 1, xlabel="forecast", ylabel="observed", title=get_game(game).title)
        axes.plot([0, 1], [0, 1], **PAR)
        result = load("forecasts", game)
        rows = result["rows"] if result else ()
        drawn = [row for row in rows if len(row["reliability"]) > 1 and row["forecast by"] != "truth"]
        for row, colour in zip(drawn, COLOURS * len(drawn), strict=False):
            told, seen, _ = zip(*row["reliability"], strict=True)
            axes.plot(told, seen, label=row["forecast by"], color=colour, marker="o", markersize=3)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small")
    return as_svg(figure, "forecasts")


def frameworks(result: Result) -> str:
    """The learning curves of all frameworks in one picture, that of MaskablePPO thicker."""
    figure, axes = panel(ylim=(0, 1), xlabel="decisions", ylabel="wins against random agents")
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

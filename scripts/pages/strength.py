"""Strength against time per move, and what methods learn at a fixed budget: docs/benchmark.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from statistics import mean, median

from blackjacky_agents.learning.curves import COLOURS, as_svg
from blackjacky_agents.reports import markdown_table, percent
from blackjacky_env.games import get_game
from scripts.measures.strength import FEWEST, SEARCHES, SIMULATIONS
from scripts.pages.agents import made
from scripts.pages.part import DOCS, MISSING, Part, Row, code
from scripts.results import ROOMS, Result, load, made_by

KINDS = ("bots", "champion", *SEARCHES)  # lines of the picture
COUNTED = {
    "scratch": "decisions of the learner",
    "quick": "decisions of the learner, which begins with the **advice** of a bot",
    "ppo_batch": "all moves, forced ones too",
    "sb3": "all moves of the learner, forced ones too, against bots and itself",
}
"""What each method counts."""


def parts() -> Iterator[Part]:
    """Tables and picture of what has been measured."""
    found = {game: result for game in ROOMS if (result := load("strength", game)) and rows_of(result)}
    if found:
        yield Part(DOCS / "strength.svg", "", picture(found))
    yield Part(DOCS / "benchmark.md", "strength", strengths(found) if found else MISSING)
    grown = {game: result for game in ROOMS if (result := load("scale", game))}
    if grown:
        yield Part(DOCS / "scale.svg", "", growth(grown))
    yield Part(DOCS / "benchmark.md", "scale", scale(grown) if grown else MISSING)
    yield Part(DOCS / "benchmark.md", "budget", budget(result) if (result := load("budget")) else MISSING)


def rows_of(result: Result) -> list[Row]:
    """The rows with enough deals, by copies, kind and time."""
    rows = (row for row in result["rows"] if row["deals"] >= FEWEST)
    return sorted(rows, key=lambda row: (row["among"], kind(row), row["microseconds"]))


def kind(row: Row) -> str:
    """The line of the picture that a row belongs to."""
    first, colon, _ = row["agent"].partition(":")
    return first if colon or first == "champion" else "bots"


def strengths(found: Mapping[str, Result]) -> str:
    """The picture, and a row for the champion and for every second size of each search, among bots."""
    cells: dict[str, dict[str, str]] = {}
    for game, result in found.items():
        for row in rows_of(result):
            difference, number = row["difference"], row["agent"].partition(":")[2]
            if kind(row) != "bots" and row["among"] != "champion" and number in ("", *map(str, SIMULATIONS[::2])):
                width = max(difference["high"] - difference["mean"], difference["mean"] - difference["low"])
                told = f"{100 * difference['mean']:+.1f} ± {100 * width:.1f} ({row['microseconds']:g} µs)"
                cells.setdefault(code(row["agent"]), {})[game] = told
    table = markdown_table(
        ["agent", *(get_game(game).title for game in found)],
        ([name, *(own.get(game, "") for game in found)] for name, own in cells.items()),
    )
    told = f"{next(iter(found.values()))['what']} Among copies of the strongest bot; the files have all rows."
    images = "![Difference of win rates by seconds per move](strength.svg)"
    return "\n\n".join([images, told, table, made({get_game(game).title: each for game, each in found.items()})])


def picture(found: Mapping[str, Result]) -> str:
    """Differences by time per move, a panel for each game; among champions hollow and dashed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 7.5), layout="constrained")
    panels = figure.subplots(-(-len(found) // 2), min(2, len(found)), squeeze=False, sharex=True).flat
    for axes, (game, result) in zip(panels, found.items(), strict=False):
        axes.set(title=get_game(game).title, xscale="log", xlabel="seconds per move", ylabel="difference, %")
        axes.grid(alpha=0.3)
        for (among, line), own in groupby(rows_of(result), key=lambda row: (row["among"], kind(row))):
            rows, colour = list(own), COLOURS[KINDS.index(line)]
            low, best, high = ([100 * row["difference"][each] for row in rows] for each in ("low", "mean", "high"))
            sides = [[b - a for a, b in zip(*ends, strict=True)] for ends in ((low, best), (best, high))]
            face, dash = ("white", "--") if among == "champion" else (colour, "-")
            style = {"color": colour, "fmt": "o", "mfc": face, "ls": "none" if line == "bots" else dash, "capsize": 2}
            label = f"{line} among {'champions' if among == 'champion' else 'the strongest bot'}"
            axes.errorbar([row["microseconds"] / 1e6 for row in rows], best, sides, label=label, **style)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="small")
    return as_svg(figure, "strength")


def scale(found: Mapping[str, Result]) -> str:
    """The picture, and how it was made."""
    image = "![Win rates by decisions of self-play, and gains of best responses](scale.svg)"
    told = f"{next(iter(found.values()))['what']} Lines are medians of the seeds, bands their range."
    return "\n\n".join([image, told, made({get_game(game).title: each for game, each in found.items()})])


def growth(found: Mapping[str, Result]) -> str:
    """Two panels, with a line for each game: its win rate, and what a best response wins more than the agent."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, title in zip(panels, ("win rate against the strongest bot", "gain of a best response"), strict=True):
        axes.set(title=title, xscale="log", xlabel="decisions", ylabel="%")
        axes.grid(alpha=0.3)
    for colour, (game, result) in zip(COLOURS, found.items(), strict=False):
        by: dict[int, list[tuple[float, float]]] = {}
        for row in sorted(result["rows"], key=lambda row: row["decisions"]):
            by.setdefault(row["decisions"], []).append((100 * row["win_rate"], 100 * (row["response"] - row["own"])))
        for side, axes in enumerate(panels):
            numbers = [[each[side] for each in own] for own in by.values()]
            axes.plot([*by], [*map(median, numbers)], "o-", label=get_game(game).title, color=colour)
            axes.fill_between([*by], [*map(min, numbers)], [*map(max, numbers)], alpha=0.15, color=colour)
            axes.legend(fontsize="small")
    return as_svg(figure, "scale")


def budget(result: Result) -> str:
    """A row for each method: means over its seeds."""
    rows = []
    for name, counted in COUNTED.items():
        if own := [row for row in result["rows"] if row["method"] == name]:
            rates, scores, hours = ([row[each] for row in own] for each in ("win_rate", "score", "cpu_hours"))
            spread = f"**{percent(mean(rates))}** ({percent(min(rates))} .. {percent(max(rates))})"
            rows.append([code(name), counted, len(own), spread, f"{mean(scores):.2f}", f"{mean(hours):.2g}"])
    table = markdown_table(["method", "counts", "seeds", "win rate", "mean score", "CPU hours of a seed"], rows)
    one = result["rows"][0]
    told = f"{one['decisions']:,} decisions, then {one['games']:,} games, of each seed: mean (lowest .. highest)."
    return f"{table}\n\n{told} {result['what']} The file has each command.\n\n{made_by(result)}"

"""The benchmark of algorithms: a table of what they have learned in the end, and its curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, product
from statistics import median

import numpy as np

from blackjacky_agents.benchmark.algorithms import ALGORITHMS
from blackjacky_agents.learning.curves import COLOURS, as_svg
from blackjacky_agents.reports import markdown_table
from blackjacky_env.games import get_game
from scripts.pages.part import DOCS, MISSING, Part, Row, code
from scripts.results import Result, load, made_by

PICTURE = DOCS / "benchmark.svg"
COLUMNS = 3
LOWEST = 1e-6  # that is drawn
Runs = Sequence[Row]


def parts() -> Iterator[Part]:
    """The table, and the picture if anything has been measured."""
    told = MISSING
    if result := load("benchmark"):
        groups = grouped(result["rows"])
        shown = f"![Exploitability by decisions, a panel for each table]({PICTURE.name})"
        told = "\n\n".join([*at_the_end(groups), shown, f"{result['what']} {made_by(result)}"])
        yield Part(PICTURE, "", curves(groups))
    yield Part(DOCS / "benchmark.md", "benchmark", told)
    yield Part(DOCS / "benchmark.md", "errors", errors(result) if (result := load("errors")) else MISSING)


def grouped(rows: Runs) -> list[Runs]:
    """The runs of each algorithm at each table, which differ in their seeds, in the order of games and algorithms."""

    def order(row: Row) -> tuple[str, int, int, str]:
        tables = [*get_game(row["game"]).tables]
        return row["game"], tables.index(row["table"]), [*ALGORITHMS].index(row["algorithm"]), row.get("like", "")

    return [list(own) for _, own in groupby(sorted(rows, key=order), order)]


def title(row: Row) -> str:
    """A table by game and name."""
    return f"{get_game(row['game']).title} {row['table']}"


def at_the_end(groups: Sequence[Runs]) -> Iterator[str]:
    """Exploitability in the end by algorithm and table: one table for those whose longest runs are equally long."""
    longest: dict[str, int] = {}
    for runs in sorted(groups, key=decisions):
        longest[title(runs[0])] = decisions(runs)
    for total in sorted(set(longest.values()), reverse=True):
        tables = [each for each in dict.fromkeys(title(runs[0]) for runs in groups) if longest[each] == total]
        cells = []
        for name, like in product(ALGORITHMS, ["", *ALGORITHMS]):
            own = [runs for runs in groups if (runs[0]["algorithm"], runs[0].get("like", "")) == (name, like)]
            by_table, told = (
                {title(runs[0]): runs for runs in own},
                code(name) + f", settings of {code(like)}" * bool(like),
            )
            found = [by_table.get(table, ()) for table in tables]
            if rows := [row for runs in found for row in runs]:
                lasts = (spread([row["exploitability"][-1] for row in runs]) for runs in found)
                rate = median(1e6 * row["cpu_seconds"][-1] / row["decisions"][-1] for row in rows)
                seeds = "-".join(map(str, sorted({len(runs) for runs in found if runs})))
                cells.append([told, *lasts, f"{decisions(rows):,}", seeds, f"{rate:,.1f}"])
            if rows and "averaged" in rows[0]:
                means = (f"{median(row['averaged'] for row in runs):.2g}" if runs else "" for runs in found)
                cells.append([f"{told} averaged", *means, *[""] * 3])
        yield markdown_table(["algorithm", *tables, "decisions", "seeds", "CPU seconds a million"], cells)


def decisions(runs: Runs) -> int:
    """The decisions of runs, rounded."""
    return round(float(f"{runs[0]['decisions'][-1]:.2g}"))


def errors(result: Result) -> str:
    """A row for each table: medians of the seeds."""
    cells = []
    for options, runs in groupby(result["rows"], key=lambda row: (row["max_turns_per_round"], row["bust_at"])):
        own = list(runs)
        parts = [[*row["seat"], max(row["decision"]), row["led to"], row["not led to"]] for row in own]
        found = [f"{own[0]['states']:,}", spread([row["all"] for row in own])]
        cells.append([*options, *found, *(f"{each:.3f}" for each in np.median(parts, axis=0))])
    first = ["turns", "bust at", "states", "exploitability", "first seat", "second seat"]
    table = markdown_table([*first, "worst decision", "led to", "not led to"], cells)
    settings = result["settings"]
    told = f"{len(own)} runs of `{settings['algorithm']}` of {settings['decisions']:,} decisions"
    return f"{table}\n\nOf {told}. {result['what']} {made_by(result)}"


def spread(found: Sequence[float]) -> str:
    """Median, lowest and highest, if there are any."""
    if len(found) < 2:
        return "".join(f"{each:.2g}" for each in found)
    return f"**{median(found):.2g}** ({min(found):.2g} .. {max(found):.2g})"


def curves(groups: Sequence[Runs]) -> str:
    """A panel for each table: medians of algorithms with their own settings by decisions, and bands of the seeds."""
    from matplotlib.figure import Figure

    chosen = [runs for runs in groups if "like" not in runs[0]]
    panels = [list(own) for _, own in groupby(chosen, lambda own: title(own[0]))]
    rows = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(12, 4 * rows), layout="constrained")
    for number, own in enumerate(panels):
        axes = figure.add_subplot(rows, COLUMNS, number + 1, xscale="log", yscale="log")
        axes.set_title(title(own[0][0]))
        axes.set_xlabel("decisions")
        axes.set_ylabel("exploitability")
        axes.grid(alpha=0.3)
        for runs in own:
            name = runs[0]["algorithm"]
            place = [*ALGORITHMS].index(name)
            found = np.maximum([row["exploitability"] for row in runs], LOWEST)
            by = np.median([row["decisions"] for row in runs], axis=0)
            colour, dashes = COLOURS[place % len(COLOURS)], "-" if place < len(COLOURS) else "--"
            axes.plot(by, np.median(found, axis=0), label=name, color=colour, linestyle=dashes)
            axes.fill_between(by, found.min(axis=0), found.max(axis=0), alpha=0.15, color=colour)
        axes.legend(fontsize="small")
    return as_svg(figure, "benchmark")

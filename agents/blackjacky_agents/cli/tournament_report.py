"""The report of a tournament: Markdown tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blackjacky_agents.arena.standings import RATING_REPLICATES
from blackjacky_agents.reports import duration, markdown_table, percent, share, where_run

Report = dict[str, Any]
Table = dict[str, Any]
"""`standings.Standings` of one table size, JSON-ready."""

SHOWN_LINEUPS = 30  # more are left out of the report


def markdown_report(report: Report) -> str:
    """The whole report: standings, pairs, cycles and line-ups of every table size."""
    games = sum(table["games"] for table in report["tables"])
    machine = where_run(report["machine"])
    sections = [f"{games:,} games in {duration(report['seconds'])}: `{report['command']}` on {machine}."]
    for table in report["tables"]:
        sections += [heading(table), standings_table(report["score"], table), pairs_table(table), cycles(table)]
        if report["lineups"] == "copies":
            sections.append(copies_table(table))
        elif 1 < len(table["lineups"]) <= SHOWN_LINEUPS:
            sections.append(lineups_table(table))
    return "\n\n".join([*sections, footnotes(report)])


def heading(table: Table) -> str:
    """Table size, par, and numbers of games and deals."""
    lineups = len(table["lineups"])
    return (
        f"**{table['num_players']} players**, par {percent(1 / table['num_players'])}; {table['games']:,} games, "
        f"{table['deals']:,} deals of {lineups:,} line-up{'s' * (lineups > 1)}; no winner in "
        f"{percent(table['nobody']['mean'])} of the games:"
    )


def standings_table(score: str, table: Table) -> str:
    """The results of every agent, best first; ``score``: what scores are called."""
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "agent": lambda row: f"`{row['agent']}`",
        "win rate": lambda row: share(row["win_rate"]),
        score: lambda row: number(row["score"], 2),
        "rating": lambda row: number(row["rating"], 1),
        "variance reduction": lambda row: "-" if row["saved"] is None else f"x {row['saved']:.2f}",
        "games": lambda row: f"{row['games']:,}",
    }
    return markdown_table(list(columns), [[cell(row) for cell in columns.values()] for row in best_first(table)])


def best_first(table: Table) -> list[dict[str, Any]]:
    """The agents of a table by their win rates."""
    return sorted(table["agents"], key=lambda row: -row["win_rate"]["mean"])


def pairs_table(table: Table) -> str:
    """How often each agent (rows) finished ahead of each other one (columns)."""
    names = [row["agent"] for row in best_first(table)]
    found = {(pair["first"], pair["second"]): pair for pair in table["pairs"]}
    rows = [[f"`{a}`", *("-" if a == b else share(found[a, b]["share"]) for b in names)] for a in names]
    return markdown_table(["finishes ahead of", *(f"`{name}`" for name in names)], rows)


def copies_table(table: Table) -> str:
    """Win rates of one agent (rows) against copies of another (columns)."""
    copies = "one" if table["num_players"] == 2 else f"{table['num_players'] - 1} copies of"
    names = [row["agent"] for row in table["agents"]]
    cells = {(line["agents"][0], line["agents"][1]): line["win_rates"] for line in table["lineups"]}
    rows = [[f"`{a}`", *("-" if a == b else share(cells[a, b][a]) for b in names)] for a in names]
    return markdown_table(["agent", *(f"against {copies} `{name}`" for name in names)], rows)


def lineups_table(table: Table) -> str:
    """Win rates in every line-up."""
    rows = []
    for line in table["lineups"]:
        rates = (f"`{name}` {share(rate)}" for name, rate in line["win_rates"].items())
        rows.append([", ".join(f"`{name}`" for name in line["agents"]), f"{line['deals']:,}", ", ".join(rates)])
    return markdown_table(["line-up", "deals", "win rates, each"], rows)


def cycles(table: Table) -> str:
    """Cycles in the pairwise results, as a sentence."""
    if not table["cycles"]:
        return "No cycles: the pairwise results are transitive."
    found = (" beats ".join(f"`{name}`" for name in [*cycle, cycle[0]]) for cycle in table["cycles"])
    return f"Shortest cycles: {'; '.join(found)}."


def footnotes(report: Report) -> str:
    """Explanations of the columns."""
    rated = max(table["rated_games"] for table in report["tables"])
    deals = "the same cards in every rotation" if report["duplicate"] else "independent deals (--no-duplicate)"
    return (
        f"Seed {report['seed']}, {report['variant']}; {deals}. 95 % confidence intervals from the spread of deals. "
        "Win rate: mean of 1 / number of winners for a winner, 0 otherwise; par: 1 / number of players. "
        "Finishes ahead of: fraction of games in which the row's agent won more than the column's, without ties. "
        f"Rating: OpenSkill's Plackett-Luce, 25 on average; {rated:,} games in each of {RATING_REPLICATES} orders. "
        "Variance reduction: factor on the number of independent games needed for the same precision of the win rate; "
        "below 1, duplicate deals reduce precision."
    )


def number(estimate: dict[str, Any], digits: int) -> str:
    """A mean with its interval."""
    if estimate["low"] is None:
        return f"{estimate['mean']:.{digits}f}"
    return f"{estimate['mean']:.{digits}f} ({estimate['low']:.{digits}f} .. {estimate['high']:.{digits}f})"

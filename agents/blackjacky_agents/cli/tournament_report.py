"""The report of a tournament: Markdown tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blackjacky_agents.arena.standings import RATING_REPLICATES
from blackjacky_agents.reports import duration, markdown_table, percent, share, where_run

Report = dict[str, Any]
Table = dict[str, Any]
"""`standings.Standings` of one table size, JSON-ready."""
Row = dict[str, Any]

SHOWN_LINEUPS = 30  # more are left out of the report


# ---------------------------------------------------------------- Markdown


def markdown_report(report: Report) -> str:
    """The whole report: standings, pairs, cycles and line-ups of every table size."""
    sections = [intro(report)]
    for table in report["tables"]:
        sections += mixed_section(report, table)
        if report["lineups"] == "copies":
            sections.append(copies_table(table))
        elif 1 < len(table["lineups"]) <= SHOWN_LINEUPS:
            sections.append(lineups_table(table))
    return "\n\n".join([*sections, footnotes(report)])


def intro(report: Report) -> str:
    """Number of games, duration, command and machine."""
    games = sum(table["games"] for table in report["tables"])
    return f"{games:,} games in {duration(report['seconds'])}: `{report['command']}` on {where_run(report['machine'])}."


def mixed_section(report: Report, table: Table) -> list[str]:
    """Standings and pairwise results of one table size."""
    return [heading(table), standings_table(report, table), pairs_table(table), cycles(table)]


def heading(table: Table) -> str:
    """Table size, par, and numbers of games and deals."""
    lineups = len(table["lineups"])
    return (
        f"**{table['num_players']} players**, par {percent(1 / table['num_players'])}; {table['games']:,} games, "
        f"{table['deals']:,} deals of {lineups:,} line-up{'s' * (lineups > 1)}; no winner in "
        f"{percent(table['nobody']['mean'])} of the games:"
    )


def standings_table(report: Report, table: Table) -> str:
    """The results of every agent, best first."""
    columns = standings_columns(report)
    rows = [[cell(row) for cell in columns.values()] for row in best_first(table)]
    return markdown_table(list(columns), rows)


def standings_columns(report: Report) -> dict[str, Callable[[Row], str]]:
    """What each column says about an agent, by its heading."""
    return {
        "agent": lambda row: f"`{row['agent']}`",
        "win rate": lambda row: share(row["win_rate"]),
        "reward": lambda row: number(row["reward"], 3),
        report["score"]: lambda row: number(row["score"], 2),
        "rating": lambda row: number(row["rating"], 1),
        "variance reduction": lambda row: "-" if row["saved"] is None else f"x {row['saved']:.2f}",
        "games": lambda row: f"{row['games']:,}",
    }


def best_first(table: Table) -> list[Row]:
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
    rows = [
        [", ".join(f"`{name}`" for name in line["agents"]), f"{line['deals']:,}", in_words(line["win_rates"])]
        for line in table["lineups"]
    ]
    return markdown_table(["line-up", "deals", "win rates, each"], rows)


def in_words(win_rates: dict[str, Row]) -> str:
    """The win rates of one line-up as text."""
    return ", ".join(f"`{name}` {share(rate)}" for name, rate in win_rates.items())


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


def number(estimate: Row, digits: int) -> str:
    """A mean with its interval."""
    if estimate["low"] is None:
        return f"{estimate['mean']:.{digits}f}"
    return f"{estimate['mean']:.{digits}f} ({estimate['low']:.{digits}f} .. {estimate['high']:.{digits}f})"

"""Exact play: the tables of docs/exact.md that differ from game to game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blackjacky_agents.games import agent_names
from blackjacky_agents.reports import markdown_table
from blackjacky_env.games import get_game
from scripts.pages.part import DOCS, MISSING, Part, code, table
from scripts.results import ROOMS, load, made_by

PAGE = DOCS / "exact.md"
Rows = Mapping[str, Any]


def parts() -> Iterator[Part]:
    """The tables of every game that has been measured."""
    exact = []
    for game in ROOMS:
        if result := load("exact", game):
            found = {row["table"]: row for row in result["rows"]}
            rows = {name: found[name] for name in get_game(game).tables if name in found}
            exact += [f"### {get_game(game).title}", sizes(rows), agents(game, rows), made_by(result)]
    yield Part(PAGE, "exact", "\n\n".join(filter(None, exact)) or MISSING)


def sizes(rows: Rows) -> str:
    """Size and value of every table."""
    columns = {
        "table": lambda row: code(row["table"]),
        "nodes": lambda row: f"{row['size']['nodes']:,}",
        "information states": lambda row: f"{row['size']['information_states']:,}",
        "value of the seats": lambda row: ", ".join(f"{round(v, 4) + 0.0:+.4f}" for v in row["solution"]["values"]),
        "solved to": lambda row: f"{row['solution']['exploitability']:.1g}",
        "floor of the view": lambda row: _floor(row.get("floor")),
        "CPU seconds": lambda row: f"{row['solution']['seconds']:,.3g}",
    }
    return table(rows.values(), columns)


def _floor(found: Mapping[str, Any] | None) -> str:
    """The lowest exploitability found of a player of views, and the number of distinct views."""
    return f"{found['exploitability']:.1g} ({found['views']:,})" if found else "-"


def agents(game: str, rows: Rows) -> str:
    """How exploitable every agent is at every table where agents were asked."""
    asked = {name: row for name, row in rows.items() if row.get("agents")}
    others = dict.fromkeys(name for row in asked.values() for name in row["agents"])
    order = list(dict.fromkeys([*(name for name in agent_names(game) if name in others), *others]))
    if not order:
        return ""
    measured = {name: [row["agents"].get(name) for row in asked.values()] for name in order}
    lines = [
        [code(name), *(f"{each['exploitability']:.3f}" if each else "" for each in cells)]
        for name, cells in measured.items()
    ]
    return markdown_table(["exploitability of", *map(code, asked)], lines)

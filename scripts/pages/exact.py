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
    found = {game: tables for game in ROOMS if (tables := solved(game))}
    exact = []
    for game, rows in found.items():
        title, result = get_game(game).title, load("exact", game)
        assert result is not None
        exact += [f"### {title}", sizes(game, rows), agents(game, rows), made_by(result)]
        if nfsp := load("nfsp", game):
            exact.append(f"NFSP: {made_by(nfsp)}")
        if (drawn := shown(rows)) is not None:
            exact.append(f"![Exploitability by CPU seconds: {title}, {drawn}](learning/exact-{game}.svg)")
    yield Part(PAGE, "exact", "\n\n".join(filter(None, exact)) or MISSING)


def solved(game: str) -> dict[str, Any]:
    """The tables of a game that have been solved, by name, with NFSP's curve where OpenSpiel has measured it."""
    result, beside = load("exact", game), load("nfsp", game)
    if result is None:
        return {}
    rows = {row["table"]: row for row in result["rows"] if row["table"] in get_game(game).tables}
    for row in beside["rows"] if beside else ():
        rows[row["table"]]["curves"]["nfsp"] = row["curve"]
    return rows


def shown(rows: Rows) -> str | None:
    """The table to draw: of those where most was measured, the largest, with two players if there is one."""
    most = max(len(row["curves"]) for row in rows.values())
    if most < 2:
        return None
    drawn = {name: row["size"] for name, row in rows.items() if len(row["curves"]) == most}
    return max(drawn, key=lambda name: (drawn[name]["num_players"] == 2, drawn[name]["nodes"]))


def sizes(game: str, rows: Rows) -> str:
    """Size and value of every table."""
    columns = {
        "table": lambda row: f"`{row['table']}`: {get_game(game).tables[row['table']].about}",
        "players": lambda row: row["size"]["num_players"],
        "nodes": lambda row: f"{row['size']['nodes']:,}",
        "information states": lambda row: f"{row['size']['information_states']:,}",
        "value of the seats": lambda row: ", ".join(f"{round(v, 4) + 0.0:+.4f}" for v in row["solution"]["values"]),
        "solved to": lambda row: f"{row['solution']['exploitability']:.1g}",
        "floor of the view": lambda row: _floor(row.get("floor")),
        "CPU seconds": lambda row: f"{row['solution']['seconds']:,.3g}",
    }
    several = any(row["size"]["num_players"] > 2 for row in rows.values())
    note = " With more than two players they are the values of the strategies found, not of the game." * several
    return f"{table(rows.values(), columns)}\n\nValues are means over all deals.{note}"


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
    for learner in ("ppo", "nfsp"):
        trained = [row["curves"].get(learner) for row in asked.values()]
        if any(trained):
            found = (f"{points[-1][1]:.3f}" if points else "" for points in trained)
            lines.append([f"{learner.upper()}, trained there, one run", *found])
    return markdown_table(["exploitability of", *map(code, asked)], lines)

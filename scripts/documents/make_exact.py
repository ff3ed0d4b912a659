"""Tables and pictures of exact play, from agents/results/GAME/exact.json (`measure_exact.py`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from make_results import RESULTS
from parts import DOCS, ROOMS, Part

from blackjacky_agents.games import agent_names
from blackjacky_agents.learning.curves import COLOURS, as_svg
from blackjacky_agents.reports import markdown_table, where_run

PAGE = DOCS / "exact.md"
NAMES = {
    "cfr": "CFR",
    "cfr+": "CFR+",
    "dcfr": "discounted CFR",
    "mccfr": "sampled games (MCCFR)",
    "ppo": "PPO, self-play",
}
"""What is drawn, by name in the results."""
Rows = Mapping[str, Any]


def parts() -> Iterator[Part]:
    """The tables and the picture of every game that has been measured."""
    for game in ROOMS:
        path = RESULTS / game / "exact.json"
        if not path.exists():
            continue
        rows = {name: row for name, row in json.loads(path.read_text("utf-8")).items() if "solution" in row}
        yield Part(PAGE, f"exact-{game}", "\n\n".join(each for each in (sizes(rows), agents(game, rows)) if each))
        if drawn := [name for name, row in rows.items() if len(row.get("curves", {})) > 1]:
            yield Part(DOCS / "learning" / f"exact-{game}.svg", "", picture(rows[drawn[-1]], drawn[-1]))


def sizes(rows: Rows) -> str:
    """Size and value of every table."""
    heading = [
        "table",
        "players",
        "nodes",
        "information states",
        "bytes per state",
        "value of the seats",
        "exploitability of the solution",
    ]
    lines = [
        [
            f"`{name}`",
            row["size"]["num_players"],
            f"{row['size']['nodes']:,}",
            f"{row['size']['information_states']:,}",
            f"{row['size']['bytes'] / row['size']['information_states']:,.0f}",
            ", ".join(f"{value:+.4f}" for value in row["solution"]["values"]),
            f"{row['solution']['exploitability']:.1g}",
        ]
        for name, row in rows.items()
    ]
    last = list(rows.values())[-1]
    return f"{markdown_table(heading, lines)}\n\n`{last['command']}` on {where_run(last['machine'])}."


def agents(game: str, rows: Rows) -> str:
    """How exploitable every agent is at every table where agents were asked."""
    asked = {name: row for name, row in rows.items() if row.get("agents")}
    others = dict.fromkeys(name for row in asked.values() for name in row["agents"])
    order = list(dict.fromkeys([*(name for name in agent_names(game) if name in others), *others]))
    if not order:
        return ""
    lines = [[f"`{agent}`", *(cell(row["agents"].get(agent)) for row in asked.values())] for agent in order]
    trained = [row.get("curves", {}).get("ppo") for row in asked.values()]
    if any(trained):
        lines.append(["PPO, trained there", *(f"{points[-1][1]:.3f}" if points else "" for points in trained)])
    return markdown_table(["exploitability of", *(f"`{name}`" for name in asked)], lines)


def cell(measured: Mapping[str, Any] | None) -> str:
    """An agent's exploitability; empty where it was not asked."""
    return "" if measured is None else f"{measured['exploitability']:.3f}"


def picture(row: Mapping[str, Any], name: str) -> str:
    """How exploitability falls with the seconds of solvers and learners at one table."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log", xlabel="seconds", ylabel="exploitability")
    axes.set_title(f"{name}: {row['size']['information_states']:,} information states")
    for (kind, title), colour in zip(NAMES.items(), COLOURS, strict=False):
        points = [point for point in row["curves"].get(kind, []) if min(point) > 0]
        if points:
            axes.plot(*zip(*points, strict=True), label=title, color=colour)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return as_svg(figure, f"exact-{name}")

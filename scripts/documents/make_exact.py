"""Tables and pictures of exact play, from agents/results/GAME/exact.json (`measure_exact.py`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from parts import DOCS, RESULTS, ROOMS, Part, command_of

from blackjacky_agents.games import agent_names
from blackjacky_agents.learning.curves import COLOURS, as_svg
from blackjacky_agents.reports import markdown_table, where_run
from blackjacky_env.games import get_game

PAGE = DOCS / "exact.md"
NAMES = {
    "cfr": "CFR",
    "cfr+": "CFR+",
    "dcfr": "discounted CFR",
    "mccfr": "sampled games (MCCFR)",
    "ppo": "PPO, self-play",
    "nfsp": "NFSP (OpenSpiel's)",
}
"""What is drawn, by name in the results."""
Rows = Mapping[str, Any]


def parts() -> Iterator[Part]:
    """The tables and the picture of every game that has been measured."""
    tables, habits, agreed = [], [], []
    for game in ROOMS:
        path = RESULTS / game / "exact.json"
        if not path.exists():
            continue
        measured, beside = json.loads(path.read_text("utf-8")), beside_openspiel(game)
        rows = {name: row for name, row in measured.items() if "curves" in row and name in get_game(game).presets}
        for name, row in rows.items():
            row["curves"] |= {"nfsp": beside[name]["nfsp"]} if "nfsp" in beside.get(name, {}) else {}
        title = get_game(game).title
        agreed.append((title, beside))
        tables += [f"### {title}", sizes(game, rows), agents(game, rows)]
        if commands := dict.fromkeys(command_of(row) for row in beside.values() if "nfsp" in row):
            tables.append(f"NFSP: {', '.join(commands)}.")
        habits.append(habits_of(title, rows))
        if (drawn := shown(rows)) is not None:
            picture_of = f"{title}, {drawn}"
            tables.append(f"![Exploitability by CPU seconds: {picture_of}](learning/exact-{game}.svg)")
            yield Part(DOCS / "learning" / f"exact-{game}.svg", "", picture(rows[drawn], picture_of))
    yield Part(PAGE, "exact", "\n\n".join(filter(None, tables)) or "Nothing has been measured yet.")
    yield Part(PAGE, "openspiel", agreement(agreed))
    yield Part(PAGE, "corrected", corrected())
    yield Part(PAGE, "habits", "\n\n".join(filter(None, habits)) or "Nothing has been measured yet.")


def shown(rows: Rows) -> str | None:
    """The table to draw: of those where most was measured, the largest, with two players if there is one."""
    most = max(len(row["curves"]) for row in rows.values())
    if most < 2:
        return None
    sizes = {name: row["size"] for name, row in rows.items() if len(row["curves"]) == most}
    return max(sizes, key=lambda name: (sizes[name]["num_players"] == 2, sizes[name]["nodes"]))


def sizes(game: str, rows: Rows) -> str:
    """Size and value of every table."""
    heading = ["table", "players", "nodes", "information states", "value of the seats", "solved to", "CPU seconds"]
    lines = [
        [
            f"`{name}`: {get_game(game).presets[name].about}",
            row["size"]["num_players"],
            f"{row['size']['nodes']:,}",
            f"{row['size']['information_states']:,}",
            ", ".join(f"{round(value, 4) + 0.0:+.4f}" for value in row["solution"]["values"]),
            f"{row['solution']['exploitability']:.1g}",
            f"{row['solution']['seconds']:,.3g}",
        ]
        for name, row in rows.items()
    ]
    missing = ", ".join(f"`{name}`" for name in get_game(game).presets if name not in rows)
    left = f" Not measured yet: {missing}." if missing else ""
    several = any(row["size"]["num_players"] > 2 for row in rows.values())
    note = " With more than two players they are the values of the strategies found, not of the game." * several
    commands = ", ".join(dict.fromkeys(f"`{row['command']}`" for row in rows.values()))
    machine = where_run(list(rows.values())[-1]["machine"])
    return f"{markdown_table(heading, lines)}\n\nValues are means over all deals.{note}{left} {commands} on {machine}."


def agents(game: str, rows: Rows) -> str:
    """How exploitable every agent is at every table where agents were asked."""
    asked = {name: row for name, row in rows.items() if row.get("agents")}
    others = dict.fromkeys(name for row in asked.values() for name in row["agents"])
    order = list(dict.fromkeys([*(name for name in agent_names(game) if name in others), *others]))
    if not order:
        return ""
    lines = [[f"`{agent}`", *(cell(row["agents"].get(agent)) for row in asked.values())] for agent in order]
    for learner in ("ppo", "nfsp"):
        trained = [row["curves"].get(learner) for row in asked.values()]
        if any(trained):
            found = (f"{points[-1][1]:.3f}" if points else "" for points in trained)
            lines.append([f"{learner.upper()}, trained there", *found])
    return markdown_table(["exploitability of", *(f"`{name}`" for name in asked)], lines)


def beside_openspiel(game: str) -> dict[str, Any]:
    """What OpenSpiel has found, by table."""
    path = RESULTS / game / "openspiel.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def agreement(found: list[tuple[str, Rows]]) -> str:
    """Values and exploitability by OpenSpiel and by our solver."""
    heading = [
        "table",
        "nodes of OpenSpiel's walk",
        "policy",
        "first seat's value",
        "exploitability",
        "differences up to",
    ]
    lines, ran = [], []
    for title, rows in found:
        for name, row in rows.items():
            if "agreement" not in row:
                continue
            ran.append(row)
            for policy, both in row["agreement"]["policies"].items():
                theirs = both["openspiel"]
                value, distance = f"{theirs['values'][0]:+.9f}", f"{theirs['exploitability']:.9f}"
                nodes = f"{row['agreement']['histories']:,}"
                lines.append([f"{title}, `{name}`", nodes, policy, value, distance, f"{both['difference']:.0e}"])
    if not ran:
        return "Nothing has been measured yet."
    commands = ", ".join(dict.fromkeys(command_of(row) for row in ran))
    ran_on = f"OpenSpiel {ran[-1]['openspiel']}; {commands} on {where_run(ran[-1]['machine'])}."
    return f"{markdown_table(heading, lines)}\n\n{ran_on}"


def corrected() -> str:
    """How a bot without its costliest habits does in the whole game."""
    lines, ran = [], []
    for path in sorted(RESULTS.glob("*/habits.json")):
        measured = json.loads(path.read_text("utf-8"))
        title, others = get_game(path.parent.name).title, measured["players"] - 1
        for row in measured["rows"]:
            margin = "always" if row["margin"] > 1 else f"up to {row['margin']:.1%}"
            better = f"{row['better']} {row['last_word'] and '... ' + row['last_word']}".strip()
            gain = f"{row['gain']:+.2%} ({row['low']:+.2%} .. {row['high']:+.2%})"
            lines.append([row["does"], better, margin, f"{row['wins']:.1%}", gain])
        deals, bot = f"{measured['deals']:,} deals, each played {others + 1} times, in each row", measured["bot"]
        told = f"{title}: win rate against {others} `{bot}`, and the difference from the {measured['wins']:.1%} that "
        told += f"`{bot}` itself wins with the same cards (below par, as some games have no winner); {deals}"
        ran.append(f"{told}: {command_of(measured)} on {where_run(measured['machine'])}.")
    heading = ["does", "instead", "if its estimates differ by", "wins", "more than uncorrected"]
    return f"{markdown_table(heading, lines)}\n\n{' '.join(ran)}" if lines else "Nothing has been measured yet."


def cell(measured: Mapping[str, Any] | None) -> str:
    """An agent's exploitability; empty where it was not asked."""
    return "" if measured is None else f"{measured['exploitability']:.3f}"


def habits_of(title: str, rows: Rows) -> str:
    """What every agent loses most with, at the largest table where agents were asked."""
    asked = [(name, row) for name, row in rows.items() if any("habits" in each for each in row["agents"].values())]
    if not asked:
        return ""
    name, row = asked[-1]
    lines = [
        [
            f"`{agent}`",
            habit["does"],
            habit["better"],
            f"{habit['cost']:.4f}",
            f"{found['exploitability']:.3f}",
            f"{habit['corrected']:.3f}",
        ]
        for agent, found in row["agents"].items()
        if agent != "random"
        for habit in found.get("habits", [])[:1]
    ]
    heading = ["agent", "does", "better", "cost per game", "exploitability", "without this habit"]
    return f"{title}, `{name}`:\n\n{markdown_table(heading, lines)}"


def picture(row: Mapping[str, Any], name: str) -> str:
    """How exploitability falls with the seconds of solvers and learners at one table."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log", xlabel="CPU seconds, one thread", ylabel="exploitability")
    axes.set_title(f"{name}: {row['size']['information_states']:,} information states")
    for (kind, title), colour in zip(NAMES.items(), COLOURS, strict=False):
        points = [point for point in row["curves"].get(kind, []) if min(point) > 0]
        if points:
            axes.plot(*zip(*points, strict=True), label=title, color=colour)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return as_svg(figure, name)

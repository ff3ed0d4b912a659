"""The page of instructive positions, from agents/results/GAME/positions.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from parts import DOCS, RESULTS, ROOMS, Part, command_of

from blackjacky_agents.games import get_kit
from blackjacky_agents.reports import markdown_table, where_run
from blackjacky_agents.wording import in_words, terminal_texts
from blackjacky_env.replay import new_table

SHOWN = 5
"""Positions of each game on the page; the file has all."""


def parts() -> Iterator[Part]:
    """The positions of every game that has some."""
    for game in ROOMS:
        path = RESULTS / game / "positions.json"
        if path.exists():
            yield Part(DOCS / "positions.md", f"positions-{game}", page(json.loads(path.read_text(encoding="utf-8"))))


def page(found: dict[str, Any]) -> str:
    """All positions of a game, and how they were found."""
    told = [position(number, each) for number, each in enumerate(found["positions"][:SHOWN], 1)]
    wrong = {
        name: sum(cost_of(each, name) > 0 for each in found["positions"])
        for name in (found["bot"], found["champion"], "search:400")
    }
    counts = ", ".join(f"`{name}` {count}" for name, count in wrong.items())
    how = (
        f"Wrong answers in {len(found['positions'])} positions: {counts}. Costs are in winning probability, with 95 % "
        f"intervals, from {found['samples']:,} sampled positions each: {command_of(found)} on "
        f"{where_run(found['machine'])}."
    )
    return "\n\n".join([how, *told])


def cost_of(each: dict[str, Any], name: str) -> float:
    """What the action of an agent clearly costs, else 0."""
    cost = each["costs"][each["actions"].index(each["chosen"][name])]
    return float(cost["mean"]) if cost["low"] > 0 else 0.0


def position(number: int, each: dict[str, Any]) -> str:
    """One position: the table in words, and what its actions are worth."""
    env = new_table(each["record"])
    env.replay(each["record"])
    texts = terminal_texts(env.game.name)
    view = env.view(env.agent_selection)
    names = ["you" if seat == view["player"] else f"player {seat}" for seat in range(env.num_players)]
    words = get_kit(env.game.name).describe(view, env.config_dict())
    table = "\n".join(f"- {in_words(word, texts, names)}" for word in words)
    rows = []
    for action, cost in zip(each["actions"], each["costs"], strict=True):
        by = ", ".join(f"`{name}`" for name, choice in each["chosen"].items() if choice == action)
        interval = f"{100 * cost['mean']:.1f} % ({100 * cost['low']:.1f} .. {100 * cost['high']:.1f})"
        rows.append([f"`{env.action_name(action)}`", interval if action != each["actions"][0] else "best", by])
    return f"**{number}.**\n\n{table}\n\n{markdown_table(['action', 'costs', 'chosen by'], rows)}"

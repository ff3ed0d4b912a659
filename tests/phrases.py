"""What people are shown beside the story: for tests that every sentence of a game occurs."""

from __future__ import annotations

from typing import Any

from blackjacky_agents.games import get_kit
from blackjacky_agents.narration import View
from blackjacky_agents.wording import is_settled, known_move, score_table
from blackjacky_env.envs.aec import TableEnv


def shown(env: TableEnv, before: View, after: View, action: int, reader: int | None) -> list[Any]:
    """The phrases of pauses, scores and the table in words after a move; arguments as those of `tell_move`."""
    kit, move = get_kit(env.game.name), known_move(env, before, after, action, reader)
    phrases: list[Any] = [*kit.describe(before, env.config_dict()), *kit.describe(after, env.config_dict())]
    if (pause := kit.narrator.pause(move)) is not None:
        phrases += [pause.name, *pause.told, *kit.describe(pause.view, env.config_dict())]
    if is_settled(env.game.name, before, after):
        columns, rows = score_table(env.game.name, move)
        phrases += [*columns, *(each for row in rows for each in [*row.cells, *row.why])]
    return phrases


def keys_in(phrase: Any) -> set[str]:
    """The keys of all sentences in a phrase."""
    if isinstance(phrase, list):
        return {key for each in phrase for key in keys_in(each)}
    if not isinstance(phrase, dict) or "key" not in phrase:
        return set()
    return {phrase["key"], *(key for value in phrase["values"].values() for key in keys_in(value))}

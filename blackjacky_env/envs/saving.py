"""What a saved table remembers beside its state records, checked when it comes from elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding

from blackjacky_env.checks import check_integer, check_number
from blackjacky_env.declare.game import Game
from blackjacky_env.play.decks import Rigging, read_rigging, rigged_by
from blackjacky_env.play.past import Past
from blackjacky_env.play.states import read_records

BOOKKEEPING = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations")
"""Attributes of a PettingZoo environment that are saved."""


def read_generator(state: Any) -> np.random.Generator | None:
    """The generator with this state; `ValueError` if it is not a state of a PCG64 generator."""
    if state is None:
        return None
    generator, _ = seeding.np_random(0)
    try:
        generator.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"the generator of this state has no state of PCG64: {error}") from None
    return generator


def write_past(past: Past, game: Game, num_players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """What led to a position, JSON-ready: the start is a key, or records as base64."""
    start, rigging = past.start, past.rigging
    return {
        "start": start if isinstance(start, int) else base64.b64encode(start).decode(),
        "actions": past.actions,
        "reseeds": past.reseeds,
        "reset_options": rigging.written(game, num_players, options),
        "deals": rigging.deals,
        "reshuffles": rigging.reshuffles,
        "last_move": past.last_move,
    }


def read_past(history: Mapping[str, Any], game: Game, header: Mapping[str, Any], deals: int) -> Past:
    """What `write_past` wrote, of a state with this header after so many deals; `TypeError` or `ValueError` if not."""
    start, given, last_move = (history.get(name) for name in ("start", "actions", "last_move"))
    if isinstance(start, str):
        start = _read_start(start, game, header)
    else:
        start = check_integer("start", start, 0, 2**64 - 1)
    if not isinstance(given, list):
        raise TypeError(f"the actions of this state are a {type(given).__name__}, not a list")
    actions = _check_numbers("an action", given, [game.num_actions - 1] * len(given))
    if not isinstance(reseeds := history.get("reseeds"), list):
        raise ValueError(f"the reseeds of this state are {reseeds!r}, not a list")
    reseeds = [_check_numbers("a reseed", each, (len(actions), 2**64 - 1)) for each in reseeds]
    if last_move is not None:
        largest = (header["num_players"] - 1, game.num_actions - 1, len(game.words.phases) - 1)
        last_move = _check_numbers("the last move", last_move, largest)
    return Past(start, _read_rigging(history, game, header, deals), actions, reseeds, last_move)


def _check_numbers(name: str, numbers: Any, largest: Sequence[int]) -> list[int]:
    """A list of integers, each from 0 to its largest; `TypeError` or `ValueError` if it is not."""
    if not isinstance(numbers, list) or len(numbers) != len(largest):
        raise ValueError(f"{name} of this state is {numbers!r}; expected are {len(largest)} numbers")
    return [check_integer(f"{name} of this state", each, 0, most) for each, most in zip(numbers, largest, strict=True)]


def _read_start(start: str, game: Game, header: Mapping[str, Any]) -> bytes:
    try:
        data = base64.b64decode(start, validate=True)
    except ValueError:
        raise ValueError(f"start={start[:20]!r} of this state is neither a key nor base64") from None
    read_records(game, header, data)
    return data


def _read_rigging(history: Mapping[str, Any], game: Game, header: Mapping[str, Any], deals: int) -> Rigging:
    written, allowed = history.get("reset_options"), rigged_by(game)
    if not isinstance(written, Mapping) or any(name not in allowed for name in written):
        raise ValueError(f"the reset options of this state are {written!r}; allowed are {', '.join(allowed)}")
    rigging = read_rigging(game, header["num_players"], header["options"], written)
    rigging.deals = check_integer("deals", history.get("deals"), 0, deals)
    most = len(rigging.decks.get("reshuffle", []))
    rigging.reshuffles = check_integer("reshuffles", history.get("reshuffles"), 0, most)
    return rigging


def check_bookkeeping(history: Mapping[str, Any], everybody: Sequence[str], player: int) -> dict[str, Any]:
    """The attributes `BOOKKEEPING` of a table at which ``player`` is to act (-1: the game is over).

    Raises `ValueError` if they are not those of a PettingZoo environment in that position.
    """
    found: dict[str, Any] = {name: history.get(name) for name in (*BOOKKEEPING, "_skip_agent_selection")}
    over, left = player < 0, found["agents"] if isinstance(found["agents"], list) else []
    agents = [agent for agent in everybody if agent in left or not over]
    for name, expected in (
        ("agents", agents),
        ("terminations", dict.fromkeys(agents, over)),
        ("truncations", dict.fromkeys(agents, False)),
    ):
        if found[name] != expected:
            raise ValueError(f"{name} of this state are not those of its position")
    if found["agent_selection"] not in (everybody if over else [everybody[player]]):
        raise ValueError("agent_selection of this state is not the agent to act")
    for name in ("rewards", "_cumulative_rewards"):
        if not isinstance(found[name], dict) or sorted(found[name]) != sorted(agents):
            raise ValueError(f"{name.strip('_')} of this state are not by agent")
        for agent in agents:
            check_number(f"{name.strip('_')} of this state", found[name][agent], -(2.0**63), 2.0**63)
    if found["_skip_agent_selection"] not in (None, *everybody):
        raise ValueError("_skip_agent_selection of this state is not an agent")
    return found

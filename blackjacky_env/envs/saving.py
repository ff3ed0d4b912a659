"""What a saved table remembers beside its state records, checked when it comes from elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding

from blackjacky_env.checks import check_integer, check_number
from blackjacky_env.declare.game import Game
from blackjacky_env.play.decks import read_rigging
from blackjacky_env.play.past import Past
from blackjacky_env.play.states import read_records

BOOKKEEPING = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "_skip_agent_selection")
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
    start = past.start
    return {
        "start": start if isinstance(start, int) else base64.b64encode(start).decode(),
        "actions": past.actions,
        "reseeds": past.reseeds,
        "reset_options": past.rigging.written(game, num_players, options),
        "last_move": past.last_move,
    }


def read_past(history: Mapping[str, Any], game: Game, header: Mapping[str, Any]) -> Past:
    """What `write_past` wrote, of a state with this header; `TypeError` or `ValueError` if it did not."""
    start, actions, reseeds, move = (history.get(name) for name in ("start", "actions", "reseeds", "last_move"))
    if isinstance(start, str):
        start = base64.b64decode(start, validate=True)
        read_records(game, header, start)
    else:
        start = check_integer("start", start, 0, 2**64 - 1)
    if not isinstance(actions, list) or not isinstance(reseeds, list):
        raise TypeError("actions and reseeds of this state are not lists")
    last_action = game.num_actions - 1
    _check_numbers("actions", actions, [last_action] * len(actions))
    for reseed in reseeds:
        _check_numbers("a reseed", reseed, (len(actions), 2**64 - 1))
    if move is not None:
        _check_numbers("the last move", move, (header["num_players"] - 1, last_action, len(game.words.phases) - 1))
    rigging = read_rigging(game, header["num_players"], header["options"], history.get("reset_options", {}))
    return Past(start, rigging, actions, reseeds, move)


def _check_numbers(name: str, numbers: Any, largest: Sequence[int]) -> None:
    """Raise `TypeError` or `ValueError` unless these are integers, each from 0 to its largest."""
    if not isinstance(numbers, list) or len(numbers) != len(largest):
        raise ValueError(f"{name} of this state: {numbers!r}; expected are {len(largest)} numbers")
    for number, most in zip(numbers, largest, strict=True):
        check_integer(f"{name} of this state", number, 0, most)


def read_bookkeeping(history: Mapping[str, Any], everybody: Sequence[str], player: int) -> dict[str, Any]:
    """The attributes of a PettingZoo environment in which ``player`` is to act (-1: the game is over).

    Raises `ValueError` if those in `BOOKKEEPING` are not such an environment's.
    """
    found: dict[str, Any] = {name: history.get(name) for name in BOOKKEEPING}
    over, agents = player < 0, found["agents"]
    if not isinstance(agents, list) or agents != [agent for agent in everybody if agent in agents or not over]:
        raise ValueError("agents of this state are not those of its position")
    if found["agent_selection"] not in (everybody if over else [everybody[player]]):
        raise ValueError("agent_selection of this state is not the agent to act")
    if found["_skip_agent_selection"] not in (None, *everybody):
        raise ValueError("_skip_agent_selection of this state is not an agent")
    for name in ("rewards", "_cumulative_rewards"):
        if not isinstance(found[name], dict) or sorted(found[name]) != sorted(agents):
            raise ValueError(f"{name.strip('_')} of this state are not by agent")
        for reward in found[name].values():
            check_number(f"{name.strip('_')} of this state", reward, -(2.0**63), 2.0**63)
    return {**found, "terminations": dict.fromkeys(agents, over), "truncations": dict.fromkeys(agents, False)}

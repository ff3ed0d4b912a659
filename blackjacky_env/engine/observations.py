"""Checks of observations that come from elsewhere, before compiled code, which checks nothing, sees them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.checks import check_integer
from blackjacky_env.engine.compiling import entry
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.layout import Vector
from blackjacky_env.engine.seating import turned
from blackjacky_env.engine.table import identity, pack, table_functions

NOTHING = -1


def refuse_contradictions(game: Game, observations: Vector) -> None:
    """Raise a `ValueError` for the first of the observations (N, K), in their ranges, with a `Rules.contradiction`."""
    if game.contradictions and (found := _first_contradiction(game)(observations)) != NOTHING:
        raise ValueError(f"no legal position matches this observation: {game.contradictions[found]}")


@cache
def _first_contradiction(game: Game) -> Callable[[Vector], int]:
    contradiction = game.rules.contradiction
    assert contradiction is not None

    def first_contradiction(observations):
        for i in range(len(observations)):
            found = contradiction(observations[i])
            if found != NOTHING:
                return found
        return NOTHING

    return entry(first_contradiction)


def sample_record(
    game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int = 0
) -> tuple[Any, npt.NDArray[np.int8]]:
    """A position that shows the observation to ``seat``, records of shape (1,), and the legal actions there, int8 (A,).

    Raises `ValueError` if there is none.
    """
    vector = game.layout.checked(observation)
    refuse_contradictions(game, vector[None])
    records = game.sample_state(vector, rng)
    if seat:
        records = turned(game, records, check_integer("seat", seat, 0, int(records["num_players"][0]) - 1))
    shown, mask = np.empty(game.layout.size, game.layout.dtype), np.empty(game.num_actions, np.int8)
    table_functions(game).look(records, seat, shown, mask)
    if not np.array_equal(shown, vector):
        raise ValueError("no legal position matches this observation: its parts contradict each other")
    return records, mask


def sample_state(game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int | None = None) -> bytes:
    """A full legal position consistent with ``observation`` (the vector), as bytes for `set_state`.

    The observer gets ``seat``, None: seat 0; cards that it cannot see are dealt at random from ``rng``. The position
    has zero rewards and no history. Raises `ValueError` if no position is consistent with the observation, and
    `TypeError` or `ValueError` if there is no such seat.
    """
    seat = 0 if seat is None else check_integer("seat", seat, 0, game.max_players - 1)
    records, _ = sample_record(game, observation, rng, seat)
    return pack({**identity(game, *game.read_options(records[0])), "history": None}, records)

"""Checks of observations from outside, and positions sampled from them.

An observation whose entries are in their ranges may still be one that no position shows: a policy then chooses some
action. A sampled position is right when encoding it shows the same observation again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_integer
from blackjacky_env.compiled.compiling import copied, entry, zeros
from blackjacky_env.declare.game import Game
from blackjacky_env.declare.layout import Vector
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.states import check_ranges, identity, pack
from blackjacky_env.play.step import NONE

_NO_POSITION = "no legal position matches this observation: its parts contradict each other"


@cache
def make_find_invalid(game: Game) -> Callable[[Vector, npt.NDArray[np.int8]], int]:
    """Entry (observations, masks): the first row with an entry out of range or without a legal action, or `NONE`.

    ``observations``: of the game's dtype, (N, K), C-contiguous. ``masks``: int8, (N, A), C-contiguous; entries other
    than 0 and 1 are out of range. One call for all checks, since a call from Python costs more than they do.
    """
    low, high = game.layout.low, game.layout.high

    def find(observations, masks):
        for i in range(len(observations)):
            legal, outside = 0, False
            for a in range(masks.shape[1]):
                legal |= masks[i, a]
            for k in range(len(low)):
                outside |= observations[i, k] < low[k] or observations[i, k] > high[k]
            if legal != 1 or outside:
                return i
        return NONE

    return entry(find)


def sample_record(
    game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int = 0
) -> tuple[Any, npt.NDArray[np.int8]]:
    """A position that shows the observation to ``seat``, records of shape (1,), and the legal actions there, int8 (A,).

    Raises `ValueError` if there is none.
    """
    vector = game.layout.checked(observation)
    records = zeros(1, game.state_dtype)
    game_functions(game).sample(vector, rng.integers(2**64, dtype=np.uint64), records)
    try:
        check_ranges(game, records[0])
    except ValueError as error:
        raise ValueError(_NO_POSITION) from error
    if seat:
        records = rotated(game, records, check_integer("seat", seat, 0, int(records["num_players"][0]) - 1))
    shown, mask = game.new_arrays()
    game_functions(game).look(records, seat, shown, mask)
    if not np.array_equal(shown, vector):
        raise ValueError(_NO_POSITION)
    return records, mask


def sample_state(game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int | None = None) -> bytes:
    """What ``sample_state`` of a game's module returns: a position as bytes, with zero rewards and no history."""
    seat = 0 if seat is None else check_integer("seat", seat, 0, game.max_players - 1)
    records, _ = sample_record(game, observation, rng, seat)
    return pack({**identity(game, *game.read_options(records[0])), "history": None}, records)


def rotated(game: Game, records: npt.NDArray[Any], places: int) -> npt.NDArray[Any]:
    """Copies of state records (N,) of one table in which everybody sits ``places`` seats further clockwise."""
    players = int(records["num_players"][0])
    other = copied(records)
    for name, field in game.fields.fields.items():
        for axis in range(1, field.axes + 1):
            seats = (slice(None),) * axis + (slice(players),)
            other[name][seats] = np.roll(other[name][seats], places, axis)
        if field.kind == "seat" or field.place is not None:
            other[name] = _moved(other[name], 0, players, places)
        if field.place is not None:
            other[name] = _moved(other[name], field.place, players, places)
    return other


def _moved(values: npt.NDArray[Any], first: int, players: int, places: int) -> npt.NDArray[Any]:
    """Values from ``first`` on, one for each seat, move by ``places`` seats."""
    seats = values.astype(np.int64) - first
    return np.where((seats >= 0) & (seats < players), first + (seats + places) % players, values)

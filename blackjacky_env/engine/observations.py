"""Checks of observations from outside: compiled code checks nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.checks import check_integer
from blackjacky_env.engine.compiling import compiled, copied, entry, zeros
from blackjacky_env.engine.game import Fact, Game
from blackjacky_env.engine.layout import Vector
from blackjacky_env.engine.states import plain_record
from blackjacky_env.engine.table import identity, pack, table_functions

NOTHING = -1
_NO_POSITION = "no legal position matches this observation"


def find_invalid(game: Game, observations: Vector, masks: npt.NDArray[np.int8]) -> int:
    """The first row with an entry out of range or without a legal action, or `NOTHING`.

    Args:
        game: the game.
        observations: of the game's dtype, (N, K), C-contiguous.
        masks: int8, (N, A), C-contiguous; entries other than 0 and 1 are out of range.

    Raises:
        ValueError: an earlier row has a `Rules.contradiction`.
    """
    found = _finder(game)(observations, masks)
    if found < NOTHING:
        raise ValueError(f"{_NO_POSITION}: {game.contradictions[NOTHING - 1 - found]}")
    return found


@cache
def _finder(game: Game) -> Callable[[Vector, npt.NDArray[np.int8]], int]:
    """One call for all checks, since a call from Python costs more than they do."""
    low, high, contradiction = game.layout.low, game.layout.high, game.rules.contradiction or _no_contradiction

    def find(observations, masks):
        for i in range(len(observations)):
            legal, outside = 0, False
            for a in range(masks.shape[1]):
                legal |= masks[i, a]
            for k in range(len(low)):
                outside |= observations[i, k] < low[k] or observations[i, k] > high[k]
            if legal != 1 or outside:
                return i
            found = contradiction(observations[i])
            if found != NOTHING:
                return NOTHING - 1 - found
        return NOTHING

    return entry(find)


@compiled
def _no_contradiction(observation):
    return NOTHING


def sample_record(
    game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int = 0
) -> tuple[Any, npt.NDArray[np.int8]]:
    """A position that shows the observation to ``seat``, records of shape (1,), and the legal actions there, int8 (A,).

    Raises `ValueError` if there is none.
    """
    vector = game.layout.checked(observation)
    find_invalid(game, vector[None], np.ones((1, 1), np.int8))
    seen = game.layout.decode(vector)
    _require(game.fields.facts_of_seats(seen))
    _require(game.observation_facts(seen))
    records = zeros(1, game.state_dtype)
    table_functions(game).sample(vector, rng.integers(2**64, dtype=np.uint64), records)
    position = records[0]
    if seat:
        records = rotated(game, records, check_integer("seat", seat, 0, int(records["num_players"][0]) - 1))
    shown, mask = game.new_arrays()
    table_functions(game).look(records, seat, shown, mask)
    if not np.array_equal(shown, vector):
        raise ValueError(f"{_NO_POSITION}: its parts contradict each other")
    _require((game.sampled_facts or game.state_facts)(plain_record(position), False))
    return records, mask


def _require(facts: Iterable[Fact]) -> None:
    for is_true, sentence in facts:
        if not is_true:
            raise ValueError(f"{_NO_POSITION}: it is not true that {sentence}")


def sample_state(game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int | None = None) -> bytes:
    """What ``sample_state`` of a game's module returns: a position as bytes, with zero rewards and no history."""
    seat = 0 if seat is None else check_integer("seat", seat, 0, game.max_players - 1)
    records, _ = sample_record(game, observation, rng, seat)
    return pack({**identity(game, *game.read_options(records[0])), "history": None}, records)


def rotated(game: Game, records: npt.NDArray[Any], places: int) -> npt.NDArray[Any]:
    """Copies of state records (N,) of one table in which everybody sits ``places`` seats further clockwise."""
    fields, players = game.fields, int(records["num_players"][0])
    other = copied(records)
    for name in (*fields.by_seat, *fields.by_seat_pair):
        other[name][:, :players] = np.roll(other[name][:, :players], places, axis=1)
    for name in fields.by_seat_pair:
        other[name][:, :, :players] = np.roll(other[name][:, :, :players], places, axis=2)
    for name, first in (*dict.fromkeys((*fields.of_seats, *fields.places), 0).items(), *fields.places.items()):
        other[name] = _moved(other[name], first, players, places)
    return other


def _moved(values: npt.NDArray[Any], first: int, players: int, places: int) -> npt.NDArray[Any]:
    """Values from ``first`` on, one for each seat, move by ``places`` seats."""
    seats = values.astype(np.int64) - first
    return np.where((seats >= 0) & (seats < players), first + (seats + places) % players, values)

"""Events as rows of integers, for agents that learn from the past: who did what, and what a seat had seen until then.

A row has 2 + K entries, where K is the size of an observation:

- 1 + the seat that acted, relative to the observer; 0: nothing has happened, and all other entries are 0, too;
- 1 + the action, as the observer has heard it (`blackjacky_env.engine.recall.sounds`);
- the observation of the observer just before the action.

A seat's information state is its present observation, and all rows so far, the newest first: it tells two histories
apart if they differ in anything that the seat has observed or heard. (The cards that a settlement lays open are in no
observation, so those of finished rounds are not in it.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.compiling import entry, inlined
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.recall import make_hear, make_phase

_ACTOR, _ACTION, SEEN = range(3)
MOST_ENTRIES = 2**20
"""Of an information state as a vector."""


def row_size(game: Game) -> int:
    """Number of entries of a row."""
    return SEEN + game.layout.size


def row_dtype(game: Game) -> np.dtype[Any]:
    """Dtype of rows: that of observations, if it can hold the actions."""
    return np.result_type(game.layout.dtype, np.min_scalar_type(-1 - game.num_actions))


def most_events(game: Game, num_players: int, variant: str, options: dict[str, Any]) -> int:
    """The number of rows that hold every game at this table; `ValueError` if there is none, or it is very large."""
    most = None if game.most_actions is None else game.most_actions(num_players, variant, options)
    if most is None:
        raise ValueError(f"games of {game.title} have no longest length at this table, so their past fits no vector")
    if (size := game.layout.size + most * row_size(game)) > MOST_ENTRIES:
        raise ValueError(
            f"games of {game.title} may have {most:,} actions at this table, so their past would take {size:,} "
            f"entries; allowed are {MOST_ENTRIES:,}: choose a smaller table"
        )
    return most


@cache
def make_write_row(game: Game) -> Callable[..., None]:
    """Inlined (s, seat, action, row): write the row of an action that is about to be taken, as ``seat`` hears it."""
    encode, hear, phase_of = game.rules.encode, make_hear(game), make_phase(game)

    def write_row(s, seat, action, row):
        who, what = hear(seat, int(s.player), action, phase_of(s), int(s.num_players))
        row[_ACTOR], row[_ACTION] = 1 + who, 1 + what
        encode(s, seat, row[SEEN:])

    return inlined(write_row)


@cache
def row_writer(game: Game) -> Callable[..., None]:
    """Entry (states, seat, action, row): `make_write_row` for the first of an array of records."""
    write_row = make_write_row(game)

    def write(states, seat, action, row):
        write_row(states[0], seat, action, row)

    return entry(write)


@inlined
def push_down(rows):
    """Move every row (R, 2 + K) one place down, dropping the last."""
    for i in range(len(rows) - 1, 0, -1):
        for k in range(rows.shape[1]):
            rows[i, k] = rows[i - 1, k]


def joined(observation: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The observation and rows (R, 2 + K), the newest first, as one vector with the rows' dtype."""
    return np.concatenate([observation.astype(rows.dtype), rows.ravel()])

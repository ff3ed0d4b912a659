"""Batches whose observations also show the last events, as rows of `blackjacky_env.engine.event_rows`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.batch import Batch, Board, Parts, batch_functions
from blackjacky_env.engine.compiling import inlined
from blackjacky_env.engine.event_rows import make_write_row, push_down, row_dtype, row_size
from blackjacky_env.engine.game import Game


def _board_with_events() -> Any:
    return namedtuple("_Board", [*Board._fields, "rows", "final_rows"])


_Board = _board_with_events()
"""A `Board` with the last events of each seat, newest first, (N, P, R, 2 + K), now and as each game ended."""


class HistoryBatch(Batch):
    """A `Batch` in which an observation is followed by its seat's last events, made by ``make_batch(..., history=R)``.

    Attributes:
        observations: int8 or int16, (N, K + R * (2 + K)): what the player to act sees, and for each of the last R
            actions of the game, the newest first, who took it, which it was, as far as the player knows it, and what
            the player saw before it; zeros before the game began.
    """

    _board: Any

    def __init__(self, *settings: Any, history: int) -> None:
        self.history = history
        super().__init__(*settings)

    def _make_functions(self) -> Any:
        return batch_functions(self.game, self.reward == "win", self._seat_arrays is not None, _with_history)

    def _allocate(self, states: npt.NDArray[Any]) -> None:
        super()._allocate(states)
        shape = (len(states), int(self.num_players.max()), self.history, row_size(self.game))
        rows = np.zeros(shape, row_dtype(self.game))
        wide = np.zeros((len(states), self._width), rows.dtype)
        self._board = _Board(*self._board._replace(observations=wide), rows, rows.copy())

    @property
    def _width(self) -> int:
        return self.game.layout.size + self.history * row_size(self.game)

    def _look(self, states: Any, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> tuple[Any, Any]:
        seen, masks = super()._look(states, games, seats)
        ended = self._seat_arrays is not None and states is self._seat_arrays.final_states
        rows = self._board.final_rows if ended else self._board.rows
        return np.concatenate([seen.astype(rows.dtype), rows[games, seats].reshape(len(seen), -1)], axis=1), masks


def _with_history(game: Game, parts: Parts) -> Parts:
    """Parts that keep the rows of every seat, and show those of the player to act."""
    write_row, size = make_write_row(game), game.layout.size
    begin, see = parts.begin_next, parts.observe

    def begin_next(board, key, i):
        board.final_rows[i] = board.rows[i]
        board.rows[i] = 0
        begin(board, key, i)

    def listen(board, i, action):
        s = board.states[i]
        for seat in range(s.num_players):
            rows = board.rows[i, seat]
            push_down(rows)
            write_row(s, seat, action, rows[0])

    def observe(board, i):
        see(board, i)
        rows, place = board.rows[i, board.current_player[i]], size
        for r in range(len(rows)):
            for k in range(rows.shape[1]):
                board.observations[i, place] = rows[r, k]
                place += 1

    return Parts(inlined(begin_next), inlined(listen), inlined(observe))

"""How a game came to its position, and the same game played again, moment by moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import copied
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.play.decks import Rigging
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.states import with_blank_padding
from blackjacky_env.play.step import SETTLED

OTHER_PAST = "this position was set by a state whose actions do not lead to it, so its past is unknown"
Move = Sequence[int]
"""The seat that acted, its action, and the number of the phase in which it did (0 where no phase hides anything)."""


@dataclass
class Past:
    """What led to a position."""

    start: int | bytes = 0
    """The key that the game began with, or the records of a position without history."""
    rigging: Rigging = field(default_factory=Rigging)
    """Of a game that began with a key."""
    actions: list[int] = field(default_factory=list)
    """All since the start."""
    reseeds: list[list[int]] = field(default_factory=list)
    """The number of actions before each new key, and this key."""
    last_move: list[int] | None = None

    @classmethod
    def of_position(cls, records: npt.NDArray[Any], last_move: list[int] | None = None) -> Past:
        """The past of a position without history."""
        return cls(with_blank_padding(records).tobytes(), last_move=last_move)


class Moment:
    """A game at its start, or just after an action.

    ``states``: the record, and a copy made at the last settlement, if there was one (``has_settled``), (2,).
    ``move``: the action that led here; None: nobody has acted.
    """

    def __init__(self, game: Game, states: npt.NDArray[Any], has_settled: bool, move: Move | None) -> None:
        self.states, self.move = states, move
        self._game, self._has_settled = game, has_settled

    @cached_property
    def snapshot(self) -> dict[str, Any]:
        """Everything on the table."""
        return self._game.words.snapshot(self.states[0], self.states[1] if self._has_settled else None)


def moments(game: Game, blank: npt.NDArray[Any], past: Past) -> Iterator[Moment]:
    """A game played again: its start, and what every action led to, each to be read before the next.

    ``blank``: records (2,), the first with options written. Raises `ValueError` if an action cannot be taken.
    """
    functions, states, paid = game_functions(game), copied(blank), np.zeros((2, game.max_players))
    seen, mask = game.new_arrays()
    has_settled = False
    if isinstance(past.start, int):
        past.rigging.begin(game, states, past.start)
    else:
        records = np.frombuffer(past.start, states.dtype)
        states[: len(records)], has_settled = records, len(records) > 1
    yield Moment(game, states, has_settled, None)
    for number, action in enumerate(past.actions):
        for count, key in past.reseeds:
            if count == number:
                states["key"] = key
        move = int(states["player"][0]), action, game.words.phase_of(states)
        if move[0] != NOBODY:
            functions.look(states, move[0], seen, mask)
        if move[0] == NOBODY or not mask[action]:
            raise ValueError(f"{OTHER_PAST}: action {action} cannot be taken")
        has_settled |= past.rigging.step(game, states, action, paid, seen, mask) & SETTLED > 0
        yield Moment(game, states, has_settled, move)

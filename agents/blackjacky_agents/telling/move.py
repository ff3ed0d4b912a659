"""A move as a seat is told of it."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from blackjacky_env.engine import text

View = dict[str, Any]


class Move(NamedTuple):
    """What is known of one move: the views of the seat that is told, and what the move was called."""

    before: View
    after: View
    name: str
    """As `TableEnv.action_name` says it."""
    seat: int | None
    """Who is told; None: a spectator."""
    players: int

    @property
    def actor(self) -> int:
        """The seat that moved."""
        return int(self.before["player"])


with_seats = partial(text.with_seats, form="{{{}}}")
"""(name of an action, actor, players): the name with ``{seat}`` for "me" and "left+2"."""

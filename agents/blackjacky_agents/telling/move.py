"""A move as a seat is told of it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

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


def with_seats(name: str, actor: int, players: int) -> str:
    """The name of an action with ``{seat}`` for "me" and "left+2"."""

    def seat(match: re.Match[str]) -> str:
        return f"{{{(actor + int(match[1] or 0)) % players}}}"

    return re.sub(r"\bme\b|\bleft\+(\d)", seat, name)

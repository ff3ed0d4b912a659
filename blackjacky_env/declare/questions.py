"""Questions about the next settlement that several games ask."""

from __future__ import annotations

from collections.abc import Callable

from blackjacky_env.compiled.compiling import compiled
from blackjacky_env.declare.game import Question


def gets_most(words: str, points: Callable[..., int], sign: int = 1) -> Question:
    """The question whether nobody gets more points than a seat, with ``sign`` -1 fewer.

    Args:
        words: what happens to the seat, see `Question`.
        points: compiled (s, p) -> int: what the settlement that is due gives to p.
        sign: 1 or -1.
    """

    @compiled
    def happens(s, p):
        own, most = sign * points(s, p), True
        for other in range(s.num_players):
            most &= sign * points(s, other) <= own
        return most

    return Question(words, happens)

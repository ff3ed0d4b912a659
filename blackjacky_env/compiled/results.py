"""Results, scores and questions that many games share, as compiled functions."""

from __future__ import annotations

from collections.abc import Callable

from blackjacky_env.compiled.compiling import generated, inlined
from blackjacky_env.declare.game import Rules


@inlined
def share_result(s, rewards):
    """The usual `Rules.returns`: 1 is shared by the ``winners``, -1 by the others; 0 if nobody or everybody wins."""
    n, won = int(s.num_players), 0
    for p in range(n):
        won += s.winners[p]
    for p in range(n):
        if 0 < won < n:
            rewards[p] = 1.0 / won if s.winners[p] else -1.0 / (n - won)


def settled_in(field: str, phase: int) -> Callable[..., bool]:
    """The usual `Rules.is_settled`: whether this field has the value of a phase between `apply` and `settle`."""
    return inlined(generated("is_settled", f"def is_settled(s):\n    return s.{field} == {phase}\n", {}))


@inlined
def no_score(s, seat):
    """Nobody ever scores."""
    return 0


@inlined
def deal_nothing(s, deck):
    """`Rules.redeal` of a game without chance."""


def score_of(rules: Rules) -> Callable[..., int]:
    """Compiled (s, seat) -> int: the seat's score."""
    return rules.score or no_score

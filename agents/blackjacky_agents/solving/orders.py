"""Every distinct way to lay the top cards of a pile, with its probability: compiled, one after the other.

Cards of a kind are alike. An arrangement decides the first ``depth`` cards from the top; the others lie in the order of
their kinds. Chance decides one more card only when the rules have drawn that far, so that orders which differ in cards
that nobody draws are one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.compiling import compiled


class Orders(NamedTuple):
    """An arrangement of up to C cards of up to K kinds."""

    left: npt.NDArray[np.int64]
    """By kind: cards that are not decided, (K,)."""
    chosen: npt.NDArray[np.int64]
    """The kinds of the cards decided, top first, (C,)."""
    chances: npt.NDArray[np.float64]
    """The probability of the first cards decided, by their number, (C + 1,)."""
    at: npt.NDArray[np.int64]
    """`DEPTH`, the number of cards decided, `SIZE`, that of all cards, and `KINDS`, that of kinds, (3,)."""


DEPTH, SIZE, KINDS = range(3)


def new_orders(kinds: int, cards: int) -> Orders:
    """Arrays for up to so many kinds and cards."""
    return Orders(np.zeros(kinds, np.int64), np.zeros(cards, np.int64), np.ones(cards + 1), np.zeros(3, np.int64))


@compiled
def decide_next(orders):
    """Decide one more card from the top: the first kind that is left."""
    depth = orders.at[DEPTH]
    orders.at[DEPTH] = depth + 1
    _choose(orders, depth, 0)


@compiled
def advance(orders):
    """The next arrangement; False after the last."""
    while orders.at[DEPTH] > 0:
        depth = orders.at[DEPTH] - 1
        kind = orders.chosen[depth]
        orders.left[kind] += 1
        if _choose(orders, depth, kind + 1):
            return True
        orders.at[DEPTH] = depth
    return False


@compiled
def _choose(orders, depth, first):
    """Put a card of kind ``first`` or a later one at this depth; False if none is left."""
    for kind in range(first, orders.at[KINDS]):
        if orders.left[kind] > 0:
            chance = orders.left[kind] / (orders.at[SIZE] - depth)
            orders.chances[depth + 1] = orders.chances[depth] * chance
            orders.chosen[depth] = kind
            orders.left[kind] -= 1
            return True
    return False

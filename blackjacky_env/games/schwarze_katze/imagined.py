"""Imagined hands: a deal of the unseen cards, each that fits hand sizes and known voids being equally likely.

Dealing and then repairing would not be uniform. Instead the players with the same voids are one group; it is counted
how many deals there are after each way of taking a group's cards out of the suits, and the ways are drawn accordingly.
"""

from __future__ import annotations

import math

import numpy as np

from blackjacky_env.engine.compiling import inlined
from blackjacky_env.engine.random import draw, shuffle
from blackjacky_env.games.schwarze_katze.rules import CARDS, RANKS, SEATS, SUITS

_GROUPS = 1 << SUITS  # by the voids of their players, one bit for each suit
CHOOSE = np.array([[float(math.comb(n, k)) for k in range(RANKS + 1)] for n in range(RANKS + 1)])
"""Binomial coefficients n over k, float64, (14, 14)."""


@inlined
def deal_unseen(unseen, sizes, voids, where, bits):
    """Deal the cards marked in ``unseen`` (int8, (52,)) to the seats and set them in ``where`` (int8, (52,)).

    ``sizes`` (int8, (10,)): how many each seat gets; together as many as are unseen. ``voids`` (int8, (10, 4)): 1 for
    suits of which the seat gets none. From ``bits`` (uint64) all that is drawn follows.
    """
    cards, left = np.empty((SUITS, RANKS), np.int8), np.zeros(SUITS, np.int64)
    for card in range(CARDS):
        if unseen[card]:
            suit = card // RANKS
            cards[suit, left[suit]] = card
            left[suit] += 1
    for suit in range(SUITS):
        shuffle(cards[suit], left[suit], draw(bits, suit))
    group_of, group_sizes = np.empty(SEATS, np.int64), np.zeros(_GROUPS, np.int64)
    for seat in range(SEATS):
        group_of[seat] = 0
        for suit in range(SUITS):
            group_of[seat] |= int(voids[seat, suit]) << suit
        group_sizes[group_of[seat]] += sizes[seat]
    ways = count_ways(left, group_sizes)
    taken, pool = np.empty(SUITS, np.int64), np.empty(CARDS, np.int8)
    for group in range(_GROUPS - 1, -1, -1):
        choose_numbers(left, group, group_sizes[group], ways, draw(bits, SUITS + group), taken)
        count = 0
        for suit in range(SUITS):
            for _ in range(taken[suit]):
                left[suit] -= 1
                pool[count] = cards[suit, left[suit]]
                count += 1
        shuffle(pool, count, draw(bits, SUITS + _GROUPS + group))
        for seat in range(SEATS):
            if group_of[seat] == group:
                for _ in range(min(int(sizes[seat]), count)):
                    count -= 1
                    where[pool[count]] = seat


@inlined
def count_ways(left, group_sizes):
    """[g, c, d, h]: the ways in which groups 0 .. g can share what is left, when c clubs, d diamonds, h hearts are.

    The spades follow from the sizes of the groups. Who in a group gets a card makes no difference here. Group 0, which
    has no void, is counted first and served last: it takes whatever is left, in one way.
    """
    if group_sizes[1:].sum() == 0:
        return np.ones((1, 1, 1, 1))
    clubs, diamonds, hearts = left[0] + 1, left[1] + 1, left[2] + 1
    ways = np.zeros((_GROUPS, clubs, diamonds, hearts))
    total = 0
    for group in range(_GROUPS):
        total += group_sizes[group]
        for c in range(clubs):
            for d in range(diamonds):
                for h in range(hearts):
                    s = total - c - d - h
                    if 0 <= s <= left[3]:
                        ways[group, c, d, h] = ways_of(ways, group, c, d, h, s, group_sizes[group])
    return ways


@inlined
def ways_of(ways, group, c, d, h, s, size):
    """One entry of `count_ways` from those of the group before."""
    if group == 0:
        return 1.0
    if size == 0:
        return ways[group - 1, c, d, h]
    total = 0.0
    for x in range(most(group, 0, c, size) + 1):
        for y in range(most(group, 1, d, size - x) + 1):
            for z in range(most(group, 2, h, size - x - y) + 1):
                rest = size - x - y - z
                if rest <= most(group, 3, s, rest):
                    chosen = CHOOSE[c, x] * CHOOSE[d, y] * CHOOSE[h, z] * CHOOSE[s, rest]
                    total += chosen * ways[group - 1, c - x, d - y, h - z]
    return total


@inlined
def most(group, suit, available, size):
    """How many cards of a suit the group can take at most."""
    return 0 if group >> suit & 1 else min(available, size)


@inlined
def choose_numbers(left, group, size, ways, bits, taken):
    """Set ``taken`` to how many cards of each suit the group gets, each choice as often as deals go on from it."""
    taken[:] = 0
    if size == 0:
        return
    if group == 0:
        taken[:] = left
        return
    c, d, h, s = left[0], left[1], left[2], left[3]
    lot = float(bits >> np.uint64(11)) * 2.0**-53 * ways[group, c, d, h]
    for x in range(most(group, 0, c, size) + 1):
        for y in range(most(group, 1, d, size - x) + 1):
            for z in range(most(group, 2, h, size - x - y) + 1):
                rest = size - x - y - z
                if lot >= 0.0 and rest <= most(group, 3, s, rest):
                    chosen = CHOOSE[c, x] * CHOOSE[d, y] * CHOOSE[h, z] * CHOOSE[s, rest]
                    chosen *= ways[group - 1, c - x, d - y, h - z]
                    lot -= chosen
                    if chosen > 0.0:
                        taken[0], taken[1], taken[2], taken[3] = x, y, z, rest

"""Imagined hands: a random deal of the unseen cards, uniform over all that fit the hand sizes and known voids.

Dealing at random and then repairing would not be uniform. Instead players with the same voids form a group. For each
way to take a group's cards out of the suits the number of deals that follow is counted, and ways are drawn in
proportion to it.

Nothing is allocated, so that it runs on a GPU. Four numbers by suit, 0 .. 13 each, are packed into one integer, four
bits for each, and so are the groups: a stack of four bits for the voids, and one of six bits for the number of cards.
"""

from __future__ import annotations

import math

import numpy as np

from blackjacky_env.engine.compiling import compiled, inlined
from blackjacky_env.engine.random import below, draw, shuffle
from blackjacky_env.engine.trick_taking import NO_CARD
from blackjacky_env.games.schwarze_katze.rules import hand_size
from blackjacky_env.games.schwarze_katze.state import RANKS, SUITS

_GROUPS = 1 << SUITS  # a group is numbered by the voids of its players, one bit per suit
_FOUR_BITS, _SIX_BITS = 15, 63
CHOOSE = np.array([[float(math.comb(n, k)) for k in range(RANKS + 1)] for n in range(RANKS + 1)])
"""Binomial coefficients n over k, float64, (14, 14)."""


@inlined
def deal_unseen(unseen, bits, s):
    """Deal the cards marked in ``unseen`` (one bit for each) to seats 1 .. of ``s``, overwriting ``s.where``.

    ``s`` determines the hand sizes, which add up to the number of unseen cards, and the voids; ``bits`` (uint64)
    determine everything that is drawn. Returns the holders by suit: a tuple of integers with four bits for each rank,
    which are the seat, or 0 for cards that are not dealt.
    """
    left = sort_by_suit(unseen, bits, s.where)
    groups, sizes = list_groups(s)
    holders = (0, 0, 0, 0)
    while groups:
        group = groups & _FOUR_BITS
        taken = choose_numbers(groups, sizes, left, draw(bits, SUITS + group))
        holders = deal_group(s, group, left, taken, draw(bits, SUITS + _GROUPS + group), holders)
        left -= taken
        groups, sizes = groups >> 4, sizes >> 6
    return deal_group(s, 0, left, left, draw(bits, SUITS + _GROUPS), holders)


@inlined
def count_of(counts, suit):
    """The number of a suit, from four packed ones."""
    return counts >> 4 * suit & _FOUR_BITS


@inlined
def packed(clubs, diamonds, hearts, spades):
    """Four numbers by suit, packed."""
    return clubs | diamonds << 4 | hearts << 8 | spades << 12


@inlined
def sort_by_suit(unseen, bits, cards):
    """Write the unseen cards into ``cards``, each suit shuffled from RANKS * suit on; returns how many there are."""
    left = 0
    for suit in range(SUITS):
        count = 0
        for card in range(RANKS * suit, RANKS * suit + RANKS):
            if unseen >> card & 1:
                cards[RANKS * suit + count] = card
                count += 1
        shuffle(cards[RANKS * suit : RANKS * suit + RANKS], count, draw(bits, suit))
        left |= count << 4 * suit
    return left


@inlined
def cards_left(s, p):
    """Number of cards that p holds."""
    return hand_size(s) - int(s.trick) - int(s.table[p] != NO_CARD)


@inlined
def voids_of(s, p):
    """The group of p: one bit for each known void."""
    group = 0
    for suit in range(SUITS):
        group |= int(s.voids[p, suit]) << suit
    return group


@inlined
def list_groups(s):
    """The groups that have voids and get cards, as a stack, the last one on top, and their numbers of cards."""
    groups, sizes = 0, 0
    for group in range(1, _GROUPS):
        size = 0
        for p in range(1, int(s.num_players)):
            if voids_of(s, p) == group:
                size += cards_left(s, p)
        if size > 0:
            groups, sizes = groups << 4 | group, sizes << 6 | size
    return groups, sizes


@compiled
def count_ways(groups, sizes, left):
    """Number of ways in which the groups can share what is left of the suits; the group without voids takes the rest.

    Who in a group gets a card does not matter here. The function calls itself for the groups below the top one.
    """
    if groups == 0:
        return 1.0
    group, size, total = groups & _FOUR_BITS, sizes & _SIX_BITS, 0.0
    for x in range(max_cards(group, 0, left, size) + 1):
        for y in range(max_cards(group, 1, left, size - x) + 1):
            for z in range(max_cards(group, 2, left, size - x - y) + 1):
                rest = size - x - y - z
                if rest <= max_cards(group, 3, left, rest):
                    ways = count_ways(groups >> 4, sizes >> 6, left - packed(x, y, z, rest))
                    total += count_choices(left, x, y, z, rest) * ways
    return total


@inlined
def max_cards(group, suit, left, size):
    """Maximum number of cards of a suit that the group can take."""
    return 0 if group >> suit & 1 else min(count_of(left, suit), size)


@inlined
def count_choices(left, x, y, z, rest):
    """Number of ways to choose these numbers of cards from what is left of the suits."""
    clubs, diamonds = CHOOSE[count_of(left, 0), x], CHOOSE[count_of(left, 1), y]
    return clubs * diamonds * CHOOSE[count_of(left, 2), z] * CHOOSE[count_of(left, 3), rest]


@compiled
def choose_numbers(groups, sizes, left, bits):
    """Numbers of cards of each suit for the top group, packed, drawn in proportion to the deals that follow."""
    group, size, taken = groups & _FOUR_BITS, sizes & _SIX_BITS, 0
    point = float(bits >> np.uint64(11)) * 2.0**-53 * count_ways(groups, sizes, left)
    for x in range(max_cards(group, 0, left, size) + 1):
        for y in range(max_cards(group, 1, left, size - x) + 1):
            for z in range(max_cards(group, 2, left, size - x - y) + 1):
                rest = size - x - y - z
                if rest <= max_cards(group, 3, left, rest):
                    numbers = packed(x, y, z, rest)
                    ways = count_ways(groups >> 4, sizes >> 6, left - numbers)
                    chosen = count_choices(left, x, y, z, rest) * ways
                    point -= chosen
                    if chosen > 0.0:
                        taken = numbers
                    if point < 0.0:
                        return taken
    return taken


@inlined
def deal_group(s, group, left, taken, stream, holders):
    """Shuffle a group's cards, the last ones of each suit, and deal them to its players."""
    count = count_of(taken, 0) + count_of(taken, 1) + count_of(taken, 2) + count_of(taken, 3)
    for p in range(1, int(s.num_players)):
        if voids_of(s, p) == group:
            for _ in range(min(cards_left(s, p), count)):
                count -= 1
                drawn = place_of(left, taken, np.int64(below(draw(stream, count), count + 1)))
                holders = with_holder(holders, int(s.where[drawn]), p)
                s.where[drawn] = s.where[place_of(left, taken, count)]
    return holders


@inlined
def place_of(left, taken, i):
    """Position of card i of those taken."""
    suit = 0
    while i >= count_of(taken, suit):
        i -= count_of(taken, suit)
        suit += 1
    return RANKS * suit + count_of(left, suit) - 1 - i


@inlined
def with_holder(holders, card, p):
    """``holders`` with the card added to p."""
    suit, mark = card // RANKS, p << 4 * (card % RANKS)
    clubs, diamonds, hearts, spades = holders
    return (
        clubs | mark * (suit == 0),
        diamonds | mark * (suit == 1),
        hearts | mark * (suit == 2),
        spades | mark * (suit == 3),
    )

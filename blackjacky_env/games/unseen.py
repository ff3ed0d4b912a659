"""Dealing unseen cards at random, uniformly over all deals that fit the sizes of hands and what players may hold.

Dealing at random and then repairing would not be uniform. Instead every card chooses, by itself, one of the places that
it may go to, with odds in proportion to a weight of each place, again and again until all places get as many cards as
they have room for. Each fitting deal then has the same chance, the product of the weights of all places over that of
the sums that the cards chose from, whatever the weights; they only decide how soon a deal fits, so they are chosen to
make the expected numbers right. (This is conditional Bernoulli sampling: Chen, Dempster, Liu: "Weighted finite
population sampling to maximize entropy", Biometrika 1994.) Cards that may go anywhere are left out of that, and dealt
to the room left over: there are m! / (j1! j2! ...) ways to do so if places have room for j1, j2, ... more, which an
acceptance step makes up for.

A place is a hand, a pile, or whatever else a game deals to. The fewer places there are, the sooner a deal fits; so a
game for many players deals to groups of those who may hold the same cards, and then within the groups. Random numbers
depend on the numbers of cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_env.compiled.compiling import compiled, inlined
from blackjacky_env.compiled.random import below, draw

NOWHERE = -2  # place of a card that no place is found for; no place of the games, either
_ROUNDS = 8  # of improving the weights
_SUM = 6000  # of all weights
_ATTEMPTS = 1 << 17  # after these no deal fits; deals in games need a few, rarely a thousand
_ATTEMPT, _ACCEPT, _FREE = 64, 1 << 60, 1 << 61  # draws: 64 for each attempt; acceptances; cards that may go anywhere


def unseen_cards(cards: int, places: int) -> np.dtype[Any]:
    """The dtype of the record `deal_unseen` works on, for so many cards and places, 64 and 15 at most.

    ``room``: number of cards of each place. After `clear` and `add`, once for each card, ``count`` cards are listed:
    ``card``, its number; ``allowed``, the places that it may go to, one bit for each; ``place``, where it went. The
    rest is scratch space.
    """
    by_card, by_place = (cards,), (places,)
    return np.dtype(
        [
            ("count", np.int64),
            ("card", np.int8, by_card),
            ("allowed", np.int16, by_card),
            ("place", np.int8, by_card),
            ("total", np.int16, by_card),  # of the weights of the places that it may go to
            ("choice", np.int8, by_card),
            ("room", np.int16, by_place),
            ("weight", np.int16, by_place),
            ("chosen", np.int16, by_place),  # number of cards that have chosen the place
        ],
        align=True,
    )


@inlined
def clear(d):
    """No card is to be dealt, and no place has room."""
    d.count = 0
    d.room[:] = 0


@inlined
def add(d, card, allowed):
    """The card is to be dealt to one of the places, one bit for each."""
    d.card[d.count], d.allowed[d.count], d.place[d.count] = card, allowed, NOWHERE
    d.count += 1


@compiled
def deal_unseen(d, bits):
    """Deal all cards; those for which no place is found stay `NOWHERE`. ``bits`` (uint64) determine all draws."""
    places = deal_forced(d)
    restricted, free = 0, 0
    for i in range(d.count):
        if d.place[i] == NOWHERE:
            d.allowed[i] &= places
            if d.allowed[i] == 0:
                return
            restricted += d.allowed[i] != places
            free += d.allowed[i] == places
    if total_of(d.room, places) != restricted + free:
        return
    if restricted:
        choose_weights(d, places)
        if not deal_restricted(d, places, free, bits):
            return
    deal_free(d, free, bits)


@inlined
def deal_to(d, i, place):
    d.place[i] = place
    d.room[place] -= 1


@inlined
def deal_forced(d):
    """Deal cards that may go to one place only, until there are none; returns the places with room, as bits."""
    places, found = 0, True
    for place in range(len(d.room)):
        places |= int(d.room[place] > 0) << place
    while found:
        found = False
        for i in range(d.count):
            allowed = int(d.allowed[i]) & places
            if d.place[i] == NOWHERE and allowed and allowed & (allowed - 1) == 0:
                place = 0
                while allowed >> place & 1 == 0:
                    place += 1
                deal_to(d, i, place)
                places -= int(d.room[place] == 0) << place
                found = True
    return places


@inlined
def total_of(weights, places):
    """The sum of the weights of the places, one bit for each."""
    total = 0
    for place in range(len(weights)):
        total += int(weights[place]) * (places >> place & 1)
    return total


@inlined
def pick(weights, places, bits, total):
    """One of the places, in proportion to their weights, of which ``total`` is the sum."""
    point, place = np.int64(below(bits, total)), 0
    while places >> place & 1 == 0 or point >= weights[place]:
        point -= int(weights[place]) * (places >> place & 1)
        place += 1
    return place


@inlined
def choose_weights(d, places):
    """Weights with which the expected number of cards of each place is about its room (iterative scaling)."""
    for place in range(len(d.room)):
        d.weight[place] = 100 * int(d.room[place])
    for _ in range(_ROUNDS):
        for place in range(len(d.room)):
            if places >> place & 1:
                weight = float(d.weight[place]) * float(d.room[place]) / expected_cards(d, place)
                d.weight[place] = max(1, min(_SUM, int(weight)))
        total = total_of(d.weight, places)
        for place in range(len(d.room)):
            if places >> place & 1:
                d.weight[place] = max(1, int(d.weight[place]) * _SUM // total)
    for i in range(d.count):
        d.total[i] = total_of(d.weight, int(d.allowed[i]))


@inlined
def expected_cards(d, place):
    """Expected number of cards of a place, those that may go anywhere included."""
    expected, last, share = 1e-9, 0, 0.0
    for i in range(d.count):
        allowed = int(d.allowed[i])
        if d.place[i] == NOWHERE and allowed >> place & 1:
            if allowed != last:  # the next card of a suit mostly has the same places
                share, last = float(d.weight[place]) / float(total_of(d.weight, allowed)), allowed
            expected += share
    return expected


@inlined
def deal_restricted(d, places, free, bits):
    """Let the restricted cards choose places until that is accepted, and deal them; False if it never is."""
    for attempt in range(_ATTEMPTS):
        fits = choose_places(d, places, bits, _ATTEMPT * attempt)
        if fits and float(draw(bits, _ACCEPT + attempt) >> np.uint64(11)) * 2.0**-53 < chance(d, places, free):
            for i in range(d.count):
                if d.place[i] == NOWHERE and d.allowed[i] != places:
                    deal_to(d, i, int(d.choice[i]))
            return True
    return False


@inlined
def choose_places(d, places, bits, number):
    """Let each restricted card choose a place, in proportion to the weights; False if a place gets too many.

    Card by card this takes the draws from ``number`` on.
    """
    d.chosen[:] = 0
    for i in range(d.count):
        allowed = int(d.allowed[i])
        if d.place[i] == NOWHERE and allowed != places:
            place = pick(d.weight, allowed, draw(bits, number + int(d.card[i])), d.total[i])
            d.choice[i] = place
            d.chosen[place] += 1
            if d.chosen[place] > d.room[place]:
                return False
    return True


@inlined
def chance(d, places, free):
    """The probability of accepting what the restricted cards have chosen, as if the numbers of others were Poisson.

    With room for j left at a place and x expected there, it is the product of x^j / j!, relative to the largest such
    term; that is in proportion to the ways of dealing the other cards and to the weights of their places.
    """
    accepted, total = 1.0, total_of(d.weight, places)
    for place in range(len(d.room)):
        if places >> place & 1:
            expected = float(free) * float(d.weight[place]) / float(total)
            left, peak = int(d.room[place]) - int(d.chosen[place]), int(expected)
            for i in range(peak, left):
                accepted *= expected / float(i + 1)
            for i in range(left, peak):
                accepted *= float(i + 1) / expected
    return accepted


@inlined
def deal_free(d, free, bits):
    """Deal the cards that may go anywhere: each place left is equally likely."""
    for i in range(d.count):
        if d.place[i] == NOWHERE:
            deal_to(d, i, pick(d.room, int(d.allowed[i]), draw(bits, _FREE + int(d.card[i])), free))
            free -= 1

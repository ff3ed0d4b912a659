"""Dealing unseen cards at random, uniformly over all deals that fit the hand sizes and what seats are known to lack.

Dealing at random and then repairing would not be uniform. Instead every card chooses, by itself, one of the seats that
may hold it, with odds in proportion to a weight of each seat, again and again until all hands have the right size.
Each fitting deal then has the same chance, the product of the weights of all places over that of the sums that the
cards chose from, whatever the weights; they only decide how soon a deal fits, so they are chosen to make the expected
sizes right. (This is conditional Bernoulli sampling: Chen, Dempster, Liu: "Weighted finite population sampling to
maximize entropy", Biometrika 1994.) Cards that every seat may hold are left out of that, and dealt to the places left
over: there are m! / (j1! j2! ...) ways to do so if seats have j1, j2, ... places left, which an acceptance step makes
up for.

Nothing is allocated, so that it runs on a GPU. Until the position is complete, the record serves as scratch space:

- ``where``: `UNSEEN` for a card that is to be dealt;
- ``taken_at``: by card, the seats that may hold it, one bit for each; bit 0 is the mole's pile, since the observer,
  seat 0, gets no unseen card;
- ``passed_by``: by card, the seat that it has chosen;
- ``black_taken``: by seat, places left; ``spies_taken``: how many cards have chosen it; ``points``: its weight.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.engine.compiling import compiled, inlined
from blackjacky_env.engine.random import below, draw
from blackjacky_env.games.black_spy.state import CARDS, PILE, SEATS

UNSEEN = -2
_ROUNDS = 8  # of improving the weights
_SUM = 6000  # of all weights
_ATTEMPTS = 1 << 17  # after these no deal fits; deals in games need a few, rarely a thousand
_ATTEMPT, _ACCEPT, _FREE = 64, 1 << 60, 1 << 61  # draws: 64 for each attempt; acceptances; cards that anybody may hold


@compiled
def deal_unseen(s, bits):
    """Deal all `UNSEEN` cards; those for which no place is found stay so. ``bits`` (uint64) determine all draws."""
    deal_forced(s)
    seats = seats_with_room(s)
    restricted, free, places = 0, 0, 0
    for card in range(CARDS):
        if s.where[card] == UNSEEN:
            allowed = int(s.taken_at[card]) & seats
            if allowed == 0:
                return
            restricted += allowed != seats
            free += allowed == seats
    for seat in range(SEATS):
        places += int(s.black_taken[seat])
    if places != restricted + free:
        return
    if restricted:
        choose_weights(s, seats)
        if not deal_restricted(s, seats, free, bits):
            return
    deal_free(s, places - restricted, bits)


@inlined
def seats_with_room(s):
    """The seats that have places left, one bit for each."""
    seats = 0
    for seat in range(SEATS):
        seats |= int(s.black_taken[seat] > 0) << seat
    return seats


@inlined
def give(s, card, seat):
    """Place a card."""
    s.where[card] = PILE if seat == 0 else seat
    s.black_taken[seat] -= 1


@inlined
def deal_forced(s):
    """Place cards that only one seat can hold, until there are none."""
    found = True
    while found:
        found = False
        for card in range(CARDS):
            if s.where[card] == UNSEEN:
                allowed = int(s.taken_at[card]) & seats_with_room(s)
                if allowed and allowed & (allowed - 1) == 0:
                    seat = 0
                    while allowed >> seat & 1 == 0:
                        seat += 1
                    give(s, card, seat)
                    found = True


@inlined
def weight_of(s, seats):
    """The sum of the weights of these seats."""
    total = 0
    for seat in range(SEATS):
        total += int(s.points[seat]) * (seats >> seat & 1)
    return total


@inlined
def choose_weights(s, seats):
    """Weights with which the expected number of cards of each seat is about its size (iterative scaling)."""
    for seat in range(SEATS):
        s.points[seat] = 100 * int(s.black_taken[seat])
    for _ in range(_ROUNDS):
        for seat in range(SEATS):
            if seats >> seat & 1:
                expected = expected_cards(s, seats, seat)
                weight = float(s.points[seat]) * float(s.black_taken[seat]) / expected
                s.points[seat] = max(1, min(_SUM, int(weight)))
        total = weight_of(s, seats)
        for seat in range(SEATS):
            if seats >> seat & 1:
                s.points[seat] = max(1, int(s.points[seat]) * _SUM // total)


@inlined
def expected_cards(s, seats, seat):
    """Expected number of cards of a seat, those that anybody may hold included."""
    expected = 1e-9
    for card in range(CARDS):
        allowed = int(s.taken_at[card]) & seats
        if s.where[card] == UNSEEN and allowed >> seat & 1:
            expected += float(s.points[seat]) / float(weight_of(s, allowed))
    return expected


@inlined
def deal_restricted(s, seats, free, bits):
    """Let the restricted cards choose seats until that is accepted, and place them; False if it never is."""
    for attempt in range(_ATTEMPTS):
        fits = choose_seats(s, seats, bits, _ATTEMPT * attempt)
        if fits and unit(draw(bits, _ACCEPT + attempt)) < chance(s, seats, free):
            for card in range(CARDS):
                if s.where[card] == UNSEEN and int(s.taken_at[card]) & seats != seats:
                    give(s, card, int(s.passed_by[card]))
            return True
    return False


@inlined
def choose_seats(s, seats, bits, number):
    """Let each restricted card choose a seat, in proportion to the weights; False if a seat gets too many.

    Card by card this takes the draws from ``number`` on.
    """
    s.spies_taken[:] = 0
    for card in range(CARDS):
        allowed = int(s.taken_at[card]) & seats
        if s.where[card] == UNSEEN and allowed != seats:
            point, seat = np.int64(below(draw(bits, number + card), weight_of(s, allowed))), 0
            while allowed >> seat & 1 == 0 or point >= s.points[seat]:
                point -= int(s.points[seat]) * (allowed >> seat & 1)
                seat += 1
            s.passed_by[card] = seat
            s.spies_taken[seat] += 1
            if s.spies_taken[seat] > s.black_taken[seat]:
                return False
    return True


@inlined
def unit(bits):
    """A float in [0, 1) from a draw."""
    return float(bits >> np.uint64(11)) * 2.0**-53


@inlined
def chance(s, seats, free):
    """The probability of accepting what the restricted cards have chosen, as if the numbers of others were Poisson.

    With j places left at a seat and x expected there, it is the product of x^j / j!, relative to the largest such
    term; that is in proportion to the ways of dealing the other cards and to the weights of their places.
    """
    accepted, total = 1.0, weight_of(s, seats)
    for seat in range(SEATS):
        if seats >> seat & 1:
            expected = float(free) * float(s.points[seat]) / float(total)
            left, peak = int(s.black_taken[seat]) - int(s.spies_taken[seat]), int(expected)
            for i in range(peak, left):
                accepted *= expected / float(i + 1)
            for i in range(left, peak):
                accepted *= float(i + 1) / expected
    return accepted


@inlined
def deal_free(s, places, bits):
    """Deal the cards that any seat with room may hold: each place left is equally likely."""
    for card in range(CARDS):
        if s.where[card] == UNSEEN:
            point, seat = np.int64(below(draw(bits, _FREE + card), places)), 0
            while point >= s.black_taken[seat]:
                point -= int(s.black_taken[seat])
                seat += 1
            give(s, card, seat)
            places -= 1

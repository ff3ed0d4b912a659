"""`counter`: counts suits and high cards, and plays the card with the lowest expected penalty.

For the current trick it estimates the chance of taking it (assuming that everybody else plays below if he can) and the
penalty in it. For the cards left in the hand it estimates the chance that each takes a later trick, and what that
costs; without a trick so far, it also counts the loss of the chance to take none, which is worth 50 (K6).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from blackjacky_agents.games.schwarze_katze.bots import seen
from blackjacky_env.compiled import compiled, inlined, scratch
from blackjacky_env.games.schwarze_katze import state

AT = seen.AT
CARDS, SEATS, SUITS = state.CARDS, state.SEATS, state.SUITS  # a GPU takes names of constants as sizes

# Indices of the parameters. NEARNESS: the chance that a card takes a later trick is the fraction of lower unseen cards
# to this power. PROTECTION: factor on that chance for each lower card of the suit in my hand. WILLING: the chance that
# a player takes a penalty-free trick that he could duck. LATER: weight of the penalties of later tricks.
# NO_TRICK_WEIGHT: weight of the chance to take no trick. THROWN: expected penalty of a discarded card other than the
# queen of spades.
NEARNESS, PROTECTION, WILLING, LATER, NO_TRICK_WEIGHT, THROWN = range(6)

PARAMETERS = np.array([1.0, 0.6, 0.3, 1.0, 1.0, 9.0], np.float32)
"""Chosen by hand."""


class Count(NamedTuple):
    """Statistics of the unseen cards."""

    unseen: np.ndarray  # int64, (52,): 1 for cards in other hands
    by_suit: np.ndarray  # int64, (4,): how many of each suit
    shares: np.ndarray  # float64, (10, 4): chance that a seat holds a given unseen card of the suit


@compiled
def choose(observation, mask, random_state, parameters):
    """The legal card with the lowest expected penalty."""
    costs = scratch(CARDS, np.float64)
    estimate(observation, mask, costs, parameters)
    return np.argmin(costs)


@compiled
def estimate(observation, mask, costs, parameters):
    """Fill ``costs`` (float, (52,)) with the expected penalty of each legal card; infinity for the others."""
    count = Count(scratch(CARDS, np.int64), scratch(SUITS, np.int64), scratch((SEATS, SUITS), np.float64))
    count_unseen(observation, count)
    led = seen.led_card(observation)
    highest = seen.highest_on_table(observation, led)
    on_table = 0.0
    for seat in range(1, SEATS):
        if observation[AT.table + seat]:
            on_table += seen.penalty_of(observation, int(observation[AT.table + seat]) - 1)
    for card in range(CARDS):
        costs[card] = np.inf
        if mask[card]:
            taking, lying = 0.0, 0.0
            if seen.beats(card, highest, led):
                taking, lying = fate_of_trick(observation, count, card, on_table, parameters)
            later, without = future_without(observation, count, card, parameters)
            bonus = parameters[NO_TRICK_WEIGHT] * state.NO_TRICK * without * (1.0 - taking)
            bonus *= observation[AT.tricks_taken] == 0
            costs[card] = taking * lying + parameters[LATER] * later + bonus


# ---------------------------------------------------------------- counting


@inlined
def count_unseen(observation, count):
    """Every unseen card lies with anybody who may have its suit, by the sizes of their hands."""
    count.by_suit[:] = 0
    for card in range(CARDS):
        count.unseen[card] = seen.is_unseen(observation, card)
        count.by_suit[card // state.RANKS] += count.unseen[card]
    shares, sizes = count.shares, scratch(SEATS, np.int64)
    seen.write_hand_sizes(observation, sizes)
    shares[:] = 0.0
    for suit in range(SUITS):
        total = 0.0
        for seat in range(1, int(observation[AT.num_players])):
            if not observation[AT.voids + SUITS * seat + suit]:
                shares[seat, suit] = sizes[seat]
                total += shares[seat, suit]
        if total > 0.0:
            for seat in range(SEATS):
                shares[seat, suit] /= total


@inlined
def unseen_below(count, card):
    """How many unseen cards of its suit are lower."""
    lower = 0
    for other in range(card // state.RANKS * state.RANKS, card):
        lower += count.unseen[other]
    return lower


# ---------------------------------------------------------------- this trick


@inlined
def fate_of_trick(observation, count, card, on_table, parameters):
    """The chance that I take the trick with ``card``, and the penalty that I then take."""
    suit = card // state.RANKS
    lower = unseen_below(count, card)
    higher = count.by_suit[suit] - lower
    taking, lying = 1.0, on_table + seen.penalty_of(observation, card)
    for seat in range(1, int(observation[AT.num_players])):
        if observation[AT.table + seat] == 0:
            share = count.shares[seat, suit]
            none_lower, none_higher = (1.0 - share) ** lower, (1.0 - share) ** higher
            willing = parameters[WILLING] if lying < 1.0 else 0.0
            taking *= 1.0 - (1.0 - none_higher) * (none_lower + (1.0 - none_lower) * willing)
            lying += expected_penalty(observation, count, seat, card, none_lower * none_higher, parameters)
    return taking, lying


@inlined
def expected_penalty(observation, count, seat, card, void, parameters):
    """What a player to come adds to a trick that ``card`` takes; ``void``: the chance that he cannot follow."""
    suit = card // state.RANKS
    thrown, followed = 0.0, 0.0
    if count.unseen[state.QUEEN_OF_SPADES]:
        queen = 40.0 * count.shares[seat, state.QUEEN_OF_SPADES // state.RANKS]
        thrown += queen
        if card > state.QUEEN_OF_SPADES:
            followed += queen
    if suit == state.HEARTS:
        below, total = 0, 0.0
        for other in range(state.RANKS * state.HEARTS, card):
            if count.unseen[other]:
                below += 1
                total += seen.penalty_of(observation, other)
        followed += total / max(below, 1)
    elif count.by_suit[state.HEARTS]:
        thrown += parameters[THROWN] * (1.0 - (1.0 - count.shares[seat, state.HEARTS]) ** count.by_suit[state.HEARTS])
    return void * thrown + (1.0 - void) * followed


# ---------------------------------------------------------------- later tricks


@inlined
def future_without(observation, count, played, parameters):
    """(the penalty that my hand without ``played`` will take, the chance that it takes no trick)."""
    penalty, without = 0.0, 1.0
    for suit in range(SUITS):
        mine_below = 0
        trick = penalty_of_trick(observation, count, suit, parameters)
        for card in range(state.RANKS * suit, state.RANKS * suit + state.RANKS):
            if observation[AT.my_hand + card] and card != played:
                chance = chance_to_take(count, card) ** parameters[NEARNESS] * parameters[PROTECTION] ** mine_below
                catches = 40.0 * count.unseen[state.QUEEN_OF_SPADES] * (card > state.QUEEN_OF_SPADES)
                penalty += chance * (trick + catches + seen.penalty_of(observation, card))
                without *= 1.0 - chance
                mine_below += 1
    return penalty, without


@inlined
def chance_to_take(count, card):
    """The chance that a card takes the trick if its suit is led now: nobody else must or may go above it."""
    total = count.by_suit[card // state.RANKS]
    if total == 0:
        return 0.5  # nobody can be made to take it; it takes a trick only if I have to lead it
    return unseen_below(count, card) / total


@inlined
def penalty_of_trick(observation, count, suit, parameters):
    """About what else lies in a trick of the suit that is taken later."""
    if suit != state.HEARTS:
        return parameters[THROWN] * 0.5 * (count.by_suit[state.HEARTS] > 0)
    total = 0.0
    for card in range(state.RANKS * state.HEARTS, state.RANKS * state.HEARTS + state.RANKS):
        if count.unseen[card]:
            total += seen.penalty_of(observation, card)
    return total / max(1, count.by_suit[state.HEARTS]) * 2.0

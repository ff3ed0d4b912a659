"""`counter`: counts colours, ranks and black 7s, and takes the action with the lowest expected points.

For the current trick it estimates the chance of taking it (assuming that everybody else plays below if possible) and
the points in it. For the cards left in the hand it estimates the chance that each takes a later trick, and what that
costs. Passing, and the mole's pile, are judged by the same estimate of the hand. It goes for all sixteen black cards
where the hand allows, and tries not to let anybody else take them (B8).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from blackjacky_agents.bots.trick_readers import NOTHING
from blackjacky_agents.games.black_spy.bots import seen
from blackjacky_env.compiled import compiled, inlined, scratch
from blackjacky_env.games.black_spy import state

AT = seen.AT
COLOURS, KINDS = state.COLOURS, state.KINDS  # a GPU takes names of constants as sizes
NUM_ACTIONS, SEATS = state.NUM_ACTIONS, state.SEATS

# Indices of the parameters. NEARNESS: the chance that a card takes a later trick is the fraction of lower unseen cards
# to this power. PROTECTION: factor on that chance for each lower card of the colour in my hand. ALONE: that chance if
# nobody else has the colour. WILLING, EAGER: the chance that a player takes a trick without points, or with a coloured
# 7, that need not be taken. LATER: weight of the points of later tricks. GIFT: weight of points given to others.
# VOIDS: the chance that a player who now has a colour lacks it in a later trick. RELIEF: factor on the chance that
# black cards take a trick for a colour that I lack. CATCH: the chance that a later trick has a good spy of its colour.
# BLACK_TRICK: fraction of the black cards in a later black trick. THREAT: the chance that a player who has taken all
# black cards so far gets the others is their fraction to this power. OUTSIDE, CONTROL: the chance that I get all is the
# fraction of black cards that nobody else holds to the first power, times the mean chance that my cards take a trick to
# the second.
NEARNESS, PROTECTION, ALONE, WILLING, EAGER, LATER, GIFT = range(7)
VOIDS, RELIEF, CATCH, BLACK_TRICK, THREAT, OUTSIDE, CONTROL = range(7, 14)

PARAMETERS = np.array([2.36, 1.0, 0.5, 0.3, 0.7, 0.63, 0.21, 0.25, 0.71, 0.2, 0.93, 0.72, 18.8, 4.0], np.float32)
"""Found by random search against the best parameters so far."""

_BLACK_7_POINTS, _OTHER_POINTS = 10.0, 2.0  # points of a discarded black 7, about those of another black card


class Count(NamedTuple):
    """Statistics of the unseen cards."""

    unseen: np.ndarray  # int64, (55,): how many of each card are in other hands
    by_colour: np.ndarray  # int64, (5,): how many of each colour
    held: np.ndarray  # float64, (6, 55): chance that a seat holds one
    discard: np.ndarray  # float64, (6,): expected points when a seat may play any card
    taking: np.ndarray  # float64, (55,): chance that a card takes a later trick
    trick: np.ndarray  # float64, (55,): points of that trick, the card included


@compiled
def choose(observation, mask, random_state, parameters):
    """The legal action with the lowest expected points."""
    costs = scratch(NUM_ACTIONS, np.float64)
    estimate(observation, mask, costs, parameters)
    return np.argmin(costs)


@compiled
def estimate(observation, mask, costs, parameters):
    """Fill ``costs`` (float, (61,)) with the expected points of each legal action; infinity elsewhere."""
    phase = seen.phase_of(observation)
    for action in range(NUM_ACTIONS):
        costs[action] = np.inf
    if phase == state.CHOOSE:
        ends_well = is_won_by_moon(observation)
        costs[state.MOON_OTHERS], costs[state.MOON_MYSELF] = (-state.MOON, 0.0) if ends_well else (0.0, -state.MOON)
    elif phase == state.CALLING:
        estimate_calls(observation, costs)
    else:
        count = Count(
            scratch(KINDS, np.int64),
            scratch(COLOURS, np.int64),
            scratch((SEATS, KINDS), np.float64),
            scratch(SEATS, np.float64),
            scratch(KINDS, np.float64),
            scratch(KINDS, np.float64),
        )
        count_cards(observation, mask, phase, count, parameters)
        if phase == state.PLAY:
            estimate_plays(observation, mask, count, costs, parameters)
        else:
            estimate_picks(observation, mask, phase, count, costs, parameters)


# ---------------------------------------------------------------- decisions before and after the tricks


@inlined
def estimate_picks(observation, mask, phase, count, costs, parameters):
    """Passing, and taking from the pile: what the hand costs without the card, or with it."""
    change = -1 if phase == state.PASS else 1
    hand = scratch(KINDS, np.int64)
    take_hand(observation, hand)
    for card in range(KINDS):
        if mask[card]:
            hand[card] += change
            costs[card] = future_points(hand, count, parameters)
            hand[card] -= change


@inlined
def estimate_calls(observation, costs):
    """V4: the fewer cards of a colour I have, the sooner I can discard; then the one where mine are lowest."""
    for colour in range(state.BLACK):
        costs[state.CALL + colour] = 0.0
        for rank in range(state.RANKS):
            costs[state.CALL + colour] += observation[AT.my_hand + state.RANKS * colour + rank] * (1.0 + 0.01 * rank)


@inlined
def is_won_by_moon(observation):
    """V2: whether I have the lowest total if everybody else gets 60, as I then have if 60 are taken off mine."""
    n = int(observation[AT.num_players])
    for seat in range(1, n):
        if observation[AT.totals + seat] + state.MOON < observation[AT.totals]:
            return False
    return True


# ---------------------------------------------------------------- counting


@inlined
def take_hand(observation, hand):
    """Copy my hand into ``hand`` (int64, (55,))."""
    for card in range(KINDS):
        hand[card] = observation[AT.my_hand + card]


@inlined
def count_cards(observation, mask, phase, count, parameters):
    """Every unseen card lies with anybody who may have it, by the sizes of their hands; those I passed are known."""
    held, sizes = count.held, scratch(SEATS, np.int64)
    seen.count_unseen(observation, count.unseen)
    seen.write_hand_sizes(observation, sizes)
    count.by_colour[:] = 0
    held[:] = 0.0
    count.discard[:] = 0.0
    for card in range(KINDS):
        count.by_colour[card // state.RANKS] += count.unseen[card]
        if count.unseen[card]:
            spread(observation, phase, card, int(count.unseen[card]), sizes, held)
    for seat in range(1, int(observation[AT.num_players])):
        none = 1.0
        for card in range(state.BLACK_1, KINDS):
            none *= 1.0 - held[seat, card]
        spies = held[seat, state.BLACK_7]
        count.discard[seat] = _BLACK_7_POINTS * spies + _OTHER_POINTS * max(0.0, 1.0 - none - spies)
    foresee(observation, mask, count, parameters)


@inlined
def spread(observation, phase, card, number, sizes, held):
    """Fill ``held[:, card]``: the chance of each seat to hold one of the ``number`` unseen cards of this kind."""
    n, total = int(observation[AT.num_players]), 0.0
    if phase == state.PLAY and observation[AT.passed + card]:
        held[int(observation[AT.pass_to]), card] = 1.0
        number -= int(observation[AT.passed + card])
    for seat in range(1, n):
        if card == state.RED_1 and observation[AT.red_star + seat]:
            held[seat, card] = 1.0
            return
        if may_hold(observation, seat, card):
            total += sizes[seat]
    if number <= 0 or total <= 0.0:
        return
    for seat in range(1, n):
        if held[seat, card] == 0.0 and may_hold(observation, seat, card):
            held[seat, card] = 1.0 - (1.0 - sizes[seat] / total) ** number


@inlined
def may_hold(observation, seat, card):
    """Whether the seat is not known to lack the card's colour or rank (O3)."""
    return not (
        observation[AT.colour_voids + COLOURS * seat + card // state.RANKS]
        or observation[AT.rank_voids + state.RANKS * seat + card % state.RANKS]
    )


@inlined
def foresee(observation, mask, count, parameters):
    """Fill ``count.taking`` and ``count.trick`` for the cards in my hand, and those that I may take."""
    n = int(observation[AT.num_players])
    for colour in range(COLOURS):
        first, total, lower = state.RANKS * colour, int(count.by_colour[colour]), 0.0
        points = points_of_later_trick(count, colour, n, parameters)
        for card in range(first, first + state.RANKS):
            if observation[AT.my_hand + card] or mask[card]:
                same = 0.5 * count.unseen[card]  # of two black 7s the first wins (B6)
                chance = ((lower + same) / total) ** parameters[NEARNESS] if total else np.float64(parameters[ALONE])
                count.taking[card] = chance
                caught = 0.0
                if (
                    colour < state.BLACK
                    and card % state.RANKS > state.SPY_RANK
                    and count.unseen[first + state.SPY_RANK]
                ):
                    caught = parameters[CATCH] * seen.points_of(observation, first + state.SPY_RANK)
                count.trick[card] = points + seen.points_of(observation, card) + caught
            lower += count.unseen[card]


@inlined
def points_of_later_trick(count, colour, n, parameters):
    """About what the others' cards in a later trick of the colour are worth."""
    points = 0.0
    if colour == state.BLACK:
        for card in range(state.BLACK_1, KINDS):
            points += count.unseen[card] * (_BLACK_7_POINTS if card == state.BLACK_7 else _OTHER_POINTS)
        fraction = min(1.0, (n - 1) / max(1, count.by_colour[state.BLACK]))
        return parameters[BLACK_TRICK] * fraction * points
    for seat in range(1, n):
        void = 1.0
        for card in range(state.RANKS * colour, state.RANKS * colour + state.RANKS):
            void *= 1.0 - count.held[seat, card]
        points += (parameters[VOIDS] + (1.0 - parameters[VOIDS]) * void) * count.discard[seat]
    return points


# ---------------------------------------------------------------- later tricks


@inlined
def future_points(hand, count, parameters):
    """The points that ``hand`` (int64, (55,)) will take."""
    points, shortness = 0.0, 0.0
    for colour in range(state.BLACK):
        cost, number = cost_of_colour(hand, colour, count, parameters)
        points += cost
        if count.by_colour[colour]:
            shortness += 0.5**number
    cost, _ = cost_of_colour(hand, state.BLACK, count, parameters)
    return points + cost * parameters[RELIEF] ** shortness


@inlined
def cost_of_colour(hand, colour, count, parameters):
    """(the points that the cards of a colour will take, how many they are)."""
    points, below, protection = 0.0, 0, 1.0
    for card in range(state.RANKS * colour, state.RANKS * colour + state.RANKS):
        for _ in range(hand[card]):
            points += count.taking[card] * protection * count.trick[card]
            protection *= parameters[PROTECTION]
            below += 1
    return points, below


# ---------------------------------------------------------------- this trick


@inlined
def estimate_plays(observation, mask, count, costs, parameters):
    """The points of this trick, those of the cards that stay, and what happens to a moon."""
    led = seen.led_card(observation)
    highest, on_table = seen.highest_on_table(observation, led), float(seen.points_on_table(observation))
    shooter, threat = find_shooter(observation, parameters)
    theirs = led != NOTHING and observation[AT.table + shooter] - 1 == highest
    hand = scratch(KINDS, np.int64)
    take_hand(observation, hand)
    only_mine = has_all_black(observation)
    for card in range(KINDS):
        if mask[card]:
            taking, lying = 0.0, 0.0
            if seen.beats(card, highest, led):
                taking, lying = fate_of_trick(observation, count, led, card, on_table, parameters)
            hand[card] -= 1
            cost = taking * lying - parameters[GIFT] * (1.0 - taking) * seen.points_of(observation, card)
            cost += parameters[LATER] * future_points(hand, count, parameters)
            black = card >= state.BLACK_1 or has_black(observation)
            if theirs and black and taking == 0.0:
                cost += threat
            if only_mine:
                moon = chance_of_moon(hand, count, parameters) * (taking if black else 1.0)
                cost -= moon * (state.MOON + observation[AT.points] + cost)
            costs[card] = cost
            hand[card] += 1


@inlined
def fate_of_trick(observation, count, led, card, on_table, parameters):
    """(the chance that I take the trick with ``card``, the points that I then take)."""
    taking, lying = 1.0, on_table + seen.points_of(observation, card)
    rank = card % state.RANKS if led == NOTHING else led % state.RANKS
    for seat in range(1, int(observation[AT.num_players])):
        if observation[AT.table + seat] == 0:
            lower, higher, same = chances_of_none(count, seat, card, rank)
            forced = lower * same
            willing = parameters[EAGER] if lying < 0.0 else parameters[WILLING] if lying < 1.0 else 0.0
            taking *= 1.0 - (1.0 - higher) * (forced + (1.0 - forced) * willing)
            lying += expected_points(observation, count, seat, card, rank, forced * higher)
    return taking, lying


@inlined
def chances_of_none(count, seat, card, rank):
    """The chances that a seat has no card of the colour up to ``card``, none above, none of the rank elsewhere."""
    lower, higher, same = 1.0, 1.0, 1.0
    first = card // state.RANKS * state.RANKS
    for other in range(first, first + state.RANKS):
        if other <= card:
            lower *= 1.0 - count.held[seat, other]
        else:
            higher *= 1.0 - count.held[seat, other]
    for other in range(rank, KINDS, state.RANKS):
        if other // state.RANKS != card // state.RANKS:
            same *= 1.0 - count.held[seat, other]
    return lower, higher, same


@inlined
def expected_points(observation, count, seat, card, rank, void):
    """What a player to come adds to a trick that ``card`` takes; ``void``: the chance that any card may be played."""
    if card >= state.BLACK_1:
        followed = count.held[seat, state.BLACK_7] * _BLACK_7_POINTS if card >= state.BLACK_7 else 1.0
        return (1.0 - void) * followed
    points = void * count.discard[seat]
    points += count.held[seat, state.BLACK_1 + rank] * seen.points_of(observation, state.BLACK_1 + rank)
    if observation[AT.rank_follow] and seat == 1 and card % state.RANKS != rank:  # V5
        points += count.held[seat, state.BLACK_1 + card % state.RANKS] * seen.points_of(
            observation, state.BLACK_1 + card % state.RANKS
        )
    return points


@inlined
def has_black(observation):
    """Whether a black card has been played to this trick."""
    for seat in range(1, SEATS):
        if observation[AT.table + seat] > state.BLACK_1:
            return True
    return False


# ---------------------------------------------------------------- all sixteen black cards


@inlined
def find_shooter(observation, parameters):
    """(another seat that has taken all black cards taken so far, the points that I may expect of this); (0, 0.0)."""
    total, shooter = 0, 0
    for seat in range(int(observation[AT.num_players])):
        total += observation[AT.black_taken + seat]
    for seat in range(1, int(observation[AT.num_players])):
        if total and observation[AT.black_taken + seat] == total:
            shooter = seat
    if shooter == 0:
        return 0, 0.0
    return shooter, state.MOON * (total / state.BLACK_CARDS) ** parameters[THREAT]


@inlined
def has_all_black(observation):
    """Whether nobody else has taken a black card."""
    for seat in range(1, int(observation[AT.num_players])):
        if observation[AT.black_taken + seat]:
            return False
    return True


@inlined
def chance_of_moon(hand, count, parameters):
    """The chance that I take all black cards with this hand, if I get those of the current trick."""
    number, control = 0, 0.0
    for card in range(KINDS):
        number += hand[card]
        if hand[card]:
            control += hand[card] * count.taking[card]
    mine = 1.0 - count.by_colour[state.BLACK] / state.BLACK_CARDS
    return mine ** parameters[OUTSIDE] * (control / max(1, number)) ** parameters[CONTROL]

"""`counter`: counts cards and takes the action with the lowest estimated chance of losing a heart.

Every hidden card is equally likely to be any of the unseen cards (the deck without my hand, open cards, and cards known
to be in a hand). The sum of a player with h hidden cards therefore has an exact distribution over all ways to draw h of
the unseen cards, and so has my own sum after each zock and card power. Two models with tuned parameters describe what
the others do: the likelihood that a player with a given sum has knocked or not, by which the exact distribution is
weighted (Bayes' rule), and how a player with a turn to come changes his sum.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.games.black_jacky.bots.cards import (
    AT,
    DISPLAYS,
    EXCHANGING,
    HAND,
    KNOWN,
    SEATS,
    TIPPING,
    ZOCKING,
    laid_out,
    my_sum,
    somebody_knocked,
    top_of_discards,
)
from blackjacky_env.engine.compiling import compiled, scratch
from blackjacky_env.games.black_jacky.state import (
    DRAW,
    GIVE,
    KNOCK,
    LAY_3,
    LAY_6,
    MOST_BUST_AT,
    NAME,
    NO_TRICK,
    NUM_ACTIONS,
    SWAP_DISCARD,
    SWAP_DRAW,
)

ABOVE_BUST = 12  # sums this far above bust_at or higher are merged: no swap brings them below it
MOST_SUMS = MOST_BUST_AT + ABOVE_BUST  # whole sums that are told apart, 0 included
MOST_HIDDEN = 8  # maximum number of hidden cards per hand; more are counted as this many
_HANDS = MOST_HIDDEN + 1  # sizes of a hand that are told apart
ILLEGAL = 2.0  # above every chance

# Indices of the model parameters. For each kind of conduct: the decrease of the log-likelihood per point below the best
# sum, the minimum likelihood, and the likelihood when bust, all relative to the best sum.
FIRST, LATE, DONE, OPEN = 0, 3, 6, 9
# For a turn: the distance below bust_at from which a player swaps instead of drawing, the card swapped, the chance that
# a bust player stays bust, its increase per point, and how much more likely each higher final sum is.
DRAW_BELOW, SWAPPED, STAY_BUST, STAY_BUST_SLOPE, RECOVERY = range(12, 17)
# For later turns: the chance that the round ends before my next turn, the fraction of rounds in which the others have
# two turns until then, the cost of not being safe from card powers, and the cost of showing a card.
CUT_OFF, SECOND_TURN, EXPOSED, TRICK_COST = range(17, 21)

PARAMETERS = np.array(
    [
        *(0.55, 0.06, 0.001),
        *(0.55, 0.06, 0.0026),
        *(0.21, 0.4, 0.27),
        *(0.15, 0.65, 0.14),
        *(8.0, 3.0, 0.14, 0.06, 0.6),
        *(0.1, 0.5, 0.02, 0.004),
    ],
    np.float32,
)
"""Tuned by `scripts/tuning/tune_counter.py`."""


class Thought(NamedTuple):
    """Quantities shared by the evaluation of all my actions."""

    observation: npt.NDArray[np.int8]
    unseen: npt.NDArray[np.float64]  # number of unseen cards, by value
    draws: npt.NDArray[np.float64]  # chance of being the next card drawn, by value; all 0 if nothing can be drawn
    sums: npt.NDArray[np.float64]  # [seat, whole sum]: exact distribution of the others' sums now
    bust_at: int
    size: int  # whole sums are 0 .. size - 1
    drawable: bool  # a card can be drawn (R14)
    knocked: bool  # somebody has knocked: these are the last turns
    parameters: npt.NDArray[np.float32]


# Rows of the array ``chances``: the chance of losing by my whole sum.
NOW, IF_KNOCKED, LATER, LATER_DRAWN = range(4)


@compiled
def choose(observation, mask, random_state, parameters):
    """The action with the lowest estimated chance of losing a heart."""
    values = scratch(NUM_ACTIONS, np.float32)
    estimate(observation, mask, values, parameters)
    return np.argmin(values)


@compiled
def estimate(observation, mask, values, parameters):
    """Fill ``values`` (float32, (61,)) with the estimated chance of losing a heart after each legal action.

    Illegal actions get `ILLEGAL` or more. While tipping: the chance that the named player does not lose one.
    """
    values[:] = ILLEGAL
    if observation[TIPPING]:
        estimate_tips(observation, mask, values)
        return
    bust_at = int(observation[AT.bust_at])
    size = bust_at + ABOVE_BUST
    unseen, draws = scratch(9, np.float64), scratch(9, np.float64)
    count_unseen(observation, unseen)
    chance_of_draws(observation, unseen, draws)
    sums = scratch((SEATS, size), np.float64, (SEATS, MOST_SUMS))
    add_hidden_sums(observation, unseen, sums)
    drawable, knocked = draws.sum() > 0.0, somebody_knocked(observation)
    thought = Thought(observation, unseen, draws, sums, bust_at, size, drawable, knocked, parameters)
    hand = scratch(9, np.int64)
    hand[0] = 0
    for v in range(1, 9):
        hand[v] = observation[HAND + v]
    if observation[ZOCKING]:
        estimate_zocks(thought, hand, values)
    elif observation[EXCHANGING]:
        estimate_gifts(thought, hand, mask, values)
    else:
        estimate_tricks(thought, hand, mask, values)


# ---------------------------------------------------------------- counting


@compiled
def count_unseen(observation, unseen):
    """How many cards of each value lie where I cannot know them."""
    unseen[:] = 0.0
    for v in range(1, int(observation[AT.max_card]) + 1):
        unseen[v] = v - int(observation[HAND + v]) - int(observation[AT.discards + v - 1])
        for seat in range(SEATS):
            unseen[v] -= observation[DISPLAYS + 8 * seat + v]
        for seat in range(1, SEATS):
            unseen[v] -= observation[KNOWN + 8 * seat + v]


@compiled
def chance_of_draws(observation, unseen, draws):
    """The chance of each value on top of the draw pile, which is made of the discards once it is empty (R14)."""
    draws[0] = 0.0
    for v in range(1, 9):
        draws[v] = observation[AT.discards + v - 1] if observation[AT.draw_count] == 0 else unseen[v]
    if observation[AT.draw_count] == 0:
        draws[top_of_discards(observation)] -= 1
    total = draws.sum()
    if total > 0.0:
        for v in range(len(draws)):
            draws[v] /= total


@compiled
def hidden_cards(observation, seat):
    """How many cards of a hand I do not know."""
    count = int(observation[AT.hand_counts + seat])
    for v in range(1, 9):
        count -= int(observation[KNOWN + 8 * seat + v])
    return count


@compiled
def ways_of_hidden_cards(unseen, most, size, ways):
    """ways[h, x]: the chance that h of the unseen cards sum to x (the last x: that much or more)."""
    ways[:] = 0.0
    ways[0, 0] = 1.0
    for v in range(1, 9):
        for h in range(most, 0, -1):
            combinations = 1.0
            for k in range(1, min(h, int(unseen[v])) + 1):
                combinations *= (unseen[v] - k + 1) / k
                for x in range(size):
                    ways[h, min(x + k * v, size - 1)] += combinations * ways[h - k, x]
    for h in range(most + 1):
        total = ways[h].sum()
        if total > 0.0:
            for x in range(size):
                ways[h, x] /= total


@compiled
def add_hidden_sums(observation, unseen, sums):
    """sums[seat, x]: the exact distribution of each other player's whole sum now, tenths left out."""
    sums[:] = 0.0
    size = sums.shape[1]
    most = 0
    for seat in range(1, SEATS):
        most = max(most, min(hidden_cards(observation, seat), MOST_HIDDEN))
    ways = scratch((most + 1, size), np.float64, (_HANDS, MOST_SUMS))
    ways_of_hidden_cards(unseen, most, size, ways)
    for seat in range(1, SEATS):
        if observation[AT.hearts + seat] > 0:
            base = laid_out(observation, seat) // 10
            for v in range(1, 9):
                base += v * int(observation[KNOWN + 8 * seat + v])
            hidden = min(hidden_cards(observation, seat), MOST_HIDDEN)
            for x in range(size):
                sums[seat, min(x + base, size - 1)] += ways[hidden, x]


# ---------------------------------------------------------------- models of the other players


@compiled
def copy(sums, into):
    """Copy the distributions of all seats."""
    for seat in range(SEATS):
        for x in range(sums.shape[1]):
            into[seat, x] = sums[seat, x]


@compiled
def weigh(sums, bust_at, slope, floor, bust_weight):
    """Weight a distribution with how likely a player with that sum acted as he did."""
    weight, fall = 1.0, math.exp(-slope)
    for x in range(bust_at - 1, -1, -1):
        sums[x] *= max(weight, floor)
        weight *= fall
    for x in range(bust_at, len(sums)):
        sums[x] *= bust_weight
    total = sums.sum()
    if total > 0.0:
        for x in range(len(sums)):
            sums[x] /= total


@compiled
def weigh_by_conduct(thought, sums):
    """Weight each other player's distribution by whether he has knocked, is done without knocking, or plays on."""
    observation, p = thought.observation, thought.parameters
    for seat in range(1, SEATS):
        if observation[AT.hearts + seat] == 0:
            continue
        conduct = OPEN
        if observation[AT.first_knocker + seat]:
            conduct = FIRST
        elif observation[AT.knocked + seat]:
            conduct = LATE
        elif thought.knocked and not observation[AT.last_turns + seat]:
            conduct = DONE
        weigh(sums[seat], thought.bust_at, p[conduct], p[conduct + 1], p[conduct + 2])


@compiled
def take_turn(thought, sums):
    """Let a player have a turn.

    He draws on a low sum, swaps a card on a better one if that makes it higher, and gets back below bust_at if he can.
    """
    if not thought.drawable:
        return
    bust_at, p = thought.bust_at, thought.parameters
    after = scratch(thought.size, np.float64, MOST_SUMS)
    after[:] = 0.0
    for x in range(bust_at):
        for v in range(1, 9):
            reached = x + v
            if x > bust_at - 1 - p[DRAW_BELOW]:
                reached -= int(p[SWAPPED])
                if reached < x or reached >= bust_at:
                    reached = x
            after[min(reached, thought.size - 1)] += sums[x] * thought.draws[v]
    recovered = 0.0
    for x in range(bust_at, thought.size):
        stays = min(p[STAY_BUST] + p[STAY_BUST_SLOPE] * (x - bust_at), 1.0)
        after[x] += stays * sums[x]
        recovered += (1.0 - stays) * sums[x]
    for x in range(bust_at - 1, max(bust_at - 5, -1), -1):
        after[x] += (1.0 - p[RECOVERY]) * recovered
        recovered *= p[RECOVERY]
    after[max(bust_at - 5, 0)] += recovered
    for x in range(thought.size):
        sums[x] = after[x]


@compiled
def have_turns(thought, sums, everybody):
    """Let the others have their turn: everybody, or those whose last turn is still to come."""
    for seat in range(1, SEATS):
        if thought.observation[AT.hearts + seat] > 0 and (everybody or thought.observation[AT.last_turns + seat]):
            take_turn(thought, sums[seat])


@compiled
def chance_of_losing(thought, sums, my_tenths, loss):
    """loss[x]: the chance that I lose a heart with the whole sum x and ``my_tenths`` (S2).

    I lose one if I am bust, or if nobody is bust and nobody has less.
    """
    bust_at = thought.bust_at
    loss[:] = 1.0
    for seat in range(1, SEATS):
        if thought.observation[AT.hearts + seat] == 0:
            continue
        ties_lose = laid_out(thought.observation, seat) % 10 >= my_tenths
        at_least = 0.0  # the chance that his sum is at least mine and not bust
        for x in range(bust_at - 1, -1, -1):
            more = at_least
            at_least += sums[seat, x]
            loss[x] *= at_least if ties_lose else more


@compiled
def reckon(thought, others, knocked, ends_now, my_tenths, chances):
    """Fill the rows of ``chances`` for given distributions of the others' sums now."""
    sums = scratch((SEATS, thought.size), np.float64, (SEATS, MOST_SUMS))
    copy(others, sums)
    weigh_by_conduct(thought, sums)
    if not ends_now and knocked:
        have_turns(thought, sums, False)
    chance_of_losing(thought, sums, my_tenths, chances[NOW])
    for x in range(thought.size):
        chances[IF_KNOCKED, x] = chances[NOW, x]
    if ends_now or knocked:
        return
    have_turns(thought, sums, True)
    chance_of_losing(thought, sums, my_tenths, chances[IF_KNOCKED])
    have_turns(thought, sums, True)
    chance_of_losing(thought, sums, my_tenths, chances[LATER])
    share = thought.parameters[SECOND_TURN]
    for x in range(thought.size):
        chances[LATER, x] = share * chances[LATER, x] + (1.0 - share) * chances[IF_KNOCKED, x]
    for x in range(thought.size):
        chances[LATER_DRAWN, x] = 0.0
        for v in range(1, 9):
            chances[LATER_DRAWN, x] += thought.draws[v] * chances[LATER, min(x + v, thought.size - 1)]


# ---------------------------------------------------------------- zocks


@compiled
def settled_or_later(thought, hand, x, last, chances):
    """The chance of losing when my turn ends with the whole sum x: settled so, or after another turn of mine."""
    x = min(x, thought.size - 1)
    if last:
        return chances[NOW, x]
    best = chances[LATER, x]
    if thought.drawable:
        best = min(best, chances[LATER_DRAWN, x])
        for v in range(1, 9):
            if hand[v] and v <= x:
                best = min(best, chances[LATER_DRAWN, x - v])
    cut_off = thought.parameters[CUT_OFF]
    return cut_off * chances[NOW, x] + (1.0 - cut_off) * best


@compiled
def after_taking(thought, hand, x, v, last, chances):
    """`settled_or_later` with one more card v in the hand."""
    hand[v] += 1
    value = settled_or_later(thought, hand, x + v, last, chances)
    hand[v] -= 1
    return value


@compiled
def after_drawing(thought, hand, x, last, chances):
    """The chance of losing when I draw: over all cards that may come."""
    value = 0.0
    for v in range(1, 9):
        if thought.draws[v] > 0.0:
            value += thought.draws[v] * after_taking(thought, hand, x, v, last, chances)
    return value


@compiled
def weigh_zocks(thought, hand, x, top, last, chances, values):
    """Fill values[30 .. 47] for this hand, whole sum and top of the discard pile; returns the lowest.

    Who does not knock can still be hit by a card power, which costs a little.
    """
    exposed = thought.parameters[EXPOSED]
    best = values[KNOCK] = chances[IF_KNOCKED, min(x, thought.size - 1)]
    if thought.drawable:
        value = after_drawing(thought, hand, x, last, chances)
        values[DRAW] = value + exposed * (1.0 - value)
        best = min(best, values[DRAW])
    for given in range(1, 9):
        if hand[given] == 0:
            continue
        hand[given] -= 1
        if thought.drawable:
            value = after_drawing(thought, hand, x - given, last, chances)
            values[SWAP_DRAW + given] = value + exposed * (1.0 - value)
            best = min(best, values[SWAP_DRAW + given])
        value = after_taking(thought, hand, x - given, top, last, chances)
        values[SWAP_DISCARD + given] = value + exposed * (1.0 - value)
        best = min(best, values[SWAP_DISCARD + given])
        hand[given] += 1
    return best


@compiled
def estimate_zocks(thought, hand, values):
    """My zock, whatever card I have laid."""
    total = my_sum(thought.observation)
    ends_now = thought.observation[AT.ends_after_turn] > 0
    chances = scratch((4, thought.size), np.float64, (4, MOST_SUMS))
    reckon(thought, thought.sums, thought.knocked, ends_now, total % 10, chances)
    top = top_of_discards(thought.observation)
    weigh_zocks(thought, hand, total // 10, top, thought.knocked or ends_now, chances, values)


# ---------------------------------------------------------------- card powers


@compiled
def estimate_tricks(thought, hand, mask, values):
    """Every card that I may lay, with the best zock after it."""
    x = my_sum(thought.observation) // 10
    chances = scratch((4, thought.size), np.float64, (4, MOST_SUMS))
    zocks = scratch(NUM_ACTIONS, np.float32)
    reckon(thought, thought.sums, thought.knocked, False, my_sum(thought.observation) % 10, chances)
    top = top_of_discards(thought.observation)
    values[NO_TRICK] = weigh_zocks(thought, hand, x, top, thought.knocked, chances, zocks)
    for v in range(1, 9):
        if hand[v] == 0:
            continue
        hand[v] -= 1
        if v == 3:
            estimate_threes(thought, hand, x, top, mask, chances, zocks, values)
        elif v == 6:
            estimate_sixes(thought, hand, x, top, mask, zocks, values)
        elif mask[v]:
            values[v] = value_of_trick(thought, v, hand, x, top, chances, zocks)
        hand[v] += 1
    for action in range(1, LAY_6 + SEATS):
        values[action] += thought.parameters[TRICK_COST]  # the card can no longer be swapped, and all can see it


@compiled
def value_of_trick(thought, v, hand, x, top, chances, zocks):
    """The best zock after laying a 1, 2, 4, 5, 7 or 8; ``chances`` are those without a card power."""
    my_tenths = my_sum(thought.observation) % 10
    knocked = thought.knocked
    if v == 5:
        return weigh_zocks(thought, hand, x - 5, top, knocked, chances, zocks)
    if v == 7:
        return value_of_seven(thought, hand, x, top, chances, zocks)
    if v == 4:
        return value_of_four(thought, hand, x, top, my_tenths, chances, zocks)
    changed = scratch((4, thought.size), np.float64, (4, MOST_SUMS))
    ends_now = v == 1
    if v == 2:
        knocked = False
    if v == 8:
        my_tenths += 1
    reckon(thought, thought.sums, knocked, ends_now, my_tenths, changed)
    return weigh_zocks(thought, hand, x, top, knocked or ends_now, changed, zocks)


@compiled
def value_of_seven(thought, hand, x, top, chances, zocks):
    """T7: a new top of the discard pile, then the best zock."""
    if not thought.drawable:
        return weigh_zocks(thought, hand, x, top, thought.knocked, chances, zocks)
    value = 0.0
    for v in range(1, 9):
        if thought.draws[v] > 0.0:
            value += thought.draws[v] * weigh_zocks(thought, hand, x, v, thought.knocked, chances, zocks)
    return value


@compiled
def value_of_four(thought, hand, x, top, my_tenths, chances, zocks):
    """T4: the next active player draws a card."""
    target = next_active(thought.observation)
    if not thought.drawable:
        return weigh_zocks(thought, hand, x, top, thought.knocked, chances, zocks)
    if target > 0:
        sums = scratch((SEATS, thought.size), np.float64, (SEATS, MOST_SUMS))
        copy(thought.sums, sums)
        add_a_card(sums[target], thought.sums[target], thought.draws)
        changed = scratch((4, thought.size), np.float64, (4, MOST_SUMS))
        reckon(thought, sums, thought.knocked, False, my_tenths, changed)
        return weigh_zocks(thought, hand, x, top, thought.knocked, changed, zocks)
    value = 0.0
    for v in range(1, 9):
        if thought.draws[v] > 0.0:
            hand[v] += 1
            value += thought.draws[v] * weigh_zocks(thought, hand, x + v, top, thought.knocked, chances, zocks)
            hand[v] -= 1
    return value


@compiled
def next_active(observation):
    """The next active player clockwise of me, 0: I am the only one (T4)."""
    for seat in range(1, SEATS):
        if observation[AT.hearts + seat] > 0 and not observation[AT.knocked + seat]:
            return seat
    return 0


@compiled
def add_a_card(after, before, draws):
    """The distribution of a sum after one more card."""
    size = len(before)
    after[:] = 0.0
    for x in range(size):
        for v in range(1, 9):
            after[min(x + v, size - 1)] += before[x] * draws[v]


@compiled
def estimate_sixes(thought, hand, x, top, mask, zocks, values):
    """T6: "+1" before each active player, or nowhere."""
    observation = thought.observation
    my_tenths = my_sum(observation) % 10
    chances = scratch((4, thought.size), np.float64, (4, MOST_SUMS))
    sums = scratch((SEATS, thought.size), np.float64, (SEATS, MOST_SUMS))
    for seat in range(SEATS):
        if not mask[LAY_6 + seat] and (seat > 0 or not mask[6]):
            continue
        copy(thought.sums, sums)
        mine = x
        if mask[LAY_6 + seat]:
            for other in range(1, SEATS):
                shift(sums[other], int(other == seat) - int(observation[AT.plus_one + other]))
            mine += int(seat == 0) - int(observation[AT.plus_one])
        reckon(thought, sums, thought.knocked, False, my_tenths, chances)
        best = weigh_zocks(thought, hand, mine, top, thought.knocked, chances, zocks)
        values[LAY_6 + seat if mask[LAY_6 + seat] else 6] = best


@compiled
def shift(sums, by):
    """Move a distribution by -1, 0 or 1."""
    if by > 0:
        sums[-1] += sums[-2]
        for x in range(len(sums) - 2, 0, -1):
            sums[x] = sums[x - 1]
        sums[0] = 0.0
    elif by < 0:
        for x in range(len(sums) - 1):
            sums[x] = sums[x + 1]
        sums[-1] = 0.0


# ---------------------------------------------------------------- exchanges


@compiled
def estimate_threes(thought, hand, x, top, mask, chances, zocks, values):
    """T3: I exchange with another player, giving my best card for any of his.

    Exchanges of others change nothing that I could reckon with.
    """
    unchanged = weigh_zocks(thought, hand, x, top, thought.knocked, chances, zocks)
    for action in range(LAY_3, LAY_6):
        if mask[action]:
            values[action] = unchanged
    if mask[3]:
        values[3] = unchanged
        return
    swaps = scratch((9, 9), np.float64)
    value_swaps(thought, hand, x, top, False, chances, zocks, swaps)
    for seat in range(1, SEATS):
        if mask[LAY_3 + seat - 1]:
            best = ILLEGAL
            for given in range(1, 9):
                if hand[given]:
                    best = min(best, value_of_gift(thought, seat, swaps[given]))
            values[LAY_3 + seat - 1] = best


@compiled
def value_swaps(thought, hand, x, top, done, chances, zocks, swaps):
    """swaps[given, v]: the chance of losing if I give one card and get a v; ``done``: I have no zock after it."""
    for given in range(1, 9):
        if hand[given] == 0:
            continue
        hand[given] -= 1
        for v in range(1, 9):
            hand[v] += 1
            after = min(x - given + v, thought.size - 1)
            if done:
                swaps[given, v] = chances[NOW, after]
            else:
                swaps[given, v] = weigh_zocks(thought, hand, after, top, thought.knocked, chances, zocks)
            hand[v] -= 1
        hand[given] += 1


@compiled
def value_of_gift(thought, seat, swapped):
    """The chance of losing if a player gives me any card of his; ``swapped`` by the card that I get."""
    value = 0.0
    for v in range(1, 9):
        value += chance_of_card(thought, seat, v) * swapped[v]
    return value


@compiled
def chance_of_card(thought, seat, v):
    """The chance that a card drawn from a player's hand is a v."""
    known = int(thought.observation[KNOWN + 8 * seat + v])
    hidden = hidden_cards(thought.observation, seat) * thought.unseen[v] / max(thought.unseen.sum(), 1.0)
    return (known + hidden) / max(int(thought.observation[AT.hand_counts + seat]), 1)


@compiled
def estimate_gifts(thought, hand, mask, values):
    """An exchange is pending: the chance of losing for each card that I may give."""
    observation = thought.observation
    total = my_sum(observation)
    chances = scratch((4, thought.size), np.float64, (4, MOST_SUMS))
    zocks = scratch(NUM_ACTIONS, np.float32)
    reckon(thought, thought.sums, thought.knocked, False, total % 10, chances)
    partner = 0
    for seat in range(1, SEATS):
        if observation[AT.exchange_pair + seat] or observation[AT.exchange_pair + SEATS + seat]:
            partner = seat
    done = thought.knocked and not observation[AT.last_turns]
    swaps = scratch((9, 9), np.float64)
    value_swaps(thought, hand, total // 10, top_of_discards(observation), done, chances, zocks, swaps)
    for given in range(1, 9):
        if mask[GIVE + given]:
            values[GIVE + given] = value_of_gift(thought, partner, swaps[given])


# ---------------------------------------------------------------- tips


@compiled
def estimate_tips(observation, mask, values):
    """Before the deal all hands are alike: likelier to lose is who acts late, with fewer turns before the end.

    How much more often is in the notebook 02_agents.ipynb; only the order matters here.
    """
    start = 0
    for seat in range(SEATS):
        if observation[AT.start_player + seat]:
            start = seat
    for seat in range(1, SEATS):
        if mask[NAME + seat]:
            values[NAME + seat] = 0.7 - 0.05 * ((seat - start) % observation[AT.num_players])

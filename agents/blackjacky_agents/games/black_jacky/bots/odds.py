"""What `counter` expects of the other players in Black Jacky: what they hold, and what they make of it.

Every hidden card is equally likely to be any of the unseen cards (the deck without my hand, open cards, and cards known
to be in a hand). The sum of a player with h hidden cards therefore has an exact distribution over all ways to draw h of
the unseen cards. Two models with tuned parameters describe what the others do: the likelihood that a player with a
given sum has knocked or not, by which the exact distribution is weighted (Bayes' rule), and how a player with a turn to
come changes his sum.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.games.black_jacky.bots import seen
from blackjacky_env.compiled import compiled, inlined, scratch
from blackjacky_env.games.black_jacky import state

AT = seen.AT
SEATS = seen.SEATS

ABOVE_BUST = 12  # sums this far above bust_at or higher are merged: no swap brings them below it
MAX_SUMS = state.MAX_BUST_AT + ABOVE_BUST  # whole sums that are told apart, 0 included
MAX_HIDDEN = 8  # maximum number of hidden cards per hand; more are counted as this many
_HIDDEN_SIZES = MAX_HIDDEN + 1  # a GPU takes names of constants as sizes, not sums
WAYS = np.array([[math.comb(n, k) for k in range(MAX_HIDDEN + 1)] for n in range(9)], np.float64)
"""[n, k]: the ways to choose k of n cards of one value."""
ILLEGAL = 2.0  # above every chance

# Indices of the model parameters. For each kind of conduct: the decrease of the log-likelihood per point below the best
# sum, the minimum likelihood, and the likelihood when bust, all relative to the best sum.
FIRST, LATE, DONE, OPEN = 0, 3, 6, 9
# For a turn: the distance below bust_at from which a player swaps instead of drawing, the card swapped, the chance that
# a bust player stays bust, its increase per point, and how much more likely each higher final sum is.
DRAW_BELOW, SWAPPED, STAY_BUST, STAY_BUST_SLOPE, RECOVERY = range(12, 17)
# For later turns: the chance that the round ends before my next turn, the fraction of rounds in which the others have
# two turns until then, the cost of not being safe from tricks, and the cost of showing a card.
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
"""Found by random search against the best parameters so far."""


class Context(NamedTuple):
    """Quantities shared by the evaluation of all my actions."""

    observation: npt.NDArray[np.int8]
    unseen: npt.NDArray[np.float64]  # number of unseen cards, by value
    draws: npt.NDArray[np.float64]  # chance of being the next card drawn, by value; all 0 if nothing can be drawn
    sums: npt.NDArray[np.float64]  # [seat, whole sum]: exact distribution of the others' sums now
    tails: npt.NDArray[np.float64]  # [row_of(seat, turns), x]: chance of at least x, but not bust, after these turns
    path: npt.NDArray[np.float64]  # [turns, PAD + x]: predicted distribution of the player's sum
    swaps: npt.NDArray[np.float64]  # chance that a swap of his adds so much
    hand: npt.NDArray[np.int64]  # number of cards in my hand, by value; changed and restored while I try what to do
    zocks: npt.NDArray[np.float32]  # chance of losing by the card given (0: none) and taken; see `weigh_zocks`
    bust_at: int
    size: int  # whole sums are 0 .. size - 1
    drawable: bool  # a card can be drawn (R14)
    knocked: bool  # somebody has knocked: these are the last turns
    parameters: npt.NDArray[np.float32]


# The turns that each other player has until the round or my next turn: all alike, or one if his last is still to come.
NO_TURNS, MAX_TURNS, LAST_TURNS = 0, 2, -1
PAD = 8  # sums below 0, so that each sum has 8 below it
PATH = (MAX_TURNS + 3, PAD + MAX_SUMS)
LOW, GOOD = MAX_TURNS + 1, MAX_TURNS + 2  # rows for those on which he draws, or swaps
TAILS = (SEATS * (MAX_TURNS + 1), MAX_SUMS)

# Rows of the array ``chances``: the chance of losing by my whole sum.
NOW, IF_KNOCKED, LATER, LATER_DRAWN = range(4)
CHANCES = (4, MAX_SUMS + 8)  # also for sums that another card makes of the highest one

# Column of ``zocks`` for a card drawn; the others are for those from the discard pile.
DRAWN = 9


# ---------------------------------------------------------------- counting


@inlined
def count_unseen(observation, unseen):
    """How many cards of each value lie where I cannot know them."""
    unseen[:] = 0.0
    for v in range(1, int(observation[AT.max_card]) + 1):
        count = v - int(observation[seen.HAND + v]) - int(observation[AT.discards + v - 1])
        for seat in range(SEATS):
            count -= int(observation[seen.DISPLAYS + 8 * seat + v])
        for seat in range(1, SEATS):
            count -= int(observation[seen.KNOWN + 8 * seat + v])
        unseen[v] = count


@inlined
def chance_of_draws(observation, unseen, draws):
    """The chance of each value on top of the draw pile, which is made of the discards once it is empty (R14)."""
    draws[0] = 0.0
    for v in range(1, 9):
        draws[v] = observation[AT.discards + v - 1] if observation[AT.draw_count] == 0 else unseen[v]
    if observation[AT.draw_count] == 0:
        draws[seen.top_of_discards(observation)] -= 1
    total = draws.sum()
    if total > 0.0:
        for v in range(len(draws)):
            draws[v] /= total


@inlined
def hidden_cards(observation, seat):
    """How many cards of a hand I do not know."""
    count = int(observation[AT.hand_counts + seat])
    for v in range(1, 9):
        count -= int(observation[seen.KNOWN + 8 * seat + v])
    return max(count, 0)  # more are known than held in impossible observations alone


@inlined
def add_part(before, start, count, share, after, to):
    """after[to + i] += share * before[start + i] for ``count`` sums."""
    start, to = max(start, 0), max(to, 0)  # so the compiler sees that these are not counted from the end
    for i in range(count):
        after[to + i] += share * before[start + i]


@inlined
def add_points(before, reach, share, points, size, after):
    """Add a share of a distribution of sums below ``reach``, which become higher by some points."""
    inside = max(min(reach, size - points), 0)
    add_part(before, 0, inside, share, after, points)
    for x in range(inside, reach):
        after[size - 1] += share * before[x]


@inlined
def scale(sums, size):
    """Make the chances add up to 1."""
    total = 0.0
    for x in range(size):
        total += sums[x]
    if total > 0.0:
        for x in range(size):
            sums[x] /= total


@compiled
def ways_of_hidden_cards(unseen, max_hidden, size, ways):
    """ways[h, x]: the chance that h of the unseen cards sum to x (the last x: that much or more)."""
    ways[: max_hidden + 1] = 0.0
    ways[0, 0] = 1.0
    for v in range(1, 9):
        count = int(unseen[v])
        for h in range(max_hidden, 0, -1):
            for k in range(1, min(h, count) + 1):
                reach = min((h - k) * v + 1, size)
                add_points(ways[h - k], reach, WAYS[count, k], k * v, size, ways[h])
    for h in range(1, max_hidden + 1):
        scale(ways[h], min(8 * h + 1, size))


@compiled
def add_hidden_sums(observation, unseen, size, sums):
    """sums[seat, x]: the exact distribution of each other player's whole sum now, tenths left out."""
    sums[:] = 0.0
    max_hidden = 0
    for seat in range(1, SEATS):
        max_hidden = max(max_hidden, min(hidden_cards(observation, seat), MAX_HIDDEN))
    ways = scratch((_HIDDEN_SIZES, MAX_SUMS), np.float64)
    ways_of_hidden_cards(unseen, max_hidden, size, ways)
    for seat in range(1, SEATS):
        if observation[AT.hearts + seat] > 0:
            base = seen.laid_out(observation, seat) // 10
            for v in range(1, 9):
                base += v * int(observation[seen.KNOWN + 8 * seat + v])
            hidden = min(hidden_cards(observation, seat), MAX_HIDDEN)
            add_points(ways[hidden], min(8 * hidden + 1, size), 1.0, base, size, sums[seat])


# ---------------------------------------------------------------- models of the other players


@inlined
def copy(row, into):
    """Copy one row of an array."""
    for x in range(len(row)):
        into[x] = row[x]


@compiled
def copy_rows(rows, into):
    """Copy all rows of an array."""
    for i in range(len(rows)):
        copy(rows[i], into[i])


@inlined
def weigh(before, bust_at, size, slope, floor, bust_weight, sums):
    """Weight a distribution with how likely a player with that sum acted as he did."""
    weight, fall = 1.0, math.exp(-slope)
    for x in range(bust_at - 1, -1, -1):
        sums[x] = before[x] * max(weight, floor)
        weight *= fall
    for x in range(bust_at, size):
        sums[x] = before[x] * bust_weight
    scale(sums, size)


@inlined
def weigh_by_conduct(context, seat, before, sums):
    """Weight another player's distribution by whether he has knocked, is done without knocking, or plays on."""
    observation, p = context.observation, context.parameters
    conduct = OPEN
    if observation[AT.first_knocker + seat]:
        conduct = FIRST
    elif observation[AT.knocked + seat]:
        conduct = LATE
    elif context.knocked and not observation[AT.last_turns + seat]:
        conduct = DONE
    weigh(before, context.bust_at, context.size, p[conduct], p[conduct + 1], p[conduct + 2], sums)


@inlined
def take_turn(context, before, after):
    """The distribution of a player's sum after a turn of his; sum x is at PAD + x in both.

    He draws on a low sum, swaps a card on a better one if that makes it higher, and gets back below bust_at if he can.
    """
    bust_at, size, p = context.bust_at, context.size, context.parameters
    swapped = max(int(p[SWAPPED]), 0)
    swaps_from = min(max(int(bust_at - p[DRAW_BELOW]), 0), bust_at)
    low, good = context.path[LOW], context.path[GOOD]
    for x in range(PAD + size):
        low[x] = before[x] if x < PAD + swaps_from else 0.0
        good[x] = before[x] if PAD + swaps_from <= x < PAD + bust_at else 0.0
        after[x] = 0.0
    rise(low, context.draws, size, after)
    rise(good, context.swaps, bust_at, after)
    for x in range(PAD + swaps_from, PAD + bust_at):  # swaps that would make it no higher, or bust
        for v in range(1, min(swapped, 8) + 1):
            after[x] += good[x] * context.draws[v]
        for v in range(swapped + bust_at + PAD - x, 9):
            after[x] += good[x] * context.draws[v]
    recover(context, before[PAD:], after[PAD:])


@inlined
def rise(before, chances, size, after):
    """Add the sums that become higher by 1 .. 8 points with these chances, from the lowest to the highest."""
    for x in range(size):
        total = after[PAD + x]
        for i in range(PAD):
            total += before[x + i] * chances[PAD - i]
        after[PAD + x] = total


@inlined
def chance_of_swaps(draws, parameters, swaps):
    """The chance of each gain by a player who swaps his usual card."""
    swapped = int(parameters[SWAPPED])
    for v in range(9):
        swaps[v] = draws[v + swapped] if 0 < v + swapped < 9 else 0.0


@inlined
def recover(context, sums, after):
    """A bust player stays bust, or gets back to one of the best sums."""
    bust_at, p = context.bust_at, context.parameters
    recovered = 0.0
    for x in range(bust_at, context.size):
        stays = min(p[STAY_BUST] + p[STAY_BUST_SLOPE] * (x - bust_at), 1.0)
        after[x] += stays * sums[x]
        recovered += (1.0 - stays) * sums[x]
    for x in range(bust_at - 1, max(bust_at - 5, -1), -1):
        after[x] += (1.0 - p[RECOVERY]) * recovered
        recovered *= p[RECOVERY]
    after[max(bust_at - 5, 0)] += recovered


@inlined
def row_of(seat, turns):
    """The row of ``tails`` for a seat after so many turns."""
    return seat * (MAX_TURNS + 1) + turns


@inlined
def turns_of(context, seat, turns):
    """The turns of one player until the round or my next turn."""
    return int(context.observation[AT.last_turns + seat]) if turns == LAST_TURNS else turns


@inlined
def add_up(sums, bust_at, tail):
    """tail[x]: the chance of at least x, but not bust."""
    at_least = 0.0
    tail[bust_at] = 0.0
    for x in range(bust_at - 1, -1, -1):
        at_least += sums[x]
        tail[x] = at_least


@compiled
def predict(context, seat, sums, turns, tails):
    """Fill the rows of ``tails`` for a player who has this distribution now."""
    path = context.path
    weigh_by_conduct(context, seat, sums, path[0, PAD:])
    add_up(path[0, PAD:], context.bust_at, tails[row_of(seat, 0)])
    for turn in range(1, turns_of(context, seat, turns) + 1):
        if context.drawable:
            take_turn(context, path[turn - 1], path[turn])
        else:
            copy(path[0], path[turn])
        add_up(path[turn, PAD:], context.bust_at, tails[row_of(seat, turn)])


@compiled
def predict_all(context, turns):
    """Fill ``tails`` for all other players."""
    for seat in range(1, SEATS):
        if context.observation[AT.hearts + seat] > 0:
            predict(context, seat, context.sums[seat], turns, context.tails)


@inlined
def chance_of_losing(context, tails, turns, my_tenths, loss):
    """loss[x]: the chance that I lose a heart with the whole sum x and ``my_tenths`` after these turns (S2).

    I lose one if I am bust, or if nobody is bust and nobody has less.
    """
    loss[: context.size + 8] = 1.0
    for seat in range(1, SEATS):
        if context.observation[AT.hearts + seat] > 0:
            more = int(context.observation[seen.DISPLAYS + 8 * seat + 8] < my_tenths)  # tenths: he needs a higher sum
            tail = tails[row_of(seat, turns_of(context, seat, turns))]
            for x in range(context.bust_at):
                loss[x] *= tail[x + more]


@compiled
def fill_chances(context, tails, turns, my_tenths, chances):
    """Fill the rows of ``chances``; if I have no other turn, the first two, which are the same then."""
    if turns != MAX_TURNS:
        chance_of_losing(context, tails, turns, my_tenths, chances[NOW])
        copy(chances[NOW], chances[IF_KNOCKED])
        return
    chance_of_losing(context, tails, NO_TURNS, my_tenths, chances[NOW])
    chance_of_losing(context, tails, 1, my_tenths, chances[IF_KNOCKED])
    later, share = chances[LATER], context.parameters[SECOND_TURN]
    chance_of_losing(context, tails, MAX_TURNS, my_tenths, later)
    for x in range(context.size + 8):
        later[x] = share * later[x] + (1.0 - share) * chances[IF_KNOCKED, x]
    draw_later(context, later, chances[LATER_DRAWN])


@inlined
def draw_later(context, later, drawn):
    """drawn[x]: the chance of losing with ``later`` when I have drawn one more card; `ILLEGAL` if there is none."""
    for x in range(context.bust_at + 1):
        drawn[x] = 0.0
        for v in range(1, 9):
            drawn[x] += context.draws[v] * later[x + v]
    drawn[context.bust_at : context.size + 8] = drawn[context.bust_at]  # bust all the same
    if not context.drawable:
        drawn[: context.size + 8] = ILLEGAL

"""Strategies in sequence form: what they are worth, best responses, and how far they are from equilibrium.

A strategy gives every sequence of a seat the probability of its action in its information state; that of the empty
sequence is 1. The *reach* of a sequence is the product of these along the seat's own past.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving.game_tree import GameTree, SeatTree
from blackjacky_env.compiled import compiled, entry, spread

Floats = npt.NDArray[np.float64]
Strategies = tuple[Floats, ...]
"""By seat: the probability of each sequence's action, (S,)."""

_WORTH_A_THREAD = 20_000  # ends or states: waking a thread takes about 20 microseconds


# ---------------------------------------------------------------- compiled, for parts of a seat's tree


def _sum_ends(seats, seat, reaches, gains, first, last):
    """Fill ``gains`` of the sequences first .. last - 1: what the ends after each bring if the others play on."""
    tree, players = seats[seat], len(seats)
    for sequence in range(first, last):
        total = 0.0
        for end in range(tree.rows[sequence], tree.rows[sequence + 1]):
            share = tree.payoffs[end]
            for q in range(players - 1):
                share *= reaches[(seat + 1 + q) % players][tree.others[end, q]]
            total += share
        gains[sequence] = total


@compiled
def value_of(tree, gains, values, sequence):
    """What a sequence brings: its ends, and the states after it."""
    total = gains[sequence]
    for state in range(tree.after[sequence], tree.after[sequence + 1]):
        total += values[state]
    return total


def _reach_after(tree, strategy, reach, first, last):
    """Fill the ``reach`` of all sequences that come next after the sequences first .. last - 1."""
    for before in range(first, last):
        for state in range(tree.after[before], tree.after[before + 1]):
            for sequence in range(tree.first[state], tree.first[state + 1]):
                reach[sequence] = reach[before] * strategy[sequence]


def _respond(tree, gains, values, first, last):
    """Fill ``values`` of the states first .. last - 1 with those of their best actions; ``gains`` are of the ends."""
    for state in range(first, last):
        best = -np.inf
        for sequence in range(tree.first[state], tree.first[state + 1]):
            best = max(best, value_of(tree, gains, values, sequence))
        values[state] = best


sum_ends, reach_after = compiled(_sum_ends), compiled(_reach_after)
sum_ends_here, reach_after_here, _respond_here = entry(_sum_ends), entry(_reach_after), entry(_respond)


# ---------------------------------------------------------------- for Python


def uniform(tree: GameTree) -> Strategies:
    """Every legal action is equally likely."""
    return tuple(normalised(each.first, np.zeros(len(each.after) - 1)) for each in tree.seats)


def normalised(first: npt.NDArray[np.integer[Any]], weights: Floats) -> Floats:
    """A strategy by weights of the sequences, (S,), which are not negative; where all are 0, actions are equal.

    ``first``: state i has the sequences ``first[i]`` .. ``first[i + 1] - 1``, (I + 1,). Those before have 1.
    """
    sizes = np.diff(first)
    totals = np.repeat(np.add.reduceat(weights, first[:-1]) if len(sizes) else np.zeros(0), sizes)
    strategy = np.ones(len(weights))
    strategy[first[0] :] = np.where(
        totals > 0, weights[first[0] :] / np.where(totals > 0, totals, 1.0), np.repeat(1 / sizes, sizes)
    )
    return strategy


def in_parts(work: Callable[[int, int], object], first: int, last: int, threads: int) -> None:
    """Call ``work(first, last)`` on parts of a range, on threads if it is long."""
    if threads == 1 or last - first < _WORTH_A_THREAD:
        work(first, last)
    else:
        spread(lambda start, end: work(first + start, first + end), last - first, threads)


def reach_of(tree: SeatTree, strategy: Floats, reach: Floats, threads: int = 1) -> Floats:
    """Fill ``reach`` (S,) with the reach of all sequences."""
    reach[0] = 1.0
    for first, last in pairwise(sequence_levels(tree)):
        in_parts(partial(reach_after_here, tree, strategy, reach), first, last, threads)
    return reach


def sequence_levels(tree: SeatTree) -> list[int]:
    """Where the sequences of each level begin: the empty one, those of the first states, and so on."""
    return [0, *tree.first[tree.levels].tolist()]


def gains_of(tree: GameTree, seat: int, reaches: Strategies, gains: Floats, threads: int = 1) -> Floats:
    """Fill ``gains`` (S,) with what the ends after each sequence of a seat bring, given the others' reaches."""
    rows = tree.seats[seat].rows
    work = partial(sum_ends_here, tree.seats, seat, reaches, gains)
    if threads == 1 or rows[-1] < _WORTH_A_THREAD:
        work(0, len(gains))
        return gains
    bounds = np.searchsorted(rows, np.arange(1, threads) * rows[-1] // threads)
    parts = list(pairwise([0, *bounds.tolist(), len(gains)]))
    spread(lambda start, end: [work(*parts[i]) for i in range(start, end)], threads, threads)
    return gains


def best_response(tree: GameTree, seat: int, reaches: Strategies, threads: int = 1) -> float:
    """The most that a seat can get against what the others do."""
    own = tree.seats[seat]
    gains = gains_of(tree, seat, reaches, np.zeros(len(own.after) - 1), threads)
    values = np.zeros(len(own.first) - 1)
    for first, last in reversed([*pairwise(own.levels.tolist())]):
        in_parts(partial(_respond_here, own, gains, values), first, last, threads)
    return float(gains[0] + values[own.after[0] : own.after[1]].sum())


class Worth(NamedTuple):
    """What strategies are worth, and what could be gained against them."""

    values: tuple[float, ...]
    """The expected result of each seat."""
    gains: tuple[float, ...]
    """How much more each seat would get if it alone changed to a best response, 0 or more."""

    @property
    def exploitability(self) -> float:
        """The mean of the gains (NashConv divided by the number of seats); 0 in an equilibrium.

        With two seats it is also how much less than the value of the game a player who plays both seats gets from the
        worst opponent. With more it says how far the strategies are from an equilibrium, but an equilibrium of three
        players guarantees nobody anything.
        """
        return sum(self.gains) / len(self.gains)


def worth_of(tree: GameTree, strategies: Strategies, threads: int = 1) -> Worth:
    """Exact values and gains of strategies."""
    reaches = tuple(
        reach_of(own, strategy, np.zeros(len(strategy)), threads)
        for own, strategy in zip(tree.seats, strategies, strict=True)
    )
    values, gains = [], []
    for seat, reach in enumerate(reaches):
        values.append(float(gains_of(tree, seat, reaches, np.zeros(len(reach)), threads) @ reach))
        gains.append(max(0.0, best_response(tree, seat, reaches, threads) - values[-1]))
    return Worth(tuple(values), tuple(gains))

"""Counterfactual regret minimisation on a whole tree: CFR, CFR+ and discounted CFR.

Zinkevich, Johanson, Bowling and Piccione, "Regret Minimization in Games with Incomplete Information" (2007); Tammelin,
"Solving Large Imperfect Information Games Using CFR+" (2014); Brown and Sandholm, "Solving Imperfect-Information Games
via Discounted Regret Minimization" (2019), with their parameters 3/2, 0 and 2. Seats are updated in turn. In sequence
form an iteration is a sum over the ends of the game, a sweep up the states of a seat and a sweep down.

With two seats the average strategies approach an equilibrium. With more there is no such guarantee.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.solution import TabularPolicy, policy_of
from blackjacky_agents.solving.strategies import (
    Floats,
    Strategies,
    gains_of,
    in_parts,
    normalised,
    reach_after,
    reach_of,
    sequence_levels,
    sum_ends,
    uniform,
    value_of,
)
from blackjacky_env.compiled import compiled, entry
from blackjacky_env.play import check_arrays, check_entries

CfrVariant = Literal["cfr", "cfr+", "dcfr"]
VARIANTS: tuple[CfrVariant, ...] = ("cfr", "cfr+", "dcfr")
_WORTH_THREADS = 200_000  # ends and sequences of an iteration
_KEPT = ("regrets", "strategy", "sums")  # of what a seat remembers, in checkpoints


class Memory(NamedTuple):
    """What one seat remembers of the iterations, each by sequence, (S,), where nothing else is said."""

    regrets: Floats
    reach: Floats  # of the strategy
    sums: Floats  # the reaches of all iterations, weighted: the average strategy
    gains: Floats
    values: Floats  # by state, (I,)
    strategy: Floats  # of the next iteration, by regret matching


def _factors(variant, t):
    """Iteration t's factors for positive and negative regrets, and the weight of its strategy."""
    if variant == 0:
        return 1.0, 1.0, 1.0
    if variant == 1:
        return 1.0, 0.0, float(t)
    return t**1.5 / (t**1.5 + 1.0), 0.5, float(t) ** 2


def _update(tree, memory, positive, negative, first, last):
    """Update values, regrets and strategy of the states first .. last - 1, all states after them being done."""
    regrets, strategy = memory.regrets, memory.strategy
    for state in range(first, last):
        begin, end = tree.first[state], tree.first[state + 1]
        mean, total = 0.0, 0.0
        for sequence in range(begin, end):
            value = value_of(tree, memory.gains, memory.values, sequence)
            memory.gains[sequence] = value
            mean += strategy[sequence] * value
        memory.values[state] = mean
        for sequence in range(begin, end):
            regret = regrets[sequence] + memory.gains[sequence] - mean
            regret *= positive if regret > 0 else negative
            regrets[sequence] = regret
            total += max(regret, 0.0)
        for sequence in range(begin, end):
            strategy[sequence] = max(regrets[sequence], 0.0) / total if total > 0 else 1.0 / (end - begin)


def _add_reach(memory, weight, first, last):
    for sequence in range(first, last):
        memory.sums[sequence] += weight * memory.reach[sequence]


factors, update, add_reach = compiled(_factors), compiled(_update), compiled(_add_reach)
_factors_here, _update_here, _add_reach_here = entry(_factors), entry(_update), entry(_add_reach)


def _iterate(seats, levels, memories, reaches, variant, start, count):
    """Iterations start + 1 .. start + count, on one thread; ``levels``: see `sequence_levels`, by seat."""
    for t in range(start + 1, start + count + 1):
        positive, negative, weight = factors(variant, t)
        for seat in range(len(seats)):
            tree, memory = seats[seat], memories[seat]
            sum_ends(seats, seat, reaches, memory.gains, 0, len(memory.gains))
            add_reach(memory, weight, 0, len(memory.gains))
            for k in range(len(tree.levels) - 2, -1, -1):
                update(tree, memory, positive, negative, tree.levels[k], tree.levels[k + 1])
            for k in range(len(levels[seat]) - 1):
                reach_after(tree, memory.strategy, memory.reach, levels[seat][k], levels[seat][k + 1])


_iterate_here = entry(_iterate)


class Solver:
    """Iterations of a variant of CFR on a tree; the same for any number of threads.

    Args:
        tree: the tree.
        variant: ``"cfr"``, ``"cfr+"`` or ``"dcfr"``.
        threads: the most CPU threads; small trees use one.
    """

    def __init__(self, tree: GameTree, variant: CfrVariant = "dcfr", threads: int = 1) -> None:
        self.tree, self.variant = tree, variant
        work = sum(2 * len(each.payoffs) + len(each.after) for each in tree.seats)
        self.threads = threads if work > _WORTH_THREADS else 1
        self.iterations = 0
        self._memories = tuple(
            Memory._make([*np.zeros((4, len(strategy))), np.zeros(len(each.first) - 1), strategy])
            for each, strategy in zip(tree.seats, uniform(tree), strict=True)
        )
        self._reaches = tuple(memory.reach for memory in self._memories)
        self._levels = tuple(np.array(sequence_levels(each)) for each in tree.seats)
        self._refresh()

    def run(self, iterations: int) -> None:
        """Do more iterations."""
        number, seats = VARIANTS.index(self.variant), self.tree.seats
        if self.threads == 1:
            _iterate_here(seats, self._levels, self._memories, self._reaches, number, self.iterations, iterations)
            self.iterations += iterations
            return
        for _ in range(iterations):  # the same, each part on all threads
            self.iterations += 1
            positive, negative, weight = _factors_here(number, self.iterations)
            for seat, (tree, memory) in enumerate(zip(seats, self._memories, strict=True)):
                gains_of(self.tree, seat, self._reaches, memory.gains, self.threads)
                in_parts(partial(_add_reach_here, memory, weight), 0, len(memory.gains), self.threads)
                for first, last in reversed([*pairwise(tree.levels.tolist())]):
                    in_parts(partial(_update_here, tree, memory, positive, negative), first, last, self.threads)
                reach_of(tree, memory.strategy, memory.reach, self.threads)

    def _refresh(self) -> None:
        for tree, memory in zip(self.tree.seats, self._memories, strict=True):
            reach_of(tree, memory.strategy, memory.reach)

    def average(self) -> Strategies:
        """The average strategies, which approach an equilibrium."""
        seats = zip(self.tree.seats, self._memories, strict=True)
        return tuple(normalised(tree.first, memory.sums) for tree, memory in seats)

    def policy(self) -> TabularPolicy:
        """The average strategies by the keys of information states."""
        return policy_of(self.tree, self.average())

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs, as arrays by name."""
        seats = enumerate(self._memories)
        kept = {f"{name}_{seat}": getattr(memory, name) for seat, memory in seats for name in _KEPT}
        return {"iterations": np.array([self.iterations]), **kept}

    def restore(self, kept: dict[str, npt.NDArray[Any]]) -> None:
        """Continue from what `save` returned; `TypeError` or `ValueError`, and no change, if it is of another tree."""
        own = self.save()
        checked = check_arrays("the checkpoint", kept, own)
        for name, high in {"strategy": 1, "sums": np.inf, "iterations": 2**53}.items():
            for each in (each for each in own if each.startswith(name)):
                check_entries(f"{each} of the checkpoint", checked[each], high)
        for name, array in own.items():
            array[:] = checked[name]
        self.iterations = int(checked["iterations"][0])
        self._refresh()

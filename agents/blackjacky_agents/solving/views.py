"""Views: what a seat sees in its information states, each distinct one once, and how well a player of views can do.

Most agents choose by observation and legal actions alone, so one call over the distinct views gives their strategies.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving import walk as walks
from blackjacky_agents.solving.game_tree import GameTree, Progress, check_memory, spans, tree_of, walk_through
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import Strategies, gains_of, normalised, reach_of, uniform, value_of, worth_of
from blackjacky_env.compiled import entry

_BYTES_OF_VIEW = 150  # in a dictionary, beside its own
_CLOSER = 1.1  # so many times the iterations lie between two evaluations


class SeatViews(NamedTuple):
    """What one seat sees, in the order of `SeatTree`: I information states, S sequences."""

    keys: npt.NDArray[np.uint64]
    """`blackjacky_env.play.recall` identifies its information states, (I, 2)."""
    views: npt.NDArray[np.int32]
    """The view of each of them, (I,)."""
    choices: npt.NDArray[np.int64]
    """The choice of each sequence, see `Views.first`, (S,); 0 for the empty one."""


@dataclass(frozen=True)
class Views:
    """The V distinct views at a table: observations with masks of legal actions; made by `tree_and_views`."""

    observations: npt.NDArray[Any]
    """In the game's integer dtype, (V, K)."""
    masks: npt.NDArray[np.int8]
    """(V, A)."""
    first: npt.NDArray[np.int64]
    """View v has the choices ``first[v]`` .. ``first[v + 1] - 1``, its legal actions in order, (V + 1,)."""
    seats: tuple[SeatViews, ...]

    def strategies(self, chances: npt.NDArray[np.float64]) -> Strategies:
        """The strategies by views, given the probabilities of all choices, float64 (1 + choices,), after a 1 at 0."""
        return tuple(chances[seat.choices] for seat in self.seats)


def tree_and_views(
    table: SmallTable, memory: float = 4 * 2**30, progress: Progress = lambda nodes: None
) -> tuple[GameTree, Views]:
    """The tree of a table and its views, by one walk; arguments and errors are those of `build_tree`."""
    known: dict[bytes, int] = {}
    parts: list[npt.NDArray[np.int32]] = []
    dtype, split = table.game.layout.dtype, table.game.layout.size * table.game.layout.dtype.itemsize
    row = np.dtype((np.void, split + table.game.num_actions))

    def look(walk: walks.Walk) -> None:
        progress(int(walk.counts[walks.NUM_NODES]))
        count = int(walk.counts[walks.NUM_SHOWN])
        shown = np.hstack([walk.shown.observations[:count].view(np.int8), walk.shown.masks[:count]])
        rows: list[Any] = shown.view(row).ravel().tolist()
        parts.append(np.array([known.setdefault(each, len(known)) for each in rows], np.int32))
        check_memory(walk, memory, walks.bytes_of(parts) + (_BYTES_OF_VIEW + 2 * row.itemsize) * len(known))

    tree = tree_of(table, walk_through(table, memory, look, shows=True))
    together = np.frombuffer(b"".join(known), np.int8).reshape(len(known), -1)
    observations, masks = together[:, :split].copy().view(dtype), together[:, split:].copy()
    first, numbers, seats = np.cumsum([1, *masks.sum(axis=1)]), np.concatenate(parts), []
    for states in tree.states:
        views = numbers[states.met]
        choices = spans(first[views], first[views + 1] - first[views])
        seats.append(SeatViews(states.keys, views, np.concatenate([[0], choices])))
    return tree, Views(observations, masks, first, tuple(seats))


def _add_regrets(tree, choices, strategy, gains, values, regrets, first, last):
    """Add the regrets of the states first .. last - 1 to those of their views, all states after them being done."""
    for state in range(first, last):
        begin, end = tree.first[state], tree.first[state + 1]
        mean = 0.0
        for sequence in range(begin, end):
            gains[sequence] = value_of(tree, gains, values, sequence)
            mean += strategy[sequence] * gains[sequence]
        values[state] = mean
        for sequence in range(begin, end):
            regrets[choices[sequence]] += gains[sequence] - mean


_add_regrets_here = entry(_add_regrets)


def floor(tree: GameTree, views: Views, iterations: int = 1000) -> float:
    """The lowest exploitability found of players who choose by their views alone: an upper bound of what is possible.

    CFR+ (Tammelin 2014) in which the information states of one seat with the same view share one regret vector and one
    average. Such an abstraction has imperfect recall (Waugh et al., "A Practical Use of Imperfect Recall", SARA 2009),
    where CFR has no guarantee to converge (Lanctot et al., "No-Regret Learning in Extensive-Form Games with Imperfect
    Recall", ICML 2012). Hence the last and the average strategies are evaluated now and then, and the best counts.

    Args:
        tree: the tree of a table.
        views: the views at the same table.
        iterations: of CFR+, 1 or more.
    """
    strategies = [*uniform(tree)]
    reaches = tuple(reach_of(own, each, np.zeros(len(each))) for own, each in zip(tree.seats, strategies, strict=True))
    regrets, sums = np.zeros((2, len(tree.seats), int(views.first[-1])))
    lowest, due = np.inf, 1.0
    for t in range(1, iterations + 1):
        for seat, (own, seen, reach) in enumerate(zip(tree.seats, views.seats, reaches, strict=True)):
            sums[seat] += t * np.bincount(seen.choices, reach, len(sums[seat]))
            gains, values = gains_of(tree, seat, reaches, np.zeros(len(reach))), np.zeros(len(own.first) - 1)
            for first, last in reversed([*pairwise(own.levels.tolist())]):
                _add_regrets_here(own, seen.choices, strategies[seat], gains, values, regrets[seat], first, last)
            np.maximum(regrets[seat], 0.0, out=regrets[seat])
            strategies[seat] = normalised(views.first, regrets[seat])[seen.choices]
            reach_of(own, strategies[seat], reach)
        if t >= due or t == iterations:
            due = _CLOSER * t
            averages = [normalised(views.first, own)[seen.choices] for own, seen in zip(sums, views.seats, strict=True)]
            lowest = min(lowest, *(worth_of(tree, tuple(each)).exploitability for each in (strategies, averages)))
    return float(lowest)

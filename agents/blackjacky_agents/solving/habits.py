"""Which habits of an agent cost it most against a solution: what it does, and what would have been better."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving.strategies import Floats, Strategies, best_response, reach_of, worth_of
from blackjacky_agents.solving.tree import SeatTree, Tree


class Habit(NamedTuple):
    """Taking one action where another one is best."""

    does: str
    """Name of the action."""
    better: str
    """Name of the best one against the solution."""
    cost: float
    """What this loses in a game against the solution, on average over the seats, in units of the result."""
    corrected: float
    """The agent's exploitability if it played the solution where it has this habit."""


class _Lost(NamedTuple):
    """What each sequence of a seat loses, (S,), its action and the best one, (S, 2)."""

    costs: Floats
    pairs: npt.NDArray[np.int16]


def costliest_habits(tree: Tree, solution: Strategies, strategies: Strategies, most: int = 3) -> list[Habit]:
    """The habits that cost most against a solution, costliest first.

    The costs of all habits add up to what the agent gets less against the solution than a best response does.

    Args:
        tree: the tree.
        solution: strategies near an equilibrium.
        strategies: the agent's.
        most: number of habits.
    """
    lost, actions = _losses(tree, solution, strategies), tree.table.game.num_actions
    costs = np.zeros(actions * actions)
    for each in lost:
        codes = each.pairs[1:].astype(np.int64) @ (actions, 1)
        costs += np.bincount(codes, each.costs[1:], minlength=len(costs))
    name, found = tree.table.game.words.actions.name, []
    for code in np.argsort(-costs, kind="stable")[:most]:
        if (cost := float(costs[code])) <= 0:
            break
        does, better = divmod(int(code), actions)
        corrected = tuple(
            _correct(own, each.pairs == (does, better), strategy, ideal)
            for own, each, strategy, ideal in zip(tree.seats, lost, strategies, solution, strict=True)
        )
        found.append(Habit(name(does), name(better), cost, worth_of(tree, corrected).exploitability))
    return found


def _losses(tree: Tree, solution: Strategies, strategies: Strategies) -> list[_Lost]:
    """By seat what the agent loses there against the solution, on average over the seats."""
    reaches = tuple(_reach(own, strategy) for own, strategy in zip(tree.seats, solution, strict=True))
    lost = []
    for seat, (own, strategy) in enumerate(zip(tree.seats, strategies, strict=True)):
        response, actions = best_response(tree, seat, reaches), tree.states[seat].actions
        best = np.repeat(actions[1:][response.strategy[1:] == 1], np.diff(own.first))
        pairs = np.stack([actions, np.append(actions[:1], best)], axis=1)
        lost.append(_Lost(_reach(own, strategy) * response.losses / len(tree.seats), pairs))
    return lost


def _reach(own: SeatTree, strategy: Floats) -> Floats:
    return reach_of(own, strategy, np.zeros(len(strategy)))


def _correct(own: SeatTree, is_habit: npt.NDArray[Any], strategy: Floats, ideal: Floats) -> Floats:
    """A seat's strategy, but the ideal one in every state in which it has the habit with some probability."""
    has_habit = is_habit.all(axis=1) & (strategy > 0)
    states = np.logical_or.reduceat(has_habit, own.first[:-1]) if len(own.first) > 1 else np.zeros(0, np.bool_)
    return np.where(np.append(False, np.repeat(states, np.diff(own.first))), ideal, strategy)

"""Tasks of the benchmark: an algorithm learns a small table, and each policy is measured against best responses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import isfunction
from typing import Any, NamedTuple

import numpy as np

from blackjacky_agents.agent import Agent, AgentError
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import Strategies, Worth, normalised, reach_of, worth_of
from blackjacky_agents.solving.views import Views
from blackjacky_env.checks import check_integer

FIRST = 100  # the first policy is wanted after the budget by this
AVERAGED = 20  # policies of the second half, at equal distances, of which the mean is measured, too


class Task(NamedTuple):
    """What an algorithm is to learn."""

    table: SmallTable
    seed: int
    """Of all that is random, 0 .. 2**31 - 1; the same seed gives the same policies."""
    due: tuple[int, ...]
    """Numbers of decisions after which a policy is wanted, rising; the last is the budget.

    A decision is a move of a player who has more than one legal action.
    """
    tree: GameTree
    """For solvers; an algorithm that learns by playing has no use for it."""
    views: Views
    """At the table: policies are asked there when they are measured."""


Algorithm = Callable[..., Iterable[tuple[int, Agent | Callable[[], Agent]]]]
"""(task, **settings) -> for each of `Task.due` the decisions made so far, and an agent that plays the policy.

The agent plays all seats. It tells its ``probabilities(observations, masks)``, float (N, A), or is asked for actions. A
function that makes the agent will do, too, and what it does is no part of the learning's time.
"""


def due_at(decisions: int, points: int) -> tuple[int, ...]:
    """Numbers of decisions at equal distances on a log scale, from a hundredth of the budget to all."""
    falling = np.geomspace(decisions, max(1, decisions / FIRST), points)  # a single point is that of all
    return tuple(dict.fromkeys(falling[::-1].round().astype(int).tolist()))


def measured(
    algorithm: Algorithm, task: Task, settings: Mapping[str, Any], averaged: bool = True
) -> Iterator[dict[str, Any]]:
    """Let an algorithm learn; yields a row for each of `Task.due`, JSON-ready.

    Each has ``decisions``, the ``cpu_seconds`` of learning alone, ``exploitability``, and what each seat could gain.
    The last has, if wanted, the exploitability ``averaged``, of a player who draws one of the policies of the second
    half before each game. Raises `AgentError` for an algorithm that raises, ends too early or yields no policy.
    """
    tree, budget = task.tree, task.due[-1]
    count = AVERAGED if averaged else 0
    halves = {*np.linspace(budget / 2, budget, count + 1)[1:].round().astype(int).tolist()}
    wanted = task._replace(due=tuple(sorted({*task.due, *halves})))
    sums = [np.zeros(len(seat.after) - 1) for seat in tree.seats]
    for due, (facts, strategies) in zip(wanted.due, _learned(algorithm, wanted, settings), strict=True):
        if due in halves:
            for seat, own, total in zip(tree.seats, strategies, sums, strict=True):
                np.add(total, reach_of(seat, own, np.zeros(len(own))), out=total)
        if due not in task.due:
            continue
        worth = worth_of(tree, strategies)
        row = {**facts, "exploitability": _rounded(worth), "gains": [*map(float, worth.gains)]}
        if averaged and due == budget:
            mean = tuple(normalised(seat.first, total) for seat, total in zip(tree.seats, sums, strict=True))
            row["averaged"] = _rounded(worth_of(tree, mean))
        yield row


def _learned(
    algorithm: Algorithm, task: Task, settings: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], Strategies]]:
    """``decisions`` and ``cpu_seconds`` when a policy was due, and its strategies."""
    policies: Iterator[Any] | None = None
    seconds, before = 0.0, 0
    for due in task.due:
        begun = time.process_time()
        try:
            policies = policies or iter(algorithm(task, **settings))
            made = next(policies, None)
        except Exception as error:
            raise AgentError(f"the algorithm raised {type(error).__name__}: {error}") from error
        seconds += time.process_time() - begun
        if made is None:
            raise AgentError(f"the algorithm ended before {due:,} decisions")
        try:
            decisions, agent = made
            before = check_integer("decisions", decisions, max(1, before), 2**62)
            strategies = ask_views(task.views, agent() if isfunction(agent) else agent).strategies
        except (TypeError, ValueError, AttributeError) as error:
            raise AgentError(f"what the algorithm yields is no (decisions, agent): {error}") from error
        yield {"decisions": before, "cpu_seconds": round(seconds, 2)}, strategies


def _rounded(worth: Worth) -> float:
    return float(f"{worth.exploitability:.6g}")

"""Tasks of the benchmark: an algorithm learns a small table, and each policy is measured against best responses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from blackjacky_agents.agent import Agent, AgentError
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import worth_of
from blackjacky_agents.solving.views import Views
from blackjacky_env.checks import check_integer

FIRST = 100  # the first policy is wanted after the budget by this


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


Algorithm = Callable[..., Iterable[tuple[int, Agent]]]
"""(task, **settings) -> for each of `Task.due` the decisions made so far, and an agent that plays the policy.

The agent plays all seats. It tells its ``probabilities(observations, masks)``, float (N, A), or is asked for actions.
"""


def due_at(decisions: int, points: int) -> tuple[int, ...]:
    """Numbers of decisions at equal distances on a log scale, from a hundredth of the budget to all."""
    return tuple(dict.fromkeys(np.geomspace(max(1, decisions / FIRST), decisions, points).round().astype(int).tolist()))


def measured(algorithm: Algorithm, task: Task, views: Views, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Let an algorithm learn; yields a row for each of `Task.due`, JSON-ready.

    Each has ``decisions``, the ``cpu_seconds`` of learning alone, ``exploitability``, and what each seat could gain.
    Raises `AgentError` for an algorithm that raises, ends too early or yields no policy.
    """
    policies, seconds, before = None, 0.0, 0
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
            strategies = ask_views(views, agent).strategies
        except (TypeError, ValueError, AttributeError) as error:
            raise AgentError(f"what the algorithm yields is no (decisions, agent): {error}") from error
        worth = worth_of(task.tree, strategies)
        facts = {"decisions": before, "cpu_seconds": round(seconds, 2)}
        yield {**facts, "exploitability": float(f"{worth.exploitability:.6g}"), "gains": [*map(float, worth.gains)]}

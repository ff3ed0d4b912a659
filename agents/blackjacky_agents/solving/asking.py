"""The strategy of any agent at a table: it is asked in every information state, in batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, recalls
from blackjacky_agents.bots import random_bot
from blackjacky_agents.networks.network import action_probabilities, find_network, is_network
from blackjacky_agents.solving import walk as walks
from blackjacky_agents.solving.game_tree import Progress, number_states, walk_through
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import Strategies
from blackjacky_env.play import Keys

_TRIED = 64  # information states, to see whether an agent always does the same
_TIMES = 16

Chances = npt.NDArray[np.float64]


class InformationStates(NamedTuple):
    """N information states as their seats see them."""

    observations: npt.NDArray[Any]
    masks: npt.NDArray[np.int8]
    keys: Keys

    def first(self, count: int) -> InformationStates:
        """The first of them."""
        return InformationStates._make(array[:count] for array in self)


class AskedStrategies(NamedTuple):
    """An agent's strategies, and how they were found."""

    strategies: Strategies
    how: str
    """``"probabilities"`` that it tells, ``"deterministic"``, or ``"mean of N answers"``."""


def ask_everywhere(
    table: SmallTable,
    agent: Agent,
    samples: int = 100,
    memory: float = 4 * 2**30,
    progress: Progress = lambda nodes: None,
) -> AskedStrategies:
    """What an agent does in every information state of a table.

    Args:
        table: a table whose tree has been built, so that it is known to fit.
        agent: it plays all seats. One that does not tell its probabilities is asked ``samples`` times in each state,
            unless it always answers the same; its exploitability is then that of the mean of its answers, a little
            higher as a rule.
        samples: answers in each state.
        memory: as for `build_tree`.
        progress: as for `build_tree`.

    Raises `ValueError` as `build_tree` and the agent do.
    """
    ways: list[tuple[Callable[[InformationStates], Chances], str]] = []
    parts = [np.ones(table.num_players)]

    def ask(walk: walks.Walk) -> None:
        progress(int(walk.counts[walks.NUM_NODES]))
        last, count = int(walk.counts[walks.NUM_STATES]), int(walk.counts[walks.NUM_SHOWN])
        if not count:
            return
        keys, first = walk.states.keys[last - count : last], walk.states.first[last - count : last + 1]
        seen = InformationStates(walk.shown.observations[:count], walk.shown.masks[:count], keys)
        if not ways:
            ways.append(_way_to_ask(agent, seen, samples))
        chances = _checked(np.asarray(ways[0][0](seen), np.float64), seen.masks, agent.name)
        rows = np.repeat(np.arange(count), np.diff(first))
        parts.append(chances[rows, walk.states.actions[first[0] : first[-1]]])

    walk = walk_through(table, memory, ask, shows=True, keeps=False)
    together = np.concatenate(parts)
    strategies = (together[number_states(walk, seat).old] for seat in range(table.num_players))
    return AskedStrategies(tuple(np.concatenate([[1.0], each]) for each in strategies), ways[0][1])


def _way_to_ask(
    agent: Agent, seen: InformationStates, samples: int
) -> tuple[Callable[[InformationStates], Chances], str]:
    if callable(getattr(agent, "probabilities", None)):
        return lambda seen: agent.probabilities(*_given(agent, seen)), "probabilities"  # type: ignore[attr-defined]
    if isinstance(agent, CompiledAgent):
        if agent.policy is random_bot.choose:
            return lambda seen: seen.masks / seen.masks.sum(axis=1, keepdims=True), "probabilities"
        if is_network(agent) and not agent.parameters[0] and not find_network(agent)[1].drawn:  # only samples
            return lambda seen: action_probabilities(agent, seen.observations, seen.masks), "probabilities"
    tried = _answers(agent, seen.first(_TRIED), _TIMES)
    if ((tried == 0) | (tried == 1)).all():
        return lambda seen: _answers(agent, seen, 1), "deterministic"
    return lambda seen: _answers(agent, seen, samples), f"mean of {samples} answers"


def _given(agent: Agent, seen: InformationStates) -> tuple[Any, ...]:
    return tuple(seen) if recalls(agent) else (seen.observations, seen.masks)


def _answers(agent: Agent, seen: InformationStates, times: int) -> Chances:
    """How often the agent chooses each action, (N, A), asked so many times; `ValueError` for what is no action."""
    chosen, count = np.zeros(seen.masks.shape), seen.masks.shape[1]
    for seed in range(times):
        agent.reset(seed)
        actions = np.asarray(agent.act_batch(*_given(agent, seen)))
        if wrong := sorted({*actions.tolist()} - {*range(count)}):
            raise ValueError(f"agent {agent.name!r} chooses {wrong[0]}; allowed are 0 .. {count - 1}")
        chosen[np.arange(len(actions)), actions] += 1
    return chosen / times


def _checked(chances: Chances, masks: npt.NDArray[np.int8], name: str) -> Chances:
    """``chances``; `ValueError` unless they are probabilities of legal actions."""
    if chances.shape != masks.shape or not np.isfinite(chances).all() or (chances < 0).any():
        raise ValueError(f"the probabilities of agent {name!r} are not numbers from 0 of shape {masks.shape}")
    if (chances[masks == 0] > 0).any():
        raise ValueError(f"agent {name!r} chooses actions that are not legal")
    if (abs(chances.sum(axis=1) - 1) > 1e-6).any():
        raise ValueError(f"the probabilities of agent {name!r} do not sum to 1")
    return chances

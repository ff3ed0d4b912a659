"""The strategy of any agent at a table: it is asked for every view, in batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, recalls
from blackjacky_agents.bots import random_bot
from blackjacky_agents.networks.network import action_probabilities, find_network, is_network
from blackjacky_agents.solving.strategies import Strategies
from blackjacky_agents.solving.views import Views
from blackjacky_env.play import Keys

_TRIED = 64  # views, to see whether an agent always does the same
_TIMES = 16
_TOGETHER = 1 << 16  # views in a batch

Chances = npt.NDArray[np.float64]


class InformationStates(NamedTuple):
    """N information states as their seats see them."""

    observations: npt.NDArray[Any]
    masks: npt.NDArray[np.int8]
    keys: Keys


class AskedStrategies(NamedTuple):
    """An agent's strategies, and how they were found."""

    strategies: Strategies
    how: str
    """``"probabilities"`` that it tells, ``"deterministic"``, or ``"mean of N answers"``."""


def ask_views(views: Views, agent: Agent, samples: int = 100) -> AskedStrategies:
    """What an agent does in every information state of a table.

    It is asked for each distinct view, and in each state only if it recalls.

    Args:
        views: the views at a table.
        agent: it plays all seats. One that does not tell its probabilities is asked ``samples`` times for each view (in
            each state if it recalls), unless it always answers the same; its exploitability is then that of the mean of
            its answers, a little higher as a rule.
        samples: answers for each view.

    Raises `ValueError` as the agent does, and for what is no action and no probability.
    """
    no_keys = np.zeros((0, 2), np.uint64)
    most = max(views.seats, key=lambda seat: len(seat.views))
    rows, keys = (most.views, most.keys) if recalls(agent) else (np.arange(len(views.masks)), no_keys)
    tried = np.arange(0, len(rows), max(1, len(rows) // _TRIED))
    way, how = _way_to_ask(agent, _seen(views, rows[tried], keys[tried] if len(keys) else keys), samples)

    def ask(rows: npt.NDArray[Any], keys: Keys) -> Chances:
        """1, and the probabilities of all choices in these views."""
        parts = [np.ones(1)]
        for start in range(0, len(rows), _TOGETHER):
            seen = _seen(views, *(each[start : start + _TOGETHER] for each in (rows, keys)))
            chances = _checked(np.asarray(way(seen), np.float64), seen.masks, agent.name)
            parts.append(chances[seen.masks > 0])
        return np.concatenate(parts)

    if recalls(agent):
        return AskedStrategies(tuple(ask(seat.views, seat.keys) for seat in views.seats), how)
    return AskedStrategies(views.strategies(ask(rows, keys)), how)


def _seen(views: Views, rows: npt.NDArray[Any], keys: Keys) -> InformationStates:
    return InformationStates(views.observations[rows], views.masks[rows], keys)


def _way_to_ask(
    agent: Agent, tried: InformationStates, samples: int
) -> tuple[Callable[[InformationStates], Chances], str]:
    if callable(getattr(agent, "probabilities", None)):
        return lambda seen: agent.probabilities(*_given(agent, seen)), "probabilities"  # type: ignore[attr-defined]
    if isinstance(agent, CompiledAgent):
        if agent.policy is random_bot.choose:
            return lambda seen: seen.masks / seen.masks.sum(axis=1, keepdims=True), "probabilities"
        if is_network(agent) and not agent.parameters[0] and not find_network(agent)[1].drawn:  # only samples
            return lambda seen: action_probabilities(agent, seen.observations, seen.masks), "probabilities"
    answers = _answers(agent, tried, _TIMES)
    if ((answers == 0) | (answers == 1)).all():
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

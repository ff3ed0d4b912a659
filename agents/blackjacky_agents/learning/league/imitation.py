"""Imitation: demonstrations by a teacher in its own games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.league.buffers import ReplayBuffer
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env import make_batch
from blackjacky_env.declare import Vector
from blackjacky_env.games import get_game

_NUM_ENVS, _CAPACITY = 4096, 500_000
_RANDOM_FRACTION = 0.05


Decisions = tuple[Vector, npt.NDArray[np.int8], npt.NDArray[np.int64]]
"""Observations (N, K), masks (N, A) and actions (N,)."""


class Demonstrator:
    """A teacher in all seats of many games; occasional random actions lead to positions after mistakes.

    Args:
        settings: teacher, table sizes and seed.
    """

    def __init__(self, settings: LeagueSettings) -> None:
        self._teacher = make_compiled_agent(settings.teacher, settings.game)
        self._teacher.reset(settings.seed)
        self._rng = np.random.default_rng([settings.seed, 5])
        self._batch = make_batch(
            settings.game,
            _NUM_ENVS,
            list(settings.table_sizes),
            variant=settings.variant,
            seed=settings.seed,
            threads=settings.threads,
            **settings.rule_options,
        )

    def play(self) -> tuple[Demonstrator, Decisions]:
        """Play one move in each game; returns itself, which may have played elsewhere, and the decisions."""
        observations, masks = self._batch.observations, self._batch.action_masks
        actions = self._teacher.act_batch(observations, masks)
        has_choice = masks.sum(axis=1) > 1
        decisions = (observations[has_choice], masks[has_choice], actions[has_choice])
        random = np.argmax(self._rng.random(masks.shape) * masks, axis=1)
        self._batch.step(np.where(self._rng.random(len(actions)) < _RANDOM_FRACTION, random, actions))
        return self, decisions


class Demonstrations:
    """A buffer of decisions of a `Demonstrator`.

    Args:
        settings: teacher, table sizes and seed.
        cluster: where the games are played, if not here; the next decisions are then made while these are learned.
    """

    def __init__(self, settings: LeagueSettings, cluster: ClusterExecutor | None = None) -> None:
        game = get_game(settings.game)
        self._cluster = cluster
        self._decisions = ReplayBuffer(
            _CAPACITY, ((game.layout.size,), game.layout.dtype), ((game.num_actions,), np.int8), ((), np.int64)
        )
        self._next = self._begin(Demonstrator(settings))

    def _begin(self, demonstrator: Demonstrator) -> Callable[[], tuple[Demonstrator, Decisions]]:
        """Begin the next moves; the function that is returned waits for them."""
        if self._cluster is None:
            return demonstrator.play
        return self._cluster.submit(Demonstrator.play, demonstrator).result

    def collect(self) -> int:
        """Add one move in each game; returns the number of decisions added."""
        demonstrator, decisions = self._next()
        self._next = self._begin(demonstrator)
        self._decisions.add(*decisions)
        return len(decisions[0])

    def sample(self, count: int, rng: np.random.Generator) -> list[npt.NDArray[Any]]:
        """Observations (count, K), masks (count, A) and the teacher's actions (count,)."""
        return self._decisions.sample(count, rng)

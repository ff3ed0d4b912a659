"""Imitation: demonstrations by a teacher in its own games."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.league.buffers import ReplayBuffer
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env import make_batch
from blackjacky_env.games import get_game

_NUM_ENVS, _CAPACITY = 4096, 500_000
_RANDOM_FRACTION = 0.05


class Demonstrations:
    """A buffer of decisions by a teacher in all seats; occasional random actions lead to positions after mistakes."""

    def __init__(self, settings: LeagueSettings) -> None:
        game = get_game(settings.game)
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
        self._decisions = ReplayBuffer(
            _CAPACITY, ((game.layout.size,), game.layout.dtype), ((game.num_actions,), np.int8), ((), np.int64)
        )

    def collect(self) -> int:
        """Add one move in each game; returns the number of decisions added."""
        observations, masks = self._batch.observations, self._batch.action_masks
        actions = self._teacher.act_batch(observations, masks)
        has_choice = masks.sum(axis=1) > 1
        self._decisions.add(observations[has_choice], masks[has_choice], actions[has_choice])
        random = np.argmax(self._rng.random(masks.shape) * masks, axis=1)
        self._batch.step(np.where(self._rng.random(len(actions)) < _RANDOM_FRACTION, random, actions))
        return int(has_choice.sum())

    def sample(self, count: int, rng: np.random.Generator) -> list[npt.NDArray[Any]]:
        """Observations (count, K), masks (count, A) and the teacher's actions (count,)."""
        return self._decisions.sample(count, rng)

"""What a league learns from: a replay buffer, and demonstrations by a teacher in its own games."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env import make_batch
from blackjacky_env.games import get_game

_NUM_ENVS, _CAPACITY = 4096, 500_000
_RANDOM_FRACTION = 0.05


class ReplayBuffer:
    """A ring buffer of rows of several arrays; ``shapes``: shape and dtype of a row of each."""

    def __init__(self, capacity: int, *shapes: tuple[tuple[int, ...], npt.DTypeLike]) -> None:
        self._arrays: list[npt.NDArray[Any]] = [np.zeros((capacity, *shape), dtype) for shape, dtype in shapes]
        self._capacity, self._added = capacity, 0

    def __len__(self) -> int:
        return min(self._capacity, self._added)

    def add(self, *rows: npt.NDArray[Any]) -> None:
        """Add rows to each array; when full, they replace the oldest."""
        places = np.arange(self._added, self._added + len(rows[0])) % self._capacity
        for array, new in zip(self._arrays, rows, strict=True):
            array[places] = new
        self._added += len(rows[0])

    def clear(self) -> None:
        """Forget all rows."""
        self._added = 0

    def sample(self, count: int, rng: np.random.Generator) -> list[npt.NDArray[Any]]:
        """``count`` random rows, with replacement, of each array."""
        chosen = rng.integers(len(self), size=count)
        return [array[chosen] for array in self._arrays]


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

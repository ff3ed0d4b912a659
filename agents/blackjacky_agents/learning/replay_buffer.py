"""What learners draw minibatches from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


class ReplayBuffer:
    """The latest rows of several arrays; ``shapes``: shape and dtype of a row of each."""

    def __init__(self, capacity: int, *shapes: tuple[tuple[int, ...], npt.DTypeLike]) -> None:
        self._arrays: list[npt.NDArray[Any]] = [np.zeros((capacity, *shape), dtype) for shape, dtype in shapes]
        self._capacity, self._added = capacity, 0

    def __len__(self) -> int:
        return min(self._capacity, self._added)

    def add(self, *rows: npt.NDArray[Any]) -> None:
        """Add rows to each array; when full, they replace the oldest."""
        self._put(self._numbers(rows) % self._capacity, rows)

    def _numbers(self, rows: tuple[npt.NDArray[Any], ...]) -> npt.NDArray[np.int64]:
        """How many rows there have been before each of these."""
        return self._added + np.arange(len(rows[0]))

    def _put(self, places: npt.NDArray[np.int64], rows: tuple[npt.NDArray[Any], ...]) -> None:
        """Put rows into their places, those beyond the capacity nowhere."""
        kept = places < self._capacity
        for array, new in zip(self._arrays, rows, strict=True):
            array[places[kept]] = new[kept]
        self._added += len(places)

    def clear(self) -> None:
        """Forget all rows."""
        self._added = 0

    def sample(self, count: int, rng: np.random.Generator) -> list[npt.NDArray[Any]]:
        """``count`` random rows, with replacement, of each array."""
        chosen = rng.integers(len(self), size=count)
        return [array[chosen] for array in self._arrays]


class Reservoir(ReplayBuffer):
    """A uniform sample of all rows so far (reservoir sampling, Vitter 1985)."""

    def sample_in(self, rng: np.random.Generator, *rows: npt.NDArray[Any]) -> None:
        """Keep each row with the probability that makes all rows so far equally likely to be kept."""
        numbers = self._numbers(rows)
        self._put(np.where(numbers < self._capacity, numbers, rng.integers(0, numbers + 1)), rows)

"""What a league learns from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


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

"""An integer vector declared as data: named parts with shape, range and meaning, from which code and tables come."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.int8 | np.int16]
"""A vector with the size and dtype of some layout."""

_INT8, _INT16 = np.iinfo(np.int8), np.iinfo(np.int16)


@dataclass(frozen=True)
class Part:
    """A named part of the vector; shape () is a single number, and ``low`` .. ``high`` bound every entry."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    offset: int = 0

    @property
    def length(self) -> int:
        """Number of entries of the vector that the part takes."""
        return math.prod(self.shape)


class Layout:
    """All parts of a vector in order, without gaps.

    Attributes:
        parts: by name, in order.
        size: number of entries of the vector, K.
        at: offsets by the name of the part, a named tuple, for compiled code.
        dtype: of the vector: int8 if it holds the ranges of all parts, else int16; `ValueError` for wider ranges.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts: dict[str, Part] = {}
        self.size = 0
        for part in parts:
            self.parts[part.name] = Part(part.name, part.shape, part.low, part.high, part.meaning, self.size)
            self.size += part.length
        self.dtype: np.dtype[Any] = _narrowest(self.parts.values())
        offsets: Any = namedtuple("Offsets", [*self.parts])  # type: ignore[misc]
        self.at: Any = offsets(*[part.offset for part in self.parts.values()])
        self._places = [(p.name, slice(p.offset, p.offset + p.length), p.shape) for p in self.parts.values()]

    def offset(self, name: str) -> int:
        """Index of the first entry of the part called ``name``."""
        return self.parts[name].offset

    @property
    def low(self) -> Vector:
        """Smallest value of each entry, `dtype`, shape (size,)."""
        return np.concatenate([np.full(part.length, part.low, self.dtype) for part in self.parts.values()])

    @property
    def high(self) -> Vector:
        """Largest value of each entry, `dtype`, shape (size,)."""
        return np.concatenate([np.full(part.length, part.high, self.dtype) for part in self.parts.values()])

    @cached_property
    def _bounds(self) -> tuple[Vector, Vector]:
        return self.low, self.high

    @property
    def largest(self) -> npt.NDArray[np.float32]:
        """Largest magnitude of each entry, at least 1, float32, shape (size,); observations are scaled by it."""
        low, high = self.low.astype(np.float32), self.high.astype(np.float32)
        return np.maximum(np.maximum(-low, high), np.float32(1))

    def describe(self) -> list[dict[str, Any]]:
        """One dict per part: name, offset, length, shape, low, high, meaning."""
        names = ("name", "offset", "length", "shape", "low", "high", "meaning")
        return [{name: getattr(part, name) for name in names} for part in self.parts.values()]

    def checked(self, vector: npt.ArrayLike) -> Vector:
        """``vector`` as an array of `dtype`; `ValueError` for a wrong shape or entries out of range."""
        values, (low, high) = self._shaped(vector), self._bounds
        if (values < low).any() or (values > high).any():
            raise ValueError("the observation has entries outside the ranges that describe_observation() states")
        return values.astype(self.dtype)

    def decode(self, vector: npt.ArrayLike) -> dict[str, Any]:
        """The named parts of ``vector`` (integers, shape (size,)): an int, or nested lists of ints.

        Raises `ValueError` for a vector of the wrong shape.
        """
        entries = self._shaped(vector).tolist()
        return {name: _nested(entries[place], shape) for name, place, shape in self._places}

    def _shaped(self, vector: npt.ArrayLike) -> npt.NDArray[Any]:
        values = np.asarray(vector)
        if values.shape != (self.size,):
            raise ValueError(f"an observation vector of shape ({self.size},) is needed, not {values.shape}")
        return values


def _narrowest(parts: Iterable[Part]) -> np.dtype[Any]:
    wide = False
    for part in parts:
        if not (_INT16.min <= part.low and part.high <= _INT16.max):
            raise ValueError(f"the part {part.name!r} ({part.low} .. {part.high}) does not fit into int16")
        wide |= not (_INT8.min <= part.low and part.high <= _INT8.max)
    return np.dtype(np.int16 if wide else np.int8)


def _nested(entries: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return entries[0]
    for length in reversed(shape[1:]):
        entries = [entries[i : i + length] for i in range(0, len(entries), length)]
    return entries

"""An integer vector declared as data: named parts with shape, range and meaning, from which code and tables come."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.int8 | np.int16]
"""A vector with the size and dtype of some layout."""


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
        low, high: smallest and largest value of each entry, `dtype`, shape (size,).
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self.size, placed = 0, []
        for part in parts:
            placed.append(replace(part, offset=self.size))
            self.size += part.length
        self.parts = {part.name: part for part in placed}
        kinds = (narrowest(f"part {part.name!r}", part.low, part.high, np.int8, np.int16) for part in placed)
        self.dtype: np.dtype[Any] = np.result_type(np.int8, *kinds)
        lengths = [part.length for part in placed]
        self.low: Vector = np.repeat(np.array([part.low for part in placed], self.dtype), lengths)
        self.high: Vector = np.repeat(np.array([part.high for part in placed], self.dtype), lengths)
        offsets: Any = namedtuple("Offsets", [*self.parts])  # type: ignore[misc]
        self.at: Any = offsets(*[part.offset for part in placed])
        self._places = [(p.name, slice(p.offset, p.offset + p.length), p.shape) for p in placed]

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
        """``vector`` as an array of `dtype`; `ValueError` for a wrong shape, or entries out of range or no integers."""
        values = self._shaped(vector)
        if not ((self.low <= values) & (values <= self.high) & (values == np.trunc(values))).all():
            raise ValueError("the observation has entries outside the ranges that describe_observation() states")
        return values.astype(self.dtype)

    def decode(self, vector: npt.ArrayLike) -> dict[str, Any]:
        """The named parts of ``vector`` (shape (size,)): an int or a float, as there, or nested lists of them.

        Raises `ValueError` for a vector of the wrong shape.
        """
        entries = self._shaped(vector)
        return {name: entries[place].reshape(shape).tolist() for name, place, shape in self._places}

    def _shaped(self, vector: npt.ArrayLike) -> npt.NDArray[Any]:
        values = np.asarray(vector)
        if values.shape != (self.size,):
            raise ValueError(f"an observation vector of shape ({self.size},) is needed, not {values.shape}")
        return values


def narrowest(what: str, low: int, high: int, *kinds: type[np.integer[Any]]) -> type[np.integer[Any]]:
    """The first of the dtypes that holds the range; `ValueError` if none does."""
    for kind in kinds:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return kind
    raise ValueError(f"the {what} ({low} .. {high}) does not fit into {kinds[-1].__name__}")

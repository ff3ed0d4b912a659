"""Arrays from outside: what an object keeps of those it was pickled or copied with, and checks of saved ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import few

Array = npt.NDArray[Any]


def own_arrays(state: dict[str, Any]) -> dict[str, Any]:
    """Attributes for ``__setstate__``, with every array in memory of its own: aligned, writable and shared with nobody.

    Pickles whose buffers are kept apart (protocol 5, as in Ray's object store) give arrays in memory that is read-only
    or belongs to the original, and compiled code takes neither. Attributes that were one array stay one array.
    """
    copies: dict[int, Any] = {}

    def own(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return copies.setdefault(id(value), value.copy())
        if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
            return type(value)(*map(own, value))
        if isinstance(value, dict):
            return {name: own(entry) for name, entry in value.items()}
        return value

    return own(state)  # type: ignore[no-any-return]


def check_arrays(what: str, given: Mapping[str, Any], expected: Mapping[str, Array]) -> dict[str, Array]:
    """Copies of the arrays ``given`` from outside, in memory of their own, by name; ``what`` has them, for messages.

    Raises `TypeError` or `ValueError` if a name, shape or dtype is not as ``expected``, or a number is not finite.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a {type(given).__name__}, not a mapping of arrays by name")
    for name in [*expected, *given]:
        if name not in given or name not in expected:
            wrong = "lacks" if name in expected else "has"
            raise ValueError(f"{what} {wrong} the array {name!r}; allowed are {few(expected)}")
    return {name: _check_array(f"{name} of {what}", given[name], like) for name, like in expected.items()}


def _check_array(name: str, given: Any, like: Array) -> Array:
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{name} is a {type(given).__name__}, not an array")
    if (given.dtype, given.shape) != (like.dtype, like.shape):
        raise ValueError(f"{name} is {given.dtype} of shape {given.shape}; allowed is {like.dtype} of {like.shape}")
    array: Array = np.array(given, order="C")
    if array.dtype == np.bool_:
        return np.not_equal(array.view(np.uint8), 0)  # a byte may hold more than 0 and 1, with which NumPy loses count
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} is not made of finite numbers")
    return array


def check_entries(name: str, array: Array, low: float, high: float) -> None:
    """Raise `ValueError` unless all entries are in low .. high."""
    if array.size and not low <= array.min() <= array.max() <= high:
        raise ValueError(f"{name} has entries in {array.min()} .. {array.max()}; allowed are {low} .. {high}")

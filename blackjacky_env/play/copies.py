"""What an object keeps of its pickled or copied attributes."""

from __future__ import annotations

from typing import Any

import numpy as np


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

"""Checks of what people give, whose errors name it and what is allowed."""

from __future__ import annotations

import operator

import numpy as np


def read_integer(name: str, value: object, allowed: str) -> int:
    """``value`` as an int if it is an integer; else a `TypeError` that names what is ``allowed``."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}={value!r} is not an integer; allowed are {allowed}")
    return operator.index(value)


def check_integer(name: str, value: object, low: int, high: int) -> int:
    """``value`` as an int if it is an integer low .. high; else a `TypeError` or `ValueError` naming all of this."""
    number = read_integer(name, value, f"{low} .. {high}")
    if not low <= number <= high:
        raise ValueError(f"{name}={number} is out of range; allowed are {low} .. {high}")
    return number


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """``value`` if it is one of ``allowed``; else a `ValueError` that names them."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r} is unknown; allowed are {', '.join(map(repr, allowed))}")
    return value

"""Argument checks whose error messages name the argument, its value and what is allowed."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np


def read_integer(name: str, value: object, allowed: str) -> int:
    """``value`` as an int; `TypeError` if it is not an integer, naming what is ``allowed``.

    An array of shape () may be an integer, one of shape (1,) is a list of them.
    """
    if not isinstance(value, bool | np.bool_) and hasattr(value, "__index__") and not getattr(value, "ndim", 0):
        with suppress(TypeError):  # arrays of other numbers
            return operator.index(value)
    raise TypeError(f"{name}={value!r} is not an integer; allowed are {allowed}")


def check_integer(name: str, value: object, low: int, high: int, allowed: str = "") -> int:
    """``value`` as an int; `TypeError` if it is not an integer, `ValueError` if it is not in low .. high."""
    allowed = allowed or f"{low} .. {high}"
    if not low <= (number := read_integer(name, value, allowed)) <= high:
        raise ValueError(f"{name}={number} is out of range; allowed are {allowed}")
    return number


def check_number(name: str, value: object, low: float, high: float) -> float:
    """``value`` as a float; `TypeError` if it is not a number, `ValueError` if it is not in low .. high."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name}={value!r} is not a number; allowed are {low:g} .. {high:g}")
    if not low <= value <= high:
        raise ValueError(f"{name}={value!r} is out of range; allowed are {low:g} .. {high:g}")
    return float(value)


def check_generator(rng: Any) -> np.random.Generator:
    """``rng``; `TypeError` if it is not a generator."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng={rng!r} is not a numpy.random.Generator; numpy.random.default_rng(seed) makes one")
    return rng


def check_flag(name: str, value: object) -> bool:
    """``value``; `TypeError` if it is not True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r} is not a bool; allowed are True and False")
    return bool(value)


def check_choice(name: str, value: object, allowed: Collection[object]) -> str:
    """``value``; `ValueError` if it is not one of ``allowed``."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r} is unknown; allowed are {', '.join(map(repr, allowed))}")
    return value


def check_list(name: str, value: Any, allowed: str) -> Sequence[Any]:
    """``value``; `TypeError` or `ValueError` unless it is a list that is not empty; ``allowed``: in words."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(f"{name}={value!r} is not a list; allowed is {allowed}")
    if not value:
        raise ValueError(f"{name}={value!r} is empty; allowed is {allowed}")
    return value


# ---------------------------------------------------------------- cards

_FEW = 12  # names that a message lists


def card_key(card: object) -> object:
    """What is the same for all ways to write a card; True is not 1."""
    return (type(card) is bool, " ".join(card.casefold().split()) if isinstance(card, str) else _hashable(card))


def _hashable(card: object) -> object:
    return int(card) if isinstance(card, int | np.integer) else repr(card)


def few(names: Iterable[object]) -> str:
    """The names of cards, each once, for a message; the first three and the last one if they are many."""
    each = list(dict.fromkeys(names))
    shown = each if len(each) <= _FEW else [*each[:3], "...", each[-1]]
    return ", ".join(map(str, shown))

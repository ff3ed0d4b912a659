"""Functions that begin in plain Python and go on compiled: whoever looks at a game waits for no compiler.

Compiling takes seconds, a call in plain Python milliseconds. The functions of a game are compiled, each at its next
call, when their calls in plain Python have taken `PATIENCE` seconds in all; one whose machine code lies in the cache
never runs there. The results are the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from blackjacky_env.compiled.compiling import PLAIN, is_cached, with_attributes
from blackjacky_env.compiled.inner import IN_PLAIN_PYTHON

PATIENCE = 1.0


def begin_plainly(place: Any, *names: str) -> None:
    """Let others stand in place of the entries that are the attributes ``names``, until it pays."""
    spent = [0.0]
    for name in names if not PLAIN else ():
        setattr(place, name, _Beginner(place, name, getattr(place, name), spent))


class _Beginner:
    """Stands for an entry until it pays to compile it, and then makes room for it."""

    def __init__(self, place: Any, name: str, compiled: Any, spent: list[float]) -> None:
        self._place, self._name, self._compiled = place, name, compiled
        self._spent, self._is_new = spent, True  # seconds of all that begin together

    def __call__(self, *args: Any) -> Any:
        if self._spent[0] >= PATIENCE or (self._is_new and is_cached(self._compiled, args)):
            setattr(self._place, self._name, self._compiled)
            return self._compiled(*args)
        begun, self._is_new = time.perf_counter(), False
        result = in_plain_python(self._compiled)(*args)
        self._spent[0] += time.perf_counter() - begun
        return result


def in_plain_python(function: Any) -> Callable[..., Any]:
    """A compiled function as Python runs it, with all that it reaches."""
    function = getattr(function, "py_func", function)

    def run(*args: Any) -> Any:
        before = IN_PLAIN_PYTHON.set(True)
        try:
            with np.errstate(over="ignore"):  # compiled code wraps silently
                return function(*(with_attributes(each) if isinstance(each, np.ndarray) else each for each in args))
        finally:
            IN_PLAIN_PYTHON.reset(before)

    return run

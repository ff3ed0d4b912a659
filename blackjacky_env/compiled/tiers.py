"""Functions that begin in plain Python and go on compiled: whoever looks at a game waits for no compiler.

Compiling takes seconds, a call in plain Python milliseconds. A function is compiled when its calls in plain Python have
taken `PATIENCE` seconds in all, and never runs there if its machine code lies in the cache. The results are the same.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from blackjacky_env.compiled.compiling import PLAIN, is_cached

PATIENCE = 1.0

Function = Callable[..., Any]


def begin_plainly(place: Any, *names: str) -> None:
    """Let others stand in place of the compiled functions that are the attributes ``names``, until it pays."""
    for name in names if not PLAIN else ():
        setattr(place, name, _Beginner(place, name, getattr(place, name)))


class _Beginner:
    """Stands for a compiled function until it pays to compile it, and then makes room for it."""

    def __init__(self, place: Any, name: str, compiled: Any) -> None:
        self._place, self._name, self._compiled = place, name, compiled
        self._plain: Function | None = None
        self._spent = 0.0

    def __call__(self, *args: Any) -> Any:
        if self._spent >= PATIENCE or (self._plain is None and is_cached(self._compiled, args)):
            setattr(self._place, self._name, self._compiled)
            return self._compiled(*args)
        if self._plain is None:
            self._plain = in_plain_python(self._compiled)
        begun = time.perf_counter()
        with np.errstate(over="ignore"):  # compiled code wraps silently
            result = self._plain(*map(_with_attributes, args))
        self._spent += time.perf_counter() - begun
        return result


def _with_attributes(value: Any) -> Any:
    """An array of records as one whose fields are attributes, as rules read them; the memory is shared."""
    is_records = isinstance(value, np.ndarray) and value.dtype.names is not None
    return value.view(np.recarray) if is_records else value


def in_plain_python(function: Any) -> Function:
    """A compiled function as Python runs it, with all that it reaches."""
    return _Plain().of(function)  # type: ignore[no-any-return]


class _Plain:
    def __init__(self) -> None:
        self._made: dict[int, Any] = {}

    def of(self, value: Any, names: frozenset[str] = frozenset()) -> Any:
        """The value with every compiled function in place of which Python's stands; ``names``: those asked of it."""
        if isinstance(value, Dispatcher):
            return self._of_function(value.py_func)
        if isinstance(value, types.FunctionType) and value.__module__.partition(".")[0] not in ("numpy", "numba"):
            return self._of_function(value)
        if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in ("numpy", "numba", "math"):
            found = {name: self.of(getattr(value, name)) for name in names if hasattr(value, name)}
            return types.SimpleNamespace(**found)
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            return tuple(map(self.of, value))
        return value

    def _of_function(self, function: types.FunctionType) -> types.FunctionType:
        if id(function) in self._made:
            return self._made[id(function)]  # type: ignore[no-any-return]
        outside: dict[str, Any] = {"__builtins__": __builtins__, "__name__": function.__module__}
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        made = types.FunctionType(function.__code__, outside, function.__name__, function.__defaults__, cells)
        self._made[id(function)] = made
        names = frozenset(_names(function.__code__))
        for name in names & function.__globals__.keys():
            outside[name] = self.of(function.__globals__[name], names)
        for cell, given in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.of(given.cell_contents, names)
        return made


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)

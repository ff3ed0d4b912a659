"""Compilation with Numba: decorators for compiled functions, and arrays as compiled and plain Python both take them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.compiler import Compiler
from numba.core.dispatcher import Dispatcher
from numba.core.extending import overload
from numba.core.registry import CPUDispatcher

from blackjacky_env.compiled.caching import OPTIONS, DiskCache
from blackjacky_env.compiled.fingerprints import fingerprint
from blackjacky_env.compiled.inner import Inner

PLAIN = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]  # Numba sets it while it is imported
"""Plain Python mode (NUMBA_DISABLE_JIT=1): nothing is compiled, for debugging and coverage."""

_CPUDispatcher: Any = CPUDispatcher


class ContentCompiler(Compiler):
    """Numba's compiler, with a hash of a function's content in the name of its machine code.

    A cached file holds, by name, the code of everything its entry calls, and the linker takes the first code it finds
    under a name. Numba distinguishes functions of the same name by a counter that starts over in each process, so the
    same name and number may mean different functions (such as two bots) in files from two processes.
    """

    def compile_extra(self, func: FunctionType) -> Any:
        """Compile as Numba does, under a name that includes the hash."""
        name = func.__qualname__
        with contextlib.suppress(TypeError):  # functions without a fingerprint are never cached
            func.__qualname__ = f"{name}_{fingerprint(func)[:16]}"
        try:
            return super().compile_extra(func)
        finally:
            func.__qualname__ = name


Function = Callable[..., Any]


def compiled(function: Function) -> Function:
    """Decorator for the functions that entries and bots are built from."""
    return _dispatcher(Inner, function)


def inlined(function: Function) -> Function:
    """Decorator for the small functions of the rules: as `compiled`, but inlined into every caller.

    The compiler does not inline these calls by itself; inlining makes random play twice as fast. Bots are not compiled
    this way: they have many functions with many call sites, so compiling them would take minutes.
    """
    return _dispatcher(Inner, function, forceinline=True)


def generated(name: str, source: str, names: dict[str, Any]) -> Function:
    """The function that ``source`` defines under this name, with ``names`` as its globals, for the decorators here."""
    code: dict[str, Any] = {**names, "__name__": __name__}
    exec(compile(source, f"<{name}>", "exec"), code)
    function: Function = code[name]
    return function


def is_compiled(function: object) -> bool:
    """Whether compiled code can call ``function``; in plain Python mode any function qualifies."""
    return callable(function) and (PLAIN or isinstance(function, Dispatcher))


class _Entry(_CPUDispatcher):  # type: ignore[misc]
    def compile(self, sig: Any) -> Any:
        with self._cache.compiled_once(sig):
            return super().compile(sig)


def entry(function: Function) -> Function:
    """Decorator for functions called from Python: compiled, with the machine code cached on disk.

    Everything the function reaches must be something that `fingerprint` can hash; otherwise its first call raises a
    `TypeError` naming the value. Without a writable cache folder every process compiles again.
    """
    dispatcher: Any = _dispatcher(_Entry, function)
    if not PLAIN:
        dispatcher._cache = DiskCache(function)
    return dispatcher  # type: ignore[no-any-return]


def _dispatcher(kind: Any, function: Function, **options: Any) -> Function:
    """A dispatcher as made by `numba.njit`, but of class ``kind``."""
    if PLAIN:
        return function
    as_njit = {**OPTIONS, "nopython": True, "boundscheck": None, **options}
    dispatcher: Function = kind(function, targetoptions=as_njit, pipeline_class=ContentCompiler)
    return dispatcher


def is_cached(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether an `entry` is compiled for such arguments, or its machine code lies on disk."""
    signature = tuple(function.typeof_pyval(value) for value in args)
    return signature in function.overloads or function._cache.path(signature).exists()


class Record(np.void):  # type: ignore[misc]  # final for NumPy's stubs, although `numpy.record` is one
    """A record whose fields are attributes in Python, too: `numpy.record` hides fields named like its methods."""

    def __getattribute__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


_RECORD: np.dtype[Any] = np.dtype(Record)  # a dtype, since fingerprints of what reaches it hash no classes


def with_attributes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of records, seen as one of `Record`, as rules read them in Python; any other array unchanged."""
    return array if array.dtype.names is None else array.view(np.dtype((_RECORD.type, array.dtype)))


def zeros(shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of zeroed records, whose fields are attributes in plain Python mode, too."""
    records = np.zeros(shape, dtype)
    return with_attributes(records) if PLAIN else records


@overload(zeros)
def _zeros(shape, dtype):
    def make(shape, dtype):
        return np.zeros(shape, dtype)

    return make


def scratch(shape, dtype, max_shape=None):
    """An uninitialised array; on a GPU, where nothing can be allocated, on the stack of the function that asks.

    On a GPU it must be neither returned nor kept, and its size is fixed when the kernel is compiled.

    Args:
        shape: the length, or (rows, columns); constants by names of their own, not taken from a module, unless
            ``max_shape`` is given.
        dtype: of the array.
        max_shape: the largest ``shape`` that can occur; constants, too.
    """
    return with_attributes(np.empty(shape, dtype))


@overload(scratch)
def _scratch(shape, dtype, max_shape=None):
    return lambda shape, dtype, max_shape=None: np.empty(shape, dtype)


def set_zero(array, count):
    """Set the first entries of an array to 0; on a GPU word by word."""
    array[:count] = 0


@overload(set_zero, jit_options={"forceinline": True})
def _set_zero(array, count):
    def clear(array, count):
        for place in range(count):
            array[place] = 0

    return clear


def copied(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy of an array of records, made as one block of bytes; NumPy copies field by field, ten times slower."""
    return records.view(np.uint8).copy().view(records.dtype, type(records))

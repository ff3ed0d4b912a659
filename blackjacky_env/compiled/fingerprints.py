"""Hashes of everything that the machine code of a function depends on: byte code, constants, and what it reaches."""

from __future__ import annotations

import dis
import hashlib
import types
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic  # what `numba.extending.intrinsic` makes

_TRUSTED_MODULES = ("numpy", "numba", "llvmlite", "math", "builtins")


def fingerprint(*values: object) -> str:
    """SHA-256 (hex) of values and of everything they reach: functions by byte code, arrays by content.

    Raises `TypeError` for a value whose content cannot be hashed.
    """
    digest = hashlib.sha256()
    for piece in _pieces(values, {}):
        digest.update(piece.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _pieces(value: object, seen: dict[int, int]) -> Iterator[str]:
    if isinstance(value, Dispatcher):  # a compiled function: how it was compiled, and from what
        yield f"compiled {sorted(value.targetoptions.items())}"
        value = value.py_func
    if isinstance(value, _Intrinsic):
        value = value._defn
    if isinstance(value, types.FunctionType) and _root(value) not in _TRUSTED_MODULES:
        yield from _pieces_of_function(value, seen)
    elif isinstance(value, types.CodeType):
        yield value.co_code.hex()
        yield from _pieces((value.co_names, value.co_varnames, value.co_freevars, value.co_consts), seen)
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__}{getattr(value, '_fields', '')} of {len(value)}"
        for item in value:
            yield from _pieces(item, seen)
    else:
        yield _piece(value)


def _piece(value: object) -> str:
    """The text hashed for a value that refers to no others."""
    if isinstance(value, frozenset):
        return f"frozenset {sorted(map(repr, value))}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.descr} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, np.generic | np.dtype | str | bytes | int | float | slice | type(None) | type(...)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return f"namedtuple {value.__qualname__} {value._fields}"
    trusted = type | types.BuiltinFunctionType | types.FunctionType | np.ufunc
    if isinstance(value, trusted) and _root(value) in _TRUSTED_MODULES:
        return f"{_root(value)} {getattr(value, '__qualname__', value)}"
    if isinstance(value, types.ModuleType) and _root_of_module(value) in _TRUSTED_MODULES:
        return f"module {value.__name__}"
    raise TypeError(
        f"a compiled function reaches {value!r}, whose content cannot be hashed, so it cannot be cached; "
        "allowed are functions, numbers, strings, tuples, arrays, dtypes and what numpy, numba and math offer"
    )


def _pieces_of_function(function: types.FunctionType, seen: dict[int, int]) -> Iterator[str]:
    if id(function) in seen:
        yield f"function number {seen[id(function)]}"
        return
    seen[id(function)] = len(seen)
    yield f"function {function.__qualname__}"
    yield from _pieces(function.__code__, seen)
    yield from _pieces(function.__defaults__, seen)
    for cell in function.__closure__ or ():
        yield from _pieces(cell.cell_contents, seen)
    for name in sorted(_global_names(function.__code__)):
        if name in function.__globals__:
            for reached, value in _reached(name, function.__globals__[name], function.__code__):
                yield reached
                yield from _pieces(value, seen)


def _reached(name: str, value: object, code: types.CodeType) -> Iterator[tuple[str, object]]:
    """What byte code reaches by the name of a global: its value, or what it takes from a module, which may change."""
    if not isinstance(value, types.ModuleType) or _root_of_module(value) in _TRUSTED_MODULES:
        yield name, value
        return
    for taken in sorted(_taken_from(name, code)):
        yield f"{name}.{taken}", getattr(value, taken)


def _global_names(code: types.CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*(_global_names(constant) for constant in inner))


def _taken_from(module: str, code: types.CodeType) -> set[str]:
    """What byte code takes from the global that is called ``module``; `TypeError` if it takes the module itself."""
    instructions = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    taken = set()
    for loaded, following in pairwise(instructions):
        if loaded.opname == "LOAD_GLOBAL" and loaded.argval == module:
            if following.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                raise TypeError(f"a compiled function reaches the module {module!r} itself; it may use what is in it")
            taken.add(following.argval)
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return taken.union(*(_taken_from(module, constant) for constant in inner))


def _root_of_module(module: types.ModuleType) -> str:
    return module.__name__.partition(".")[0]


def _root(value: Any) -> str:
    """The package that defines a value; empty for a function that says no module, which nobody need trust."""
    module = getattr(value, "__module__", None)
    if module is None and not isinstance(value, types.FunctionType):
        module = type(value).__module__
    return (module or "").partition(".")[0]

"""Hashes of everything that the machine code of a function depends on: byte code, constants, and what it reaches."""

from __future__ import annotations

import dis
import hashlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic  # what `numba.extending.intrinsic` makes

_TRUSTED_MODULES = ("numpy", "numba", "llvmlite", "math", "builtins")


def fingerprint(*values: object) -> str:
    """SHA-256 (hex) of values and of everything they reach: functions by byte code, arrays by content.

    A module of constants and functions counts by its attributes that are used.

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
    trusted = type | types.ModuleType | types.BuiltinFunctionType | types.FunctionType | np.ufunc
    if isinstance(value, trusted) and _root(value) in _TRUSTED_MODULES:
        return f"{_root(value)} {getattr(value, '__qualname__', value.__name__)}"
    raise TypeError(
        f"a compiled function reaches {value!r}, whose content cannot be hashed, so it cannot be cached; "
        "allowed are functions, numbers, strings, tuples, arrays, dtypes, modules of these, and what numpy, numba and "
        "math offer"
    )


def _pieces_of_function(function: types.FunctionType, seen: dict[int, int]) -> Iterator[str]:
    if id(function) in seen:
        yield f"function number {seen[id(function)]}"
        return
    seen[id(function)] = len(seen)
    code, cells = function.__code__, function.__closure__ or ()
    yield f"function {function.__qualname__}"
    yield from _pieces((code, function.__defaults__), seen)
    used = {name: function.__globals__[name] for name in _names(code) & function.__globals__.keys()}
    used |= {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells, strict=True)}
    modules = {name: used.pop(name) for name, value in [*used.items()] if _is_own_module(value)}
    for name, value in sorted((used | _attributes(code, modules)).items()):
        yield name
        yield from _pieces(value, seen)


def _attributes(code: types.CodeType, modules: dict[str, types.ModuleType]) -> dict[str, Any]:
    """What the code uses of modules, by dotted name; `TypeError` if it uses one in another way than by an attribute."""
    found: dict[str, Any] = {}
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"] if modules else []
    for number, step in enumerate(steps):
        if step.opname in ("LOAD_GLOBAL", "LOAD_DEREF") and step.argval in modules:
            name, after = step.argval, iter(steps[number + 1 :])
            value: Any = modules[name]
            while _is_own_module(value):
                attribute = next(after)
                if attribute.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    raise TypeError(f"a compiled function uses the module {name!r} in another way than {name}.NAME")
                name, value = f"{name}.{attribute.argval}", getattr(value, attribute.argval, None)
            found[name] = value
    for inner in _inner(code):
        found |= _attributes(inner, modules)
    return found


def _is_own_module(value: object) -> bool:
    return isinstance(value, types.ModuleType) and _root(value) not in _TRUSTED_MODULES


def _names(code: types.CodeType) -> set[str]:
    return set(code.co_names).union(*map(_names, _inner(code)))


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def _root(value: Any) -> str:
    """The package that defines a value; empty for a function that says no module, which nobody need trust."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0]
    module = getattr(value, "__module__", None)
    if module is None and not isinstance(value, types.FunctionType):
        module = type(value).__module__
    return (module or "").partition(".")[0]

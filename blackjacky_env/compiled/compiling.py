"""Compilation with Numba, and an on-disk cache for functions that close over games and bots, and for what they call.

Numba's own cache never hits for such closures and does not notice when a callee in another file changes. Here the
name of a cache file is a hash of everything its machine code depends on: the byte code and constants of the function
and of all functions it reaches, the signature, the processor and the versions. So the cache works across processes,
cannot go stale or mix up two functions, and has no index that concurrent processes could corrupt.
"""

from __future__ import annotations

import contextlib
import dis
import gc
import hashlib
import pickle
import sys
import types
import uuid
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic, overload  # what `numba.extending.intrinsic` makes
from numba.core.registry import CPUDispatcher, cpu_target

from blackjacky_env.compiled.inner import Code, Inner
from blackjacky_env.compiled.locking import one_process
from blackjacky_env.compiled.ownership import is_own, read_own

PLAIN = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]  # Numba sets it while it is imported
"""Plain Python mode (NUMBA_DISABLE_JIT=1): nothing is compiled, for debugging and coverage."""

_FORMAT = 2  # of cached files; to be raised when their content changes
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_TRUSTED_MODULES = ("numpy", "numba", "llvmlite", "math", "builtins")


class ContentCompiler(Compiler):
    """Numba's compiler, with a hash of a function's content in the name of its machine code.

    A cached file holds, by name, the code of everything its entry calls, and the linker takes the first code it finds
    under a name. Numba distinguishes functions of the same name by a counter that starts over in each process, so the
    same name and number may mean different functions (such as two bots) in files from two processes.
    """

    def compile_extra(self, func: types.FunctionType) -> Any:
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
    return _dispatcher(_CachedInner, function)


def inlined(function: Function) -> Function:
    """Decorator for the small functions of the rules: as `compiled`, but inlined into every caller.

    The compiler does not inline these calls by itself; inlining makes random play twice as fast. Bots are not compiled
    this way: they have many functions with many call sites, so compiling them would take minutes.
    """
    return _dispatcher(_CachedInner, function, forceinline=True)


def generated(name: str, source: str, names: dict[str, Any]) -> Function:
    """The function that ``source`` defines under this name, with ``names`` as its globals, for the decorators here."""
    code: dict[str, Any] = {**names, "__name__": __name__}
    exec(compile(source, f"<{name}>", "exec"), code)
    function: Function = code[name]
    return function


def is_compiled(function: object) -> bool:
    """Whether compiled code can call ``function``; in plain Python mode any function qualifies."""
    return callable(function) and (PLAIN or isinstance(function, Dispatcher))


def entry(function: Function) -> Function:
    """Decorator for functions called from Python: compiled, with the machine code cached on disk.

    Everything the function reaches must be something that `fingerprint` can hash; otherwise its first call raises a
    `TypeError` naming the value. Without a writable cache folder every process compiles again.
    """
    dispatcher = _dispatcher(_Entry, function)
    if not PLAIN:
        cache_on_disk(dispatcher, function)
    return dispatcher


def _dispatcher(kind: Any, function: Function, **options: Any) -> Function:
    """A dispatcher as made by `numba.njit`, but of class ``kind``."""
    if PLAIN:
        return function
    as_njit = {**OPTIONS, "nopython": True, "boundscheck": None, **options}
    dispatcher: Function = kind(function, targetoptions=as_njit, pipeline_class=ContentCompiler)
    return dispatcher


def cache_on_disk(dispatcher: Any, function: Function) -> None:
    """Make a dispatcher cache the machine code of ``function`` on disk."""
    with contextlib.suppress(RuntimeError):  # Numba found no folder to write to
        dispatcher._cache = _EntryCache(function)


def is_cached(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether an `entry` is compiled for such arguments, or its machine code lies on disk."""
    signature = tuple(function.typeof_pyval(value) for value in args)
    if signature in function.overloads:
        return True
    path = function._cache.path if isinstance(function._cache, _EntryCache) else None
    return path is not None and path(signature, cpu_target.target_context.codegen()).exists()


@contextlib.contextmanager
def compiled_once(cache: Any, signature: Any) -> Iterator[None]:
    """Context for compiling: other processes about to compile the same code wait, then load it from the cache."""
    path = cache.path(signature, cpu_target.target_context.codegen()) if isinstance(cache, _EntryCache) else None
    if path is None or path.exists():
        yield
        return
    with global_compiler_lock, one_process(path.with_suffix(".lock")), _no_collection():
        yield


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Garbage collection would take a fifth of the time of compiling and free little."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def record_dtype(fields: list[Any]) -> np.dtype[Any]:
    """The dtype of a game's record from ``fields`` as NumPy takes them, each aligned: GPUs read no other."""
    return np.dtype(fields, align=True)


def zeros(shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of zeroed records; plain Python mode needs `numpy.recarray` so that fields are attributes."""
    records = np.zeros(shape, dtype)
    return records.view(np.recarray) if PLAIN else records


def record_maker(count: int, dtype: np.dtype[Any]) -> Callable[[], Any]:
    """A compiled function () that returns an array of ``count`` zeroed records, as `zeros` does in Python."""

    def make() -> Any:
        return np.zeros(count, dtype)

    return partial(zeros, count, dtype) if PLAIN else compiled(make)


def scratch(shape, dtype, max_shape=None):
    """An uninitialised array; on a GPU, where nothing can be allocated, on the stack of the function that asks.

    On a GPU it must be neither returned nor kept, and its size is fixed when the kernel is compiled.

    Args:
        shape: the length, or (rows, columns); constants, unless ``max_shape`` is given.
        dtype: of the array.
        max_shape: the largest ``shape`` that can occur; constants.
    """
    array = np.empty(shape, dtype)
    return array.view(np.recarray) if array.dtype.names else array


@overload(scratch)
def _allocate(shape, dtype, max_shape=None):
    def allocate(shape, dtype, max_shape=None):
        return np.empty(shape, dtype)

    return allocate


def copied(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy of an array of records, made as one block of bytes; NumPy copies field by field, ten times slower."""
    return records.view(np.uint8).copy().view(records.dtype, type(records))


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
    trusted = type | types.BuiltinFunctionType | types.FunctionType | np.ufunc
    if isinstance(value, trusted) and _root(value) in _TRUSTED_MODULES:
        return f"{_root(value)} {getattr(value, '__qualname__', value)}"
    if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] in _TRUSTED_MODULES:
        return f"module {value.__name__}"
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
    yield f"function {function.__qualname__}"
    yield from _pieces(function.__code__, seen)
    yield from _pieces(function.__defaults__, seen)
    modules = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if _is_own_module(cell.cell_contents):
            modules[name] = cell.cell_contents
        else:
            yield from _pieces(cell.cell_contents, seen)
    for name in sorted(_global_names(function.__code__)):
        if name not in function.__globals__:
            continue
        if _is_own_module(value := function.__globals__[name]):
            modules[name] = value
        else:
            yield name
            yield from _pieces(value, seen)
    for name, value in sorted(_attributes(function.__code__, modules).items()):
        yield name
        yield from _pieces(value, seen)


def _is_own_module(value: object) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in _TRUSTED_MODULES


def _attributes(code: types.CodeType, modules: dict[str, types.ModuleType]) -> dict[str, Any]:
    """What the code uses of modules, by dotted name; `TypeError` if it uses one in another way than by an attribute."""
    found: dict[str, Any] = {}
    if not modules:
        return found
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
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
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _attributes(inner, modules)
    return found


def _global_names(code: types.CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*(_global_names(constant) for constant in inner))


def _root(value: Any) -> str:
    """The package that defines a value; empty for a function that says no module, which nobody need trust."""
    module = getattr(value, "__module__", None)
    if module is None and not isinstance(value, types.FunctionType):
        module = type(value).__module__
    return (module or "").partition(".")[0]


_CPUDispatcher: Any = CPUDispatcher


class _Entry(_CPUDispatcher):  # type: ignore[misc]
    def compile(self, sig: Any) -> Any:
        with compiled_once(self._cache, sig):
            return super().compile(sig)


class _CachedInner(Inner):
    """An inner function that is compiled once for all processes."""

    def make_code(self, args: tuple[Any, ...]) -> Code:
        cache = self._disk_cache
        code = cache.load_overload(args, self.targetctx) if cache else None
        if code is None:
            code = super().make_code(args)
            if cache:
                cache.save_overload(args, code)
        return code

    @cached_property
    def _disk_cache(self) -> _InnerCache | None:
        with contextlib.suppress(RuntimeError, TypeError):  # no folder to write to; something that cannot be hashed
            return _InnerCache(self)
        return None


class _EntryCache(FunctionCache):
    """Caches each compiled overload in its own file, named after everything it depends on."""

    _suffix = ".nbc"

    @cached_property
    def _key(self) -> str:
        return fingerprint(self._py_func)  # computed at the first call, when its module is fully defined

    def path(self, signature: Any, codegen: Any) -> Path:
        versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
        types_of_arguments = getattr(signature, "args", signature)  # of an entry, or of a callback
        # The string of a named tuple's type lacks its module and its fields.
        arguments = [(t, getattr(t, "instance_class", ""), getattr(t, "fields", "")) for t in types_of_arguments]
        module = self._py_func.__module__  # imported when the file is read
        options = (*sorted(OPTIONS.items()), numba.config.OPT)  # type: ignore[attr-defined]
        facts = (self._key, module, arguments, codegen.magic_tuple(), versions, options, _FORMAT)
        name = hashlib.sha256(repr(facts).encode()).hexdigest()
        return Path(self._cache_path) / f"blackjacky-{name[:40]}{self._suffix}"

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        content = read_own(self.path(sig, target_context.codegen()))
        checksum, data = content[:32], content[32:]
        if hashlib.sha256(data).digest() != checksum:
            return None  # missing, truncated or damaged: compile again
        try:
            return self._rebuild(target_context, pickle.loads(data))  # noqa: S301 - written by this user: `read_own`
        except Exception:  # noqa: BLE001 - a pickle may raise anything
            return None  # from other versions, or something it refers to has moved: compile again

    def _save_overload(self, sig: Any, data: Any) -> None:
        content = self._dump(data)
        if content is None:
            return
        path = self.path(sig, cpu_target.target_context.codegen())
        aside = path.with_suffix(f".{uuid.uuid4().hex[:16]}")
        try:
            self._impl.locator.ensure_cache_path()
            if not is_own(path.parent):
                return  # others may change what is in this folder, so it would not be read
            aside.write_bytes(hashlib.sha256(content).digest() + content)
            aside.replace(path)
        except OSError:  # a full disk or lost permissions must not stop the run
            with contextlib.suppress(OSError):
                aside.unlink()

    def _dump(self, data: Any) -> bytes | None:
        """None if no other process could use it."""
        return self._cache_file._dump(self._impl.reduce(data)) if self._impl.check_cachable(data) else None

    def _rebuild(self, target_context: Any, data: Any) -> Any:
        return self._impl.rebuild(target_context, data)


class _InnerCache(_EntryCache):
    """Caches the code of an inner function, which callers still have to optimise."""

    _suffix = ".nbp"

    def __init__(self, function: Inner) -> None:
        is_generated = function.py_func.__code__.co_filename.startswith("<")
        super().__init__(generated if is_generated else function.py_func)  # beside whose file the cache lies
        self._key = fingerprint(function)  # with how it is compiled, such as inlined

    def _dump(self, data: Code) -> bytes | None:
        packed = data.pack()
        with contextlib.suppress(pickle.PicklingError, AttributeError):  # types that only this process knows
            return pickle.dumps(packed) if packed else None
        return None

    def _rebuild(self, target_context: Any, data: Any) -> Code | None:
        return Code.unpack(target_context.codegen(), *data)

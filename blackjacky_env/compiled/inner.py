"""Compiled functions that only other compiled functions call; machine code is generated for their callers only.

By default Numba generates Python and C wrappers and machine code for every function that another one calls, although
the caller's machine code contains everything it calls. Without them entries compile in two thirds of the time.

An inner function is optimised by itself and once more in each of its callers. With ``NUMBA_OPT`` below 3 only callers
optimise it: compiling takes a third less time, and some bots are a tenth slower.

What callers need of it is cached for other processes, which then compile only their own callers.
"""

from __future__ import annotations

import contextlib
import pickle
import weakref
from contextvars import ContextVar
from functools import cached_property
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import make_concrete_template

from blackjacky_env.compiled.caching import DiskCache

_CPUDispatcher: Any = CPUDispatcher  # Numba's annotations are few and not always correct
_JITCodeLibrary: Any = JITCodeLibrary
_NumbaCompiler: Any = _FunctionCompiler

FULL_OPTIMISATION = 3  # Numba's default for NUMBA_OPT
IN_PLAIN_PYTHON = ContextVar("IN_PLAIN_PYTHON", default=False)
"""Whether Python's calls of inner functions run them in plain Python, see `tiers`."""


class Code(NamedTuple):
    """What callers need of an inner function."""

    library: Any
    description: Any
    signature: Any
    environment: Any = None
    """Numba finds it by its name as long as there is a reference; no other process needs it."""


class Inner(_CPUDispatcher):  # type: ignore[misc]
    """A dispatcher that keeps overloads called by compiled code apart from those called by Python, if any."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._codes: dict[tuple[Any, ...], Code] = {}  # by argument types

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call it from Python."""
        return (self.py_func if IN_PLAIN_PYTHON.get() else super().__call__)(*args, **named)

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """Signatures for a call with arguments of these types; Numba asks while it compiles the caller."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        if tuple(folded) not in self._codes:
            self._codes[tuple(folded)] = self._offered(tuple(folded))
        name = self.py_func.__name__
        signatures = [code.signature for code in self._codes.values()]
        template = make_concrete_template(f"CallTemplate({name})", key=name, signatures=signatures)
        return template, signature, folded, {}

    def get_overload(self, sig: Any) -> object:
        """The key under which callers find the function of this signature."""
        return self._codes[tuple(normalize_signature(sig)[0])].library

    def _offered(self, args: tuple[Any, ...]) -> Code:
        """The code for arguments of these types, from the cache or compiled, in Numba's function table."""
        code = self._disk_cache and self._disk_cache.load_overload(args, self.targetctx)
        if code is None:
            code = self._compiled(args)
            if self._disk_cache:
                self._disk_cache.save_overload(args, code)
        self.targetctx.insert_user_function(code.library, code.description, [code.library])
        weakref.finalize(self, self.targetctx.remove_user_function, code.library).atexit = False
        return code

    def _compiled(self, args: tuple[Any, ...]) -> Code:
        pipeline = self._compiler.pipeline_class
        compiler = _InnerCompiler(self.py_func, self.targetdescr, self.targetoptions, {}, pipeline)
        with global_compiler_lock, self._compiling_counter:
            made = compiler.compile(args, None)
        made.library.__class__ = _InnerLibrary
        return Code(made.library, made.fndesc, made.signature, made.environment)

    @cached_property
    def _disk_cache(self) -> _InnerCache | None:
        cache = _InnerCache(self)  # whose key says how it is compiled, too, such as inlined
        with contextlib.suppress(TypeError):  # something that cannot be hashed
            return cache if cache.key else None
        return None


class _InnerCache(DiskCache):
    """Caches the code of an inner function, which callers still have to optimise."""

    suffix = ".nbp"

    def packed(self, data: Code) -> bytes | None:
        name, _, bitcode = data.library.serialize_using_bitcode()
        data.description.typemap = data.description.calltypes = None  # large, and of use to the compiler only
        with contextlib.suppress(pickle.PicklingError, AttributeError):
            return pickle.dumps((name, bitcode, data.description, data.signature))
        return None

    def unpacked(self, target_context: Any, data: Any) -> Code:
        name, bitcode, description, signature = data
        library = target_context.codegen().create_library(name)
        library.__class__ = _InnerLibrary
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return Code(library, description, signature)


class _InnerCompiler(_NumbaCompiler):  # type: ignore[misc]
    """Compiles without wrappers and leaves generating machine code to the callers."""

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags


class _InnerLibrary(_JITCodeLibrary):  # type: ignore[misc]
    """Code that callers link into their own."""

    def _optimize_final_module(self) -> None:
        if config.OPT == FULL_OPTIMISATION:  # type: ignore[attr-defined]
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

"""Compiled functions that only other compiled functions call; machine code is generated for their callers only.

By default Numba generates Python and C wrappers and machine code for every function that another one calls, although
the caller's machine code contains everything it calls. Without them entries compile in two thirds of the time.

An inner function is optimised by itself and once more in each of its callers. With ``NUMBA_OPT`` below 3 only callers
optimise it: compiling takes a third less time, and some bots are a tenth slower.

What callers need of it is cached for other processes, which then compile only their own callers.
"""

from __future__ import annotations

import pickle
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

from blackjacky_env.compiled.caching import DiskCache

_CPUDispatcher: Any = CPUDispatcher  # Numba's annotations are few and not always correct
_JITCodeLibrary: Any = JITCodeLibrary
_NumbaCompiler: Any = _FunctionCompiler

FULL_OPTIMISATION = 3  # Numba's default for NUMBA_OPT
IN_PLAIN_PYTHON = ContextVar("IN_PLAIN_PYTHON", default=False)
"""Whether Python's calls of inner functions run them in plain Python, see `tiers`."""


class Code(NamedTuple):
    """What callers need of an inner function; named as in Numba's results of compiling."""

    library: Any
    fndesc: Any
    signature: Any
    environment: Any = None
    """Numba finds it by its name as long as there is a reference; no other process needs it."""
    objectmode: bool = False

    @property
    def entry_point(self) -> Any:
        """The key under which callers find it."""
        return self.library


class Inner(_CPUDispatcher):  # type: ignore[misc]
    """A dispatcher that compiles for callers in compiled code alone, and once for all processes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._compiler.__class__ = _InnerCompiler
        self._cache = _InnerCache(self)  # whose key says how it is compiled, too, such as inlined

    def __call__(self, *args: Any) -> Any:
        """Call it from Python."""
        return (self.py_func if IN_PLAIN_PYTHON.get() else self._for_python)(*args)

    @cached_property
    def _for_python(self) -> Any:
        return _CPUDispatcher(self.py_func, None, self.targetoptions, self._compiler.pipeline_class)

    def compile(self, sig: Any) -> Any:
        """Compile for arguments of these types, or load the code, for a caller that is compiled."""
        args = tuple(normalize_signature(sig)[0])
        if args not in self.overloads:
            code = self._cache.load_overload(args, self.targetctx)
            if code is None:
                with global_compiler_lock, self._compiling_counter:
                    made = self._compiler.compile(args, None)
                made.library.__class__ = _InnerLibrary
                code = Code(made.library, made.fndesc, made.signature, made.environment)
                self._cache.save_overload(args, code)
            self.targetctx.insert_user_function(code.entry_point, code.fndesc, [code.library])
            self.overloads[args] = code
        return self.overloads[args].entry_point


class _InnerCache(DiskCache):
    """Caches the code of an inner function, which callers still have to optimise."""

    suffix = ".nbp"

    def packed(self, data: Code) -> bytes:
        name, _, bitcode = data.library.serialize_using_bitcode()
        data.fndesc.typemap = data.fndesc.calltypes = None  # large, and of use to the compiler only
        return pickle.dumps((name, bitcode, data.fndesc, data.signature))

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

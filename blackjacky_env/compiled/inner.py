"""Compiled functions that only other compiled functions call; machine code is generated for their callers only.

By default Numba generates Python and C wrappers and machine code for every function that another one calls, although
the caller's machine code contains everything it calls. Without them entries compile in two thirds of the time.

An inner function is optimised by itself and once more in each of its callers. With ``NUMBA_OPT`` below 3 only callers
optimise it: compiling takes a third less time, and some bots are a tenth slower.

What callers need of it can be packed for other processes, which then compile only their own callers.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import make_concrete_template

_CPUDispatcher: Any = CPUDispatcher  # Numba's annotations are few and not always correct
_JITCodeLibrary: Any = JITCodeLibrary
_NumbaCompiler: Any = _FunctionCompiler

FULL_OPTIMISATION = 3  # Numba's default for NUMBA_OPT


class Code(NamedTuple):
    """What callers need of an inner function."""

    library: Any
    description: Any
    signature: Any
    environment: Any = None
    """Numba finds it by its name as long as there is a reference; no other process needs it."""

    def pack(self) -> tuple[Any, ...] | None:
        """What `unpack` takes in another process; None for code that holds addresses."""
        name, _, bitcode = self.library.serialize_using_bitcode()
        if self.library.has_dynamic_globals:
            return None
        self.description.typemap = self.description.calltypes = None  # large, and of use to the compiler only
        return name, bitcode, self.description, self.signature

    @classmethod
    def unpack(cls, codegen: Any, name: str, bitcode: bytes, description: Any, signature: Any) -> Code:
        """The code that another process has packed."""
        library = codegen.create_library(name)
        library.__class__ = _InnerLibrary
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return cls(library, description, signature)


class Inner(_CPUDispatcher):  # type: ignore[misc]
    """A dispatcher that keeps overloads called by compiled code apart from those called by Python, if any."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._codes: dict[tuple[Any, ...], Code] = {}  # by argument types
        self._keys: dict[tuple[Any, ...], object] = {}  # their keys in Numba's function table

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """Signatures for a call with arguments of these types; Numba asks while it compiles the caller."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        if tuple(folded) not in self._codes:
            self._offer(tuple(folded), self.make_code(tuple(folded)))
        name = self.py_func.__name__
        signatures = [code.signature for code in self._codes.values()]
        template = make_concrete_template(f"CallTemplate({name})", key=name, signatures=signatures)
        return template, signature, folded, {}

    def get_overload(self, sig: Any) -> object:
        """The key under which callers find the function of this signature."""
        return self._keys[tuple(normalize_signature(sig)[0])]

    def make_code(self, args: tuple[Any, ...]) -> Code:
        """Compile for arguments of these types."""
        pipeline = self._compiler.pipeline_class
        compiler = _InnerCompiler(self.py_func, self.targetdescr, self.targetoptions, {}, pipeline)
        with global_compiler_lock, self._compiling_counter:
            made = compiler.compile(args, None)
        made.library.__class__ = _InnerLibrary
        return Code(made.library, made.fndesc, made.signature, made.environment)

    def _offer(self, args: tuple[Any, ...], code: Code) -> None:
        key = object()
        self.targetctx.insert_user_function(key, code.description, [code.library])
        weakref.finalize(self, self.targetctx.remove_user_function, key).atexit = False
        self._keys[args], self._codes[args] = key, code


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

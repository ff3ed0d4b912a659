"""A cache on disk for compiled functions that close over games and bots, and for what they call.

Numba's own cache never hits for such closures and does not notice when a callee in another file changes. Here the
name of a cache file is a hash of everything its machine code depends on: the byte code and constants of the function
and of all functions it reaches, the signature, the processor and the versions. So the cache works across processes,
cannot go stale or mix up two functions, and has no index that concurrent processes could corrupt.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import pickle
import re
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from io import BufferedReader
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from blackjacky_env.compiled.fingerprints import fingerprint
from blackjacky_env.reading import open_file

try:
    import fcntl
except ImportError:  # Windows: processes compile the same code at once
    fcntl = None  # type: ignore[assignment]

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_FORMAT = 3  # of cached files; to be raised when their content changes
_HARMLESS = re.compile("CACHE|THREAD|CUDA|GDB")  # Numba's settings that are known to change no code for CPUs


class DiskCache:
    """Numba's interface of a cache; each overload of ``function`` has its own file, named after all it depends on."""

    suffix = ".nbc"

    def __init__(self, function: Any) -> None:
        self._function = function
        self.cache_path = str(_folder())

    @cached_property
    def key(self) -> str:
        """Hash of the function, computed at its first call, when its module is fully defined."""
        return fingerprint(self._function)

    def path(self, signature: Any) -> Path:
        """The file for these argument types, whether it exists or not."""
        versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
        types_of_arguments = getattr(signature, "args", signature)  # of an entry, or of a callback
        # The string of a named tuple's type lacks its module and its fields.
        types = _with_parts(types_of_arguments)
        arguments = [(t, getattr(t, "instance_class", ""), getattr(t, "fields", "")) for t in types]
        module = self._function.__module__  # imported when the file is read
        settings = ((n, v) for n, v in vars(numba.config).items() if n.isupper() and not _HARMLESS.search(n))
        options = (*sorted(OPTIONS.items()), *sorted(map(repr, settings)))
        processor = cpu_target.target_context.codegen().magic_tuple()
        user = getattr(os, "geteuid", int)()  # who could read no other's
        facts = (self.key, module, arguments, processor, versions, options, user, _FORMAT)
        name = hashlib.sha256(repr(facts).encode()).hexdigest()
        return Path(self.cache_path) / f"blackjacky-{name[:40]}{self.suffix}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was saved for these argument types; None if it is missing or damaged, or refers to what has moved."""
        target_context.refresh()
        with contextlib.suppress(Exception):  # a pickle may raise anything
            path = self.path(sig)
            with _open_private(path) as file:
                content = file.read()
            if content[:32] == _checksum(path, content[32:]):
                return self.unpacked(target_context, pickle.loads(content[32:]))  # noqa: S301 - `_open_private`
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save it, unless other processes cannot use it: it holds addresses, or what cannot be hashed or pickled."""
        if data.library.has_dynamic_globals:
            return
        with contextlib.suppress(TypeError, AttributeError, pickle.PicklingError, OSError):  # such as a full disk
            path, content = self.path(sig), self.packed(data)
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:  # which is private
                aside = Path(file.name)
            try:
                aside.write_bytes(_checksum(path, content) + content)
                aside.replace(path)
            except OSError:
                aside.unlink()

    def packed(self, data: Any) -> bytes:
        """A compiled overload as bytes."""
        content: bytes = dumps(data._reduce())
        return content

    def unpacked(self, target_context: Any, data: Any) -> Any:
        """The overload that `packed` has pickled."""
        return CompileResult._rebuild(target_context, *data)

    @contextlib.contextmanager
    def compiled_once(self, signature: Any) -> Iterator[None]:
        """Context for compiling: other processes about to compile the same code wait, then load it."""
        path = self.path(signature)
        with contextlib.ExitStack() as stack:
            if not path.exists():
                stack.enter_context(global_compiler_lock)
                stack.enter_context(one_process(path))
                if gc.isenabled():  # collection would take a fifth of the time and free little
                    gc.disable()
                    stack.callback(gc.enable)
            yield


def _with_parts(types: Iterable[Any]) -> Iterator[Any]:
    """Types, and those of which tuples among them consist."""
    for each in types:
        yield each
        yield from _with_parts(getattr(each, "types", ()))


def _folder() -> Path:
    if numba.config.CACHE_DIR:  # type: ignore[attr-defined]
        return Path(numba.config.CACHE_DIR)  # type: ignore[attr-defined]
    package = Path(__file__).parent
    return package / "__pycache__" if os.access(package, os.W_OK) else _folder_of_user()


@cache  # so it is said once
def _folder_of_user() -> Path:
    try:
        return Path.home() / ".cache" / "numba"
    except RuntimeError as error:
        said = f"{error}: compiled code is not kept, and each process compiles anew. Let NUMBA_CACHE_DIR name a folder"
        warnings.warn(said, RuntimeWarning, stacklevel=1)
        return Path(os.devnull) / "numba"  # where nothing can be


def _checksum(path: Path, data: bytes) -> bytes:
    """By the name, too: the content of another file would be the wrong code."""
    return hashlib.sha256(path.name.encode() + data).digest()


def _open_private(path: Path, flags: int = 0) -> BufferedReader:
    """Open a file of this user that nobody else can write, and no link: unpickling runs what is in it.

    The mode shows the most that a POSIX access list allows to anybody. Windows keeps each user's files apart.

    Raises `ValueError` or `OSError` for any other.
    """
    file = open_file(path, flags | getattr(os, "O_NOFOLLOW", 0))
    found = os.fstat(file.fileno())
    if hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
        file.close()
        raise ValueError(f"others may have written {str(path)!r}")
    return file


@contextlib.contextmanager
def one_process(path: Path) -> Iterator[None]:
    """Hold a lock for making the file ``path``, after waiting for another process that makes it.

    The operating system releases the lock of a process that dies. Where locking is impossible, as in a read-only
    folder, or others could hold the lock, nobody waits.
    """
    lock = path.with_suffix(".lock")
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = held.enter_context(_open_private(lock, os.O_RDWR | os.O_CREAT))
            fcntl.flock(file, fcntl.LOCK_EX)
            held.callback(fcntl.flock, file, fcntl.LOCK_UN)  # a forked child may have the file open
            held.callback(lock.unlink, missing_ok=True)  # first: who opens it afterwards need not wait
        yield

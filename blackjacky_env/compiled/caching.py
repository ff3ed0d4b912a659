"""A cache on disk for compiled functions that close over games and bots, and for what they call.

Numba's own cache never hits for such closures and does not notice when a callee in another file changes. Here the
name of a cache file is a hash of everything its machine code depends on: the byte code and constants of the function
and of all functions it reaches, the signature, the processor and the versions. So the cache works across processes,
cannot go stale or mix up two functions, and has no index that concurrent processes could corrupt.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.registry import cpu_target

from blackjacky_env.compiled.fingerprints import fingerprint

try:
    import fcntl
except ImportError:  # Windows: processes compile the same code at once
    fcntl = None  # type: ignore[assignment]

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_FORMAT = 3  # of cached files; to be raised when their content changes


class EntryCache(FunctionCache):
    """Caches each compiled overload in its own file, named after everything it depends on."""

    suffix = ".nbc"

    @cached_property
    def _key(self) -> str:
        return fingerprint(self._py_func)  # computed at the first call, when its module is fully defined

    def path(self, signature: Any) -> Path:
        """The file for these argument types, whether it exists or not."""
        versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
        types_of_arguments = getattr(signature, "args", signature)  # of an entry, or of a callback
        # The string of a named tuple's type lacks its module and its fields.
        arguments = [(t, getattr(t, "instance_class", ""), getattr(t, "fields", "")) for t in types_of_arguments]
        module = self._py_func.__module__  # imported when the file is read
        options = (*sorted(OPTIONS.items()), numba.config.OPT)  # type: ignore[attr-defined]
        processor = cpu_target.target_context.codegen().magic_tuple()
        facts = (self._key, module, arguments, processor, versions, options, _FORMAT)
        name = hashlib.sha256(repr(facts).encode()).hexdigest()
        return Path(self._cache_path) / f"blackjacky-{name[:40]}{self.suffix}"

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        path = self.path(sig)
        try:
            content = _read_private(path)
            if content[:32] == _checksum(path, content[32:]):
                return self._unpacked(target_context, pickle.loads(content[32:]))  # noqa: S301 - `_read_private`
        except Exception:  # noqa: BLE001 - a pickle may raise anything
            pass
        return None  # missing, damaged, or something it refers to has moved: compile again

    def _save_overload(self, sig: Any, data: Any) -> None:
        content = self._packed(data)
        if content is None:
            return
        path = self.path(sig)
        with contextlib.suppress(OSError):  # a full disk or lost permissions must not stop the run
            self._impl.locator.ensure_cache_path()
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:  # which is private
                aside = Path(file.name)
            try:
                aside.write_bytes(_checksum(path, content) + content)
                aside.replace(path)
            except OSError:
                aside.unlink()

    def _packed(self, data: Any) -> bytes | None:
        """None if no other process could use it."""
        return self._cache_file._dump(self._impl.reduce(data)) if self._impl.check_cachable(data) else None

    def _unpacked(self, target_context: Any, data: Any) -> Any:
        return self._impl.rebuild(target_context, data)


def _checksum(path: Path, data: bytes) -> bytes:
    """By the name, too: the content of another file would be the wrong code."""
    return hashlib.sha256(path.name.encode() + data).digest()


def _read_private(path: Path) -> bytes:
    """The content of a file of this user that nobody else can write, else nothing: unpickling runs what is in it.

    The mode shows the most that a POSIX access list allows to anybody. Windows keeps each user's files apart.
    """
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
            return b""
        return file.read()


@contextlib.contextmanager
def one_process(path: Path) -> Iterator[None]:
    """Hold a lock for making the file ``path``, after waiting for another process that makes it.

    The operating system releases the lock of a process that dies. Where locking is impossible, as in a read-only
    folder, nobody waits.
    """
    lock = path.with_suffix(".lock")
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError, AttributeError):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = held.enter_context(lock.open("ab"))
            fcntl.flock(file, fcntl.LOCK_EX)
            held.callback(fcntl.flock, file, fcntl.LOCK_UN)  # a forked child may have the file open
            held.callback(lock.unlink, missing_ok=True)  # first: who opens it afterwards need not wait
        yield

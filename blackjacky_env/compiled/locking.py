"""A lock between processes that need the same file: one makes it, the others wait and read it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: no locking
    fcntl = None  # type: ignore[assignment]

PATIENCE = 300.0  # seconds; longer than anything takes to compile
PAUSE = 0.02


@contextlib.contextmanager
def one_process(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file ``path``, after waiting up to ``patience`` seconds for another holder.

    The operating system releases the lock of a process that dies. Where locking is impossible, as in a read-only
    folder, nobody waits. So inside the context check again whether the file exists, and expect that two processes may
    make it.
    """
    file = _opened(path)
    if file is None:
        yield
        return
    with file:
        held = _wait(file, time.monotonic() + patience)
        try:
            yield
        finally:
            if held:  # unlink first: a process that opens the path afterwards need not wait and finds the file made
                with contextlib.suppress(OSError):
                    path.unlink()
                fcntl.flock(file, fcntl.LOCK_UN)  # a forked child may have the file open


def _opened(path: Path) -> IO[bytes] | None:
    if fcntl is None:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")
    except OSError:
        return None


def _wait(file: IO[bytes], until: float) -> bool:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(PAUSE)
        except OSError:  # a file system without locks
            return False
        else:
            return True

"""A lock between processes that want to make the same file: one makes it, the others wait and read it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: every process makes its own
    fcntl = None  # type: ignore[assignment]

PATIENCE = 300.0  # seconds; longer than anything takes to compile
PAUSE = 0.02


@contextlib.contextmanager
def one_process(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file ``path``; waits for another holder, but not longer than ``patience`` seconds.

    The system frees the lock of a process that dies. Where there can be no lock, such as in a folder that cannot be
    written, nobody waits. So look again whether the file is there, and be prepared that two make it.
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
            if held:  # the file goes first: who opens it anew waits for nobody, and finds what was made
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
    """Whether the lock is held now."""
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

"""A line about compiling, which can take a minute when a program runs for the first time.

Functions are compiled at their first call and then kept on disk, so only Numba's events tell that there is a wait.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event
from tqdm import tqdm

SECONDS = 0.5  # of compiling one function, with all that it calls, before anything is said
WHAT = "compiling the game and its agents, only the first time"
_LOCK = "numba:compiler_lock"  # held while anything is compiled
_KINDS = (_LOCK, "numba:run_pass")


class CompilingLine(event.Listener):
    """Says once on stderr that code is being compiled, if that takes a while."""

    def __init__(self) -> None:
        self._depth, self._begun, self._said = 0, 0.0, False

    def on_start(self, event: Any) -> None:
        """Note when the outermost function is begun."""
        if event.kind == _LOCK:
            self._begun = self._begun if self._depth else time.time()
            self._depth += 1

    def on_end(self, event: Any) -> None:
        """Say it after a step of a function that is not done by then."""
        if event.kind == _LOCK:
            self._depth -= 1
        elif self._depth and not self._said and time.time() - self._begun >= SECONDS:
            self._said = True
            tqdm.write(f"{WHAT} ...", file=sys.stderr)


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Context in which a line on stderr says when code is being compiled."""
    line = CompilingLine()
    for kind in _KINDS:
        event.register(kind, line)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        for kind in _KINDS:
            event.unregister(kind, line)  # type: ignore[no-untyped-call]

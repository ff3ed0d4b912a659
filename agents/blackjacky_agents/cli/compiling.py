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

from blackjacky_agents.reports import duration

SECONDS = 0.5  # of compiling one function, with all that it calls, before anything is said
PAUSE = 15.0  # seconds between two lines, where there is no terminal
_LOCK = "numba:compiler_lock"  # held while anything is compiled
WHAT = "compiling the game and its agents, only the first time"


class CompilingLine(event.Listener):
    """Shows on stderr the number of functions compiled and the time; a line now and then if that is not a terminal."""

    def __init__(self) -> None:
        self._depth = self._functions = 0
        self._first = self._begun = 0.0
        self._bar: tqdm[Any] | None = None
        self._written = 0.0  # time of the last line where there is no terminal

    def on_start(self, event: Any) -> None:
        """Note when the outermost function is begun."""
        if event.kind != _LOCK:
            return
        if not self._depth:
            self._begun = time.time()
            self._first = self._first or self._begun
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Count a function; remove the line after the outermost one."""
        if event.kind == _LOCK:
            self._depth -= 1
        elif event.data["name"].startswith("native_lowering"):
            self._functions += 1
            self._show()
        if not self._depth and self._bar is not None:
            self._bar.close()
            self._bar = None

    def _show(self) -> None:
        if not self._depth or time.time() - self._begun < SECONDS:
            return
        if sys.stderr.isatty():
            self._draw()
        elif not self._written:
            self._write("...")
        elif time.time() - self._written >= PAUSE:
            self._write(f"... {self._functions} functions, {duration(time.time() - self._first)}")

    def _write(self, how_far: str) -> None:
        tqdm.write(f"{WHAT} {how_far}", file=sys.stderr)
        self._written = time.time()

    def _draw(self) -> None:
        if self._bar is None:
            layout = "{desc}: {n_fmt} functions, {elapsed}"
            self._bar = tqdm(desc=WHAT, initial=self._functions, bar_format=layout, leave=False, delay=1e-9)
            self._bar.start_t = self._first
            self._bar.refresh()
        self._bar.update(self._functions - self._bar.n)


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Context in which a line on stderr says when code is being compiled."""
    line, kinds = CompilingLine(), (_LOCK, "numba:run_pass")
    for kind in kinds:
        event.register(kind, line)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        for kind in kinds:
            event.unregister(kind, line)  # type: ignore[no-untyped-call]

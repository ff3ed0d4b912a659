"""Ctrl-C and SIGTERM that wait until a long job has reached a point from which it can be resumed."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tqdm import tqdm


class Stoppable(Protocol):
    """A job that looks at ``interrupted`` now and then, and ends when it is set."""

    interrupted: bool


@contextmanager
def stop_gently(job: Stoppable, after: str) -> Iterator[None]:
    """Context in which Ctrl-C and SIGTERM set ``job.interrupted``; a second one ends the process at once.

    Outside the main thread, which alone receives signals, it changes nothing.

    Args:
        job: what is to stop.
        after: what it finishes first, such as ``"this update"``.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: object) -> None:
        job.interrupted = True
        print_above(f"Stopping after {after}; press Ctrl-C again to stop at once.")
        for each in before:
            signal.signal(each, signal.SIG_DFL)

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def print_above(line: str) -> None:
    """Print a line on stderr, above the progress bar if there is one."""
    tqdm.write(line, file=sys.stderr)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Processes that begin here get no Ctrl-C, not even at first; whoever starts them ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # a process of multiprocessing's own, whose beginning lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

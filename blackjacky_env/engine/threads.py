"""Spreading games over CPU threads; compiled code leaves Python's lock, so the threads run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

from blackjacky_env.engine.checks import check_integer


def cores() -> int:
    """CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_threads(threads: int | None) -> int:
    """The most threads to use, one for each core for None; `TypeError`, `ValueError` say what is allowed."""
    return cores() if threads is None else check_integer("threads", threads, 1, 1024)


def spread(work: Callable[[int, int], object], count: int, threads: int) -> None:
    """Call ``work(first, last)`` for equal parts of range(count), one on each thread, this one among them."""
    bounds = [part * count // threads for part in range(threads + 1)]
    own, *others = [part for part in pairwise(bounds) if part[0] < part[1]]
    futures = [_pool(threads - 1).submit(work, *part) for part in others]
    work(*own)
    for future in futures:
        future.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work as long as the process lives."""
    return ThreadPoolExecutor(threads, "blackjacky")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of the threads

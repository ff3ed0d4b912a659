"""Threads: compiled code releases the GIL, so they run in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise

from blackjacky_env.checks import check_integer

MOST_THREADS = 1024


def cores() -> int:
    """CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_threads(threads: int | None) -> int:
    """The maximum number of threads, one per core by default; raises `TypeError` or `ValueError`."""
    return cores() if threads is None else check_integer("threads", threads, 1, MOST_THREADS)


def spread(work: Callable[[int, int], object], count: int, threads: int) -> None:
    """Call ``work(first, last)`` on equal parts of range(count), one per thread, the calling thread included.

    It is called once for an empty range, too. When a part raises, the others are waited for: they write to arrays of
    the caller.
    """
    bounds = [part * count // threads for part in range(threads + 1)]
    own, *others = [part for part in pairwise(bounds) if part[0] < part[1]] or [(0, 0)]
    futures = [_pool().submit(work, *part) for part in others]
    try:
        work(*own)
    finally:
        wait(futures)
    for future in futures:
        future.result()


@cache
def _pool() -> ThreadPoolExecutor:
    """One for all: it starts a thread only when those that it has are busy."""
    return ThreadPoolExecutor(MOST_THREADS, "blackjacky")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork

"""Threads or processes that play games: threads for compiled agents, processes for others."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")
Work = Callable[..., T]


def open_pool(work: Work[T], cores: int, threads: bool) -> tuple[Executor, Work[T]]:
    """A pool, and the function to submit to it, which does ``work`` there.

    Args:
        work: what is done; it is pickled once for each process.
        cores: number of threads or processes.
        threads: whether to use threads, which share one interpreter; a single core always does.

    Raises `TypeError` if processes are needed and ``work`` cannot be pickled.
    """
    if threads or cores == 1:
        return ThreadPoolExecutor(cores, "arena"), work
    try:
        pickle.dumps(work)  # checked here, since the pool would only report a broken process
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"an agent cannot be sent to other processes: {error}; use threads=1 or agents that can be pickled"
        ) from error
    # A forked process would inherit Numba's locks and torch's threads in an undefined state.
    return ProcessPoolExecutor(cores, get_context("spawn"), _init_process, (work,)), _work_in_process


_IN_PROCESS: list[Work[Any]] = []  # what a worker process does


def _init_process(work: Work[Any]) -> None:
    _IN_PROCESS[:] = [work]


def _work_in_process(*arguments: Any) -> Any:
    return _IN_PROCESS[0](*arguments)

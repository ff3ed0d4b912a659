"""Where games are played: threads for compiled agents, processes for others, or the nodes of a cluster."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import Any, Generic, NamedTuple, TypeVar

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.stopping import without_interrupts

T = TypeVar("T")
Work = Callable[..., T]

_AHEAD = 8  # tasks for each core of a cluster, which last until Ray has noticed that a node is lost
_MAX_AHEAD = 512  # tasks of a cluster of many cores, whose tasks take longer; but two for each core


class Pool(NamedTuple, Generic[T]):
    """Does one kind of work in parallel."""

    submit: Callable[..., Future[T]]
    """Called with the arguments of the work."""
    count_cores: Callable[[], int]
    """Number of cores at this moment; the nodes of a cluster come and go."""
    count_ahead: Callable[[], int]
    """Number of tasks to have under way at this moment."""


@contextmanager
def open_pool(work: Work[T], cores: int, threads: bool, cluster: ClusterExecutor | None = None) -> Iterator[Pool[T]]:
    """A context with a pool; work that has not been finished when it ends is cancelled, but not on a cluster.

    Args:
        work: what is done; it is pickled once for each process.
        cores: number of threads or processes.
        threads: whether to use threads, which share one interpreter; a single core always does.
        cluster: does the work instead, if there is one.

    Raises `TypeError` if processes or a cluster are needed and ``work`` cannot be pickled.
    """
    if cluster is not None:
        yield Pool(partial(cluster.submit, work), lambda: cluster.cores, lambda: tasks_ahead(cluster))
        return
    executor, work = _open_executor(work, cores, threads)

    def submit(*arguments: Any) -> Future[T]:
        with without_interrupts():  # it may begin a process
            return executor.submit(work, *arguments)

    try:
        yield Pool(submit, lambda: cores, lambda: 2 * cores)
    except BaseException:
        for process in dict(getattr(executor, "_processes", None) or {}).values():
            process.terminate()  # Ctrl-C does not reach them, and what they do may take long
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def tasks_ahead(cluster: ClusterExecutor) -> int:
    """Number of tasks to have under way, so that no node waits for one while a task of a lost node is repeated."""
    return max(2 * cluster.cores, min(_AHEAD * cluster.cores, _MAX_AHEAD))


def in_order(futures: Iterator[Future[T]], count_ahead: Callable[[], int]) -> Iterator[T]:
    """The results of futures in their order; no more than ``count_ahead()`` are taken from the iterator in advance."""
    ahead: deque[Future[T]] = deque()
    while True:
        ahead.extend(islice(futures, max(count_ahead() - len(ahead), 0)))
        if not ahead:
            return
        yield ahead.popleft().result()


def _open_executor(work: Work[T], cores: int, threads: bool) -> tuple[Executor, Work[T]]:
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

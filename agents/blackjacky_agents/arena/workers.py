"""Games in parallel, in jobs: threads for compiled agents, processes for others, or the nodes of a cluster."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import Any, Generic, TypeVar

from blackjacky_agents.agent import AgentError
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.fixture import Fixture, Results
from blackjacky_agents.stopping import without_interrupts

T = TypeVar("T")
Work = Callable[..., T]

_SECONDS = 2.0  # target duration of a job, after which results are written and Ctrl-C takes effect
_MAX_JOB = 16_384  # games per job
_FEW_CORES = 64  # with more, jobs take longer, so that no more of them end in a second
_BATCHED = 40  # games per job, if agents that are not compiled play them at the same time
_AHEAD = 8  # tasks for each core of a cluster, so that none waits while a task of a lost node is repeated
_MAX_AHEAD = 512  # tasks of a cluster of many cores, whose tasks take longer; but two for each core


@dataclass(frozen=True)
class Workers(Generic[T]):
    """Does one kind of work in parallel: on cores of this machine or, if there is one, on a cluster."""

    submit: Callable[..., Future[T]]
    own_cores: int
    cluster: ClusterExecutor | None = None

    @property
    def cores(self) -> int:
        """Number of cores at this moment; the nodes of a cluster come and go."""
        return self.own_cores if self.cluster is None else self.cluster.cores

    def in_order(self, tasks: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        """The results of tasks, given by the arguments of the work, in their order; a few are begun in advance."""
        left, ahead = iter(tasks), deque[Future[T]]()
        while True:
            cores = self.cores
            most = 2 * cores if self.cluster is None else max(2 * cores, min(_AHEAD * cores, _MAX_AHEAD))
            for arguments in islice(left, max(most - len(ahead), 0)):
                ahead.append(self.submit(*arguments))
            if not ahead:
                return
            yield ahead.popleft().result()


@contextmanager
def open_workers(
    work: Work[T], cores: int, threads: bool, cluster: ClusterExecutor | None = None, apart: bool = False
) -> Iterator[Workers[T]]:
    """A context with a pool; work that has not been finished when it ends is cancelled, but not on a cluster.

    Args:
        work: what is done; it is pickled once for each process.
        cores: number of threads or processes.
        threads: whether to use threads, which share one interpreter; a single core does, too.
        cluster: does the work instead, if there is one.
        apart: a single core is a process, too, which Ctrl-C ends at once.

    Raises `TypeError` if processes or a cluster are needed and ``work`` cannot be pickled, `AgentError` if a process is
    ended from outside.
    """
    if cluster is not None:
        yield Workers(partial(cluster.submit, work), cores, cluster)
        return
    executor: Executor
    if threads or (cores == 1 and not apart):
        executor = ThreadPoolExecutor(cores, "arena")
    else:
        try:
            pickle.dumps(work)  # checked here, since the pool would only report a broken process
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"an agent cannot be sent to other processes: {error}; use threads=1") from error
        # A forked process would inherit Numba's locks and torch's threads in an undefined state.
        executor = ProcessPoolExecutor(cores, get_context("spawn"), _init_process, (work,))
        work = _work_in_process

    def submit(*arguments: Any) -> Future[T]:
        with without_interrupts():  # it may begin a process
            return executor.submit(work, *arguments)

    try:
        yield Workers(submit, cores)
    except BrokenProcessPool:
        raise AgentError(
            "a process was ended from outside, perhaps for lack of memory; what had been finished is kept: "
            "repeat the command, with fewer --threads if memory is short"
        ) from None
    except BaseException:
        for process in dict(getattr(executor, "_processes", None) or {}).values():
            process.terminate()  # Ctrl-C does not reach them, and what they do may take long
        raise
    finally:
        executor.shutdown(cancel_futures=True)


_IN_PROCESS: list[Work[Any]] = []  # what a worker process does


def _init_process(work: Work[Any]) -> None:
    _IN_PROCESS[:] = [work]


def _work_in_process(*arguments: Any) -> Any:
    return _IN_PROCESS[0](*arguments)


# ---------------------------------------------------------------- games of a fixture


class Jobs:
    """Plays games in a pool, in jobs.

    Jobs of compiled agents are made to take about `_SECONDS`, and longer with many cores. The random choices of other
    agents may depend on the games that they play at the same time, so those are always the same: one, or `_BATCHED`
    from a multiple of it on.
    """

    def __init__(self, fixture: Fixture, workers: Workers[tuple[Results, float]]) -> None:
        self._workers, self._adapts = workers, fixture.compiled
        one_at_a_time = fixture.compiled or any(getattr(agent, "one_game_at_a_time", False) for agent in fixture.agents)
        self._size = 1 if one_at_a_time else _BATCHED  # games of the next job; it starts small, as speed is unknown

    def play(self, first: int, last: int) -> Iterator[tuple[Results, float]]:
        """Play games first .. last - 1; yields results in order, with the seconds since the previous ones."""
        before = time.perf_counter()
        for results, seconds in self._workers.in_order(self._jobs(first, last)):
            if self._adapts:
                factor = _SECONDS * max(1, self._workers.cores / _FEW_CORES) / max(seconds, 1e-9)
                self._size = int(min(max(len(results.winners) * min(factor, 4), 1), _MAX_JOB))
            now = time.perf_counter()
            yield results, now - before
            before = now

    def _jobs(self, first: int, last: int) -> Iterator[tuple[int, int, slice]]:
        while first < last:
            begin, count = first - first % self._size, self._size
            if self._adapts:
                begin, count = first, min(self._size, max(1, -(-(last - first) // self._workers.cores)))
            end = min(begin + count, last)
            yield begin, count, slice(first - begin, end - begin)
            first = end


@contextmanager
def open_jobs(
    fixture: Fixture, keep: bool, cores: int, cluster: ClusterExecutor | None = None, lose: bool = False
) -> Iterator[Jobs]:
    """Context: jobs of a fixture; ``keep`` and ``lose`` as in `Fixture.play`, the others as in `open_workers`."""
    if cluster is None and (fixture.compiled or cores == 1):
        fixture.play(0, 0)  # compile here, not in two threads at once
    with open_workers(partial(_play_timed, fixture, keep, lose), cores, fixture.compiled, cluster) as workers:
        yield Jobs(fixture, workers)


def _play_timed(
    fixture: Fixture, keep: bool, lose: bool, first: int, count: int, wanted: slice
) -> tuple[Results, float]:
    begun = time.perf_counter()
    results = fixture.play(first, count, keep, lose).part(wanted)
    return results, time.perf_counter() - begun

"""The games of a table played in parallel, in jobs, by threads, processes or the nodes of a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Generic, TypeVar

from blackjacky_agents.agent import plays_one_at_a_time
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.table import Table
from blackjacky_agents.arena.workers import Pool, in_order, open_pool

T = TypeVar("T")
Play = Callable[[Table, int, int, slice], T]
"""(table, first, count, wanted): play ``count`` games from number ``first`` on; what is kept of those wanted."""
Done = tuple[T, int, float]
"""What a job has kept, its number of games, and the seconds that they took."""

_SECONDS = 2.0  # target duration of a job, after which results are written and Ctrl-C takes effect
_MAX_JOB = 16_384  # games per job
_FEW_CORES = 64  # with more, jobs take longer, so that no more of them end in a second
BATCHED = 40
"""Games per job, if agents that are not compiled play them at the same time."""


class Jobs(Generic[T]):
    """Plays games in a pool, in jobs.

    Jobs of compiled agents are made to take about `_SECONDS`, and longer with many cores. The random choices of other
    agents may depend on the games that they play at the same time, so those are always the same: one, or `BATCHED`
    from a multiple of it on.
    """

    def __init__(self, table: Table, pool: Pool[Done[T]]) -> None:
        self._pool, self._adapts = pool, table.compiled
        one_at_a_time = table.compiled or any(map(plays_one_at_a_time, table.agents))
        self._size = 1 if one_at_a_time else BATCHED  # games of the next job

    def play(self, first: int, last: int) -> Iterator[tuple[T, float]]:
        """Play games first .. last - 1; yields results in order, with the seconds since the previous ones."""
        before = time.perf_counter()
        for kept, count, seconds in in_order(self._jobs(first, last), self._pool.count_ahead):
            self._adapt(count, seconds)
            now = time.perf_counter()
            yield kept, now - before
            before = now

    def _jobs(self, first: int, last: int) -> Iterator[Future[Done[T]]]:
        while first < last:
            begin, count = first - first % self._size, self._size
            if self._adapts:
                begin, count = first, min(self._size, max(1, -(-(last - first) // self._pool.count_cores())))
            end = min(begin + count, last)
            yield self._pool.submit(begin, count, slice(first - begin, end - begin))
            first = end

    def _adapt(self, count: int, seconds: float) -> None:
        """Adapt the job size to the time wanted; it starts small, because the speed of the agents is unknown."""
        if self._adapts:
            factor = _SECONDS * max(1, self._pool.count_cores() / _FEW_CORES) / max(seconds, 1e-9)
            self._size = int(min(max(count * min(factor, 4), 1), _MAX_JOB))


@contextmanager
def open_jobs(table: Table, play: Play[T], cores: int, cluster: ClusterExecutor | None = None) -> Iterator[Jobs[T]]:
    """A context with the jobs of a table; ``play`` and the others as in `workers.open_pool`."""
    if cluster is None and (table.compiled or cores == 1):
        table.play(0, 0)  # compile here, not in two threads at once
    with open_pool(partial(_play_timed, table, play), cores, table.compiled, cluster) as pool:
        yield Jobs(table, pool)


def _play_timed(table: Table, play: Play[T], first: int, count: int, wanted: slice) -> Done[T]:
    begun = time.perf_counter()
    kept = play(table, first, count, wanted)
    return kept, wanted.stop - wanted.start, time.perf_counter() - begun

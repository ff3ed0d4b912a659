"""Sampled games in parts, for the nodes of a cluster: each part samples on its own, and their changes are added.

A round starts from the regrets of all rounds before it. Each of its parts copies them, samples its own iterations,
learning from them as it goes, and returns the changes of regrets and average strategies; these are added in the order
of the parts. The result depends on the seed and the number of parts, not on where the parts are sampled, and a part
that is lost with its node is sampled again. Parts do not learn from each other within a
round, so rounds are short at first, and longer as strategies change less.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving.sampled import Log, SampledSolver, add_log
from blackjacky_agents.solving.table import Table

if TYPE_CHECKING:
    from blackjacky_agents.arena.cluster import ClusterExecutor

MOST_PARTS = 4096
_LONGEST = 64  # rounds of `SampledSolver` in a part
_STEADY = 8  # a round is this share of all iterations before it, up to `_LONGEST`


class Start:
    """What a round begins with: sent to each node once.

    Args:
        table: the table.
        seed: of the run.
        memory: as for `SampledSolver`.
        kept: what `SampledSolver.save` returned, but the average strategies.
    """

    def __init__(self, table: Table, seed: int, memory: float, kept: dict[str, npt.NDArray[Any]]) -> None:
        self.identity, self.seed, self.memory, self.kept = table.identity(), seed, memory, kept

    def solver(self) -> SampledSolver:
        """A solver that continues from here."""
        named = self.identity
        table = Table.of(named["game"], named["num_players"], named["variant"], **named["options"])
        solver = SampledSolver(table, self.seed, self.memory)
        solver.restore({**self.kept, "sums": np.zeros(len(self.kept["actions"]))})
        return solver


class PartedSolver(SampledSolver):
    """Iterations of external-sampling MCCFR in parts; the same on any number of threads and nodes.

    Args:
        table: the table; seat 0 starts.
        seed: as for `SampledSolver`.
        memory: as for `SampledSolver`; each part needs as much while it is sampled.
        threads: CPU threads, without a cluster.
        parts: parts of a round, 1 .. `MOST_PARTS`; what is found depends on it.
        cluster: samples the parts instead of this machine.
    """

    def __init__(
        self,
        table: Table,
        seed: int = 0,
        memory: float = 2**30,
        threads: int = 1,
        parts: int = 16,
        cluster: ClusterExecutor | None = None,
    ) -> None:
        super().__init__(table, seed, memory, threads)
        self.memory, self.parts, self.cluster = memory, parts, cluster

    def run(self, iterations: int) -> None:
        """Do more iterations, in whole rounds of all parts."""
        end = self.iterations + iterations
        if self.cluster is not None:
            self._run_to(end, self.cluster)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            self._run_to(end, pool)

    def _run_to(self, end: int, executor: Executor) -> None:
        while self.iterations < end:
            done = self.iterations // (self.round * self.parts)
            length = self.round * min(_LONGEST, 1 + done // _STEADY)
            kept = {name: array.copy() for name, array in self.save().items() if name != "sums"}
            start: Any = Start(self.table, self.seed, self.memory, kept)
            given = start if self.cluster is None else self.cluster.store(start)
            tasks = [executor.submit(sample_part, given, part * length, length) for part in range(self.parts)]
            for task in tasks:
                add_log(self.known, task.result())
            self.iterations += self.parts * length


def sample_part(start: Start, skipped: int, iterations: int) -> Log:
    """What so many iterations change, after those of earlier parts, as visits: of each state two."""
    solver = start.solver()
    solver.iterations += skipped
    solver.run(iterations)
    count, size = solver.known.counts[:2]
    first = solver.known.first[: count + 1]
    before = np.zeros(size)
    before[: len(start.kept["regrets"])] = start.kept["regrets"]
    changes = (solver.known.regrets[:size] - before, solver.known.sums[:size])
    return _as_visits(solver, first, changes)


def _as_visits(
    solver: SampledSolver, first: npt.NDArray[np.int64], changes: tuple[npt.NDArray[np.float64], ...]
) -> Log:
    """The changes of the states that have changed, in the order of the states, as a log."""
    logs = []
    for is_regret, change in zip((True, False), changes, strict=True):
        touched = np.flatnonzero(np.add.reduceat(change != 0, first[:-1])) if len(first) > 1 else np.zeros(0, np.int64)
        sizes = np.diff(first)[touched]
        starts = np.cumsum([0, *sizes])
        rows = np.repeat(first[touched] - starts[:-1], sizes) + np.arange(starts[-1])
        known = solver.known
        logs.append((known.keys[touched], starts, np.full(len(touched), is_regret), known.actions[rows], change[rows]))
    (keys, starts, kinds, actions, numbers), (keys2, starts2, kinds2, actions2, numbers2) = logs
    return Log(
        np.concatenate([keys, keys2]),
        np.concatenate([starts, starts[-1] + starts2[1:]]).astype(np.int64),
        np.concatenate([kinds, kinds2]),
        np.concatenate([actions, actions2]),
        np.concatenate([numbers, numbers2]),
        np.array([len(keys) + len(keys2), len(numbers) + len(numbers2)]),
    )

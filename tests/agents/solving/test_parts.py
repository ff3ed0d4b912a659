"""Sampled games in parts: the same wherever they are sampled, and as close to an equilibrium."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from blackjacky_agents.solving.parts import PartedSolver
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import strategies_of
from blackjacky_agents.solving.strategies import worth_of
from tests.agents.solving.tables import table, tree

SMALL = 2**22


class Forgetful(Executor):
    """In place of a cluster: does every task twice, as if the first node had been lost, and the last task first."""

    def __init__(self) -> None:
        self.tasks: list[tuple[Future[Any], Any, Any]] = []

    def store(self, value: Any) -> Any:
        return value

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        done = Later(self)
        self.tasks.append((done, work, arguments))
        return done

    def do_all(self) -> None:
        for done, work, arguments in reversed(self.tasks):
            work(*arguments)
            done.set_result(work(*arguments))
        self.tasks.clear()


class Later(Future[Any]):
    """The result of a task that is done when somebody asks."""

    def __init__(self, executor: Forgetful) -> None:
        super().__init__()
        self.executor = executor

    def result(self, timeout: float | None = None) -> Any:
        self.executor.do_all()
        return super().result(timeout)


def sampled_by(threads: int = 1, breaks: bool = False, **options: Any) -> PartedSolver:
    solver = PartedSolver(table("six"), 5, SMALL, threads, **{"parts": 3, **options})
    solver.run(1000)
    if breaks:
        other = PartedSolver(table("six"), 5, SMALL, threads, 3)
        other.restore({name: array.copy() for name, array in solver.save().items()})
        solver = other
    solver.run(2000)
    return solver


def test_parts_are_the_same_on_threads_and_nodes_when_done_twice_and_after_a_break() -> None:
    one = sampled_by()
    for other in (sampled_by(2), sampled_by(breaks=True), sampled_by(cluster=Forgetful())):
        assert other.iterations == one.iterations
        for name, array in one.save().items():
            np.testing.assert_array_equal(array, other.save()[name])
    assert not np.array_equal(one.policy().chances, sampled_by(parts=4).policy().chances)


def test_one_part_is_what_is_sampled_without_parts() -> None:
    """But for states where nothing has been learned, which a part does not tell."""
    alone, parted = SampledSolver(table("six"), 5, SMALL), PartedSolver(table("six"), 5, SMALL, parts=1)
    for solver in (alone, parted):
        solver.run(640)
    assert parted.num_states > 1000
    for own, other in zip(*(strategies_of(tree("six"), each.policy()) for each in (alone, parted)), strict=True):
        np.testing.assert_allclose(own, other, atol=1e-5)


def test_parts_come_close_to_an_equilibrium() -> None:
    solver = PartedSolver(table("six"), memory=SMALL, parts=4)
    distances = []
    for iterations in (1000, 40_000):
        solver.run(iterations)
        distances.append(worth_of(tree("six"), strategies_of(tree("six"), solver.policy())).exploitability)
    assert distances[1] < 0.01 < distances[0]


def test_the_places_of_the_solver_hold_for_all_parts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blackjacky_agents.solving.sampled._places", lambda memory: 512)
    solver = PartedSolver(table("six"), parts=2)
    solver.run(1000)
    assert solver.num_states == 512
    assert solver.left_out > 0

"""Equilibria: known values, agreement with OpenSpiel, best responses, sampled games, any number of threads."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from unittest import mock

import numpy as np
import pytest

from blackjacky_agents.solving import cfr, sampled, strategies
from blackjacky_agents.solving.cfr import VARIANTS, Solver, Variant
from blackjacky_agents.solving.habits import costliest_habits
from blackjacky_agents.solving.parts import PartedSolver
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import strategies_of
from blackjacky_agents.solving.strategies import Strategies, best_response, reach_of, uniform, worth_of
from blackjacky_agents.solving.table import Table
from tests.agents.solving import brute_force
from tests.agents.solving.tables import EACH_TABLE, SIX_CARDS, by_key, environment, random_strategies, table, tree

BRUTE = ["kuhn", *(pytest.param(name, marks=pytest.mark.prove) for name in ("four cards", "six", "three, one turn"))]


def solved(name: str, iterations: int, variant: Variant = "dcfr") -> Strategies:
    solver = Solver(tree(name), variant)
    solver.run(iterations)
    return solver.average()


@pytest.mark.parametrize(
    ("name", "chips", "value"), [("kuhn", 2, -1 / 18), pytest.param("leduc", 13, -0.0856064, marks=pytest.mark.prove)]
)
def test_the_value_of_poker_is_found(name: str, chips: int, value: float) -> None:
    """Kuhn 1950; OpenSpiel's `leduc_poker`; a result of 1 is worth so many chips."""
    worth = worth_of(tree(name), solved(name, 2000))
    assert chips * worth.values[0] == pytest.approx(value, abs=5e-5)
    assert chips * worth.exploitability < 1e-4


@pytest.mark.parametrize("name", BRUTE)
def test_values_and_best_responses_are_those_of_the_definition(name: str) -> None:
    """Against strategies drawn at random, on all histories of environments."""
    found, env = tree(name), environment(name)
    drawn = random_strategies(found)
    known = by_key(found, drawn)
    game, worth = found.table.game, worth_of(found, drawn)
    cards = [game.card_names[card] for card in game.whole_deck(found.table.num_players, found.table.options)]
    nodes = brute_force.openings(env, cards)

    def policy(seat: int, key: bytes, actions: tuple[int, ...]) -> np.ndarray:
        assert len(known[seat][key]) == len(actions)
        return known[seat][key]

    for seat, (value, gain) in enumerate(zip(*worth, strict=True)):
        assert brute_force.value(nodes, policy, seat) == pytest.approx(value, abs=1e-12)
        assert brute_force.best_response_value(nodes, policy, seat) == pytest.approx(value + gain, abs=1e-12)


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """What most tests need is compiled once, before any of them."""
    tree("kuhn")


@EACH_TABLE
def test_what_habits_cost_adds_up_to_what_is_lost_against_the_solution(name: str) -> None:
    found, solution = tree(name), solved(name, 100)
    agent, players = uniform(found), len(found.seats)
    reaches = tuple(reach_of(each, own, np.zeros(len(own))) for each, own in zip(found.seats, solution, strict=True))
    lost = 0.0
    for seat in range(players):
        mixed = tuple(agent[q] if q == seat else solution[q] for q in range(players))
        lost += best_response(found, seat, reaches).value - worth_of(found, mixed).values[seat]
    habits = costliest_habits(found, solution, agent, most=1000)
    assert sum(habit.cost for habit in habits) == pytest.approx(lost / players, abs=1e-12)
    assert [habit.cost for habit in habits] == sorted((habit.cost for habit in habits), reverse=True)


@EACH_TABLE
@pytest.mark.parametrize("variant", VARIANTS)
def test_solvers_come_close_to_an_equilibrium(name: str, variant: Variant) -> None:
    """With three players there is no guarantee; at these tables it happens."""
    before, after = (worth_of(tree(name), each) for each in (uniform(tree(name)), solved(name, 1500, variant)))
    assert after.exploitability < (0.01 if name.startswith("three") else 3e-3) < before.exploitability


@pytest.mark.prove
@pytest.mark.parametrize("variant", VARIANTS)
def test_threads_change_nothing(variant: Variant) -> None:
    def everything(threads: int) -> list[np.ndarray]:
        with mock.patch.object(cfr, "_WORTH_THREADS", 0), mock.patch.object(strategies, "_WORTH_A_THREAD", 0):
            solver = Solver(tree("six"), variant, threads)
            solver.run(7)
            return [*solver.average(), *solver.save().values(), worth_of(tree("six"), solver.average(), threads).gains]

    for one, other in zip(everything(1), everything(3), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_solver_goes_on_where_another_one_stopped_but_not_one_of_another_tree(variant: Variant) -> None:
    whole, half, rest = (Solver(tree("kuhn"), variant) for _ in range(3))
    whole.run(20)
    half.run(9)
    rest.restore({name: array.copy() for name, array in half.save().items()})
    rest.run(11)
    for one, other in zip(whole.average(), rest.average(), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="regrets_0 of the checkpoint is float64 of shape"):
        rest.restore({**half.save(), "regrets_0": np.zeros(99)})


SMALL = 2**22  # bytes


@pytest.mark.prove
@pytest.mark.parametrize(("name", "close"), [("kuhn", 0.03), ("leduc", 0.05), ("six", 0.05), ("reshuffling", 0.05)])
def test_sampled_games_come_close_to_an_equilibrium(name: str, close: float) -> None:
    solver, distances = SampledSolver(table(name), memory=SMALL), []
    for iterations in (64, 4000):
        solver.run(iterations)
        distances.append(worth_of(tree(name), strategies_of(tree(name), solver.policy())).exploitability)
    assert distances[1] < min(close, distances[0])


@pytest.mark.prove
def test_a_table_with_too_many_own_decisions_is_refused() -> None:
    given = Table.of("black_jacky", 2, **{**SIX_CARDS, "max_card": 5, "bust_at": 12, "max_turns_per_round": 40})
    few = mock.patch.object(sampled, "_MOST_VISITS", 2000)
    with few, pytest.raises(ValueError, match=r"more than 2,000 information states; choose rule options with fewer"):
        SampledSolver(given)


class Here(ThreadPoolExecutor):
    """In place of a cluster: does every task twice, as if the first node had been lost."""

    def store(self, value: Any) -> Any:
        return value

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        super().submit(work, *arguments, **named).result()
        return super().submit(work, *arguments, **named)


@pytest.mark.prove
@pytest.mark.parametrize(
    ("kind", "name", "others"),
    [(SampledSolver, "leduc", ({"threads": 3},)), (PartedSolver, "six", ({"threads": 2}, {"cluster": Here(2)}))],
)
def test_sampled_games_are_the_same_on_threads_and_nodes_when_done_twice_and_after_a_break(
    kind: Any, name: str, others: tuple[dict[str, Any], ...]
) -> None:
    def sampled_by(breaks: bool = False, seed: int = 5, **options: Any) -> dict[str, np.ndarray]:
        solver = kind(table(name), seed, SMALL, **options)
        solver.run(1000)
        if breaks:
            other = kind(table(name), seed, SMALL, **options)
            other.restore({name: array.copy() for name, array in solver.save().items()})
            solver = other
        solver.run(2000)
        return {**solver.save(), "chances": solver.policy().chances}

    one = sampled_by()
    for other in (sampled_by(breaks=True), *(sampled_by(**options) for options in others)):
        for part, array in one.items():
            np.testing.assert_array_equal(array, other[part])
    assert not np.array_equal(one["chances"], sampled_by(seed=6)["chances"])


@pytest.mark.prove
def test_parts_come_close_to_an_equilibrium_with_as_many_places_as_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = PartedSolver(table("six"), memory=SMALL, parts=4)
    distances = []
    for iterations in (1000, 40_000):
        solver.run(iterations)
        distances.append(worth_of(tree("six"), strategies_of(tree("six"), solver.policy())).exploitability)
    assert distances[1] < 0.01 < distances[0]
    monkeypatch.setattr("blackjacky_agents.solving.sampled._places", lambda memory: 512)
    full = PartedSolver(table("six"), parts=2)
    full.run(1000)
    assert full.num_states == 512
    assert full.left_out > 0

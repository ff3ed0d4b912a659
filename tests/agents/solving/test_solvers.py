"""Equilibria: known values, agreement with OpenSpiel, best responses, sampled games, any number of threads."""

from unittest import mock

import numpy as np
import pytest

from blackjacky_agents.solving import cfr, sampled, strategies
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.cfr import VARIANTS, Solver
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solution import SolvedAgent
from blackjacky_agents.solving.strategies import uniform, worth_of
from tests.agents.solving import brute_force, tables
from tests.agents.solving.tables import EACH_TABLE, SIX_CARDS, by_key, environment, random_strategies, table, tree

LARGER = ("three-sided", "three with dice", "four cards", "six", "three, one turn")
BRUTE = ["kuhn", *(pytest.param(name, marks=pytest.mark.prove) for name in LARGER)]


def solved(name, iterations, variant="dcfr"):
    solver = Solver(tree(name), variant)
    solver.run(iterations)
    return solver.average()


@pytest.mark.parametrize(
    ("name", "chips", "value"),
    [
        ("kuhn", 2, -1 / 18),
        pytest.param("leduc", 13, -0.0856064, marks=pytest.mark.prove),
        pytest.param("dice", 1, -0.02713, marks=pytest.mark.prove),
    ],
)
def test_the_value_of_poker_and_dice_is_found(name, chips, value):
    """Kuhn 1950; OpenSpiel's `leduc_poker` and `liars_dice`; a result of 1 is worth so many chips."""
    worth = worth_of(tree(name), solved(name, 2000))
    assert chips * worth.values[0] == pytest.approx(value, abs=5e-5)
    assert chips * worth.exploitability < 1e-4


@pytest.mark.parametrize("name", BRUTE)
def test_values_and_best_responses_are_those_of_the_definition(name):
    """Against strategies drawn at random, on all histories of environments."""
    found, env = tree(name), environment(name)
    drawn = random_strategies(found)
    known = by_key(found, drawn)
    worth, nodes = worth_of(found, drawn), brute_force.openings(env)

    def policy(seat, key, actions):
        assert len(known[seat][key]) == len(actions)
        return known[seat][key]

    for seat, (value, gain) in enumerate(zip(*worth, strict=True)):
        assert brute_force.value(nodes, policy, seat) == pytest.approx(value, abs=1e-12)
        assert brute_force.best_response_value(nodes, policy, seat) == pytest.approx(value + gain, abs=1e-12)


@pytest.fixture(scope="module", autouse=True)
def built():
    """What most tests need is compiled once, before any of them."""
    tree("kuhn")


@EACH_TABLE
@pytest.mark.parametrize("variant", VARIANTS)
def test_solvers_come_close_to_an_equilibrium(name, variant):
    """With three players there is no guarantee; at these tables it happens."""
    before, after = (worth_of(tree(name), each) for each in (uniform(tree(name)), solved(name, 1500, variant)))
    assert after.exploitability < (0.01 if name.startswith("three") else 3e-3) < before.exploitability


@pytest.mark.prove
@pytest.mark.parametrize("variant", VARIANTS)
def test_threads_change_nothing(variant):
    def everything(threads):
        with mock.patch.object(cfr, "_WORTH_THREADS", 0), mock.patch.object(strategies, "_WORTH_A_THREAD", 0):
            solver = Solver(tree("six"), variant, threads)
            solver.run(7)
            return [*solver.average(), *solver.save().values(), worth_of(tree("six"), solver.average(), threads).gains]

    for one, other in zip(everything(1), everything(3), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_solver_goes_on_where_another_one_stopped_but_not_one_of_another_tree(variant):
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


def distance(name, solver):
    """How far the average strategies of sampled games are from an equilibrium."""
    agent = SolvedAgent("sampled", table(name).game.name, solver.policy(), {"complete": False})
    return worth_of(tree(name), ask_views(tables.views_of(name), agent).strategies).exploitability


@pytest.mark.prove
@pytest.mark.parametrize(
    ("name", "by_outcome", "close"),
    [
        ("kuhn", False, 0.03),
        ("leduc", False, 0.05),
        ("six", False, 0.05),
        ("reshuffling", False, 0.05),
        ("kuhn", True, 0.03),
        ("leduc", True, 0.3),
    ],
)
def test_sampled_games_come_close_to_an_equilibrium(name, by_outcome, close):
    solver, distances = SampledSolver(table(name), memory=SMALL, by_outcome=by_outcome), []
    for iterations in (100, 200_000) if by_outcome else (64, 4000):
        solver.run(iterations)
        distances.append(distance(name, solver))
    assert distances[1] < min(close, distances[0] / (2 if by_outcome else 1))


@pytest.mark.prove
def test_a_table_with_too_many_own_decisions_is_refused():
    given = SmallTable.of("black_jacky", 2, **{**SIX_CARDS, "max_card": 5, "bust_at": 12, "max_turns_per_round": 40})
    few = mock.patch.object(sampled, "MOST_DECISIONS", 2000)
    with few, pytest.raises(ValueError, match=r"meets more than 2,000; choose rule options with fewer"):
        SampledSolver(given)


@pytest.mark.prove
def test_sampled_games_are_others_with_another_seed():
    """That they are the same with the same one, and after a break, `test_solutions` shows."""
    solvers = [SampledSolver(table("leduc"), seed, SMALL) for seed in (5, 6)]
    for solver in solvers:
        solver.run(2000)
    assert not np.array_equal(*(solver.policy().chances for solver in solvers))


@pytest.mark.prove
def test_information_states_that_find_no_place_are_counted(monkeypatch):
    monkeypatch.setattr(sampled, "_places", lambda memory: 512)
    full = SampledSolver(table("six"))
    full.run(1000)
    assert full.num_states == 512
    assert full.left_out > 0
    assert distance("six", full) < 1

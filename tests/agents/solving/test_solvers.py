"""Equilibria: known values, agreement with OpenSpiel, best responses, sampled games, any number of threads."""

from __future__ import annotations

from itertools import product
from unittest import mock

import numpy as np
import pytest

from blackjacky_agents.solving import cfr, sampled, strategies
from blackjacky_agents.solving.cfr import VARIANTS, Solver, Variant
from blackjacky_agents.solving.habits import costliest_habits
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import strategies_of
from blackjacky_agents.solving.strategies import Strategies, best_response, uniform, worth_of
from blackjacky_agents.solving.table import Table
from blackjacky_agents.solving.tree import Tree
from tests.agents.solving import brute_force
from tests.agents.solving.tables import (
    SIX_CARDS,
    TABLES,
    environment,
    random_strategies,
    reaches_of,
    table,
    tree,
    with_poker,
)

CHIPS = {"kuhn": 2, "leduc": 13}
"""What a result of 1 is worth."""


def solved(name: str, iterations: int, variant: Variant = "dcfr") -> Strategies:
    solver = Solver(tree(name), variant)
    solver.run(iterations)
    return solver.average()


# ---------------------------------------------------------------- what is known


@pytest.mark.parametrize(("name", "value"), [("kuhn", -1 / 18), ("leduc", -0.0856064)])
def test_the_value_of_poker_is_found(name: str, value: float) -> None:
    """Kuhn 1950; OpenSpiel's `leduc_poker`."""
    worth = worth_of(tree(name), solved(name, 2000))
    assert CHIPS[name] * worth.values[0] == pytest.approx(value, abs=5e-5)
    assert CHIPS[name] * worth.exploitability < 1e-4


def test_random_play_in_kuhn_poker_is_as_exploitable_as_openspiel_says() -> None:
    """NashConv 11 / 12 chips."""
    worth = worth_of(tree("kuhn"), uniform(tree("kuhn")))
    assert CHIPS["kuhn"] * sum(worth.gains) == pytest.approx(11 / 12)
    assert CHIPS["kuhn"] * worth.exploitability == pytest.approx(11 / 24)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_openspiels_solver_is_as_close_after_as_many_iterations(name: str, variant: Variant) -> None:
    """At other tables actions that are equally good have regrets of rounding errors, and iterations differ."""
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr as theirs
    from open_spiel.python.algorithms import discounted_cfr, exploitability

    from blackjacky_env.openspiel import load_game

    makers = {"cfr": theirs.CFRSolver, "cfr+": theirs.CFRPlusSolver, "dcfr": discounted_cfr.DCFRSolver}
    with with_poker():
        game = load_game(TABLES[name][0], cards={"kuhn": "J Q K", "leduc": "J J Q Q K K"}[name], start_player=0)
    other, own = makers[variant](game), Solver(tree(name), variant)
    for _ in range(2):
        for _ in range(3):
            other.evaluate_and_update_policy()
        own.run(3)
        expected = exploitability.exploitability(game, other.average_policy())
        assert worth_of(tree(name), own.average()).exploitability == pytest.approx(expected, abs=1e-9)


def test_random_play_with_six_cards_is_as_exploitable_as_openspiel_says() -> None:
    pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    from blackjacky_env.openspiel import load_game

    game = load_game("black_jacky", cards="1 2 2 3 3 3", start_player=0, **TABLES["six"][1])
    expected = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    assert worth_of(tree("six"), uniform(tree("six"))).exploitability == pytest.approx(expected, abs=1e-12)


# ---------------------------------------------------------------- best responses


@pytest.mark.parametrize("name", ["kuhn", "four cards", "six", "three, one turn"])
def test_values_and_best_responses_are_those_of_the_definition(name: str) -> None:
    """Against strategies drawn at random, on all histories of environments."""
    found, env = tree(name), environment(name)
    drawn = random_strategies(found)
    known = [
        {
            key.tobytes(): own[first:last]
            for key, first, last in zip(states.keys, seat.first[:-1], seat.first[1:], strict=True)
        }
        for states, seat, own in zip(found.states, found.seats, drawn, strict=True)
    ]
    game, worth = found.table.game, worth_of(found, drawn)
    cards = [game.card_names[card] for card in game.whole_deck(found.table.num_players, found.table.options)]
    nodes = brute_force.openings(env, cards)

    def policy(seat: int, key: bytes, actions: tuple[int, ...]) -> np.ndarray:
        assert len(known[seat][key]) == len(actions)
        return known[seat][key]

    for seat, (value, gain) in enumerate(zip(*worth, strict=True)):
        assert brute_force.value(nodes, policy, seat) == pytest.approx(value, abs=1e-12)
        assert brute_force.best_response_value(nodes, policy, seat) == pytest.approx(value + gain, abs=1e-12)


def test_no_pure_strategy_does_better_than_the_best_response() -> None:
    """All 64 of each seat in Kuhn poker, against strategies drawn at random."""
    found = tree("kuhn")
    for seat in range(2):
        others, values = random_strategies(found, seat), []
        for choices in product((0.0, 1.0), repeat=6):
            own = np.concatenate([[1.0], np.ravel([(choice, 1 - choice) for choice in choices])])
            mixed = tuple(own if q == seat else others[q] for q in range(2))
            values.append(worth_of(found, mixed).values[seat])
        assert best_response(found, seat, reaches_of(found, others)).value == pytest.approx(max(values), abs=1e-12)


@pytest.mark.parametrize("name", TABLES)
def test_a_best_response_brings_what_it_promises(name: str) -> None:
    found = tree(name)
    others = uniform(found)
    worth, reaches = worth_of(found, others), reaches_of(found, others)
    for seat in range(len(others)):
        value, response, losses = best_response(found, seat, reaches)
        assert (losses[response == 1] == 0).all()
        assert losses.min() >= 0
        mixed = tuple(response if q == seat else own for q, own in enumerate(others))
        assert worth_of(found, mixed).values[seat] == pytest.approx(value, abs=1e-12)
        assert worth.gains[seat] == pytest.approx(value - worth.values[seat], abs=1e-12)


@pytest.mark.parametrize("name", TABLES)
def test_what_habits_cost_adds_up_to_what_is_lost_against_the_solution(name: str) -> None:
    found, solution = tree(name), solved(name, 100)
    agent, players = uniform(found), len(found.seats)
    reaches, lost = reaches_of(found, solution), 0.0
    for seat in range(players):
        mixed = tuple(agent[q] if q == seat else solution[q] for q in range(players))
        lost += best_response(found, seat, reaches).value - worth_of(found, mixed).values[seat]
    habits = costliest_habits(found, solution, agent, most=1000)
    assert sum(habit.cost for habit in habits) == pytest.approx(lost / players, abs=1e-12)
    assert [habit.cost for habit in habits] == sorted((habit.cost for habit in habits), reverse=True)
    assert all(habit.does != habit.better for habit in habits)


# ---------------------------------------------------------------- iterations


@pytest.mark.parametrize("name", [name for name in TABLES if not name.startswith("three")])
@pytest.mark.parametrize("variant", VARIANTS)
def test_two_players_come_close_to_an_equilibrium(name: str, variant: Variant) -> None:
    assert worth_of(tree(name), solved(name, 1500, variant)).exploitability < 3e-3


def test_three_players_end_where_nobody_gains_much_alone() -> None:
    """There is no guarantee; at this table it happens."""
    before, after = (worth_of(tree("three"), each) for each in (uniform(tree("three")), solved("three", 500)))
    assert after.exploitability < 0.01 < before.exploitability


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
def test_a_solver_goes_on_where_another_one_stopped(variant: Variant) -> None:
    whole, half, rest = (Solver(tree("leduc"), variant) for _ in range(3))
    whole.run(20)
    half.run(9)
    rest.restore({name: array.copy() for name, array in half.save().items()})
    rest.run(11)
    for one, other in zip(whole.average(), rest.average(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_checkpoint_of_another_tree_is_refused() -> None:
    kept = Solver(tree("kuhn")).save()
    with pytest.raises(
        ValueError, match=r"regrets_0 of the checkpoint is float64 of shape .*; allowed is float64 of \(337,\)"
    ):
        Solver(tree("leduc")).restore(kept)


# ---------------------------------------------------------------- sampled games


def exploitability(found: Tree, solver: SampledSolver) -> float:
    return worth_of(found, strategies_of(found, solver.policy())).exploitability


@pytest.mark.parametrize(("name", "close"), [("kuhn", 0.03), ("leduc", 0.05), ("six", 0.05), ("reshuffling", 0.05)])
def test_sampled_games_come_close_to_an_equilibrium(name: str, close: float) -> None:
    solver = SampledSolver(table(name), memory=2**22)
    solver.run(64)
    before = exploitability(tree(name), solver)
    solver.run(4000)
    assert exploitability(tree(name), solver) < min(close, before)


def test_sampled_games_with_the_same_seed_are_the_same_on_any_number_of_threads_and_after_a_break() -> None:
    def sampled_by(threads: int, seed: int, breaks: bool = False) -> SampledSolver:
        solver = SampledSolver(table("leduc"), seed, 2**22, threads)
        solver.run(solver.round)
        if breaks:
            other = SampledSolver(table("leduc"), seed, 2**22, threads)
            other.restore({name: array.copy() for name, array in solver.save().items()})
            solver = other
        solver.run(3 * solver.round)
        return solver

    one = sampled_by(1, 5)
    for other in (sampled_by(3, 5), sampled_by(2, 5, breaks=True)):
        for array, again in zip(one.policy(), other.policy(), strict=True):
            np.testing.assert_array_equal(array, again)
    assert not np.array_equal(one.policy().chances, sampled_by(1, 6).policy().chances)


def test_where_there_is_no_place_actions_stay_equally_likely() -> None:
    with mock.patch.object(sampled, "_places", return_value=128):
        solver = SampledSolver(table("leduc"))
    solver.run(2000)
    assert solver.num_states == 128
    assert solver.left_out > 0
    given = strategies_of(tree("leduc"), solver.policy())
    equal = uniform(tree("leduc"))
    states = tree("leduc").num_states - 128
    same = sum(
        bool(np.array_equal(own[first:last], other[first:last]))
        for seat, own, other in zip(tree("leduc").seats, given, equal, strict=True)
        for first, last in zip(seat.first[:-1], seat.first[1:], strict=True)
    )
    assert same >= states


def test_a_table_with_too_many_own_decisions_is_refused() -> None:
    given = Table.of("black_jacky", 2, **{**SIX_CARDS, "max_card": 5, "bust_at": 12, "max_turns_per_round": 40})
    few = mock.patch.object(sampled, "_MOST_VISITS", 2000)
    with few, pytest.raises(ValueError, match=r"more than 2,000 information states; choose rule options with fewer"):
        SampledSolver(given)

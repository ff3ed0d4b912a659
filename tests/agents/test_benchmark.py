"""The mean of the policies of an algorithm."""

from itertools import product

import numpy as np
import pytest

from blackjacky_agents.benchmark.tasks import Task, measured
from blackjacky_agents.solving.solution import SolvedAgent, policy_of
from blackjacky_agents.solving.strategies import worth_of
from tests.agents.solving.tables import random_strategies, table, tree, views_of


def pure_strategies(seat):
    """All strategies of a seat without chance."""
    for actions in product(*(range(*bounds) for bounds in zip(seat.first[:-1], seat.first[1:], strict=True))):
        strategy = np.zeros(len(seat.after) - 1)
        strategy[[0, *actions]] = 1
        yield strategy


def test_the_mean_is_that_of_a_player_who_draws_a_policy_before_each_game():
    given, found = table("kuhn"), tree("kuhn")
    drawn = [random_strategies(found, seed) for seed in range(2)]
    agents = [SolvedAgent("one of two", "kuhn_poker", policy_of(found, each), {}) for each in drawn]

    def algorithm(task):
        for due in task.due:
            yield due, agents[due % 2]

    [row] = measured(algorithm, Task(given, 0, (40,), found, views_of("kuhn")), {})

    def worth(seat, own):
        """What a strategy gets on average."""
        pairs = [(own, other[1]) if seat == 0 else (other[0], own) for other in drawn]
        return np.mean([worth_of(found, pair).values[seat] for pair in pairs])

    best = [max(worth(seat, own) for own in pure_strategies(found.seats[seat])) for seat in (0, 1)]
    assert row["averaged"] == pytest.approx(sum(best) / 2, abs=1e-5)
    assert row["exploitability"] == pytest.approx(worth_of(found, drawn[0]).exploitability, abs=1e-5)

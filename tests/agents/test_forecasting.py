"""Forecasts: scores that are proper, and agents that say what they foresee."""

from types import SimpleNamespace

import numpy as np
import pytest

from blackjacky_agents.cli.forecast import Truth, asked, score
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.registry import make_agent
from blackjacky_agents.search.explaining import Thoughts

OBSERVATION = {"observation": np.zeros(1), "action_mask": np.ones(61, np.int8)}


def test_nothing_scores_better_than_the_truth():
    """Shared wins included: the outcomes are (1/2, 1/2, 0), or one seat wins alone."""
    rng = np.random.default_rng(0)
    outcomes = np.array([[0.5, 0.5, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    chances = rng.dirichlet(np.ones(4), size=50)
    truth = Truth(chances @ outcomes, chances @ outcomes**2, 10**9)
    best = score(truth, truth.means)
    assert best["log score"].mean == pytest.approx(score(truth, None)["log score"].mean, abs=1e-3)
    for _ in range(50):
        other = score(truth, rng.dirichlet(np.ones(3), size=50))
        assert all(other[name].mean > best[name].mean for name in best)


def test_the_excess_of_the_true_chances_is_zero_on_average_though_the_truth_is_estimated():
    rng = np.random.default_rng(1)
    chances = 0.1 + 0.7 * rng.dirichlet(np.ones(3), size=20_000)
    won = rng.multinomial(100, chances) / 100
    truth = Truth(won, won, 100)
    found, wrong = score(truth, chances), score(truth, np.roll(chances, 1, axis=1))
    assert found["Brier excess"].low < 0 < found["Brier excess"].high < 0.005
    assert abs(found["log excess"].mean) < 0.002  # without the correction it would be 0.01
    assert min(wrong["log excess"].low, wrong["Brier excess"].low) > 0.05


def seer(told):
    """An agent that says the same of every position."""
    return SimpleNamespace(name="seer", reset=id, act=id, forecast=lambda observation: told)


def thinker(win):
    return SimpleNamespace(
        name="thinker", reset=id, act=id, explain=lambda seen: Thoughts(seen["action_mask"] / 61, win)
    )


def test_agents_say_what_they_foresee():
    by_name = PythonAgent(seer([0.5, 0.2, 0.3]), "seers:Seer", "black_jacky")  # as on the command line
    for agent, expected in ((by_name, [0.5, 0.2, 0.3]), (thinker(0.4), [0.4, 0.3, 0.3])):
        assert asked(agent, OBSERVATION, 3) == pytest.approx(expected)
    forced = {**OBSERVATION, "action_mask": np.eye(61, dtype=np.int8)[0]}  # where thoughts may say nothing
    assert asked(thinker(None), forced, 4) == pytest.approx([0.25] * 4)


@pytest.mark.parametrize(
    "agent",
    [
        *(thinker(None), make_agent("counter")),
        *(seer(told) for told in ([0.5, 0.5], [0.5, 0.6, -0.1], [0.5, 0.2, 0.2], [np.nan, 0.5, 0.5])),
    ],
)
def test_who_says_nothing_and_what_is_no_forecast_is_refused(agent):
    with pytest.raises(ValueError, match=rf"agent '{agent.name}' (does not say who wins|forecasts .*); allowed are"):
        asked(agent, OBSERVATION, 3)

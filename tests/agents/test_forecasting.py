"""Forecasts: scores that are proper, and tasks that can be repeated."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from blackjacky_agents.arena.forecasting import (
    Task,
    Truth,
    brier_score,
    by_agent,
    by_playouts,
    entropy,
    log_score,
    make_task,
    par,
    score,
    truth_error,
)
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.registry import make_agent, make_compiled_agent
from blackjacky_agents.search.playing_on import QUESTION, WIN
from blackjacky_agents.thoughts import Thoughts
from blackjacky_env.games import get_game

pytestmark = pytest.mark.prove
SMALL: dict[str, Any] = {"num_players": 3, "games": 24, "playouts": 40, "hearts": 1}


@pytest.fixture(scope="module")
def task() -> Task:
    return make_task("black_jacky", **SMALL)


def rigged(means: np.ndarray, playouts: int, rng: np.random.Generator) -> Task:
    """A task whose truth was counted in playouts with these chances of winning, (N, P)."""
    game = get_game("black_jacky")
    won = rng.multinomial(playouts, means) / playouts
    moments = np.stack([won, won], axis=1)
    shown, masks = np.zeros((len(means), game.layout.size), game.layout.dtype), np.ones((len(means), 1), np.int8)
    return Task(game, means.shape[1], shown, masks, Truth(moments, moments, playouts), 0, 1)


def test_nothing_scores_better_than_the_truth() -> None:
    """Shared wins included: the outcomes are (1/2, 1/2, 0), or one seat wins alone."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        chances = rng.dirichlet(np.ones(4))
        outcomes = np.array([[0.5, 0.5, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        true, squares = chances @ outcomes, chances @ outcomes**2
        others = rng.dirichlet(np.ones(3), size=200)
        assert (log_score(others, true) > log_score(true, true)).all()
        assert (brier_score(others, true, squares) > brier_score(true, true, squares)).all()
        assert log_score(true, true) == pytest.approx(entropy(true, np.zeros(3)))


def test_the_excess_of_the_true_chances_is_zero_on_average_though_the_truth_is_estimated() -> None:
    rng = np.random.default_rng(1)
    chances = 0.1 + 0.7 * rng.dirichlet(np.ones(3), size=20_000)
    found = score(rigged(chances, 100, rng), chances[:, None])[0]
    assert found.brier_excess.low < 0 < found.brier_excess.high < 0.005
    assert abs(found.log_excess.mean) < 0.002  # without the correction it would be 0.01
    wrong = score(rigged(chances, 100, rng), np.roll(chances, 1, axis=1)[:, None])[0]
    assert min(wrong.log_excess.low, wrong.brier_excess.low) > 0.05


def test_the_same_seed_gives_the_same_task_on_any_number_of_threads(task: Task) -> None:
    again = make_task("black_jacky", **SMALL, threads=2)
    assert np.array_equal(again.observations, task.observations)
    assert np.array_equal(again.truth.means, task.truth.means)
    one, two = (by_playouts(each, make_compiled_agent("champion"), [10, 20]) for each in (task, again))
    assert np.array_equal(one, two)


def test_playouts_foresee_more_than_par_and_more_playouts_more(task: Task) -> None:
    few, many = by_playouts(task, make_compiled_agent("champion"), [3, 300])
    for row in (WIN, QUESTION):
        nothing, little, much = (score(task, told)[row] for told in (par(task), few, many))
        assert much.log_excess.mean < min(little.log_excess.mean, nothing.log_excess.mean)
        assert much.brier_excess.mean < min(little.brier_excess.mean, nothing.brier_excess.mean)
    assert 0 < truth_error(task, WIN) < 0.1


def seer(told: Any) -> Any:
    """An agent that says the same of every position."""
    return SimpleNamespace(name="seer", reset=id, act=id, forecast=lambda observation: told)


def thinker(win: float | None) -> Any:
    """An agent that tells its chance only."""
    return SimpleNamespace(
        name="thinker", reset=id, act=id, explain=lambda seen: Thoughts(seen["action_mask"] / 61, win)
    )


def test_agents_say_what_they_foresee(task: Task) -> None:
    by_name = PythonAgent(seer([0.5, 0.2, 0.3]), "seers:Seer", "black_jacky")  # as on the command line
    for agent, expected in ((by_name, [0.5, 0.2, 0.3]), (thinker(0.4), [0.4, 0.3, 0.3])):
        assert by_agent(task, agent)[7, 0] == pytest.approx(expected)
    searched = score(task, by_agent(task, make_agent("search:20")))
    assert [each.question for each in searched] == ["wins"]
    masks = np.zeros_like(task.masks)
    masks[:, 0] = 1  # where only one action is legal thoughts may say nothing
    forced = dataclasses.replace(task, masks=masks)
    assert np.array_equal(by_agent(forced, thinker(None)), par(task)[:, :1])


@pytest.mark.parametrize(
    "agent",
    [
        *(thinker(None), make_agent("rollout:1"), make_agent("counter")),
        *(seer(told) for told in ([0.5, 0.5], [0.5, 0.6, -0.1], [0.5, 0.2, 0.2], [np.nan, 0.5, 0.5])),
    ],
)
def test_who_says_nothing_and_what_is_no_forecast_is_refused(task: Task, agent: Any) -> None:
    with pytest.raises(ValueError, match=rf"agent '{agent.name}' (does not say who wins|forecasts .*); allowed are"):
        by_agent(task, agent)

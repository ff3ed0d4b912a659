"""Learners that sample games of small tables with networks: deep CFR, and policy-space response oracles."""

from unittest import mock

import numpy as np
import pytest

pytest.importorskip("torch")

from blackjacky_agents.benchmark.algorithms import psro
from blackjacky_agents.benchmark.tasks import Task
from blackjacky_agents.kit.settings import SelfPlaySettings
from blackjacky_agents.learning import deep_cfr
from blackjacky_agents.learning.deep_cfr import DeepCfr, DeepCfrSettings
from blackjacky_agents.learning.psro import Psro, equilibrium
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import uniform, worth_of
from blackjacky_agents.solving.views import tree_and_views
from tests.agents.solving.tables import table, tree, views_of

pytestmark = pytest.mark.prove

FEW = {"updates": 5, "average_updates": 20, "hidden_sizes": (16,), "memory_size": 500}
SHORT = {"minutes": 1e9, "threads": 1, "log": (), "num_envs": 16, "n_steps": 16, "batch_size": 64}
NAMED = [("black_jacky", "mini-3p"), ("schwarze_katze", "mini-1"), ("black_spy", "mini-1"), ("black_spy", "mini-2")]


def exploitability(name, agent):
    return worth_of(tree(name), ask_views(views_of(name), agent).strategies).exploitability


def test_deep_cfr_comes_close_to_an_equilibrium_of_kuhn_poker():
    run = DeepCfr(table("kuhn"), DeepCfrSettings())
    run.run(100_000)
    assert exploitability("kuhn", run.agent()) < 0.05


def test_deep_cfr_leaves_random_play_far_behind_in_leduc_poker():
    run = DeepCfr(table("leduc"), DeepCfrSettings())
    run.run(100_000)
    assert exploitability("leduc", run.agent()) < worth_of(tree("leduc"), uniform(tree("leduc"))).exploitability / 3


@pytest.mark.parametrize("named", NAMED)
def test_deep_cfr_plays_every_game_and_the_same_seed_gives_the_same_policies(named):
    small = SmallTable.of(named[0], table=named[1])
    first, again, other = (DeepCfr(small, DeepCfrSettings(seed=seed, **FEW)) for seed in (1, 1, 2))
    for run in (first, again, other):
        run.run(5_000)
    weights = [run.agent().parameters for run in (first, again, other)]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert (weights[0] != weights[2]).any()
    assert first.steps == again.steps >= 5_000


@pytest.mark.parametrize("seed", [3, 101])  # whose keys are below 2**63, and above
def test_deep_cfr_takes_every_seed(seed):
    run = DeepCfr(table("kuhn"), DeepCfrSettings(seed=seed, **FEW))
    run.run(1)
    assert run.steps


def test_deep_cfr_refuses_what_is_out_of_range_and_games_that_go_on_for_too_long():
    with pytest.raises(ValueError, match="learning_rate=2 is out of range"):
        DeepCfrSettings(learning_rate=2)
    with mock.patch.object(deep_cfr, "MOST_DECISIONS", 2), pytest.raises(ValueError, match="has too many decisions"):
        DeepCfr(table("leduc"), DeepCfrSettings(**FEW)).run(1)


def test_an_equilibrium_of_rock_paper_scissors_mixes_all_three():
    beats = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    np.testing.assert_allclose(equilibrium(beats), 1 / 3, atol=1e-3)
    np.testing.assert_allclose(equilibrium(np.array([[0.0, -1.0], [1.0, 0.0]])), [0, 1], atol=1e-3)


def test_responses_mix_to_what_is_harder_to_exploit_and_the_same_seed_gives_the_same_policies():
    small = SmallTable.of("black_jacky", table="mini-1")
    found, views = tree_and_views(small)
    task = Task(small, 1, (1, 300_000), found, views)
    runs = [[(steps, agent().policy.chances) for steps, agent in psro(task, each=20_000)] for _ in range(2)]
    for one, other in zip(*runs, strict=True):
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])
    *_, (_, agent) = psro(task, each=20_000)
    assert worth_of(found, ask_views(views, agent()).strategies).exploitability < 0.2


def test_a_mixture_gets_the_mean_of_what_its_policies_get():
    small = SmallTable.of("black_jacky", table="mini-1")
    found, views = tree_and_views(small)
    run = Psro(small, SelfPlaySettings(players=(2,), rule_options=dict(small.options), steps=2000, **SHORT), 10)
    run.respond()
    run.respond()
    run.mixture = np.array([0.5, 0.2, 0.3])
    mixed, opponent = run.strategies(found, views), uniform(found)
    singly = [worth_of(found, (ask_views(views, each).strategies[0], opponent[1])).values[0] for each in run.policies]
    assert worth_of(found, (mixed[0], opponent[1])).values[0] == pytest.approx(run.mixture @ singly, abs=1e-9)
    assert run.steps > 2 * 2000


def test_responses_are_for_two_players():
    with pytest.raises(ValueError, match="psro is for two players, not for 3"):
        Psro(SmallTable.of("black_jacky", table="mini-3p"), SelfPlaySettings(), 1)

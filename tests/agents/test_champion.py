"""The agent `champion`, which the package ships."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from blackjacky_agents import CompiledAgent, agent_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.agent_file import read_network
from blackjacky_agents.learning.network import encode_all
from blackjacky_env import black_jacky_v0
from tests.agents.positions import FAMILY, positions

WEIGHTS = get_kit("black_jacky").trained["champion"]
CARD = json.loads(WEIGHTS.with_suffix(".json").read_text("utf-8"))


def test_it_is_an_agent_like_any_other():
    agent = make_agent("champion")
    assert isinstance(agent, CompiledAgent)
    assert agent.name == "champion"
    assert "champion" in agent_names("black_jacky")


def test_its_card_says_how_it_was_trained_and_how_strong_it_is():
    assert "--preset league" in CARD["command"]
    assert CARD["trained_on"]["num_players"] == [2, 3, 4, 5, 6]
    assert CARD["trained_on"]["variant"] == ["classic", "schnell_duell"]
    assert {(row["players"], row["opponents"]) for row in CARD["results"]} >= {(4, "counter"), (2, "counter")}
    assert CARD["versions"]["torch"]


def test_it_needs_no_torch():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from blackjacky_agents import make_agent\n"
        "make_agent('champion')\n"
        "assert 'stable_baselines3' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_takes_the_likeliest_action_of_the_torch_network():
    torch = pytest.importorskip("torch")
    from blackjacky_agents.learning.league.learner import mlp, set_layers

    layers, encoding, greedy = read_network(WEIGHTS)
    network = mlp([encoding.size, *(len(bias) for _, bias in layers)])
    set_layers(network, layers)
    observations, masks = positions(games=100, moves=60)
    with torch.no_grad():
        logits = network(torch.from_numpy(encode_all(encoding, observations, masks))).numpy()
    logits[masks == 0] = -np.inf
    chosen = make_agent("champion").act_batch(observations, masks)
    best = logits.max(axis=1)
    assert greedy
    assert np.allclose(logits[np.arange(len(chosen)), chosen], best, rtol=1e-4, atol=1e-4)
    assert (chosen == logits.argmax(axis=1)).mean() > 0.999


@pytest.mark.parametrize("options", FAMILY, ids=str)
def test_it_plays_legally_whatever_the_options(options):
    observations, masks = positions(games=10, moves=40, **options)
    chosen = make_agent("champion").act_batch(observations, masks)
    assert (masks[np.arange(len(chosen)), chosen] == 1).all()


def test_one_policy_plays_a_whole_game_from_every_seat():
    env = black_jacky_v0.env(num_players=6)
    env.reset(seed=3)
    agent = make_agent("champion")
    for _ in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else agent.act(observation))
    assert env.unwrapped.snapshot()["phase"] == "over"


@pytest.mark.parametrize(("num_players", "games"), [(2, 1500), (4, 1500), (6, 1500)])
def test_it_beats_counter_with_its_whole_interval(num_players, games):
    score = against_copies(make_agent("champion"), [make_agent("counter")], num_players, games, seed=10**9)[0]
    assert score.low > score.par

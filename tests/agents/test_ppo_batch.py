"""examples/ppo_batch.py: advantages are those of each seat alone, and a short training leaves an agent that plays."""

import csv

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")
pytest.importorskip("tensorboard")

import ppo_batch
import torch

from blackjacky_agents import make_agent
from blackjacky_agents.networks.network import is_network
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT

pytestmark = pytest.mark.prove

GAMMA, LAMBDA = 0.9, 0.8
PLAYERS, GAMES, STEPS = 3, 4, 300


def test_advantages_are_linked_seat_by_seat():
    """Against the definition, for each seat of each game: the discounted sum of its temporal differences."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(STEPS, GAMES)).astype(np.float32)
    last_values = rng.normal(size=(GAMES, PLAYERS)).astype(np.float32)
    batch = make_batch(DEFAULT, GAMES, PLAYERS, seed=1, reward="hearts", per_seat=True, hearts=1)
    seats, terminated = np.zeros((STEPS, GAMES), int), np.zeros((STEPS, GAMES), bool)
    paid, cumulative = np.zeros((2, STEPS, GAMES, PLAYERS))
    for t in range(STEPS):
        seats[t] = batch.current_player
        batch.step(batch.random_actions())
        terminated[t], paid[t] = batch.terminated, batch.rewards[:, :PLAYERS]
        cumulative[t] = batch.cumulative_rewards[:, :PLAYERS]
    played = map(torch.from_numpy, (cumulative, terminated, seats, values, last_values))
    advantages = ppo_batch.per_seat_gae(*played, GAMMA, LAMBDA).numpy()
    assert terminated.sum(axis=0).min() > 1
    assert abs(paid).sum() > 10
    for i in range(GAMES):
        for seat in range(PLAYERS):
            expected = of_one_seat(
                seats[:, i] == seat, terminated[:, i], paid[:, i, seat], values[:, i], last_values[i, seat]
            )
            for t, advantage in expected.items():
                assert advantages[t, i] == pytest.approx(advantage, abs=1e-4)


def of_one_seat(decides, terminated, paid, values, last_value):
    """The advantage of each decision of a seat in one game after another, by step: a game with one player."""
    decisions, advantages, following = np.flatnonzero(decides), {}, 0.0
    for number in reversed(range(len(decisions))):
        t = decisions[number]
        until = decisions[number + 1] if number + 1 < len(decisions) else len(paid)
        ends = np.flatnonzero(terminated[t:until])
        reward = paid[t : t + ends[0] + 1].sum() if len(ends) else paid[t:until].sum()
        next_value = 0 if len(ends) else values[until] if until < len(paid) else last_value
        delta = reward + GAMMA * next_value - values[t]
        following = delta + (0 if len(ends) or until == len(paid) else GAMMA * LAMBDA * following)
        advantages[int(t)] = float(following)
    return advantages


def test_a_short_training_leaves_an_agent_and_a_curve_the_same_for_the_same_seed(tmp_path):
    small = {"folder": tmp_path, "num_envs": 16, "num_steps": 16, "eval_games": 50, "final_eval_games": 60}
    weights = []
    for seed in (1, 2, 1):
        ppo_batch.main(ppo_batch.Args(seed=seed, total_timesteps=3 * 256, eval_every=2, **small))
        agent = make_agent(f"ppo:{tmp_path / f'seed-{seed}'}")
        assert is_network(agent)
        weights.append(agent.parameters.tobytes())
    assert weights[0] == weights[2] != weights[1]
    rows = list(csv.DictReader((tmp_path / "learning_curve.csv").read_text("utf-8").splitlines()))
    found = [(row["seed"], row["steps"], row["games"]) for row in rows]
    assert found == [(seed, *last) for seed in "21" for last in (("512", "50"), ("768", "60"))]
    assert all(0 <= float(row["low"]) <= float(row["win_rate"]) <= float(row["high"]) <= 1 for row in rows)
    assert "2 seeds" in (tmp_path / "learning_curve.svg").read_text("utf-8")
    assert list((tmp_path / "seed-1").glob("events.out.tfevents.*"))

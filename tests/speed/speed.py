"""What `scripts/speed/compare_speed.py` measures; not a test, so pytest collects it only when it is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_env import black_jacky_v0, make_batch

Benchmark = Callable[..., Any]  # pytest-benchmark's fixture


@pytest.mark.parametrize("num_players", [2, 4, 6])
def test_random_play_of_1024_games_in_compiled_code(benchmark: Benchmark, num_players: int) -> None:
    batch = make_batch("black_jacky", 1024, num_players=num_players, threads=1)
    if not hasattr(batch, "run_random"):
        pytest.skip("this version has no run_random")
    batch.run_random(1)
    benchmark(batch.run_random, 20)


def test_steps_of_1024_games_from_python(benchmark: Benchmark) -> None:
    batch = make_batch("black_jacky", 1024)
    actions = np.zeros(1024, np.int64)

    def move_all() -> None:
        """No trick, then a knock, in every game."""
        for action in (0, 47):
            actions[:] = action
            batch.step(np.where(batch.action_masks[:, action], actions, batch.action_masks.argmax(axis=1)))

    move_all()
    benchmark(move_all)


def test_a_game_through_the_pettingzoo_loop(benchmark: Benchmark) -> None:
    env = black_jacky_v0.env()

    def one_game() -> None:
        rng = np.random.default_rng(0)
        env.reset(seed=0)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else rng.choice(np.flatnonzero(observation["action_mask"])))

    one_game()
    benchmark(one_game)


def test_100_decisions_of_one_seat(benchmark: Benchmark) -> None:
    env: Any = gymnasium.make("blackjacky/BlackJackySeat-v0", disable_env_checker=True).unwrapped

    def decide() -> None:
        mask = env.reset(seed=0)[1]["action_mask"]
        for _ in range(100):
            mask = (env.step(mask.argmax())[4] if mask.any() else env.reset()[1])["action_mask"]

    decide()
    benchmark(decide)


def test_10_decisions_of_one_seat_in_1024_games(benchmark: Benchmark) -> None:
    env: Any = gymnasium.make_vec("blackjacky/BlackJackySeat-v0", num_envs=1024, threads=1)

    def decide() -> None:
        _, info = env.reset(seed=0)
        for _ in range(10):
            *_, info = env.step(info["action_mask"].argmax(axis=1))

    decide()
    benchmark(decide)


@pytest.mark.parametrize(("name", "games"), [("threshold", 1000), ("counter", 20)])
def test_whole_games_of_four_compiled_agents(benchmark: Benchmark, name: str, games: int) -> None:
    agents, seating = [make_agent(name)], np.zeros((games, 4), np.int64)
    play_games(agents, seating, seed=0, threads=1)
    benchmark(play_games, agents, seating, seed=0, threads=1)

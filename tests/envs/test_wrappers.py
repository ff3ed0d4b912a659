"""Observations as float32 numbers, scaled by the declared ranges."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from blackjacky_env import black_jacky_v0
from blackjacky_env.envs.wrappers import scaled

pytestmark = pytest.mark.prove

SEAT = "blackjacky/BlackJackySeat-v0"


def scaled_by_hand(vector: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Each part of the layout divided by the largest magnitude that it declares."""
    scaled = np.zeros(len(vector), np.float32)
    for part in black_jacky_v0.describe_observation():
        entries = slice(part["offset"], part["offset"] + part["length"])
        scaled[entries] = vector[entries] / np.float32(max(-part["low"], part["high"]))
    return scaled


@pytest.mark.parametrize("num_players", [2, 6])
def test_a_table_shows_scaled_observations_and_the_same_masks(num_players: int) -> None:
    env, raw = (black_jacky_v0.env(num_players=num_players) for _ in range(2))
    env, rng = scaled(env), np.random.default_rng(0)
    env.reset(seed=1)
    raw.reset(seed=1)
    for agent in env.agent_iter():
        seen, reward, terminated, _, info = env.last()
        plain, plain_reward, *_ = raw.last()
        assert seen in env.observation_space(agent)
        np.testing.assert_array_equal(seen["observation"], scaled_by_hand(plain["observation"]))
        assert seen["observation"].dtype == np.float32
        for mask in (seen["action_mask"], info["action_mask"]):
            np.testing.assert_array_equal(mask, plain["action_mask"])
        assert reward == plain_reward
        action = None if terminated else int(rng.choice(np.flatnonzero(seen["action_mask"])))
        env.step(action)
        raw.step(action)


def test_a_seat_shows_scaled_observations_and_the_same_masks() -> None:
    env, raw, rng = scaled(gymnasium.make(SEAT)), gymnasium.make(SEAT), np.random.default_rng(0)
    (seen, info), (plain, _) = env.reset(seed=1), raw.reset(seed=1)
    terminated = False
    while not terminated:
        assert seen in env.observation_space
        assert seen.dtype == np.float32
        np.testing.assert_array_equal(seen, scaled_by_hand(plain))
        np.testing.assert_array_equal(info["action_mask"], env.get_wrapper_attr("action_masks")())
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        seen, reward, terminated, _, info = env.step(action)
        plain, plain_reward, *_ = raw.step(action)
        assert reward == plain_reward


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")  # that is what is checked here
def test_a_scaled_seat_passes_the_checkers() -> None:
    check_env(scaled(gymnasium.make(SEAT, on_illegal="lose").unwrapped))
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(scaled(gymnasium.make(SEAT, on_illegal="lose")))


@pytest.mark.parametrize("env", [object, lambda: gymnasium.make("CartPole-v1")])
def test_an_environment_that_declares_no_ranges_is_refused(env: Any) -> None:
    with pytest.raises(TypeError, match="is not an environment of this package"):
        scaled(env())


def test_scaled_observations_are_not_scaled_again() -> None:
    for env in (black_jacky_v0.env(), gymnasium.make(SEAT)):
        with pytest.raises(TypeError, match="were changed by another wrapper"):
            scaled(scaled(env))

"""Many games with one learner's seat each: the `VecEnv` that training runs on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.learning.encoding import find_encoding, raw_encoding
from blackjacky_agents.learning.network import encode_all
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import get_game
from tests.envs.playing import assert_same, random_legal
from tests.policies import last_legal

sb3_contrib = pytest.importorskip("sb3_contrib")

from stable_baselines3.common.vec_env import VecEnv, VecMonitor  # noqa: E402 - only where it is installed

from blackjacky_agents.learning.sb3 import LearnerVecEnv  # noqa: E402

GAME = get_game("black_jacky")
ALL_SIZES = [2, 3, 4, 5, 6]
LINEUPS = (["random"], [CompiledAgent("last", GAME.name, last_legal), "random"])
"""By name: five random players; and clockwise of the learner last, random, last, last, random."""


def make(num_envs: int = 10, **options: Any) -> LearnerVecEnv:
    """Games in which both line-ups play, so that all tests need only one compiled function."""
    return LearnerVecEnv(num_envs, **{"num_players": ALL_SIZES, "opponents": LINEUPS, "seed": 3, **options})


def random_actions(env: LearnerVecEnv, rng: np.random.Generator) -> Any:
    return random_legal(env.action_masks(), rng)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"variant": "schnell_duell", "reward": "hearts", "threads": 2},
        {"tricks": (3, 6), "hand_size": 3, "hearts": 1, "score_weight": 0.3, "num_players": [3, 6], "seat": 2},
        {"encoding": find_encoding("cards", GAME.name)},
    ],
    ids=["default", "variant", "options", "encoding"],
)
def test_the_games_are_those_of_many_seats_for_gymnasium(options: dict[str, Any]) -> None:
    """Which `tests.envs.test_vector` compares with whole games of the PettingZoo environment."""
    env, rng, mode = make(**options), np.random.default_rng(0), "SameStep"
    given = {"num_players": ALL_SIZES, "encoding": raw_encoding(GAME), **options}
    seats, ended = SeatVectorEnv("black_jacky", 10, LINEUPS, autoreset_mode=mode, **given), 0
    assert isinstance(env, VecEnv)
    assert env.num_envs == 10
    assert env.action_space.n == GAME.num_actions
    shown, (seen, told) = env.reset(), seats.reset(seed=3)
    for step in range(100):
        if step == 50:
            for each in (env, seats):
                each.set_opponents(LINEUPS[1:])
        assert_same(shown, seen)
        assert all(row in env.observation_space for row in shown)
        assert_same(env.action_masks(), told["action_mask"].astype(bool))
        actions = random_actions(env, rng)
        shown, rewards, dones, infos = env.step(actions)
        seen, paid, terminated, _, told = seats.step(actions)
        assert_same([rewards, dones], [paid.astype(np.float32), terminated])
        for i in np.flatnonzero(dones):
            assert_same(infos[i]["terminal_observation"], told["final_obs"][i])
        ended += int(dones.sum())
    assert ended > 10


def test_the_encoding_is_that_of_what_the_environment_shows() -> None:
    cards = find_encoding("cards", GAME.name)
    env, twin, rng = make(5, encoding=cards), make(5), np.random.default_rng(0)
    shown, scaled = env.reset(), twin.reset()
    for _ in range(50):
        seen = np.rint(scaled * GAME.layout.high).astype(np.int8)
        np.testing.assert_array_equal(shown, encode_all(cards, seen, env.action_masks().view(np.int8)))
        actions = random_actions(env, rng)
        shown, scaled = env.step(actions)[0], twin.step(actions)[0]


def test_masks_stand_in_the_infos_and_where_sb3_contrib_asks_for_them() -> None:
    env, rng = make(), np.random.default_rng(0)
    env.reset()
    infos = env.reset_infos
    for _ in range(10):
        masks = env.action_masks()
        np.testing.assert_array_equal(np.stack(env.env_method("action_masks")), masks)
        np.testing.assert_array_equal(np.stack([info["action_mask"] for info in infos]), masks)
        assert infos[0]["action_mask"].dtype == np.int8
        np.testing.assert_array_equal(env.env_method("action_masks", indices=[7, 2]), masks[[7, 2]])
        infos = env.step(random_actions(env, rng))[3]


def test_ended_games_tell_their_last_observation_and_what_the_episode_brought() -> None:
    env, rng = make(score_weight=0.25), np.random.default_rng(0)
    env.reset()
    returns, lengths, ended = np.zeros(10), np.zeros(10, int), 0
    for _ in range(150):
        _, rewards, dones, infos = env.step(random_actions(env, rng))
        returns += rewards
        lengths += 1
        for i, info in enumerate(infos):
            assert set(info) == {"action_mask", *(("terminal_observation", "episode") if dones[i] else ())}
            if not dones[i]:
                continue
            assert info["terminal_observation"] in env.observation_space
            assert (info["episode"]["r"], info["episode"]["l"]) == (pytest.approx(returns[i], abs=1e-5), lengths[i])
            returns[i] = lengths[i] = 0
            ended += 1
    assert ended > 20


def test_maskable_ppo_learns_on_it_without_a_warning() -> None:
    env = VecMonitor(make(), info_keywords=())
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0)
    model.learn(320)
    assert model.num_timesteps == 320
    assert len(model.ep_info_buffer) > 0


def test_single_games_have_no_attributes_of_their_own() -> None:
    env = make(4)
    assert env.get_attr("num_envs", [0, 3]) == [4, 4]
    assert env.get_attr("render_mode") == [None] * 4
    assert env.env_is_wrapped(VecMonitor) == [False] * 4
    assert env.has_attr("action_masks")
    with pytest.raises(AttributeError, match=r"'reward' cannot be set for single games .*set_opponents\(\)"):
        env.set_attr("reward", "hearts")
    with pytest.raises(AttributeError, match="no method 'render'; only 'action_masks' is supported"):
        env.env_method("render")


def test_a_reset_starts_the_next_games_and_a_seed_the_same_ones_again() -> None:
    env = make(seed=8)
    first, second = env.reset(), env.reset()
    assert not np.array_equal(first, second)
    assert env.seed(8) == [8] * 10
    np.testing.assert_array_equal(env.reset(), first)
    np.testing.assert_array_equal(env.reset(), second)
    env.seed(9)
    assert not np.array_equal(env.reset(), first)


def test_without_a_seed_the_system_chooses_one() -> None:
    one, other = make(), make()
    assert one.seed() != other.seed()
    assert not np.array_equal(one.reset(), other.reset())


def test_a_state_goes_on_as_if_nothing_had_happened() -> None:
    env, other, rng = make(score_weight=0.5), make(score_weight=0.5, seed=99), np.random.default_rng(0)
    env.reset()
    for _ in range(40):
        shown = env.step(random_actions(env, rng))[0]
    assert_same(other.set_state(env.get_state()), shown)
    for _ in range(80):
        assert_same(env.action_masks(), other.action_masks())
        actions = random_actions(env, rng)
        assert_same(env.step(actions), other.step(actions))
    assert_same(env.reset(), other.reset())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_envs": 0}, ValueError, r"num_envs=0 is out of range; allowed are 1 \.\. "),
        ({"num_players": [4, 1]}, ValueError, r"num_players=1 is out of range; allowed are 2 \.\. 6"),
        ({"seed": -1}, ValueError, r"seed=-1 is out of range; allowed are 0 \.\. "),
        ({"jokers": 2}, TypeError, r"unknown option jokers=2; options of black_jacky are max_card, "),
        ({"opponents": []}, ValueError, r"opponents=\[\] is empty; allowed is a list"),
        ({"game": "skat"}, ValueError, "'skat'.*black_jacky"),
    ],
)
def test_options_are_checked_by_name(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(**options)

"""What frameworks tripped over that no example shows, with the framework itself where it is installed."""

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from blackjacky_env import IllegalActionError, black_jacky_v0

ID = "blackjacky/BlackJackySeat-v0"
pytestmark = pytest.mark.filterwarnings("ignore")  # of the frameworks


def play(env, steps=100):
    """Play a wrapped table with legal actions; returns what the last agent saw."""
    env.reset(seed=0)
    for _ in zip(range(steps), env.agent_iter(), strict=False):
        observation, _, terminated, _, info = env.last()
        if terminated:
            break
        env.step(int(np.flatnonzero(info["action_mask"])[-1]))
    return observation


def test_rllibs_check_passes_where_illegal_actions_end_the_game():
    pytest.importorskip("ray.rllib")
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    env = TerminateIllegalWrapper(black_jacky_v0.env(num_players=4), illegal_reward=-1)
    check_multiagent_environments(PettingZooEnv(env))


def test_environments_from_rays_object_store_can_be_played_and_workers_know_the_ids(ray):
    table, seat = black_jacky_v0.env(), gymnasium.make(ID)
    table.reset(seed=0)
    seat.reset(seed=0)
    table, seat = ray.get([ray.put(table), ray.put(seat)])
    table.step(int(table.last()[0]["action_mask"].argmax()))
    seat.step(int(seat.unwrapped.action_masks().argmax()))

    @ray.remote
    def shape_on_a_worker():
        import gymnasium

        return gymnasium.make(f"blackjacky_env:{ID}").reset(seed=0)[0].shape

    assert ray.get(shape_on_a_worker.remote()) == seat.observation_space.shape


@pytest.fixture
def ray(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("dtype_v0", (np.float32,)),
        ("observation_lambda_v0", (lambda seen, _space: seen,)),
        *((name, (2,)) for name in ("frame_stack_v1", "delay_observations_v0", "max_observation_v0")),
        *((name, ()) for name in ("normalize_obs_v0", "flatten_v0", "clip_reward_v0")),
        *((name, ()) for name in ("pad_observations_v0", "pad_action_space_v0")),
    ],
)
def test_supersuits_wrappers_take_flat_observations(name, arguments):
    """They refuse dicts; the mask is in the infos."""
    supersuit = pytest.importorskip("supersuit")
    table = black_jacky_v0.env(observation_format="flat", observation_dtype="float32")
    env = getattr(supersuit, name)(table, *arguments)
    assert play(env) in env.observation_space("player_0")


@pytest.mark.parametrize(("name", "argument"), [("sticky_actions_v0", 0.99), ("frame_skip_v0", 2)])
def test_supersuits_wrappers_that_repeat_actions_do_not_fit(name, argument):
    env = getattr(pytest.importorskip("supersuit"), name)(gymnasium.make(ID), argument)
    env.reset(seed=0)
    with pytest.raises(IllegalActionError):
        [env.step(int(env.unwrapped.action_masks().argmax())) for _ in range(5)]

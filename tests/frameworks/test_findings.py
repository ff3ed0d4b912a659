"""What frameworks tripped over, each with the framework itself where it is installed (`make frameworks`)."""

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


def test_sb3_makes_its_environment_from_the_id():
    """It passes ``render_mode="rgb_array"`` whether or not it will draw."""
    sb3 = pytest.importorskip("stable_baselines3")
    model = sb3.PPO("MlpPolicy", ID, device="cpu")
    assert model.get_env().reset().shape == (1, *model.observation_space.shape)


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


def test_torchrls_gym_env_is_made_without_a_wrapper_and_passes_its_check():
    """It passes ``frameskip`` and tries again when the error is Python's; `MaskedCategorical` wants bool masks."""
    pytest.importorskip("torchrl")
    from torchrl.envs import ActionMask, GymEnv, TransformedEnv
    from torchrl.envs.utils import check_env_specs
    from torchrl.modules import MaskedCategorical

    form = {"observation_format": "dict", "observation_dtype": "float32", "mask_dtype": "bool"}
    env = TransformedEnv(GymEnv(ID, categorical_action_encoding=True, **form), ActionMask())
    check_env_specs(env)
    seen = env.reset()
    drawn = MaskedCategorical(logits=seen["action_mask"].float(), mask=seen["action_mask"]).sample((100,))
    assert seen["action_mask"][drawn].all()


def test_tianshous_table_takes_the_environment_as_it_is():
    pytest.importorskip("tianshou")
    from tianshou.env import PettingZooEnv

    env = PettingZooEnv(black_jacky_v0.env(num_players=3))
    seen, _ = env.reset(seed=0)
    for _ in range(20):
        seen, rewards, terminated, _, _ = env.step(int(np.argmax(seen["mask"])))
        assert len(rewards) == 3
        if terminated:
            break


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


def test_agilerls_rollouts_find_the_masks_with_its_own_pettingzoo():
    pytest.importorskip("agilerl")
    from agilerl.algorithms import PPO
    from agilerl.rollouts import collect_rollouts

    env = gymnasium.make_vec(ID, num_envs=4, observation_dtype="float32", autoreset_mode="SameStep")
    agent = PPO(env.single_observation_space, env.single_action_space, num_envs=4, learn_step=64)
    collect_rollouts(agent, env)  # an illegal action would raise
    masks = agent.rollout_buffer.get_tensor_batch()["action_masks"]
    assert masks.shape == (64, env.single_action_space.n)
    assert (masks.sum(axis=1) > 0).all()

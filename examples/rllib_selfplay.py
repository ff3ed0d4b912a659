"""RLlib: PPO plays all seats of a table against itself, with one shared policy and RLlib's masking module.

python examples/rllib_selfplay.py
"""

from __future__ import annotations

import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # otherwise Ray reports usage to its makers

import ray
import torch
import tyro
from gymnasium import spaces
from learning_curve import LearningCurve
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from blackjacky_env import black_jacky_v0


class NamedForRLlib(BaseWrapper):
    """A table whose vectors are called "observations", as the masking module requires."""

    def observation_space(self, agent):
        """The table's space, renamed."""
        space = super().observation_space(agent)
        return spaces.Dict({"observations": space["observation"], "action_mask": space["action_mask"]})

    def observe(self, agent):
        """The table's observation, renamed."""
        seen = super().observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"]}


def make_env():
    """A table of four, with float32 vectors for the network."""
    return black_jacky_v0.env(num_players=4, observation_dtype="float32")


def make_config(seed: int) -> PPOConfig:
    """PPO in one process; more `num_env_runners` play on more cores."""
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [64, 64], "fcnet_activation": "tanh"}
    )
    return (
        PPOConfig()
        .environment("table", disable_env_checking=True)  # the check plays random actions, most of them illegal
        .env_runners(num_env_runners=0, rollout_fragment_length="auto")
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_arguments, **_options: "shared")
        .rl_module(rl_module_spec=module)
        .training(lr=3e-4, train_batch_size_per_learner=2_048, minibatch_size=256, num_epochs=10, entropy_coeff=0.01)
        .debugging(seed=seed, log_level="ERROR")
    )


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    register_env("table", lambda _config: PettingZooEnv(NamedForRLlib(make_env())))
    algorithm = make_config(seed).build_algo()

    @torch.no_grad()
    def choose(vector, mask):
        seen = {"observations": torch.from_numpy(vector)[None], "action_mask": torch.from_numpy(mask)[None]}
        logits = algorithm.get_module("shared").forward_inference({"obs": seen})["action_dist_inputs"]
        return torch.distributions.Categorical(logits=logits).sample()

    curve, played = LearningCurve("rllib", evaluate_every, games), 0
    curve.add(played, choose)
    while played < decisions:
        played = int(algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"])
        curve.add(played, choose)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    tyro.cli(main)

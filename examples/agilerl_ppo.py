"""AgileRL: PPO in one seat of many games, which our vector environment plays inside one compiled call.

python examples/agilerl_ppo.py
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
import tyro
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from learning_curve import LearningCurve

import blackjacky_env  # noqa: F401  # registers the ids

ENV_ID = "blackjacky/BlackJackySeat-v0"
NUM_ENVS = 16
LEARN_STEP = 2_048
ENCODER = {"latent_dim": 64, "encoder_config": {"hidden_size": [64]}, "head_config": {"hidden_size": [64]}}


def make_env() -> gymnasium.vector.VectorEnv:
    """Many games, each with three random agents; AgileRL finds the masks in ``info["action_mask"]``.

    Its rollouts take the observation after the last of a game for the first of the next: ``SameStep``.
    """
    return gymnasium.make_vec(
        ENV_ID, num_envs=NUM_ENVS, num_players=4, observation_dtype="float32", autoreset_mode="SameStep"
    )


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""
    torch.manual_seed(seed)
    env = make_env()
    agent = PPO(
        env.single_observation_space,
        env.single_action_space,
        net_config=ENCODER,
        num_envs=NUM_ENVS,
        learn_step=LEARN_STEP,
        batch_size=256,
        update_epochs=10,
        lr=3e-4,
    )

    def choose(vector, mask):
        return agent.get_action(vector[None], action_mask=mask[None])[0][0]

    observations, info = env.reset(seed=seed)
    reached = observations, np.zeros(NUM_ENVS), np.zeros(NUM_ENVS), info
    curve, played = LearningCurve("agilerl", evaluate_every, games), 0
    curve.add(played, choose)
    while played < decisions:
        names = ("last_obs", "last_done", "last_scores", "last_info")
        _, *reached = collect_rollouts(agent, env, **dict(zip(names, reached, strict=True)))
        agent.learn()
        played += LEARN_STEP
        curve.add(played, choose)


if __name__ == "__main__":
    tyro.cli(main)

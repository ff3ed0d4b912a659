"""Tianshou: double DQN plays all seats of a table against itself, through Tianshou's own `PettingZooEnv`.

python examples/tianshou_dqn.py

Tianshou stores the moves of all seats in one row and takes the move after a seat's own for its next state. So returns
are summed to the end of the game: a longer horizon than any game, and no bootstrapping from another seat's view.
"""

from __future__ import annotations

import logging

import numpy as np
import torch
import tyro
from learning_curve import LearningCurve
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from blackjacky_env import black_jacky_v0

HORIZON = 300  # moves of all seats
EPSILON = 0.2


def make_env():
    """A table of four."""
    return PettingZooEnv(black_jacky_v0.env(num_players=4, observation_dtype="float32"))


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns of returns by seat at every collection
    np.random.seed(seed)  # noqa: NPY002  # Tianshou explores with this generator
    torch.manual_seed(seed)
    env = make_env()
    network = Net(
        state_shape=env.observation_space["observation"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=[128, 128],
    )
    # Within MultiAgentPolicy a policy does not know that it is being trained, and explores as for inference.
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_inference=EPSILON)
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.995,
        n_step_return_horizon=HORIZON,
        target_update_freq=500,
    )
    all_seats = MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * len(env.agents), env=env)
    envs = DummyVectorEnv([make_env] * 8)
    envs.seed(seed)
    collector = Collector(all_seats, envs, VectorReplayBuffer(50_000, len(envs)), exploration_noise=True)

    @torch.no_grad()
    def choose(vector, mask):
        seen = Batch(obs=Batch(obs=vector[None], mask=mask[None]), info={})
        return policy(seen).act[0]

    curve = LearningCurve("tianshou", evaluate_every, games)
    all_seats.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=decisions,
            collection_step_num_env_steps=256,
            batch_size=256,
            update_step_num_gradient_steps_per_sample=1 / 64,
            training_fn=lambda _epoch, played: curve.add(played, choose),
            show_progress=False,
            verbose=False,
        )
    )
    curve.add(decisions, choose)


if __name__ == "__main__":
    tyro.cli(main)

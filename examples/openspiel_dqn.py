"""OpenSpiel: DQN learns in one seat, and its current policy plays all others.

python examples/openspiel_dqn.py
"""

from __future__ import annotations

import numpy as np
import torch
import tyro
from learning_curve import LearningCurve
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import dqn

from blackjacky_env.openspiel import load_game

LEARNER = 0
EPSILON = 0.2


def make_agent(env: rl_environment.Environment, decisions: int, seed: int) -> dqn.DQN:
    """A learner of the table's first player."""
    return dqn.DQN(
        player_id=LEARNER,
        state_representation_size=env.observation_spec()["info_state"][0],
        num_actions=env.action_spec()["num_actions"],
        hidden_layers_sizes=[128, 128],
        batch_size=256,
        replay_buffer_capacity=50_000,
        learning_rate=1e-3,
        optimizer_str="adam",
        loss_str="huber",
        learn_every=4,
        update_target_network_every=500,
        min_buffer_size_to_learn=1_000,
        epsilon_end=0.05,
        epsilon_decay_duration=decisions,
        seed=seed,
    )


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""
    np.random.seed(seed)  # noqa: NPY002  # OpenSpiel's DQN explores with this generator
    torch.manual_seed(seed)
    env = rl_environment.Environment(load_game("black_jacky", num_players=4), seed=seed)
    agent = make_agent(env, decisions, seed)

    def choose(vector, mask):
        return agent.act_epsilon_greedy(vector, np.flatnonzero(mask), epsilon=0)[0]

    curve, played = LearningCurve("openspiel", evaluate_every, games), 0
    curve.add(played, choose)
    while played < decisions:
        step = env.reset()
        while not step.last():
            player = step.observations["current_player"]
            if player == LEARNER:
                action = agent.step(step).action
                played += 1
            else:
                seen, legal = step.observations["info_state"][player], step.observations["legal_actions"][player]
                action = agent.act_epsilon_greedy(seen, legal, EPSILON)[0]
            step = env.step([action])
        agent.step(step)
        curve.add(played, choose)


if __name__ == "__main__":
    tyro.cli(main)

"""Stable-Baselines3: MaskablePPO of sb3-contrib in one seat, three random agents in the others.

python examples/sb3_maskable_ppo.py
"""

from __future__ import annotations

import tyro
from learning_curve import LearningCurve
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import blackjacky_env  # noqa: F401  # registers the ids

ENV_ID = "blackjacky/BlackJackySeat-v0"


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""
    env = make_vec_env(ENV_ID, n_envs=8, seed=seed, env_kwargs={"num_players": 4, "opponents": ["random"]})
    model = MaskablePPO("MlpPolicy", env, n_steps=256, batch_size=256, ent_coef=0.01, seed=seed, device="cpu")
    curve = LearningCurve("sb3", evaluate_every, games)

    def choose(observation, mask):
        return model.predict(observation, action_masks=mask)[0]

    curve.add(0, choose)
    while model.num_timesteps < decisions:
        model.learn(evaluate_every, reset_num_timesteps=False)
        curve.add(model.num_timesteps, choose)
    env.close()


if __name__ == "__main__":
    tyro.cli(main)

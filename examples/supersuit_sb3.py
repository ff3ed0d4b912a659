"""SuperSuit: its wrappers around one seat with flat observations, and MaskablePPO of sb3-contrib.

python examples/supersuit_sb3.py

The wrappers refuse observations that are dicts. So the mask stays out of them, in ``info`` and ``action_masks()``;
a PettingZoo table is wrapped in the same way with ``observation_format="flat"``.
"""

from __future__ import annotations

import gymnasium
import supersuit
import tyro
from learning_curve import LearningCurve
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import blackjacky_env  # noqa: F401  # registers the ids

ENV_ID = "blackjacky/BlackJackySeat-v0"


def make_env() -> gymnasium.Env:
    """One seat; each entry of its observations is scaled to 0 .. 1 by its declared range."""
    env = gymnasium.make(ENV_ID, num_players=4, observation_dtype="float32")
    return supersuit.normalize_obs_v0(env)


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""
    declared = gymnasium.make(ENV_ID, observation_dtype="float32").observation_space
    model = MaskablePPO(
        "MlpPolicy",
        make_vec_env(make_env, n_envs=8, seed=seed),
        n_steps=256,
        batch_size=256,
        ent_coef=0.01,
        seed=seed,
        device="cpu",
    )

    def choose(observation, mask):
        scaled = (observation - declared.low) / (declared.high - declared.low)
        return model.predict(scaled, action_masks=mask)[0]

    curve = LearningCurve("supersuit", evaluate_every, games)
    curve.add(0, choose)
    while model.num_timesteps < decisions:
        model.learn(evaluate_every, reset_num_timesteps=False)
        curve.add(model.num_timesteps, choose)


if __name__ == "__main__":
    tyro.cli(main)

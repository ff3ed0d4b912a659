"""Self-play with Stable-Baselines3: MaskablePPO in one seat, its own current policy in the others.

python examples/sb3_selfplay.py

PettingZoo's tutorial for SB3 lets one "agent" of SB3 make the moves of all seats in turn. The observation after a move
is then the next player's, whose prospects PPO takes for those of the player who moved; and what a player earns in
others' turns is lost. In `SeatEnv` a step ends with the learner's own next decision and has all that it earned by then.
"""

from __future__ import annotations

import tyro
from learning_curve import Learned, LearningCurve
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import blackjacky_env  # noqa: F401  # registers the ids

ENV_ID = "blackjacky/BlackJackySeat-v0"


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""

    def choose(observation, mask):
        return model.predict(observation, action_masks=mask)[0]

    env = make_vec_env(ENV_ID, n_envs=8, seed=seed, env_kwargs={"num_players": 4, "opponents": [Learned(choose)]})
    model = MaskablePPO("MlpPolicy", env, n_steps=256, batch_size=256, ent_coef=0.01, seed=seed, device="cpu")
    curve = LearningCurve("sb3_selfplay", evaluate_every, games)
    curve.add(0, choose)
    while model.num_timesteps < decisions:
        model.learn(evaluate_every, reset_num_timesteps=False)
        curve.add(model.num_timesteps, choose)
    env.close()


if __name__ == "__main__":
    tyro.cli(main)

"""MaskablePPO of sb3-contrib, the preset ``sb3``: an implementation from elsewhere to compare self-play with.

`LearnerVecEnv` is the environment, `PPORun` a training against bots and past versions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.kit import Encoding, raw_encoding
from blackjacky_agents.kit.settings import PPOSettings
from blackjacky_agents.learning.modules import with_moments
from blackjacky_agents.learning.training_run import TrainingRun
from blackjacky_agents.networks.network import Layers, layers_of
from blackjacky_env.envs import SeatVectorEnv
from blackjacky_env.games import DEFAULT, get_game

Opponents = Sequence[str | CompiledAgent]
_SAME = ("n_steps", "batch_size", "n_epochs", "gamma", "gae_lambda", "seed")  # settings of MaskablePPO, too
_DRAWN = 128  # opponents after each snapshot, of which each seat of each game has one


class LearnerVecEnv(VecEnv):
    """A Stable-Baselines3 `VecEnv`: games with a learner in one seat and compiled agents in the others.

    Observations are float32, shape (num_envs, F). Masks are in ``infos[i]["action_mask"]`` and returned by
    ``env_method("action_masks")``, as sb3-contrib expects. Finished games restart in the same step, with
    ``terminal_observation`` in their infos. Rewards accumulate until the learner's next decision.

    Args:
        num_envs: number of games.
        opponents: of which each game draws one for each seat.
        encoding: the learner's input; by default the observation, scaled by its declared ranges.
        seed: seed of the games; the same seed and actions give the same games.
        game: name of the game.
        options: those of `SeatVectorEnv`, such as ``num_players``, ``variant``, ``seat``, ``threads``,
            ``score_weight``, and the game's own.

    Raises `TypeError` or `ValueError` if an option is unknown or out of range; the message names what is allowed.
    """

    def __init__(
        self,
        num_envs: int = 256,
        opponents: Opponents = ("random",),
        encoding: Encoding | None = None,
        seed: int = 0,
        game: str = DEFAULT,
        **options: Any,
    ) -> None:
        shown = encoding or raw_encoding(get_game(game))
        fixed: Any = {"autoreset_mode": AutoresetMode.SAME_STEP, "encoding": shown, "observation_format": "flat"}
        self.games = SeatVectorEnv(game, num_envs, opponents, **fixed, **options)
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self.seed(seed)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed (0 .. 2**63 - 1; None: that of the games so far) used by the next `reset`."""
        self._seed = seed
        return [seed] * self.num_envs

    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the opponents, as `SeatVectorEnv.set_opponents`."""
        self.games.set_opponents(opponents)

    def reset(self) -> npt.NDArray[np.float32]:
        """Start new games, from the seed set by `seed` if any; returns observations."""
        (shown, info), self._seed = self.games.reset(seed=self._seed), None
        self.reset_infos = [{"action_mask": mask} for mask in info["action_mask"]]
        return np.asarray(shown)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the learner's actions, integers (num_envs,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Take the stored actions; returns observations, rewards (float32), dones (bool) and infos in new arrays.

        An illegal action raises `IllegalActionError` before any game has changed.
        """
        shown, rewards, ended, _, info = self.games.step(self._actions)
        infos = [{"action_mask": mask} for mask in info["action_mask"]]
        for i in np.flatnonzero(ended):
            infos[i]["terminal_observation"] = info["final_obs"][i]
        return shown, rewards.astype(np.float32), ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool, shape (num_envs, A)."""
        return self.games.action_masks().view(np.bool_)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """``action_masks``: the mask of each game; no other methods are supported."""
        if method_name != "action_masks":
            raise AttributeError(f"single games have no method {method_name!r}; only 'action_masks' is supported")
        return list(self.action_masks()[list(self._get_indices(indices))])

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this environment, repeated for each game."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Not supported, because games in a batch share their attributes; raises an error."""
        raise AttributeError(f"{attr_name!r} cannot be set for single games; set_opponents() changes opponents")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """False for each game."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Release the games; the environment cannot be stepped afterwards."""
        self.games.close()


def policy_layers(model: MaskablePPO) -> list[torch.nn.Module]:
    """The policy network, from input to output."""
    return [*model.policy.mlp_extractor.policy_net, model.policy.action_net]


class PPORun(TrainingRun):
    """Training with MaskablePPO; arguments and errors are those of `TrainingRun`."""

    settings: PPOSettings

    def __init__(self, settings: PPOSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        torch.distributions.Distribution.set_default_validate_args(False)  # costs a tenth
        options = {name: getattr(settings, name) for name in ("variant", "score_weight", "threads")}
        options |= {"num_players": settings.table_sizes, **settings.rule_options}
        self.env = LearnerVecEnv(settings.num_envs, self.bots, self.encoding, settings.seed, settings.game, **options)
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            policy_kwargs={"net_arch": list(settings.hidden_sizes), "activation_fn": torch.nn.ReLU},
            device="cpu",
            **{name: getattr(settings, name) for name in _SAME},
        )
        self.networks = {"policy": self.model.policy}
        self.optimizers = {"adam": with_moments(self.model.policy.optimizer)}

    def layers(self) -> Layers:
        """The current policy network."""
        return layers_of(policy_layers(self.model))

    def variants(self) -> list[str]:
        """The variant that is played."""
        return [self.env.games.variant]

    def _take_snapshot(self) -> None:
        super()._take_snapshot()
        self._seat_opponents()

    def _seat_opponents(self) -> None:
        """Draw the opponents of all games."""
        are_past = self.rng.random(_DRAWN) < self.settings.past_self_fraction * bool(self.snapshots)
        groups = [self.snapshots if past else self.opponents for past in are_past]
        self.env.set_opponents([group[self.rng.integers(len(group))] for group in groups])

    def _prepare(self) -> None:
        """Compile everything before the clock starts, by playing a few games."""
        self.env.set_opponents([*self.bots, self.agent(greedy=False)])
        self.env.reset()
        self._against_bots(1)
        self.clock.set(0)

    def _learn(self) -> None:
        settings, model = self.settings, self.model
        model.set_logger(Logger(None, []))
        model.lr_schedule = lambda _: settings.learning_rate * self.left
        model.num_timesteps = self.steps
        set_random_seed((settings.seed + self.steps) % 2**32)
        self.env.seed(settings.seed + self.steps)  # of the games, which begin anew in a run that is resumed
        self._seat_opponents()
        while self._goes_on:
            self._begin_update()
            model.ent_coef = settings.ent_coef * self.left
            model.learn(settings.num_envs * settings.n_steps, reset_num_timesteps=False)  # one update
            self.steps = model.num_timesteps
            self._end_update({name: float(value) for name, value in model.logger.name_to_value.items()})

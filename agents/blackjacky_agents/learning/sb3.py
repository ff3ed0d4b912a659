"""A Stable-Baselines3 `VecEnv`: a batch of games with the learner in one seat and compiled agents in the others."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.learning.encoding import Encoding, raw_encoding
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.engine.game import Game
from blackjacky_env.envs.aec import MAX_SEED
from blackjacky_env.envs.opponents import check_list
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import DEFAULT, get_game

Lineup = str | CompiledAgent | Sequence[str | CompiledAgent]
"""Opponents: one agent for all other seats, or several, seated clockwise from the learner and repeated as needed."""


class LearnerVecEnv(VecEnv):
    """A batch of games with one learner each; the other seats are played inside the batch.

    Observations are float32, shape (num_envs, F). Masks are in ``infos[i]["action_mask"]`` and returned by
    ``env_method("action_masks")``, as sb3-contrib expects. Finished games restart in the same step, with
    ``terminal_observation`` and ``episode`` in their infos. Rewards accumulate until the learner's next decision.

    Args:
        num_envs: number of games.
        num_players: table size, or several: game i has ``num_players[i % len(num_players)]``; by default the usual one.
        opponents: line-ups; each game draws one of them.
        seat: the learner's seat; None: drawn at random for each game.
        variant: name of the variant, the game's first by default.
        reward: ``"win"``, or the game's score reward.
        score_weight: reward shaping: with ``reward="win"``, the score reward times this weight is added.
        encoding: the learner's input; by default the observation, scaled by its declared ranges.
        seed: seed of the games; the same seed and actions give the same games.
        threads: maximum number of threads, 1 .. 1024; None: one per core. Results do not depend on it.
        game: name of the game.
        rule_options: the game's own options.

    Attributes:
        seconds: time spent in the games so far, including the opponents' policies.

    Raises:
        TypeError, ValueError: an option is unknown or out of range; the message names it and what is allowed.
    """

    def __init__(
        self,
        num_envs: int = 256,
        num_players: int | Sequence[int] | None = None,
        opponents: Sequence[Lineup] = ("random",),
        seat: int | None = None,
        variant: str | None = None,
        reward: str = "win",
        score_weight: float = 0.0,
        encoding: Encoding | None = None,
        seed: int = 0,
        threads: int | None = None,
        game: str = DEFAULT,
        **rule_options: Any,
    ) -> None:
        declared = get_game(game)
        self.games = SeatVectorEnv(
            game,
            num_envs,
            _lineups(opponents),
            num_players,
            seat,
            AutoresetMode.SAME_STEP,
            encoding=encoding or raw_encoding(declared),
            variant=variant,
            reward=reward,
            score_weight=score_weight,
            threads=threads,
            **rule_options,
        )
        self.seconds = 0.0
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self.seed(seed)
        space = self.games.single_observation_space if encoding else _scaled_space(declared)
        super().__init__(num_envs, space, self.games.single_action_space)

    # ------------------------------------------------------------ seeds, opponents and states

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed (0 .. 2**63 - 1; None: from the operating system) used by the next `reset`."""
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        self._seed: int | None = check_integer("seed", seed, 0, MAX_SEED)
        return [seed] * self.games.num_envs

    def set_opponents(self, opponents: Sequence[Lineup]) -> None:
        """Replace the line-ups, as `SeatVectorEnv.set_opponents`."""
        self.games.set_opponents(_lineups(opponents))

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of all state arrays, without the opponents; `ResetNeeded` before the first reset."""
        return {**self.games.get_state(), "returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def set_state(self, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """Restore `get_state` of games with the same options; returns observations.

        Call `set_opponents` first, with the same opponents as when the state was taken.
        """
        self._returns[:], self._lengths[:] = arrays["returns"], arrays["lengths"]
        self._seed = None
        return self.games.set_state(arrays)[0]

    # ------------------------------------------------------------ SB3

    def reset(self) -> npt.NDArray[np.float32]:
        """Start new games, from the seed set by `seed` if any; returns observations."""
        started = time.perf_counter()
        shown, info = self.games.reset(seed=self._seed)
        self.seconds += time.perf_counter() - started
        self._seed = None
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos = [{"action_mask": mask} for mask in info["action_mask"]]
        return shown

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the learner's actions, integers (num_envs,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Take the stored actions; returns observations, rewards (float32), dones (bool) and infos in new arrays.

        Raises `IllegalActionError` for the first game with an illegal action, before any game has changed.
        """
        started = time.perf_counter()
        shown, rewards, ended, _, info = self.games.step(self._actions)
        self.seconds += time.perf_counter() - started
        self._returns += rewards
        self._lengths += 1
        infos = [{"action_mask": mask} for mask in info["action_mask"]]
        for i in np.flatnonzero(ended).tolist():
            episode = {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": 0.0}
            infos[i].update(terminal_observation=info["final_obs"][i], episode=episode)
        self._returns[ended] = 0
        self._lengths[ended] = 0
        return shown, rewards.astype(np.float32), ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool, shape (num_envs, A)."""
        return self.games.action_masks().view(np.bool_)

    # ------------------------------------------------------------ access to single games, required by SB3

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """``action_masks``: the mask of each game; no other methods are supported."""
        if method_name != "action_masks":
            raise AttributeError(f"single games have no method {method_name!r}; only 'action_masks' is supported")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this environment, repeated for each game."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Not supported, because games in a batch share their attributes; raises an error."""
        raise AttributeError(
            f"{attr_name!r} cannot be set for single games of a batch; set_opponents() changes opponents"
        )

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """False for each game."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Release the batch; the environment cannot be stepped afterwards."""
        self.games.close()


def _lineups(opponents: Sequence[Lineup]) -> list[list[str | CompiledAgent]]:
    """Line-ups, each as a list."""
    return [[lineup] if isinstance(lineup, str | CompiledAgent) else list(lineup) for lineup in check_list(opponents)]


def _scaled_space(game: Game) -> spaces.Box:
    layout = game.layout
    return spaces.Box(layout.low / layout.largest, layout.high / layout.largest, dtype=np.float32)

"""A Stable-Baselines3 `VecEnv`: many games, one learner's seat in each, compiled agents in the others."""

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
"""Who sits in the other seats: one agent in all of them, or several clockwise of the learner (repeated as needed)."""


class LearnerVecEnv(VecEnv):
    """Games with one learner's seat each; the other seats are played inside the batch until the learner is to act.

    Observations are float32, shape (num_envs, F); masks stand in ``infos[i]["action_mask"]`` and come from
    ``env_method("action_masks")``, as sb3-contrib asks for them. Ended games start anew in the same step, with
    ``terminal_observation`` and ``episode`` in their infos. The reward is paid at the learner's next decision.

    Args:
        num_envs: number of games.
        num_players: table size, or several: game i has ``num_players[i % len(num_players)]``; by default the usual one.
        opponents: line-ups; each game draws one of them.
        seat: the learner's seat; None: drawn for each game.
        variant: name of the variant, the game's first by default.
        reward: ``"win"``, or the game's score reward.
        score_weight: with ``reward="win"``, this many times the score reward is added, which speeds up learning.
        encoding: what the learner is shown; by default the observation, scaled by its declared ranges.
        seed: the same seed and actions make the same games.
        threads: the most threads to use, 1 .. 1024; None: one per core. Results do not depend on it.
        game: name of the game.
        rule_options: the game's own options.

    Attributes:
        seconds: time spent in the games so far, opponents' thinking included.

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
        """Set the seed (0 .. 2**63 - 1; None: from the system) of the games that the next `reset` starts."""
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        self._seed: int | None = check_integer("seed", seed, 0, MAX_SEED)
        return [seed] * self.games.num_envs

    def set_opponents(self, opponents: Sequence[Lineup]) -> None:
        """Change the line-ups, as `SeatVectorEnv.set_opponents`."""
        self.games.set_opponents(_lineups(opponents))

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of all arrays that the games go on from, opponents left out; `ResetNeeded` before the first reset."""
        return {**self.games.get_state(), "returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def set_state(self, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """Go on from `get_state` of games with the same options; returns observations.

        Call `set_opponents` with the opponents of that time first.
        """
        self._returns[:], self._lengths[:] = arrays["returns"], arrays["lengths"]
        self._seed = None
        return self.games.set_state(arrays)[0]

    # ------------------------------------------------------------ SB3

    def reset(self) -> npt.NDArray[np.float32]:
        """Start all games anew: those of the seed after `seed`, else the next ones. Returns observations."""
        started = time.perf_counter()
        shown, info = self.games.reset(seed=self._seed)
        self.seconds += time.perf_counter() - started
        self._seed = None
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos = [{"action_mask": mask} for mask in info["action_mask"]]
        return shown

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the learner's actions, integers (num_envs,)."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Make the actions: observations, rewards (float32), dones (bool), infos; arrays are never written again.

        `IllegalActionError` names the first game with an illegal action; nothing has changed.
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
        """Legal actions of the learner, bool, shape (num_envs, A)."""
        return self.games.action_masks().view(np.bool_)

    # ------------------------------------------------------------ one game of many, as SB3 asks for it

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """``action_masks``: the mask of each game; there are no other methods of single games."""
        if method_name != "action_masks":
            raise AttributeError(f"single games have no method {method_name!r}; there is 'action_masks'")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this object, once for each game."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: games in a batch share their attributes."""
        raise AttributeError(
            f"{attr_name!r} cannot be set for single games of a batch; set_opponents() changes opponents"
        )

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """No further steps."""
        self.games.close()


def _lineups(opponents: Sequence[Lineup]) -> list[list[str | CompiledAgent]]:
    """Line-ups that are all lists."""
    return [[lineup] if isinstance(lineup, str | CompiledAgent) else list(lineup) for lineup in check_list(opponents)]


def _scaled_space(game: Game) -> spaces.Box:
    layout = game.layout
    return spaces.Box(layout.low / layout.largest, layout.high / layout.largest, dtype=np.float32)

"""A Stable-Baselines3 `VecEnv`: a batch of games with the learner in one seat and compiled agents in the others."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from blackjacky_agents.kit.encoding import Encoding, raw_encoding
from blackjacky_agents.learning.lineups import Lineup, as_lists
from blackjacky_env.checks import check_integer
from blackjacky_env.declare import Game
from blackjacky_env.envs import MAX_SEED, SeatVectorEnv
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play import check_arrays


class LearnerVecEnv(VecEnv):
    """Games with one learner each; the other seats are played inside the batches, one for each variant.

    Observations are float32, shape (num_envs, F). Masks are in ``infos[i]["action_mask"]`` and returned by
    ``env_method("action_masks")``, as sb3-contrib expects. Finished games restart in the same step, with
    ``terminal_observation`` and ``episode`` in their infos. Rewards accumulate until the learner's next decision.

    Args:
        num_envs: number of games.
        num_players: table size, or several: game i has ``num_players[i % len(num_players)]``; by default the usual one.
            If no variant allows them all, each has its usual one, and the games of a variant stand together.
        opponents: line-ups; each game draws one of them.
        seat: the learner's seat; None: drawn at random for each game.
        variant: name of the variant, by default the first that allows all table sizes.
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
        self.batches = [
            SeatVectorEnv(
                game,
                count,
                as_lists(opponents),
                sizes,
                seat,
                AutoresetMode.SAME_STEP,
                encoding=encoding or raw_encoding(declared),
                variant=name,
                reward=reward,
                score_weight=score_weight,
                threads=threads,
                **rule_options,
            )
            for count, sizes, name in _tables(declared, num_envs, num_players, variant)
        ]
        first = self.batches[0]
        self.seconds = 0.0
        self._ends = np.cumsum([batch.num_envs for batch in self.batches])[:-1]
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        low, high = (bound / declared.layout.largest for bound in (declared.layout.low, declared.layout.high))
        space = first.single_observation_space if encoding else spaces.Box(low, high, dtype=np.float32)
        super().__init__(num_envs, space, first.single_action_space)
        self.seed(seed)

    # ------------------------------------------------------------ seeds, opponents and states

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed (0 .. 2**63 - 1; None: from the operating system) used by the next `reset`."""
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        self._seed: int | None = check_integer("seed", seed, 0, MAX_SEED)
        return [seed] * self.num_envs

    def set_opponents(self, opponents: Sequence[Lineup]) -> None:
        """Replace the line-ups, as `SeatVectorEnv.set_opponents`."""
        for batch in self.batches:
            batch.set_opponents(as_lists(opponents))

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of all state arrays, without the opponents; `ResetNeeded` before the first reset."""
        parts = [batch.get_state() for batch in self.batches]
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return {**arrays, "returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def set_state(self, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """Restore `get_state` of games with the same options; returns observations.

        Call `set_opponents` first, with the same opponents as when the state was taken. Raises `TypeError` or
        `ValueError`, with nothing changed, for arrays of other games (`SeatVectorEnv.check_state`).
        """
        own = {"returns": self._returns, "lengths": self._lengths}
        checked = check_arrays("this state", {name: arrays[name] for name in arrays if name in own}, own)
        parts = {name: self._split(array) for name, array in arrays.items() if name not in own}
        each = [{name: part[i] for name, part in parts.items()} for i in range(len(self.batches))]
        for batch, given in zip(self.batches, each, strict=True):
            batch.check_state(given)
        self._returns[:], self._lengths[:] = checked["returns"], checked["lengths"]
        self._seed = None
        return np.concatenate([batch.set_state(own)[0] for batch, own in zip(self.batches, each, strict=True)])

    def _split(self, array: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        if len(self.batches) == 1:
            return [array]
        array = np.atleast_1d(array)
        return np.split(array, self._ends * (len(array) // self.num_envs))

    # ------------------------------------------------------------ SB3

    def reset(self) -> npt.NDArray[np.float32]:
        """Start new games, from the seed set by `seed` if any; returns observations."""
        started = time.perf_counter()
        seed = self._seed  # that of the first batch
        begun = [batch.reset(seed=None if seed is None else seed ^ i) for i, batch in enumerate(self.batches)]
        self.seconds += time.perf_counter() - started
        self._seed = None
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos = [{"action_mask": mask} for _, info in begun for mask in info["action_mask"]]
        return np.concatenate([shown for shown, _ in begun])

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the learner's actions, integers (num_envs,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Take the stored actions; returns observations, rewards (float32), dones (bool) and infos in new arrays.

        Raises `IllegalActionError` for the first game with an illegal action, before any game of its batch has changed.
        """
        started = time.perf_counter()
        taken = [batch.step(actions) for batch, actions in zip(self.batches, self._split(self._actions), strict=True)]
        self.seconds += time.perf_counter() - started
        shown, rewards, ended = (np.concatenate([part[i] for part in taken]) for i in range(3))
        self._returns += rewards
        self._lengths += 1
        infos = [_info_of(info, i) for *_, info in taken for i in range(len(info["action_mask"]))]
        for i in np.flatnonzero(ended).tolist():
            infos[i]["episode"] = {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": 0.0}
        self._returns[ended] = 0
        self._lengths[ended] = 0
        return shown, rewards.astype(np.float32), ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool, shape (num_envs, A)."""
        return np.concatenate([batch.action_masks() for batch in self.batches]).view(np.bool_)

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
        """Release the batches; the environment cannot be stepped afterwards."""
        for batch in self.batches:
            batch.close()


def _tables(
    game: Game, num_envs: int, num_players: int | Sequence[int] | None, variant: str | None
) -> list[tuple[int, int | Sequence[int] | None, str | None]]:
    """Number of games, table sizes and variant of each batch: one batch if a variant allows all the table sizes."""
    if isinstance(num_players, int | None) or variant is not None:
        return [(num_envs, num_players, variant)]
    if any(set(num_players) <= set(each.sizes) for each in game.variants):
        return [(num_envs, num_players, None)]
    tables: dict[str, list[int]] = {}
    kinds = [game.choose_table(size, label="each of num_players") for size in num_players]
    for size, name in islice(cycle(kinds), num_envs):
        tables.setdefault(name, []).append(size)
    return [(len(sizes), sizes, name) for name, sizes in tables.items()]


def _info_of(info: Mapping[str, Any], i: int) -> dict[str, Any]:
    """What SB3 is told of game i of a batch: the mask, and the last observation of a game that has ended."""
    if "_final_obs" in info and info["_final_obs"][i]:
        return {"action_mask": info["action_mask"][i], "terminal_observation": info["final_obs"][i]}
    return {"action_mask": info["action_mask"][i]}

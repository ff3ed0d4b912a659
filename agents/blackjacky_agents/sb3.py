"""A Stable-Baselines3 `VecEnv`: many games, one learner's seat in each, compiled agents in the others."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.network import Encoding
from blackjacky_agents.registry import make_agent
from blackjacky_env.engine import random
from blackjacky_env.engine.compiling import compiled, zeros
from blackjacky_env.engine.game import Game, IllegalActionError, check_choice, check_integer
from blackjacky_env.engine.play import BEGIN, DRAWN, Desk, Policy, learner_function, make_cast
from blackjacky_env.games import get_game

Lineup = str | CompiledAgent | Sequence[str | CompiledAgent]
"""Who sits in the other seats: one agent in all of them, or several clockwise of the learner (repeated as needed)."""

FOR_PARTS = 102  # purpose of random numbers
_KEPT = ("seats", "seating", "played", "decisions", "returns", "lengths", "shown", "masks")
_PARTS = 4  # games are kept in so many independent groups, whatever the number of threads


class LearnerVecEnv(VecEnv):
    """Games with one learner's seat each; the other seats are played inside the batch until the learner is to act.

    Observations are float32, shape (num_envs, F); masks stand in ``infos[i]["action_mask"]`` and come from
    ``env_method("action_masks")``, as sb3-contrib asks for them. Ended games start anew in the same step, with
    ``terminal_observation`` and ``episode`` in their infos. The reward is paid at the learner's next decision.

    Args:
        num_envs: number of games.
        num_players: table size, or several: game i has ``num_players[i % len(num_players)]``.
        opponents: line-ups; each game draws one of them.
        seat: the learner's seat; None: drawn for each game.
        variant: name of the variant, the game's first by default.
        reward: ``"win"``, or the game's score reward (``"hearts"``).
        score_weight: with ``reward="win"``, this many times the score reward is added, which speeds up learning.
        encoding: what the learner is shown; by default the observation, scaled by its declared ranges.
        seed: the same seed and actions make the same games.
        threads: CPU threads; results do not depend on it.
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
        num_players: int | Sequence[int] = 4,
        opponents: Sequence[Lineup] = ("random",),
        seat: int | None = None,
        variant: str | None = None,
        reward: str = "win",
        score_weight: float = 0.0,
        encoding: Encoding | None = None,
        seed: int = 0,
        threads: int = 2,
        game: str = "black_jacky",
        **rule_options: Any,
    ) -> None:
        self.game: Game = get_game(game)
        self.reward = check_choice("reward", reward, ("win", self.game.score_reward))
        self._weights = (1.0, score_weight) if reward == "win" else (0.0, 1.0)
        self.num_envs = check_integer("num_envs", num_envs, 1, 2**20)
        self._states = self._new_states(num_players, variant, rule_options)
        self._seat = (
            DRAWN if seat is None else check_integer("seat", seat, 0, int(self._states["num_players"].min()) - 1)
        )
        self._encoding = encoding or raw_encoding(self.game)
        self._policies: tuple[Policy, ...] = ()
        self._pool = ThreadPoolExecutor(check_integer("threads", threads, 1, 256))
        self._make_arrays()
        self.seed(seed)
        self._start_over()
        self.set_opponents(opponents)
        low, high = (-np.inf, np.inf) if encoding else _scaled_range(self.game)
        space = spaces.Box(low, high, (self._encoding.size,), np.float32)
        super().__init__(self.num_envs, space, spaces.Discrete(self.game.num_actions))

    def _new_states(self, num_players: int | Sequence[int], variant: str | None, options: dict[str, Any]) -> Any:
        game = self.game
        variant = check_choice("variant", game.variants[0] if variant is None else variant, game.variants)
        sizes = [num_players] if isinstance(num_players, int | np.integer) else list(num_players)
        if not sizes:
            raise ValueError("num_players=[] names no table size")
        states = zeros(self.num_envs, game.state_dtype)
        for i, size in enumerate(sizes):
            players = check_integer("num_players", size, game.min_players, game.max_players)
            states[i :: len(sizes)] = game.new_state(players, variant, game.check_options(players, variant, options))
        return states

    def _make_arrays(self) -> None:
        n = self.num_envs
        self._raws = np.zeros((n, self.game.layout.size), np.int8)
        self._results, self._score_changes = np.zeros(n), np.zeros(n)
        self._last_shown = np.zeros((n, self._encoding.size), np.float32)
        self._returns, self._lengths = np.zeros(n), np.zeros(n, np.int64)
        self._rows = np.arange(n)
        self.seconds = 0.0
        bounds = np.linspace(0, n, min(_PARTS, n) + 1).astype(int).tolist()
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]

    # ------------------------------------------------------------ seeds and opponents

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed (0 .. 2**63 - 1; None: from the system) of the games that the next `reset` starts."""
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        self._seed: int | None = check_integer("seed", seed, 0, 2**63 - 1)
        return [seed] * self.num_envs

    def _start_over(self) -> None:
        """Desks for the games of a new seed; each part of the games has its own key."""
        if self._seed is None:
            return
        n, size = self.num_envs, self.game.max_players
        self._seats, self._seating = np.zeros(n, np.int64), np.zeros((n, size), np.int64)
        self._played, self._decisions = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._keys = [_part_key(self._seed, part) for part in range(len(self._parts))]
        self._seed = None

    def set_opponents(self, opponents: Sequence[Lineup]) -> None:
        """Change the line-ups; the other seats of running games are taken by line-ups of the new ones at once.

        Nothing is compiled anew unless a line-up has an agent of a kind that has not played here yet: networks are all
        of one kind.
        """
        lineups = [self._find_agents(lineup) for lineup in opponents]
        if not lineups:
            raise ValueError("opponents=[] names nobody to play against")
        agents = list(dict.fromkeys(agent for lineup in lineups for agent in lineup))
        known = [(policy, np.zeros(0, np.float32)) for policy in self._policies]
        self._policies, self._cast = make_cast([*known, *((agent.policy, agent.parameters) for agent in agents)])
        numbers = {agent: len(known) + i for i, agent in enumerate(agents)}
        others = self.game.max_players - 1
        self._lineups = np.array([[numbers[lineup[i % len(lineup)]] for i in range(others)] for lineup in lineups])
        self._seating[:, 1:] = self._lineups[self._rows % len(lineups)]
        self._seating[:, 0] = self._lineups[self._rows % len(lineups), 0]
        self._step = learner_function(self.game, self._policies, self._encoding.function)

    def _find_agents(self, lineup: Lineup) -> list[CompiledAgent]:
        members = [lineup] if isinstance(lineup, str | CompiledAgent) else list(lineup)
        if not 1 <= len(members) <= self.game.max_players - 1:
            raise ValueError(
                f"the line-up {lineup!r} has {len(members)} agents; allowed are 1 .. {self.game.max_players - 1}"
            )
        return [find_compiled(member, self.game.name) for member in members]

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of all arrays that the games go on from, opponents left out; `ResetNeeded` before the first reset."""
        self._require_games()
        arrays = {name: getattr(self, f"_{name}").copy() for name in _KEPT}
        return {**arrays, "states": self._states.view(np.uint8).copy(), "keys": np.array(self._keys, np.uint64)}

    def set_state(self, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """Go on from `get_state` of games with the same options; returns observations.

        Call `set_opponents` with the opponents of that time first.
        """
        for name in _KEPT:
            setattr(self, f"_{name}", arrays[name].copy())
        self._states = arrays["states"].copy().view(self._states.dtype)
        self._keys = list(arrays["keys"])
        self._seed = None
        return self._shown

    # ------------------------------------------------------------ SB3

    def reset(self) -> npt.NDArray[np.float32]:
        """Start all games anew: those of the seed after `seed`, else the next ones. Returns observations."""
        self._start_over()
        self._returns[:] = 0
        self._lengths[:] = 0
        self._actions = np.full(self.num_envs, BEGIN)
        self._play()
        self.reset_infos = [{"action_mask": mask} for mask in self._masks]
        return self._shown

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the learner's actions, integers (num_envs,); `IllegalActionError` names the first wrong one's game."""
        self._actions = self._check_actions(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Make the actions: observations, rewards (float32), dones (bool), infos; arrays are never written again."""
        self._play()
        rewards = self._weights[0] * self._results + self._weights[1] * self._score_changes
        self._returns += rewards
        self._lengths += 1
        infos = [{"action_mask": mask} for mask in self._masks]
        for i in np.flatnonzero(self._ended).tolist():
            infos[i].update(self._closing_info(i))
        return self._shown, rewards.astype(np.float32), self._ended, infos

    def _closing_info(self, i: int) -> dict[str, Any]:
        episode = {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": 0.0}
        self._returns[i] = 0
        self._lengths[i] = 0
        return {"terminal_observation": self._last_shown[i].copy(), "episode": episode}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Legal actions of the learner, bool, shape (num_envs, A)."""
        return self._masks.view(np.bool_)

    def _play(self) -> None:
        """Play all games to the learner's next decision, into new arrays."""
        started = time.perf_counter()
        self._shown = np.empty((self.num_envs, self._encoding.size), np.float32)
        self._masks = np.empty((self.num_envs, self.game.num_actions), np.int8)
        self._ended = np.empty(self.num_envs, np.bool_)
        list(self._pool.map(self._play_part, self._keys, self._parts))
        self.seconds += time.perf_counter() - started

    def _play_part(self, key: np.uint64, part: slice) -> None:
        desk = Desk(
            key,
            self._seat,
            self._lineups,
            self._seats[part],
            self._seating[part],
            self._played[part],
            self._decisions[part],
        )
        self._step(
            self._states[part],
            desk,
            self._cast,
            self._raws[part],
            self._masks[part],
            self._shown[part],
            self._actions[part],
            self._results[part],
            self._score_changes[part],
            self._ended[part],
            self._last_shown[part],
        )

    # ------------------------------------------------------------ checks

    def _require_games(self) -> None:
        if not self._played.any():
            raise ResetNeeded("no games are running: call reset() first")

    def _check_actions(self, actions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        self._require_games()
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise TypeError(f"{self.num_envs} integers are needed as actions, not {given.dtype} of shape {given.shape}")
        in_range = (given >= 0) & (given < self.game.num_actions)
        legal = in_range & (self._masks[self._rows, np.where(in_range, given, 0)] > 0)
        if not legal.all():
            self._refuse(int(np.argmin(legal)), int(given[np.argmin(legal)]))
        return given.astype(np.int64)

    def _refuse(self, i: int, action: int) -> NoReturn:
        if not 0 <= action < self.game.num_actions:
            raise IllegalActionError(
                f"game {i}: action {action} is out of range; allowed are 0 .. {self.game.num_actions - 1}"
            )
        raise IllegalActionError(f"game {i}: {self.game.words.why_illegal(self._states[i], action)}")

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
        """Stop the threads."""
        self._pool.shutdown()


def find_compiled(agent: str | CompiledAgent, game: str) -> CompiledAgent:
    """The agent, made by name if need be; `ValueError` if it is not compiled and cannot play inside a batch."""
    found = make_agent(agent, game) if isinstance(agent, str) else agent
    if not isinstance(found, CompiledAgent):
        raise ValueError(f"{agent!r} is no compiled agent, so it cannot play inside a batch")
    return found


def _part_key(seed: int, part: int) -> np.uint64:
    key = np.uint64(random.game_key(seed))  # compiled code hands out Python integers, which go in again as signed ones
    return np.uint64(random.stream(key, FOR_PARTS, part, 0))


def _scaled_range(game: Game) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    high = game.layout.high.astype(np.float32)
    return (game.layout.low / high).astype(np.float32), np.ones_like(high)


@cache
def raw_encoding(game: Game) -> Encoding:
    """The observation as float32, each entry divided by the highest value that it can have."""
    scale = (1 / game.layout.high.astype(np.float32)).astype(np.float32)

    def encode(observation, mask, out):  # type: ignore[no-untyped-def]  # compiled
        for i in range(len(scale)):
            out[i] = observation[i] * scale[i]

    return Encoding("raw", game.version, compiled(encode), game.layout.size)

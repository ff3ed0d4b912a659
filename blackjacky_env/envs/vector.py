"""The Gymnasium `VectorEnv` of any game: many games with a learner in one seat and compiled agents in the others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from blackjacky_env.checks import check_choice, check_integer, check_number
from blackjacky_env.compiled import random
from blackjacky_env.compiled.callbacks import make_cast
from blackjacky_env.compiled.compiling import entry, is_compiled
from blackjacky_env.compiled.policies import CompiledOpponent
from blackjacky_env.compiled.threads import check_threads, spread
from blackjacky_env.declare.game import Game, IllegalActionError
from blackjacky_env.envs.aec import MAX_SEED, Observation, TableEnv
from blackjacky_env.envs.formats import Format
from blackjacky_env.envs.opponents import check_opponents, find_compiled
from blackjacky_env.games import get_game
from blackjacky_env.play.batch import choose_tables, new_states
from blackjacky_env.play.decks import warn_of_ignored
from blackjacky_env.play.learner_games import BEGIN, Encoder, LearnerArrays, learner_function, seat_everybody
from blackjacky_env.play.playouts import raise_illegal
from blackjacky_env.play.states import own_arrays
from blackjacky_env.play.step import DRAWN, NONE, check_actions, first_illegal

Array = npt.NDArray[Any]
Member = str | CompiledOpponent

_GUARD, _UNWRITTEN = 2**16, np.float32(-1.7014117e38)  # values beside a tried encoding, and what they hold
_GAMES_PER_THREAD = 64  # a step takes a few moves of opponents, waking a thread as long as a few hundred


class Encoding(Protocol):
    """A compiled encoding of observations, such as a network's inputs."""

    @property
    def function(self) -> Encoder:
        """The compiled function that writes it."""

    @property
    def size(self) -> int:
        """Number of float32 values."""


class SeatVectorEnv(VectorEnv[Observation, Array, Array]):
    """Many games for Gymnasium, with a learner in one seat; compiled opponents play between the learner's decisions.

    Observations, rewards and skipped games are those of `SeatEnv`, but all games are played in one compiled call. The
    masks of legal actions are ``info["action_mask"]`` (int8, shape (num_envs, A)), all 0 where a game has ended and no
    new one has started. The rest of ``info`` follows Gymnasium's `SyncVectorEnv`: ``skipped_games`` where games were
    started, and with ``AutoresetMode.SAME_STEP`` ``final_obs`` and ``final_info``.

    Examples:
        >>> import blackjacky_env, gymnasium, numpy as np
        >>> envs = gymnasium.make_vec("blackjacky/BlackJackySeat-v0", num_envs=64, opponents=["random"])
        >>> rng = np.random.default_rng(0)
        >>> observations, info = envs.reset(seed=0)
        >>> for _ in range(100):
        ...     actions = np.argmax(info["action_mask"] * rng.random(info["action_mask"].shape), axis=1)
        ...     observations, rewards, terminations, truncations, info = envs.step(actions)

    Args:
        game: name of the game; ids such as ``blackjacky/BlackJackySeat-v0`` pass it.
        num_envs: number of games.
        opponents: names of compiled agents, or objects with ``policy`` and ``parameters``; for every game each other
            seat draws one of them.
        num_players: players at every table, or a list of table sizes that the games take in turn.
        seat: the learner's seat; None: drawn for every game.
        autoreset_mode: when finished games are restarted, as defined by Gymnasium. ``NEXT_STEP``: by the next step,
            whatever the action; ``SAME_STEP``: by the same one.
        encoding: replaces the vector by an encoding of it (float32): a compiled function and its size.
        observation_format: ``"flat"`` (the vector) or ``"dict"`` (of ``observation``, the vector, and ``action_mask``).
        observation_dtype: dtype of the vector, as for `TableEnv`.
        mask_dtype: dtype of masks, also in ``info``: ``"int8"`` or ``"bool"``.
        variant: name of the variant; by default the game's first that allows all these table sizes.
        reward: ``"win"``, or the game's score reward.
        score_weight: with ``reward="win"``, this multiple of the score reward is added, which speeds up learning.
        threads: maximum number of threads, 1 .. 1024; None: one per core. Results do not depend on it.
        table: name of one of the game's tables, as for `TableEnv`.
        render_mode: None, as these games are not drawn.
        max_episode_steps: None, as no game is cut short; ``vectorization_mode="sync"`` has Gymnasium's `TimeLimit`.
        rule_options: the game's own options.

    Raises:
        TypeError, ValueError: an option or the name of an opponent is unknown; the message says what is allowed.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Sequence[Member] = ("random",),
        num_players: int | Sequence[int] | None = None,
        seat: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        encoding: Encoding | None = None,
        observation_format: str = "flat",
        observation_dtype: str = "integer",
        mask_dtype: str = "int8",
        variant: str | None = None,
        reward: str = "win",
        score_weight: float = 0.0,
        threads: int | None = None,
        table: str | None = None,
        render_mode: None = None,
        max_episode_steps: None = None,
        **rule_options: Any,
    ) -> None:
        for name, given in {"render_mode": render_mode, "max_episode_steps": max_episode_steps}.items():
            if given is not None:
                raise ValueError(f"{name}={given!r} needs vectorization_mode='sync'; allowed here is None")
        self.game: Game = get_game(game)
        self._format = Format(observation_format, observation_dtype, mask_dtype)
        self.num_envs = check_integer("num_envs", num_envs, 1, 2**20)
        mode = getattr(autoreset_mode, "value", autoreset_mode)
        allowed = [AutoresetMode.NEXT_STEP.value, AutoresetMode.SAME_STEP.value]
        mode = AutoresetMode(check_choice("autoreset_mode", mode, allowed))
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.reward = check_choice("reward", reward, ("win", self.game.score_reward))
        num_players, variant, rule_options = self.game.find_table(table, num_players, variant, rule_options)
        weight = check_number("score_weight", score_weight, -1e6, 1e6)
        if weight and reward != "win":
            raise ValueError(f"score_weight={score_weight!r} needs reward='win', to which the score reward is added")
        self._weights = (1.0, weight) if reward == "win" else (0.0, 1.0)
        self._encode = _check_encoding(encoding, game) if encoding is not None else None
        self._entries = encoding.size if encoding else self.game.layout.size
        self._dtype: np.dtype[Any] = np.dtype(np.float32) if encoding else self.game.layout.dtype
        self._step = learner_function(self.game, self._encode)
        sizes, self.variant = choose_tables(self.game, self.num_envs, num_players, variant)
        self._states = new_states(self.game, sizes, self.variant, rule_options)
        self.seat = None if seat is None else check_integer("seat", seat, 0, min(sizes) - 1)
        self._make_spaces()
        self._make_arrays()
        self.set_opponents(opponents)
        self._threads = check_threads(threads)

    def _make_spaces(self) -> None:
        encoded = spaces.Box(-np.inf, np.inf, (self._entries,), np.float32) if self._encode else None
        self.single_observation_space = self._format.space(self.game.layout, self.game.num_actions, encoded)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _make_arrays(self) -> None:
        n = self.num_envs
        self._keys = np.zeros(n, np.uint64)
        self._seats, self._seating = np.zeros(n, np.int64), np.zeros((n, self.game.max_players), np.int64)
        self._played, self._decisions = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._shown, self._last_shown = self._new_shown(), self._new_shown()
        self._masks = np.zeros((n, self.game.num_actions), np.int8)
        self._results, self._score_changes = np.zeros(n), np.zeros(n)
        self._ended = np.zeros(n, np.bool_)

    def _new_shown(self) -> Array:
        return np.empty((self.num_envs, self._entries), self._dtype)

    # ------------------------------------------------------------ opponents

    def set_opponents(self, opponents: Sequence[Member]) -> None:
        """Change the opponents, also in running games, which are seated as if they had started with the new ones."""
        found = [find_compiled(self.game.name, each) for each in check_opponents(opponents)]
        distinct = {id(agent): agent for agent in found}
        agents, numbers = list(distinct.values()), list(distinct)
        self._cast, self._agents = make_cast(self.game, agents), agents
        self._opponents = np.array([numbers.index(id(agent)) for agent in found])
        seat_everybody(self._states, self._learner_arrays())

    def __getstate__(self) -> dict[str, Any]:
        """Everything except machine code, whose addresses hold in this process only."""
        return {**self.__dict__, "_step": None, "_cast": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(own_arrays(state))
        self._step = learner_function(self.game, self._encode)
        self._cast = make_cast(self.game, self._agents)

    # ------------------------------------------------------------ Gymnasium

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start games and play to the learner's first decisions.

        Args:
            seed: 0 .. 2**63 - 1: the same seed and actions give the same games. None: the next games of the last seed;
                the first time, a random seed.
            options: ignored with a `UserWarning`: these games cannot be rigged.

        Returns:
            Observations and info: ``action_mask`` of all games, ``skipped_games``.

        Raises:
            TypeError, ValueError: the seed is invalid; nothing has changed.
        """
        warn_of_ignored(options or {}, ())
        if seed is not None:
            seed = check_integer("seed", seed, 0, MAX_SEED)
        elif not self._played.any():
            seed = int(self.np_random.integers(2**63))
        super().reset(seed=seed)
        if seed is not None:
            # Compiled code returns Python integers, which would be passed on as signed ones.
            self._keys[:] = np.uint64(random.game_key(seed))
            self._played[:] = 0
        played = self._played.copy()
        self._play(np.full(self.num_envs, BEGIN))
        return self._return(played)

    def step(self, actions: Array) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Take the learner's actions and play on to the learner's next decision in each game, or to its end.

        Args:
            actions: legal by the masks, integers, shape (num_envs,); ignored where a game is restarted instead.

        Returns:
            Observations, summed rewards (float64), terminations, truncations (all False) and info.

        Raises:
            IllegalActionError: an action is not legal; the message names the first such game. No game has changed.
            TypeError, ValueError: the actions are not integers, or their shape is wrong.
            RuntimeError: an opponent chose an illegal action; the message names it. Only `reset` goes on.
            gymnasium.error.ResetNeeded: no games are running.
        """
        checked, played = self._check_actions(actions), self._played.copy()
        self._play(checked)
        rewards = self._weights[0] * self._results + self._weights[1] * self._score_changes
        observations, info = self._return(played)
        if self._same_step and self._ended.any():
            info |= self._final_info()
        return observations, rewards, self._ended.copy(), np.zeros(self.num_envs, np.bool_), info

    def action_masks(self) -> npt.NDArray[np.int8 | np.bool_]:
        """1 for the legal actions, int8 or bool (``mask_dtype``), shape (num_envs, A); all 0 where a game has ended."""
        return self._format.mask(self._masks.copy())

    # ------------------------------------------------------------ the parts of step

    def _return(self, played: npt.NDArray[np.int64]) -> tuple[Observation, dict[str, Any]]:
        """Observations; masks, and numbers of skipped games where some were started since ``played``."""
        info: dict[str, Any] = {"action_mask": self.action_masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}
        more = self._played - played
        if more.any():
            info |= {"skipped_games": np.maximum(more - 1, 0), "_skipped_games": more > 0}
        masks = self.action_masks() if self._format.observation_format == "dict" else self._masks
        return self._format.show(self._shown, masks), info

    def _final_info(self) -> dict[str, Any]:
        ended, final_obs = self._ended.copy(), np.full(self.num_envs, None, object)
        masks = self._format.mask(np.zeros_like(self._masks))
        for i in np.flatnonzero(ended).tolist():
            final_obs[i] = self._format.show(self._last_shown[i].copy(), masks[i].copy())
        final_info = {"action_mask": masks, "_action_mask": ended}
        return {"final_obs": final_obs, "_final_obs": ended, "final_info": final_info, "_final_info": ended}

    def _learner_arrays(self) -> LearnerArrays:
        kept = self._keys, self._seats, self._seating, self._played, self._decisions
        return LearnerArrays(DRAWN if self.seat is None else self.seat, self._opponents, *kept)

    def _play(self, actions: npt.NDArray[np.int64]) -> None:
        self._shown = self._new_shown()  # arrays that were returned are not overwritten
        games = self._states, self._learner_arrays(), self._cast, actions, self._same_step
        shown = self._shown, self._masks, self._results, self._score_changes, self._ended, self._last_shown
        threads = max(1, min(self._threads, self.num_envs // _GAMES_PER_THREAD))
        spread(lambda first, last: self._step(*games, *shown, first, last), self.num_envs, threads)
        try:
            raise_illegal(self._agents, self._cast)
        except IllegalActionError as error:
            self._played[:] = 0  # no games are running
            self._cast = make_cast(self.game, self._agents)
            raise RuntimeError(f"an opponent broke the rules: {error}") from error

    # ------------------------------------------------------------ checks

    def _check_actions(self, actions: Array) -> npt.NDArray[np.int64]:
        if not self._played.any():
            raise ResetNeeded("no games are running: call reset() first")
        checked, waiting = check_actions(actions, self.num_envs), self._ended & (not self._same_step)
        if (first := first_illegal(checked, self._masks, waiting)) != NONE:
            state, mask, where = self._states[first], self._masks[first], f"game {first}: "
            raise self.game.refusal(state, mask, int(np.asarray(actions)[first]), where)
        return np.where(waiting, BEGIN, checked)


def _check_encoding(encoding: Encoding, game: str) -> Encoder:
    """The function of an encoding that has written just as many values as it says, between guards."""
    function: Encoder | None = getattr(encoding, "function", None)
    if function is None or not is_compiled(function):
        raise TypeError(f"encoding={encoding!r} has no compiled function; allowed are None, or a function and size")
    size = check_integer("size of the encoding", getattr(encoding, "size", None), 1, 2**20)
    table = TableEnv(game)
    table.reset(seed=0)
    values = np.full(size + 2 * _GUARD, _UNWRITTEN)
    _write(function)(*table.observe(table.agent_selection).values(), values[_GUARD : _GUARD + size])
    written = np.flatnonzero(values != _UNWRITTEN)
    if not np.array_equal(written, np.arange(_GUARD, _GUARD + size)):
        raise ValueError(
            f"encoding={encoding!r} says size={size}, and writes {len(written)} values from index "
            f"{written[:1] - _GUARD} on; it has to write all of them and no others"
        )
    return function


@cache
def _write(encode: Encoder) -> Encoder:
    """Entry (observation, mask, out): encode."""

    def write(observation, mask, out):  # type: ignore[no-untyped-def]  # compiled
        encode(observation, mask, out)

    return entry(write)

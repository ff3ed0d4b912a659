"""The Gymnasium environment of any game: a learner in one seat, agents in the others."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from blackjacky_env.checks import check_choice, check_integer
from blackjacky_env.declare.game import IllegalActionError
from blackjacky_env.envs.aec import MAX_SEED, Observation, TableEnv
from blackjacky_env.envs.formats import Format
from blackjacky_env.envs.opponents import Opponent, find_casts
from blackjacky_env.envs.screen import Frame


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a table for Gymnasium; the opponents play between the learner's decisions.

    The observation is the vector (int8 or int16) described in the game's README, unless the options below say
    otherwise. The mask of legal actions (int8, 0 or 1) is ``info["action_mask"]``, and what `action_masks` returns for
    sb3-contrib. A step plays on to the learner's next decision and sums the rewards on the way; if the learner has no
    further decision, it plays the game to its end.
    Rewards before the learner's first decision are dropped. Games that end before it are skipped by reset and counted
    in ``info["skipped_games"]``, so this class is for learning; evaluation needs whole games. ``table`` is the
    underlying `TableEnv`, for inspecting the game (`TableEnv.snapshot`, `TableEnv.action_name`). Copies share the
    opponents' random numbers and the game's future; ``table.reseed`` gives a copy another future.

    Examples:
        >>> import blackjacky_env, gymnasium
        >>> env = gymnasium.make("blackjacky/BlackJackySeat-v0", opponents=["random"], num_players=3)
        >>> observation, info = env.reset(seed=0)
        >>> terminated = False
        >>> while not terminated:
        ...     action = env.action_space.sample(info["action_mask"])
        ...     observation, reward, terminated, truncated, info = env.step(action)

    Args:
        game: name of the game; ids such as ``blackjacky/BlackJackySeat-v0`` pass it.
        opponents: agents or their names; for every game each other seat draws one of them. A name is made into an
            agent for each seat; an object plays all seats that draw it, so it must not remember a hand between moves.
        num_players: players at the table.
        seat: the learner's seat; None: drawn for every game.
        on_illegal: an illegal action raises `IllegalActionError` and changes nothing (``"raise"``), or ends the episode
            with -1 and the reason in ``info["illegal_action"]`` (``"lose"``, for algorithms without masking).
        render_mode: ``"ansi"`` (`render` returns the learner's view as text), ``"rgb_array"`` (as pixels), ``"human"``
            (every move is shown in a window) or None.
        observation_format: ``"flat"`` (the vector) or ``"dict"`` (of ``observation``, the vector, and ``action_mask``).
        observation_dtype: dtype of the vector, as for `TableEnv`.
        mask_dtype: dtype of masks, also in ``info``: ``"int8"`` or ``"bool"``.
        options: ``variant``, ``reward``, ``table`` and the game's own options, as for `TableEnv`.

    Raises:
        TypeError, ValueError: an option or the name of an opponent is unknown; the message says what is allowed.
    """

    metadata: dict[str, Any] = TableEnv.metadata

    def __init__(
        self,
        game: str,
        opponents: Sequence[str | Opponent] = ("random",),
        num_players: int | None = None,
        seat: int | None = None,
        on_illegal: Literal["raise", "lose"] = "raise",
        render_mode: str | None = None,
        observation_format: str = "flat",
        observation_dtype: str = "integer",
        mask_dtype: str = "int8",
        **options: Any,
    ) -> None:
        if "render_as" in options:
            raise TypeError("SeatEnv() got an unexpected keyword argument 'render_as': it draws the learner's view")
        self.table = TableEnv(game, num_players=num_players, render_mode=render_mode, **options)
        self._format = Format(observation_format, observation_dtype, mask_dtype)
        self.render_mode = render_mode
        self.metadata = self.table.metadata
        last_seat = self.table.num_players - 1
        self.seat = None if seat is None else check_integer("seat", seat, 0, last_seat)
        self.on_illegal = check_choice("on_illegal", on_illegal, ("raise", "lose"))
        self._casts = find_casts(self.table.game.name, opponents, last_seat)
        self._learner = self.table.possible_agents[self.seat or 0]
        self._seated: dict[str, Opponent] = {}
        self._running = False
        self.observation_space = self._format.space(self.table.game.layout, self.table.game.num_actions)
        self.action_space = self.table.action_space(self._learner)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game and play to the learner's first decision.

        Args:
            seed: 0 .. 2**63 - 1; the same one gives the same games, seats and opponents. None: the generator goes on.
            options: ``start_player`` and ``deck`` rig the deals, as for `TableEnv`; if that game ends before the
                learner's first decision, the next one is not rigged.

        Returns:
            Observation and info: ``action_mask``, ``skipped_games``.

        Raises `TypeError` or `ValueError` if the seed, start player or deck is invalid.
        """
        super().reset(seed=None if seed is None else check_integer("seed", seed, 0, MAX_SEED))
        self._running = False  # until the opponents have played without an error
        skipped = 0
        self._start_game(options)
        while self._is_over():
            skipped += 1
            self._start_game(None)
        self._running = True
        observation, info = self._look()
        return observation, {**info, "skipped_games": skipped}

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take ``action`` and play on to the learner's next decision or the end of the game.

        Returns:
            Observation, summed rewards, terminated, truncated (always False) and info: ``action_mask``.

        Raises:
            IllegalActionError: the action is not legal now and ``on_illegal`` is ``"raise"``; nothing has changed.
            TypeError: it is not an integer.
            gymnasium.error.ResetNeeded: no game is running.
        """
        if not self._running:
            raise ResetNeeded("no game is running: call reset() first")
        try:
            self.table.step(action)  # type: ignore[arg-type]  # the table checks the action
        except IllegalActionError as error:
            if self.on_illegal == "raise":
                raise
            return self._lose(str(error))
        self._running = False  # until the opponents have played without an error
        reward = self.table.rewards[self._learner] + self._play_on()
        self._running = not self._is_over()
        observation, info = self._look()
        return observation, reward, not self._running, False, info

    def action_masks(self) -> npt.NDArray[np.int8 | np.bool_]:
        """1 for the legal actions, int8 or bool (``mask_dtype``), shape (n,); all 0 when the episode is over."""
        if not self._running:
            return self._format.mask(np.zeros(self.table.game.num_actions, np.int8))
        return self._format.mask(self.table.observe(self._learner)["action_mask"])

    def render(self) -> str | Frame | None:
        """The learner's view of the table, as returned by `TableEnv.render`."""
        return self.table.render()

    def __copy__(self) -> SeatEnv:
        """A copy that shares nothing, like ``copy.deepcopy``."""
        return copy.deepcopy(self)

    def close(self) -> None:
        """Close the window, if there is one."""
        self.table.close()

    def _start_game(self, options: dict[str, Any] | None) -> None:
        """Draw seat, opponents and deal; play to the learner's first decision or the end."""
        table, draw = self.table, self.np_random.integers
        seat = int(draw(table.num_players)) if self.seat is None else self.seat
        self._learner = table.possible_agents[seat]
        others = [agent for agent in table.possible_agents if agent != self._learner]
        drawn = [int(draw(len(self._casts))) for _ in others]
        for place, (agent, number) in enumerate(zip(others, drawn, strict=True)):
            cast = self._casts[number]
            self._seated[agent] = cast[drawn[:place].count(number) % len(cast)]
        for opponent in chain.from_iterable(self._casts):
            opponent.reset(int(draw(2**32)))
        table.render_as = self._learner
        table.reset(seed=int(draw(2**63)), options=options)
        self._play_on()

    def _play_on(self) -> float:
        """Play the opponents' moves until the learner is to act or the game is over; returns the learner's rewards."""
        table, reward = self.table, 0.0
        while not self._is_over() and table.agent_selection != self._learner:
            opponent = self._seated[table.agent_selection]
            action = opponent.act(table.observe(table.agent_selection))
            try:
                table.step(action)
            except (IllegalActionError, TypeError) as error:
                name = getattr(opponent, "name", opponent)
                raise RuntimeError(f"opponent {name!r} broke the rules as {table.agent_selection}: {error}") from error
            reward += table.rewards[self._learner]
        return reward

    def _lose(self, why: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self._running = False
        observation, info = self._look()
        return observation, -1.0, True, False, {**info, "illegal_action": why}

    def _is_over(self) -> bool:
        return self.table.terminations[self._learner]

    def _look(self) -> tuple[Observation, dict[str, Any]]:
        seen = self.table.observe(self._learner)
        if not self._running:
            seen["action_mask"][:] = 0
        mask = self._format.mask(seen["action_mask"])
        info = {**self.table.infos[self._learner], "action_mask": mask.copy()}
        return self._format.show(seen["observation"], mask), info

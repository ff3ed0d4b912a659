"""The functions of a versioned game module such as ``NAME_v0``, the same for every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_integer
from blackjacky_env.declare import describe_options
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.play.states import reseed_state, sample_state


@dataclass(frozen=True)
class GameModule:
    """The functions exported by a game's module; they can be pickled, for use in worker processes.

    Args:
        game: name of the game.
    """

    game: str

    def env(self, **options: Any) -> TableEnv:
        """A PettingZoo AEC environment of this game; options and errors as in `TableEnv` and the game's README."""
        return TableEnv(self.game, **options)

    def raw_env(self, **options: Any) -> TableEnv:
        """The same as `env`: the environment checks the order and legality of actions itself, without wrappers."""
        return self.env(**options)

    def describe_action(self, action: int) -> dict[str, Any]:
        """An action as JSON-ready data: ``kind``, ``card``, ``pile``, ``seats``, ``number``; None if not applicable.

        ``card`` is written as in the snapshot; ``seats`` are relative to the acting player. Raises `TypeError` or
        `ValueError` if there is no such action.
        """
        game = get_game(self.game)
        return game.words.actions[check_integer("action", action, 0, game.num_actions - 1)].describe()

    def describe_observation(self) -> list[dict[str, Any]]:
        """The parts of the observation vector in order: name, offset, length, shape, low, high, meaning."""
        return get_game(self.game).layout.describe()

    def describe_options(self) -> list[dict[str, Any]]:
        """The rule options in order: name, kind, default, low, high, optional, choices, allowed, help; JSON-ready."""
        return describe_options(get_game(self.game).options)

    def decode(self, observation: npt.ArrayLike) -> dict[str, Any]:
        """The named parts of an observation vector: ints and nested lists; `ValueError` for another shape."""
        return get_game(self.game).layout.decode(observation)

    def sample_state(self, observation: npt.ArrayLike, rng: np.random.Generator, seat: int | None = None) -> bytes:
        """A full legal position consistent with this observation vector, for `TableEnv.set_state`.

        Args:
            observation: the vector, of any seat.
            rng: draws what the observer cannot see, and the game's future.
            seat: where the observer sits in that position; None: in seat 0.

        Raises:
            TypeError, ValueError: no position is consistent with the observation, or there is no such seat.
        """
        return sample_state(get_game(self.game), observation, rng, seat)

    def reseed_state(self, state: bytes, rng: np.random.Generator) -> bytes:
        """The position of `TableEnv.get_state` with another future, drawn from ``rng``, as `TableEnv.reseed` makes it.

        Raises `TypeError` or `ValueError` if the state belongs to another game or version, is damaged, or has
        values out of range.
        """
        return reseed_state(get_game(self.game), state, rng)

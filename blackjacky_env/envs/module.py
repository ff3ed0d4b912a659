"""What the module of a game's version offers, such as ``NAME_v0``: the same for every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine import table
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game


@dataclass(frozen=True)
class GameModule:
    """The functions that a game's module hands on; they can be pickled, as workers need it.

    Args:
        game: name of the game.
    """

    game: str

    def env(self, **options: Any) -> TableEnv:
        """A PettingZoo AEC environment of this game; options and errors as in `TableEnv` and the game's README."""
        return TableEnv(self.game, **options)

    def raw_env(self, **options: Any) -> TableEnv:
        """The same as `env`: the environment checks order and actions itself, there are no wrappers to leave out."""
        return self.env(**options)

    def describe_action(self, action: int) -> dict[str, Any]:
        """What an action is, JSON-ready: ``kind``, ``card``, ``pile``, ``seats``, ``number``; None where it has none.

        ``card`` is written as in the snapshot; ``seats`` are relative to the player who acts. `TypeError` or
        `ValueError` if there is no such action.
        """
        game = get_game(self.game)
        return game.words.actions[check_integer("action", action, 0, game.num_actions - 1)].describe()

    def describe_observation(self) -> list[dict[str, Any]]:
        """The parts of the observation vector in order: name, offset, length, shape, low, high, meaning."""
        return get_game(self.game).layout.describe()

    def describe_options(self) -> list[dict[str, Any]]:
        """The rule options in order: name, kind, default, low, high, optional, choices, allowed, help; JSON-ready."""
        return get_game(self.game).describe_options()

    def decode(self, observation: npt.ArrayLike) -> dict[str, Any]:
        """The named parts of an observation vector: ints and nested lists; `ValueError` for another shape."""
        return get_game(self.game).layout.decode(observation)

    def sample_state(self, observation: npt.ArrayLike, rng: np.random.Generator) -> bytes:
        """A full legal position that shows this observation vector to seat 0, for `TableEnv.set_state`.

        What the observer cannot see is drawn from ``rng``; `ValueError` if no position looks like that.
        """
        return table.sample_state(get_game(self.game), observation, rng)

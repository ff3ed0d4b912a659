"""Schwarze Katze, version 0: ``env``, ``raw_env`` (the same), and what belongs to its observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine import table
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.schwarze_katze import GAME

__all__ = ["decode", "describe_observation", "env", "raw_env", "sample_state"]


def env(**options: Any) -> TableEnv:
    """A PettingZoo AEC environment of Schwarze Katze; options and errors as in `TableEnv` and the game's README."""
    return TableEnv("schwarze_katze", **options)


raw_env = env  # the environment checks order and actions itself: there are no wrappers to leave out


def describe_observation() -> list[dict[str, Any]]:
    """The parts of the observation vector in order: name, offset, length, shape, low, high, meaning."""
    return GAME.layout.describe()


def decode(observation: npt.ArrayLike) -> dict[str, Any]:
    """The named parts of an observation vector: ints and nested lists; `ValueError` for another shape."""
    return GAME.layout.decode(observation)


def sample_state(observation: npt.ArrayLike, rng: np.random.Generator) -> bytes:
    """A full legal position that shows this observation vector to seat 0, for `TableEnv.set_state`.

    What the observer cannot see is drawn from ``rng``; `ValueError` if no position looks like that.
    """
    return table.sample_state(GAME, observation, rng)

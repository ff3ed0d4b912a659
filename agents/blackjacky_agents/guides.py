"""What search is told of each game beyond its rules; a game without a line here is searched with random play-outs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.bots import random
from blackjacky_agents.bots.black_jacky import prospects, threshold
from blackjacky_env.engine.play import Policy

Value = Callable[..., None]
"""Compiled (s, result float64 (max_players,)): what each seat may expect of a game in which a round has just begun."""


class Guide(NamedTuple):
    """How simulated games go on where the tree ends, and how they are valued."""

    policy: Policy
    """Plays all seats."""
    parameters: npt.NDArray[np.float32]
    """Of `policy`."""
    value: Value | None
    """Values a game at the end of a round; None: every simulated game is played to its end."""


RANDOM = Guide(random.choose, np.zeros(0, np.float32), None)
GUIDES = {"black_jacky": Guide(threshold.choose, threshold.LIMITS, prospects.value)}


def guide_of(game: str) -> Guide:
    """The guide for a game."""
    return GUIDES.get(game, RANDOM)

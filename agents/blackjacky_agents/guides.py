"""What search is told of each game beyond its rules; a game without a line here is searched with random play-outs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.bots import random
from blackjacky_agents.bots.black_jacky import belief, prospects, threshold
from blackjacky_env.engine.play import Policy

Value = Callable[..., None]
"""Compiled (s, result float64 (max_players,)): what each seat may expect of a game in which a round has just begun."""
Likelihood = Callable[..., float]
"""Compiled (s): how likely (up to a factor) the others would have acted as they did, holding what they hold in s."""


class Guide(NamedTuple):
    """Which positions are simulated, how simulated games go on where a tree ends, and how they are valued."""

    policy: Policy
    """Plays all seats."""
    value: Value | None
    """Values a game at the end of a round; None: every simulated game is played to its end."""
    likelihood: Likelihood | None
    """Weights positions; None: all that look like the observation are drawn with the same chance."""


Numbers = npt.NDArray[np.float32]

RANDOM = Guide(random.choose, None, None), np.zeros(0, np.float32)
KNOCKS_FROM_19 = np.array([2, 4, 2, 8], np.float32)
"""Limits of `threshold` that knock a point earlier than its own: closer to what stronger players do."""
GUIDES: dict[str, tuple[Guide, Numbers]] = {
    "black_jacky": (Guide(threshold.choose, prospects.value, belief.likelihood), KNOCKS_FROM_19),
}


def guide_of(game: str) -> tuple[Guide, Numbers]:
    """The guide for a game, and the parameters of its policy."""
    return GUIDES.get(game, RANDOM)

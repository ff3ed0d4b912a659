"""What search is told of each game beyond its rules; a game without a line here is searched with random moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.bots import black_jacky, random, schwarze_katze
from blackjacky_agents.bots.black_jacky.belief import likelihood
from blackjacky_agents.bots.black_jacky.prospects import value as value_of_hearts
from blackjacky_agents.bots.schwarze_katze.prospects import value as value_of_totals
from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.policies import Policy

Value = Callable[..., None]
"""Compiled (s, result float64 (max_players,)): what each seat may expect of a game in which a round has just begun."""
Likelihood = Callable[..., float]
"""Compiled (s): how likely (up to a factor) the others would have acted as they did, holding what they hold in s."""


class Guide(NamedTuple):
    """Which positions are simulated, how simulated games go on where a tree ends, and how they are valued."""

    policy: Policy
    """Plays all seats; fast, because it plays nearly all simulated actions."""
    adviser: Policy
    """Whose move the tree search tries first where it stands; strong, since it is asked once in a search."""
    value: Value | None
    """Values a game at the end of a round; None: every simulated game is played to its end."""
    likelihood: Likelihood | None
    """Weights positions; None: all that look like the observation are drawn with the same chance."""


Numbers = npt.NDArray[np.float32]

RANDOM = Guide(random.choose, random.choose, None, None), np.zeros(0, np.float32)
KNOCKS_FROM_19 = np.array([2, 4, 2, 8], np.float32)
"""Limits of `threshold` that knock a point earlier than its own: closer to what stronger players do."""


def always_with(own: Numbers, policy: Policy) -> Policy:
    """Compiled: the policy with parameters of its own, whatever it is called with."""

    def choose(observation, mask, random_state, parameters):  # type: ignore[no-untyped-def]  # compiled
        return policy(observation, mask, random_state, own)

    return compiled(choose)


GUIDES: dict[str, tuple[Guide, Numbers]] = {
    "black_jacky": (
        Guide(
            policy=black_jacky.threshold.choose,
            adviser=always_with(black_jacky.counter.PARAMETERS, black_jacky.counter.choose),
            value=value_of_hearts,
            likelihood=likelihood,
        ),
        KNOCKS_FROM_19,
    ),
    "schwarze_katze": (
        Guide(
            policy=schwarze_katze.low.choose,
            adviser=always_with(schwarze_katze.counter.PARAMETERS, schwarze_katze.counter.choose),
            value=value_of_totals,
            likelihood=None,
        ),
        np.zeros(0, np.float32),
    ),
}


def guide_of(game: str) -> tuple[Guide, Numbers]:
    """The guide for a game, and the parameters of its policy."""
    return GUIDES.get(game, RANDOM)

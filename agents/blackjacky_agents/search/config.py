"""What search is told of a game beyond its rules; the default searches any game with random moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents import random_bot
from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.policies import Policy

Value = Callable[..., None]
"""Compiled (s, result float64 (max_players,)): what each seat may expect of a game in which a round has just begun."""
Likelihood = Callable[..., float]
"""Compiled (s): how likely (up to a factor) the others would have acted as they did, holding what they hold in s."""
Numbers = npt.NDArray[np.float32]


class SearchConfig(NamedTuple):
    """Which positions are simulated, how simulated games go on where a tree ends, and how they are valued."""

    playout_policy: Policy = random_bot.choose
    """Plays all seats; fast, because it plays nearly all simulated actions."""
    playout_parameters: tuple[float, ...] = ()
    """Of the play-out policy."""
    prior_policy: Policy = random_bot.choose
    """Whose move the tree search tries first at the root; strong, since it is asked once in a search."""
    value: Value | None = None
    """Values a game at the end of a round; None: every simulated game is played to its end."""
    likelihood: Likelihood | None = None
    """Weights positions; None: all that look like the observation are drawn with the same chance."""


def with_parameters(policy: Policy, own: Numbers) -> Policy:
    """Compiled: the policy with parameters of its own, whatever it is called with."""

    def choose(observation, mask, random_state, parameters):
        return policy(observation, mask, random_state, own)

    return compiled(choose)

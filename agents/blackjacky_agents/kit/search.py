"""The search configuration of a game; the default searches any game with random playouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.bots import random_bot
from blackjacky_env.compiled import Policy, compiled

Value = Callable[..., None]
"""Compiled (s, result float64 (max_players,)): the expected result of each seat where a simulation ends."""
Stage = Callable[..., int]
"""Compiled (s) -> a number that changes when a simulation may end, such as the number of tricks taken."""
Likelihood = Callable[..., float]
"""Compiled (s) -> the likelihood, up to a constant factor, of the others' past actions given their cards in s."""
Numbers = npt.NDArray[np.float32]
PROPOSALS = 3
"""Proposals for each sampled position; they matter only with a likelihood. Chosen by hand: strength hardly depends on
it."""
PLAUSIBLE = 0.005
"""Actions of a lower probability are called improbable."""


@compiled
def to_rewards(result, n, total, nobody=0.0):
    """Turn the weights of the first ``n`` seats in ``result``, float64 (max_players,), into expected "win" rewards.

    The chance of winning is a fraction of ``total`` (a Luce choice model, "Individual Choice Behavior", 1959);
    ``nobody``: the chance that there is no winner.
    """
    for p in range(n):
        chance = result[p] / total
        result[p] = chance - (1.0 - chance - nobody) / (n - 1)


class SearchConfig(NamedTuple):
    """How positions are sampled, played out and evaluated."""

    playout_policy: Policy = random_bot.choose
    """Plays all seats in playouts; should be fast, because it plays nearly all simulated actions."""
    playout_parameters: tuple[float, ...] = ()
    """Parameters of the playout policy."""
    prior_policy: Policy = random_bot.choose
    """Its move is tried first at the root of the tree; may be slow, because it is called once per search."""
    value: Value | None = None
    """Evaluates a game at the end of a round; None: simulations run to the end of the game."""
    stage: Stage | None = None
    """Ends simulations earlier: when this number changes, ``value`` evaluates; None: at the end of a round."""
    likelihood: Likelihood | None = None
    """Weights sampled positions; None: all positions consistent with the observation are equally likely."""
    least: float = PLAUSIBLE
    """Search guided by a network tries the actions of at least this probability, up to `guided.MOST_ACTIONS`. A network
    may be most wrong where it is certain; but the fewer are tried, the less time it takes and the less is wasted."""
    noise: float = 0.5
    """Assumed standard deviation of the difference of two actions in one position; counts like one more position."""


def with_parameters(policy: Policy, own: Numbers) -> Policy:
    """Compiled: the policy with its parameters bound to ``own``."""

    def choose(observation, mask, random_state, parameters):
        return policy(observation, mask, random_state, own)

    return compiled(choose)

"""An agent's move probabilities and win estimate before a move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blackjacky_env.draw.scene import Say


@dataclass(frozen=True)
class Thoughts:
    """Move probabilities and win estimate of an agent that is to act."""

    probabilities: npt.NDArray[np.float64]
    """Probability of each action, shape (A,), summing to 1."""
    win: float | None = None
    """Estimated probability that the agent wins, 0 .. 1, where a win shared by k counts 1/k (estimates from the
    mean of rewards only approximately, see `chance_to_win`); None: no estimate."""
    by: str | None = None
    """Name of an agent whose thoughts they are in place of the player; None: the player's own."""
    cost: tuple[float, float, float] | None = None
    """What the move that was made costs against the most probable action, in probability of winning: estimate, lower
    and upper end of its 95 % interval, -1 .. 1 each; None: not estimated."""


@dataclass(frozen=True)
class WinCurve:
    """Estimates of winning over a whole game."""

    wins: npt.NDArray[np.float64]
    """Estimated probability that each player wins, 0 .. 1, by position and seat, (moves + 1, players); NaN: unknown."""
    note: str | Say = ""
    """How they were estimated and how exact they are, to be shown with the curve."""


def chance_to_win(reward: float, players: int) -> float:
    """The win probability, 0 .. 1, for an expected "win" reward at a table of n players; over all seats it sums to 1.

    It is linear in the reward: a sole winner counts 1, the losers to one 0, and where nobody or everybody wins, each
    counts 1/n. Other shared wins cannot be told from the mean of rewards, and count too much: one that k share,
    1 < k < n, counts 1/k + (k - 1) / (kn), which the losers lack.
    """
    return min(max((1 + (players - 1) * float(reward)) / players, 0.0), 1.0)

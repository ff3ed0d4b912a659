"""An agent's move probabilities and win estimate before a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


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
    note: str = ""
    """How they were estimated and how exact they are, to be shown with the curve."""


def chance_to_win(reward: float, players: int) -> float:
    """The win probability, 0 .. 1, for an expected "win" reward at a table of n players; over all seats it sums to 1.

    It is linear in the reward: a sole winner counts 1, the losers to one 0, and where nobody or everybody wins, each
    counts 1/n. Other shared wins cannot be told from the mean of rewards, and count too much: one that k share,
    1 < k < n, counts 1/k + (k - 1) / (kn), which the losers lack.
    """
    return min(max((1 + (players - 1) * float(reward)) / players, 0.0), 1.0)


def check_thoughts(
    thoughts: Sequence[Thoughts | None] | None, moves: int, num_actions: int
) -> Sequence[Thoughts | None]:
    """The thoughts, one entry for each move; `ValueError` names the first invalid one."""
    if thoughts is None:
        return [None] * moves
    if len(thoughts) != moves:
        raise ValueError(f"thoughts={len(thoughts)} entries; this record has {moves} moves, and each needs one or None")
    for number, each in enumerate(thoughts):
        if each is not None:
            _check(f"thoughts[{number}]", each, num_actions)
    return thoughts


def check_curve(curve: WinCurve, moves: int, players: int) -> npt.NDArray[np.float64]:
    """The estimates, for a game of so many moves and players; `ValueError` if they are invalid."""
    wins = np.asarray(curve.wins, np.float64)
    if wins.shape != (moves + 1, players):
        raise ValueError(f"curve has wins of shape {wins.shape}; this record needs ({moves + 1}, {players})")
    if ((wins < 0) | (wins > 1)).any():
        raise ValueError("curve has wins that are not probabilities; allowed are 0 .. 1 and NaN")
    return wins


def _check(where: str, thoughts: Thoughts, num_actions: int) -> None:
    chances = np.asarray(thoughts.probabilities)
    if chances.shape != (num_actions,):
        raise ValueError(f"{where} has probabilities of shape {chances.shape}; expected ({num_actions},)")
    if not (chances >= 0).all() or abs(chances.sum() - 1) > 1e-3:
        raise ValueError(f"{where} has invalid probabilities; expected numbers >= 0 that sum to 1")
    if thoughts.win is not None and not 0 <= thoughts.win <= 1:
        raise ValueError(f"{where} has win={thoughts.win}; allowed are 0 .. 1 and None")
    if thoughts.cost is not None and not _is_interval(thoughts.cost):
        raise ValueError(f"{where} has cost={thoughts.cost}; allowed are (estimate, low, high) in -1 .. 1, and None")


def _is_interval(cost: Sequence[float]) -> bool:
    return len(cost) == 3 and -1 <= cost[1] <= cost[0] <= cost[2] <= 1

"""The opponent pool of a league, sampled by prioritised fictitious self-play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_env.play import LEARNER

_DECAY = 0.99  # factor on earlier results, per batch of games
_MIN_WEIGHT = 0.02


@dataclass
class PoolMember:
    """An opponent with the learner's results at tables with it."""

    name: str
    agent: CompiledAgent
    won: float = 1.0  # the learner's wins per seat, with exponential decay of older games
    lost: float = 1.0  # this opponent's wins per seat, with the same decay

    @property
    def weight(self) -> float:
        """Relative sampling weight, which increases with the opponent's wins."""
        return (self.lost / (self.won + self.lost)) ** 2 + _MIN_WEIGHT

    @property
    def learner_win_rate(self) -> float:
        """The learner's fraction of the wins of both."""
        return self.won / (self.won + self.lost)


def record_results(
    opponents: Sequence[PoolMember], seating: npt.NDArray[np.int64], shares: npt.NDArray[np.float64]
) -> None:
    """Update the results of each opponent from the games, (N, P), in which both it and the learner played.

    ``opponents``: those of the pool when the games were seated.
    """
    own = seating == LEARNER
    for number, opponent in enumerate(opponents):
        theirs = seating == number
        both = own.any(axis=1) & theirs.any(axis=1)
        won, lost = ((shares * of)[both].sum(axis=1) / of[both].sum(axis=1) for of in (own, theirs))
        opponent.won = _DECAY * opponent.won + float(won.sum())
        opponent.lost = _DECAY * opponent.lost + float(lost.sum())


class Pool:
    """Bots, at least one, and up to ``size`` learned opponents; then the bots are drawn with ``bot_fraction``."""

    def __init__(self, bots: Sequence[PoolMember], size: int, bot_fraction: float) -> None:
        self.opponents = list(bots)
        self._bots, self._size, self._bot_fraction = len(bots), size, bot_fraction

    @property
    def learned(self) -> list[PoolMember]:
        """The learned opponents."""
        return self.opponents[self._bots :]

    def probabilities(self) -> npt.NDArray[np.float64]:
        """The sampling probability of each opponent, (M,)."""
        weights, bots = np.array([opponent.weight for opponent in self.opponents]), self._bots
        fraction = self._bot_fraction if self.learned else 1.0
        weights[:bots] *= fraction / weights[:bots].sum()
        weights[bots:] *= (1 - fraction) / max(weights[bots:].sum(), 1e-9)
        probabilities: npt.NDArray[np.float64] = weights / weights.sum()
        return probabilities

    def add(self, opponent: PoolMember) -> None:
        """Add a learned opponent; in a full pool it replaces the one that wins least against the learner."""
        if len(self.learned) >= self._size:
            self.opponents.remove(min(self.learned, key=lambda other: other.weight))
        self.opponents.append(opponent)

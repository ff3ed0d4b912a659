"""The opponent pool of a league, sampled by prioritised fictitious self-play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.learning.collecting import LEARNER
from blackjacky_agents.learning.league.games import Played
from blackjacky_env.checks import check_number

_DECAY = 0.99  # factor on earlier results, per batch of games
_MIN_WEIGHT = 0.02


@dataclass
class Opponent:
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


def record_results(opponents: Sequence[Opponent], played: Played) -> None:
    """Update the results of each opponent from the games in which both it and the learner played.

    ``opponents``: those of the pool when the games were seated.
    """
    own = played.seating == LEARNER
    for number, opponent in enumerate(opponents, start=1):
        theirs = played.seating == number
        both = own.any(axis=1) & theirs.any(axis=1)
        won, lost = ((played.shares * of)[both].sum(axis=1) / of[both].sum(axis=1) for of in (own, theirs))
        opponent.won = _DECAY * opponent.won + float(won.sum())
        opponent.lost = _DECAY * opponent.lost + float(lost.sum())


class Pool:
    """Bots, at least one, and up to ``size`` learned opponents; then the bots are drawn with ``bot_fraction``."""

    def __init__(self, bots: Sequence[Opponent], size: int, bot_fraction: float) -> None:
        self.opponents = list(bots)
        self._bots, self._size, self._bot_fraction = len(bots), size, bot_fraction

    @property
    def learned(self) -> list[Opponent]:
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

    def add(self, opponent: Opponent) -> None:
        """Add a learned opponent; in a full pool it replaces the one that wins least against the learner."""
        if len(self.learned) >= self._size:
            self.opponents.remove(min(self.learned, key=lambda other: other.weight))
        self.opponents.append(opponent)

    # ------------------------------------------------------------ checkpoints

    def state(self) -> list[list[Any]]:
        """Names and results, JSON-ready."""
        return [[opponent.name, opponent.won, opponent.lost] for opponent in self.opponents]

    def set_state(self, state: Any, learned: Sequence[CompiledAgent]) -> None:
        """Restore `state`, with the learned agents of that time; `TypeError` or `ValueError` if it is of others."""
        if not isinstance(state, list) or len(state) != self._bots + len(learned):
            raise ValueError(f"the pool has no results of {self._bots} bots and {len(learned)} networks")
        for entry in state:
            if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[0], str):
                raise ValueError(f"{entry!r} of the pool is not a name with two results")
            for result in entry[1:]:
                check_number("a result of the pool", result, 5e-324, 1e300)
        self.opponents[self._bots :] = [Opponent("", agent) for agent in learned]
        for opponent, (name, won, lost) in zip(self.opponents, state, strict=True):
            opponent.name, opponent.won, opponent.lost = name, won, lost

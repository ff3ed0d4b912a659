"""Ratings by OpenSkill's Plackett-Luce model (Weng and Lin, JMLR 2011), from all games at once.

All winners of a game tie, and so do all others. OpenSkill changes ratings game by game, so that they depend on the
order of the games; here they are those at which its changes by all games cancel out, on its scale.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.intervals import Floats, Integers

MEAN, BETA = 25.0, 25 / 6  # OpenSkill's scale
_DRAWN = 1.0  # games, in which all tie, that are added, so that who has won every game has a rating, too
_STEPS, _EXACT = 500, 1e-9  # of Newton's method
_LEAST = 1e-300  # strength of nobody


def fit_ratings(
    seats: Integers, won: npt.NDArray[np.bool_], weights: npt.NDArray[Any], agents: int
) -> tuple[Floats, Floats, Floats]:
    """The ratings of A agents that make U outcomes of games most likely.

    Args:
        seats: the agent in each seat, (U, n).
        won: who won, (U, n).
        weights: how many games had each outcome, (U,).
        agents: the number A.

    Returns the ratings, (A,); how far one more game with each outcome would move them, to first order, (U, A); and
    their variances if games were independent and those who tie chosen at random, (A,).
    """
    place, everybody = np.arange(len(seats))[:, None] * agents + seats, np.ones_like(won)
    choices = ((everybody, won, 1.0), (~won, ~won, 1.0), (everybody, everybody, _DRAWN / weights.sum()))
    logs, scale = np.zeros(agents), BETA * math.sqrt(seats.shape[1])
    for _ in range(_STEPS):
        strength, slopes, spread = np.exp(logs[seats]), np.zeros((len(seats), agents)), np.zeros((agents, agents))
        for among, chosen, times in choices:  # one of these is chosen, or with equal chances one of several who tie
            chances = strength * among / np.maximum((strength * among).sum(axis=1, keepdims=True), _LEAST)
            chances *= times * chosen.any(axis=1, keepdims=True)
            shares = times * chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1)
            own, excess = (
                np.bincount(place.ravel(), values.ravel(), slopes.size).reshape(slopes.shape)
                for values in (chances, shares - chances)
            )
            slopes += excess
            spread += np.diag(weights @ own) - (own.T * weights) @ own / times
        inverse = np.linalg.pinv(spread, 1e-12, hermitian=True)
        step = inverse @ (weights @ slopes)
        logs += step / max(1.0, np.abs(step).max())  # a whole one goes too far where somebody nearly always wins
        if np.abs(step).max() < _EXACT:
            break
    return MEAN + scale * logs, scale * slopes @ inverse, scale**2 * np.diag(inverse)

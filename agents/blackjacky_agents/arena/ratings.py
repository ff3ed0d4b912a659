"""Ratings by OpenSkill's Plackett-Luce model (Weng and Lin, JMLR 2011), from all games at once.

All winners of a game tie, and so do all others. OpenSkill itself changes ratings game by game, so that they depend on
the order of the games and on how many there are. Here they are those at which its changes by all games cancel out: the
maximum of its likelihood, on its scale. An interval comes from the spread of what deals add to that, as those of other
means do (`blackjacky_agents.intervals`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.intervals import UNKNOWN, Estimate, Floats, Integers, of_values

if TYPE_CHECKING:
    from blackjacky_agents.arena.standings import Games

MEAN, BETA = 25.0, 25 / 6  # OpenSkill's scale
_DRAWN = 1.0  # games, in which all tie, that are added, so that who has won every game has a rating, too
_STEPS, _EXACT = 500, 1e-9  # of Newton's method
_LEAST = 1e-300  # strength of nobody


class Fit(NamedTuple):
    """Ratings of A agents, 0 on average, and what they rest on; 1 is a factor of e in strength."""

    ratings: Floats
    """Shape (A,)."""
    influence: Floats
    """How far one more game with each of the U outcomes would move the ratings, to first order, shape (U, A)."""
    variance: Floats
    """Variance of the ratings if games were independent and those who tie chosen at random, shape (A,)."""


def rate(games: Games) -> list[Estimate]:
    """Each agent's rating, 25 on average; NaN if it has not played. The ends are NaN if a line-up has a single deal."""
    shape, players, agents = games.seats.shape[:2], games.seats.shape[2], len(games.agents)
    results = np.sort(2 * games.seats + games.winners, axis=2).reshape(-1, players)
    outcomes, which, counts = np.unique(results, axis=0, return_inverse=True, return_counts=True)
    fit = fit_ratings(outcomes // 2, outcomes % 2 == 1, counts, agents)
    scale, which, found = scale_of(players), which.reshape(shape), []
    for agent in range(agents):
        parts = scale * fit.influence[:, agent][which].sum(axis=1)
        error = of_values(parts, games.strata, scale**2 * fit.variance[agent], -math.inf, math.inf)
        mean = MEAN + scale * float(fit.ratings[agent])
        found.append(Estimate(mean, mean + error.low, mean + error.high) if agent in outcomes // 2 else UNKNOWN)
    return found


def scale_of(players: int) -> float:
    """The difference in rating, at a table of this size, that is a factor of e in strength."""
    return BETA * math.sqrt(players)


def fit_ratings(seats: Integers, won: npt.NDArray[np.bool_], weights: npt.NDArray[Any], agents: int) -> Fit:
    """The ratings that make the outcomes of games most likely.

    Args:
        seats: the agent in each seat, (U, n).
        won: who won, (U, n).
        weights: how many games had each outcome, (U,).
        agents: the number A of agents.
    """
    place, everybody = np.arange(len(seats))[:, None] * agents + seats, np.ones_like(won)
    choices = ((everybody, won, 1.0), (~won, ~won, 1.0), (everybody, everybody, _DRAWN / weights.sum()))
    ratings = np.zeros(agents)
    for _ in range(_STEPS):
        strength, slopes, spreads = np.exp(ratings[seats]), np.zeros((len(seats), agents)), []
        for among, chosen, times in choices:  # one of these is chosen, or with equal chances one of several who tie
            chances = strength * among / np.maximum((strength * among).sum(axis=1, keepdims=True), _LEAST)
            chances *= times * chosen.any(axis=1, keepdims=True)
            shares = times * chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1)
            own, excess = (_by_agent(place, values, slopes.shape) for values in (chances, shares - chances))
            slopes += excess
            spreads.append(np.diag(weights @ own) - (own.T * weights) @ own / times)
        inverse = np.linalg.pinv(sum(spreads), 1e-12, hermitian=True)
        step = inverse @ (weights @ slopes)
        ratings += step / max(1.0, np.abs(step).max())  # a whole one goes too far where somebody nearly always wins
        if np.abs(step).max() < _EXACT:
            break
    return Fit(ratings, slopes @ inverse, np.diag(inverse))


def _by_agent(place: Integers, values: Floats, shape: tuple[int, int]) -> Floats:
    return np.bincount(place.ravel(), values.ravel(), shape[0] * shape[1]).reshape(shape)

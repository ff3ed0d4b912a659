"""Statistics of a tournament: means with 95 % confidence intervals, pairwise results, ratings.

The unit of the statistics is the deal: deals are independent of each other, the games of one deal are not
(`blackjacky_agents.arena.tournaments`). Line-ups are fixed strata with equal weights. How confidence intervals are made
is described in `blackjacky_agents.intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, starmap
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.arena.ratings import fit_ratings
from blackjacky_agents.intervals import UNKNOWN, Estimate, Floats, Integers, Z, of_deals, of_ratio, of_values, shares_of


class PlayedDeals(NamedTuple):
    """Complete deals: each is played in as many turns as there are seats, with the agents rotated."""

    agents: tuple[str, ...]
    lineups: npt.NDArray[np.int64]
    """Agent indices of each line-up, shape (L, n). Deal d has line-up ``d % L``."""
    seats: npt.NDArray[np.int64]
    """Index of the agent in each seat, shape (deals, n turns, n seats)."""
    winners: npt.NDArray[np.bool_]
    """Whether each seat won, same shape."""
    scores: npt.NDArray[np.int64]
    """Final score (hearts or points), same shape."""

    @property
    def shares(self) -> Floats:
        """1 / number of winners for a winner, 0 for the others, shape (deals, turns, seats)."""
        return shares_of(self.winners)

    @property
    def strata(self) -> npt.NDArray[np.int64]:
        """The line-up of each deal, shape (deals,)."""
        return np.arange(len(self.seats)) % len(self.lineups)


@dataclass(frozen=True)
class Standing:
    """The results of one agent."""

    agent: str
    games: int
    """Number of games it took part in."""
    win_rate: Estimate
    """Mean per seat of 1 / number of winners for a winner, else 0; line-ups with the agent have equal weights."""
    score: Estimate
    """Mean final score (hearts or points)."""
    rating: Estimate
    """Plackett-Luce rating, 25 on average (`blackjacky_agents.arena.ratings`)."""


@dataclass(frozen=True)
class Pair:
    """How often ``first`` finished ahead of ``second``."""

    first: str
    second: str
    games: int
    """Number of games in which one of them finished ahead (with copies: pairs of seats)."""
    share: Estimate
    """Fraction of these in which ``first`` finished ahead."""


@dataclass(frozen=True)
class LineupResult:
    """The results of the agents in one line-up, per seat."""

    agents: tuple[str, ...]
    deals: int
    win_rates: dict[str, Estimate]


@dataclass(frozen=True)
class Standings:
    """The statistics of a tournament."""

    num_players: int
    games: int
    deals: int
    nobody: Estimate
    """Fraction of games without a winner; line-ups have equal weights."""
    agents: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    cycles: tuple[tuple[str, ...], ...]
    """Cycles in which each agent beats the next and the last the first, see `find_cycles`."""
    lineups: tuple[LineupResult, ...]


def standings(games: PlayedDeals) -> Standings:
    """The statistics of complete deals.

    Intervals are NaN where a line-up has a single deal. Raises `ValueError` if there is no deal.
    """
    if not len(games.seats):
        raise ValueError("no deal is complete")
    pairs = pair_shares(games)
    deals, turns, players = games.seats.shape
    nobody = ~games.winners.any(axis=2)
    return Standings(
        players,
        deals * turns,
        deals,
        _mean_rate(nobody.mean(axis=1), games.strata, np.ones(len(_played_lineups(games)), np.int64), turns),
        _standings(games, rate(games)),
        pairs,
        find_cycles(pairs),
        lineup_results(games),
    )


def _played_lineups(games: PlayedDeals) -> range:
    return range(min(len(games.lineups), len(games.seats)))


def _standings(games: PlayedDeals, rated: Sequence[Estimate]) -> tuple[Standing, ...]:
    played = [int((games.seats == a).any(axis=2).sum()) for a in range(len(games.agents))]
    columns = (win_rates(games), _scores(games), rated)
    return tuple(starmap(Standing, zip(games.agents, played, *columns, strict=True)))


def win_rates(games: PlayedDeals) -> list[Estimate]:
    """Each agent's win rate."""
    means, copies, turns = deal_means(games, games.shares), _copies(games), games.seats.shape[1]
    return [_mean_rate(own, games.strata, seats, turns) for own, seats in zip(means.T, copies.T, strict=True)]


def _scores(games: PlayedDeals) -> list[Estimate]:
    means, copies, turns = deal_means(games, games.scores), _copies(games), games.seats.shape[1]
    lowest, highest, variance = float(games.scores.min()), float(games.scores.max()), float(games.scores.var())
    estimates = []
    for own, seats in zip(means.T, copies.T, strict=True):
        sits = (seats > 0)[games.strata]
        weights = _weights(games.strata[sits])
        expected = variance * float((weights**2).sum()) / turns
        found = of_values(weights * own[sits], games.strata[sits], expected, lowest, highest)
        estimates.append(found if sits.any() else UNKNOWN)
    return estimates


def pair_shares(games: PlayedDeals) -> tuple[Pair, ...]:
    """The results of every pair of agents."""
    wins, squares = pair_wins(games)
    of, strata = wins + np.swapaxes(wins, 1, 2), games.strata
    weights = 1 / np.bincount(strata)[strata]
    sits = (_copies(games) > 0)[strata]
    pairs = []
    for a, b in permutations(range(len(games.agents)), 2):
        met = sits[:, a] & sits[:, b]
        own = weights[met]
        share = of_ratio(own * wins[met, a, b], own * of[met, a, b], own**2 * squares[met, a, b], strata[met])
        pairs.append(Pair(games.agents[a], games.agents[b], int(of[:, a, b].sum()), share))
    return tuple(pairs)


def lineup_results(games: PlayedDeals) -> tuple[LineupResult, ...]:
    """The results of every line-up."""
    means, copies, turns = deal_means(games, games.shares), _copies(games), games.seats.shape[1]
    results = []
    for number in _played_lineups(games):
        agents, own = games.lineups[number].tolist(), means[number :: len(games.lineups)]
        strata = np.zeros(len(own), np.int64)
        win_rates = {
            games.agents[a]: _mean_rate(own[:, a], strata, copies[number, a : a + 1], turns)
            for a in dict.fromkeys(agents)
        }
        results.append(LineupResult(tuple(games.agents[a] for a in agents), len(own), win_rates))
    return tuple(results)


def rate(games: PlayedDeals) -> list[Estimate]:
    """Each agent's rating, 25 on average; NaN if it has not played. The ends are NaN if a line-up has a single deal.

    Intervals come from the spread of deals, as those of mean scores.
    """
    shape, players, agents = games.seats.shape[:2], games.seats.shape[2], len(games.agents)
    results = np.sort(2 * games.seats + games.winners, axis=2).reshape(-1, players)
    outcomes, which, counts = np.unique(results, axis=0, return_inverse=True, return_counts=True)
    ratings, influence, variance = fit_ratings(outcomes // 2, outcomes % 2 == 1, counts, agents)
    which, found = which.reshape(shape), []
    for agent, rating in enumerate(ratings):
        parts = influence[:, agent][which].sum(axis=1)
        error = of_values(parts, games.strata, float(variance[agent]), -math.inf, math.inf)
        played = agent in outcomes // 2
        found.append(Estimate(float(rating), rating + error.low, rating + error.high) if played else UNKNOWN)
    return found


# ---------------------------------------------------------------- numbers of each deal


def deal_means(games: PlayedDeals, values: npt.NDArray[Any]) -> Floats:
    """The mean of ``values`` (deals, turns, seats) over each agent's seats, shape (deals, A); NaN: no seat."""
    deals, agents = len(games.seats), len(games.agents)
    place = (np.arange(deals)[:, None] * agents + games.seats.reshape(deals, -1)).ravel()
    total = np.bincount(place, np.ravel(values).astype(float), deals * agents)
    seats = np.bincount(place, minlength=deals * agents).astype(float)
    seats[seats == 0] = np.nan
    means: Floats = (total / seats).reshape(deals, agents)
    return means


def pair_wins(games: PlayedDeals) -> tuple[Floats, Floats]:
    """How often a finished ahead of b in each deal, by pairs of seats, shape (deals, A, A).

    Also the sums over the games of a deal of the squares of the numbers of pairs in which one of them finished ahead.
    """
    deals, agents = len(games.seats), len(games.agents)
    wins, squares = np.zeros((2, deals, agents, agents))
    for seats, shares in zip(games.seats.swapaxes(0, 1), games.shares.swapaxes(0, 1), strict=True):
        deal, first, second = np.nonzero(shares[:, :, None] > shares[:, None, :])
        place = (deal * agents + seats[deal, first]) * agents + seats[deal, second]
        won = np.bincount(place, minlength=deals * agents**2).reshape(deals, agents, agents)
        wins += won
        squares += np.square(won + won.swapaxes(1, 2))
    return wins, squares


def _copies(games: PlayedDeals) -> Integers:
    lineups = games.lineups[list(_played_lineups(games))]
    return np.asarray((lineups[:, :, None] == np.arange(len(games.agents))).sum(axis=1), np.int64)


# ---------------------------------------------------------------- intervals


def _weights(strata: Integers) -> Floats:
    """The weight of each deal, if those of these strata have equal weights, shape (D,)."""
    deals = np.bincount(strata)
    weights: Floats = 1 / (deals[strata] * np.count_nonzero(deals))
    return weights


def _mean(values: Floats, strata: Integers) -> float:
    """The mean of the means of strata, without the rounding of weights."""
    deals = np.bincount(strata)
    return float((np.bincount(strata, values)[deals > 0] / deals[deals > 0]).mean())


def _mean_rate(means: Floats, strata: Integers, copies: Integers, turns: int) -> Estimate:
    """The mean per seat of values that add up to at most 1 over the seats of an agent.

    Args:
        means: the mean of each deal, shape (D,).
        strata: the line-up of each deal.
        copies: the number of the agent's seats in each line-up, shape (L,), 0: deals do not count.
        turns: number of games of a deal.
    """
    sits = (copies > 0)[strata]
    if not sits.any():
        return UNKNOWN
    own, strata = means[sits], strata[sits]
    weights, spans = _weights(strata), 1 / copies[strata]
    span, mean = _mean(spans, strata), _mean(own, strata)
    effective = turns * span**2 / float(np.square(weights * spans).sum())
    low, high = of_deals(mean / span, weights * own / span, strata, effective)
    return Estimate(mean, span * low, span * high)


def stopping_widths(games: PlayedDeals) -> Floats:
    """Approximate width of the 95 % interval of each agent's win rate, shape (A,), for sequential stopping.

    Stopping at the first check with a small enough width favours moments when the variance happens to be
    underestimated, so the final intervals would be slightly too narrow. Adding 1 / number of deals to the variance of a
    deal corrects this (Chow and Robbins, Annals of Mathematical Statistics 1965). The rule depends on the variance
    alone, never on who leads, and the coverage approaches 95 % as the width decreases.
    """
    if len(games.seats) < 2 * len(games.lineups):
        return np.full(len(games.agents), np.inf)
    deals = (_copies(games) > 0).T @ np.bincount(games.strata)
    widths: Floats = np.array([rate.high - rate.low for rate in win_rates(games)])
    return np.hypot(widths, 2 * Z / deals)


# ---------------------------------------------------------------- pairwise results


def find_cycles(pairs: Sequence[Pair]) -> tuple[tuple[str, ...], ...]:
    """The shortest cycles in which each agent beats the next, with intervals above a half; () if transitive.

    Each once, beginning with the name that is first in the alphabet.
    """
    names = dict.fromkeys(pair.first for pair in pairs)
    beaten = {name: [pair.second for pair in pairs if pair.first == name and pair.share.low > 0.5] for name in names}
    found = [cycle for name in names if (cycle := _shortest_cycle(name, beaten))]
    shortest = [cycle for cycle in found if len(cycle) == min(map(len, found))]
    return tuple(dict.fromkeys(cycle[(at := cycle.index(min(cycle))) :] + cycle[:at] for cycle in shortest))


def _shortest_cycle(name: str, beaten: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A shortest cycle through an agent, breadth first, from who beats whom; () if there is none."""
    seen, paths = {name}, list[tuple[str, ...]]([(name,)])
    for path in paths:  # which grows
        for following in beaten.get(path[-1], ()):
            if following == name:
                return path
            if following not in seen:
                seen.add(following)
                paths.append((*path, following))
    return ()

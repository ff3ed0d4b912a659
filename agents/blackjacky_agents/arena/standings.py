"""Statistics of a tournament: means with 95 % confidence intervals, pairwise results, ratings.

The unit of the statistics is the deal: deals are independent of each other, the games of one deal are not
(`blackjacky_agents.arena.tournament`). Line-ups are fixed strata with equal weights. Confidence intervals are
percentiles of a bootstrap (Efron, Annals of Statistics 1979) that resamples deals within each line-up, one fewer than
there are, so that its variance is an unbiased estimate of the variance of the mean (Rao and Wu, JASA 1988).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.arena.evaluation import interval

Floats = npt.NDArray[np.float64]

REPLICATES = 1000  # of the bootstrap
RATED_GAMES = 2000  # of each replicate of the ratings, which are updated game by game
RATING_REPLICATES = 30
_Z = 1.96  # of a 95 % interval
_MIDDLE = 25.0  # initial ratings of OpenSkill
_AT_ONCE = 2**23  # numbers in memory


class Games(NamedTuple):
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
        shares: Floats = self.winners / np.maximum(self.winners.sum(axis=2, keepdims=True), 1)
        return shares

    @property
    def rewards(self) -> Floats:
        """The reward "win": +1 shared by the winners, -1 by the others, 0 if there are no others or no winners."""
        winners = self.winners.sum(axis=2, keepdims=True)
        losers = self.winners.shape[2] - winners
        rewards = np.where(self.winners, 1 / np.maximum(winners, 1), -1 / np.maximum(losers, 1))
        return np.where((winners > 0) & (losers > 0), rewards, 0.0)

    @property
    def strata(self) -> npt.NDArray[np.int64]:
        """The line-up of each deal, shape (deals,)."""
        return np.arange(len(self.seats)) % len(self.lineups)


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval; NaN if unknown."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """The results of one agent."""

    agent: str
    games: int
    """Number of games it took part in."""
    win_rate: Estimate
    """Mean per seat of 1 / number of winners for a winner, else 0; line-ups with the agent have equal weights."""
    reward: Estimate
    """Mean reward "win"."""
    score: Estimate
    """Mean final score (hearts or points)."""
    rating: Estimate
    """Plackett-Luce rating, 25 on average, from at most `RATED_GAMES` games."""
    saved: float
    """Variance reduction by duplicate deals: factor on the number of independent games for the same precision."""


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
    """The shortest cycles in which each agent beats the next and the last the first, with intervals above a half."""
    lineups: tuple[LineupResult, ...]
    rated_games: int
    """Number of games in each replicate of the ratings."""


def standings(games: Games, seed: int = 0) -> Standings:
    """The statistics of complete deals; ``seed`` is the seed of the bootstrap.

    Intervals are NaN if a line-up has fewer than two deals. Raises `ValueError` if there is no deal.
    """
    if not len(games.seats):
        raise ValueError("no deal is complete")
    found = _Found.of(games, seed)
    pairs = _pairs(games, found)
    deals, turns, players = games.seats.shape
    return Standings(
        players,
        deals * turns,
        deals,
        found.estimate(found.sums.nobody),
        _standings(games, found, rate(games, seed)),
        pairs,
        find_cycles(pairs),
        tuple(_lineup_result(games, number, found) for number in _seen(games)),
        min(RATED_GAMES // turns, deals) * turns,
    )


def _seen(games: Games) -> range:
    """The line-ups with at least one deal."""
    return range(min(len(games.lineups), len(games.seats)))


def _standings(games: Games, found: _Found, rated: Sequence[Estimate]) -> tuple[Standing, ...]:
    saved, sums = saved_by_duplicates(games), found.sums
    return tuple(
        Standing(
            agent=name,
            games=int((games.seats == a).any(axis=2).sum()),
            win_rate=found.estimate(sums.win + a),
            reward=found.estimate(sums.reward + a),
            score=found.estimate(sums.score + a),
            rating=rated[a],
            saved=saved[a],
        )
        for a, name in enumerate(games.agents)
    )


def _pairs(games: Games, found: _Found) -> tuple[Pair, ...]:
    count, sums = len(games.agents), found.sums
    wins = sums.values[:, sums.beats : sums.nobody].sum(axis=0).reshape(count, count)
    return tuple(
        Pair(games.agents[a], games.agents[b], int(wins[a, b] + wins[b, a]), found.estimate(sums.beats + count * a + b))
        for a, b in permutations(range(count), 2)
    )


def _lineup_result(games: Games, number: int, found: _Found) -> LineupResult:
    lineup = games.lineups[number].tolist()
    win_rates = {games.agents[a]: found.estimate(found.sums.cell(number, a)) for a in dict.fromkeys(lineup)}
    return LineupResult(tuple(games.agents[a] for a in lineup), int((games.strata == number).sum()), win_rates)


# ---------------------------------------------------------------- numbers of each deal


def deal_means(games: Games, values: npt.NDArray[Any]) -> Floats:
    """The mean of ``values`` (deals, turns, seats) over each agent's seats, shape (deals, A); NaN: no seat."""
    means = turn_means(games, values).mean(axis=1)
    return np.asarray(means, np.float64)


def turn_means(games: Games, values: npt.NDArray[Any]) -> Floats:
    """The same for each game, shape (deals, turns, A)."""
    deals, turns, _ = games.seats.shape
    agents = len(games.agents)
    place = (np.arange(deals * turns)[:, None] * agents + games.seats.reshape(deals * turns, -1)).ravel()
    total = np.bincount(place, np.ravel(values).astype(float), deals * turns * agents)
    seats = np.bincount(place, minlength=deals * turns * agents).astype(float)
    seats[seats == 0] = np.nan
    means: Floats = (total / seats).reshape(deals, turns, agents)
    return means


def pair_wins(games: Games) -> Floats:
    """Number of games of each deal in which a finished ahead of b, shape (deals, A, A), by pairs of seats."""
    deals, agents = len(games.seats), len(games.agents)
    wins = np.zeros((deals, agents * agents))
    better = games.shares[..., :, None] > games.shares[..., None, :]
    first = np.broadcast_to(games.seats[..., :, None], better.shape)
    second = np.broadcast_to(games.seats[..., None, :], better.shape)
    deal = np.broadcast_to(np.arange(deals)[:, None, None, None], better.shape)
    np.add.at(wins, (deal[better], (first * agents + second)[better]), 1.0)
    return wins.reshape(deals, agents, agents)


@dataclass(frozen=True)
class _Sums:
    """Per-deal values to be averaged, and the index of each result in the vector of estimates."""

    values: Floats
    """Shape (deals, M): win rate, reward and score of each agent, wins of each pair, games without a winner."""
    sits: npt.NDArray[np.bool_]
    """Whether a line-up has an agent, shape (L, A)."""

    @classmethod
    def of(cls, games: Games) -> _Sums:
        """The sums of these games."""
        kinds = (games.shares, games.rewards, games.scores)
        means = [np.nan_to_num(deal_means(games, values)) for values in kinds]
        nobody = ~games.winners.any(axis=2)
        deals = len(games.seats)
        values = np.hstack([*means, pair_wins(games).reshape(deals, -1), nobody.mean(axis=1)[:, None]])
        sits = (games.lineups[:, :, None] == np.arange(len(games.agents))).any(axis=1)
        return cls(values, sits[list(_seen(games))])

    @property
    def _agents(self) -> int:
        return int(self.sits.shape[1])

    @property
    def win(self) -> int:
        return 0

    @property
    def reward(self) -> int:
        return self._agents

    @property
    def score(self) -> int:
        return 2 * self._agents

    @property
    def beats(self) -> int:
        return 3 * self._agents

    @property
    def nobody(self) -> int:
        return self.beats + self._agents**2

    def cell(self, lineup: int, agent: int) -> int:
        """Index of the win rate of an agent in one line-up."""
        return self.nobody + 1 + lineup * self._agents + agent

    def results(self, means: Floats) -> Floats:
        """All estimates from the means in each line-up, shapes (..., L, M) -> (..., S)."""
        agents = self._agents
        sits = np.tile(self.sits, 3)
        with np.errstate(invalid="ignore"):
            overall = (means[..., : 3 * agents] * sits).sum(axis=-2) / sits.sum(axis=0)
            wins = means[..., self.beats : self.nobody].sum(axis=-2)
            wins = wins.reshape(*wins.shape[:-1], agents, agents)
            shares = wins / (wins + np.swapaxes(wins, -1, -2))
        cells = means[..., :agents]
        flat = [values.reshape(*means.shape[:-2], -1) for values in (shares, means[..., self.nobody].mean(-1), cells)]
        return np.concatenate([overall, *flat], axis=-1)


# ---------------------------------------------------------------- intervals


@dataclass(frozen=True)
class _Found:
    """All estimates with their interval ends, each of shape (S,)."""

    sums: _Sums
    means: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, games: Games, seed: int) -> _Found:
        """The estimates from these games."""
        sums, strata = _Sums.of(games), games.strata
        means = np.stack([sums.values[strata == number].mean(axis=0) for number in _seen(games)])
        found = sums.results(means)
        if np.bincount(strata).min() < 2:
            return cls(sums, found, np.full_like(found, np.nan), np.full_like(found, np.nan))
        low, high = bootstrap(sums.values, strata, sums.results, seed)
        _widen_certain(sums, games, found, low, high)
        return cls(sums, found, low, high)

    def estimate(self, at: int) -> Estimate:
        """The estimate at index ``at``."""
        return Estimate(float(self.means[at]), float(self.low[at]), float(self.high[at]))


def _widen_certain(sums: _Sums, games: Games, found: Floats, low: Floats, high: Floats) -> None:
    """Use Wilson's interval over the deals for proportions of 0 or 1, where the bootstrap interval has no width."""
    agents, deals = len(games.agents), np.bincount(games.strata)
    places = [(sums.win + a, int(deals[sums.sits[:, a]].sum())) for a in range(agents)]
    places += [(sums.nobody, int(deals.sum()))]
    places += [(sums.cell(number, a), int(deals[number])) for number in _seen(games) for a in range(agents)]
    places += [
        (sums.beats + agents * a + b, int(deals[sums.sits[:, a] & sums.sits[:, b]].sum()))
        for a, b in permutations(range(agents), 2)
    ]
    for at, count in places:
        if found[at] in {0.0, 1.0} and count:
            low[at], high[at] = interval(float(found[at]), count)


def bootstrap(
    values: Floats,
    strata: npt.NDArray[np.int64],
    statistic: Callable[[Floats], Floats],
    seed: int = 0,
    replicates: int = REPLICATES,
) -> tuple[Floats, Floats]:
    """95 % percentile intervals of a stratified bootstrap: lower and upper ends, shape (S,) each.

    Args:
        values: values of each deal, shape (D, M).
        strata: stratum of each deal, 0 .. L - 1, at least two deals each, shape (D,).
        statistic: the estimates from the means in all strata, shapes (..., L, M) -> (..., S).
        seed: seed of the resampling.
        replicates: number of bootstrap replicates.
    """
    rng = np.random.default_rng(seed)
    groups = [values[strata == number] for number in range(strata.max() + 1)]
    largest = max(*(len(group) for group in groups), len(groups) * values.shape[1])
    parts = [
        statistic(np.stack([_resampled(group, part, rng) for group in groups], axis=1))
        for part in _parts(replicates, max(1, _AT_ONCE // largest))
    ]
    drawn = np.concatenate(parts)
    unknown = np.isnan(drawn).all(axis=0)
    drawn[:, unknown] = 0.0
    low, high = np.nanpercentile(drawn, [2.5, 97.5], axis=0)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def _parts(count: int, size: int) -> Iterator[int]:
    for start in range(0, count, size):
        yield min(size, count - start)


def _resampled(group: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """Means of rows drawn with replacement, one fewer than there are, shape (replicates, M)."""
    count = len(group)
    drawn = rng.integers(count, size=(replicates, count - 1)) + count * np.arange(replicates)[:, None]
    times = np.bincount(drawn.ravel(), minlength=replicates * count).reshape(replicates, count)
    means: Floats = times.astype(float) @ group / (count - 1)
    return means


def stopping_widths(games: Games) -> Floats:
    """Approximate width of the 95 % interval of each agent's win rate, shape (A,), for sequential stopping.

    Stopping at the first check with a small enough width favours moments when the variance happens to be
    underestimated, so the final intervals would be slightly too narrow. Adding 1 / number of deals to the variance of a
    deal corrects this (Chow and Robbins, Annals of Mathematical Statistics 1965). The rule depends on the variance
    alone, never on who leads, and the coverage approaches 95 % as the width decreases.
    """
    means, strata, sits = deal_means(games, games.shares), games.strata, _Sums.of(games).sits
    counts = np.bincount(strata, minlength=len(games.lineups))
    if counts.min() < 2:
        return np.full(len(games.agents), np.inf)
    variance = np.stack([np.nan_to_num(means[strata == number]).var(axis=0, ddof=1) for number in _seen(games)])
    deals = sits.T @ counts
    of_mean = (sits * variance / counts[:, None]).sum(axis=0) / sits.sum(axis=0) ** 2
    widths: Floats = 2 * _Z * np.sqrt(of_mean + 1 / deals**2)
    return widths


def saved_by_duplicates(games: Games) -> list[float]:
    """Variance of each agent's win rate if all games were independent, divided by its actual variance, shape (A,).

    The variance of a single game is the sum of the variances within and between deals; the mean of as many independent
    games as a deal has would have that variance divided by their number.
    """
    by_turn, strata = turn_means(games, games.shares), games.strata
    turns, counts = by_turn.shape[1], np.bincount(strata)
    alone, together = np.zeros(len(games.agents)), np.zeros(len(games.agents))
    for number in _seen(games):
        own = np.nan_to_num(by_turn[strata == number])
        if counts[number] < 2:
            return [np.nan] * len(games.agents)
        between = own.mean(axis=1).var(axis=0, ddof=1)
        within = own.var(axis=1).mean(axis=0)
        alone += (within + between) / turns / counts[number]
        together += between / counts[number]
    return [float(a / t) if t > 0 else np.nan for a, t in zip(alone, together, strict=True)]


# ---------------------------------------------------------------- pairwise results


def find_cycles(pairs: Sequence[Pair]) -> tuple[tuple[str, ...], ...]:
    """The shortest cycles in which each agent beats the next, with intervals above a half; () if transitive."""
    names = dict.fromkeys(pair.first for pair in pairs)
    beaten = {name: [pair.second for pair in pairs if pair.first == name and pair.share.low > 0.5] for name in names}
    paths: list[tuple[str, ...]] = [(name,) for name in names]
    while paths:
        paths = [(*path, following) for path in paths for following in beaten[path[-1]] if following not in path]
        closed = [path for path in paths if path[0] in beaten[path[-1]]]
        if closed:
            return tuple(path for path in closed if path[0] == min(path))
    return ()


def normalised_score(rate: float, low: float, high: float) -> float:
    """``rate`` rescaled linearly so that ``low`` is 0 and ``high`` is 1."""
    return (rate - low) / (high - low)


# ---------------------------------------------------------------- ratings


def rate(games: Games, seed: int = 0, replicates: int = RATING_REPLICATES) -> list[Estimate]:
    """Ratings by OpenSkill's Plackett-Luce model (Weng and Lin, JMLR 2011); winners tie, and so do the others.

    Ratings are updated game by game and depend slightly on the order of games. They are therefore means over
    replicates, each of which resamples deals (at most `RATED_GAMES` games) in random order. The interval is 1.96
    standard deviations of the replicates. Agents do not learn, so no uncertainty is added between games (tau=0).
    """
    rng = np.random.default_rng(seed)
    deals, turns, _ = games.seats.shape
    count = max(1, min(deals, RATED_GAMES // turns))
    ratings = np.array([_rate_once(games, rng.integers(deals, size=count), rng) for _ in range(replicates)])
    means, spread = ratings.mean(axis=0), _Z * ratings.std(axis=0, ddof=1)
    return [Estimate(float(m), float(m - s), float(m + s)) for m, s in zip(means, spread, strict=True)]


def _rate_once(games: Games, deals: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """Ratings after these deals with the games in random order, shape (A,); only their differences are meaningful."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    ratings = [model.rating() for _ in games.agents]
    players = games.seats.shape[2]
    order = rng.permutation(len(deals) * games.seats.shape[1])
    seats = games.seats[deals].reshape(-1, players)[order].tolist()
    ranks = (~games.winners[deals]).reshape(-1, players)[order].astype(float).tolist()
    for agents, places in zip(seats, ranks, strict=True):
        after = model.rate([[ratings[agent]] for agent in agents], ranks=places)
        for agent, (rating,) in _changed(agents, after, ratings):
            ratings[agent] = rating
    means: Floats = np.array([rating.mu for rating in ratings])
    means += _MIDDLE - means.mean()
    return means


def _changed(agents: list[int], after: list[list[Any]], before: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """The new rating of each agent; the rating changes of several copies are added up."""
    for agent in dict.fromkeys(agents):
        old, own = before[agent], [rating for number, (rating,) in zip(agents, after, strict=True) if number == agent]
        new = own[0]
        new.mu = old.mu + sum(rating.mu - old.mu for rating in own)
        new.sigma = old.sigma * float(np.prod([rating.sigma / old.sigma for rating in own]))
        yield agent, [new]

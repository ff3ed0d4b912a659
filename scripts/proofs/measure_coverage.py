"""Measure how often 95 % intervals hold the true value, with simulated agents of known strength.

    python -m scripts.proofs.measure_coverage --write    write results/coverage.json

No games are played: winners are drawn, and evaluated as those of a score or a tournament are. The first
agent's win rate goes from 2 to 98 % in even steps, the others are equally strong. The results of a few games are
discrete, so no interval has the same coverage at every rate: the rows have the mean over all rates, and the lowest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro
from tqdm import tqdm

from blackjacky_agents.arena.protocol import Protocol, ProtocolTable, score
from blackjacky_agents.arena.ratings import fit_ratings
from blackjacky_agents.arena.standings import PlayedDeals, pair_shares, rate, win_rates
from blackjacky_agents.intervals import Estimate, Z
from blackjacky_agents.reports import percent
from scripts.results import save

RATES = np.linspace(0.02, 0.98, 25)
GAMES = (12, 100, 1000)
SIZES = (2, 4, 6)
Random = np.random.Generator
Shares = npt.NDArray[np.float64]
_ERROR = 0.006  # the largest standard error of a score's references, which are results of 8,000 games


@dataclass(frozen=True)
class Args:
    """Measure how often 95 % intervals hold the true value, with simulated agents of known strength."""

    repeats: int = 400  # Number of simulations at each of the 25 win rates.
    seed: int = 0  # Random seed.
    write: bool = False  # Write results/coverage.json.


@dataclass(frozen=True)
class Luck:
    """How the games of a deal depend on each other, and how many wins are shared."""

    name: str
    correlation: float = 0.0
    """Intraclass correlation of the games of a deal, whose win rate has a beta distribution; above 0."""
    balanced: float = 0.0  # Fraction of deals in which the agent wins as many games as in any other, up to one.
    shared: float = 0.0  # Fraction of wins that are shared with another agent.

    def draw(self, rate: float, deals: int, turns: int, players: int, rng: Random) -> npt.NDArray[np.bool_]:
        """The winners of all games, shape (deals, turns, players)."""
        rates = np.full(deals, rate)
        if self.correlation:
            spread = 1 / self.correlation - 1
            rates = rng.beta(rate * spread, (1 - rate) * spread, deals)
        won = rng.random((deals, turns)) < rates[:, None]
        wins = np.floor(rate * turns + rng.random((deals, 1)))
        even = rng.permuted(np.tile(np.arange(turns), (deals, 1)), axis=1) < wins
        first = np.where(rng.random((deals, 1)) < self.balanced, even, won)
        winner = np.where(first, 0, rng.integers(1, players, size=first.shape))
        partner = (winner + rng.integers(1, players, size=first.shape)) % players
        partner = np.where(rng.random(first.shape) < self.shared, partner, winner)
        seats = np.arange(players)
        return np.asarray((winner[..., None] == seats) | (partner[..., None] == seats))

    def win_rate(self, rate: float, players: int) -> float:
        """The first agent's true win rate."""
        return rate * (1 - self.shared / 2) + (1 - rate) * self.shared / 2 / (players - 1)

    def pair_share(self, rate: float, players: int) -> float:
        """How often the first agent finishes ahead of the second, of the games in which one of the two does."""
        other = (1 - rate) / (players - 1)
        each = self.shared / (players - 1)  # of an agent's wins, shared with a certain other one
        mine, its = ((1 - each) * own + (players - 2) * each * other for own in (rate, other))
        return mine / (mine + its)


INDEPENDENT = Luck("independent")
ALIKE = Luck("alike (correlation 0.07)", correlation=0.07)  # the largest in a published ladder at tables of six
BALANCED = Luck("balanced in half of the deals", balanced=0.5)
SHARED = Luck("independent, 20 % of wins shared", shared=0.2)
LUCKS = (INDEPENDENT, SHARED, ALIKE, BALANCED)
VERY_ALIKE = Luck("very alike (correlation 0.3)", correlation=0.3)
Simulation = Callable[[float, Luck, int, int, Random], tuple[float, Estimate]]
"""(win rate, luck, players, games, random numbers) -> the true value and its estimate."""


def whole_score(rate: float, luck: Luck, _: int, games: int, rng: Random) -> tuple[float, Estimate]:
    """A score at three tables of each size, at which the agent's win rates are different."""
    sizes = 3 * SIZES
    rates = [(rate + number / len(sizes)) % 1 for number in range(len(sizes))]
    truth = np.mean([100 * luck.win_rate(own, players) for own, players in zip(rates, sizes, strict=True)])
    found = [
        win_rates(tournament_games(own, luck, players, games, rng))[0]
        for own, players in zip(rates, sizes, strict=True)
    ]
    return float(truth), score(protocol(sizes, rng), found)[0]


def tournament(rate: float, luck: Luck, players: int, games: int, rng: Random) -> tuple[float, Estimate]:
    """The win rate in a tournament."""
    return luck.win_rate(rate, players), win_rates(tournament_games(rate, luck, players, games, rng))[0]


def pair(rate: float, luck: Luck, players: int, games: int, rng: Random) -> tuple[float, Estimate]:
    """A pairwise result in a tournament."""
    played = tournament_games(rate, luck, players, games, rng)
    return luck.pair_share(rate, players), pair_shares(played)[0].share


def rating(chance: float, luck: Luck, players: int, games: int, rng: Random) -> tuple[float, Estimate]:
    """The rating in a tournament."""
    return true_rating(chance, luck, players), rate(tournament_games(chance, luck, players, games, rng))[0]


@cache
def true_rating(chance: float, luck: Luck, players: int) -> float:
    """The first agent's rating if every outcome were as frequent as it is likely, in endlessly many games."""
    winner, partner = np.indices((players, players)).reshape(2, -1, 1)
    won = (winner == np.arange(players)) | (partner == np.arange(players))
    first = np.where(winner == 0, chance, (1 - chance) / (players - 1))
    second = np.where(partner == winner, 1 - luck.shared, luck.shared / (players - 1))
    seats = np.tile(np.arange(players), (len(won), 1))
    return float(fit_ratings(seats, won, 1e9 * (first * second)[:, 0], players)[0][0])


def number_of_deals(games: int, players: int) -> int:
    """The number of duplicate deals, at least 2."""
    return max(2, -(-games // players))


def protocol(sizes: tuple[int, ...], rng: Random) -> Protocol:
    """A protocol whose agents for 0 and 100 win nothing and everything, up to errors of measurement."""

    def measured(rate: float) -> Estimate:
        mean = rng.normal(rate, _ERROR)
        return Estimate(mean, mean - Z * _ERROR, mean + Z * _ERROR)

    tables = tuple(
        ProtocolTable(num_players=size, variant="", opponents=("",) * (size - 1), zero=measured(0), hundred=measured(1))
        for size in sizes
    )
    return Protocol(game="", options={}, seed=0, hundred="", bots={}, tables=tables)


def tournament_games(rate: float, luck: Luck, players: int, games: int, rng: Random) -> PlayedDeals:
    """A tournament of as many agents as there are seats, in duplicate deals."""
    agents = np.arange(players)
    deals = number_of_deals(games, players)
    seats = np.broadcast_to((agents + agents[:, None]) % players, (deals, players, players))
    winners = np.take_along_axis(luck.draw(rate, deals, players, players, rng), seats, axis=2)
    return PlayedDeals(tuple("abcdef"[:players]), agents[None], seats, winners, winners.astype(np.int64))


def coverage(simulate: Simulation, luck: Luck, players: int, games: int, repeats: int, seed: int) -> Shares:
    """How often the interval held the true value, at each of `RATES`; an undefined one is not wrong."""
    rng = np.random.default_rng(seed)

    def holds(rate: float) -> bool:
        truth, found = simulate(rate, luck, players, games, rng)
        return math.isnan(found.mean) or found.low <= truth <= found.high

    return np.array([np.mean([holds(rate) for _ in range(repeats)]) for rate in RATES])


ROWS: tuple[tuple[str, Simulation, tuple[int, ...], tuple[Luck, ...]], ...] = (
    ("score: 9 tables", whole_score, (0,), (INDEPENDENT, ALIKE)),
    ("tournament: win rate", tournament, (4,), (*LUCKS, VERY_ALIKE)),
    ("tournament: finishes ahead of", pair, (4,), (INDEPENDENT, SHARED)),
    ("tournament: rating", rating, (4,), (INDEPENDENT, ALIKE)),
)
"""What is measured: name, simulation, table sizes (0: all), and how the games of a deal depend on each other."""


def rows(args: Args) -> Iterator[dict[str, Any]]:
    """The rows of the result."""
    cases = [(row, luck, size) for row in ROWS for luck in row[3] for size in row[2]]
    for (name, simulate, *_), luck, size in tqdm(cases, unit=" rows"):
        cells = {}
        for games in GAMES:
            repeats = args.repeats // (4 if simulate is rating else 1)  # which takes longer
            found = coverage(simulate, luck, size, games, repeats, args.seed)
            cells[f"{games:,} games"] = f"{percent(found.mean())} ({percent(found.min())})"
        yield {"interval of": name, "games of a deal": luck.name, **cells}


def main(args: Args) -> None:
    """Measure, print and write."""
    error = 100 * math.sqrt(0.05 * 0.95 / args.repeats)
    found = list(rows(args))
    print(*found, sep="\n")
    if args.write:
        what = (
            f"Mean coverage (lowest) over {len(RATES)} win rates, {args.repeats:,} simulations of each; standard error "
            f"{error / math.sqrt(len(RATES)):.1f} (of single rates {error:.1f}) percentage points. "
            "Ratings: a quarter of the simulations, twice the error."
        )
        save("coverage", found, what=what, seed=args.seed)


if __name__ == "__main__":
    main(tyro.cli(Args))

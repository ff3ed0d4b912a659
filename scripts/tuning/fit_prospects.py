"""Fit the tables of `prospects.py`, in the bots' folder of each game: how a running score decides who wins.

    python scripts/tuning/fit_prospects.py --games 100000
    python scripts/tuning/fit_prospects.py --game schwarze_katze --games 40000

Copies of one bot play games of all sizes. Each beginning of a round (of a deal) is an example: how everybody stands,
and who has won in the end. The tables are those with the highest likelihood. Prints them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tyro
from tqdm import tqdm

from blackjacky_agents import make_agent
from blackjacky_agents.games.black_jacky.prospects import WEIGHTS
from blackjacky_env import make_batch
from blackjacky_env.engine.layout import Layout
from blackjacky_env.games import get_game

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Args:
    """Fit how a running score decides who wins."""

    game: str = "black_jacky"
    """The game, one of those that have prospects."""
    games: int = 100_000
    """How many games are played."""
    bot: str = "counter"
    """Who plays them."""
    seed: int = 0
    """Seed of the games."""


class Fit(NamedTuple):
    """What is fitted in one game."""

    number: str
    """The part of the observation that tells rounds (deals) apart."""
    read: Callable[[dict[str, Any]], list[int]]
    """How everybody stands, from what the player to act sees."""
    fit: Callable[[Integers, Floats], str]
    """(what was read, who won) -> the tables in print."""


def main(args: Args) -> int:
    """Play, fit, print; exit status 2 for a game without prospects."""
    if args.game not in FITS:
        print(f"--game: nothing is fitted for {args.game!r}; allowed are {', '.join(FITS)}", file=sys.stderr)
        return 2
    standings, shares = play(args, FITS[args.game])
    np.set_printoptions(precision=2, suppress=True, linewidth=100)
    print(f"{len(standings):,} beginnings\n{FITS[args.game].fit(standings, shares)}")
    return 0


def play(args: Args, fit: Fit) -> tuple[Integers, Floats]:
    """How all stood where rounds began, the first left out, which are even; and the shares of the win by seat.

    Standings (E, ..) and shares (E, P + 1), the last being nobody's.
    """
    game, size = get_game(args.game), 500
    sizes = list(game.variants[0].sizes)
    batch = make_batch(game.name, size, num_players=sizes, seed=args.seed)
    agent = make_agent(args.bot, game.name)
    agent.reset(args.seed)
    number = game.layout.offset(fit.number)
    running: list[list[list[int]]] = [[] for _ in range(size)]
    rounds = np.zeros(size, np.int64)
    examples: list[tuple[list[int], Floats]] = []
    with tqdm(total=args.games, unit=" games") as bar:
        while bar.n < args.games:
            now = batch.observations[:, number].astype(np.int64)
            for i in np.flatnonzero(now > rounds):
                running[i].append(fit.read(seen_by_seat(game.layout, batch.observations[i], batch.current_player[i])))
            rounds = now
            batch.step(agent.act_batch(batch.observations, batch.action_masks))
            for i in np.flatnonzero(batch.terminated):
                examples += [(standing, shares_of(batch.rewards[i])) for standing in running[i]]
                running[i], rounds[i] = [], 0
                bar.update()
    return np.array([standing for standing, _ in examples]), np.array([shares for _, shares in examples])


def seen_by_seat(layout: Layout, observation: npt.NDArray[Any], seat: int) -> dict[str, Any]:
    """The parts of an observation, those of all seats in the order of the seats."""
    parts = layout.decode(observation)
    players = int(parts["num_players"])
    for name in ("hearts", "black_hearts", "wanted", "totals"):
        if name in parts:
            parts[name] = np.roll(parts[name][:players], seat)
    return parts


def shares_of(rewards: Floats) -> Floats:
    """Who has won: equal shares of the winners, or all for nobody."""
    won = rewards > 0
    return np.append(won / max(won.sum(), 1), not won.any()).astype(np.float64)


# ---------------------------------------------------------------- Black Jacky

SEATS, KINDS = 6, WEIGHTS.shape[1]
NOT_THERE = KINDS  # a player who cannot win any more, or no player
STEPS = 400  # of gradient ascent


def kinds_of(parts: dict[str, Any]) -> list[int]:
    """What each player holds, as a column of `WEIGHTS` or `NOT_THERE`."""
    hearts, black, wanted = (np.array(parts[name]) for name in ("hearts", "black_hearts", "wanted"))
    kinds = np.where(hearts > 0, np.where(black > 0, 1, 1 + np.minimum(hearts, 3)), np.where(wanted > 0, 0, NOT_THERE))
    return [*map(int, kinds), *[NOT_THERE] * (SEATS - len(kinds))]


def fit_weights(kinds: Integers, shares: Floats) -> str:
    """The weights of players and of nobody by gradient ascent, that of one heart being 1 in each row."""
    inside, ones = (kinds_in_saloon(kinds)).sum(axis=1), ((kinds == 1) | (kinds == 2)).sum(axis=1)
    logs = [np.zeros((SEATS + 1, KINDS + 1)), np.zeros((SEATS + 1, SEATS + 1))]
    means, squares = ([np.zeros_like(table) for table in logs] for _ in range(2))
    for step in range(1, STEPS + 1):
        players = np.where(kinds == NOT_THERE, -np.inf, logs[0][inside[:, None], kinds])
        scores = np.exp(np.column_stack([players, logs[1][inside, ones]]))
        errors = shares - scores / scores.sum(axis=1, keepdims=True)
        slopes = [np.zeros_like(table) for table in logs]
        np.add.at(slopes[0], (inside[:, None], kinds), errors[:, :SEATS])
        np.add.at(slopes[1], (inside, ones), errors[:, SEATS])
        for table, slope, mean, square in zip(logs, slopes, means, squares, strict=True):  # Adam (Kingma, Ba 2015)
            mean[:] = 0.9 * mean + 0.1 * slope
            square[:] = 0.99 * square + 0.01 * slope**2
            table[:] += 0.05 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    base = logs[0][:, 2:3]
    return f"WEIGHTS\n{np.exp(logs[0][:, :KINDS] - base)}\nNOBODY\n{np.exp(logs[1] - base)}"


def kinds_in_saloon(kinds: Integers) -> npt.NDArray[np.bool_]:
    """Who has a heart."""
    return (kinds >= 1) & (kinds < NOT_THERE)


# ---------------------------------------------------------------- Schwarze Katze

MOST_PLAYERS = 10


def totals_and_deals(parts: dict[str, Any]) -> list[int]:
    """Number of players, deals to come, totals by seat."""
    totals = list(map(int, parts["totals"]))
    return [len(totals), int(parts["deals"] - parts["deal"]), *totals, *[0] * (MOST_PLAYERS - len(totals))]


def fit_spreads(standings: Integers, shares: Floats) -> str:
    """The spread with the highest likelihood for each number of players, of whole numbers 1 .. 150."""
    spreads = np.zeros(MOST_PLAYERS + 1)
    for n in np.unique(standings[:, 0]):
        rows = standings[:, 0] == n
        scaled = -standings[rows, 2 : 2 + n] / np.sqrt(standings[rows, 1:2])
        spreads[n] = max(range(1, 151), key=lambda spread: log_likelihood(scaled / spread, shares[rows, :n]))
    return f"SPREAD\n{spreads}"


def log_likelihood(logits: Floats, shares: Floats) -> float:
    """Of the wins, if chances are in proportion to the exponentials."""
    logits = logits - logits.max(axis=1, keepdims=True)
    return float((shares * (logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))).sum())


FITS = {
    "black_jacky": Fit("round", kinds_of, fit_weights),
    "schwarze_katze": Fit("deal", totals_and_deals, fit_spreads),
}
"""By game."""


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Args)))

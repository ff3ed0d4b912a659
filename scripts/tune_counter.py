"""Tune the parameters of `counter` by playing changed copies against the best so far.

    python scripts/tune_counter.py --minutes 30 --seed 0 --out runs/counter.json

A copy with a few parameters changed at random plays the same seeds and seats as the best so far, both against copies of
the best so far at tables of 2, 3 and 4 and against three `threshold`. It takes over if it wins more: first over a few
games, then over many others, by twice the standard error of the difference. The best is written after every change.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tyro

from blackjacky_agents import CompiledAgent, make_agent
from blackjacky_agents.bots.black_jacky import counter
from blackjacky_agents.evaluation import play_games

Parameters = npt.NDArray[np.float32]
TABLES = ((4, "best", 0.5), (4, "threshold", 0.2), (2, "best", 0.2), (3, "best", 0.1))
"""Number of players, opponents, weight in the comparison (win rates as multiples of par) and share of the games."""


@dataclass
class Args:
    """Tune the parameters of `counter` by playing changed copies against the best so far."""

    minutes: float = 30
    """How long to search."""
    seed: int = 0
    """Seed of the search."""
    first_games: int = 2000
    """Games of the first comparison."""
    games: int = 12000
    """Games of the second comparison, which decides."""
    threads: int = 2
    """CPU threads."""
    out: Path = Path("runs/counter.json")
    """Where the best parameters are kept; the search goes on from there if it exists."""


def agent(parameters: Parameters) -> CompiledAgent:
    """A counter with these parameters."""
    return CompiledAgent("counter", "black_jacky", counter.choose, parameters)


def shares(hero: Parameters, best: Parameters, games: int, seed: int, threads: int) -> list[npt.NDArray[np.float64]]:
    """What the hero won of each game, over par, one array for each kind of table."""
    result = []
    for players, name, share in TABLES:
        opponent = agent(best) if name == "best" else make_agent(name)
        count = int(games * share)
        seats = np.random.default_rng(seed).integers(players, size=count)
        seating = np.ones((count, players), np.int64)
        seating[np.arange(count), seats] = 0
        won = play_games([agent(hero), opponent], seating, seed, threads=threads)
        result.append(won[np.arange(count), seats] * players)
    return result


def gain(changed: Parameters, best: Parameters, games: int, seed: int, threads: int) -> tuple[float, float]:
    """How much more the changed parameters win than the best, in multiples of par, and its standard error."""
    pairs = zip(
        shares(changed, best, games, seed, threads), shares(best, best, games, seed, threads), TABLES, strict=True
    )
    mean, variance = 0.0, 0.0
    for mine, theirs, (_, _, weight) in pairs:
        difference = mine - theirs
        mean += weight * difference.mean()
        variance += weight**2 * difference.var() / len(difference)
    return mean, variance**0.5


def change(best: Parameters, rng: np.random.Generator) -> Parameters:
    """One to three parameters changed by up to about a half, or a little where they are 0."""
    changed = best.copy()
    for i in rng.choice(len(best), rng.integers(1, 4), replace=False):
        if i in (counter.DRAW_BELOW, counter.SWAPPED):
            changed[i] += rng.choice([-1, 1])
        else:
            changed[i] = changed[i] * np.exp(rng.normal(0, 0.5)) + 0.002 * rng.random()
    changed[[counter.CUT_OFF, counter.SECOND_TURN]] = changed[[counter.CUT_OFF, counter.SECOND_TURN]].clip(0, 1)
    return changed


def write(path: Path, parameters: Parameters) -> None:
    """Written aside and renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps([round(float(value), 4) for value in parameters]))
    aside.replace(path)


def main(args: Args) -> None:
    """Search until the time is over."""
    rng = np.random.default_rng(args.seed)
    best = np.array(json.loads(args.out.read_text()), np.float32) if args.out.exists() else counter.PARAMETERS
    start, tried = time.monotonic(), 0
    while time.monotonic() - start < 60 * args.minutes:
        tried += 1
        changed = change(best, rng)
        seed = int(rng.integers(2**40))
        mean, error = gain(changed, best, args.first_games, seed, args.threads)
        if mean < 0.5 * error:
            continue
        mean, error = gain(changed, best, args.games, seed + args.first_games, args.threads)
        print(f"{time.monotonic() - start:6.0f} s, try {tried}: {mean:+.4f} +- {error:.4f} of par", flush=True)
        if mean > 2 * error:
            best = changed
            write(args.out, best)
            print("  better:", [round(float(value), 4) for value in best], flush=True)


if __name__ == "__main__":
    main(tyro.cli(Args))

"""Tune the parameters of `counter` by playing changed copies against the best so far.

    python scripts/tuning/tune_counter.py --minutes 30 --seed 0
    python scripts/tuning/tune_counter.py --game schwarze_katze --minutes 30 --seed 0

A copy with a few parameters changed at random plays the same seeds and seats as the best so far, both against copies of
the best so far at tables of several sizes and against three copies of a weaker bot. It takes over if it wins more:
first over a few games, then over many others, by twice the standard error of the difference. The best is written after
every change.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tyro

from blackjacky_agents import CompiledAgent, make_agent
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_agents.games import get_kit
from blackjacky_agents.games.black_jacky import bots as black_jacky
from blackjacky_agents.games.schwarze_katze import bots as schwarze_katze

Parameters = npt.NDArray[np.float32]


class Task(NamedTuple):
    """The bot of a game that is tuned, and where it has to be good."""

    policy: Any
    parameters: Parameters
    tables: tuple[tuple[int, str, float], ...]
    """Number of players, opponents, weight in the comparison (win rates as multiples of par) and share of the games."""
    counts: list[int]
    """The parameters that are whole numbers."""
    chances: list[int]
    """The parameters that are 0 .. 1."""


TASKS = {
    "black_jacky": Task(
        *get_kit("black_jacky").bots["counter"],
        tables=((4, "best", 0.5), (4, "threshold", 0.2), (2, "best", 0.2), (3, "best", 0.1)),
        counts=[black_jacky.counter.DRAW_BELOW, black_jacky.counter.SWAPPED],
        chances=[black_jacky.counter.CUT_OFF, black_jacky.counter.SECOND_TURN],
    ),
    "schwarze_katze": Task(
        *get_kit("schwarze_katze").bots["counter"],
        tables=((4, "best", 0.5), (4, "low", 0.2), (3, "best", 0.15), (6, "best", 0.15)),
        counts=[],
        chances=[schwarze_katze.counter.PROTECTION, schwarze_katze.counter.WILLING],
    ),
}
"""By game."""


@dataclass
class Args:
    """Tune the parameters of `counter` by playing changed copies against the best so far."""

    game: str = "black_jacky"
    """The game, one of those that have a `counter`."""
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
    out: Path | None = None
    """Where the best parameters are kept (runs/counter-GAME.json); the search goes on from there if it exists."""


def main(args: Args) -> int:
    """Search until the time is over; exit status 2 for a game without a `counter`."""
    if args.game not in TASKS:
        print(f"--game: no counter is tuned for {args.game!r}; allowed are {', '.join(TASKS)}", file=sys.stderr)
        return 2
    task, rng = TASKS[args.game], np.random.default_rng(args.seed)
    out = args.out or Path(f"runs/counter-{args.game}.json")
    best = np.array(json.loads(out.read_text()), np.float32) if out.exists() else task.parameters
    start, tried = time.monotonic(), 0
    while time.monotonic() - start < 60 * args.minutes:
        tried += 1
        changed = change(best, task, rng)
        seed = int(rng.integers(2**40))
        mean, error = gain(changed, best, args, args.first_games, seed)
        if mean < 0.5 * error:
            continue
        mean, error = gain(changed, best, args, args.games, seed + args.first_games)
        print(f"{time.monotonic() - start:6.0f} s, try {tried}: {mean:+.4f} +- {error:.4f} of par", flush=True)
        if mean > 2 * error:
            best = changed
            write(out, best)
            print("  better:", [round(float(value), 4) for value in best], flush=True)
    return 0


def change(best: Parameters, task: Task, rng: np.random.Generator) -> Parameters:
    """One to three parameters changed by up to about a half, or a little where they are 0."""
    changed = best.copy()
    for i in rng.choice(len(best), rng.integers(1, 4), replace=False):
        if i in task.counts:
            changed[i] += rng.choice([-1, 1])
        else:
            changed[i] = changed[i] * np.exp(rng.normal(0, 0.5)) + 0.002 * rng.random()
    changed[task.chances] = changed[task.chances].clip(0, 1)
    return changed


def gain(changed: Parameters, best: Parameters, args: Args, games: int, seed: int) -> tuple[float, float]:
    """How much more the changed parameters win than the best, in multiples of par, and its standard error."""
    mean, variance = 0.0, 0.0
    ours, theirs = (shares(hero, best, args, games, seed) for hero in (changed, best))
    for mine, its, (_, _, weight) in zip(ours, theirs, TASKS[args.game].tables, strict=True):
        difference = mine - its
        mean += weight * difference.mean()
        variance += weight**2 * difference.var() / len(difference)
    return mean, variance**0.5


def shares(hero: Parameters, best: Parameters, args: Args, games: int, seed: int) -> list[npt.NDArray[np.float64]]:
    """What the hero won of each game, over par, one array for each kind of table."""
    result = []
    for players, name, share in TASKS[args.game].tables:
        opponent = counter_with(best, args.game) if name == "best" else make_agent(name, args.game)
        count = int(games * share)
        seats = np.random.default_rng(seed).integers(players, size=count)
        seating = np.ones((count, players), np.int64)
        seating[np.arange(count), seats] = 0
        won = play_games([counter_with(hero, args.game), opponent], seating, seed, threads=args.threads)
        result.append(won[np.arange(count), seats] * players)
    return result


def counter_with(parameters: Parameters, game: str) -> CompiledAgent:
    """A counter with these parameters."""
    return CompiledAgent("counter", game, TASKS[game].policy, parameters)


def write(path: Path, parameters: Parameters) -> None:
    """Written aside and renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps([round(float(value), 4) for value in parameters]))
    aside.replace(path)


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Args)))

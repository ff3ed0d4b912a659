"""Tune the parameters of a bot, such as `counter`, by random search against the best parameters so far.

    python scripts/tuning/tune_counter.py --minutes 30 --seed 0
    python scripts/tuning/tune_counter.py --game GAME --minutes 30 --seed 0

A candidate differs from the best so far in a few parameters. Both play the same seeds from the same seats at the tables
declared by the game (`GameKit.tuning`), against copies of the best so far and of weaker bots. The candidate is accepted
if it wins more in a first, short comparison, and in a second, long one by more than twice the standard error of the
difference. The best parameters are written to a file after every improvement.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import tyro

from blackjacky_agents import CompiledAgent
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_agents.files import write_file
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.tuning import BotTuning
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.engine.policies import Policy
from blackjacky_env.games import DEFAULT

Parameters = npt.NDArray[np.float32]


@dataclass
class Args:
    """Tune the parameters of a bot by random search against the best parameters so far."""

    game: str = DEFAULT
    """Name of the game."""
    bot: str = "counter"
    """Name of the bot, for which the game must declare a tuning."""
    minutes: float = 30
    """Duration of the search in minutes."""
    seed: int = 0
    """Seed of the search."""
    first_games: int = 2000
    """Number of games in the first comparison."""
    games: int = 12000
    """Number of games in the second comparison, which decides."""
    threads: int = 2
    """CPU threads."""
    out: Path | None = None
    """File of the best parameters, from which the search is resumed; by default runs/BOT-GAME.json."""


class Task(NamedTuple):
    """The bot to be tuned."""

    game: str
    bot: str
    policy: Policy
    parameters: Parameters
    tuning: BotTuning

    def agent(self, parameters: Parameters) -> CompiledAgent:
        """The bot with these parameters."""
        return CompiledAgent(self.bot, self.game, self.policy, parameters)


def find_task(game: str, bot: str) -> Task:
    """The tuning declared for the bot; the `ValueError` for unknown bots lists those with a tuning."""
    kit = get_kit(game)
    if bot not in kit.tuning.bots:
        allowed = ", ".join(map(repr, kit.tuning.bots)) or "none"
        raise ValueError(f"--bot: {game} declares no tuning of {bot!r}; allowed are {allowed}")
    policy, parameters = kit.bots[bot]
    return Task(game, bot, policy, np.asarray(parameters, np.float32), kit.tuning.bots[bot])


def main(args: Args) -> int:
    """Search until the time limit; returns the exit status."""
    try:
        task = find_task(args.game, args.bot)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rng = np.random.default_rng(args.seed)
    out = args.out or Path(f"runs/{args.bot}-{args.game}.json")
    best = np.array(json.loads(out.read_text()), np.float32) if out.exists() else task.parameters
    start, tried = time.monotonic(), 0
    while time.monotonic() - start < 60 * args.minutes:
        tried += 1
        candidate = change(best, task.tuning, rng)
        seed = int(rng.integers(2**40))
        mean, error = gain(candidate, best, task, args.first_games, seed, args.threads)
        if mean < 0.5 * error:
            continue
        mean, error = gain(candidate, best, task, args.games, seed + args.first_games, args.threads)
        print(f"{time.monotonic() - start:6.0f} s, candidate {tried}: {mean:+.4f} +- {error:.4f} of par", flush=True)
        if mean > 2 * error:
            best = candidate
            write(out, best)
            print("  better:", [round(float(value), 4) for value in best], flush=True)
    return 0


def change(best: Parameters, tuning: BotTuning, rng: np.random.Generator) -> Parameters:
    """Parameters with one to three random changes by up to about a half, or by a small amount where they are 0.

    A probability that would exceed 1 is reduced by the same factor, so that one that is 1 changes, too.
    """
    changed = best.copy()
    for i in rng.choice(len(best), rng.integers(1, 4), replace=False):
        if i in tuning.integers:
            changed[i] += rng.choice([-1, 1])
        else:
            changed[i] = changed[i] * np.exp(rng.normal(0, 0.5)) + 0.002 * rng.random()
    probabilities = list(tuning.probabilities)
    changed[probabilities] = np.minimum(changed[probabilities], 1 / np.maximum(changed[probabilities], 1))
    return changed


def gain(
    candidate: Parameters, best: Parameters, task: Task, games: int, seed: int, threads: int
) -> tuple[float, float]:
    """Improvement of a candidate over the best so far, in multiples of par, and its standard error."""
    mean, variance = 0.0, 0.0
    ours, theirs = (shares(hero, best, task, games, seed, threads) for hero in (candidate, best))
    for mine, its, table in zip(ours, theirs, task.tuning.tables, strict=True):
        difference = mine - its
        mean += table.weight * difference.mean()
        variance += table.weight**2 * difference.var() / len(difference)
    return mean, variance**0.5


def shares(
    hero: Parameters, best: Parameters, task: Task, games: int, seed: int, threads: int
) -> list[npt.NDArray[np.float64]]:
    """The hero's share of the win in each game as a multiple of par, one array per table."""
    result = []
    for players, name, weight in ((table.num_players, table.opponent, table.weight) for table in task.tuning.tables):
        opponent = task.agent(best) if name == "best" else make_compiled_agent(name, task.game)
        count = int(games * weight)
        seats = np.random.default_rng(seed).integers(players, size=count)
        seating = np.ones((count, players), np.int64)
        seating[np.arange(count), seats] = 0
        won = play_games([task.agent(hero), opponent], seating, seed, game=task.game, threads=threads)
        result.append(won[np.arange(count), seats] * players)
    return result


def write(path: Path, parameters: Parameters) -> None:
    """Write the parameters as a JSON list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps([round(float(value), 4) for value in parameters]))


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Args)))

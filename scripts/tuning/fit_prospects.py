"""Fit the value of positions between rounds (`prospects.py` in a game's folder) to the outcomes of games.

    python scripts/tuning/fit_prospects.py --games 100000
    python scripts/tuning/fit_prospects.py --game GAME --games 40000

Copies of one bot play games of all table sizes. Each beginning of a round is an example: the players' standing and the
final result. Prints the maximum-likelihood tables, as declared by the game (`GameKit.tuning`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tyro
from tqdm import tqdm

from blackjacky_agents import make_agent
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.tuning import Floats, Integers, ValueFit
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT, get_game

NUM_ENVS = 500


@dataclass(frozen=True)
class Args:
    """Fit the value of positions between rounds to the outcomes of games."""

    game: str = DEFAULT
    """Name of the game, which must declare a fit."""
    games: int = 100_000
    """Number of games."""
    bot: str = "counter"
    """Bot that plays the games."""
    seed: int = 0
    """Seed of the games."""


def main(args: Args) -> int:
    """Play, fit, print; returns the exit status."""
    try:
        fit = find_fit(args.game)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    standings, shares = play(args, fit)
    np.set_printoptions(precision=2, suppress=True, linewidth=100)
    print(f"{len(standings):,} examples\n{fit.fit(standings, shares)}")
    return 0


def find_fit(game: str) -> ValueFit:
    """The fit declared by the game; `ValueError` if there is none."""
    fit = get_kit(game).tuning.value
    if fit is None:
        raise ValueError(f"--game: {game} declares no value to fit (`GameKit.tuning`)")
    return fit


def play(args: Args, fit: ValueFit) -> tuple[Integers, Floats]:
    """Play games; returns the standings at the beginnings of all rounds but the first, and the results.

    Standings (E, ..) and shares of the win (E, P + 1), the last column for games without a winner.
    """
    game = get_game(args.game)
    batch = make_batch(game.name, NUM_ENVS, num_players=list(game.variants[0].sizes), seed=args.seed)
    agent = make_agent(args.bot, game.name)
    agent.reset(args.seed)
    number = game.layout.offset(fit.round_part)
    running: list[list[list[int]]] = [[] for _ in range(NUM_ENVS)]
    rounds = np.zeros(NUM_ENVS, np.int64)
    examples: list[tuple[list[int], Floats]] = []
    with tqdm(total=args.games, unit=" games") as bar:
        while bar.n < args.games:
            now = batch.observations[:, number].astype(np.int64)
            for i in np.flatnonzero(now > rounds):
                running[i].append(fit.read(game.layout.decode(batch.observations[i]), int(batch.current_player[i])))
            rounds = now
            batch.step(agent.act_batch(batch.observations, batch.action_masks))
            for i in np.flatnonzero(batch.terminated):
                examples += [(standing, shares_of(batch.rewards[i])) for standing in running[i]]
                running[i], rounds[i] = [], 0
                bar.update()
    return np.array([standing for standing, _ in examples]), np.array([shares for _, shares in examples])


def shares_of(rewards: npt.NDArray[np.float64]) -> Floats:
    """Shares of the win by seat, equal for all winners; the last entry is 1 if there is no winner."""
    won = rewards > 0
    return np.append(won / max(won.sum(), 1), not won.any()).astype(np.float64)


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Args)))

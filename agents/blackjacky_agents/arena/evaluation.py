"""Evaluation of agents over whole games: win rates with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, check_plays
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.fixture import Failures, Fixture, count_failures
from blackjacky_agents.arena.workers import open_jobs
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.intervals import Estimate, Floats, of_difference, of_games, shares_of
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import check_threads
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import DEFAULT


@dataclass(frozen=True)
class Score:
    """The results of one agent against one line-up of opponents."""

    games: int
    win_rate: float
    """Mean over games of 1 / number of winners for a winner, 0 for the others and in games without a winner."""
    low: float
    high: float
    """95 % confidence interval of `win_rate`."""
    par: float
    """1 / number of players: the mean win rate over all seats."""
    nobody: float
    """Fraction of games without a winner."""


def agent_score(shares: Floats, nobody: npt.NDArray[np.bool_], num_players: int) -> Score:
    """The score of an agent from its share of each win (0 .. 1), (N,), and whether the game had no winner, (N,)."""
    mean, games = float(shares.mean()), len(shares)
    low, high = of_games(mean, float(np.square(shares).mean()), games)
    return Score(games, mean, low, high, 1 / num_players, float(nobody.mean()))


def against_copies(
    agent: Agent,
    opponents: Sequence[Agent],
    num_players: int,
    games: int,
    seed: int = 0,
    threads: int = 2,
    **options: Any,
) -> list[Score]:
    """Scores of ``agent`` in a random seat against copies of each opponent in turn.

    Game i has seed ``seed + i`` and the same seat against every opponent. ``options`` are those of `play_games`.
    """
    seats = np.random.default_rng(seed).integers(num_players, size=games)
    rows = np.arange(games)
    scores = []
    for number in range(1, len(opponents) + 1):
        seating = np.full((games, num_players), number)
        seating[rows, seats] = 0
        shares = play_games([agent, *opponents], seating, seed, threads=threads, **options)
        scores.append(agent_score(shares[rows, seats], shares.sum(axis=1) == 0, num_players))
    return scores


def among_copies(agent: Agent, num_players: int, games: int, seed: int = 0, threads: int = 2, **options: Any) -> Score:
    """Score of an agent that has all seats, over all seats: par, or less where games end without a winner.

    Game i has seed ``seed + i``. ``options`` are those of `play_games`.
    """
    shares = play_games([agent], np.zeros((games, num_players), np.int64), seed, threads=threads, **options)
    return agent_score(shares.mean(axis=1), shares.sum(axis=1) == 0, num_players)


def gain(best: Score, own: Score) -> Estimate:
    """What a best response wins above the agent's own rate among its copies, both measured in games of their own."""
    return of_difference(*(Estimate(each.win_rate, each.low, each.high) for each in (best, own)))


def at_one_table(agents: Sequence[Agent], games: int, seed: int = 0, threads: int = 2, **options: Any) -> list[Score]:
    """Scores of agents that play each other in shuffled seats; game i has seed ``seed + i``."""
    shares = shares_at_one_table(agents, games, seed, threads, **options)
    nobody = shares.sum(axis=1) == 0
    return [agent_score(own, nobody, len(agents)) for own in shares.T]


def shares_at_one_table(agents: Sequence[Agent], games: int, seed: int = 0, threads: int = 2, **options: Any) -> Floats:
    """Each agent's share of the win in each game of `at_one_table`, shape (games, agents)."""
    rng = np.random.default_rng(seed)
    seating = rng.permuted(np.tile(np.arange(len(agents)), (games, 1)), axis=1)
    shares = play_games(agents, seating, seed, threads=threads, **options)
    return np.take_along_axis(shares, np.argsort(seating, axis=1), axis=1)


def play_games(
    agents: Sequence[Agent],
    seating: npt.NDArray[np.int64],
    seed: int = 0,
    variant: str | None = None,
    game: str = DEFAULT,
    threads: int = 2,
    progress: Callable[[int], object] = lambda games: None,
    cluster: ClusterExecutor | None = None,
    failures: Failures | None = None,
    **rule_options: Any,
) -> Floats:
    """Play whole games; returns shares of the win, (N, num_players): 1 / number of winners for a winner, else 0.

    Args:
        agents: the agents; those that are not compiled are asked for several games at once where they have
            ``act_batch``, play on one thread, and are copied, so that each seat has an instance of its own.
        seating: index of the agent in each seat of each game, shape (N, num_players).
        seed: game i has the seed ``seed + i``.
        variant: name of the variant, the game's first by default.
        game: name of the game.
        threads: CPU threads; results do not depend on it.
        progress: called with a number of games whenever that many more have been played.
        cluster: plays the games instead of this machine, with the same results.
        failures: an agent that fails loses that game, all others win it, and it is counted here; None: its error is
            raised.
        rule_options: the game's own options.

    Raises `ValueError` if an agent plays another game, or for invalid seats, seeds or options; `ClusterError` if the
    cluster was lost.
    """
    seed = check_integer("seed", seed, 0, 2**63 - 1 - len(seating))
    threads = check_threads(threads)
    if not np.isin(seating, range(len(agents))).all():
        raise ValueError(f"seating must hold indices of agents, 0 .. {len(agents) - 1}, not {np.unique(seating)}")
    env = TableEnv(game, num_players=seating.shape[1], variant=variant, **rule_options)  # checks the options
    for agent in agents:
        check_plays(agent, agent.name, game)
    first = [next(i for i, each in enumerate(agents) if each is agent) for agent in agents]
    seating = np.array(first, np.int64)[seating]  # so that one object given twice is copied, too
    whole = tuple(agent if hasattr(agent, "act_batch") else PythonAgent(agent, agent.name, game) for agent in agents)
    fixture = _SeatedFixture(game, env.variant, env.num_players, env.options, whole, seed, seating)
    shares, failed = [np.empty((0, env.num_players))], [np.empty(seating[:0].shape, np.int8)]
    with open_jobs(fixture, False, threads if fixture.compiled else 1, cluster, failures is not None) as jobs:
        for results, _ in jobs.play(0, len(seating)):
            progress(len(results.winners))
            shares.append(shares_of(results.winners))
            failed.append(results.failures)
    if failures is not None:
        failures.update(count_failures(np.concatenate(failed), seating, [agent.name for agent in agents]))
    return np.concatenate(shares)


@dataclass(frozen=True)
class _SeatedFixture(Fixture):
    """Games whose seats are given; game i has the seed ``seed + i``."""

    seating: npt.NDArray[np.int64]

    def schedule(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        seats = self.seating[first : first + count]
        return self.seed + first + np.arange(len(seats)), seats

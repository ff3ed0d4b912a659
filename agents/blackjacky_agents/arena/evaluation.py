"""Evaluation of agents over whole games: win rates with confidence intervals."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, asked, check_plays
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.workers import in_order, tasks_ahead
from blackjacky_agents.intervals import Floats, of_games, shares_of
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import zeros
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import DEFAULT
from blackjacky_env.play import play_out

_SECONDS = 0.5  # about how long compiled games run before progress is reported and Ctrl-C noticed
_MAX_PART = 4096  # games that are played at once
_PARTS = 8  # for each core of a cluster


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


def score_of(shares: Floats, nobody: npt.NDArray[np.bool_], num_players: int) -> Score:
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
        scores.append(score_of(shares[rows, seats], shares.sum(axis=1) == 0, num_players))
    return scores


def at_one_table(agents: Sequence[Agent], games: int, seed: int = 0, threads: int = 2, **options: Any) -> list[Score]:
    """Scores of agents that play each other in shuffled seats; game i has seed ``seed + i``."""
    shares = shares_at_one_table(agents, games, seed, threads, **options)
    nobody = shares.sum(axis=1) == 0
    return [score_of(own, nobody, len(agents)) for own in shares.T]


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
    **rule_options: Any,
) -> Floats:
    """Play whole games; returns shares of the win, (N, num_players): 1 / number of winners for a winner, else 0.

    Compiled agents play on ``threads`` CPU threads, with the same results for any number of threads. If an agent is not
    compiled, the games are played one by one through the PettingZoo environment.

    Args:
        agents: the agents.
        seating: index of the agent in each seat of each game, shape (N, num_players).
        seed: game i has the seed ``seed + i``.
        variant: name of the variant, the game's first by default.
        game: name of the game.
        threads: CPU threads.
        progress: called with a number of games whenever that many more have been played.
        cluster: plays the games instead of this machine, with the same results.
        rule_options: the game's own options.

    Raises `ValueError` if an agent plays another game, or for invalid seats, seeds or options; `ClusterError` if the
    cluster was lost.
    """
    check_integer("seed", seed, 0, 2**63 - 1 - len(seating))
    if not np.isin(seating, range(len(agents))).all():
        raise ValueError(f"seating must hold indices of agents, 0 .. {len(agents) - 1}, not {np.unique(seating)}")
    env = TableEnv(game, num_players=seating.shape[1], variant=variant, **rule_options)  # checks the options
    for agent in agents:
        check_plays(agent, agent.name, game)
    if cluster is not None:

        def play_part(seating: npt.NDArray[np.int64], seed: int) -> Floats:
            return play_games(agents, seating, seed, variant, game, threads=1, **rule_options)

        size = int(np.clip(len(seating) // (_PARTS * cluster.cores), 1, _MAX_PART))
        tasks = (
            cluster.submit(play_part, seating[first : first + size], seed + first)
            for first in range(0, len(seating), size)
        )
        parts = [np.empty((0, seating.shape[1]))]
        for shares in in_order(tasks, lambda: tasks_ahead(cluster)):
            progress(len(shares))
            parts.append(shares)
        return np.concatenate(parts)

    compiled_agents = [agent for agent in agents if isinstance(agent, CompiledAgent)]
    if len(compiled_agents) == len(agents):
        return _play_compiled(env, compiled_agents, seating, seed, threads, progress)
    shares = np.empty(seating.shape)
    for i, row in enumerate(seating):
        shares[i] = _play_one(env, [agents[a] for a in row], seed + i)
        progress(1)
    return shares


def _play_compiled(
    env: TableEnv,
    agents: Sequence[CompiledAgent],
    seating: npt.NDArray[np.int64],
    seed: int,
    threads: int,
    progress: Callable[[int], object],
) -> Floats:
    shares, done = np.empty(seating.shape), 0
    policies = [(agent.policy, agent.parameters) for agent in agents]
    size = 8 * check_integer("threads", threads, 1, 256)  # games of the next part: few, as they may be slow
    while done < len(seating):
        begun, seats = time.perf_counter(), seating[done : done + size]
        states = zeros(len(seats), env.game.state_dtype)
        states[:] = env.game.new_state(env.num_players, env.variant, env.options)
        play_out(env.game, states, seed + done + np.arange(len(seats)), seats, policies, threads)
        shares[done : done + size] = shares_of(states["winners"][:, : env.num_players])
        done += len(seats)
        progress(len(seats))
        if time.perf_counter() - begun < _SECONDS:
            size = min(2 * size, _MAX_PART)
    return shares


def _play_one(env: TableEnv, agents: Sequence[Agent], seed: int) -> Floats:
    for seat, agent in enumerate(agents):
        agent.reset(seed * len(agents) + seat)
    env.reset(seed=seed)
    seats = dict(zip(env.possible_agents, agents, strict=True))
    while not any(env.terminations.values()):
        env.step(asked(seats[env.agent_selection], env)())
    winners = np.zeros(len(agents))
    winners[env.snapshot()["winners"]] = 1
    return shares_of(winners)

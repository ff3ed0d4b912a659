"""Scores: the results of an agent in a protocol, on a scale from 0 (random) to 100 (the game's champion).

A deal is played once with the agent in each seat, and is the unit of the statistics: deals are independent, the games
of one deal are not. At each table the win rate is rescaled linearly so that `random` has 0 and the champion 100; the
score is the mean over the tables. Its 95 % interval includes the uncertainty of those two reference results; the
halves of independent intervals are added as Zou and Donner do it (Statistics in Medicine 2008).
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, plays_one_at_a_time, recalls
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.protocol import ZERO, Protocol, Rate, in_short
from blackjacky_agents.arena.table import Table, encode_actions
from blackjacky_agents.arena.workers import in_order, open_pool
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_agents.intervals import Estimate, Floats, Z, of_deals
from blackjacky_agents.registry import make_agent, make_compiled_agent
from blackjacky_env.compiled import check_threads
from blackjacky_env.games import get_game

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The result of a game for an agent, as one character: 0 if it did not win, otherwise the number of winners."""
_JOB = 40  # games, which an agent that plays many games at once sees together
_SAMPLED = 200  # moves of a job whose times are kept
_TIMED_MOVES = 500  # of a compiled agent
_REFERENCE_SEED = 1_000_000  # added to the protocol's, so that references and scores have independent deals
_REFERENCE = "reference"  # the length of their measurement
_CLEAR = 4.0  # standard errors between the references at a table that tells agents apart


class Job(NamedTuple):
    """Consecutive deals at one table."""

    table: int
    first: int
    deals: int


class Played(NamedTuple):
    """The results of a job."""

    wins: str
    """What the agent won in each game, see `DIGITS`."""
    moves: tuple[str, ...]
    """The actions of all players in each game, encoded by `encode_actions`."""
    microseconds: tuple[float, ...]
    """Times of some of its moves; empty for compiled agents."""


Results = dict[Job, Played]
Progress = Callable[[int], object]
"""Called with the number of games just played."""


@dataclass(frozen=True)
class TableScore:
    """The results at one table."""

    players: int
    variant: str
    opponents: str
    games: int
    win_rate: Estimate
    par: float
    """1 / number of players."""
    score: Estimate
    """0: `random`, 100: the champion."""


@dataclass(frozen=True)
class ScoreResult:
    """The score of an agent in a protocol."""

    score: Estimate
    tables: tuple[TableScore, ...]
    games: int
    deals: int


# ---------------------------------------------------------------- playing


def jobs(protocol: Protocol, length: str, agent: Agent | None = None) -> list[Job]:
    """All jobs of a score, in order; single deals for an agent that plays one game at a time, since it may be slow."""
    games = 1 if plays_one_at_a_time(agent) else _JOB
    return [
        Job(number, first, min(size, deals - first))
        for number, table in enumerate(protocol.tables)
        for deals, size in [(protocol.deals(table, length), -(-games // table.num_players))]
        for first in range(0, deals, size)
    ]


def games_of(protocol: Protocol, some: Iterable[Job]) -> int:
    """Number of games of jobs."""
    return sum(job.deals * protocol.tables[job.table].num_players for job in some)


def play_protocol(
    protocol: Protocol,
    agent: Agent,
    todo: list[Job],
    threads: int | None = None,
    cluster: ClusterExecutor | None = None,
) -> Iterator[tuple[Job, Played]]:
    """Play jobs; yields each with its results, which do not depend on the number of threads.

    Args:
        protocol: the tables.
        agent: the agent. One with a true ``one_game_at_a_time`` plays each game by itself, and is reseeded before it;
            others are reseeded before each job, whose games they play at the same time.
        todo: the jobs.
        threads: number of cores; None: all. Compiled agents play on threads, others in processes.
        cluster: plays the games instead of this machine.

    Raises `ClusterError`, `IllegalActionError`, `AgentProcessError`, or what the agent raises, with a note on where it
    happened.
    """
    player, cores = JobPlayer(protocol, agent), check_threads(threads)
    try:
        if cores == 1 and cluster is None:
            yield from ((job, player(job)) for job in todo)
        elif todo:
            yield from _play_in_parallel(player, todo, cores, cluster)
    finally:
        if isinstance(agent, SubprocessAgent):
            agent.close()


def _play_in_parallel(
    player: JobPlayer, todo: list[Job], cores: int, cluster: ClusterExecutor | None
) -> Iterator[tuple[Job, Played]]:
    compiled = isinstance(player.agent, CompiledAgent)
    if compiled and cluster is None:
        player(todo[0]._replace(deals=0))  # compile here, not in two threads at once
    with open_pool(player, cores, compiled, cluster) as pool:
        yield from zip(todo, in_order(map(pool.submit, todo), pool.count_ahead), strict=True)


@dataclass(frozen=True)
class JobPlayer:
    """Plays jobs with its own copy of the agent; can be pickled if the agent can."""

    protocol: Protocol
    agent: Agent
    opponents: Mapping[str, Agent] | None = None
    """As for `make_table`."""

    def __call__(self, job: Job) -> Played:
        """Play one job."""
        place = self.protocol.tables[job.table]
        timed = None if isinstance(self.agent, CompiledAgent) else _TimedAgent(self.agent)
        table = make_table(self.protocol, job.table, timed or self.agent, self.opponents)
        if isinstance(self.agent, SubprocessAgent):
            self.agent.facts = {"players": place.num_players, "variant": place.variant, "options": table.options}
        first, games = job.first * place.num_players, job.deals * place.num_players
        step = 1 if plays_one_at_a_time(self.agent) else max(games, 1)
        wins, moves = "", []
        for number in range(0, max(games, 1), step):
            won, actions = self._play(table, timed, first + number, min(step, games))
            wins += won
            moves += actions
        return Played(wins, tuple(moves), timed.sample() if timed is not None else ())

    def _play(self, table: Table, timed: _TimedAgent | None, first: int, games: int) -> tuple[str, list[str]]:
        if timed is not None:
            timed.begin(table.seed, first)
        try:
            played = table.moves(first, games)
        except Exception as error:
            if timed is not None:
                which = f"game {first}" if games == 1 else f"games {first} .. {first + games - 1}"
                opponents = in_short([table.agents[number].name for number in table.lineups[0][1:]])
                where = f"a table of {table.num_players} against {opponents}"
                error.add_note(f"{where}, {which}, after {timed.moves} of its moves")
            raise
        wins = wins_of(played.winners, table.schedule(first, games)[1])
        if isinstance(self.agent, SubprocessAgent) and games:
            self.agent.finish(float(shares_of_deals(wins, 1)[0]))
        each = np.split(played.actions, np.cumsum(played.lengths)[:-1]) if games else []
        size = get_game(table.game).num_actions
        return wins, [encode_actions(actions, size) for actions in each]


class _TimedAgent:
    """An agent that is not compiled, with the times of its moves."""

    def __init__(self, agent: Agent) -> None:
        self._agent, self.name, self.recalls = agent, agent.name, recalls(agent)
        if hasattr(agent, "hear"):
            self.hear = agent.hear
        self.moves = 0
        """Number of moves since `begin`."""
        self._times: list[float] = []
        self._seed = 0

    def begin(self, seed: int, first: int) -> None:
        """Set the agent's seed for the games from ``first``: unlike that of the deal, it reveals no cards."""
        self._seed = int.from_bytes(hashlib.sha256(f"{seed} {first}".encode()).digest()[:4])
        self.moves = 0

    def reset(self, _: int | None = None) -> None:
        self._agent.reset(self._seed)

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        return self._agent.act(observation)

    def act_batch(
        self, observations: npt.NDArray[Any], masks: npt.NDArray[Any], *recalled: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """As the agent; the time of a batch is divided among its moves."""
        begun = time.perf_counter()
        actions = self._agent.act_batch(observations, masks, *recalled)
        self._times += [(time.perf_counter() - begun) / len(masks)] * len(masks)
        self.moves += len(masks)
        return actions

    def sample(self) -> tuple[float, ...]:
        every = -(-len(self._times) // _SAMPLED) or 1
        return tuple(round(1e6 * seconds, 1) for seconds in self._times[::every])


def wins_of(winners: npt.NDArray[np.bool_], seats: npt.NDArray[np.int64]) -> str:
    """What agent 0 won in each game (`DIGITS`), of winners and seats of agents, both (N, num_players)."""
    counts = np.where((winners & (seats == 0)).any(axis=1), winners.sum(axis=1), 0)
    return "".join(DIGITS[count] for count in counts)


def make_table(protocol: Protocol, number: int, agent: Agent, opponents: Mapping[str, Agent] | None = None) -> Table:
    """The protocol's table at an index, with the scored agent as agent 0.

    ``opponents``: the agents by the names that the protocol gives them; by default those that are installed.
    """
    place = protocol.tables[number]
    names = list(dict.fromkeys(place.opponents))
    options = get_game(protocol.game).check_options(place.num_players, place.variant, protocol.options)
    return Table(
        protocol.game,
        place.variant,
        place.num_players,
        options,
        (agent, *(_opponent(name, protocol.game) if opponents is None else opponents[name] for name in names)),
        ((0, *(1 + names.index(name) for name in place.opponents)),),
        protocol.seed + number,
        duplicate=True,
    )


@cache
def _opponent(name: str, game: str) -> Agent:
    """An opponent, which is compiled and therefore keeps nothing from game to game."""
    return make_compiled_agent(name, game)


def time_moves(protocol: Protocol, agent: CompiledAgent) -> tuple[float, ...]:
    """Microseconds of single calls of ``act`` of a compiled agent, which batches of compiled agents do not make."""
    make_table(protocol, 0, _TimedAgent(agent)).play(0, 1)  # compiles
    timed = _TimedAgent(agent)
    table = make_table(protocol, 0, timed)
    for game in count(1):
        table.play(game, 1)
        if timed.moves >= _TIMED_MOVES:
            break
    return timed.sample()


# ---------------------------------------------------------------- statistics


def calibrate(protocol: Protocol, results: Mapping[str, Sequence[Floats]]) -> Protocol:
    """The protocol with references from the deals (see `deals_of`) of `ZERO` and of the protocol's champion.

    Tables at which the two do not differ clearly are left out, since they cannot tell agents apart. Raises `ValueError`
    if none is left.
    """
    found = {
        name: [_win_rate(protocol, number, shares) for number, shares in enumerate(deals)]
        for name, deals in results.items()
    }
    rates = {name: [Rate(each.mean, (each.high - each.low) / 2 / Z) for each in own] for name, own in found.items()}
    zero, hundred = rates[ZERO], rates[protocol.hundred]
    clear = [
        number
        for number, (low, high) in enumerate(zip(zero, hundred, strict=True))
        if high.win_rate - low.win_rate > _CLEAR * np.hypot(low.error, high.error)
    ]
    if not clear:
        raise ValueError(f"{protocol.hundred!r} is nowhere clearly better than {ZERO!r}, so there is no scale")
    return replace(
        protocol,
        tables=tuple(protocol.tables[number] for number in clear),
        references={name: tuple(own[number] for number in clear) for name, own in rates.items()},
    )


def measure_references(protocol: Protocol, games: int, threads: int | None, progress: Progress) -> Protocol:
    """The protocol calibrated with this many games per table, of other deals than those of scores."""
    other = replace(protocol, seed=protocol.seed + _REFERENCE_SEED, games={_REFERENCE: games})
    todo = jobs(other, _REFERENCE)
    results: dict[str, list[Floats]] = {}
    for name in (ZERO, protocol.hundred):
        of_jobs: Results = {}
        for job, played in play_protocol(other, make_agent(name, protocol.game), todo, threads):
            of_jobs[job] = played._replace(moves=())
            progress(games_of(other, [job]))
        results[name] = deals_of(other, of_jobs)
    return replace(calibrate(protocol, results), reference_games=games)


def deals_of(protocol: Protocol, results: Results) -> list[Floats]:
    """The agent's share of the win in each deal of each table."""
    wins = wins_by_table(protocol, results)
    return [shares_of_deals(won, table.num_players) for won, table in zip(wins, protocol.tables, strict=True)]


def wins_by_table(protocol: Protocol, results: Results) -> list[str]:
    """What the agent won in each game of each table, see `DIGITS`."""
    ordered = sorted(results)
    return [
        "".join(results[job].wins for job in ordered if job.table == number) for number in range(len(protocol.tables))
    ]


def shares_of_deals(wins: str, players: int) -> Floats:
    """The mean share of the win in each deal, of what was won in each of its games, one for each player."""
    counts = np.array([DIGITS.index(each) for each in wins], np.float64)
    shares = np.divide(1, counts, out=np.zeros_like(counts), where=counts > 0)
    means: Floats = shares.reshape(-1, players).mean(axis=1)
    return means


def score(protocol: Protocol, deals: Sequence[Floats]) -> ScoreResult:
    """The score from the agent's share of the win in each deal of each table (see `deals_of`)."""
    tables = tuple(_score_table(protocol, number, shares) for number, shares in enumerate(deals))
    mean = float(np.mean([each.score.mean for each in tables]))
    below = [each.score.mean - each.score.low for each in tables]
    above = [each.score.high - each.score.mean for each in tables]
    return ScoreResult(
        Estimate(mean, mean - math.hypot(*below) / len(tables), mean + math.hypot(*above) / len(tables)),
        tables,
        sum(each.games for each in tables),
        sum(map(len, deals)),
    )


def _score_table(protocol: Protocol, number: int, shares: Floats) -> TableScore:
    place, own = protocol.tables[number], _win_rate(protocol, number, shares)
    zero, hundred = (protocol.references[name][number] for name in (ZERO, protocol.hundred))
    span = hundred.win_rate - zero.win_rate
    at = (own.mean - zero.win_rate) / span
    # To first order, from the independent errors of all three win rates.
    references = (Z * (1 - at) * zero.error, Z * at * hundred.error)
    below, above = (math.hypot(half, *references) / span for half in (own.mean - own.low, own.high - own.mean))
    return TableScore(
        place.num_players,
        place.variant,
        place.against,
        len(shares) * place.num_players,
        own,
        1 / place.num_players,
        Estimate(100 * at, 100 * (at - below), 100 * (at + above)),
    )


def _win_rate(protocol: Protocol, number: int, shares: Floats) -> Estimate:
    mean, deals = float(shares.mean()), len(shares)
    games = deals * protocol.tables[number].num_players
    return Estimate(mean, *of_deals(mean, shares / deals, np.zeros(deals, np.int64), games))

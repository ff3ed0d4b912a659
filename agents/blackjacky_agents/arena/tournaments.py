"""Tournaments: line-ups of agents at tables of one size, with duplicate deals.

A *deal* belongs to one line-up, whose agents are seated in random order. As in duplicate bridge, the deal is played
once per seat with the same game key, and the agents rotate by one seat each time, so that neither cards nor seats
favour any agent. Deals are independent of each other, the games of one deal are not; confidence intervals
(`blackjacky_agents.arena.standings`) are therefore based on deals.

Duplicate deals reduce the variance between agents of similar strength, because an advantage by cards goes to each in
turn. For agents of different strength, a deal that rewards skill does so in all of its games, and the same number of
games with independent cards (``duplicate=False``) is more informative.

Random choices of a compiled agent depend on the game key and the number of the decision, as in `play_out`. The games of
a deal share these random numbers as well; this does not bias means, because each single game has the usual
distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, check_plays
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.fixture import Failures, Lineup, LineupFixture, Results, count_failures, join
from blackjacky_agents.arena.results_file import JsonLine, ResultsFile, describe
from blackjacky_agents.arena.standings import PlayedDeals, stopping_widths
from blackjacky_agents.arena.workers import open_jobs
from blackjacky_agents.registry import make_agent
from blackjacky_env.checks import check_choice, check_flag, check_integer
from blackjacky_env.compiled import check_threads
from blackjacky_env.declare import IllegalActionError
from blackjacky_env.envs import MAX_SEED, TableEnv
from blackjacky_env.games import DEFAULT

MAX_GAMES = 2**40
ON_FAILURE = ("stop", "lose")

_GROWTH = 1.2  # factor on the number of games between two checks of the interval widths
_FIRST_CHECK = 100  # deals

# ---------------------------------------------------------------- line-ups


def mixed_lineups(agents: int, num_players: int) -> list[Lineup]:
    """Balanced line-ups, in which the numbers of copies of any two agents differ by at most one.

    With at least as many agents as seats, these are all combinations of different agents. With fewer, every agent gets
    the same number of seats and each combination of agents takes the remaining ones: two agents at a table of four have
    two copies each; of three agents, each in turn has two copies.
    """
    copies, left = divmod(num_players, agents)
    everybody = tuple(range(agents)) * copies
    return [tuple(sorted(everybody + more)) for more in combinations(range(agents), left)]


def copies_lineups(agents: int, num_players: int) -> list[Lineup]:
    """Every agent against copies of every other agent."""
    return [(one, *[other] * (num_players - 1)) for one, other in permutations(range(agents), 2)]


LINEUPS = {"mixed": mixed_lineups, "copies": copies_lineups}


def _find_lineups(lineups: str | Sequence[Sequence[str]], names: Sequence[str], num_players: int) -> tuple[Lineup, ...]:
    if isinstance(lineups, str):
        return tuple(LINEUPS[check_choice("lineups", lineups, LINEUPS)](len(names), num_players))
    for lineup in lineups or [()]:
        if len(lineup) != num_players or not set(lineup) <= set(names):
            raise ValueError(
                f"line-up {list(lineup)} does not have num_players={num_players} of the agents: {', '.join(names)}"
            )
    return tuple(tuple(names.index(name) for name in lineup) for lineup in lineups)


# ---------------------------------------------------------------- tournaments


class Tournament:
    """A tournament between line-ups of agents at one table size, with duplicate deals.

    Examples:
        >>> from blackjacky_agents.arena.tournaments import Tournament
        >>> tournament = Tournament(["random", "threshold", "trickster"], num_players=3)
        >>> tournament.play(games=300)
        >>> tournament.games().shares.shape  # deals, turns, seats
        (100, 3, 3)

    Args:
        agents: names or agents with distinct names, 2 or more unless ``lineups`` is a list.
        num_players: table size, the game's usual one by default.
        lineups: ``"mixed"`` (`mixed_lineups`), ``"copies"`` (`copies_lineups`), or a list of line-ups, each a list of
            as many names as there are players.
        seed: 0 .. 2**63 - 1; determines every game together with the game's number.
        results: `ResultsFile` (``.jsonl``) to which every game is appended. If it exists, the tournament is resumed.
            None: results are not written.
        duplicate: whether all games of a deal have the same cards; if not, only the seats rotate.
        variant: name of the variant, the game's first by default.
        game: name of the game.
        rule_options: the game's own options.

    Raises:
        TypeError, ValueError: an agent or option is unknown or invalid; the file has another setup (the message names
            the first difference) or is damaged (it names the line). A truncated last line is dropped.
    """

    def __init__(
        self,
        agents: Sequence[str | Agent],
        num_players: int | None = None,
        lineups: str | Sequence[Sequence[str]] = "mixed",
        seed: int = 0,
        results: Path | None = None,
        duplicate: bool = True,
        variant: str | None = None,
        game: str = DEFAULT,
        **rule_options: Any,
    ) -> None:
        env = TableEnv(game, num_players, variant, **rule_options)  # checks the options
        found = tuple(_find_agent(agent, game) for agent in agents)
        names = tuple(agent.name for agent in found)
        if len(names) < (2 if isinstance(lineups, str) else 1):
            raise ValueError(f"agents={list(names)} are too few; a tournament needs at least 2")
        if len(set(names)) < len(names):
            raise ValueError(f"agents={list(names)} are not all different; copies belong in line-ups")
        self.names = names
        self.fixture = LineupFixture(
            game,
            env.variant,
            env.num_players,
            env.options,
            found,
            check_integer("seed", seed, 0, MAX_SEED),
            _find_lineups(lineups, names, env.num_players),
            check_flag("duplicate", duplicate),
        )
        self.seconds = 0.0
        """Wall time that this object has spent playing; no part of the results."""
        self.played = 0
        """Number of games played so far."""
        self._results = [self.fixture.read([])]
        self._file = None if results is None else ResultsFile(Path(results), describe(self.fixture))
        if self._file is not None:
            self._read(self._file.read())

    @property
    def cycle(self) -> int:
        """Number of games in one deal of every line-up."""
        return len(self.fixture.lineups) * self.fixture.num_players

    def play(
        self,
        games: int,
        until: float | None = None,
        threads: int | None = None,
        progress: Callable[[int], object] = lambda played: None,
        cluster: ClusterExecutor | None = None,
        on_failure: str = "stop",
    ) -> None:
        """Play until the total number of games is reached, or until the intervals are narrow enough.

        Args:
            games: total number of games, including those in the file; rounded up to complete deals of every line-up.
            until: stop when the 95 % interval of every agent's win rate has at most this width. Widths are checked
                after 100 deals and then whenever the number of games has grown by a fifth, so that the number of games
                depends on the seed alone. See `standings.stopping_widths`.
            threads: number of cores; None: all. Compiled agents play on threads, other agents in processes, to which
                they are pickled. Games of compiled agents do not depend on it.
            progress: called with the number of games played whenever it has increased.
            cluster: plays the games instead of this machine, with the same results.
            on_failure: an agent that raises, is late or chooses illegally ends everything with that
                error (``"stop"``), or loses that game, which all others win (``"lose"``, see `count_failures`).

        Raises:
            TypeError, ValueError: an argument is out of range, or an agent cannot be pickled or copied.
            FolderInUseError: another process is playing into the folder of the results.
            IllegalActionError: an agent chose an illegal action; all earlier games are kept.
            ClusterError: the cluster was lost; all earlier games are kept.
        """
        cores = check_threads(threads)
        last = -(-check_integer("games", games, 1, MAX_GAMES) // self.cycle) * self.cycle
        if until is not None and not 0 < until < 1:
            raise ValueError(f"until={until!r} is out of range; allowed are widths above 0 and below 1")
        lose = check_choice("on_failure", on_failure, ON_FAILURE) == "lose"
        with self._writing(), open_jobs(self.fixture, not self.fixture.compiled, cores, cluster, lose) as jobs:
            for target in self._checkpoints(last) if until is not None else [last]:
                for results, seconds in jobs.play(self.played, target):
                    self._keep(results, seconds)
                    progress(self.played)
                if until is not None and stopping_widths(self.games(target)).max() <= until:
                    return

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Context in which games are played: nobody else appends to the file, and those in it are known."""
        if self._file is None:
            yield
            return
        with self._file.writing() as found:
            if found is not None:  # another process has played since the file was read
                self._read(found)
            yield

    def _read(self, lines: Sequence[JsonLine]) -> None:
        """Take the games of the file in place of those known."""
        assert self._file is not None
        try:
            self._results = [self.fixture.read(lines)]
            self.played = len(lines)
        except ValueError as error:
            raise ValueError(f"{self._file.path}, {error}; the file is damaged or was modified") from None

    def games(self, count: int | None = None) -> PlayedDeals:
        """The complete deals among the first ``count`` games (all by default)."""
        fixture, results = self.fixture, self._joined()
        players = fixture.num_players
        deals = (self.played if count is None else min(count, self.played)) // players
        part = slice(deals * players)
        shape = (deals, players, players)
        return PlayedDeals(
            self.names,
            np.array(fixture.lineups, np.int64),
            fixture.schedule(0, deals * players)[1].reshape(shape),
            results.winners[part].reshape(shape),
            results.scores[part].astype(np.int64).reshape(shape),
        )

    @property
    def failures(self) -> npt.NDArray[np.int8]:
        """How each seat failed in the games played so far, as `Results.failures`, (N, num_players)."""
        return self._joined().failures

    def count_failures(self) -> Failures:
        """How often agents have failed in the games played so far; those that never have are left out."""
        seats = self.fixture.schedule(0, self.played if self.failures.any() else 0)[1]
        return count_failures(self.failures[: len(seats)], seats, self.names)

    def replay(self, number: int) -> dict[str, Any]:
        """Replay game ``number`` (from 0) and return its record, as ``env.record()``; it ends where an agent failed.

        Raises `ValueError` if there is no such game, or if its result differs from the recorded one.
        """
        number = check_integer("game", number, 0, max(self.played - 1, 0))
        if not self.played:
            raise ValueError("no game has been played yet")
        env = self.fixture.env()
        env.reset(seed=int(self.fixture.schedule(number, 1)[0][0]))
        try:
            for action in self.moves(number).tolist():
                env.step(action)
        except IllegalActionError as error:
            raise ValueError(f"game {number} cannot be replayed: {error}") from error
        is_over, winners = all(env.terminations.values()), np.flatnonzero(self._joined().winners[number]).tolist()
        if self.failures[number].any():
            as_recorded = not is_over and env.agent_selection == env.possible_agents[self.failures[number].argmax()]
        else:
            as_recorded = is_over and env.snapshot()["winners"] == winners
        if not as_recorded:
            raise ValueError(f"game {number} ends differently than recorded: its results or this version have changed")
        return env.record()

    def moves(self, number: int) -> npt.NDArray[np.uint16]:
        """All actions of a game that was played."""
        if self.fixture.compiled:
            return self.fixture.play(number, 1, lose=bool(self.failures[number].any())).actions
        return self._joined().part(slice(number, number + 1)).actions

    def _checkpoints(self, last: int) -> Iterator[int]:
        """Numbers of games after which the interval widths are checked."""
        cycles = max(2, -(-_FIRST_CHECK // len(self.fixture.lineups)))
        while cycles * self.cycle < last:
            yield cycles * self.cycle
            cycles = max(cycles + 1, int(cycles * _GROWTH))
        yield last

    def _keep(self, results: Results, seconds: float) -> None:
        self.seconds += seconds
        if self._file is not None:
            self._file.append(self.fixture.lines(self.played, results))
        self._results.append(results)
        self.played += len(results.winners)

    def _joined(self) -> Results:
        self._results = [join(self._results)] if len(self._results) > 1 else self._results
        return self._results[0]


def _find_agent(agent: str | Agent, game: str) -> Agent:
    if isinstance(agent, str):
        return make_agent(agent, game)
    for name in ("name", "reset", "act_batch"):
        if not hasattr(agent, name):
            raise TypeError(f"agent {agent!r} has no {name}; agents have name, reset and act_batch, see Agent")
    check_plays(agent, agent.name, game)
    return agent

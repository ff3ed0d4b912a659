"""The games of a tournament: the schedule of seeds and seats, and playing them."""

from __future__ import annotations

import base64
import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import FAILURES, Agent, CompiledAgent, failure_of, recalls, secret_seed
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_agents.intervals import Integers
from blackjacky_env.compiled import PythonPolicy, entry, random, zeros
from blackjacky_env.compiled.purposes import FOR_DEALS, FOR_SEATS
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.play import FailedGames, play_out

Lineup = tuple[int, ...]
"""Indices of the agents at a table, one per seat, in no particular order."""
Failures = dict[str, Counter[str]]
"""How often agents have failed, by name and kind (`FAILURES`)."""


@cache
def _schedule_function() -> Callable[..., None]:
    """Entry (seed, lineups (L, n), duplicate, first, seeds (N,), seats (N, n)): fill in games ``first`` onwards."""
    stream, draw, game_key, shuffle = random.stream, random.draw, random.game_key, random.shuffle

    def schedule(seed, lineups, duplicate, first, seeds, seats):  # type: ignore[no-untyped-def]  # compiled
        players = lineups.shape[1]
        order = np.empty(players, np.int64)
        for i in range(len(seeds)):
            deal, turn = (first + i) // players, (first + i) % players
            order[:] = lineups[deal % len(lineups)]
            shuffle(order, players, stream(game_key(seed), FOR_SEATS, deal, 0))
            # With copies, rotations repeat a seating within the deal; a new key avoids playing the same game twice.
            period = 1
            while duplicate and (players % period != 0 or not np.array_equal(order, np.roll(order, period))):
                period += 1
            seeds[i] = draw(stream(game_key(seed), FOR_DEALS, deal, turn // period), 0) >> np.uint64(1)
            for seat in range(players):
                seats[i, (seat + turn) % players] = order[seat]

    return entry(schedule)


class Results(NamedTuple):
    """Results of N games, in the order of their numbers; `Fixture.schedule` has their seeds and seats."""

    winners: npt.NDArray[np.bool_]
    """Whether each seat won, shape (N, num_players)."""
    scores: npt.NDArray[np.int32]
    """Final score (hearts or points), shape (N, num_players)."""
    lengths: npt.NDArray[np.int32]
    """Number of actions of each game, 0 if they are not kept, shape (N,)."""
    actions: npt.NDArray[np.uint16]
    """The actions of all games, one game after the other, shape (sum of lengths,)."""
    failures: npt.NDArray[np.int8]
    """How each seat failed, shape (N, num_players): 0, it did not, or 1 + an index in `FAILURES`.

    The game ended there; all others have won it, and the score of who failed is the lowest at the table.
    """

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where the actions of each game begin, and the number of all, shape (N + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    def part(self, wanted: slice) -> Results:
        """Some of the games, in their order."""
        first, last, _ = wanted.indices(len(self.lengths))
        starts = self.starts
        actions = self.actions[starts[first] : starts[last]]
        return Results(self.winners[wanted], self.scores[wanted], self.lengths[wanted], actions, self.failures[wanted])


def join(parts: Sequence[Results]) -> Results:
    """Concatenate at least one part."""
    return Results._make(map(np.concatenate, zip(*parts, strict=True)))


@dataclass(frozen=True)
class Fixture:
    """Everything that determines numbered games of one table size; can be pickled if its agents can."""

    game: str
    variant: str
    num_players: int
    options: dict[str, Any]
    agents: tuple[Agent, ...]
    seed: int

    @property
    def compiled(self) -> bool:
        """Whether all agents are compiled."""
        return all(isinstance(agent, CompiledAgent) for agent in self.agents)

    @property
    def score(self) -> str:
        """What scores are called."""
        return get_game(self.game).score_reward

    def env(self) -> TableEnv:
        """An environment for one game."""
        return TableEnv(self.game, self.num_players, self.variant, **self.options)

    def schedule(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Seeds (count,) and seats (count, num_players) of the games ``first`` .. ``first + count - 1``."""
        raise NotImplementedError

    def begin(self, seats: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """States with options written, (N,), and the agent in each seat, (N, max_players), of N games."""
        game = get_game(self.game)
        states, seating = zeros(len(seats), game.state_dtype), np.zeros((len(seats), game.max_players), np.int64)
        states[:] = game.new_state(self.num_players, self.variant, self.options)
        seating[:, : self.num_players] = seats
        return states, seating

    def play(self, first: int, count: int, keep: bool = True, lose: bool = False) -> Results:
        """Play games ``first`` .. ``first + count - 1``; `IllegalActionError` names the agent that chose the action.

        Agents that are not compiled are reseeded before, with numbers that reveal no cards; each seat has an instance
        of its own. ``keep``: the actions. ``lose``: an agent loses the games in which it fails.
        """
        winners, scores, log, lengths, failures = self._play(first, *self.schedule(first, count), lose)
        if not keep:
            log, lengths = log[:, :0], np.zeros_like(lengths)
        actions = log[np.arange(log.shape[1]) < lengths[:, None]].astype(np.uint16)
        return Results(winners, scores.astype(np.int32), lengths.astype(np.int32), actions, failures)

    def lines(self, first: int, results: Results) -> Iterator[str]:
        """Games, numbered from ``first``, as JSON.

        A template is several times as fast as `json`, and a cluster waits for nothing else.
        """
        seats = range(self.num_players)
        integers, name = ",".join("%d" for _ in seats), json.dumps(self.score).replace("%", "%%")
        actions = "" if self.compiled else ',"actions":"%s"'
        template = f'{{"game":%d,"seed":%d,"seats":[{integers}],"winners":[%s],{name}:[{integers}]{actions}%s}}'
        sets = (results.winners @ (1 << np.arange(len(seats)))).tolist()  # of winners, as bits
        winners = {bits: ",".join(str(seat) for seat in seats if bits >> seat & 1) for bits in set(sets)}
        seeds, seated = self.schedule(first, len(sets))
        columns = [range(first, first + len(sets)), seeds.tolist(), *seated.T.tolist()]
        columns += [[winners[bits] for bits in sets], *results.scores.T.tolist()]
        if not self.compiled:
            size = get_game(self.game).num_actions
            each = np.split(results.actions, results.starts[1:-1]) if sets else []
            columns.append([encode_actions(own, size) for own in each])
        columns.append([""] * len(sets))
        for game, seat in np.argwhere(results.failures).tolist():
            failed = {"seat": seat, "kind": FAILURES[results.failures[game, seat] - 1]}
            columns[-1][game] = f',"failed":{json.dumps(failed)}'
        return (template % cells for cells in zip(*columns, strict=True))

    def read(self, lines: Sequence[Mapping[str, Any]]) -> Results:
        """The games in `lines`, from number 0 on; `ValueError` names the line that cannot be that game's."""
        shape, size = (len(lines), self.num_players), get_game(self.game).num_actions
        winners, scores, kept = np.zeros(shape, np.bool_), np.zeros(shape, np.int32), [np.zeros(0, np.uint16)]
        failures = np.zeros(shape, np.int8)
        for number, line in enumerate(lines):
            try:
                winners[number, line["winners"]] = True
                scores[number] = line[self.score]
                if not self.compiled:
                    kept.append(np.array(decode_actions(line["actions"], size), np.uint16))
                if failed := line.get("failed"):
                    failures[number, failed["seat"]] = 1 + FAILURES.index(failed["kind"])
            except (LookupError, TypeError, ValueError, OverflowError) as error:
                raise ValueError(f"line {number + 2}: it is not game {number}: {error!r}") from None
        lengths = [len(own) for own in kept[1:]] or [0] * len(lines)
        results = Results(winners, scores, np.array(lengths, np.int32), np.concatenate(kept), failures)
        for number, (line, own) in enumerate(zip(lines, self.lines(0, results), strict=True)):
            if json.loads(own) != line:
                raise ValueError(f"line {number + 2}: it is not game {number}")
        return results

    def _play(self, first: int, seeds: Integers, seats: Integers, lose: bool) -> tuple[Any, ...]:
        game, (states, seating), own = get_game(self.game), self.begin(seats), slice(self.num_players)
        cast, seating[:, own] = self._cast(seats)
        failed: FailedGames | None = {} if lose else None
        try:
            policies = [
                self._policy(agent, f"{self.seed} {first} {key}", seeds, seating[:, own] == place, failed)
                for place, (key, agent) in enumerate(cast.items())
            ]
            played = play_out(game, states, seeds, seating, policies, failed=failed)
        except Exception as error:
            games = f"game {first}" if len(seeds) == 1 else f"games {first} .. {first + len(seeds) - 1}"
            error.add_note(f"{games} at a table of {self.num_players}")
            raise
        winners, scores = states["winners"][:, own] > 0, played.scores[:, own]
        failures = np.zeros(seats.shape, np.int8)
        for number, (seat, why) in (failed or {}).items():
            failures[number, seat] = 1 + FAILURES.index(failure_of(why))
            winners[number] = np.arange(self.num_players) != seat
            scores[number, seat] = scores[number].min()
        for seat in range(self.num_players if len(seeds) == 1 else 0):
            program = [*cast.values()][seating[0, seat]]
            if isinstance(program, SubprocessAgent) and not failures[0, seat]:
                program.finish(float(winners[0, seat] / max(winners[0].sum(), 1)))
        return winners, scores, played.log, played.decisions, failures

    @cached_property
    def _copies(self) -> dict[str, Agent]:
        return {}

    def _cast(self, seats: Integers) -> tuple[dict[str, Agent], Integers]:
        """Agents by a key for their seed, and which of them plays each seat, (N, num_players).

        Those that are not compiled may remember their hands, so that each of their seats has a copy, the first aside.
        """
        earlier = (seats[:, :, None] == seats[:, None, :]) & np.tri(self.num_players, k=-1, dtype=np.bool_)
        outside = np.array([not isinstance(agent, CompiledAgent) for agent in self.agents])
        turns, places = earlier.sum(axis=2) * outside[seats], seats.copy()
        cast = {str(number): agent for number, agent in enumerate(self.agents)}
        for number, turn in sorted({*zip(seats[turns > 0].tolist(), turns[turns > 0].tolist(), strict=True)}):
            if (key := f"{number} {turn}") not in self._copies:
                self._copies[key] = copy.deepcopy(self.agents[number])
            places[(seats == number) & (turns == turn)] = len(cast)
            cast[key] = self._copies[key]
        return cast, places

    def _policy(
        self, agent: Agent, key: str, seeds: Integers, holds: npt.NDArray[np.bool_], failed: FailedGames | None
    ) -> CompiledAgent | PythonPolicy:
        """What plays the seats that an agent ``holds`` in games with these seeds; one that is not compiled is reset."""
        if isinstance(agent, CompiledAgent):
            return agent
        if isinstance(agent, SubprocessAgent):
            agent.facts = {"players": self.num_players, "variant": self.variant, "options": self.options}
        try:
            if holds.any():
                agent.reset(secret_seed(key))
        except Exception as error:
            if failed is None:
                raise
            failed |= {game: (seat, error) for game, seat in np.argwhere(holds).tolist()}
        return PythonPolicy(agent.name, agent.act_batch, self._teller(agent, seeds), recalls(agent))

    def _teller(self, agent: Agent, seeds: Integers) -> Callable[[int, npt.NDArray[np.int16]], None] | None:
        """What tells an agent that can ``hear`` what the player to act in a game has heard; None for other agents."""
        hear = getattr(agent, "hear", None)
        if hear is None:
            return None
        env = self.env()

        def tell(game: int, actions: npt.NDArray[np.int16]) -> None:
            env.reset(seed=int(seeds[game]))
            for action in actions:
                env.step(int(action))
            hear(env.events(env.agent_selection))

        return tell


@dataclass(frozen=True)
class LineupFixture(Fixture):
    """The games of a tournament: deals of line-ups, in drawn seats; with ``duplicate`` every seat plays each deal."""

    lineups: tuple[Lineup, ...]
    duplicate: bool

    def schedule(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Deal after deal, in as many turns as there are seats, or in one."""
        seeds, seats = np.zeros(count, np.int64), np.zeros((count, self.num_players), np.int64)
        _schedule_function()(self.seed, np.array(self.lineups, np.int64), self.duplicate, first, seeds, seats)
        return seeds, seats


def count_failures(failures: npt.NDArray[np.int8], seats: Integers, names: Sequence[str]) -> Failures:
    """Count `Results.failures`; ``seats`` (N, num_players): the agent in each seat, an index in ``names``."""
    counted = Failures()
    for agent, kind in zip(seats[failures > 0].tolist(), failures[failures > 0].tolist(), strict=True):
        counted.setdefault(names[agent], Counter())[FAILURES[kind - 1]] += 1
    return counted


def encode_actions(actions: npt.NDArray[Any], num_actions: int) -> str:
    """Encode actions as base64 text, with one byte per action, or two for games with more than 256 actions."""
    return base64.b64encode(actions.astype(_code(num_actions)).tobytes()).decode()


def decode_actions(text: str, num_actions: int) -> list[int]:
    """Decode the text of `encode_actions`; `ValueError` if it is invalid."""
    actions: list[int] = np.frombuffer(base64.b64decode(text, validate=True), _code(num_actions)).tolist()
    return actions


def _code(num_actions: int) -> str:
    return "u1" if num_actions <= 256 else "<u2"

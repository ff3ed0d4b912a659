"""The games of a tournament: the schedule of seeds and seats, and playing them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, recalls
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_env.compiled import CompiledPolicy, PythonPolicy, entry, random, zeros
from blackjacky_env.compiled.purposes import FOR_DEALS, FOR_SEATS
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.play import play_logged

Lineup = tuple[int, ...]
"""Indices of the agents at a table, one per seat, in no particular order."""


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


class Rows(NamedTuple):
    """Results of games, in the order of their numbers."""

    seeds: npt.NDArray[np.int64]
    """Seed of each game for ``reset``, shape (N,)."""
    seats: npt.NDArray[np.int64]
    """Index of the agent in each seat, shape (N, num_players)."""
    winners: npt.NDArray[np.bool_]
    """Whether each seat won, shape (N, num_players)."""
    scores: npt.NDArray[np.int64]
    """Final score (hearts or points), shape (N, num_players)."""
    actions: list[str]
    """Actions of each game, encoded by `encode_actions`; empty if all agents are compiled."""

    def part(self, wanted: slice) -> Rows:
        """Some of the games."""
        return Rows._make(column[wanted] for column in self)

    def narrow(self) -> Rows:
        """The same games in as few bytes as their numbers need, to be sent elsewhere."""
        return self._replace(seats=_narrow(self.seats), scores=_narrow(self.scores))

    def wide(self) -> Rows:
        """The games as they were before `narrow`."""
        return self._replace(seats=self.seats.astype(np.int64), scores=self.scores.astype(np.int64))

    def lines(self, first: int, score: str) -> Iterator[str]:
        """The games, numbered from ``first``, as JSON; ``score``: the name of the scores.

        A template is several times as fast as `json`, and a cluster waits for nothing else.
        """
        seats = range(self.seats.shape[1])
        integers, name = ",".join("%d" for _ in seats), json.dumps(score).replace("%", "%%")
        actions = ',"actions":"%s"' if self.actions else ""
        template = f'{{"game":%d,"seed":%d,"seats":[{integers}],"winners":[%s],{name}:[{integers}]{actions}}}'
        sets = (self.winners @ (1 << np.arange(len(seats)))).tolist()  # of winners, as bits
        winners = {bits: ",".join(str(seat) for seat in seats if bits >> seat & 1) for bits in set(sets)}
        columns = [range(first, first + len(self.seeds)), self.seeds.tolist(), *self.seats.T.tolist()]
        columns += [[winners[bits] for bits in sets], *self.scores.T.tolist()]
        return (template % cells for cells in zip(*columns, *([self.actions] if self.actions else []), strict=True))


class Moves(NamedTuple):
    """Results and moves of N games."""

    winners: npt.NDArray[np.bool_]
    """Whether each seat won, shape (N, num_players)."""
    scores: npt.NDArray[np.int32]
    """Final score (hearts or points), shape (N, num_players)."""
    lengths: npt.NDArray[np.int32]
    """Number of decisions of each game, shape (N,)."""
    actions: npt.NDArray[np.uint16]
    """The actions of all games, one game after the other, shape (sum of lengths,)."""

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where the actions of each game begin, and the number of all, shape (N + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    @property
    def each(self) -> list[npt.NDArray[np.uint16]]:
        """The actions of each game."""
        return np.split(self.actions, self.starts[1:-1]) if len(self.lengths) else []

    def part(self, wanted: slice) -> Moves:
        """Some of the games, in their order."""
        first, last, _ = wanted.indices(len(self.lengths))
        starts = self.starts
        actions = self.actions[starts[first] : starts[last]]
        return Moves(self.winners[wanted], self.scores[wanted], self.lengths[wanted], actions)


def _narrow(numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    bounds = (int(numbers.min(initial=0)), int(numbers.max(initial=0)))
    return numbers.astype(np.result_type(*map(np.min_scalar_type, bounds)))


def join(parts: Sequence[Rows], players: int) -> Rows:
    """Concatenate parts."""
    empty = np.zeros((0, players), np.int64)
    *columns, actions = zip(Rows(np.zeros(0, np.int64), empty, empty > 0, empty, []), *parts, strict=True)
    return Rows._make([*map(np.concatenate, columns), [text for each in actions for text in each]])


def join_moves(parts: Sequence[Moves]) -> Moves:
    """Concatenate at least one part."""
    return Moves._make(map(np.concatenate, zip(*parts, strict=True)))


@dataclass(frozen=True)
class Table:
    """Everything that determines the games of a tournament; can be pickled if its agents can."""

    game: str
    variant: str
    num_players: int
    options: dict[str, Any]
    agents: tuple[Agent, ...]
    lineups: tuple[Lineup, ...]
    seed: int
    duplicate: bool

    @property
    def compiled(self) -> bool:
        """Whether all agents are compiled."""
        return all(isinstance(agent, CompiledAgent) for agent in self.agents)

    def env(self) -> TableEnv:
        """An environment for one game."""
        return TableEnv(self.game, self.num_players, self.variant, **self.options)

    def schedule(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Seeds (count,) and seats (count, num_players) of the games ``first`` .. ``first + count - 1``."""
        seeds, seats = np.zeros(count, np.int64), np.zeros((count, self.num_players), np.int64)
        _schedule_function()(self.seed, np.array(self.lineups, np.int64), self.duplicate, first, seeds, seats)
        return seeds, seats

    def begin(self, seats: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """States with options written, (N,), and the agent in each seat, (N, max_players), of N games."""
        game = get_game(self.game)
        states, seating = zeros(len(seats), game.state_dtype), np.zeros((len(seats), game.max_players), np.int64)
        states[:] = game.new_state(self.num_players, self.variant, self.options)
        seating[:, : self.num_players] = seats
        return states, seating

    def play(self, first: int, count: int) -> Rows:
        """Play games ``first`` .. ``first + count - 1``; `IllegalActionError` names the agent that chose the action.

        Agents that are not compiled are reseeded before, with numbers that reveal no cards.
        """
        seeds, seats = self.schedule(first, count)
        winners, scores, log, decisions = self._play(first, seeds, seats)
        actions: list[str] = []
        if not self.compiled:
            size = get_game(self.game).num_actions
            actions = [encode_actions(row[:count], size) for row, count in zip(log, decisions, strict=True)]
        return Rows(seeds, seats, winners, scores, actions)

    def moves(self, first: int, count: int) -> Moves:
        """Play as `play` does, and keep all moves."""
        winners, scores, log, decisions = self._play(first, *self.schedule(first, count))
        actions = log[np.arange(log.shape[1]) < decisions[:, None]]
        return Moves(winners, scores.astype(np.int32), decisions.astype(np.int32), actions.astype(np.uint16))

    def actions(self, number: int) -> str:
        """All actions of game ``number`` between compiled agents, encoded by `encode_actions`."""
        return encode_actions(self.moves(number, 1).actions, get_game(self.game).num_actions)

    def read(self, lines: Sequence[Mapping[str, Any]], score: str) -> Rows:
        """The games in `Rows.lines`, from number 0 on; `ValueError` names the line that cannot be that game's."""
        seeds, seats = self.schedule(0, len(lines))
        names = ["game", "seed", "seats", "winners", score, *([] if self.compiled else ["actions"])]
        winners = np.zeros(seats.shape, np.bool_)
        for number, line in enumerate(lines):
            facts = {"game": number, "seed": int(seeds[number]), "seats": seats[number].tolist()}
            won, scores = line.get("winners"), line.get(score)
            if list(line) != names or facts != {name: line[name] for name in facts}:
                raise ValueError(f"line {number + 2}: it does not hold {', '.join(names)} of game {number}")
            if not _are_integers(won) or won != sorted(set(won) & set(range(self.num_players))):
                raise ValueError(f"line {number + 2}: winners={won!r} are not seats in order")
            if not _are_integers(scores) or len(scores) != self.num_players:
                raise ValueError(f"line {number + 2}: {score}={scores!r} are not {self.num_players} integers")
            winners[number, won] = True
        scores = np.array([line[score] for line in lines], np.int64).reshape(seats.shape)
        return Rows(seeds, seats, winners, scores, [] if self.compiled else [line["actions"] for line in lines])

    def _play(self, first: int, seeds: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        game, (states, seating) = get_game(self.game), self.begin(seats)
        policies: list[CompiledPolicy | PythonPolicy] = []
        programs = [agent for agent in self.agents if isinstance(agent, SubprocessAgent)]
        for program in programs:
            program.facts = {"players": self.num_players, "variant": self.variant, "options": self.options}
        for number, agent in enumerate(self.agents):
            if isinstance(agent, CompiledAgent):
                policies.append((agent.policy, agent.parameters))
            else:
                if len(seeds):
                    agent.reset(int.from_bytes(sha256(f"{self.seed} {first} {number}".encode()).digest()[:4]))
                hear = self._teller(agent, seeds)
                policies.append(PythonPolicy(agent.name, agent.act_batch, hear, recalls(agent)))
        try:
            played = play_logged(game, states, seeds, seating, policies)
        except Exception as error:
            games = f"game {first}" if len(seeds) == 1 else f"games {first} .. {first + len(seeds) - 1}"
            error.add_note(f"{games} at a table of {self.num_players}")
            raise
        players = slice(self.num_players)
        winners = states["winners"][:, players] > 0
        for program in programs if len(seeds) == 1 else ():
            own = seats[0] == self.agents.index(program)
            program.finish(float((winners[0] & own).sum() / max(winners[0].sum(), 1) / max(own.sum(), 1)))
        return winners, played.scores[:, players], played.log, played.decisions

    def _teller(
        self, agent: Agent, seeds: npt.NDArray[np.int64]
    ) -> Callable[[int, npt.NDArray[np.int16]], None] | None:
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


def play_moves(table: Table, first: int, count: int, wanted: slice) -> Moves:
    """Results and moves of some of these games."""
    return table.moves(first, count).part(wanted)


def _are_integers(values: object) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(type(value) is int and abs(value) < 2**63 for value in values)


def encode_actions(actions: npt.NDArray[Any], num_actions: int) -> str:
    """Encode actions as base64 text, with one byte per action, or two for games with more than 256 actions."""
    return base64.b64encode(actions.astype(_code(num_actions)).tobytes()).decode()


def decode_actions(text: str, num_actions: int) -> list[int]:
    """Decode the text of `encode_actions`; `ValueError` if it is invalid."""
    actions: list[int] = np.frombuffer(base64.b64decode(text, validate=True), _code(num_actions)).tolist()
    return actions


def _code(num_actions: int) -> str:
    return "u1" if num_actions <= 256 else "<u2"

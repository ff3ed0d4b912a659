"""The games of a tournament: who sits where with which cards, and playing them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_env.engine import random
from blackjacky_env.engine.compiling import entry, zeros
from blackjacky_env.engine.play import play_logged
from blackjacky_env.engine.policies import Inside, Outside
from blackjacky_env.engine.purposes import FOR_DEALS, FOR_SEATS
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

Lineup = tuple[int, ...]
"""Numbers of agents, one for each seat, in no order."""


@cache
def _schedule_function() -> Callable[..., None]:
    """Entry (seed, lineups (L, n), duplicate, first, seeds (N,), seats (N, n)): the games with the numbers first on."""
    stream, draw, game_key, shuffle = random.stream, random.draw, random.game_key, random.shuffle

    def schedule(seed, lineups, duplicate, first, seeds, seats):  # type: ignore[no-untyped-def]  # compiled
        players = lineups.shape[1]
        order = np.empty(players, np.int64)
        for i in range(len(seeds)):
            deal, turn = (first + i) // players, (first + i) % players
            order[:] = lineups[deal % len(lineups)]
            shuffle(order, players, stream(game_key(seed), FOR_SEATS, deal, 0))
            # Where copies sit so that the table looks the same after fewer moves, a new key follows, not the same game.
            period = 1
            while duplicate and (players % period != 0 or not np.array_equal(order, np.roll(order, period))):
                period += 1
            seeds[i] = draw(stream(game_key(seed), FOR_DEALS, deal, turn // period), 0) >> np.uint64(1)
            for seat in range(players):
                seats[i, (seat + turn) % players] = order[seat]

    return entry(schedule)


class Rows(NamedTuple):
    """Games in the order in which they are numbered."""

    seeds: npt.NDArray[np.int64]
    """Of the games, as for ``reset``, shape (N,)."""
    seats: npt.NDArray[np.int64]
    """The number of the agent in each seat, shape (N, num_players)."""
    winners: npt.NDArray[np.bool_]
    """Shape (N, num_players)."""
    scores: npt.NDArray[np.int64]
    """Hearts or points at the end, shape (N, num_players)."""
    actions: list[str]
    """All actions of each game, as `encode_actions` writes them; empty where all agents are compiled."""


def join(parts: Sequence[Rows], players: int) -> Rows:
    """All games of several parts, in this order."""
    empty = np.zeros((0, players), np.int64)
    parts = [Rows(np.zeros(0, np.int64), empty, empty > 0, empty, []), *parts]
    return Rows(
        np.concatenate([rows.seeds for rows in parts]),
        np.concatenate([rows.seats for rows in parts]),
        np.concatenate([rows.winners for rows in parts]),
        np.concatenate([rows.scores for rows in parts]),
        [actions for rows in parts for actions in rows.actions],
    )


@dataclass(frozen=True)
class Table:
    """Everything that decides how the games go; it can be sent to other processes if its agents can."""

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
        """Whether all agents are."""
        return all(isinstance(agent, CompiledAgent) for agent in self.agents)

    def env(self) -> TableEnv:
        """A table for one game."""
        return TableEnv(self.game, self.num_players, self.variant, **self.options)

    def schedule(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Seeds (count,) and seats (count, num_players) of the games with the numbers ``first`` on."""
        seeds, seats = np.zeros(count, np.int64), np.zeros((count, self.num_players), np.int64)
        _schedule_function()(self.seed, np.array(self.lineups, np.int64), self.duplicate, first, seeds, seats)
        return seeds, seats

    def play(self, first: int, count: int) -> Rows:
        """Play these games; `IllegalActionError` names an agent that chose what is not legal."""
        seeds, seats = self.schedule(first, count)
        winners, scores, log, decisions = self._play(seeds, seats)
        actions = [] if self.compiled else self._write(log, decisions)
        return Rows(seeds, seats, winners, scores, actions)

    def _write(self, log: npt.NDArray[np.int16], decisions: npt.NDArray[np.int64]) -> list[str]:
        num_actions = get_game(self.game).num_actions
        return [encode_actions(row[:count], num_actions) for row, count in zip(log, decisions, strict=True)]

    def actions(self, number: int) -> list[int]:
        """All actions of a game between compiled agents."""
        _, _, log, decisions = self._play(*self.schedule(number, 1))
        return [int(action) for action in log[0, : decisions[0]]]

    def _play(self, seeds: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        env, count = self.env(), len(seeds)
        states = zeros(count, env.game.state_dtype)
        states[:] = env.game.new_state(self.num_players, self.variant, self.options)
        seating = np.zeros((count, env.game.max_players), np.int64)
        seating[:, : self.num_players] = seats
        cast: list[Inside | Outside] = []
        for agent in self.agents:
            if isinstance(agent, CompiledAgent):
                cast.append((agent.policy, agent.parameters))
            else:
                agent.reset(int(seeds[0]) if count else 0)
                cast.append(Outside(agent.name, agent.act_batch))
        played = play_logged(env.game, states, seeds, seating, cast)
        players = slice(self.num_players)
        return states["winners"][:, players] > 0, played.scores[:, players], played.log, played.decisions


def encode_actions(actions: npt.NDArray[Any], num_actions: int) -> str:
    """Actions of a game that has so many as text: base64 of a byte each, or of two if 256 numbers are too few."""
    return base64.b64encode(actions.astype(_code(num_actions)).tobytes()).decode()


def decode_actions(text: str, num_actions: int) -> list[int]:
    """What `encode_actions` wrote; `ValueError` if it is something else."""
    actions: list[int] = np.frombuffer(base64.b64decode(text, validate=True), _code(num_actions)).tolist()
    return actions


def _code(num_actions: int) -> str:
    return "u1" if num_actions <= 256 else "<u2"

"""What each legal action leads to: games between compiled agents, in which decisions are tried out.

At a decision every legal action is made in a copy of the game, with the same hidden cards and the same order of the
draw pile, and the agents in the seats play the round to its end. What is won then is the result of the game, or an
estimate of it from how the players stand, so the many rounds to come add no chance. Since all actions of a decision
meet the same cards, their differences tell more than their values (common random numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.learning.encoding import Encoding
from blackjacky_agents.learning.network import forward, softmax
from blackjacky_env.engine import random
from blackjacky_env.engine.compiling import compiled, entry, zeros
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.layout import Vector
from blackjacky_env.engine.play import DRAWN, FOR_COPIES, mover
from blackjacky_env.engine.policies import Policy, make_cast
from blackjacky_env.engine.threads import spread

FOR_STUDIES = 130  # a purpose of random numbers
NOT_LEGAL, NOT_TRIED = np.float32(np.nan), np.float32(np.inf)
MOST_ROUNDS = 24  # of a game are looked at

Agents = Sequence[tuple[Policy, npt.NDArray[np.float32]]]


class Studies(NamedTuple):
    """Decisions tried out, D of them, and standings, S of them, from whole games."""

    observations: Vector
    """What the player who decided saw, (D, K)."""
    values: npt.NDArray[np.float32]
    """By action, the share of the win (0 .. 1) that the player got or may expect. NaN: not legal; infinite: legal, but
    not tried out. (D, A)."""
    standings: Vector
    """What a player saw when a round had begun, (S, K)."""
    shares: npt.NDArray[np.float32]
    """What this player won in the end: 1 / number of winners, or 0. (S,)."""


class _Sheets(NamedTuple):
    """Room for the `Studies` of N games, as many of each as there may be."""

    observations: Vector
    values: npt.NDArray[np.float32]
    standings: Vector
    shares: npt.NDArray[np.float32]
    counts: npt.NDArray[np.int64]
    """Decisions and standings of each game, (N, 2)."""


def study(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Agents,
    studied: npt.NDArray[np.bool_],
    rate: float,
    most: int,
    standing: tuple[Encoding, npt.NDArray[np.float32]],
    doubt: tuple[Encoding, float] | None = None,
    threads: int = 1,
) -> Studies:
    """Play whole games and try out some of the decisions.

    Args:
        game: the game.
        states: records with options written, (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, (N,).
        seating: number of the agent in each seat, (N, max_players).
        agents: (policy, parameters) of each agent.
        studied: whose decisions are tried out, by agent.
        rate: share of these decisions that are tried out; each follows from the game's key.
        most: no more than this many decisions of a game.
        standing: encoding and packed network that estimate what a player will win (a logit).
        doubt: encoding of the studied agents, which must be networks, and a chance: actions that they draw more seldom
            are not tried out, nor are decisions in which this leaves one action.
        threads: CPU threads; they change nothing in the results.
    """
    games, size, dtype = len(states), game.layout.size, game.layout.dtype
    sheets = _Sheets(
        np.zeros((games, most, size), dtype),
        np.full((games, most, game.num_actions), NOT_LEGAL, np.float32),
        np.zeros((games, MOST_ROUNDS, size), dtype),
        np.zeros((games, MOST_ROUNDS), np.float32),
        np.zeros((games, 2), np.int64),
    )
    cast = make_cast(game, agents)
    play = _studier(game, standing[0], doubt[0] if doubt else None)
    floor = doubt[1] if doubt else 0.0

    def work(first: int, last: int) -> None:
        copy = zeros(1, game.state_dtype)
        play(states, seeds, seating, cast, studied, rate, floor, standing[1], copy, sheets, first, last)

    spread(work, games, threads)
    tried = np.arange(most) < sheets.counts[:, :1]
    stood = np.arange(MOST_ROUNDS) < sheets.counts[:, 1:]
    return Studies(sheets.observations[tried], sheets.values[tried], sheets.standings[stood], sheets.shares[stood])


@cache
def _studier(game: Game, standing: Encoding, doubt: Encoding | None) -> Callable[..., None]:
    """Entry that plays games first .. last - 1 and fills the arrays of `study`."""
    rules, move, note_standing = game.rules, mover(game), _noter(game)
    look_into, (_, settle_up) = _looker(game, standing, doubt), _called(game)
    begin, is_over, returns = rules.begin, rules.is_over, rules.returns
    size, dtype = game.layout.size, game.layout.dtype
    num_actions, players = game.num_actions, game.max_players
    game_key, stream, draw = random.game_key, random.stream, random.draw

    def play(states, seeds, seating, cast, studied, rate, floor, value, copy, sheets, first, last):
        observation, mask, result = np.empty(size, dtype), np.empty(num_actions, np.int8), np.empty(players)
        watched = np.empty(MOST_ROUNDS, np.int64)
        for i in range(first, last):
            s, seats, count, decisions = states[i], seating[i], sheets.counts[i], 0
            observations, values, standings = sheets.observations[i], sheets.values[i], sheets.standings[i]
            begin(s, game_key(seeds[i]), DRAWN)
            note_standing(s, seats, studied, decisions, standings, watched, count)
            while not is_over(s):
                lot = draw(stream(s.key, FOR_STUDIES, decisions, 1), 0) >> np.uint64(11)
                if studied[seats[s.player]] and count[0] < len(values) and lot < rate * 2.0**53:
                    seen, tried = observations[count[0]], values[count[0]]
                    count[0] += look_into(s, seats, cast, floor, value, decisions, copy, mask, seen, tried)
                move(s, seats[s.player], decisions, cast, observation, mask)
                decisions += 1
                if settle_up(s) and not is_over(s):
                    note_standing(s, seats, studied, decisions, standings, watched, count)
            result[:] = 0.0
            returns(s, result)
            for k in range(count[1]):
                sheets.shares[i, k] = max(result[watched[k]], 0.0)

    return entry(play)


def _noter(game: Game) -> Callable[..., None]:
    """Compiled (s, seats, studied, decision, standings, watched, count): keep what a seat sees, if it is studied."""
    (encode, _), stream, draw, below = _called(game), random.stream, random.draw, random.below

    def note_standing(s, seats, studied, decision, standings, watched, count):
        seat = np.int64(below(draw(stream(s.key, FOR_STUDIES, decision, 0), 0), s.num_players))
        if studied[seats[seat]] and count[1] < len(standings):
            encode(s, seat, standings[count[1]])
            watched[count[1]] = seat
            count[1] += 1

    return compiled(note_standing)


def _looker(game: Game, standing: Encoding, doubt: Encoding | None) -> Callable[..., int]:
    """Compiled (s, seats, cast, floor, value, decision, copy, mask, seen, tried) -> 1 if the decision was tried out."""
    legal, num_actions, (encode, _) = game.rules.legal, game.num_actions, _called(game)
    keep, try_out = _doubter(doubt), _tries(game, standing)

    def look_into(s, seats, cast, floor, value, decision, copy, mask, seen, tried):
        agent = seats[s.player]
        legal(s, mask)
        encode(s, s.player, seen)
        for action in range(num_actions):
            tried[action] = NOT_TRIED if mask[action] else NOT_LEGAL
        own = cast.parameters[cast.offsets[agent] : cast.offsets[agent + 1]]
        if keep(seen, mask, own, floor) <= 1:
            return 0
        try_out(s, seats, cast, value, decision, copy, mask, tried)
        return 1

    return compiled(look_into)


def _doubter(encoding: Encoding | None) -> Callable[..., int]:
    """Compiled (observation, mask, parameters, floor) -> how many actions ``mask`` keeps: those that may be drawn."""
    if encoding is None:

        def keep(observation, mask, parameters, floor):
            return mask.sum()

    else:
        show, size = encoding.function, encoding.size

        def keep(observation, mask, parameters, floor):
            if mask.sum() <= 1:
                return 1
            shown, chances = np.empty(size, np.float32), np.empty(len(mask))
            show(observation, mask, shown)
            softmax(forward(shown, parameters), mask, chances)
            kept = 0
            for action in range(len(mask)):
                mask[action] = mask[action] > 0 and chances[action] >= floor
                kept += mask[action]
            return kept

    return compiled(keep)


@cache
def _tries(game: Game, standing: Encoding) -> Callable[..., None]:
    """Compiled (s, seats, cast, value, decision, copy, mask, values): every legal action, to the round's end."""
    rules, move = game.rules, mover(game)
    apply, is_over, returns = rules.apply, rules.is_over, rules.returns
    encode, settle_up = _called(game)
    size, dtype = game.layout.size, game.layout.dtype
    num_actions, players = game.num_actions, game.max_players
    show, shown_size, stream = standing.function, standing.size, random.stream

    def worth(s, seat, value, observation, mask):
        if is_over(s):
            result = np.zeros(players)
            returns(s, result)
            return max(result[seat], 0.0)
        encode(s, seat, observation)
        shown = np.empty(shown_size, np.float32)
        show(observation, mask, shown)
        return 1.0 / (1.0 + np.exp(-forward(shown, value)[0]))

    worth = compiled(worth)

    def try_out(s, seats, cast, value, decision, copy, mask, values):
        observation, unused = np.empty(size, dtype), np.empty(num_actions, np.int8)
        seat, t = s.player, copy[0]
        for action in range(num_actions):
            if mask[action] == 0:
                continue
            copy[0] = s
            t.key = stream(s.key, FOR_COPIES, decision, 0)
            apply(t, action)
            made, ended = 0, settle_up(t)
            while not ended and not is_over(t):
                move(t, seats[t.player], made, cast, observation, unused)
                made += 1
                ended = settle_up(t)
            values[action] = worth(t, seat, value, observation, unused)

    return compiled(try_out)


@cache
def _called(game: Game) -> tuple[Callable[..., None], Callable[..., bool]]:
    """Compiled: encode; settle if due, whether it was. They are not inlined, which spares half of the compiling."""
    rules_encode, is_settled, settle = game.rules.encode, game.rules.is_settled, game.rules.settle

    def encode(s, seat, out):
        rules_encode(s, seat, out)

    def settle_up(s):
        due = is_settled(s)
        if due:
            settle(s)
        return due

    return compiled(encode), compiled(settle_up)

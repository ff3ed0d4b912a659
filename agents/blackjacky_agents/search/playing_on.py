"""Playing on from positions: the compiled function under search, hints, forecasts, thoughts, analyses and studies.

Positions are sampled from an observation, or are copies of a state. In each position, every action is taken in a copy
with the same hidden cards and the same future draws (common random numbers), and the game is played on to where it is
valued. `make_play_on` makes the function for compiled callers from a `Course`; `play_on` is called from Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.search import Likelihood, SearchConfig
from blackjacky_env.compiled import (
    Policy,
    compiled,
    draw,
    entry,
    game_key,
    make_cast,
    make_guarded,
    score_of,
    spread,
    stream,
    zeros,
)
from blackjacky_env.compiled.purposes import FOR_ACCEPTANCE, FOR_MOVES, FOR_POSITIONS
from blackjacky_env.declare import Game, Vector
from blackjacky_env.games import get_game
from blackjacky_env.play import NONE, OVER, SETTLED, checked, make_choose, make_step, only_legal, raise_illegal

LONGEST = 10_000  # actions of one playout; longer ones, by policies that never end a game, have the result 0
WIN, CHANGE, SETTLEMENTS = range(3)
"""Rows of a result by seat. `WIN`: the expected "win" reward where a search values it; at the end of a game the share
of the win, an equal one for all if nobody wins. Only at the end: `CHANGE`, of the seat's score until the next
settlement; in its first entry `SETTLEMENTS`, their number."""
_ROWS = 3
_UNIT = 2.0**-53  # scales 53 random bits to a number 0 .. 1


class Course(NamedTuple):
    """Compiled functions that say from where, by whom and to where positions are played on."""

    imagine: Callable[..., float]
    """(known, bits, number, proposal, chain, before) -> likelihood, as `make_imagine` makes it."""
    choose: Callable[..., int]  # (s, made, who, seen, may) -> the action of the player to act, after so many others
    advance: Callable[..., bool]
    """(s, action, to, result) -> done: take a step; writes ``result`` (rows, max_players) when the playout is over."""
    begin: Callable[..., None]  # (s, result): prepare a result


@cache
def make_play_on(game: Game, course: Course) -> Callable[..., None]:
    """Compiled (scratch, known, bits, first, proposals, actions, who, to, results): play on from sampled positions.

    ``scratch``: from `make_new_scratch`; a chain of weighted positions goes on in the next call. ``known``: what
    positions are made from. ``bits``, and the numbers from ``first`` on, decide what is random. ``proposals``: for each
    position. ``actions``: int64, of the player to act; `NONE`: what ``who`` does. ``who`` plays on, and ``to`` says
    where to, as the course reads them. ``results``: float64, (positions, actions, rows, max_players), is filled.
    """
    sample, begin, finish = make_sample(course), course.begin, make_finish(course)

    def play_on(scratch, known, bits, first, proposals, actions, who, to, results):
        chain, copy = scratch.chain, scratch.copy
        for k in range(len(results)):
            sample(scratch, known, bits, first + k, proposals)
            for i in range(len(actions)):
                copy[0] = chain[0]
                begin(copy[0], results[k, i])
                finish(copy[0], actions[i], who, to, scratch.seen, scratch.may, results[k, i])

    return compiled(play_on)


@cache
def make_sample(course: Course) -> Callable[..., None]:
    """Compiled (scratch, known, bits, number, proposals): put the position with this number into the chain."""
    imagine = course.imagine

    def sample(scratch, known, bits, number, proposals):
        for proposal in range(proposals):
            before = scratch.likelihood[0]
            scratch.likelihood[0] = imagine(known, bits, number, proposal, scratch.chain, before)

    return compiled(sample)


@cache
def make_finish(course: Course) -> Callable[..., None]:
    """Compiled (s, action, who, to, seen, may, result): take an action, or `NONE`, and play on until done."""
    choose, advance = course.choose, course.advance

    def finish(s, action, who, to, seen, may, result):
        made, done = 0, action != NONE and advance(s, action, to, result)
        while not done and made < LONGEST:
            done = advance(s, choose(s, made, who, seen, may), to, result)
            made += 1

    return compiled(finish)


class Scratch(NamedTuple):
    """What `make_play_on` works in."""

    chain: npt.NDArray[Any]  # the last accepted position and the last proposal, records (2,)
    likelihood: npt.NDArray[np.float64]  # of the accepted position, (1,); 0 at the start
    copy: npt.NDArray[Any]  # the game that is played on, a record (1,)
    words: npt.NDArray[np.uint64]  # the memory of `seen` as 8-byte words, padded with zeros
    seen: Vector
    may: npt.NDArray[np.int8]


@cache
def make_new_scratch(game: Game) -> Callable[[], Scratch]:
    """Compiled () -> scratch space at the start of a chain."""
    state_dtype = game.state_dtype
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions
    word_count = -(-size * dtype.itemsize // 8)

    def new_scratch():
        words = np.zeros(word_count, np.uint64)
        return Scratch(
            zeros(2, state_dtype),
            np.zeros(1),
            zeros(1, state_dtype),
            words,
            words.view(dtype)[:size],
            np.empty(num_actions, np.int8),
        )

    return compiled(new_scratch)


# ---------------------------------------------------------------- from where


@cache
def make_imagine(game: Game, likelihood: Likelihood | None) -> Callable[..., float]:
    """Compiled (observation, bits, number, proposal, chain, before) -> likelihood of the position in chain[0].

    Samples the next position into ``chain``, a record array (2,), from random bits and the numbers of the position and
    the proposal. Without a likelihood, positions are independent. With one, they form a Markov chain whose stationary
    distribution is proportional to it: a proposal replaces the previous position with probability min(1, ratio of their
    likelihoods) (Hastings, "Monte Carlo sampling methods using Markov chains", Biometrika 57, 1970). ``before`` is the
    likelihood of chain[0], 0 at the start. Future random events are redrawn for every sample.
    """
    sample = game.rules.sample

    if likelihood is None:

        def imagine(observation, bits, number, proposal, chain, before):
            sample(observation, stream(bits, FOR_POSITIONS, number, proposal), chain[0])
            return 1.0

    else:

        def imagine(observation, bits, number, proposal, chain, before):
            sample(observation, stream(bits, FOR_POSITIONS, number, proposal), chain[1])
            now = likelihood(chain[1])
            lot = draw(stream(bits, FOR_ACCEPTANCE, number, proposal), 0)
            if np.float64(lot >> np.uint64(11)) * _UNIT * before <= now:
                chain[0] = chain[1]
                return now
            chain[0].key = chain[1].key
            return before

    return compiled(imagine)


@compiled
def copy_state(known, bits, number, proposal, chain, before):
    """As `Course.imagine`, from a state: the same cards and the same order of the draw pile, but another key."""
    chain[0] = known
    chain[0].key = stream(bits, FOR_POSITIONS, number, 0)
    return 1.0


# ---------------------------------------------------------------- by whom


@cache
def make_see(game: Game) -> Callable[..., int]:
    """Compiled (s, seen, may) -> the only legal action; or `NONE`, and what the player to act sees is written."""
    encode, legal = game.rules.encode, game.rules.legal

    def see(s, seen, may):
        legal(s, may)
        action = only_legal(may)
        if action == NONE:
            encode(s, s.player, seen)
        return action

    return compiled(see)


@cache
def one_policy(game: Game, policy: Policy) -> Callable[..., int]:
    """`Course.choose` of one policy in all seats; ``who``: its parameters."""
    see, ask = make_see(game), make_guarded(policy, game)

    def choose(s, made, who, seen, may):
        action = see(s, seen, may)
        if action == NONE:
            action = checked(ask(seen, may, stream(s.key, FOR_MOVES, made, 0), who), may)
        return action

    return compiled(choose)


@cache
def many_agents(game: Game) -> Callable[..., int]:
    """`Course.choose` of any compiled agents; ``who``: a cast, and the index of the agent in each seat."""
    choose_by = make_choose(game)

    def choose(s, made, who, seen, may):
        cast, seats = who
        return choose_by(s, seats[s.player], made, cast, seen, may)

    return compiled(choose)


# ---------------------------------------------------------------- to where


@compiled
def clear(s, result):
    """The usual `Course.begin`."""
    result[:] = 0.0


@cache
def searched(game: Game, config: SearchConfig, choose: Callable[..., int]) -> Course:
    """From sampled positions to where search values them: the end of the game, or of a round or stage."""
    return Course(make_imagine(game, config.likelihood), choose, make_advance(game, config), clear)


@cache
def make_advance(game: Game, config: SearchConfig) -> Callable[..., bool]:
    """`Course.advance` of a search; ``to`` is not read."""
    step, returns, is_valued, has_stages = (
        make_step(game),
        game.rules.returns,
        config.value is not None,
        config.stage is not None,
    )
    value, stage = config.value or returns, config.stage or _no_stage

    def advance(s, action, to, result):
        before = stage(s)
        flags = step(s, action)
        if flags & OVER:
            returns(s, result[WIN])
            return True
        ended = stage(s) != before if has_stages else (flags & SETTLED) != 0
        if is_valued and ended:
            value(s, result[WIN])
        return is_valued and ended

    return compiled(advance)


@compiled
def _no_stage(s):
    return 0


@cache
def to_the_end(game: Game, sampled: bool) -> Course:
    """From sampled positions, or copies of a state, to the end of the game, with all rows of results."""
    step, score = make_step(game), score_of(game.rules)

    def begin(s, result):
        result[:] = 0.0
        for p in range(s.num_players):
            result[WIN, p], result[CHANGE, p] = 1 / s.num_players, -score(s, p)

    def advance(s, action, to, result):
        flags = step(s, action)
        if flags:
            result[SETTLEMENTS, 0] += 1
        if flags and result[SETTLEMENTS, 0] == 1:
            for p in range(s.num_players):
                result[CHANGE, p] += score(s, p)
        if flags & OVER == 0:
            return False
        won = s.winners[: s.num_players].sum()
        if won:
            for p in range(s.num_players):
                result[WIN, p] = s.winners[p] / won
        return True

    imagine = make_imagine(game, None) if sampled else copy_state
    return Course(imagine, many_agents(game), compiled(advance), compiled(begin))


# ---------------------------------------------------------------- from Python


def play_on(
    agent: CompiledAgent,
    known: npt.NDArray[Any],
    actions: Sequence[int],
    positions: int,
    seed: int = 0,
    threads: int = 1,
    ends: bool = True,
) -> npt.NDArray[np.float64]:
    """What comes of actions if an agent plays on in all seats; nothing depends on the clock.

    Args:
        agent: the agent.
        known: the observation (K,) of any seat of a running game, on turn or not, for which the hidden cards are drawn
            each time, all that are consistent with it being equally likely; or a record (1,), of which nothing is
            changed but what chance and the agent decide from now on.
        actions: of the player to act; `NONE`: what the agent does. All are taken in the same positions.
        positions: number of positions, which are independent of each other.
        seed: of all that is random, 0 .. 2**63 - 1.
        threads: CPU threads; results do not depend on it.
        ends: games are played to their end; False: to where the game's search values them.

    Returns:
        Float64, (positions, actions, rows, max_players): the rows `WIN`, `CHANGE`, `SETTLEMENTS`, or `WIN` alone. The
        first seat is the observer's, or the one to act in a record; the others follow clockwise.

    Raises `IllegalActionError` if the agent chooses an illegal action.
    """
    game = get_game(agent.game)
    sampled = known.dtype != game.state_dtype
    play, cast = _play_on(game, sampled, ends), make_cast(game, [agent])
    results = np.empty((positions, len(actions), _ROWS if ends else 1, game.max_players))
    chosen, seats = np.array(actions, np.int64), np.zeros(game.max_players, np.int64)
    key = np.uint64(game_key(seed))
    spread(lambda *part: play(known, key, chosen, cast, seats, results, *part), positions, threads)
    raise_illegal([agent], cast)
    if not sampled:
        players = int(known["num_players"][0])
        results[..., :players] = np.roll(results[..., :players], -int(known["player"][0]), axis=-1)
    return results


@cache
def _play_on(game: Game, sampled: bool, ends: bool) -> Callable[..., None]:
    config = get_kit(game.name).search._replace(likelihood=None)
    course = to_the_end(game, sampled) if ends else searched(game, config, many_agents(game))
    play_on, new_scratch = make_play_on(game, course), make_new_scratch(game)

    def play_sampled(known, key, actions, cast, seats, results, first, last):
        play_on(new_scratch(), known, key, first, 1, actions, (cast, seats), None, results[first:last])

    def play_copies(known, key, actions, cast, seats, results, first, last):
        play_on(new_scratch(), known[0], key, first, 1, actions, (cast, seats), None, results[first:last])

    return entry(play_sampled if sampled else play_copies)

"""Rollouts of every legal action at decisions of games between compiled agents.

At a studied decision, each likely action is taken in a copy of the game with the same hidden cards and the same order
of the draw pile, and the agents play the round to its end (`search.playing_on`). The value of the action is the result
of the game or, if the game goes on, the estimate of a value network for the next round, so that later rounds add no
variance. Because all actions face the same cards, differences between their values have a lower variance than the
values themselves (common random numbers).

Or it is taken in many positions that the player may be in, as in search guided by a network: their mean has less noise,
and what the player cannot know does not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.networks.network import forward, widest
from blackjacky_agents.search.guided import ACTIONS, make_chances, make_play, make_propose, new_trial
from blackjacky_agents.search.playing_on import (
    WIN,
    Course,
    clear,
    copy_state,
    make_new_scratch,
    make_play_on,
    many_agents,
)
from blackjacky_env.compiled import Policy, below, compiled, draw, entry, game_key, make_cast, spread, stream
from blackjacky_env.compiled.purposes import FOR_COPIES, FOR_STUDIES
from blackjacky_env.declare import Game, Vector
from blackjacky_env.play import DRAWN, SETTLED, is_running, make_choose, make_shared_step

NOT_LEGAL, NOT_TRIED = np.float32(np.nan), np.float32(np.inf)
MAX_ROUNDS = 24  # whose standings are kept, of one game

Agents = Sequence[tuple[Policy, npt.NDArray[np.float32]]]


class Studies(NamedTuple):
    """Training data from whole games: D decisions with rollout values, and S positions between rounds with outcomes."""

    observations: Vector  # observations of the player to act, (D, K)
    values: npt.NDArray[np.float32]
    """Value of each action, (D, A): the player's actual or estimated share of the win, 0 .. 1, or how much it is above
    that of the most probable action in the mean of positions. NaN: illegal; infinite: legal, but not rolled out."""
    standings: Vector  # observations of a player at the beginning of a round, (S, K)
    outcomes: npt.NDArray[np.float32]
    """The final result of that player: 1 / number of winners for a winner, else 0, (S,)."""

    @property
    def rolled_out(self) -> int:
        """Number of decisions at which actions were rolled out."""
        return int(np.isfinite(self.values).any(axis=1).sum())


class _StudyBuffers(NamedTuple):
    """Buffers for the `Studies` of N games, sized for the maximum per game."""

    observations: Vector
    values: npt.NDArray[np.float32]
    standings: Vector
    outcomes: npt.NDArray[np.float32]
    counts: npt.NDArray[np.int64]  # number of decisions and of standings of each game, (N, 2)


def study(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Agents,
    studied: npt.NDArray[np.bool_],
    fraction: float,
    max_per_game: int,
    value_network: tuple[Encoding, npt.NDArray[np.float32]],
    likely: tuple[Encoding, float],
    threads: int = 1,
    certain_fraction: float = 0.0,
    positions: int = 0,
) -> Studies:
    """Play whole games and roll out the actions at some of the decisions; results do not depend on ``threads``.

    ``states`` are records with options written, (N,), and hold the final states afterwards; ``seeds`` are as for
    ``reset``, (N,), and ``seating`` has the index of the agent in each seat, (N, max_players). Of the decisions of
    agents that are ``studied``, a ``fraction`` is chosen by the game's key; of those with a single likely action,
    ``certain_fraction`` are kept without values. The value network estimates a player's chance of winning (a logit).
    ``likely``: encoding of the studied networks, and the least probability of actions that are rolled out.
    ``positions``: in so many each action is tried as in search, by the studied agents in all seats; 0: in the true
    position, to the end of the round.
    """
    games, size, dtype = len(states), game.layout.size, game.layout.dtype
    buffers = _StudyBuffers(
        np.zeros((games, max_per_game, size), dtype),
        np.full((games, max_per_game, game.num_actions), NOT_LEGAL, np.float32),
        np.zeros((games, MAX_ROUNDS, size), dtype),
        np.zeros((games, MAX_ROUNDS), np.float32),
        np.zeros((games, 2), np.int64),
    )
    cast = make_cast(game, agents)
    play = _make_play(game, value_network[0], likely[0], positions)
    limits = (float(fraction), float(likely[1]), float(certain_fraction))
    given = (states, seeds, seating, cast, studied, limits, value_network[1], buffers)
    spread(lambda *part: play(*given, *part), games, threads)
    decided = np.arange(max_per_game) < buffers.counts[:, :1]
    stood = np.arange(MAX_ROUNDS) < buffers.counts[:, 1:]
    return Studies(
        buffers.observations[decided], buffers.values[decided], buffers.standings[stood], buffers.outcomes[stood]
    )


@cache
def _make_play(game: Game, value_encoding: Encoding, encoding: Encoding, positions: int) -> Callable[..., None]:
    """Entry that plays games first .. last - 1 and fills the buffers of `study`.

    ``limits``: arguments of `study`: ``fraction``, the probability of ``likely``, and ``certain_fraction``.
    """
    choose, step, begin, returns = make_choose(game), make_shared_step(game), game.rules.begin, game.rules.returns
    record_standing = _make_record_standing(game)
    compare = (
        _make_compare_sampled(game, encoding, positions) if positions else _make_compare(game, value_encoding, encoding)
    )
    study_decision = _make_study_decision(game, compare)
    size, dtype = game.layout.size, game.layout.dtype
    num_actions, players = game.num_actions, game.max_players

    def play(states, seeds, seating, cast, studied, limits, value, buffers, first, last):
        observation, mask, result = np.empty(size, dtype), np.empty(num_actions, np.int8), np.empty(players)
        watched, fraction = np.empty(MAX_ROUNDS, np.int64), limits[0]
        for i in range(first, last):
            s, seats, count, decisions = states[i], seating[i], buffers.counts[i], 0
            observations, values, standings = buffers.observations[i], buffers.values[i], buffers.standings[i]
            begin(s, game_key(seeds[i]), DRAWN)
            record_standing(s, seats, studied, decisions, standings, watched, count)
            while is_running(s):
                lots = stream(s.key, FOR_STUDIES, decisions, 1)
                if studied[seats[s.player]] and count[0] < len(values) and is_drawn(lots, 0, fraction):
                    seen, tried = observations[count[0]], values[count[0]]
                    count[0] += study_decision(s, seats, cast, limits, lots, value, decisions, mask, seen, tried)
                flags = step(s, choose(s, seats[s.player], decisions, cast, observation, mask))
                decisions += 1
                if flags == SETTLED:
                    record_standing(s, seats, studied, decisions, standings, watched, count)
            result[:] = 0.0
            returns(s, result)
            for k in range(count[1]):
                buffers.outcomes[i, k] = max(result[watched[k]], 0.0)

    return entry(play)


def _make_record_standing(game: Game) -> Callable[..., None]:
    """Compiled (s, seats, studied, decision, standings, watched, count): store a studied seat's observation."""
    encode = _make_encode(game)

    def record_standing(s, seats, studied, decision, standings, watched, count):
        seat = np.int64(below(draw(stream(s.key, FOR_STUDIES, decision, 0), 0), s.num_players))
        if studied[seats[seat]] and count[1] < len(standings):
            encode(s, seat, standings[count[1]])
            watched[count[1]] = seat
            count[1] += 1

    return compiled(record_standing)


def _make_study_decision(game: Game, compare: Callable[..., bool]) -> Callable[..., int]:
    """Compiled (s, seats, cast, limits, lots, value, decision, mask, seen, values) -> 1 if it is kept, else 0.

    ``compare`` fills ``values`` and says whether there is more than one likely action.
    """
    legal, num_actions, encode = game.rules.legal, game.num_actions, _make_encode(game)

    def study_decision(s, seats, cast, limits, lots, value, decision, mask, seen, values):
        agent, (_, min_prob, certain_fraction) = seats[s.player], limits
        legal(s, mask)
        encode(s, s.player, seen)
        for action in range(num_actions):
            values[action] = NOT_TRIED if mask[action] else NOT_LEGAL
        own = cast.parameters[cast.offsets[agent] : cast.offsets[agent + 1]]
        if mask.sum() == 1:
            return 0
        if compare(s, seats, cast, own, min_prob, value, decision, mask, seen, values):
            return 1
        return int(is_drawn(lots, 1, certain_fraction))

    return compiled(study_decision)


def _make_compare(game: Game, value_encoding: Encoding, encoding: Encoding) -> Callable[..., bool]:
    """Compiled: the likely actions in the true position, played on by the agents to the end of the round."""
    keep_likely, seats_max = _make_keep_likely(encoding), game.max_players
    course = Course(copy_state, many_agents(game), _make_advance(game, value_encoding), clear)
    play_on, new_scratch = make_play_on(game, course), make_new_scratch(game)

    def compare(s, seats, cast, own, min_prob, value, decision, mask, seen, values):
        several = keep_likely(seen, mask, own, min_prob) > 1
        if several:
            actions, bits, seat = np.flatnonzero(mask), stream(s.key, FOR_COPIES, decision, 0), s.player
            results = np.empty((1, len(actions), 1, seats_max))
            play_on(new_scratch(), s, bits, 0, 1, actions, (cast, seats), (seat, value), results)
            for i in range(len(actions)):
                values[actions[i]] = results[0, i, WIN, seat]
        return several

    return compiled(compare)


def _make_compare_sampled(game: Game, encoding: Encoding, positions: int) -> Callable[..., bool]:
    """As `_make_compare`, in sampled positions."""
    propose, play = make_propose(encoding), make_play(game, get_kit(game.name).search, encoding)

    def compare(s, seats, cast, own, min_prob, value, decision, mask, seen, values):
        trial, players = new_trial(), np.float64(s.num_players)
        propose(trial, seen, mask, min_prob, own)
        several = trial.size[ACTIONS] > 1
        if several:
            play(trial, seen, stream(s.key, FOR_COPIES, decision, 0), own, positions)
            values[trial.actions[0]] = 0.0
            for i in range(1, trial.size[ACTIONS]):
                values[trial.actions[i]] = trial.sums[i] / positions * (players - 1.0) / players
        return several

    return compiled(compare)


@compiled
def is_drawn(lots, number, fraction):
    """Whether a fraction of all lots, numbered in a stream, includes this one."""
    return (draw(lots, number) >> np.uint64(11)) < fraction * 2.0**53


def _make_keep_likely(encoding: Encoding) -> Callable[..., int]:
    """Compiled (observation, mask, parameters, min_prob) -> number of likely actions; clears the others in ``mask``."""
    chances_of = make_chances(encoding)

    def keep_likely(observation, mask, parameters, min_prob):
        kept, probabilities = 0, chances_of(observation, mask, parameters)
        for action in range(len(mask)):
            mask[action] = mask[action] > 0 and probabilities[action] >= min_prob
            kept += mask[action]
        return kept

    return compiled(keep_likely)


@cache
def _make_advance(game: Game, value_encoding: Encoding) -> Callable[..., bool]:
    """`Course.advance` to the end of the round; ``to``: whose share of the win is written, and the value network."""
    step, estimate = make_shared_step(game), _make_estimate(game, value_encoding)

    def advance(s, action, to, result):
        flags = step(s, action)
        if flags:
            seat, value = to
            result[WIN, seat] = estimate(s, seat, value)
        return flags != 0

    return compiled(advance)


def _make_estimate(game: Game, value_encoding: Encoding) -> Callable[..., float]:
    """Compiled (s, seat, value) -> the seat's actual or estimated share of the win, 0 .. 1."""
    encode, returns, players = _make_encode(game), game.rules.returns, game.max_players
    show, shown_size = value_encoding.function, value_encoding.size
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def estimate(s, seat, value):
        if not is_running(s):
            result = np.zeros(players)
            returns(s, result)
            return max(result[seat], 0.0)
        observation, mask = np.empty(size, dtype), np.zeros(num_actions, np.int8)
        encode(s, seat, observation)
        units = widest(value)
        values, rows = np.empty((2, units), np.float32), np.empty(units + 1, np.int64)
        show(observation, mask, values[0][:shown_size])
        return 1.0 / (1.0 + np.exp(-values[forward(values, rows, value), 0]))

    return compiled(estimate)


@cache
def _make_encode(game: Game) -> Callable[..., None]:
    """Compiled (s, seat, out): write the observation. Not inlined, which halves compile time."""
    rules_encode = game.rules.encode

    def encode(s, seat, out):
        rules_encode(s, seat, out)

    return compiled(encode)

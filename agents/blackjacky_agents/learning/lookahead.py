"""Rollouts of every likely action at decisions of games between compiled agents.

At a studied decision, each likely action is taken in a copy of the game with the same hidden cards and the same order
of the draw pile, and the agents play the round to its end (`search.playing_on`). The value of the action is the result
of the game or, if the game goes on, the estimate of a value network for the next round, so that later rounds add no
variance. Because all actions face the same cards, differences between their values have a lower variance than the
values themselves (common random numbers).

Or it is taken in many positions that the player may be in, as in search guided by a network: their mean has less noise,
and what the player cannot know does not decide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding, get_kit, standing_encoding
from blackjacky_agents.intervals import shares_of
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.search import with_parameters
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.networks.network import forward, network_policy, widest
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
from blackjacky_env.compiled import below, compiled, copied, draw, entry, game_key, make_cast, spread, stream
from blackjacky_env.compiled.purposes import FOR_COPIES, FOR_STUDIES
from blackjacky_env.declare import Game, Vector
from blackjacky_env.games import get_game
from blackjacky_env.play import (
    DRAWN,
    LEARNER,
    SETTLED,
    is_running,
    make_begin,
    make_choose,
    make_shared_step,
    raise_illegal,
)

NOT_LEGAL, NOT_TRIED = np.float32(np.nan), np.float32(np.inf)
_OWN = 0  # the learner's place in the cast, which it leads
MAX_ROUNDS = 24  # whose standings are kept, of one game
CERTAIN_FRACTION = 0.3  # of decisions with one likely action, which expert iteration must not forget


class Studies(NamedTuple):
    """Training data from N games of up to P seats: D decisions with rollout values, and S positions between rounds."""

    observations: Vector  # observations of the player to act, (D, K)
    values: npt.NDArray[np.float32]
    """Value of each action, (D, A): the player's actual or estimated share of the win, 0 .. 1, or how much it is above
    that of the most probable action in the mean of positions. NaN: illegal; infinite: legal, but not rolled out."""
    standings: Vector  # observations of a player at the beginning of a round, (S, K)
    outcomes: npt.NDArray[np.float32]
    """The final result of that player: 1 / number of winners for a winner, else 0, (S,)."""
    shares: npt.NDArray[np.float64]  # the results of all players, (N, P)

    @property
    def rolled_out(self) -> int:
        """Number of decisions at which actions were rolled out."""
        return int(np.isfinite(self.values).any(axis=1).sum())


def study(
    settings: LeagueSettings,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    value: npt.NDArray[np.float32],
    *agents: CompiledAgent,
) -> Studies:
    """Play whole games and roll out the actions at some of the decisions of the learner, a network.

    Each game depends on its own row, the settings and the weights alone. ``states`` are records with options written,
    (N,); ``seeds`` are as for ``reset``, (N,); ``seating`` has the number of the opponent in each seat, or `LEARNER`,
    (N, P). ``agents``: the learner's, then the opponents. The packed network ``value`` estimates a player's chance of
    winning (a logit).
    """
    game, games, most = get_game(settings.game), len(states), settings.max_studies_per_game
    size, dtype, states = game.layout.size, game.layout.dtype, copied(states)
    kept = Studies(
        np.zeros((games, most, size), dtype),
        np.full((games, most, game.num_actions), NOT_LEGAL, np.float32),
        np.zeros((games, MAX_ROUNDS, size), dtype),
        np.zeros((games, MAX_ROUNDS), np.float32),
        np.zeros((games, game.max_players)),
    )
    counts = np.zeros((games, 2), np.int64)  # decisions and standings of each game
    cast = make_cast(game, agents)
    encodings = standing_encoding(game.name), find_encoding(settings.encoding, game.name)
    play = _make_play(game, *encodings, settings.positions, settings.bot_playouts > 0)
    certain = CERTAIN_FRACTION if settings.iterations else 0.0
    limits = (float(settings.study_fraction), float(settings.min_action_prob), certain)
    # Copies, because what comes from a cluster is read-only, for which Numba would compile anew.
    given = (states, seeds.copy(), seating - LEARNER, cast, limits, value.copy(), kept, counts)
    spread(lambda *part: play(*given, *part), games, settings.threads)
    raise_illegal(agents, cast)
    decided, stood = np.arange(most) < counts[:, :1], np.arange(MAX_ROUNDS) < counts[:, 1:]
    observations, values, standings, outcomes, _ = kept
    shares = shares_of(states["winners"])
    return Studies(observations[decided], values[decided], standings[stood], outcomes[stood], shares)


@cache
def _make_play(
    game: Game, value_encoding: Encoding, encoding: Encoding, positions: int, bot_plays_on: bool
) -> Callable[..., None]:
    """Entry that plays games first .. last - 1 and fills `Studies` of the most that a game may have, and ``counts``.

    ``limits``: `study_fraction`, `min_action_prob`, and the fraction of decisions with one likely action that are kept.
    """
    choose, step, begin = make_choose(game), make_shared_step(game), make_begin(game)
    record_standing = _make_record_standing(game)
    study_decision = _make_study_decision(game, value_encoding, encoding, positions, bot_plays_on)
    size, dtype = game.layout.size, game.layout.dtype
    num_actions = game.num_actions

    def play(states, seeds, seating, cast, limits, value, kept, counts, first, last):
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        watched, fraction = np.empty(MAX_ROUNDS, np.int64), limits[0]
        for i in range(first, last):
            s, seats, count, decisions = states[i], seating[i], counts[i], 0
            observations, values, standings = kept.observations[i], kept.values[i], kept.standings[i]
            begin(s, game_key(seeds[i]), DRAWN)
            record_standing(s, seats, decisions, standings, watched, count)
            while is_running(s):
                lots = stream(s.key, FOR_STUDIES, decisions, 1)
                if seats[s.player] == _OWN and count[0] < len(values) and is_drawn(lots, 0, fraction):
                    seen, tried = observations[count[0]], values[count[0]]
                    count[0] += study_decision(s, seats, cast, limits, lots, value, decisions, mask, seen, tried)
                flags = step(s, choose(s, seats[s.player], decisions, cast, observation, mask))
                decisions += 1
                if flags == SETTLED:
                    record_standing(s, seats, decisions, standings, watched, count)
            for k in range(count[1]):
                kept.outcomes[i, k] = share_of_win(s, watched[k])

    return entry(play)


@compiled
def share_of_win(s, seat):
    """1 / number of winners for a winner, else 0."""
    return s.winners[seat] / max(1, s.winners.sum())


def _make_record_standing(game: Game) -> Callable[..., None]:
    """Compiled (s, seats, decision, standings, watched, count): store the observation of a learner's seat."""
    encode = _make_encode(game)

    def record_standing(s, seats, decision, standings, watched, count):
        seat = np.int64(below(draw(stream(s.key, FOR_STUDIES, decision, 0), 0), s.num_players))
        if seats[seat] == _OWN and count[1] < len(standings):
            encode(s, seat, standings[count[1]])
            watched[count[1]] = seat
            count[1] += 1

    return compiled(record_standing)


def _make_study_decision(
    game: Game, value_encoding: Encoding, encoding: Encoding, positions: int, bot_plays_on: bool
) -> Callable[..., int]:
    """Compiled (s, seats, cast, limits, lots, value, decision, mask, seen, values) -> 1 if it is kept, else 0."""
    legal, num_actions, encode = game.rules.legal, game.num_actions, _make_encode(game)
    if positions:
        compare = _make_compare_sampled(game, encoding, positions, bot_plays_on)
    else:
        compare = _make_compare(game, value_encoding, encoding)

    def study_decision(s, seats, cast, limits, lots, value, decision, mask, seen, values):
        _, min_prob, certain_fraction = limits
        legal(s, mask)
        if mask.sum() == 1:
            return 0
        encode(s, s.player, seen)
        for action in range(num_actions):
            values[action] = NOT_TRIED if mask[action] else NOT_LEGAL
        own = cast.parameters[cast.offsets[_OWN] : cast.offsets[_OWN + 1]]
        if compare(s, seats, cast, own, min_prob, value, decision, mask, seen, values):
            return 1
        return int(is_drawn(lots, 1, certain_fraction))

    return compiled(study_decision)


def _make_compare(game: Game, value_encoding: Encoding, encoding: Encoding) -> Callable[..., bool]:
    """Compiled: fill ``values`` of likely actions; False if there is only one.

    They are taken in the true position, and the agents play on to the end of the round.
    """
    chances_of, seats_max = make_chances(encoding), game.max_players
    course = Course(copy_state, many_agents(game), _make_advance(game, value_encoding), clear)
    play_on, new_scratch = make_play_on(game, course), make_new_scratch(game)

    def compare(s, seats, cast, own, min_prob, value, decision, mask, seen, values):
        actions = np.flatnonzero((mask > 0) & (chances_of(seen, mask, own) >= min_prob))
        if len(actions) > 1:
            bits, seat = stream(s.key, FOR_COPIES, decision, 0), s.player
            results = np.empty((1, len(actions), 1, seats_max))
            play_on(new_scratch(), s, bits, 0, 1, actions, (cast, seats), (seat, value), results)
            for i in range(len(actions)):
                values[actions[i]] = results[0, i, WIN, seat]
        return len(actions) > 1

    return compiled(compare)


def _make_compare_sampled(game: Game, encoding: Encoding, positions: int, bot_plays_on: bool) -> Callable[..., bool]:
    """As `_make_compare`, in sampled positions, in which the learner or a bot plays on in all seats, as in search."""
    config, policy = get_kit(game.name).search, network_policy(encoding)
    if bot_plays_on:
        policy = with_parameters(config.playout_policy, np.array(config.playout_parameters, np.float32))
    propose, play = make_propose(encoding), make_play(game, config, policy)

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
    encode = _make_encode(game)
    show, shown_size = value_encoding.function, value_encoding.size
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def estimate(s, seat, value):
        if not is_running(s):
            return share_of_win(s, seat)
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

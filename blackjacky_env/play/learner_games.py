"""Many games with a learner in one seat, whose other seats compiled policies play between its decisions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import compiled, entry, inlined
from blackjacky_env.compiled.purposes import FOR_LINEUPS
from blackjacky_env.compiled.random import below, draw, game_key, stream
from blackjacky_env.compiled.results import score_of
from blackjacky_env.declare.game import Game
from blackjacky_env.play.playouts import LONGEST, make_run_on
from blackjacky_env.play.step import DRAWN, is_running, make_begin, make_look, make_shared_step

Encoder = Callable[..., None]
"""(observation int8 or int16 (K,), mask int8 (A,), out float32 (F,)): write the learner's input made from them."""

LEARNER, NO_AGENT = -1, -2  # in place of an agent's number; there is no agent beyond the seats of a table
BEGIN = -1  # in place of a learner's action: start a game


class LearnerArrays(NamedTuple):
    """Arrays of N games with a learner, besides their states."""

    fixed_seat: int
    """The learner's seat, or DRAWN."""
    opponents: npt.NDArray[np.int64]
    """The agents of which each other seat draws one, shape (L,)."""
    keys: npt.NDArray[np.uint64]
    """Random keys, shape (N,): ``keys[i]`` and i determine seeds, seats and opponents of the games at index i."""
    seats: npt.NDArray[np.int64]
    """The learner's seat in each game, shape (N,)."""
    seating: npt.NDArray[np.int64]
    """The agent in every other seat, `LEARNER` in its own, shape (N, max_players)."""
    played: npt.NDArray[np.int64]
    """Number of games started at each index, shape (N,)."""
    decisions: npt.NDArray[np.int64]
    """Number of opponents' decisions in the running game, shape (N,)."""


@cache
def learner_function(game: Game, encoder: Encoder | None) -> Callable[..., None]:
    """Entry that steps N games: the learner's action, then the opponents' until the learner is to act again.

    ``play(states, arrays, cast, actions, starts_anew, shown, masks, results, score_changes, ended, last_shown, first,
    last)`` takes the learner's actions (N,) in the games first .. last - 1; the action `BEGIN` starts a new game (games
    that end before the learner's first decision are skipped). With ``starts_anew`` games that end are restarted in the
    same step, and ``last_shown`` gets their final observation. ``results`` (float64, (N,)), ``score_changes``
    (float64, (N,)) and ``ended`` (bool, (N,)) belong to this step; ``shown`` (the output of ``encoder``, float32,
    (N, F), or without one the observation, (N, K)) and ``masks`` (int8, (N, A), zeros where the game has ended) belong
    to the new position.
    """
    begin, score = make_begin_for_learner(game), score_of(game.rules)
    returns, look = game.rules.returns, make_look(game)
    size, dtype, max_players = game.layout.size, game.layout.dtype, game.max_players
    run_on, step = make_run_on(game), make_shared_step(game)

    @compiled
    def start_game(s, i, arrays, cast, observation, mask):
        while True:
            draws = stream(arrays.keys[i], FOR_LINEUPS, i, arrays.played[i])
            _seat_players(s, i, arrays, draws, begin(s, draws))
            arrays.played[i] += 1
            arrays.decisions[i] = run_on(s, arrays.seating[i], 0, LONGEST, cast, observation, mask)
            if is_running(s):
                return

    def observe_plainly(s, seat, raw, mask, out):
        look(s, seat, out, mask)

    def observe_encoded(s, seat, raw, mask, out):
        look(s, seat, raw, mask)
        encoder(raw, mask.copy(), out)  # type: ignore[misc]  # not None, or it is not compiled

    observe = compiled(observe_encoded if encoder else observe_plainly)

    def play(
        states, arrays, cast, actions, starts_anew, shown, masks, results, score_changes, ended, last_shown, first, last
    ):
        raw, result = np.empty(size, dtype), np.zeros(max_players)
        for i in range(first, last):
            s, begins = states[i], actions[i] == BEGIN
            results[i] = 0.0
            score_changes[i] = 0.0
            if not begins:
                seat = arrays.seats[i]
                before = score(s, seat)
                step(s, actions[i])
                made = arrays.decisions[i]
                arrays.decisions[i] = run_on(s, arrays.seating[i], made, made + LONGEST, cast, raw, masks[i])
                score_changes[i] = score(s, seat) - before
                if not is_running(s):
                    result[:] = 0.0
                    returns(s, result)
                    results[i] = result[seat]
            ended[i] = not is_running(s) and not begins
            if ended[i] and starts_anew:
                observe(s, arrays.seats[i], raw, masks[i], last_shown[i])
                begins = True
            if begins:
                start_game(s, i, arrays, cast, raw, masks[i])
            observe(s, arrays.seats[i], raw, masks[i], shown[i])

    return entry(play)


@cache
def make_begin_for_learner(game: Game) -> Callable[..., int]:
    """Compiled (s, draws) -> the learner's seat, drawn: begin the game of a stream, whose draws from 2 on are free."""
    begin = make_begin(game)

    def begin_for_learner(s, draws):
        begin(s, game_key(draw(draws, 0) >> np.uint64(1)), DRAWN)
        return _learner_seat(s, draws)

    return compiled(begin_for_learner)


@inlined
def _learner_seat(s, draws):
    return np.int64(below(draw(draws, 1), s.num_players))


@compiled
def _seat_players(s, i, arrays, draws, drawn_seat):
    """Seat the learner in game i, and draw an opponent for every other seat."""
    seat = arrays.fixed_seat if arrays.fixed_seat != DRAWN else drawn_seat
    arrays.seats[i] = seat
    arrays.seating[i, seat] = LEARNER
    for relative in range(1, s.num_players):
        drawn = below(draw(draws, 2 + relative), len(arrays.opponents))
        arrays.seating[i, (seat + relative) % s.num_players] = arrays.opponents[drawn]


@entry
def seat_everybody(states, arrays):
    """Entry: seat the players of running games as if these had started with the current opponents."""
    for i in range(len(states)):
        if arrays.played[i] > 0:
            draws = stream(arrays.keys[i], FOR_LINEUPS, i, arrays.played[i] - 1)
            _seat_players(states[i], i, arrays, draws, _learner_seat(states[i], draws))

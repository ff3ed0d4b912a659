"""The arrays of a batch, and the compiled entries that step all of its games."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import compiled, entry, inlined
from blackjacky_env.compiled.purposes import FOR_ACTIONS, FOR_GAMES
from blackjacky_env.compiled.random import draw, game_key, random_flag, stream
from blackjacky_env.declare.game import Game
from blackjacky_env.declare.layout import Vector
from blackjacky_env.play.step import DRAWN, OVER, make_deal, make_lead, make_look, make_paid_step


class BatchArrays(NamedTuple):
    """All arrays of N games."""

    states: npt.NDArray[Any]
    observations: Vector
    action_masks: npt.NDArray[np.int8]
    mask_words: npt.NDArray[np.uint64]
    """The masks' memory, eight flags a word, shape (N, ceil(A / 8)); the last word may reach beyond the A flags."""
    current_player: npt.NDArray[np.int64]
    seeds: npt.NDArray[np.int64]
    played: npt.NDArray[np.int64]
    """Number of games started at each index, shape (N,)."""
    moves: npt.NDArray[np.int64]
    """Number of moves made at each index, shape (N,)."""
    rewards: npt.NDArray[np.float64]
    terminated: npt.NDArray[np.bool_]


class SeatArrays(NamedTuple):
    """What a batch with ``per_seat=True`` keeps besides its `BatchArrays`."""

    cumulative_rewards: npt.NDArray[np.float64]
    gamma: float
    score_shaping: float


def new_batch_arrays(game: Game, states: npt.NDArray[Any]) -> BatchArrays:
    """Zeroed arrays around the records of N games."""
    masks, words = new_masks(game, len(states))
    return BatchArrays(
        states=states,
        observations=np.zeros((len(states), game.layout.size), game.layout.dtype),
        action_masks=masks,
        mask_words=words,
        current_player=np.zeros(len(states), np.int64),
        seeds=np.zeros(len(states), np.int64),
        played=np.zeros(len(states), np.int64),
        moves=np.zeros(len(states), np.int64),
        rewards=np.zeros((len(states), game.max_players)),
        terminated=np.zeros(len(states), np.bool_),
    )


def new_masks(game: Game, num_games: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint64]]:
    """Zeroed masks, and the same memory as words of eight flags."""
    size = game.num_actions
    memory = np.zeros(num_games * size + 7, np.int8)
    words = np.ndarray((num_games, -(-size // 8)), np.uint64, memory, strides=(size, 8))
    return memory[: num_games * size].reshape(num_games, size), words


def new_seat_arrays(game: Game, num_games: int, gamma: float, score_shaping: float) -> SeatArrays:
    """Zeroed arrays for ``num_games`` games."""
    return SeatArrays(np.zeros((num_games, game.max_players)), gamma, score_shaping)


class BatchFunctions(NamedTuple):
    """The compiled entries of a batch, which work on the games ``first`` .. ``last - 1``.

    ``arrays``: `BatchArrays`. ``seat_arrays``: `SeatArrays`, or None; on a GPU, an empty tuple. There they are kernels,
    which take no ``first`` and ``last``.
    """

    start: Any
    """(arrays, seat_arrays, seed, first, last)."""
    step: Any
    """(arrays, seat_arrays, seed, actions, first, last)."""
    draw_actions: Any
    """(arrays, seat_arrays, seed, actions, first, last): write a random legal action for each game."""
    run_random: Any
    """(arrays, seat_arrays, seed, steps, first, last)."""
    observe: Any
    """(states, games, seats, observations, masks, first, last): write what ``seats[j]`` of ``games[j]`` sees."""


@cache
def batch_functions(game: Game, pays_result: bool, per_seat: bool = False) -> BatchFunctions:
    """The functions for rewards that pay the result, or else score changes; ``per_seat``: with `SeatArrays`."""
    start_game, move, random_action = make_moves(game, pays_result, per_seat)
    look = make_look(game)

    def start(arrays, seat_arrays, seed, first, last):
        for i in range(first, last):
            start_game(arrays, seat_arrays, game_key(seed), i, i)

    def step(arrays, seat_arrays, seed, actions, first, last):
        for i in range(first, last):
            move(arrays, seat_arrays, game_key(seed), i, i, actions[i])

    def draw_actions(arrays, seat_arrays, seed, actions, first, last):
        for i in range(first, last):
            actions[i] = random_action(arrays, i, i, stream(game_key(seed), FOR_ACTIONS, i, 0))

    def run_random(arrays, seat_arrays, seed, steps, first, last):
        key = game_key(seed)
        for i in range(first, last):
            draws = stream(key, FOR_ACTIONS, i, 0)
            for _ in range(steps):
                move(arrays, seat_arrays, key, i, i, random_action(arrays, i, i, draws))

    def observe_seats(states, games, seats, observations, masks, first, last):
        for j in range(first, last):
            look(states[games[j]], seats[j], observations[j], masks[j])

    functions: tuple[Any, ...] = (start, step, draw_actions, run_random, observe_seats)
    return BatchFunctions(*map(entry, functions))


@cache
def make_moves(game: Game, pays_result: bool, per_seat: bool) -> tuple[Callable[..., Any], ...]:
    """Three inlined functions for a game of a batch: start it, take an action in it, draw a random one.

    Arguments: (arrays, seat_arrays, key, row, i), the same with an action, and (arrays, row, i, draws). Record,
    observation and mask of game ``i`` lie in ``row`` of their arrays, which on a GPU is another. Each game has a stream
    of random numbers, ``draws``, of which every random action takes the one of its move count.
    """
    num_actions = game.num_actions
    begin_next, observe = _make_begin_next(game), _make_observe(game)
    paid_step, pay_end = make_paid_step(game, pays_result)
    clear, before_move, after_move = _make_credit(game) if per_seat else (_no_credit, _no_credit, _no_credit)

    def start_game(arrays, seat_arrays, key, row, i):
        arrays.played[i] = 0
        arrays.moves[i] = 0
        arrays.rewards[i] = 0.0
        arrays.terminated[i] = False
        clear(arrays, seat_arrays, row, i)
        begin_next(arrays, key, row, i)
        observe(arrays, row, i)

    def move(arrays, seat_arrays, key, row, i, action):
        before_move(arrays, seat_arrays, row, i)
        arrays.moves[i] += 1
        if not pays_result or arrays.terminated[i]:  # else they are 0 already
            arrays.rewards[i] = 0.0
        is_over = paid_step(arrays.states[row], action, arrays.rewards[i]) & OVER != 0
        arrays.terminated[i] = is_over
        if is_over:
            pay_end(arrays.states[row], arrays.rewards[i])
        after_move(arrays, seat_arrays, row, i)
        if is_over:
            begin_next(arrays, key, row, i)
        observe(arrays, row, i)

    def random_action(arrays, row, i, draws):
        return random_flag(arrays.mask_words[row], num_actions, draw(draws, arrays.moves[i]))

    return inlined(start_game), inlined(move), inlined(random_action)


def _make_begin_next(game: Game) -> Callable[..., None]:
    """Inlined (arrays, key, row, i): start the next game at index i."""
    begin = game.rules.begin

    def begin_next(arrays, key, row, i):
        seed = draw(stream(key, FOR_GAMES, i, arrays.played[i]), 0) >> np.uint64(1)
        arrays.seeds[i] = seed
        arrays.played[i] += 1
        begin(arrays.states[row], game_key(seed), DRAWN)

    return inlined(begin_next)


def _make_observe(game: Game) -> Callable[..., None]:
    """Inlined (arrays, row, i): deal if that is due, and write observation and mask of the player to act in game i."""
    deal, encode, legal = make_deal(game), game.rules.encode, game.rules.legal

    def observe(arrays, row, i):
        s = arrays.states[row]
        deal(s)
        arrays.current_player[i] = s.player
        legal(s, arrays.action_masks[row])
        encode(s, s.player, arrays.observations[row])

    return inlined(observe)


# ---------------------------------------------------------------- what a seat's decisions have earned


@inlined
def _no_credit(arrays, seat_arrays, row, i):
    """In place of `_make_credit` in a batch without `SeatArrays`."""


def _make_credit(game: Game) -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    """Three inlined functions (arrays, seat_arrays, row, i): at the start of all games, before and after each move.

    They keep the sum, over the moves since a seat's last decision, of its rewards and of the shaping term
    gamma * potential(now) - potential(then); the potential of a finished game is 0, that of a running one `make_lead`.
    """
    potential, max_players = make_lead(game), game.max_players

    @compiled
    def add_potentials(s, sums, weight):
        for seat in range(s.num_players):
            sums[seat] += weight * potential(s, seat)

    def clear(arrays, seat_arrays, row, i):
        seat_arrays.cumulative_rewards[i] = 0.0

    def before_move(arrays, seat_arrays, row, i):
        s, sums, weight = arrays.states[row], seat_arrays.cumulative_rewards[i], seat_arrays.score_shaping
        if arrays.terminated[i]:
            sums[:] = 0.0
        if weight != 0.0:
            add_potentials(s, sums, -seat_arrays.gamma * weight)
            sums[s.player] = -weight * potential(s, s.player)
        else:
            sums[s.player] = 0.0

    def after_move(arrays, seat_arrays, row, i):
        s, sums, weight = arrays.states[row], seat_arrays.cumulative_rewards[i], seat_arrays.score_shaping
        for seat in range(max_players):
            sums[seat] += arrays.rewards[i, seat]
        if weight != 0.0 and not arrays.terminated[i]:
            add_potentials(s, sums, seat_arrays.gamma * weight)

    return inlined(clear), inlined(before_move), inlined(after_move)

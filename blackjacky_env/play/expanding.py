"""Games expanded from their moves: what every decision saw, and what it earned, in one compiled call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import compiled, entry
from blackjacky_env.compiled.random import game_key
from blackjacky_env.compiled.threads import spread
from blackjacky_env.declare.game import Game, IllegalActionError
from blackjacky_env.declare.layout import Vector
from blackjacky_env.play.step import DRAWN, NONE, is_running, make_begin, make_deal, make_paid_step


class Decisions(NamedTuple):
    """R decisions of whole games, game after game, in the order of play.

    `expand_games` writes into these arrays, which may be parts of longer ones.
    """

    observations: Vector
    """What the player to act saw, `Layout.dtype`, shape (R, K)."""
    masks: npt.NDArray[np.int8]
    """1 for its legal actions, shape (R, A)."""
    actions: npt.NDArray[np.int16]
    """What it chose, shape (R,)."""
    seats: npt.NDArray[np.int8]
    """The player to act, shape (R,)."""
    rewards: npt.NDArray[np.float32]
    """Reward of each seat for this step, 0 for seats that do not exist, shape (R, P)."""
    earned: npt.NDArray[np.float32]
    """Sum of the player's rewards from this step to its next decision, or to the end of the game, shape (R,)."""
    following: npt.NDArray[np.int64]
    """Index of the same player's next decision in the same game, or `NONE`, shape (R,)."""

    def part(self, first: int, last: int) -> Decisions:
        """The rows first .. last - 1, without copying."""
        return Decisions._make(array[first:last] for array in self)


def new_decisions(game: Game, count: int) -> Decisions:
    """Uninitialised arrays for ``count`` decisions."""
    return Decisions(
        np.empty((count, game.layout.size), game.layout.dtype),
        np.empty((count, game.num_actions), np.int8),
        np.empty(count, np.int16),
        np.empty(count, np.int8),
        np.empty((count, game.max_players), np.float32),
        np.empty(count, np.float32),
        np.empty(count, np.int64),
    )


@cache
def _expand_function(game: Game, pays_result: bool) -> Callable[..., None]:
    """Entry (states, seeds, moves, starts, decisions, wrong, first, last): expand the games first .. last - 1.

    The moves of game i are ``moves[starts[i] : starts[i + 1]]``. ``wrong[i]`` becomes the number of the first one that
    cannot be played, their number if the game goes on after them, or `NONE`.
    """
    begin, deal, num_actions = make_begin(game), make_deal(game), game.num_actions
    encode, legal = game.rules.encode, game.rules.legal
    (step, pay_end), players = make_paid_step(game, pays_result), game.max_players

    @compiled
    def expand_game(s, moves, start, end, decisions, latest):
        latest[:] = NONE
        for row in range(start, end):
            if not is_running(s):
                return row - start
            action, seat = np.int64(moves[row]), np.int64(s.player)
            encode(s, seat, decisions.observations[row])
            legal(s, decisions.masks[row])
            if action < 0 or action >= num_actions or not decisions.masks[row, action]:
                return row - start
            if latest[seat] != NONE:
                decisions.following[latest[seat]] = row
            latest[seat] = row
            decisions.actions[row] = action
            decisions.seats[row] = seat
            decisions.earned[row] = 0.0
            decisions.following[row] = NONE
            decisions.rewards[row] = 0.0
            step(s, action, decisions.rewards[row])
            deal(s)
            if not is_running(s):
                pay_end(s, decisions.rewards[row])
            for other in range(len(latest)):
                if latest[other] != NONE:
                    decisions.earned[latest[other]] += decisions.rewards[row, other]
        return end - start if is_running(s) else NONE

    def expand(states, seeds, moves, starts, decisions, wrong, first, last):
        latest = np.empty(players, np.int64)  # decision of each seat
        for i in range(first, last):
            begin(states[i], game_key(seeds[i]), DRAWN)
            wrong[i] = expand_game(states[i], moves, starts[i], starts[i + 1], decisions, latest)

    return entry(expand)


def expand_games(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    moves: npt.NDArray[np.uint16],
    starts: npt.NDArray[np.int64],
    decisions: Decisions,
    reward: str = "win",
    threads: int = 1,
    number: int = 0,
) -> None:
    """Play N whole games from their moves, and write what every decision saw and earned.

    Nothing is trusted: a move is looked up in the mask before the rules see it.

    Args:
        game: the game.
        states: records with options written, shape (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, 0 .. 2**63 - 1, shape (N,).
        moves: the actions of all games, game after game, shape (R,).
        starts: where those of each game begin, and R, ascending, shape (N + 1,).
        decisions: R decisions, to be written.
        reward: ``"win"``, or the game's score reward.
        threads: CPU threads; results do not depend on it.
        number: of the first game, for error messages.

    Raises `IllegalActionError`, naming the first game and move that cannot be, for a move that is illegal or comes
    after the end, and for a game that the moves do not end.
    """
    wrong = np.empty(len(seeds), np.int64)
    expand = _expand_function(game, reward == "win")

    def work(first: int, last: int) -> None:
        expand(states, seeds, moves, starts, decisions, wrong, first, last)

    spread(work, len(seeds), threads)
    if (wrong != NONE).any():
        i = int(np.argmax(wrong != NONE))
        own, place = moves[starts[i] : starts[i + 1]], int(wrong[i])
        why = (
            f"move {place} ({own[place]}) cannot be played; moves were changed"
            if place < len(own)
            else (f"it is not over after its {place} moves; moves are missing")
        )
        raise IllegalActionError(f"game {number + i}: {why}, or the rules are others")

"""The step protocol, written once: apply a move, settle if a round has ended, see whether the game is over, pay."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import compiled, entry, inlined
from blackjacky_env.compiled.results import score_of
from blackjacky_env.declare.fields import CHANCE, NOBODY
from blackjacky_env.declare.game import Game

SETTLED, OVER = 1, 2  # flags of a step
DRAWN = -1  # start player: drawn for each game
NONE, STUCK = -1, -2  # no action: several are legal; none is, which happens in impossible positions alone


@inlined
def is_running(s):
    """Whether somebody is to act: the game has begun and is not over."""
    return s.player != NOBODY


@inlined
def keep_nothing(s):
    """Does nothing: the default of hooks that get the record alone."""


@compiled
def only_legal(mask):
    """The legal action if there is just one; `NONE` if there are several, `STUCK` if there is none."""
    count = 0  # without branches, which would be mispredicted
    for action in range(len(mask)):
        count += mask[action] != 0
    if count == 1:
        for action in range(len(mask)):
            if mask[action]:
                return action
    return NONE if count else STUCK


@inlined
def checked(action, mask):
    """What a policy has chosen, or `STUCK` for an illegal action, which other code would play on with."""
    return action if 0 <= action < len(mask) and mask[action] else STUCK


@entry
def first_illegal(actions, masks, ignored):
    """Entry: the first of N games with an illegal action that is not ignored, or `NONE`.

    ``actions``: int64, (N,). ``masks``: int8, (N, A). ``ignored``: bool, (N,).
    """
    for i in range(len(actions)):  # entry by entry: views of rows take many times as long
        in_range = 0 <= actions[i] < masks.shape[1]
        if not ignored[i] and not (in_range and masks[i, actions[i]]):
            return i
    return NONE


def check_actions(actions: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    """An action for each of ``count`` games, C-contiguous; `TypeError` for no integers, `ValueError` for a shape."""
    given = check_integers("actions", actions)
    if given.shape != (count,):
        raise ValueError(f"actions are of shape {given.shape}; allowed is {(count,)}, one for each game")
    return np.ascontiguousarray(given, np.int64)


def check_integers(name: str, given: npt.ArrayLike) -> npt.NDArray[Any]:
    """``given`` as an array; `TypeError` if they are not integers."""
    array = np.asarray(given)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} are of dtype {array.dtype}; allowed are integers")
    return array


@cache
def make_look(game: Game) -> Callable[..., None]:
    """Compiled (s, seat, observation, mask): write what a seat sees, and its legal actions, none off turn."""
    encode, legal = game.rules.encode, game.rules.legal

    def look(s, seat, observation, mask):
        encode(s, seat, observation)
        if s.player == seat:
            legal(s, mask)
        else:
            mask[:] = 0

    return compiled(look)


@cache
def make_deal(game: Game) -> Callable[..., None]:
    """Inlined (s): deal if that is due."""
    deal = game.rules.deal or keep_nothing

    def deal_if_due(s):
        if s.player == CHANCE:
            deal(s)

    return inlined(deal_if_due)


@cache
def make_begin(game: Game) -> Callable[..., None]:
    """Inlined (s, key, start_player): `Rules.begin`, with the cards dealt."""
    begin, deal = game.rules.begin, make_deal(game)

    def begin_and_deal(s, key, start_player):
        begin(s, key, start_player)
        deal(s)

    return inlined(begin_and_deal)


@cache
def make_step(
    game: Game, before_settling: Callable[..., None] = keep_nothing, deals: bool = True
) -> Callable[..., int]:
    """Inlined (s, action, *more) -> flags: apply a legal action and settle if a round has ended; `STUCK` ends the game.

    The flags are `SETTLED` if a round was settled, and `OVER` if the game is over. ``before_settling`` is a compiled
    function that is called with (s, *more) just before a settlement. Without ``deals`` the caller has to `make_deal`.
    """
    apply, is_settled, settle = game.rules.apply, game.rules.is_settled, game.rules.settle
    deal = make_deal(game) if deals else keep_nothing

    def step(s, action, *more):
        if action == STUCK:
            s.player = NOBODY
            return OVER
        flags = 0
        apply(s, action)
        if is_settled(s):
            before_settling(s, *more)
            settle(s)
            flags = SETTLED
        if not is_running(s):
            flags |= OVER
        deal(s)
        return flags

    return inlined(step)


@cache
def make_shared_step(game: Game) -> Callable[..., int]:
    """Compiled (s, action) -> flags: `make_step` as one shared function, for callers that need no inlining."""
    step = make_step(game)

    def shared_step(s, action):
        return step(s, action)

    return compiled(shared_step)


@cache
def make_scored_step(
    game: Game, before_settling: Callable[..., None] = keep_nothing, deals: bool = True
) -> Callable[..., int]:
    """Inlined (s, action, changes, *more) -> flags: as `make_step`, and write the change of each seat's score.

    ``changes``: float64, (max_players,); 0 for seats that do not exist.
    """
    step, score, size = make_step(game, before_settling, deals), score_of(game.rules), game.max_players

    def scored_step(s, action, changes, *more):
        for seat in range(size):
            changes[seat] = -score(s, seat)
        flags = step(s, action, *more)
        for seat in range(size):
            changes[seat] += score(s, seat)
        return flags

    return inlined(scored_step)


@cache
def make_lead(game: Game) -> Callable[..., float]:
    """Compiled (s, seat) -> the seat's score less the mean score of the table, a learner's potential."""
    score = score_of(game.rules)

    def lead(s, seat):
        total = 0
        for other in range(s.num_players):
            total += score(s, other)
        return score(s, seat) - total / s.num_players

    return compiled(lead)


@cache
def make_paid_step(game: Game, pays_result: bool) -> tuple[Callable[..., int], Callable[..., None]]:
    """Two inlined functions: step, (s, action, rewards) -> flags, and end, (s, rewards), for a game that is over.

    The step does not deal: see `make_deal`.
    ``rewards`` (max_players,) are zeros. Either the step writes the score changes, or the end writes the result, just
    before the next game starts; a separate check after each step would take longer than the step.
    """
    step = make_step(game, deals=False)

    def unpaid_step(s, action, rewards):
        return step(s, action)

    def pay_nothing(s, rewards):
        pass

    if pays_result:
        return inlined(unpaid_step), game.rules.returns
    return make_scored_step(game, deals=False), inlined(pay_nothing)

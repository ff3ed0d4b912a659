"""What a seat recalls of a game, as 128 bits: equal for two histories exactly if the seat cannot tell them apart.

A seat hears who took which action, as far as it may know it, and after every action sees its observation and its mask.
Its *key* is a hash of all that, in order, so it has perfect recall and identifies the seat's information state. Seats
are relative in what is hashed: the same history, seen from another chair, has the same key. Two different histories
have the same key with a probability of about 2**-128.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import PLAIN, compiled, entry, inlined
from blackjacky_env.compiled.random import draw
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.play.step import make_look

Keys = npt.NDArray[np.uint64]
"""Keys of seats, (..., P, 2)."""

_MULTIPLIER, _OTHER_MULTIPLIER = map(np.uint64, (0xD1342543DE82EF95, 0xAF251AF3B0F025B5))  # from L'Ecuyer's tables
_SHIFT, _OTHER_SHIFT = np.uint64(32), np.uint64(29)


@cache
def sounds(game: Game) -> npt.NDArray[np.int64]:
    """By phase and action: the first action that others cannot tell from it, shape (phases, A)."""
    first: dict[Any, int] = {}
    infos, phases = game.words.actions.infos, game.words.phases
    return np.array(
        [[first.setdefault((phase, info.heard(phase)), i) for i, info in enumerate(infos)] for phase in phases]
    )


@inlined
def absorb(low, high, word):
    """Two 64-bit hashes of different kinds, with another word (uint64) taken in."""
    low = (low ^ word) * _MULTIPLIER
    high = (high + word) * _OTHER_MULTIPLIER
    return low ^ (low >> _SHIFT), high ^ (high >> _OTHER_SHIFT)


if PLAIN:  # plain NumPy scalars warn where compiled code wraps silently
    absorb = np.errstate(over="ignore")(absorb)


class Ear(NamedTuple):
    """Arrays for listening: what a seat sees, in place."""

    words: npt.NDArray[np.uint64]
    """The memory of the other two."""
    seen: npt.NDArray[Any]
    """The observation, (K,)."""
    mask: npt.NDArray[np.int8]
    """The mask, (A,)."""


def new_ear(game: Game) -> Ear:
    """Arrays for one thread to listen with."""
    size = game.layout.size * game.layout.dtype.itemsize
    words = np.zeros(-(-(size + game.num_actions) // 8), np.uint64)
    data = words.view(np.int8)
    return Ear(words, data[:size].view(game.layout.dtype), data[size : size + game.num_actions])


@cache
def make_phase(game: Game) -> Callable[..., int]:
    """Compiled (s) -> the number of the phase, if it decides what is secret, else 0."""
    field = game.words.phase_field

    def phase(s):
        return int(s[field])

    def none(s):
        return 0

    return compiled(phase if field else none)


@cache
def make_listen(game: Game) -> Callable[..., None]:
    """Compiled (s, actor, action, phase, keys, ear): let every seat hear an action and see the position after it.

    ``phase`` is that before the action; at the start of a game ``actor`` is `NOBODY` and ``keys`` (P, 2) are zeros.
    """
    look, heard, actions = make_look(game), sounds(game), game.num_actions

    def listen(s, actor, action, phase, keys, ear):
        players = int(s.num_players)
        for seat in range(players):
            word = np.uint64(0)
            if actor != NOBODY:
                what = action if actor == seat else heard[phase, action]
                word = np.uint64(1 + (actor - seat + players) % players * actions + what)
            look(s, seat, ear.seen, ear.mask)
            low, high = absorb(keys[seat, 0], keys[seat, 1], word)
            for i in range(len(ear.words)):
                low, high = absorb(low, high, ear.words[i])
            keys[seat, 0], keys[seat, 1] = draw(low, 0), draw(high, 0)

    return compiled(listen)


@cache
def listener(game: Game) -> Callable[..., None]:
    """Entry (states, actor, action, phase, keys, ear): `make_listen` for the first of an array of records."""
    listen = make_listen(game)

    def hear(states, actor, action, phase, keys, ear):
        listen(states[0], actor, action, phase, keys, ear)

    return entry(hear)

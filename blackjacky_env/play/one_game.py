"""The compiled entries of a single game, which Python calls on arrays of one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from blackjacky_env.compiled import random
from blackjacky_env.compiled.compiling import entry, inlined
from blackjacky_env.compiled.results import deal_nothing
from blackjacky_env.compiled.tiers import begin_plainly
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.play.step import OVER, SETTLED, STUCK, make_begin, make_look, make_scored_step, only_legal

PAID = 4  # a flag beside those of `play.step`: a score has changed


@dataclass
class GameFunctions:
    """A game's functions as Python calls them, on arrays of one record (passing whole arrays is cheap)."""

    game_key: Callable[[int], Any]
    """(seed) -> uint64 key."""
    begin: Callable[..., None]
    """(states, key, start_player; -1: drawn)."""
    redeal: Mapping[str, Callable[..., None]]
    """By reset option, and `Game.dealt`: (states, deck int8 array, top first, or outcomes of draws int64 array)."""
    stack: Callable[..., None] | None
    """(states, deck int8 array, top first): `Reshuffle.stack`; None: the game has no reshuffles."""
    step: Callable[..., int]
    """(states, action, paid, observation, mask) -> SETTLED | OVER | PAID.

    ``states``: the game and a copy made at its last settlement. ``paid`` (float64, (2, max_players)) gets the result
    and the score changes, ``observation`` and ``mask`` those of the next player, unless the game is over.
    """
    look: Callable[..., None]
    """(states, seat, observation, mask): write the seat's observation and mask."""
    sample: Callable[..., None]
    """(observation, bits uint64, states): write a position that shows the observation to seat 0."""


@cache
def game_functions(game: Game) -> GameFunctions:
    """Compile a game's entries (lazily, each at its first call, or from the cache on disk)."""
    _begin, _sample, _look, returns = make_begin(game), game.rules.sample, make_look(game), game.rules.returns
    _game_key, scored_step = random.game_key, make_scored_step(game, _keep_settled)

    def game_key(seed):
        return _game_key(seed)

    def begin(states, key, start_player):
        _begin(states[0], key, start_player)

    def step(states, action, paid, observation, mask):
        s = states[0]
        flags = scored_step(s, action, paid[1], states)
        if paid[1].any():
            flags |= PAID
        if flags & OVER:
            returns(s, paid[0])
        else:
            _look(s, s.player, observation, mask)
            if only_legal(mask) == STUCK:
                s.player = NOBODY
                flags |= OVER
        return flags

    def look(states, seat, observation, mask):
        _look(states[0], seat, observation, mask)

    def sample(observation, bits, states):
        _sample(observation, bits, states[0])

    dealt = {game.dealt: game.rules.redeal or deal_nothing}
    dealt |= {name: deck.redeal for name, deck in game.extra_decks.items()}
    redeal = {name: _make_rigged(each) for name, each in dealt.items()}
    stack = None if game.reshuffle is None else _make_rigged(game.reshuffle.stack)
    made = GameFunctions(entry(game_key), entry(begin), redeal, stack, entry(step), entry(look), entry(sample))
    begin_plainly(made, "begin", "step", "look", "sample")
    return made


def _make_rigged(lay: Callable[..., None]) -> Callable[..., None]:
    def lay_cards(states, deck):
        lay(states[0], deck)

    return entry(lay_cards)


@inlined
def _keep_settled(s, states):
    states[1] = s


def has_reshuffled(game: Game, before: np.ndarray[Any, Any], after: np.ndarray[Any, Any], flags: int) -> bool:
    """Whether a step, from the states ``before`` to those ``after`` with these flags, has shuffled within the deal."""
    if game.reshuffle is None:
        return False
    count = game.reshuffle.count  # which a settlement clears
    return bool(after[count][int(flags & SETTLED > 0)] > before[count][0])

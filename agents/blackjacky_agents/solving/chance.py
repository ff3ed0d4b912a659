"""What can follow an action: the outcomes of chance with their probabilities, in compiled code.

A *world* is a state record without its key. Chance is where the rules would draw from the key: a deal of cards or
draws, a reshuffle, and the order of the game's `Pile`. Each is tried in every distinct way that matters. Everything
else that depended on the key would be overlooked, so the first world of each position is played with two keys, the
start with many, and must not differ; nor may `redeal` use the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled import compiled, deal_nothing, draw, inlined, zeros
from blackjacky_env.declare import Game
from blackjacky_env.play import (
    DEPTH,
    KINDS,
    OVER,
    SETTLED,
    SIZE,
    Deck,
    Dice,
    Orders,
    advance,
    decide_next,
    gather,
    lay_deck,
    make_begin,
    make_deck,
    make_step,
    new_orders,
)

FINE, HIDDEN_CHANCE, STUCK_RESHUFFLE = 0, -1, -2
"""Whether an action's outcomes are all those that chance has."""
_RESTACKED = 1
_MOST_IN_PILE = 128  # kinds of cards, and cards: they are int8
_OPENINGS = 64  # keys with which a game is started
_BASE, PLAYED, _SETTLED, DEALT, _OTHER, _OTHER_SETTLED = range(6)  # places in `Desk.records`


class Desk(NamedTuple):
    """Arrays with which one thread plays actions."""

    records: npt.NDArray[Any]
    """The world before the action, as played, as settled, dealt anew, and played with another key."""
    data: npt.NDArray[np.uint64]  # the same memory by record, (records, W)
    deck: Deck | Dice
    kinds: npt.NDArray[np.int64]  # the kinds of cards in the pile
    orders: Orders  # of the pile
    keys: npt.NDArray[np.uint64]  # of the world as played, and the other one, a new one each time, (2,)


def new_desk(game: Game, num_players: int, options: Mapping[str, Any]) -> Desk:
    """Arrays for one thread."""
    records = zeros(6, game.state_dtype)
    data = records.view(np.ndarray).view(np.uint64).reshape(len(records), -1)
    pile = new_orders(_MOST_IN_PILE, _MOST_IN_PILE)
    kinds = np.zeros(_MOST_IN_PILE, np.int64)
    return Desk(records, data, make_deck(game, num_players, options), kinds, pile, np.zeros(2, np.uint64))


def told_by_key(desk: Desk) -> str:
    """The first field that differs with the key, after `HIDDEN_CHANCE`, in words."""
    is_dealt = desk.records["deals"][PLAYED] > desk.records["deals"][_BASE]
    found = desk.records[[DEALT if is_dealt else PLAYED, _OTHER]]
    name = next(name for name in found.dtype.names or () if not np.array_equal(*found[name]))
    return f"the field {name} is {' with one key, '.join(map(str, found[name].tolist()))} with another"


@cache
def make_expand(game: Game, emit: Callable[..., int]) -> Callable[..., int]:
    """Compiled (desk, worlds, w, action, is_first, *more) -> status: tell ``emit`` every outcome of an action.

    ``emit`` is compiled: (desk, place of the record in `Desk.records`, chance, is_over, *more) -> `FINE`, or a status
    that ends it all.
    """
    play, deal, differs, restack = _make_play(game), _make_deal(game, emit), _make_differs(game), _make_restack(game)
    left, arrange = _pile_of(game).left, _pile_of(game).arrange

    def expand(desk, worlds, w, action, is_first, *more):
        records = desk.records
        records[_BASE] = worlds[w]
        arrange(desk)
        flags = play(desk, PLAYED, 0, action)
        restacked = restack(desk, flags)
        if restacked == STUCK_RESHUFFLE:
            return STUCK_RESHUFFLE
        if restacked == _RESTACKED:
            arrange(desk)
            flags = play(desk, PLAYED, 0, action)
        while True:
            if left(records[_BASE]) - left(records[_SETTLED if flags & SETTLED else PLAYED]) > desk.orders.at[DEPTH]:
                decide_next(desk.orders)
            else:
                is_dealt = records[PLAYED].deals > records[_BASE].deals
                if is_first:
                    desk.keys[1] = draw(desk.keys[1], 0)
                    play(desk, _OTHER, 1, action)
                    if differs(desk, is_dealt):
                        return HIDDEN_CHANCE
                is_first = False
                chance = desk.orders.chances[desk.orders.at[DEPTH]]
                is_over = (flags & OVER) != 0
                status = deal(desk, chance, *more) if is_dealt else emit(desk, PLAYED, chance, is_over, *more)
                if status != FINE or not advance(desk.orders):
                    return status
            flags = play(desk, PLAYED, 0, action)

    return compiled(expand)


@cache
def make_open(game: Game, emit: Callable[..., int]) -> Callable[..., int]:
    """Compiled (desk, blank, *more) -> status: tell ``emit``, as for `make_expand`, every first deal.

    ``blank``: an array of one record with options written. Seat 0 starts.
    """
    begin, deal, differs = make_begin(game), _make_deal(game, emit), _make_differs(game)

    def open_game(desk, blank, *more):
        records = desk.records
        records[PLAYED] = blank[0]
        begin(records[PLAYED], desk.keys[0], 0)
        records[PLAYED].key = 0
        for _ in range(_OPENINGS):
            desk.keys[1] = draw(desk.keys[1], 0)
            records[_OTHER] = blank[0]
            begin(records[_OTHER], desk.keys[1], 0)
            if differs(desk, True):
                return HIDDEN_CHANCE
        return deal(desk, 1.0, *more)

    return compiled(open_game)


# ---------------------------------------------------------------- an action


@inlined
def _keep(s, states):
    """The world as it is settled."""
    states[1] = s


@cache
def _make_play(game: Game) -> Callable[..., int]:
    """Compiled (desk, place, key, action) -> flags: take an action, with the pile as arranged.

    The record at ``place`` is the world after it, the next one that at the settlement.
    """
    step, lay, clear = make_step(game, _keep), _pile_of(game).lay, _pile_of(game).clear

    def play(desk, place, key, action):
        states = desk.records[place : place + 2]
        states[0] = desk.records[_BASE]
        s = states[0]
        s.key = desk.keys[key]
        lay(desk, s)
        flags = step(s, action, states)
        s.key = 0
        clear(s)
        return flags

    return compiled(play)


@cache
def _make_differs(game: Game) -> Callable[..., bool]:
    """Compiled (desk, is_dealt) -> whether the world as played is another one with another key, deals aside."""
    redeal, clear = game.rules.redeal or deal_nothing, _pile_of(game).clear

    def differs(desk, is_dealt):
        records, place = desk.records, PLAYED
        if is_dealt:
            place = DEALT
            records[DEALT] = records[PLAYED]
            records[_OTHER].key = desk.keys[1]
            for each in (DEALT, _OTHER):
                redeal(records[each], desk.deck.laid)
                clear(records[each])
            records[_OTHER].key = 0
        for i in range(desk.data.shape[1]):
            if desk.data[place, i] != desk.data[_OTHER, i]:
                return True
        return False

    return compiled(differs)


# ---------------------------------------------------------------- deals


@cache
def _make_deal(game: Game, emit: Callable[..., int]) -> Callable[..., int]:
    """Compiled (desk, chance, *more) -> status: tell ``emit`` every deal of the world as played."""
    pile, redeal = _pile_of(game), game.rules.redeal or deal_nothing
    left_in_pile, clear = pile.left, pile.clear
    if game.draws is not None:
        return _make_roll(redeal, emit)

    def deal(desk, chance, *more):
        deck, records = desk.deck, desk.records
        gather(deck)
        while True:
            lay_deck(deck)
            records[DEALT] = records[PLAYED]
            redeal(records[DEALT], deck.laid)
            clear(records[DEALT])
            depth = deck.orders.at[DEPTH]
            if len(deck.cards) - left_in_pile(records[DEALT]) > depth:
                decide_next(deck.orders)
                continue
            status = emit(desk, DEALT, chance * deck.orders.chances[depth], False, *more)
            if status != FINE or not advance(deck.orders):
                return status

    return compiled(deal)


def _make_roll(redeal: Callable[..., None], emit: Callable[..., int]) -> Callable[..., int]:
    """The same for every outcome of the draws."""

    def roll(desk, chance, *more):
        dice, records = desk.deck, desk.records
        ways = dice.sizes.prod()
        for way in range(ways):
            rest = way
            for i in range(len(dice.sizes)):
                dice.laid[i] = rest % dice.sizes[i]
                rest //= dice.sizes[i]
            records[DEALT] = records[PLAYED]
            redeal(records[DEALT], dice.laid)
            status = emit(desk, DEALT, chance / ways, False, *more)
            if status != FINE:
                return status
        return FINE

    return compiled(roll)


# ---------------------------------------------------------------- the pile


class _PileCode(NamedTuple):
    """Compiled functions of the cards that are drawn from the top alone; without such cards they do nothing."""

    left: Callable[..., int]  # (s) -> number of cards in it
    arrange: Callable[..., None]  # (desk): arrange that of the world before the action anew, no card decided
    lay: Callable[..., None]  # (desk, s): lay that of ``s`` as arranged
    clear: Callable[..., None]  # (s): zeros in place of whatever stands above it


@cache
def _pile_of(game: Game) -> _PileCode:
    if game.pile is None:
        none = compiled(lambda s: None)
        return _PileCode(compiled(lambda s: 0), compiled(_arrange_nothing), compiled(lambda desk, s: None), none)
    cards, count = game.pile.cards, game.pile.count

    def arrange(desk):
        s, orders, kinds = desk.records[_BASE], desk.orders, 0
        for i in range(int(s[count])):
            card, place = int(s[cards][i]), kinds
            while place > 0 and desk.kinds[place - 1] > card:
                place -= 1
            if place > 0 and desk.kinds[place - 1] == card:
                orders.left[place - 1] += 1
                continue
            for k in range(kinds, place, -1):
                desk.kinds[k], orders.left[k] = desk.kinds[k - 1], orders.left[k - 1]
            desk.kinds[place], orders.left[place] = card, 1
            kinds += 1
        orders.at[DEPTH], orders.at[SIZE], orders.at[KINDS] = 0, int(s[count]), kinds

    def lay(desk, s):
        orders, place = desk.orders, 0
        for kind in range(orders.at[KINDS] - 1, -1, -1):  # as `lay_deck` leaves them
            for _ in range(orders.left[kind]):
                s[cards][place] = desk.kinds[kind]
                place += 1
        for i in range(orders.at[DEPTH] - 1, -1, -1):
            s[cards][place] = desk.kinds[orders.chosen[i]]
            place += 1

    def clear(s):
        for place in range(int(s[count]), len(s[cards])):
            s[cards][place] = 0

    return _PileCode(compiled(lambda s: int(s[count])), compiled(arrange), compiled(lay), compiled(clear))


def _arrange_nothing(desk):
    desk.orders.at[:] = 0


@cache
def _make_restack(game: Game) -> Callable[..., int]:
    """Compiled (desk, flags) -> `FINE`, `_RESTACKED` or `STUCK_RESHUFFLE`: put what the action shuffled into the pile.

    That is possible if the pile of the world before it is empty; chance then decides what is drawn from it.
    """
    if game.reshuffle is None:
        return compiled(lambda desk, flags: FINE)
    count, stack = game.reshuffle.count, game.reshuffle.stack
    has_pile, left = game.pile is not None, _pile_of(game).left

    def restack(desk, flags):
        before, after = desk.records[_BASE], desk.records[_SETTLED if flags & SETTLED else PLAYED]
        if after[count] <= before[count]:
            return FINE
        if not has_pile or left(before) > 0:
            return STUCK_RESHUFFLE
        stack(before, desk.deck.cards)
        return _RESTACKED

    return compiled(restack)

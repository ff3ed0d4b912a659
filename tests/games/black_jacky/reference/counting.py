"""Every line of play of a small game, one after the other, by the reference implementation; nothing is merged."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

from .rules import Cards, ReferenceGame


def count_lines(options: Mapping[str, Any], decks: Iterable[Cards], depth: int | None) -> list[tuple[int, int, int]]:
    """By depth: lines of play, distinct positions, and lines that have ended; at most ``depth`` actions deep."""
    lines: Counter[int] = Counter()
    ended: Counter[int] = Counter()
    positions: dict[int, set[str]] = {}

    def follow(game: ReferenceGame, done: int) -> None:
        lines[done] += 1
        ended[done] += game.over
        snapshot = {**game.snapshot(), "last_settlement": None, "known": None, "public": None}  # these are history
        positions.setdefault(done, set()).add(repr(snapshot))
        if done != depth:
            for action in game.legal_actions():
                for after in outcomes(game, action):
                    follow(after, done + 1)

    for deck in decks:
        follow(started(options, deck), 0)
    return [(lines[done], len(positions[done]), ended[done]) for done in sorted(lines)]


def started(options: Mapping[str, Any], deck: Cards) -> ReferenceGame:
    """A game that player 0 starts; every round is dealt from this deck."""
    game = ReferenceGame(**options)
    game.start(0, lambda _: deck)
    return game


class Reshuffle(Exception):  # noqa: N818  # it asks for an order, it is no error
    """The draw pile is to be made anew (R14)."""


def outcomes(game: ReferenceGame, action: int) -> Iterator[ReferenceGame]:
    """The game after this action: once, or once for every distinct order of a reshuffle."""

    def ask(cards: Cards) -> Cards:
        raise Reshuffle(cards)

    try:
        yield stepped(game, action, ask)
    except Reshuffle as wanted:
        orders = set(permutations(wanted.args[0]))
    else:
        return
    for order in sorted(orders):
        yield stepped(game, action, lambda _, order=order: list(order))


def stepped(game: ReferenceGame, action: int, reshuffle: Callable[[Cards], Cards]) -> ReferenceGame:
    """A copy of the game in which the action was taken. Known cards change nothing here, so copies share them."""
    other = copy.copy(game)
    other.players = [replace(p, hand=list(p.hand), display=list(p.display)) for p in game.players]
    other.draw_pile, other.discards = list(game.draw_pile), list(game.discards)
    other.last_turns = None if game.last_turns is None else list(game.last_turns)
    other.exchange = copy.deepcopy(game.exchange)
    other.reshuffle = reshuffle
    other.step(action)
    return other

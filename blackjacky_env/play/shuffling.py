"""Every distinct way to shuffle cards or to draw, with its probability, for solvers and for OpenSpiel.

Cards of a kind are alike. An arrangement decides the first ``depth`` cards from the top; the others lie in the order of
their kinds. Chance decides one more card only when the rules have drawn that far, so that orders which differ in cards
that nobody draws are one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import compiled, copied, entry
from blackjacky_env.declare.game import Game
from blackjacky_env.play.one_game import game_functions

MOST_ORDERS = 400_000  # of the cards, at one chance node
MOST_STACKED = 1_000  # the same where cards are reshuffled
_KEPT = 1_000_000  # orders that `Shuffles.after` keeps
Records = npt.NDArray[Any]
Order = npt.NDArray[np.int8] | npt.NDArray[np.int64]
"""A deck, top first, (C,), or the outcomes of draws, (D,)."""
Way = TypeVar("Way")


class Orders(NamedTuple):
    """An arrangement of up to C cards of up to K kinds."""

    left: npt.NDArray[np.int64]
    """By kind: cards that are not decided, (K,)."""
    chosen: npt.NDArray[np.int64]
    """The kinds of the cards decided, top first, (C,)."""
    chances: npt.NDArray[np.float64]
    """The probability of the first cards decided, by their number, (C + 1,)."""
    at: npt.NDArray[np.int64]
    """`DEPTH`, the number of cards decided, `SIZE`, that of all cards, and `KINDS`, that of kinds, (3,)."""


DEPTH, SIZE, KINDS = range(3)


def new_orders(kinds: int, cards: int) -> Orders:
    """Arrays for up to so many kinds and cards."""
    return Orders(np.zeros(kinds, np.int64), np.zeros(cards, np.int64), np.ones(cards + 1), np.zeros(3, np.int64))


@compiled
def decide_next(orders):
    """Decide one more card from the top: the first kind that is left."""
    depth = orders.at[DEPTH]
    orders.at[DEPTH] = depth + 1
    _choose(orders, depth, 0)


@compiled
def advance(orders):
    """The next arrangement; False after the last."""
    while orders.at[DEPTH] > 0:
        depth = orders.at[DEPTH] - 1
        kind = orders.chosen[depth]
        orders.left[kind] += 1
        if _choose(orders, depth, kind + 1):
            return True
        orders.at[DEPTH] = depth
    return False


@compiled
def _choose(orders, depth, first):
    """Put a card of kind ``first`` or a later one at this depth; False if none is left."""
    for kind in range(first, orders.at[KINDS]):
        if orders.left[kind] > 0:
            chance = orders.left[kind] / (orders.at[SIZE] - depth)
            orders.chances[depth + 1] = orders.chances[depth] * chance
            orders.chosen[depth] = kind
            orders.left[kind] -= 1
            return True
    return False


# ---------------------------------------------------------------- decks and dice


class Deck(NamedTuple):
    """The cards of a deal by kind, and the arrangement that is being tried."""

    cards: npt.NDArray[np.int8]
    """All cards, kind by kind, (C,)."""
    starts: npt.NDArray[np.int64]
    """Where each kind begins, and the end, (kinds + 1,)."""
    laid: npt.NDArray[np.int8]
    """The deck as it lies, top first, (C,)."""
    orders: Orders

    def ways(self, length: int) -> tuple[int, str]:
        """In how many ways the first ``length`` cards can lie, also in words."""
        count = count_orders(np.diff(self.starts).tolist(), length)
        return count, f"{length} of {len(self.laid)} cards can lie in {in_digits(count)} distinct orders"


class Dice(NamedTuple):
    """The draws of a deal, and the outcomes that are being tried."""

    sizes: npt.NDArray[np.int64]
    """The number of outcomes of each, (D,)."""
    laid: npt.NDArray[np.int64]
    """Outcomes from 0 on, (D,)."""

    def ways(self, length: int) -> tuple[int, str]:
        """How many outcomes all draws have together, also in words."""
        count = math.prod(self.sizes.tolist())
        return count, f"{length} draws have {in_digits(count)} outcomes"


def make_deck(game: Game, num_players: int, options: Mapping[str, Any]) -> Deck | Dice:
    """What is dealt at a table; cards of one name are one kind."""
    if game.draws is not None:
        sizes = np.array([len(each) for each in game.draws(num_players, options)], np.int64)
        return Dice(sizes, np.zeros_like(sizes))
    whole, names = list(game.whole_deck(num_players, options)), game.card_names
    kinds = sorted({names[card] for card in whole}, key=names.index)
    groups = [[card for card in whole if names[card] == kind] for kind in kinds]
    cards = np.array([card for group in groups for card in group], np.int8)
    starts = np.cumsum([0, *map(len, groups)]).astype(np.int64)
    return Deck(cards, starts, cards.copy(), new_orders(len(kinds), len(cards)))


@compiled
def gather(deck):
    """Take all cards together, none of them decided."""
    kinds = len(deck.starts) - 1
    deck.orders.at[DEPTH], deck.orders.at[SIZE], deck.orders.at[KINDS] = 0, len(deck.cards), kinds
    for kind in range(kinds):
        deck.orders.left[kind] = deck.starts[kind + 1] - deck.starts[kind]


@compiled
def lay_deck(deck):
    """Lay the deck as arranged, top first."""
    orders, place = deck.orders, 0
    for i in range(orders.at[DEPTH]):
        kind = orders.chosen[i]
        earlier = 0
        for j in range(i):
            earlier += orders.chosen[j] == kind
        deck.laid[place] = deck.cards[deck.starts[kind] + earlier]
        place += 1
    for kind in range(orders.at[KINDS]):
        for i in range(deck.starts[kind + 1] - orders.left[kind], deck.starts[kind + 1]):
            deck.laid[place] = deck.cards[i]
            place += 1


# ---------------------------------------------------------------- everything that a shuffle can bring


def count_orders(copies: Sequence[int], length: int) -> int:
    """In how many ways the first ``length`` cards can lie, with so many copies of each kind of card."""
    ways = [1, *[0] * length]  # by cards laid
    for most in copies:
        ways = [
            sum(ways[before] * math.comb(laid, before) for before in range(max(0, laid - most), laid + 1))
            for laid in range(length + 1)
        ]
    return ways[length]


def all_orders(dealt: Deck | Dice) -> Order:
    """Every distinct order of a deck, top first, in ascending order of its kinds, (N, C), or outcome of draws, (N, D).

    Raises `ValueError` if there are more than `MOST_ORDERS`.
    """
    count, told = dealt.ways(len(dealt.laid))
    if count > MOST_ORDERS:
        raise ValueError(f"{told}; allowed are {MOST_ORDERS:,}")
    if isinstance(dealt, Dice):
        return np.array([*itertools.product(*map(range, dealt.sizes))], np.int64)
    orders = np.zeros((count, len(dealt.laid)), np.int8)
    _write_orders(dealt, orders)
    return orders


def in_digits(count: int) -> str:
    """A number for people, which may be too large for a float."""
    return f"{count:,}" if count < 10**9 else f"{Decimal(count):.2g}"


@entry
def _write_orders(deck, orders):
    gather(deck)
    for i in range(len(orders)):
        while deck.orders.at[DEPTH] < len(deck.cards):
            decide_next(deck.orders)
        lay_deck(deck)
        for place in range(len(deck.laid)):  # assigning the row compiles three seconds of error messages
            orders[i, place] = deck.laid[place]
        advance(deck.orders)


class Shuffles:
    """All first deals, later deals and reshuffles of a small deck; orders that lead to the same position are one.

    So are outcomes of draws. ``blank``: records (2,), the first with options written. `ValueError` as `all_orders`.
    """

    def __init__(self, game: Game, blank: Records, dealt: Deck | Dice) -> None:
        self.orders = all_orders(dealt)
        self._game, self._blank, self._functions = game, blank, game_functions(game)
        self._redeal = self._functions.redeal[game.dealt]
        self._later: dict[tuple[bytes, int], list[tuple[Order, float]]] = {}
        self._kept = 0  # orders in `_later`

    def openings(self, starts: Sequence[int]) -> list[tuple[tuple[Order, int], float]]:
        """The orders and start players of the first deal, with their probabilities; ``starts``: equally likely."""

        def open_game(records: Records, opening: tuple[Order, int]) -> None:
            deck, start = opening
            self._functions.begin(records, np.uint64(0), start)
            self._redeal(records, deck)

        return _merged(self._blank, list(itertools.product(self.orders, starts)), open_game)

    def after(self, records: Records, action: int) -> list[tuple[Order, float]]:
        """The orders in which an action may deal or reshuffle, with their probabilities.

        Empty if it does neither, and for a reshuffle of a deck with more than `MOST_STACKED` orders: keys decide.
        """
        place = records.tobytes(), action
        if (known := self._later.get(place)) is not None:
            return known
        dealt = copied(records)
        step_with(self._game, dealt, action)
        orders: list[tuple[Order, float]] = []
        if dealt["deals"][0] > records["deals"][0]:
            orders = _merged(dealt, list(self.orders), self._redeal)
        elif len(self.orders) <= MOST_STACKED and self._functions.stack is not None:
            stacked = [order for order, _ in _merged(records, list(self.orders), self._functions.stack)]
            orders = _merged(records, stacked, lambda after, order: step_with(self._game, after, action, order))
        self._kept += len(orders) + 1
        if self._kept > _KEPT:
            self._later.clear()
            self._kept = len(orders) + 1
        self._later[place] = orders
        return orders


def _merged(records: Records, ways: Sequence[Way], apply: Callable[[Records, Way], object]) -> list[tuple[Way, float]]:
    """Equally likely ways to shuffle, with their probabilities; those that make equal records are one."""
    found: dict[bytes, tuple[Way, int]] = {}
    after = copied(records)
    for way in ways:
        after[:] = records
        apply(after, way)
        first, count = found.get(after.tobytes(), (way, 0))
        found[after.tobytes()] = first, count + 1
    return [(way, count / len(ways)) for way, count in found.values()]


def step_with(
    game: Game, records: Records, action: int, order: Order | None = None
) -> tuple[int, npt.NDArray[np.float64]]:
    """Take an action in records (2,); cards that it deals or reshuffles lie in an order of the deck, if one is given.

    Returns the flags of the step and the results, (max_players,).
    """
    functions, deals, paid = game_functions(game), int(records["deals"][0]), np.zeros((2, game.max_players))
    if order is not None and functions.stack is not None:
        functions.stack(records, order)
    flags = functions.step(records, action, paid, *game.new_arrays())
    if order is not None and records["deals"][0] > deals:
        functions.redeal[game.dealt](records, order)
    return flags, paid[0]

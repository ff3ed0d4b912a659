"""Whether deals are what a game declares: no other chance, each outcome as often, and independent of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import copied, zeros
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.shuffling import step_with
from blackjacky_env.testing.trial import Trial

_KEYS, _MOVES = 64, 2_000  # with which a game is started; that are made with two keys
_MOST_DEALS = 3  # of one game, which are compared with each other
_FEWEST, _MOST_ENTRIES = 2_000, 2_000_000  # deals; entries of records, in all of them
_ROUNDS, _FALSE_ALARM = 4, 1e-9  # random functions of the values; probability that a right game fails

Array = npt.NDArray[Any]
Move = tuple[Array, int] | None
"""A record (1,) and an action there; None: the start of a game."""


class Table(NamedTuple):
    """A table."""

    game: Game
    num_players: int
    variant: str
    options: dict[str, Any]


Moment = tuple[Array, Array, Array, int, int | None]
"""Records (2,), mask and result, arrays that are used again; the number of the action taken next, None at the end."""


def play(at: Table, rng: np.random.Generator, most: int, policy: Any = None, *parameters: Array) -> Iterator[Moment]:
    """One game: by a policy with parameters, or by a preference for some actions, which is strict or not."""
    functions, (seen, mask), paid = game_functions(at.game), at.game.new_arrays(), np.zeros((2, at.game.max_players))
    records, places = zeros(2, at.game.state_dtype), 99.0 * np.arange(at.game.num_actions)
    records[:1] = at.game.new_state(*at[1:])
    functions.begin(records, rng.integers(2**64, dtype=np.uint64), -1)
    functions.look(records, int(records["player"][0]), seen, mask)
    tastes = [-places, places, rng.permutation(places), 1.5 * rng.normal(size=len(places))]
    likes = tastes[int(rng.integers(len(tastes)))]  # the first legal action often makes the longest game
    for number in range(most):
        legal = np.flatnonzero(mask)
        action = int(legal[(likes[legal] + rng.gumbel(size=len(legal))).argmax()])
        if policy is not None and len(legal) > 1:
            action = int(policy(seen.copy(), mask.copy(), rng.integers(2**64, dtype=np.uint64), *parameters))
        yield records, mask, paid[0], number, action
        functions.step(records, action, paid, seen, mask)
        if records["player"][0] == NOBODY:
            yield records, mask, paid[0], number + 1, None
            return


def compare_chance(trial: Trial, at: Table) -> None:
    """Nothing else is drawn from the key than what `redeal` takes, and deals are those that are declared."""
    rng, made, deals = np.random.default_rng(trial.seed), _Made(at), dict[int, Move]()
    moves: list[Move] = [None] * _KEYS
    while len(moves) < _MOVES:
        moves += [(copied(s[:1]), action) for s, *_, action in play(at, rng, trial.max_steps) if action is not None]
    for move in moves:
        order = made.random_order(rng)
        one, other = (made.after(move, key, order) for key in rng.integers(2**64, size=2, dtype=np.uint64))
        for name in one.dtype.names or ():
            if name != "key" and not np.array_equal(one[name], other[name]):
                trial.fail(
                    "something beside the deck and declared reshuffles or draws is drawn from the key; the field "
                    f"{name} is {one[name][0].tolist()} with one key, {other[name][0].tolist()} with another"
                )
        if one["deals"][0] > (0 if move is None else move[0]["deals"][0]) and len(deals) < _MOST_DEALS:
            deals.setdefault(int(one["deals"][0]), move)
    if at.game.dealt and deals:
        _check_deals(trial, at, [*deals.values()], made)


class _Made:
    """Positions as made from a key, or from an order of the cards or outcomes."""

    def __init__(self, at: Table) -> None:
        self._game, self._functions, self._blank = at.game, game_functions(at.game), zeros(2, at.game.state_dtype)
        self._blank[:1] = at.game.new_state(*at[1:])
        self._sizes = [len(each) for each in at.game.draws(at.num_players, at.options)] if at.game.draws else []
        extra = {name: [card for card, _ in deck.cards(at.num_players)] for name, deck in at.game.extra_decks.items()}
        decks = {"deck": at.game.whole_deck(at.num_players, at.options), **extra} if at.game.dealt == "deck" else extra
        self._decks = {name: np.array(deck, np.int8) for name, deck in decks.items()}

    def random_order(self, rng: np.random.Generator) -> dict[str, Array]:
        """By what is dealt: an order of the cards, or outcomes, as declared."""
        if self._sizes:
            return {"draws": rng.integers(0, self._sizes)}
        return {name: rng.permutation(deck) for name, deck in self._decks.items()}

    def after(self, move: Move, key: Any, order: dict[str, Array]) -> Array:
        """The record (1,) after a move with a key; what it has dealt is then dealt again in the order, if any."""
        records, deals = copied(self._blank), 0
        if move is None:
            self._functions.begin(records, key, 0)
        else:
            records[:1], deals = move[0], move[0]["deals"][0]
            records["key"] = key
            step_with(self._game, records, move[1], order.get("deck"))
        for name in order if records["deals"][0] > deals else ():
            self._functions.redeal[name](records, order[name])
        if self._game.pile is not None:
            records[self._game.pile.cards][0][int(records[self._game.pile.count][0]) :] = 0
        return records[:1]


def _check_deals(trial: Trial, at: Table, moves: list[Move], made: _Made) -> None:
    """Compare deals from keys with deals of random outcomes: each entry of the record, and each two entries.

    The values of all entries become 1 or -1, by random functions, whose means are compared; by Hoeffding's inequality,
    they differ so much by chance in a right game with a probability below `_FALSE_ALARM`.
    """
    rng, dtype = np.random.default_rng(trial.seed), at.game.state_dtype
    names = [name for name in dtype.names or () if name != "key"]
    entries = len(moves) * sum(dtype[name].itemsize // dtype[name].base.itemsize for name in names)
    keys = rng.integers(2**64, size=min(trial.draws, max(_FEWEST, _MOST_ENTRIES // entries)), dtype=np.uint64)
    made_by, columns = zeros((2, len(keys)), dtype), (list[Array](), list[Array]())
    for move in moves:
        for i, key in enumerate(keys):
            made_by[0, i] = made.after(move, key, {})[0]
            made_by[1, i] = made.after(move, key, made.random_order(rng))[0]
        for kept, each in zip(columns, made_by, strict=True):
            kept += [each[name].reshape(len(keys), -1).astype(np.uint8) for name in names]
    real, declared = map(np.hstack, columns)
    told = [
        f"deal {deal + 1} " * (len(moves) > 1) + f"{name}{[*index] or ''}"
        for deal in range(len(moves))
        for name in names
        for index in np.ndindex(dtype[name].shape)
    ]
    vary = np.flatnonzero((real != real[0]).any(axis=0) | (declared != declared[0]).any(axis=0))
    real, declared, tests = real[:, vary], declared[:, vary], _ROUNDS * len(vary)
    signs = rng.choice(np.array([-1, 1], np.float32), (_ROUNDS, 256))
    signs[:, 1] = -signs[:, 0]
    values = [(sign[real], sign[declared]) for sign in signs]
    single = np.max([abs(x.mean(axis=0) - y.mean(axis=0)) for x, y in values], axis=0, initial=0)
    pairs = np.max([abs(x.T @ x - y.T @ y) / len(keys) for x, y in values], axis=0, initial=0)
    for off, count in ((single, tests), (pairs, tests * len(vary))):
        if off.size and off.max() > (4 / len(keys) * np.log(4 * count / _FALSE_ALARM)) ** 0.5:
            worst = [*map(int, np.unravel_index(off.argmax(), off.shape))]
            often, asked = (Counter(map(tuple, each[:, worst].astype(np.int8).tolist())) for each in (real, declared))
            most = max(often | asked, key=lambda value: abs(often[value] - asked[value]))
            what = " and ".join(f"{told[vary[i]]}={value}" for i, value in zip(worst, most, strict=True))
            trial.fail(
                f"{what} is in {often[most]:,} of {len(keys):,} deals from keys, and in {asked[most]:,} of those that "
                f"`redeal` makes of random outcomes of the declared {at.game.dealt}"
            )

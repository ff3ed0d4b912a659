"""Whether deals are what a game declares: no other chance, each outcome as often, and independent of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import copied, zeros
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.shuffling import step_with
from blackjacky_env.testing.trial import Trial

_KEYS, _MOST_MOVES = 64, 2_000  # with which a game is started; that are made with two keys
_FEWEST, _MOST_ENTRIES = 3_000, 3_000_000  # deals; entries of records, in all of them
_ROUNDS, _FALSE_ALARM = 5, 1e-9  # random functions of the values; probability that a right game fails
_MOST_DEALS = 3  # of one game, whose deals are compared with each other

Array = npt.NDArray[Any]


class Table(NamedTuple):
    """A table."""

    game: Game
    num_players: int
    variant: str
    options: dict[str, Any]


class Moment(NamedTuple):
    """A position in a game, records (2,), and the action taken there, or None at the end; arrays are used again."""

    records: Array
    observation: Array
    mask: Array
    action: int | None
    number: int


def play(at: Table, rng: np.random.Generator, most: int, policy: Callable[..., int] | None = None) -> Iterator[Moment]:
    """One game: by ``policy`` (observation, mask, random bits), or by a preference for some actions, strict or not."""
    functions, (seen, mask), paid = game_functions(at.game), at.game.new_arrays(), np.zeros((2, at.game.max_players))
    records, places = zeros(2, at.game.state_dtype), np.arange(at.game.num_actions)
    records[:1] = at.game.new_state(*at[1:])
    functions.begin(records, rng.integers(2**64, dtype=np.uint64), -1)
    functions.look(records, int(records["player"][0]), seen, mask)
    taste = [-99.0 * places, 99.0 * places, rng.permutation(99.0 * places), 1.5 * rng.normal(size=len(places))]
    likes = taste[int(rng.integers(len(taste)))]  # the first legal action often makes the longest game
    for number in range(most):
        legal = np.flatnonzero(mask)
        if policy is None or len(legal) == 1:
            action = int(legal[(likes[legal] + rng.gumbel(size=len(legal))).argmax()])
        else:
            action = int(policy(seen.copy(), mask.copy(), rng.integers(2**64, dtype=np.uint64)))
        yield Moment(records, seen, mask, action, number)
        functions.step(records, action, paid, seen, mask)
        if records["player"][0] == NOBODY:
            yield Moment(records, seen, mask, None, number + 1)
            return


def check_moves(trial: Trial, at: Table) -> None:
    """Many games: no value is out of its range, and no game longer than declared. Then `check_chance`."""
    rng, moves, left = np.random.default_rng(trial.seed), list[tuple[Array, int]](), trial.draws
    most = None if at.game.most_actions is None else at.game.most_actions(*at[1:])
    positions = list[Array]()
    while left > 0:
        for moment in play(at, rng, min(left, trial.max_steps)):
            positions.append(copied(moment.records[:1]))
            if moment.action is not None:
                moves.append((positions[-1], moment.action))
            elif most is not None and moment.number > most:
                trial.fail(f"a game has {moment.number} actions, and most_actions says {most}")
        left -= moment.number + 1
    every = np.concatenate(positions)
    for name, field in at.game.fields.fields.items():
        wrong = (every[name] < field.low) | (every[name] > field.high)
        if wrong.any():
            value = every[name][wrong.reshape(len(every), -1).any(axis=1).argmax()].tolist()
            trial.fail(f"the field {name} is {value}; declared are {field.low} .. {field.high}")
    check_chance(trial, at, moves)


def check_chance(trial: Trial, at: Table, moves: list[tuple[Array, int]] | None = None) -> None:
    """Nothing else is drawn from the key than what `redeal` takes, and deals are those that are declared."""
    rng, made = np.random.default_rng(trial.seed), _Made(at)
    if moves is None:
        games = [play(at, rng, trial.max_steps) for _ in range(trial.games)]
        moves = [(copied(m.records[:1]), m.action) for game in games for m in game if m.action is not None]
    chosen, later = rng.permutation(len(moves))[:_MOST_MOVES], dict[int, tuple[Array, int]]()
    for move in [None] * _KEYS + [moves[i] for i in chosen]:
        order, keys = made.orders(rng, 1)[0], rng.integers(2**64, size=2, dtype=np.uint64)
        one, other = (made.after(move, key, order) for key in keys)
        for name in one.dtype.names or ():
            if name != "key" and not np.array_equal(one[name], other[name]):
                raise trial.error(
                    "something beside the deck and declared reshuffles or draws is drawn from the key; the field "
                    f"{name} is {one[name][0].tolist()} with one key, {other[name][0].tolist()} with another"
                )
        if move is not None and one["deals"][0] > move[0]["deals"][0] and len(later) < _MOST_DEALS - 1:
            later.setdefault(int(one["deals"][0]), move)
    if at.game.dealt:
        _check_deals(trial, at, [None, *later.values()], made)


class _Made:
    """Positions as made from a key, or from an order of the cards or outcomes."""

    def __init__(self, at: Table) -> None:
        self._at, self._functions, self._blank = at, game_functions(at.game), zeros(2, at.game.state_dtype)
        self._blank[:1] = at.game.new_state(*at[1:])
        self._sizes = [len(each) for each in at.game.draws(at.num_players, at.options)] if at.game.draws else []
        self._decks = {at.game.dealt: [*at.game.whole_deck(at.num_players, at.options)]} if at.game.dealt else {}
        for name, deck in at.game.extra_decks.items():
            self._decks[name] = [card for card, _ in deck.cards(at.num_players)]

    def orders(self, rng: np.random.Generator, count: int) -> list[dict[str, Array]]:
        """By what is dealt: random orders of the cards, or outcomes, as declared."""
        if self._sizes:
            return [{self._at.game.dealt: each} for each in rng.integers(0, self._sizes, (count, len(self._sizes)))]
        return [
            {name: rng.permutation(np.array(deck, np.int8)) for name, deck in self._decks.items()} for _ in range(count)
        ]

    def after(self, move: tuple[Array, int] | None, key: Any, order: dict[str, Array]) -> Array:
        """The record (1,) after the first deal, or a move, with a key; a deal is then repeated in the order, if any."""
        if move is None:
            records = copied(self._blank)
            self._functions.begin(records, key, 0)
            is_dealt = True
        else:
            records = copied(self._blank)
            records[:1] = move[0]
            records["key"] = key
            step_with(self._at.game, records, move[1], order.get("deck"))
            is_dealt = bool(records["deals"][0] > move[0]["deals"][0])
        for name in order if is_dealt else ():
            self._functions.redeal[name](records, order[name])
        if self._at.game.pile is not None:
            cards, count = self._at.game.pile.cards, self._at.game.pile.count
            records[cards][0][int(records[count][0]) :] = 0
        return records[:1]


def _check_deals(trial: Trial, at: Table, moves: list[Any], made: _Made) -> None:
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
        for i, (key, order) in enumerate(zip(keys, made.orders(rng, len(keys)), strict=True)):
            made_by[0, i], made_by[1, i] = made.after(move, key, {})[0], made.after(move, key, order)[0]
        for kept, each in zip(columns, made_by, strict=True):
            kept += [each[name].reshape(len(keys), -1).astype(np.uint8) for name in names]
    real, declared = map(np.hstack, columns)
    told = [
        (f"{name}{[*index] or ''}", f" in deal {deal + 1}" * (len(moves) > 1))
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
            _fail_deals(trial, at, real[:, worst], declared[:, worst], [told[vary[i]] for i in worst])


def _fail_deals(trial: Trial, at: Table, real: Array, declared: Array, told: list[tuple[str, str]]) -> None:
    """Fail with the values that differ most in how often they are there."""
    values = np.unique(np.concatenate([real, declared]), axis=0)
    often = [[int((each == value).all(axis=1).sum()) for each in (real, declared)] for value in values]
    most = max(range(len(values)), key=lambda i: abs(often[i][0] - often[i][1]))
    found = zip(told, values[most].astype(np.int8), strict=True)
    what = " and ".join(f"{name}={value}{where}" for (name, where), value in found)
    trial.fail(
        f"{what} is in {often[most][0]:,} of {len(real):,} deals from keys, and in {often[most][1]:,} "
        f"of those that `redeal` makes of random outcomes of the declared {at.game.dealt}"
    )

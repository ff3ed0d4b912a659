"""The compiled entries of one game at one table, and the bytes in which a whole table can be kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine import random
from blackjacky_env.engine.compiling import compiled, entry, zeros
from blackjacky_env.engine.game import Game

_MAGIC = b"blackjacky state 1\n"
_CHECKSUM = 32


@dataclass(frozen=True)
class TableFunctions:
    """A game's functions over arrays of one record, as Python calls them (whole arrays cross that border cheaply)."""

    game_key: Callable[[int], Any]
    """(seed) -> uint64 key."""
    begin: Callable[..., None]
    """(states, key, start_player; -1: drawn)."""
    redeal: Callable[..., None]
    """(states, deck int8 array, top first)."""
    step: Callable[..., int]
    """(states, action, paid, observation, mask) -> SETTLED | OVER.

    ``states`` are the game and, after a settlement, as it was settled. ``paid`` (float64, (2, max_players)) then gets
    the result and the changes of score, ``observation`` and ``mask`` what the next player sees, unless it is over.
    """
    look: Callable[..., None]
    """(states, seat, observation, mask): what the seat sees and may do."""


SETTLED, OVER = 1, 2


@cache
def table_functions(game: Game) -> TableFunctions:
    """Compile a game's entries (lazily, each at its first call, or from the cache on disk)."""
    rules = game.rules
    _begin, _redeal, _legal, _apply = rules.begin, rules.redeal, rules.legal, rules.apply
    _is_settled, _encode, _game_key = rules.is_settled, rules.encode, random.game_key
    settle_and_pay = _settler(game)

    def game_key(seed):
        return _game_key(seed)

    def begin(states, key, start_player):
        _begin(states[0], key, start_player)

    def redeal(states, deck):
        _redeal(states[0], deck)

    def step(states, action, paid, observation, mask):
        s = states[0]
        _apply(s, action)
        flags = settle_and_pay(states, paid) if _is_settled(s) else 0
        if not flags & OVER:
            _encode(s, s.player, observation)
            _legal(s, mask)
        return flags

    def look(states, seat, observation, mask):
        s = states[0]
        _encode(s, seat, observation)
        if seat == s.player:
            _legal(s, mask)
        else:
            mask[:] = 0

    return TableFunctions(entry(game_key), entry(begin), entry(redeal), entry(step), entry(look))


def _settler(game: Game) -> Callable[..., int]:
    """Compiled (states, paid) -> SETTLED | OVER: keep the game as it is to be settled, settle, pay."""
    settle, is_over, returns, score = game.rules.settle, game.rules.is_over, game.rules.returns, game.rules.score
    size = game.max_players

    def settle_and_pay(states, paid):
        s = states[0]
        states[1] = states[0]
        for seat in range(size):
            paid[1, seat] = -score(s, seat)
        settle(s)
        for seat in range(size):
            paid[1, seat] += score(s, seat)
        if not is_over(s):
            return SETTLED
        returns(s, paid[0])
        return SETTLED | OVER

    return compiled(settle_and_pay)


def identity(game: Game, num_players: int, variant: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a saved state or record belongs to, JSON-ready."""
    return {
        "game": game.name,
        "version": game.version,
        "num_players": num_players,
        "variant": variant,
        "options": dict(options),
    }


def refuse_other(what: str, own: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Raise a `ValueError` naming the first difference between `identity` ``own`` and that of ``other``."""
    for name in own:
        if name != "options" and other.get(name) != own[name]:
            raise ValueError(f"this {what} has {name}={other.get(name)!r}, the environment has {own[name]!r}")
    for name, value in own["options"].items():
        if other["options"].get(name) != value:
            raise ValueError(f"this {what} has {name}={other['options'].get(name)!r}, the environment has {value!r}")


@cache
def record_layout(dtype: np.dtype[Any]) -> str:
    """A short name for a way to write records: it changes whenever a version of the package writes them in another."""
    return hashlib.sha256(repr(np.lib.format.dtype_to_descr(dtype)).encode()).hexdigest()[:16]


def pack(header: Mapping[str, Any], records: np.ndarray[Any, Any]) -> bytes:
    """A JSON-ready header and an array of records as bytes, with a checksum."""
    text = json.dumps({**header, "layout": record_layout(records.dtype)}).encode()
    body = len(text).to_bytes(4, "little") + text + records.tobytes()
    return _MAGIC + hashlib.sha256(body).digest() + body


def unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the bytes of the records of `pack`; `ValueError` if they are damaged or something else."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a state is bytes, as get_state() and sample_state() give them, not {type(data).__name__}")
    data = bytes(data)
    start = len(_MAGIC) + _CHECKSUM
    body = data[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        raise ValueError("these bytes are no whole state: take them from get_state() or sample_state(), unchanged")
    end = 4 + int.from_bytes(body[:4], "little")
    return json.loads(body[4:end]), body[end:]


def read_records(header: Mapping[str, Any], data: bytes, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The records in what `unpack` gives; `ValueError` if another version of the package wrote them in another way."""
    if header.get("layout") != record_layout(dtype):
        raise ValueError(f"this state of {header.get('game')} was made by a version that kept games in another way")
    records = np.frombuffer(data, dtype)
    writable = zeros(len(records), dtype)
    writable[:] = records
    return writable


def sample_state(game: Game, observation: npt.ArrayLike, rng: np.random.Generator) -> bytes:
    """A full legal position that shows ``observation`` (the vector) to seat 0, as bytes for `set_state`.

    Cards that the observer cannot see are dealt at random from ``rng``. The position has zero rewards and no history.
    Raises `ValueError` if no position shows this observation.
    """
    states = game.sample_state(observation, rng)
    shown, mask = np.empty(game.layout.size, game.layout.dtype), np.empty(game.num_actions, np.int8)
    table_functions(game).look(states, 0, shown, mask)
    if not np.array_equal(shown, observation):
        raise ValueError("no legal position shows this observation: its parts contradict each other")
    return pack({**identity(game, *game.read_options(states[0])), "history": None}, states)

"""The compiled entries of a single table, and the bytes that a whole table is saved as."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from blackjacky_env.compiled import random
from blackjacky_env.compiled.compiling import entry, inlined, zeros
from blackjacky_env.compiled.tiers import begin_plainly
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.play.step import OVER, SETTLED, STUCK, make_look, make_scored_step, only_legal
from blackjacky_env.reading import parse_json

_MAGIC = b"blackjacky state 1\n"
_CHECKSUM = 32
PAID = 4  # a flag beside those of `play.step`: a score has changed


@dataclass
class TableFunctions:
    """A game's functions as Python calls them, on arrays of one record (passing whole arrays is cheap)."""

    game_key: Callable[[int], Any]
    """(seed) -> uint64 key."""
    begin: Callable[..., None]
    """(states, key, start_player; -1: drawn)."""
    redeal: Mapping[str, Callable[..., None]]
    """By the name of the reset option: (states, deck int8 array, top first)."""
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
def table_functions(game: Game) -> TableFunctions:
    """Compile a game's entries (lazily, each at its first call, or from the cache on disk)."""
    _begin, _sample, _look = game.rules.begin, game.rules.sample, make_look(game)
    _game_key, scored_step, returns = random.game_key, make_scored_step(game, _keep_settled), game.rules.returns

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

    decks = {"deck": game.rules.redeal, **{name: deck.redeal for name, deck in game.extra_decks.items()}}
    redeal = {name: _make_rigged(each) for name, each in decks.items()}
    stack = None if game.reshuffle is None else _make_rigged(game.reshuffle.stack)
    made = TableFunctions(entry(game_key), entry(begin), redeal, stack, entry(step), entry(look), entry(sample))
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


def identity(game: Game, num_players: int, variant: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The game, version and options that a saved state or record belongs to, JSON-ready."""
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
    options = other.get("options")
    if not isinstance(options, Mapping):
        raise TypeError(f"this {what} has options={options!r}; expected a mapping")
    if unknown := [name for name in options if name not in own["options"]]:
        value = options[unknown[0]]
        raise ValueError(f"this {what} has the option {unknown[0]}={value!r}, which the environment does not have")
    if missing := [name for name in own["options"] if name not in options]:
        raise ValueError(f"this {what} lacks the option {missing[0]!r}")
    for name, value in own["options"].items():
        if options[name] != value:
            raise ValueError(f"this {what} has {name}={options[name]!r}, the environment has {value!r}")


@cache
def record_layout(dtype: np.dtype[Any]) -> str:
    """A short hash of a record's layout in memory, to detect states saved by a version with another layout."""
    return hashlib.sha256(repr(np.lib.format.dtype_to_descr(dtype)).encode()).hexdigest()[:16]


def pack(header: Mapping[str, Any], records: np.ndarray[Any, Any]) -> bytes:
    """A JSON-ready header and an array of records as bytes, with a checksum."""
    text = json.dumps({**header, "layout": record_layout(records.dtype)}).encode()
    body = len(text).to_bytes(4, "little") + text + with_blank_padding(records).tobytes()
    return _MAGIC + hashlib.sha256(body).digest() + body


def with_blank_padding(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The records with zeros between aligned fields, where NumPy's copies leave whatever was in memory."""
    clean = zeros(records.shape, records.dtype)
    for name in records.dtype.names or ():
        clean[name] = records[name]
    return clean


def unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the record bytes that `pack` was given; `ValueError` if ``data`` is damaged or something else."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a state is bytes from get_state() or sample_state(), not {type(data).__name__}")
    data = bytes(data)
    start = len(_MAGIC) + _CHECKSUM
    body = data[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        raise ValueError("these bytes are not a complete state; pass what get_state() or sample_state() returned")
    end = 4 + int.from_bytes(body[:4], "little")
    try:
        header = parse_json(body[4:end])
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise ValueError("the header of this state is not a JSON object; pass what get_state() returned")
    return header, body[end:]


def read_records(header: Mapping[str, Any], data: bytes, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The records from `unpack`; `ValueError` if they were saved by a version with another record layout."""
    if header.get("layout") != record_layout(dtype):
        raise ValueError(f"this state of {header.get('game')} was saved by a version with another record layout")
    if len(data) % dtype.itemsize:
        raise ValueError(f"this state has {len(data)} bytes of records; allowed are multiples of {dtype.itemsize}")
    records = np.frombuffer(data, dtype)
    writable = zeros(len(records), dtype)
    writable[:] = records
    return writable

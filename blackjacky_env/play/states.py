"""State records as bytes, positions sampled from observations, and checks of all that comes from outside.

A record from outside has the layout, the options and the ranges of its game, and its seats are those of its table. It
may still be no position of any game: then the rules lead to a wrong game, but never out of an array or on for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_generator, check_integer, few
from blackjacky_env.compiled.compiling import copied, entry, zeros
from blackjacky_env.declare.fields import NOBODY, Field, counted
from blackjacky_env.declare.game import Game
from blackjacky_env.declare.layout import Vector
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.step import NONE
from blackjacky_env.reading import parse_json

_MAGIC = b"blackjacky state 1\n"
_CHECKSUM = 32
Records = npt.NDArray[Any]


def identity(game: Game, num_players: int, variant: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The game, version and options that a saved state or record belongs to, JSON-ready."""
    return {
        "game": game.name,
        "version": game.version,
        "num_players": num_players,
        "variant": variant,
        "options": {name: [*each] if isinstance(each, list) else each for name, each in options.items()},
    }


def refuse_other(what: str, own: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Raise a `ValueError` naming the first entry of the `identity` ``own``, or a part of it, that ``other`` lacks."""
    for name in own:
        if name != "options" and other.get(name) != own[name]:
            raise ValueError(f"this {what} has {name}={other.get(name)!r}; expected is {own[name]!r}")
    options = other.get("options")
    expected = own.get("options", options)
    if not isinstance(options, Mapping):
        raise TypeError(f"this {what} has options={options!r}; expected a mapping")
    for name, value in expected.items():
        if name not in options:
            raise ValueError(f"this {what} lacks the option {name!r}")
        if options[name] != value:
            raise ValueError(f"this {what} has {name}={options[name]!r}; expected is {value!r}")
    if more := options.keys() - expected.keys():
        raise ValueError(f"this {what} has the unexpected options {few(sorted(more))}")


# ---------------------------------------------------------------- bytes


@cache
def record_layout(dtype: np.dtype[Any]) -> str:
    """A short hash of a record's layout in memory, to detect states saved by a version with another layout."""
    return hashlib.sha256(repr(np.lib.format.dtype_to_descr(dtype)).encode()).hexdigest()[:16]


def with_blank_padding(records: Records) -> Records:
    """The records with zeros between aligned fields, where NumPy's copies leave whatever was in memory."""
    clean = zeros(records.shape, records.dtype)
    for name in records.dtype.names or ():
        clean[name] = records[name]
    return clean


def pack(header: Mapping[str, Any], records: Records) -> bytes:
    """A JSON-ready header and an array of records as bytes, with a checksum."""
    text = json.dumps({**header, "layout": record_layout(records.dtype)}).encode()
    body = len(text).to_bytes(4, "little") + text + with_blank_padding(records).tobytes()
    return _MAGIC + hashlib.sha256(body).digest() + body


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


def read_records(game: Game, header: Mapping[str, Any], data: bytes) -> Records:
    """The records from `unpack`, checked as by `check_records`; `ValueError` for those of another record layout."""
    dtype = game.state_dtype
    if header.get("layout") != record_layout(dtype):
        raise ValueError(f"this state of {header.get('game')} was saved by a version with another record layout")
    if len(data) % dtype.itemsize:
        raise ValueError(f"this state has {len(data)} bytes of records; allowed are multiples of {dtype.itemsize}")
    records = zeros(len(data) // dtype.itemsize, dtype)
    records[:] = np.frombuffer(data, dtype)
    check_records(game, header, records)
    return records


def read_state(game: Game, state: bytes, own: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], Records]:
    """The header and the checked records of a saved state of the `identity` ``own``; None: of any table of the game.

    Raises `TypeError` or `ValueError` if it belongs to another game, version or table, is damaged, or has values out
    of range.
    """
    header, data = unpack(state)
    refuse_other("state", own or {"game": game.name, "version": game.version}, header)
    return header, read_records(game, header, data)


def reseed_state(game: Game, state: bytes, rng: np.random.Generator) -> bytes:
    """What ``reseed_state`` of a game's module returns: the position with a new key; errors as in `read_state`."""
    header, records = read_state(game, state)
    key = int(check_generator(rng).integers(2**64, dtype=np.uint64))
    records["key"] = key
    match header.get("history"):
        case {"actions": list(actions), "reseeds": list(reseeds)}:
            reseeds.append([len(actions), key])
    return pack(header, records)


# ---------------------------------------------------------------- checks


def check_records(game: Game, header: Mapping[str, Any], records: Records) -> None:
    """Raise a `ValueError` unless these are records of a table with values in their ranges, at which somebody can act.

    ``header``: the `identity` that they were saved with. ``records``: the game and, after a settlement, a copy made
    just before it, (1,) or (2,).
    """
    if len(records) not in {1, 2}:
        raise ValueError(f"this state has {len(records)} records; allowed are 1 and 2")
    for record in records:
        check_ranges(game, record)
        found = identity(game, *game.read_options(record))
        refuse_other("record of this state", {name: header.get(name) for name in found}, found)
    player = int(records["player"][0])
    if player != NOBODY:
        seen, mask = game.new_arrays()
        game_functions(game).look(records[:1], player, seen, mask)
        if not mask.any():
            raise ValueError(f"in this state player_{player} is to act, and no action is legal")


def check_ranges(game: Game, record: Any) -> None:
    """Raise a `ValueError` unless all values of a record are in their ranges, and nobody sits at an empty seat."""
    memory = np.frombuffer(record, np.uint8)
    for dtype, places, low, high in _limits(game):
        values = memory[: len(memory) // dtype.itemsize * dtype.itemsize].view(dtype)[places]
        if ((values < low) | (values > high)).any():
            _refuse_range(game, record)
    for field in game.fields.fields.values():
        if _is_at_empty_seat(game, field, record):
            name, value, last = field.name, record[field.name].tolist(), record["num_players"] - 1
            raise ValueError(f"{name} of this state is {value}; allowed are seats up to {last}")


def _refuse_range(game: Game, record: Any) -> None:
    for name, field in game.fields.fields.items():
        if (record[name] < field.low).any() or (record[name] > field.high).any():
            raise ValueError(
                f"{name} of this state is {record[name].tolist()}; allowed are {field.low} .. {field.high}"
            )


@cache
def _limits(game: Game) -> list[tuple[Any, ...]]:
    """By dtype of fields: their places in a record's memory, their lowest and highest values; checked at once."""
    fields: Mapping[str, Any] = game.state_dtype.fields or {}
    limits: dict[np.dtype[Any], list[tuple[int, int, int]]] = {}
    for name, field in game.fields.fields.items():
        dtype, offset = fields[name][:2]
        first, count = offset // dtype.base.itemsize, int(np.prod(dtype.shape, dtype=int))
        limits.setdefault(dtype.base, []).extend((first + i, field.low, field.high) for i in range(count))
    return [(dtype, *np.array(entries, np.int64).T) for dtype, entries in limits.items()]


def _is_at_empty_seat(game: Game, field: Field, record: Any) -> bool:
    """Whether a field names a seat without a player, or has something there."""
    values, players, most = record[field.name], int(record["num_players"]), game.max_players
    if field.kind == "seat":
        return bool(((values >= players) & (values < most)).any())
    by_seat = field.axes == 1 and field.part is not None
    return by_seat and bool((values[players:most] + field.plus).any())


# ---------------------------------------------------------------- positions that show an observation
#
# An observation whose entries are in their ranges may still be one that no position shows: a policy then chooses some
# action. A sampled position is right when encoding it shows the same observation again.

NO_POSITION = "no legal position matches this observation: "


@cache
def make_find_invalid(game: Game) -> Callable[[Vector, npt.NDArray[np.int8]], int]:
    """Entry (observations, masks): the first row with an entry out of range or without a legal action, or `NONE`.

    ``observations``: of the game's dtype, (N, K), C-contiguous. ``masks``: int8, (N, A), C-contiguous; entries other
    than 0 and 1 are out of range. One call for all checks, since a call from Python costs more than they do.
    """
    low, high = game.layout.low, game.layout.high

    def find(observations, masks):
        for i in range(len(observations)):
            legal, outside = 0, False
            for a in range(masks.shape[1]):
                legal |= masks[i, a]
            for k in range(len(low)):
                outside |= observations[i, k] < low[k] or observations[i, k] > high[k]
            if legal != 1 or outside:
                return i
        return NONE

    return entry(find)


def sample_record(
    game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int = 0
) -> tuple[Any, npt.NDArray[np.int8]]:
    """A position that shows the observation to ``seat``, records of shape (1,), and the legal actions there, int8 (A,).

    Raises `ValueError` if there is none.
    """
    vector = game.layout.checked(observation)
    records = zeros(1, game.state_dtype)
    game_functions(game).sample(vector, check_generator(rng).integers(2**64, dtype=np.uint64), records)
    try:
        check_ranges(game, records[0])
    except ValueError as error:
        raise ValueError(f"{NO_POSITION}in the one from `Rules.sample`, {error}") from error
    if seat:
        records = rotated(game, records, check_integer("seat", seat, 0, int(records["num_players"][0]) - 1))
    shown, mask = game.new_arrays()
    game_functions(game).look(records, seat, shown, mask)
    if not np.array_equal(shown, vector):
        asked, found = map(game.layout.decode, (vector, shown))
        part = next(name for name in asked if asked[name] != found[name])
        field = game.fields.shown.get(part)
        if field is not None and field.cards == "count":
            asked, found = ({part: counted(each[part], game.card_names)} for each in (asked, found))
        raise ValueError(f"{NO_POSITION}{part} is {asked[part]}, and {found[part]} in the one from `Rules.sample`")
    return records, mask


def sample_state(game: Game, observation: npt.ArrayLike, rng: np.random.Generator, seat: int | None = None) -> bytes:
    """What ``sample_state`` of a game's module returns: a position as bytes, with zero rewards and no history."""
    seat = 0 if seat is None else check_integer("seat", seat, 0, game.max_players - 1)
    records, _ = sample_record(game, observation, rng, seat)
    return pack({**identity(game, *game.read_options(records[0])), "history": None}, records)


def rotated(game: Game, records: npt.NDArray[Any], places: int) -> npt.NDArray[Any]:
    """Copies of state records (N,) of one table in which everybody sits ``places`` seats further clockwise."""
    players = int(records["num_players"][0])
    other = copied(records)
    for name, field in game.fields.fields.items():
        for axis in range(1, field.axes + 1):
            seats = (slice(None),) * axis + (slice(players),)
            other[name][seats] = np.roll(other[name][seats], places, axis)
        if field.kind == "seat" or field.place is not None:
            other[name] = _moved(other[name], 0, players, places)
        if field.place is not None:
            other[name] = _moved(other[name], field.place, players, places)
    return other


def _moved(values: npt.NDArray[Any], first: int, players: int, places: int) -> npt.NDArray[Any]:
    """Values from ``first`` on, one for each seat, move by ``places`` seats."""
    seats = values.astype(np.int64) - first
    return np.where((seats >= 0) & (seats < players), first + (seats + places) % players, values)


# ---------------------------------------------------------------- arrays from outside


def own_arrays(state: dict[str, Any]) -> dict[str, Any]:
    """Attributes for ``__setstate__``, with every array in memory of its own: aligned, writable and shared with nobody.

    Pickles whose buffers are kept apart (protocol 5, as in Ray's object store) give arrays in memory that is read-only
    or belongs to the original, and compiled code takes neither. Attributes that were one array stay one array.
    """
    copies: dict[int, Any] = {}

    def own(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return copies.setdefault(id(value), value.copy())
        if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
            return type(value)(*map(own, value))
        if isinstance(value, dict):
            return {name: own(entry) for name, entry in value.items()}
        return value

    return own(state)  # type: ignore[no-any-return]


def check_arrays(what: str, given: Mapping[str, Any], expected: Mapping[str, Records]) -> dict[str, Records]:
    """Copies of the arrays ``given`` from outside, in memory of their own, by name; ``what`` has them, for messages.

    Raises `TypeError` or `ValueError` if a name, shape or dtype is not as ``expected``, or a number is not finite.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a {type(given).__name__}, not a mapping of arrays by name")
    for name in [*expected, *given]:
        if name not in given or name not in expected:
            wrong = "lacks" if name in expected else "has"
            raise ValueError(f"{what} {wrong} the array {name!r}; allowed are {few(expected)}")
    return {name: _check_array(f"{name} of {what}", given[name], like) for name, like in expected.items()}


def _check_array(name: str, given: Any, like: Records) -> Records:
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{name} is a {type(given).__name__}, not an array")
    if (given.dtype, given.shape) != (like.dtype, like.shape):
        raise ValueError(f"{name} is {given.dtype} of shape {given.shape}; allowed is {like.dtype} of {like.shape}")
    array: Records = np.array(given, order="C")
    if array.dtype == np.bool_:
        return np.not_equal(array.view(np.uint8), 0)  # a byte may hold more than 0 and 1, with which NumPy loses count
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} is not made of finite numbers")
    return array


def check_entries(name: str, array: Records, high: float) -> None:
    """Raise `ValueError` unless all entries are in 0 .. high."""
    if array.size and not 0 <= array.min() <= array.max() <= high:
        raise ValueError(f"{name} has entries in {array.min()} .. {array.max()}; allowed are 0 .. {high}")

"""State records as bytes, and checks of those that come from outside.

A record from outside has the layout, the options and the ranges of its game, and its seats are those of its table. It
may still be no position of any game: then the rules lead to a wrong game, but never out of an array or on for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.declare.fields import NOBODY, Field
from blackjacky_env.declare.game import Game
from blackjacky_env.play.one_game import game_functions
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
    for name in own["options"]:
        if name not in options:
            raise ValueError(f"this {what} lacks the option {name!r}")
    for name, value in options.items():
        if name not in own["options"]:
            raise ValueError(f"this {what} has the option {name}={value!r}, which the environment does not have")
        if value != own["options"][name]:
            raise ValueError(f"this {what} has {name}={value!r}, the environment has {own['options'][name]!r}")


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
    refuse_other("state", own or _identity_of(game, header), header)
    return header, read_records(game, header, data)


def _identity_of(game: Game, header: Mapping[str, Any]) -> dict[str, Any]:
    """The identity of the table that a header names; `TypeError` or `ValueError` if there is no such table."""
    for name, value in (("game", game.name), ("version", game.version)):
        if header.get(name) != value:
            raise ValueError(f"this state has {name}={header.get(name)!r}; expected {value!r}")
    if missing := [name for name in ("num_players", "variant", "options") if name not in header]:
        raise ValueError(f"this state lacks {', '.join(missing)}")
    size, variant = game.choose_table(header["num_players"], header["variant"])
    if not isinstance(header["options"], Mapping):
        raise TypeError(f"options={header['options']!r} of this state is not a mapping")
    return identity(game, size, variant, game.check_options(size, variant, header["options"]))


def reseed_state(game: Game, state: bytes, rng: np.random.Generator) -> bytes:
    """What ``reseed_state`` of a game's module returns: the position with a new key; errors as in `read_state`."""
    header, records = read_state(game, state)
    key = int(rng.integers(2**64, dtype=np.uint64))
    records["key"] = key
    match header.get("history"):
        case {"actions": list(actions), "reseeds": list(reseeds)}:
            reseeds.append([len(actions), key])
    return pack(header, records)


# ---------------------------------------------------------------- checks


def read_games(game: Game, memory: npt.NDArray[np.uint8], tables: Records) -> Records:
    """Checked state records of N games, in memory of their own.

    ``memory``: the records' bytes, of any shape. ``tables``: records with their table sizes, variants and options,
    (N,). Raises `TypeError` or `ValueError` if a record is of another table, or has values out of range.
    """
    records = zeros(len(tables), game.state_dtype)
    records.view(np.uint8)[:] = memory.ravel()
    _, firsts = np.unique(tables["num_players"], return_index=True)
    headers = {int(tables["num_players"][i]): identity(game, *game.read_options(tables[i])) for i in firsts.tolist()}
    for i, size in enumerate(tables["num_players"].tolist()):
        try:
            check_records(game, headers[size], records[i : i + 1])
        except (TypeError, ValueError) as error:
            raise type(error)(f"game {i}: {error}") from None
    return records


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
    memory = np.frombuffer(record.tobytes(), np.uint8)
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

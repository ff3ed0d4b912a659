"""Checks of arrays and state records from outside.

A record from outside has the layout, the options and the ranges of its game, and its seats are those of its table. It
may still be no position of any game: then the rules lead to a wrong game, but never out of an array or on for ever.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import few
from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.declare.fields import NOBODY, Field
from blackjacky_env.declare.game import Game
from blackjacky_env.play.one_game import identity, pack, read_records, refuse_other, table_functions, unpack

Array = npt.NDArray[Any]


def check_arrays(what: str, given: Mapping[str, Any], expected: Mapping[str, Array]) -> dict[str, Array]:
    """Copies of arrays from outside, in memory of their own, by name.

    Args:
        what: what has the arrays, for messages.
        given: the arrays.
        expected: arrays with the names, shapes and dtypes that they must have.

    Raises:
        TypeError, ValueError: the names, a shape or a dtype differs, or a number is not finite.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a {type(given).__name__}, not a mapping of arrays by name")
    for name in [*expected, *given]:
        if name not in given or name not in expected:
            wrong = "lacks" if name in expected else "has"
            raise ValueError(f"{what} {wrong} the array {name!r}; allowed are {few(expected)}")
    return {name: _check_array(f"{name} of {what}", given[name], like) for name, like in expected.items()}


def _check_array(name: str, given: Any, like: Array) -> Array:
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{name} is a {type(given).__name__}, not an array")
    if (given.dtype, given.shape) != (like.dtype, like.shape):
        raise ValueError(f"{name} is {given.dtype} of shape {given.shape}; allowed is {like.dtype} of {like.shape}")
    array: Array = np.array(given, order="C")
    if array.dtype == np.bool_:
        return np.not_equal(array.view(np.uint8), 0)  # a byte may hold more than 0 and 1, with which NumPy loses count
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} is not made of finite numbers")
    return array


def check_entries(name: str, array: Array, low: float, high: float) -> None:
    """Raise `ValueError` unless all entries are in low .. high."""
    if array.size and not low <= array.min() <= array.max() <= high:
        raise ValueError(f"{name} has entries in {array.min()} .. {array.max()}; allowed are {low} .. {high}")


def read_games(game: Game, memory: npt.NDArray[np.uint8], tables: Array) -> Array:
    """Checked state records of N games, in memory of their own.

    Args:
        game: the game.
        memory: the records' bytes, of any shape.
        tables: records of the same games with their table sizes, variants and options, (N,).

    Raises:
        TypeError, ValueError: a record is of another table, or has values out of range.
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


def check_records(game: Game, header: Mapping[str, Any], records: np.ndarray[Any, Any]) -> None:
    """Raise a `ValueError` unless these are records of a table with values in their ranges, at which somebody can act.

    Args:
        game: the game.
        header: the `identity` that the records were saved with.
        records: the game and, after a settlement, a copy made just before it, shape (1,) or (2,).
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
        table_functions(game).look(records[:1], player, seen, mask)
        if not mask.any():
            raise ValueError(f"in this state player_{player} is to act, and no action is legal")


def check_identity(game: Game, header: Mapping[str, Any]) -> None:
    """Raise a `TypeError` or `ValueError` unless these are a table and options of this game."""
    if missing := [name for name in ("num_players", "variant", "options") if name not in header]:
        raise ValueError(f"this state lacks {', '.join(missing)}")
    size, variant = game.choose_table(header["num_players"], header["variant"])
    if not isinstance(header["options"], Mapping):
        raise TypeError(f"options={header['options']!r} of this state is not a mapping")
    options = game.check_options(size, variant, header["options"])
    refuse_other("header of this state", identity(game, size, variant, options), header)


def read_state(game: Game, state: bytes) -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """The header and the checked records of a saved state of this game, with any table and options.

    Raises `TypeError` or `ValueError` if it belongs to another game or version, is damaged, or has values out of range.
    """
    header, data = unpack(state)
    for name, own in (("game", game.name), ("version", game.version)):
        if header.get(name) != own:
            raise ValueError(f"this state has {name}={header.get(name)!r}; expected {own!r}")
    check_identity(game, header)
    records = read_records(header, data, game.state_dtype)
    check_records(game, header, records)
    return header, records


def reseed_state(game: Game, state: bytes, rng: np.random.Generator) -> bytes:
    """What ``reseed_state`` of a game's module returns: the position with a new key; errors as in `read_state`."""
    header, records = read_state(game, state)
    key = int(rng.integers(2**64, dtype=np.uint64))
    records["key"] = key
    match header.get("history"):
        case {"actions": list(actions), "reseeds": list(reseeds)}:
            reseeds.append([len(actions), key])
    return pack(header, records)


def check_ranges(game: Game, record: Any) -> None:
    """Raise a `ValueError` unless all values of a record are in their ranges, and nobody sits at an empty seat."""
    memory = np.frombuffer(record.tobytes(), np.uint8)
    if not all(limits.hold(memory) for limits in _limits(game)):
        for name, (low, high) in game.fields.ranges.items():
            values = record[name]
            if (values < low).any() or (values > high).any():
                raise ValueError(f"{name} of this state is {values.tolist()}; allowed are {low} .. {high}")
    for field in game.fields.fields.values():
        if _is_at_empty_seat(game, field, record):
            name, value, last = field.name, record[field.name].tolist(), record["num_players"] - 1
            raise ValueError(f"{name} of this state is {value}; allowed are seats up to {last}")


def _is_at_empty_seat(game: Game, field: Field, record: Any) -> bool:
    """Whether a field names a seat without a player, or has something there."""
    values, players, most = record[field.name], int(record["num_players"]), game.max_players
    if field.kind == "seat":
        return bool(((values >= players) & (values < most)).any())
    by_seat = field.axes == 1 and field.part is not None
    return by_seat and bool((values[players:most] + field.plus).any())


@dataclasses.dataclass(frozen=True)
class _Limits:
    """The ranges of all fields of one dtype, checked at once."""

    dtype: np.dtype[Any]
    places: npt.NDArray[np.intp]
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]

    def hold(self, memory: npt.NDArray[np.uint8]) -> bool:
        values = memory[: len(memory) // self.dtype.itemsize * self.dtype.itemsize].view(self.dtype)[self.places]
        return not ((values < self.low) | (values > self.high)).any()


@cache
def _limits(game: Game) -> tuple[_Limits, ...]:
    fields: Mapping[str, Any] = game.state_dtype.fields or {}
    gathered: dict[np.dtype[Any], list[tuple[int, int, int]]] = {}
    for name, (low, high) in game.fields.ranges.items():
        dtype, offset = fields[name][:2]
        first, count = offset // dtype.base.itemsize, int(np.prod(dtype.shape, dtype=int))
        gathered.setdefault(dtype.base, []).extend((first + i, low, high) for i in range(count))
    made = []
    for dtype, entries in gathered.items():
        places, low, high = np.array(entries, np.int64).T
        made.append(_Limits(dtype, places.astype(np.intp), low, high))
    return tuple(made)

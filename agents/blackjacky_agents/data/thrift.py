"""Thrift's compact protocol, in which Parquet describes its files, as lists of plain values.

A struct is a list of [field, type, value], a list is [type, values].
"""

from __future__ import annotations

from itertools import pairwise
from typing import IO, Any

TRUE, FALSE, BYTE, SHORT, INTEGER, LONG, BINARY, LIST, STRUCT = 1, 2, 3, 4, 5, 6, 8, 9, 12
_DEEPEST = 8  # structs and lists in each other; Parquet has 6


def read(file: IO[bytes], size: int, kind: int = STRUCT, depth: int = 0) -> Any:
    """The value of a type at the place where a file is read.

    Args:
        file: to be read.
        size: bytes that the file has left; no list and no text is longer.
        kind: type of the value.
        depth: structs and lists that it is in.

    Raises `ValueError` if there is none, or it is of a type that Parquet does not use.
    """
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    if kind in (SHORT, INTEGER, LONG):
        number = _read_varint(file)
        return number >> 1 ^ -(number & 1)
    if kind == BINARY:
        return file.read(_within(_read_varint(file), size))
    if kind == STRUCT:
        return _read_struct(file, size, depth + 1)
    head = _read_byte(file)
    if kind == LIST:
        count = head >> 4 if head >> 4 < 15 else _read_varint(file)
        return [head & 15, [read(file, size, head & 15, depth + 1) for _ in range(_within(count, size))]]
    if kind not in (TRUE, FALSE, BYTE):
        raise ValueError(f"it has a value of the unknown type {kind}")
    return head


def _read_struct(file: IO[bytes], size: int, depth: int) -> list[list[Any]]:
    found: list[list[Any]] = []
    field = 0
    while head := _read_byte(file):
        kind = head & 15
        field = field + (head >> 4) if head >> 4 else read(file, size, SHORT)
        found.append([field, kind, None if kind in (TRUE, FALSE) else read(file, size, kind, depth)])
    return found


def written(value: Any, kind: int = STRUCT) -> bytes:
    """The bytes of a value of a type."""
    if kind in (TRUE, FALSE, BYTE):
        return b"" if value is None else bytes([value])
    if kind in (SHORT, INTEGER, LONG):
        return _varint(value * 2 if value >= 0 else -value * 2 - 1)
    if kind == BINARY:
        return _varint(len(value)) + bytes(value)
    if kind == LIST:
        inner, count = value[0], len(value[1])
        head = bytes([count << 4 | inner]) if count < 15 else bytes([240 | inner]) + _varint(count)
        return head + b"".join(written(each, inner) for each in value[1])
    data, fields = b"", [0, *(field for field, *_ in value)]
    for (before, field), (_, inner, each) in zip(pairwise(fields), value, strict=True):
        near = 0 < field - before < 16
        data += bytes([(field - before) << 4 | inner]) if near else bytes([inner]) + written(field, SHORT)
        data += written(each, inner)
    return data + b"\0"


def facts(struct: list[list[Any]]) -> dict[int, Any]:
    """The values of a struct by their fields; `ValueError` unless the fields are in order, as all writers have them."""
    fields = [field for field, *_ in struct]
    if any(after <= before for before, after in pairwise([0, *fields])):
        raise ValueError("its fields are not in order")
    return {field: value for field, _, value in struct}


def _within(count: int, size: int) -> int:
    if count > size:
        raise ValueError(f"it has something of the length {count:,} in {size:,} bytes")
    return count


def _read_varint(file: IO[bytes]) -> int:
    number = 0
    for shift in range(0, 70, 7):
        byte = _read_byte(file)
        number |= (byte & 127) << shift
        if byte < 128:
            return number
    raise ValueError("it has a number that is too long")


def _read_byte(file: IO[bytes]) -> int:
    byte = file.read(1)
    if not byte:
        raise ValueError("it is cut off")
    return byte[0]


def _varint(number: int) -> bytes:
    data = []
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])

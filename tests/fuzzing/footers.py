"""Parquet files whose footers and headers of pages lie."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cache
from io import BytesIO
from random import Random
from typing import Any

from blackjacky_agents.data import thrift
from blackjacky_agents.data.pages import _entry
from tests.fuzzing.mutators import INTEGERS, TEXTS

NO_CHANGE = bytes(range(32))
_SIZE, _PLACES, _PAGE_SIZE = 7, (9, 11), 3  # fields of a column's facts: its bytes, where its pages are; of a header


def changed(content: bytes, data: bytes) -> bytes:
    """A file of one row group with changes to its footer and the headers of its pages, drawn from ``data``.

    Places and sizes of pages are right unless they were changed. Errors for a value that is none of its type.
    """
    footer, pages = copy.deepcopy(_taken_apart(content))
    facts, rng = _facts(footer), Random(data)
    for _ in range(0 if data == NO_CHANGE else rng.choice((1, 1, 2, 3))):
        _change([footer, *(header for *_, header, _ in pages)], rng)
    new = content[:4]
    for number, at, length, header, page in pages:
        begin = thrift.written(header)
        for fact in facts[number]:
            if fact[0] == _SIZE and type(fact[2]) is int:
                fact[2] += len(begin) - length
            elif fact[0] in _PLACES and fact[2] == at:
                fact[2] = len(new)
        new += begin + page
    end = thrift.written(footer)
    return new + end + len(end).to_bytes(4, "little") + content[-4:]


@cache
def _taken_apart(content: bytes) -> tuple[Any, list[tuple[int, int, int, Any, bytes]]]:
    """The footer of a file, and its pages: column, place, length of the header, header, content."""
    length = int.from_bytes(content[-8:-4], "little")
    footer = thrift.read(BytesIO(content[-8 - length :]), length)
    pages, file = [], BytesIO(content)
    for number, facts in enumerate(_facts(footer)):
        begin = min(each[2] for each in facts if each[0] in _PLACES)
        file.seek(begin)
        while (at := file.tell()) < begin + _entry(facts, _SIZE)[2]:
            header = thrift.read(file, len(content))
            head = file.tell() - at
            pages.append((number, at, head, header, file.read(_entry(header, _PAGE_SIZE)[2])))
    return footer, pages


def _facts(footer: Any) -> list[Any]:
    """The facts of each column of the first row group."""
    columns = _entry(_entry(footer, 4)[2][1][0], 1)[2][1]
    return [_entry(column, 3)[2] for column in columns]


def _structs(value: Any, kind: int = thrift.STRUCT) -> Iterator[list[list[Any]]]:
    """All structs of a value, each a list of [field, type, value]."""
    if kind == thrift.STRUCT:
        yield value
        for _, inner, each in value:
            yield from _structs(each, inner)
    elif kind == thrift.LIST:
        for each in value[1]:
            yield from _structs(each, value[0])


def _change(parts: Sequence[Any], rng: Random) -> None:
    """One change of structs: of a number wherever it stands, such as that of games, or of one entry."""
    struct = rng.choice([struct for part in parts for struct in _structs(part) if struct])
    entry, way = rng.choice(struct), rng.random()
    field, kind, value = entry
    if way < 0.7 and type(value) is int:
        same = [each for part in parts for struct in _structs(part) for each in struct if each[1:] == entry[1:]]
        new = rng.choice((*INTEGERS, value - 1, value + 1, 2 * value, 1000 * value, rng.choice(rng.choice(same))))
        for each in same if rng.random() < 0.5 else [entry]:
            each[2] = new
    elif way < 0.8 and isinstance(value, bytes):
        entry[2] = rng.choice((*(text.encode(errors="replace") for text in TEXTS), value[:-1], value + value))
    elif way < 0.85:
        struct.remove(entry)
    elif way < 0.9:
        struct.append([field + rng.randrange(3), kind, value])
    elif way < 0.95:
        entry[0] = rng.choice((field + 1, field - 1, rng.choice(INTEGERS)))
    elif kind == thrift.LIST:
        entry[2] = [value[0], value[1] * rng.choice((0, 2, 300))]
    else:
        entry[1] = rng.randrange(1, 10)

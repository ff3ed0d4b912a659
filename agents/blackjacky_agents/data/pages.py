"""Row groups of Parquet files that anybody may have written.

Arrow's reader believes what a footer and the headers of pages claim: 65 kilobytes can become any number of gigabytes,
and some footers end the process. So only the places, sizes and headers of pages are taken from a file, and checked; the
reader gets the pages with a footer as pyarrow writes it here.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from blackjacky_agents.data import thrift
from blackjacky_agents.data.schema import games_schema

MOST_ROWS = 2**12  # of a row group
MOST_VALUES = 2**24  # of a column of it
_MOST_FOOTER = 2**20  # bytes; a row group has less than 1,000
_MOST_BYTES = 2**26  # of a column's pages, compressed or not
_MOST_TEXT = 2**28  # bytes that a column of texts can become if all are the longest
_MAGIC = b"PAR1"

# Fields of Parquet's structs (parquet.thrift): FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, PageHeader.
_FILE_ROWS, _ROW_GROUPS = 3, 4
_COLUMNS, _ROWS = 1, 3
_FACTS = 3
_TYPE, _PATH, _CODEC, _VALUES, _COMPRESSED, _DATA_AT, _DICTIONARY_AT = 1, 3, 4, 5, 7, 9, 11
_NEEDED = range(_COMPRESSED + 1)  # of ColumnMetaData: not statistics and the like
_PAGE, _BECOMES, _SIZE = 1, 2, 3
_DATA, _DICTIONARY = 0, 2  # types of pages
_DETAILS = {_DATA: 5, _DICTIONARY: 7}  # where a page's header has the number and the encoding of its values
_PLAIN, _RLE, _IN_DICTIONARY = 0, 3, 8
_ENCODINGS = {_DATA: (_PLAIN, _IN_DICTIONARY), _DICTIONARY: (_PLAIN,)}  # others can make much of little
_LEVELS: dict[int, tuple[int, ...]] = {_DATA: (_RLE, _RLE), _DICTIONARY: ()}  # encodings of what belongs to which list
_TEXT = 6  # type of values: bytes


class Chunk(NamedTuple):
    """The pages of a column in a row group."""

    begin: int
    """Where they begin in the file."""
    size: int
    """Their bytes."""
    values: int


class RowGroup(NamedTuple):
    """A piece of a file that is read at once."""

    rows: int
    chunks: tuple[Chunk, ...]
    """One for each column."""


def write_games(table: pa.Table, sink: Any, rows: int = 1) -> None:
    """Write a table with `games_schema` as a Parquet file; ``rows``: of a row group."""
    repeated = [
        f"{field.name}.list.element" if pa.types.is_nested(field.type) else field.name
        for field in table.schema
        if field.name not in ("episode", "seed")  # in which no value repeats
    ]
    options = {"compression": "zstd", "write_statistics": False, "data_page_version": "1.0"}
    pq.write_table(table, sink, row_group_size=rows, use_dictionary=repeated, **options)


def read_row_groups(path: Path, num_players: int) -> list[RowGroup]:
    """Where the row groups of a file of games lie.

    Raises `ValueError` if it is no such file, or a row group is larger than what `write_games` writes.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 8))
        end = file.read()
        length = int.from_bytes(end[:4], "little")
        if end[4:] != _MAGIC or length > min(_MOST_FOOTER, size - 8):
            raise ValueError("it has no footer, or one that is too long")
        file.seek(size - 8 - length)
        footer = BytesIO(file.read(length))
    columns = [_facts_of(each) for each in _columns(_template(num_players))]
    try:
        groups = thrift.facts(thrift.read(footer, length))[_ROW_GROUPS][1]
        return [_row_group(thrift.facts(group), columns, size) for group in groups]
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"its footer lacks something, or has something else in its place ({error!r})") from None


def read_row_group(path: Path, group: RowGroup, num_players: int) -> pa.Table:
    """The games of a row group; `ValueError` if its pages are not what `write_games` writes."""
    footer, content = copy.deepcopy(_template(num_players)), _MAGIC
    with path.open("rb") as file:
        for chunk, column in zip(group.chunks, _columns(footer), strict=True):
            file.seek(chunk.begin)
            is_text = _facts_of(column)[_TYPE] == _TEXT
            try:
                pages = list(_pages(file.read(chunk.size), chunk.values, is_text))
            except (KeyError, TypeError) as error:
                raise ValueError(f"the header of a page lacks something ({error!r})") from None
            _describe(column, chunk.values, pages, len(content))
            content += b"".join(page for _, page in pages)
    for struct, field in ((footer, _FILE_ROWS), (_entry(footer, _ROW_GROUPS)[2][1][0], _ROWS)):
        _entry(struct, field)[2] = group.rows
    end = thrift.written(footer)
    file = pa.BufferReader(b"".join([content, end, len(end).to_bytes(4, "little"), _MAGIC]))
    return pq.ParquetFile(file).read()


# ---------------------------------------------------------------- footers


@cache
def _template(num_players: int) -> Any:
    """The footer of a file of one game."""
    seats, sink = range(num_players), BytesIO()
    lists = {"policies": [""] * num_players, "winners": [False for _ in seats], "scores": [0 for _ in seats]}
    game = {"episode": 0, "seed": 0, "actions": [0], "game": "", "version": 0, "options": "", **lists}
    write_games(pa.Table.from_pylist([game], games_schema(num_players)), sink)
    content = sink.getvalue()
    return thrift.read(BytesIO(content[-8 - int.from_bytes(content[-8:-4], "little") :]), len(content))


def _columns(footer: Any) -> Any:
    """The columns of the first row group."""
    return _entry(_entry(footer, _ROW_GROUPS)[2][1][0], _COLUMNS)[2][1]


def _entry(struct: Any, wanted: int) -> Any:
    """The entry of a field of a struct."""
    return next(entry for entry in struct if entry[0] == wanted)


def _facts_of(column: Any) -> dict[int, Any]:
    return thrift.facts(thrift.facts(column)[_FACTS])


def _row_group(group: dict[int, Any], columns: list[dict[int, Any]], size: int) -> RowGroup:
    found = [_facts_of(each) for each in group[_COLUMNS][1]]
    if any([each[fact] for each in found] != [each[fact] for each in columns] for fact in (_TYPE, _PATH, _CODEC)):
        raise ValueError("it has other columns than a dataset, or they are compressed in another way")
    rows = _number("rows", group[_ROWS], MOST_ROWS)
    return RowGroup(rows, tuple(_chunk(each, size) for each in found))


def _chunk(facts: dict[int, Any], size: int) -> Chunk:
    begin = min(_number("the place of a page", facts[at], size) for at in (_DATA_AT, _DICTIONARY_AT) if at in facts)
    length = _number("bytes of a column", facts[_COMPRESSED], min(size - begin, _MOST_BYTES))
    return Chunk(begin, length, _number("values of a column", facts[_VALUES], MOST_VALUES))


def _describe(column: Any, values: int, pages: list[tuple[int, bytes]], begin: int) -> None:
    """Let a column of the template have these pages, from a byte on."""
    size = sum(len(page) for _, page in pages)
    own = {_VALUES: values, _COMPRESSED - 1: size, _COMPRESSED: size, _DATA_AT: begin}
    if pages[0][0] == _DICTIONARY:
        own |= {_DATA_AT: begin + len(pages[0][1]), _DICTIONARY_AT: begin}
    facts = _entry(column, _FACTS)
    kept = [entry for entry in facts[2] if entry[0] in _NEEDED and entry[0] not in own]
    facts[2] = sorted([*kept, *([field, thrift.LONG, value] for field, value in own.items())])


# ---------------------------------------------------------------- pages


def _pages(chunk: bytes, values: int, is_text: bool) -> Iterator[tuple[int, bytes]]:
    """Type and bytes of the pages of a column, with headers of our own; `ValueError` unless they fill the chunk."""
    file, total, found, longest = BytesIO(chunk), 0, 0, 1
    while (place := file.tell()) < len(chunk) or not place:
        header = thrift.facts(thrift.read(file, len(chunk)))
        kind = _number("type of a page", header[_PAGE], _DICTIONARY)
        becomes = _number("bytes of a page", header[_BECOMES], _MOST_BYTES - total)
        details = thrift.facts(header[_DETAILS[kind]])
        count, encoding = _number("values of a page", details[1], MOST_VALUES), details[2]
        data = file.read(_number("bytes of a page", header[_SIZE], len(chunk) - file.tell()))
        total += becomes
        if kind == _DATA:
            found += count
        else:
            longest = becomes
            _number("entries of a dictionary", count, becomes // 4)  # none is shorter
        if encoding not in _ENCODINGS[kind] or (kind == _DICTIONARY and place):
            raise ValueError("a page is not written as those of datasets")
        facts = [[1 + i, thrift.INTEGER, each] for i, each in enumerate((count, encoding, *_LEVELS[kind]))]
        sizes = [[1 + i, thrift.INTEGER, each] for i, each in enumerate((kind, becomes, len(data)))]
        yield kind, thrift.written([*sizes, [_DETAILS[kind], thrift.STRUCT, facts]]) + data
    if found != values:
        raise ValueError(f"the pages of a column have {found:,} values, not {values:,} as the footer says")
    if is_text:
        _number("bytes of texts", values * longest, _MOST_TEXT)


def _number(what: str, value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{what}: {value!r:.50} is not allowed; allowed are 0 .. {most:,}")
    return value

"""Files and JSON that others may have written."""

from __future__ import annotations

import json
import math
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

MAX_CARD = 2**20
"""Size of a file of facts: settings, a protocol, the card of a network."""
MAX_LIST = 2**26
"""Size of a file whose lists grow with what it describes: a dataset's files, a tournament's line-ups, a run's tests."""
MAX_DATA = 2**30
"""Size of a file of results or weights."""
MAX_DEPTH = 40
"""Limit on nested lists and objects: deeper nesting could exhaust the stack of whatever walks it."""


def open_file(path: Path, flags: int = 0) -> BufferedReader:
    """Open a file for reading, private if ``flags``, which are those of `os.open`, create it.

    Raises `ValueError` for a pipe or a device, which might have no end, or nobody who ever writes to it.
    """
    flags |= getattr(os, "O_NONBLOCK", 0)  # opening a pipe would wait for its other end
    file = open(path, "rb", opener=lambda name, usual: os.open(name, usual | flags, 0o600))  # noqa: SIM115 - closed by whoever asks
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError(f"{str(path)!r} is no file but a pipe or a device")
    return file


def read_file(path: Path, most: int = MAX_CARD) -> bytes:
    """The content of a file; `ValueError`, before anything is read, if it is larger than ``most`` bytes, or no file."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise ValueError(f"{str(path)!r} is larger than what can be read there; allowed are {most:,} bytes")
        return file.read(size)


def parse_json(text: str | bytes) -> Any:
    """The value in a JSON text (RFC 8259), UTF-8 if it is bytes.

    Raises `ValueError` if it is anything else, is nested deeper than `MAX_DEPTH`, or holds what Python's parser lets
    through: NaN, infinite numbers, or half of a surrogate pair, which cannot be written as UTF-8.
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
        value = _DECODER.decode(text)
        if "\\u" in text:  # escapes are the only way to write half of a pair
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except UnicodeEncodeError:
        raise ValueError("it holds half of a surrogate pair") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise ValueError(_TOO_DEEP)
    return value


_TOO_DEEP = f"it is nested too deeply; allowed are {MAX_DEPTH} levels"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _read_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("it holds a number beyond the range of floating point")
    return number


def _is_deeper(value: Any, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        inner = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for values in inner for each in values]
    return any(isinstance(each, dict | list) for each in level)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_read_float)

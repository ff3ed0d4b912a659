"""Files and JSON that others may have written."""

from __future__ import annotations

import json
import math
import os
import stat
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


def read_file(path: Path, most: int = MAX_CARD) -> bytes:
    """The content of a file; `ValueError`, before anything is read, if it is larger than ``most`` bytes."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        endless = not stat.S_ISREG(found.st_mode)  # a pipe or a device, whose size is 0
        data = b"" if found.st_size > most else file.read(most + 1 if endless else -1)
    if max(found.st_size, len(data)) > most:
        raise ValueError(f"{str(path)!r} is larger than what can be read there; allowed are {most:,} bytes")
    return data


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

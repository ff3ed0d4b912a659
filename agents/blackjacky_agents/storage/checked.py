"""Data from files that anybody may have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from blackjacky_env.reading import MAX_LIST, parse_json, read_file


class Checked(BaseModel):
    """Content of a file: no other fields, no other types, only finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @classmethod
    def read(cls, path: Path, most: int = MAX_LIST) -> Self:
        """The content of a JSON file of at most so many bytes; `ValueError` if it is anything else."""
        return cls.model_validate_json(json.dumps(parse_json(read_file(path, most))))


def in_short(error: ValueError) -> str:
    """What is wrong with a file, in one line: the first of pydantic's errors, without the value that it is about."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    said = first["msg"].removeprefix("Value error, ")
    return f"{'.'.join(map(str, first['loc']))}: {said}".removeprefix(": ")

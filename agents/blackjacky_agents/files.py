"""Files written so that nobody ever sees half of one, and the versions that results depend on."""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata
from pathlib import Path


def write_file(path: Path, content: bytes | str) -> None:
    """Replace the file at ``path`` in one move: after a crash there is the old one or the new one; text as UTF-8."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_bytes(content.encode() if isinstance(content, str) else content)
    aside.replace(path)


def write_json(path: Path, content: object) -> None:
    """Write JSON for people to read, in one move."""
    write_file(path, json.dumps(content, indent=2) + "\n")


def versions(*more: str) -> dict[str, str]:
    """Versions of Python, of this package, NumPy, Numba and the packages named in ``more``."""
    names = ("blackjacky", "numpy", "numba", *more)
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}

"""Atomic file writing, and the versions that results depend on."""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata
from pathlib import Path


def write_file(path: Path, content: bytes | str) -> None:
    """Replace the file at ``path`` atomically: a crash leaves either the old or the new content. Text is UTF-8."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_bytes(content.encode() if isinstance(content, str) else content)
    aside.replace(path)


def write_json(path: Path, content: object) -> None:
    """Write indented JSON atomically."""
    write_file(path, json.dumps(content, indent=2) + "\n")


def versions(*more: str) -> dict[str, str]:
    """Versions of Python, this package, NumPy, Numba and the packages named in ``more``."""
    names = ("blackjacky", "numpy", "numba", *more)
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}

"""Atomic file writing, folders with one writer, and the versions that results depend on."""

from __future__ import annotations

import errno
import json
import os
import platform
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from secrets import token_hex
from typing import Any

from blackjacky_env.reading import MAX_DATA, read_file

_PART = ".part"  # ends the names of files that are being written


def write_file(path: Path, content: bytes | str, is_private: bool = False) -> None:
    """Replace the file at ``path`` atomically: a crash leaves either the old or the new content. Text is UTF-8.

    Links are followed. Pipes, devices, and the file that is standard output or error are written to instead.

    ``is_private``: nobody but this user may read it.

    Raises `OSError` if that fails, or the path leads to something else, such as a disk.
    """
    data = content.encode() if isinstance(content, str) else content
    if (stream := _stream(path)) is not None:
        with open(stream, "wb") as file:  # noqa: PTH123 - perhaps a descriptor
            file.write(data)
        return
    path, aside = _aside(path)
    try:
        aside.touch(0o600 if is_private else 0o666, exist_ok=False)
        aside.write_bytes(data)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def try_to_write(path: Path) -> None:
    """Raise `OSError` if `write_file` could not write this file; it stays as it is."""
    stream = _stream(path)
    if stream is None:
        _, aside = _aside(path)
        aside.touch(exist_ok=False)
        aside.unlink()
    elif isinstance(stream, Path) and not os.access(stream, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _stream(path: Path) -> Path | int | None:
    """What is opened to write to a path that is no plain file; None: it is one, or there is nothing."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(found, os.fstat(descriptor)):
                print(end="", flush=True)  # what was printed comes first
                return os.dup(descriptor)
    if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode):
        return None
    if not stat.S_ISFIFO(found.st_mode) and not stat.S_ISCHR(found.st_mode):
        raise OSError(errno.EINVAL, "it is neither a file nor a pipe nor a terminal", str(path))
    return path


def _aside(path: Path) -> tuple[Path, Path]:
    """The file that a path leads to, and where it is written first, under a name that no process of any machine has."""
    real = Path(os.path.realpath(path))
    return real, real.with_name(f".{real.name[:100]}.{platform.node()[:50]}.{token_hex(8)}{_PART}")


def write_json(path: Path, content: object) -> None:
    """Write indented JSON atomically."""
    write_file(path, json.dumps(content, indent=2) + "\n")


def write_with_card(path: Path, content: bytes, card: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Write a file and its card (.json) beside it: ``card``, the checksum of the content, and ``facts``.

    The content is written as ``NAME.next`` before the card is replaced. So if this is interrupted, `read_by_card` finds
    the old file or the new one, never one with the card of the other.
    """
    path = Path(os.path.realpath(path))
    coming = next_of(path)
    write_file(coming, content)
    write_json(path.with_suffix(".json"), {**card, "sha256": sha256(content).hexdigest(), **facts})
    coming.replace(path)


def next_of(path: Path) -> Path:
    """Where a file lies until the card that belongs to it is written."""
    return path.with_name(path.name + ".next")


def read_by_card(path: Path, card: Mapping[str, Any], most: int = MAX_DATA) -> bytes | None:
    """The content of the file that a card belongs to, of at most so many bytes; None if none has its checksum."""
    for place in (path, next_of(path)):
        content = read_file(place, most) if place.exists() else b""
        if sha256(content).hexdigest() == card.get("sha256"):
            return content
    return None


class FolderInUseError(ValueError):
    """Another process is writing to the folder."""


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Be the only process that writes to ``folder``, which is created if it is missing.

    The operating system frees the folder of a process that dies. Files that such a process left half written are
    removed.

    Raises `FolderInUseError` if there is another one.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise FolderInUseError(
            f"{folder} is being written by another process; wait until it has finished, stop it, or use another folder"
        ) from None
    try:
        for left in folder.glob(f".*{_PART}"):
            left.unlink(missing_ok=True)
        yield
    finally:
        lock.release()


def versions(*more: str) -> dict[str, str]:
    """Versions of Python, this package, NumPy, Numba and the packages named in ``more``."""
    names = ("blackjacky", "numpy", "numba", *more)
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}

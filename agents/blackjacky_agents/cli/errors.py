"""Input errors, as opposed to internal errors."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

_NOT_ALLOWED = "this user may not use {name}: change its permissions, or choose another place"
_REASONS = {
    errno.ENOENT: "there is no file or folder {name}: check the path",
    errno.EISDIR: "{name} is a folder: name a file",
    errno.ENOTDIR: "{name} is no folder: check the path",
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.EROFS: "{name} cannot be written, its disk is read-only: choose another place",
}


class WrongInputError(Exception):
    """The command line or an input file is invalid; exit status 2."""


def reason(error: OSError) -> str:
    """An error of the operating system as a sentence, if possible with what to do, without its number."""
    if error.errno is None or error.strerror is None:
        return str(error)
    if error.filename is None:
        return error.strerror
    return _REASONS.get(error.errno, f"{error.strerror}: {{name}}").format(name=repr(str(error.filename)))


@contextmanager
def checking_input() -> Iterator[None]:
    """Context that turns `ValueError`, `TypeError`, `OSError` and `NotImplementedError` into `WrongInputError`."""
    try:
        yield
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        raise WrongInputError(reason(error) if isinstance(error, OSError) else str(error)) from error

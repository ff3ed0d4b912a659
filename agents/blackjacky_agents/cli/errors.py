"""Input errors, as opposed to internal errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class WrongInputError(Exception):
    """The command line or an input file is invalid; exit status 2."""


@contextmanager
def checking_input() -> Iterator[None]:
    """Context that turns `ValueError`, `TypeError`, `OSError` and `NotImplementedError` into `WrongInputError`."""
    try:
        yield
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        raise WrongInputError(str(error)) from error

"""Wrong input, told apart from errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class WrongInputError(Exception):
    """The command line, or a file that it names, cannot be used; the message says why. Exit status 2."""


@contextmanager
def checking_input() -> Iterator[None]:
    """Inside, a `ValueError`, `TypeError`, `OSError` or `NotImplementedError` says what is wrong with the input."""
    try:
        yield
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        raise WrongInputError(str(error)) from error

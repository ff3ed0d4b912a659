"""A log that a flood of connections cannot flood."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass
class _Kind:
    since: float  # when one was logged
    more: int = 0  # records held back since then
    last: str = ""  # of these


class Quiet(logging.Filter):
    """Lets one record of each kind pass every ``seconds``, and counts the others.

    Records of one kind have the same level, exception and beginning of the message. Errors of the operating system that
    asyncio reports, such as too many open files, take one line, because their traceback leads through asyncio alone.
    What is cancelled when the server stops is not an error.

    Args:
        seconds: the interval.
    """

    def __init__(self, seconds: float = 60) -> None:
        super().__init__()
        self.seconds = seconds
        self._kinds: dict[tuple[str, int, str, object], _Kind] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, asyncio.CancelledError):  # when the server is stopped
            return False
        if record.name == "asyncio" and isinstance(error, OSError):
            record.msg, record.args = f"{_first_line(record)}: {error}", ()
            record.exc_info = record.exc_text = None
        key = (record.name, record.levelno, str(record.msg)[:40], type(error))
        if (kind := self._kinds.get(key)) is not None and not self._is_over(kind):
            kind.more, kind.last = kind.more + 1, _first_line(record)
            return False
        self._kinds[key] = _Kind(time.monotonic())
        return True

    def _is_over(self, kind: _Kind) -> bool:
        return time.monotonic() - kind.since >= self.seconds

    def report(self) -> None:
        """Log how many records of each kind were held back in the interval that has just ended."""
        for key, kind in list(self._kinds.items()):
            if self._is_over(kind):
                del self._kinds[key]
                if kind.more:
                    text = f"{kind.last} ({kind.more} more like this in the last {self.seconds:.0f} seconds)"
                    logging.getLogger(key[0]).log(key[1], text)


def _first_line(record: logging.LogRecord) -> str:
    return record.getMessage().partition("\n")[0]


@contextlib.contextmanager
def quiet_log(*names: str) -> Iterator[Quiet]:
    """Filter what is logged by the loggers of these names."""
    quiet = Quiet()
    loggers = [logging.getLogger(name) for name in names]
    for logger in loggers:
        logger.addFilter(quiet)
    try:
        yield quiet
    finally:
        for logger in loggers:
            logger.removeFilter(quiet)

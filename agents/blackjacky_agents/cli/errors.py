"""How a command ends early: input errors in one line with status 2, and Ctrl-C with one sentence and status 130."""

from __future__ import annotations

import _thread
import errno
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from blackjacky_agents.starting import SIGNALS, end_at_once

FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # the disk, or this user's share of it
_AGAIN = 0.05  # seconds until an interrupt that was swallowed comes again


class WrongInputError(Exception):
    """The command line or an input file is invalid; exit status 2."""


def reason(error: OSError) -> str:
    """An error of the operating system, with its file and without its number."""
    if error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.strerror}: {str(error.filename)!r}"


@contextmanager
def checking_input() -> Iterator[None]:
    """Context that turns `ValueError`, `TypeError`, `NotImplementedError` and `OSError` into `WrongInputError`.

    A closed pipe and a full disk stay what they are.
    """
    try:
        yield
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno in (errno.EPIPE, *FULL):
            raise  # an error of the output
        raise WrongInputError(reason(error) if isinstance(error, OSError) else str(error)) from error


# ---------------------------------------------------------------- Ctrl-C


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Context in which the signals that end this process at once raise `KeyboardInterrupt` instead.

    One that arrives inside LLVM or a destructor comes again: Python can raise nothing in what calls back, it prints a
    traceback and goes on, and LLVM's objects would be left half made.
    """
    taken = [number for number in SIGNALS if signal.getsignal(number) is end_at_once]
    before = sys.unraisablehook
    coming: list[threading.Timer] = []

    def again() -> None:
        coming.append(threading.Timer(_AGAIN, _interrupt_main))
        coming[-1].start()

    def interrupt(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_globals.get("__name__", "").startswith("llvmlite."):
                return again()
            frame = frame.f_back
        raise KeyboardInterrupt

    def not_raised(unraisable: sys.UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            again()
        elif not coming:
            before(unraisable)

    for number in taken:
        signal.signal(number, interrupt)
    sys.unraisablehook = not_raised
    try:
        yield
    except Exception:
        if not coming:
            raise
        raise KeyboardInterrupt from None
    finally:
        for timer in coming:
            timer.cancel()
            timer.join()
        for number in taken:
            signal.signal(number, end_at_once)
        sys.unraisablehook = before


def _interrupt_main() -> None:
    if hasattr(signal, "pthread_kill"):  # it also wakes a thread that waits
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()

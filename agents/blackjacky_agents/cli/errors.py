"""How a command ends early: input errors in one line with status 2, and Ctrl-C with one sentence and status 130."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from blackjacky_agents.starting import SIGNALS, end_at_once

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
    """Context that turns `ValueError`, `TypeError`, `OSError` and `NotImplementedError` into `WrongInputError`."""
    try:
        yield
    except BrokenPipeError:  # of what reads the output
        raise
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        raise WrongInputError(reason(error) if isinstance(error, OSError) else str(error)) from error


# ---------------------------------------------------------------- Ctrl-C


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Context in which the signals that end this process at once raise `KeyboardInterrupt` instead."""
    taken = [number for number in SIGNALS if signal.getsignal(number) is end_at_once]
    for number in taken:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, end_at_once)


@contextmanager
def never_swallowed() -> Iterator[None]:
    """Context in which a Ctrl-C that arrives inside a callback of LLVM or a destructor comes again.

    Python can raise nothing there: it prints a traceback and goes on, and what called back may fail for lack of an
    answer.
    """
    before = sys.unraisablehook
    coming: list[threading.Timer] = []

    def again(unraisable: sys.UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            coming.append(threading.Timer(_AGAIN, _interrupt_main))
            coming[-1].start()
        elif not coming:
            before(unraisable)

    sys.unraisablehook = again
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
        sys.unraisablehook = before


def _interrupt_main() -> None:
    if hasattr(signal, "pthread_kill"):  # it also wakes a thread that waits
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()

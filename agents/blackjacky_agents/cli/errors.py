"""How a command ends early: input errors in one line with status 2, and Ctrl-C with one sentence and status 130."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # exit status, as shells have it
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
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        raise WrongInputError(reason(error) if isinstance(error, OSError) else str(error)) from error


# ---------------------------------------------------------------- Ctrl-C


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Context for importing, in which Ctrl-C ends the process: some modules turn its exception into another one.

    It changes nothing where somebody else handles Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread() or not _is_pythons():
        yield
        return
    before = signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_pythons() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _end(number: int, frame: object) -> None:
    os.write(2, b"\nInterrupted.\n")
    os._exit(INTERRUPTED)


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

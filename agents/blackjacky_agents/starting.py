"""What a command does before it imports anything else: it takes Ctrl-C and SIGTERM, and opens closed streams."""

import os
import signal
import sys

INTERRUPTED = 130  # exit status, as shells have it
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def prepare_process() -> None:
    """Let Ctrl-C and SIGTERM end this process with a line, unless they are ignored, and open missing standard streams.

    Without that, Python has no object for a closed stream, and the next file that is opened gets its number. A process
    of `multiprocessing`, which imports what began its parent, is left as it is.
    """
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None and multiprocessing.parent_process() is not None:
        return
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, end_at_once)
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def end_at_once(number: int, frame: object) -> None:
    """End this process: modules that are being imported may turn an exception into another one."""
    try:
        os.write(2, b"\nInterrupted.\n")
    finally:
        os._exit(INTERRUPTED)

"""Programs as forks of a process that has loaded everything they need, so that a thousand of them can be ended."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from scripts.proofs.attacks.common import CRASH, ERROR, HANG, REFUSED, SURVIVED, TRACEBACK

PATIENCE = 120.0  # seconds that a program has to end
_PAUSE = 0.002  # seconds between two checks of a program


class Fork:
    """A fork of this process, which must have no other threads.

    Args:
        run: what it runs; returns the exit status.
        home: its working directory.
        log: the file of its output.
    """

    def __init__(self, run: Callable[[], int | None], home: Path, log: Path) -> None:
        self.log = log
        self.status: int | None = None
        self.is_killed = False
        log.write_bytes(b"")
        self.pid = os.fork()
        if not self.pid:
            _run_fork(run, home, log)

    def ends_within(self, seconds: float) -> bool:
        """Wait; returns whether it has ended by itself, with `status`: negative if a signal has ended it."""
        until = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() >= until:
                return False
            else:
                time.sleep(_PAUSE)
        return True

    def kill(self) -> None:
        """End it without notice, as a lack of memory would; no effect if it has ended."""
        if self.status is None:
            self.is_killed = True
            os.kill(self.pid, signal.SIGKILL)
            self.ends_within(PATIENCE)

    @property
    def output(self) -> str:
        """What it has printed."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def outcome(self) -> str:
        """Wait for its end; returns the outcome. An improper end is printed."""
        if not self.ends_within(PATIENCE):
            self.kill()
            found = HANG
        elif (self.status or 0) < 0:
            found = CRASH
        elif "Traceback" in self.output:
            found = TRACEBACK
        elif self.status == 2 and "error: " in self.output:
            return REFUSED
        elif self.status == 0:
            return SURVIVED
        else:
            found = ERROR
        print(f"{found}, exit status {self.status}:\n{self.output[-1500:]}", file=sys.stderr)
        return found


def _run_fork(run: Callable[[], int | None], home: Path, log: Path) -> None:
    """Run a fork, which must never return into its parent's code."""
    status = 1
    try:
        output = os.open(log, os.O_WRONLY | os.O_APPEND)
        for number in (1, 2):
            os.dup2(output, number)
        os.chdir(home)
        faulthandler.dump_traceback_later(0.9 * PATIENCE)  # says where it hangs
        status = run() or 0
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - nothing may leave a fork
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)

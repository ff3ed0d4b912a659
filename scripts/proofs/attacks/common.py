"""What all attacks share: what becomes of a try, and processes that are allowed to die.

A kind of attack is a generator function of a module of this folder, with a name, a number of tries and a seed as its
arguments, which yields what was tried, an outcome and the number of tries. `run_apart` runs it in a process of its own,
in which it starts the attacked programs as `Fork`s, so that a thousand of them can be ended.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from scripts.results import ROOT

OUTCOMES = ("refused", "survived", "crashes", "hangs", "lost", "tracebacks", "other errors")
REFUSED, SURVIVED, CRASH, HANG, LOST, TRACEBACK, ERROR = OUTCOMES
PATIENCE = 120.0  # seconds that a program has to end, and a task for each of its tries
_SHOWN = 1500  # characters at the end of what was printed

Tries = Iterator[tuple[str, str, int]]


class Task(NamedTuple):
    """Tries made by one process."""

    call: str  # a kind of attack as ``module:name``
    name: str  # what it attacks
    tries: int
    seed: int
    before: Sequence[str] = ()  # words of the command line before Python


def run_apart(task: Task) -> dict[str, Counter[str]]:
    """Run a task; outcomes by what was tried. A crash, hang or error of the process itself counts once."""
    command = [*task.before, sys.executable, "-m", __name__, task.call, task.name, str(task.tries), str(task.seed)]
    is_late, status = False, 0
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=PATIENCE * task.tries, check=False)
        status, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        is_late, output, errors = True, late.stdout or b"", late.stderr or b""
    found: dict[str, Counter[str]] = {}
    for line in output.splitlines():
        what, outcome, number = json.loads(line)
        found.setdefault(what, Counter())[outcome] += number
    if errors or is_late or status:
        print(f"\n{task}:\n{errors.decode(errors='replace')[-_SHOWN:]}", file=sys.stderr)
    if is_late or status:
        found[task.call] = Counter({HANG if is_late else CRASH if status < 0 else ERROR: 1})
    return found


def main(call: str, name: str, tries: str, seed: str) -> None:
    """Make the tries of a task, in its process, and report their outcomes as lines of JSON."""
    reports = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an attacked program prints is not a report
    module, _, function = call.partition(":")
    for each in getattr(import_module(module), function)(name, int(tries), int(seed)):
        print(json.dumps(each), file=reports, flush=True)


class Fork:
    """A program as a fork of this process, which must have no other threads; its output goes into a file."""

    def __init__(self, run: Callable[[], int | None], home: Path, log: Path) -> None:
        self.log = log
        log.write_bytes(b"")
        self._process = get_context("fork").Process(target=_run_fork, args=(run, home, log))
        self._process.start()

    def killed_within(self, seconds: float) -> bool:
        """End it without notice after so long, as a lack of memory would, unless it has ended by itself."""
        self._process.join(seconds)
        if self._process.exitcode is not None:
            return False
        self._process.kill()
        self._process.join(PATIENCE)
        return True

    @property
    def output(self) -> str:
        """What it has printed."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def outcome(self) -> str:
        """Wait for its end; returns the outcome. An improper end is printed."""
        is_late, status, told = self.killed_within(PATIENCE), self._process.exitcode or 0, self.output
        found = HANG if is_late else CRASH if status < 0 else TRACEBACK if "Traceback" in told else ERROR
        if found == ERROR and (status == 0 or (status == 2 and "error: " in told)):
            return SURVIVED if status == 0 else REFUSED
        print(f"{found}, exit status {status}:\n{told[-_SHOWN:]}", file=sys.stderr)
        return found


def _run_fork(run: Callable[[], int | None], home: Path, log: Path) -> None:
    with log.open("ab") as output:
        for number in (1, 2):
            os.dup2(output.fileno(), number)
    os.chdir(home)
    faulthandler.dump_traceback_later(0.9 * PATIENCE)  # says where it hangs
    sys.exit(run())


if __name__ == "__main__":
    main(*sys.argv[1:])

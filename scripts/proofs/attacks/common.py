"""What all attacks share: their rows, and processes that are allowed to die.

A kind of attack is a module of this folder with the size of its long run, ``TRIES``, and a function ``tasks(tries,
seed)`` for `run_tasks`, or ``attack(tries, seed, workers, progress)``, which returns rows, too.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

OUTCOMES = ("refused", "survived", "crashes", "hangs", "lost", "tracebacks", "errors")
REFUSED, SURVIVED, CRASH, HANG, LOST, TRACEBACK, ERROR = OUTCOMES
BAD = OUTCOMES[2:]
ROOT = Path(__file__).parents[3]
PATIENCE = 600.0  # seconds after which a silent process counts as hanging
_SHOWN = 1500  # characters at the end of a process's errors


Progress = Callable[[int], object]


class Row(NamedTuple):
    """One row of the table."""

    what: str
    """What was tried, such as "training killed while it saves"."""
    tried: int
    counts: Counter[str]
    """Number of tries by outcome, one of `OUTCOMES`."""
    memory: str = ""
    """Of servers: MiB before and after the attack, such as "61 -> 62 MiB"."""


class Task(NamedTuple):
    """A number of tries made by one process."""

    what: str
    """The row that it belongs to."""
    call: str
    """A function as ``module:name``; it yields or returns a `Counter` of outcomes whenever tries are done."""
    arguments: Sequence[object]
    """Its arguments, JSON-ready."""
    tries: int
    before: Sequence[str] = ()
    """Words of the command line before Python."""


def run_tasks(tasks: Sequence[Task], workers: int, progress: Progress) -> list[Row]:
    """Run every task in a process of its own, some at a time; one row for each.

    ``progress`` is called with the number of tries made.
    """
    with ThreadPoolExecutor(workers) as pool:
        found = pool.map(lambda task: run_apart(task, progress), tasks)
        return [Row(task.what, task.tries, counts) for task, counts in zip(tasks, found, strict=True)]


def divided(calls: Sequence[tuple[str, str, str]], tries: int, seed: int, before: Sequence[str] = ()) -> list[Task]:
    """Tasks for programs, ``tries`` divided equally: (`Task.what`, `Task.call`, name of the program)."""
    return [
        Task(what, call, [name, part, seed + number], part, before)
        for number, ((what, call, name), part) in enumerate(zip(calls, divide(tries, len(calls)), strict=True))
        if part
    ]


def run_apart(task: Task, progress: Progress) -> Counter[str]:
    """Run a task; a crash, hang or error of its process counts once, and the end of its stderr is printed."""
    command = [
        *task.before,
        sys.executable,
        "-m",
        "scripts.proofs.attacks.common",
        task.call,
        json.dumps(task.arguments),
    ]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    stderr = process.stderr
    assert stderr is not None
    errors: list[str] = []
    with ThreadPoolExecutor(1) as reader, process:
        reader.submit(lambda: errors.append(stderr.read()))
        counts, is_late = _read(process, progress)
    status = process.returncode
    if is_late or status:
        print(
            f"\n{task}: {'silent for too long' if is_late else f'exit status {status}'}\n{errors[0][-_SHOWN:]}",
            file=sys.stderr,
        )
        counts[HANG if is_late else CRASH if status < 0 else ERROR] += 1
    elif errors[0]:
        print(f"\n{task}:\n{errors[0][-_SHOWN:]}", file=sys.stderr)
    return counts


def _read(process: subprocess.Popen[str], progress: Progress) -> tuple[Counter[str], bool]:
    """The outcomes that a process reports until it ends; whether it was killed because it was silent for too long."""
    counts: Counter[str] = Counter()
    assert process.stdout is not None
    while select.select([process.stdout], [], [], PATIENCE)[0]:
        if not (line := process.stdout.readline()):
            return counts, False
        counts.update(json.loads(line))
        progress(sum(json.loads(line).values()))
    os.killpg(process.pid, signal.SIGKILL)
    return counts, True


def divide(tries: int, parts: int) -> list[int]:
    """``tries`` as a sum of ``parts`` numbers that differ by at most 1."""
    return [tries // parts + (i < tries % parts) for i in range(parts)]


def main(call: str, arguments: str) -> None:
    """Make the tries of a task, in its process, and report their outcomes as lines of JSON."""
    from importlib import import_module

    reports = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an attacked program prints is not a report
    module, _, name = call.partition(":")
    found = getattr(import_module(module), name)(*json.loads(arguments))
    for counts in [found] if isinstance(found, Counter) else found:
        print(json.dumps(counts), file=reports, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

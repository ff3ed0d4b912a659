"""What all attacks share: their rows, and processes that are allowed to die.

A kind of attack is a module of this folder with the size of its long run, ``TRIES``, and a function ``tasks(tries,
seed)`` for `run_tasks`, or ``attack(tries, seed, workers, progress)``, which returns rows, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

from blackjacky_env.games import GAMES, get_game

OUTCOMES = ("refused", "survived", "crashes", "hangs", "lost", "tracebacks", "errors")
REFUSED, SURVIVED, CRASH, HANG, LOST, TRACEBACK, ERROR = OUTCOMES
BAD = OUTCOMES[2:]
PROOFS = Path(__file__).parents[1]
BOUNDS_CHECKED = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(PROOFS.parents[1] / "runs" / "torture" / "cache")}
"""The environment of a task whose compiled code checks the bounds of arrays."""
PATIENCE = 600.0  # seconds after which a silent process counts as hanging
_SHOWN = 1500  # characters at the end of a process's errors


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
    environment: Mapping[str, str] = {}
    """Variables of the environment besides those of this process."""
    before: Sequence[str] = ()
    """Words of the command line before Python."""


def tasks_for_programs(calls: Sequence[tuple[str, str, str]], tries: int, seed: int, **more: Any) -> list[Task]:
    """``tries`` divided equally among programs: (`Task.what`, `Task.call`, name of the program)."""
    return [
        Task(what, call, [name, part, seed + number], part, **more)
        for number, ((what, call, name), part) in enumerate(zip(calls, divide(tries, len(calls)), strict=True))
        if part
    ]


def tasks_for_games(what: str, call: str, tries: int, seed: int, chunk: int) -> list[Task]:
    """``tries`` divided equally among all games, ``chunk`` for each process, which checks the bounds of arrays."""
    made: list[Task] = []
    for game, left in zip(GAMES, divide(tries, len(GAMES)), strict=True):
        for first in range(0, left, chunk):
            size = min(chunk, left - first)
            arguments = [game, size, seed + len(made)]
            made.append(Task(what.format(get_game(game).title), call, arguments, size, BOUNDS_CHECKED))
    return made


def run_tasks(tasks: Sequence[Task], workers: int, progress: Callable[[int], None]) -> list[Row]:
    """Run every task in a process of its own, some at a time; one row for each `Task.what`, in order of appearance.

    ``progress`` is called with the number of tries made.
    """
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(lambda task: run_apart(task, progress), tasks))
    rows = {task.what: Row(task.what, 0, Counter()) for task in tasks}
    for task, counts in zip(tasks, found, strict=True):
        before = rows[task.what]
        rows[task.what] = Row(task.what, before.tried + task.tries, before.counts + counts)
    return list(rows.values())


def run_apart(task: Task, progress: Callable[[int], None]) -> Counter[str]:
    """Run a task; a crash, hang or error of its process counts once, and the end of its stderr is printed."""
    command = [*task.before, sys.executable, "-m", "attacks.common", task.call, json.dumps(task.arguments)]
    process = subprocess.Popen(
        command,
        cwd=PROOFS,
        env={**os.environ, **task.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    errors: list[str] = []
    with ThreadPoolExecutor(1) as reader, process:
        reader.submit(lambda: errors.append(process.stderr.read()))
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


def _read(process: subprocess.Popen[str], progress: Callable[[int], None]) -> tuple[Counter[str], bool]:
    """The outcomes that a process reports until it ends; whether it was killed because it was silent for too long."""
    counts: Counter[str] = Counter()
    late: list[bool] = []

    def end() -> None:
        late.append(True)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    assert process.stdout is not None
    while True:
        timer = Timer(PATIENCE, end)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            return counts, bool(late)
        counts.update(json.loads(line))
        progress(sum(json.loads(line).values()))


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

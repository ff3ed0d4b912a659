"""Garbage for everything that parses: the fuzz targets of the tests, tried for a long time.

Every input has limits of time and memory. One that breaks a promise is kept in runs/torture/garbage: put it into the
corpus of the tests, tests/fuzzing/corpus/TARGET, with a name that says what it is. If a process dies, ``last`` is the
input that killed it.
"""

from __future__ import annotations

import faulthandler
import hashlib
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

from scripts.proofs.attacks.common import ERROR, HANG, TRACEBACK, Task

sys.path.insert(0, str(Path(__file__).parents[3]))  # other libraries (Pgx) install packages called tests, too

from tests.fuzzing.target import HarmError, Target
from tests.fuzzing.targets import TARGETS

TRIES = 1_000_000
KEPT = Path(__file__).parents[3] / "runs" / "torture" / "garbage"
LIMIT = 10.0  # seconds for one input, on a busy machine
MEMORY = 2**30  # bytes that parsing may take beyond what the process has at its start
_CHUNK = 20_000  # inputs for each process
_REPORT_EVERY = 1.0  # seconds between two reports


class TooSlowError(BaseException):
    """An input has taken longer than `LIMIT`."""


def tasks(tries: int, seed: int) -> list[Task]:
    """The work of all processes: ``tries`` inputs divided among all targets, by their shares."""
    made, before, whole = [], 0.0, sum(target.share for target in TARGETS.values())
    for target in TARGETS.values():
        first, last = (round(tries * part / whole) for part in (before, before + target.share))
        cuts = [*range(0, last - first, _CHUNK), last - first]
        made += [
            Task(
                f"garbage as {target.what}", "attacks.garbage:attack_target", [target.name, seed, low, high], high - low
            )
            for low, high in pairwise(cuts)
        ]
        before += target.share
    return made


def attack_target(name: str, seed: int, low: int, high: int) -> Iterator[Counter[str]]:
    """Try the inputs ``low`` .. ``high`` - 1 of a target; yields the outcomes of some of them at a time."""
    target, counts, reported = TARGETS[name], Counter[str](), time.monotonic()
    KEPT.mkdir(parents=True, exist_ok=True)
    faulthandler.enable()
    for valid in target.seeds:  # compiles, which takes time and memory
        target.attempt(valid)
    limit_memory()
    trace = KEPT / f"last-{name}-{low}"
    with trace.open("wb", buffering=0) as last:
        for number in range(low, high):
            data = target.garbage(Random(f"{seed} {name} {number}"))
            last.seek(0)
            last.truncate()
            last.write(data)
            counts[attempt(target, data)] += 1
            if time.monotonic() - reported > _REPORT_EVERY:
                yield counts
                counts, reported = Counter(), time.monotonic()
    trace.unlink()
    yield counts


def limit_memory() -> None:
    """Let this process take `MEMORY` more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def attempt(target: Target, data: bytes) -> str:
    """The outcome of one input; one that breaks a promise is kept, and its traceback printed."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        try:
            return target.attempt(data)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)  # keeping what is found takes time, too
    except TooSlowError as error:
        return keep(target, data, HANG, error)
    except (MemoryError, HarmError) as error:
        return keep(target, data, ERROR, error)
    except Exception as error:  # noqa: BLE001  # whatever was not promised
        return keep(target, data, TRACEBACK, error)


def keep(target: Target, data: bytes, outcome: str, error: BaseException) -> str:
    """Keep an input that has broken a promise, and print its traceback; returns the outcome."""
    path = KEPT / f"{target.name}-{hashlib.sha256(data).hexdigest()[:8]}"
    path.write_bytes(data)
    print(f"{path}: {outcome}\n{''.join(traceback.format_exception(error))}", file=sys.stderr)
    return outcome


def _stop(number: int, frame: object) -> None:
    raise TooSlowError

"""Attack the package with what an accident or a stranger may do to it, in processes that are allowed to die.

    python -m scripts.proofs.torture --write                      everything, twenty minutes; results/attacks.json
    python -m scripts.proofs.torture --kinds kills --tries 100    a short run of one kind

Every try is refused or survived, or it is a crash, a hang (silent for too long), a loss (of a game, a result or a
confirmed move), a traceback in place of a sentence, or another error: then the exit status is 1. Garbage for everything
that parses is in tests/fuzzing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.reports import duration
from scripts.pages.part import plain_tables
from scripts.proofs.attacks import commands, common, loops
from scripts.proofs.attacks.common import OUTCOMES, REFUSED, SURVIVED, Task, Tries
from scripts.results import save

KINDS: dict[str, tuple[int, list[tuple[Callable[[str, int, int], Tries], str]]]] = {
    "kills": (200, [(commands.kill, name) for name in commands.JOBS]),
    "loops": (200, [*((loops.kill, name) for name in loops.LOOPS), (loops.kill_server, "web server")]),
    "disks": (200, [(commands.fill, name) for name in commands.JOBS]),
    "writers": (200, [(commands.write_twice, name) for name in commands.JOBS]),
}
"""The size of the long run of each kind, and what it attacks."""


@dataclass(frozen=True)
class Args:
    """Attack the package in processes that are allowed to die."""

    kinds: str = ",".join(KINDS)  # Kinds of attacks, separated by commas.
    tries: int | None = None  # Number of tries of each kind; by default that of its long run.
    seed: int = 0  # Seed of all random choices; moments of kills depend on the machine, too.
    workers: int = os.cpu_count() or 1  # Number of processes at a time.
    write: bool = False  # Keep the result in results/attacks.json.


def main(args: Args) -> int:
    """Attack, print the table, and keep it if asked to; returns the exit status."""
    began, rows, to_do = time.monotonic(), list[dict[str, Any]](), tasks(args)
    with ThreadPoolExecutor(args.workers) as pool:
        for found in tqdm(pool.map(common.run_apart, to_do), total=len(to_do), desc="attacks"):
            for what, counts in found.items():
                rows.append({"attack": what, "tried": counts.total(), **{each: counts[each] for each in OUTCOMES}})
    print(plain_tables(rows))
    if args.write:
        what = f"Attacks on everything that can be interrupted, {duration(time.monotonic() - began)}"
        what += f" with {args.workers} process{'es' * (args.workers > 1)} at a time."
        save("attacks", rows, what=what, seed=args.seed)
    return int(any(row["tried"] != row[REFUSED] + row[SURVIVED] for row in rows))


def tasks(args: Args) -> list[Task]:
    """What is to be done; the `ValueError` for an unknown kind lists all."""
    made = []
    for kind in args.kinds.split(","):
        if kind not in KINDS:
            raise ValueError(f"--kinds {kind!r} is unknown; allowed are {', '.join(KINDS)}")
        tries, calls = KINDS[kind]
        tries = tries if args.tries is None else args.tries
        before = commands.NAMESPACE if kind == "disks" else ()
        for number, (call, name) in enumerate(calls):
            part = -(-tries // len(calls))
            made.append(Task(f"{call.__module__}:{call.__name__}", name, part, args.seed + number, before))
    return made


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))

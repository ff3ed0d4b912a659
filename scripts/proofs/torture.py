"""Attack the package with what an accident or a stranger may do to it, in processes that are allowed to die.

    python -m scripts.proofs.torture                          everything, which takes an hour
    python -m scripts.proofs.torture --kinds kills,disks      some kinds of attacks
    python -m scripts.proofs.torture --tries 100              a short run
    python -m scripts.proofs.torture --write                  keep the result in results/attacks.json

Every try is refused or survived, or it is a crash, a hang (silent for too long), a loss (of a game, a result or a
confirmed move), a traceback in place of a sentence, or another error. The exit status is 1 unless every try was
refused or survived. Garbage for everything that parses is in tests/fuzzing.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.reports import duration, markdown_table
from scripts.proofs.attacks import connections, disks, kills, writers
from scripts.proofs.attacks.common import BAD, OUTCOMES, Row, run_tasks

KINDS = {"connections": connections.TRIES, "kills": kills.TRIES, "disks": disks.TRIES, "writers": writers.TRIES}
"""The sizes of the long runs."""
TASKS = {"kills": kills.tasks, "disks": disks.tasks, "writers": writers.tasks}


@dataclass(frozen=True)
class Args:
    """Attack the package in processes that are allowed to die."""

    kinds: str = ",".join(KINDS)
    """Kinds of attacks, separated by commas."""
    tries: int | None = None
    """Number of tries of each kind; by default that of its long run."""
    seed: int = 0
    """Seed of all random choices; moments of kills depend on the machine, too."""
    workers: int = os.cpu_count() or 1
    """Number of processes at a time."""
    write: bool = False
    """Keep the result in results/attacks.json."""


def main(args: Args) -> int:
    """Attack, print the table, and keep it if asked to; returns the exit status."""
    began, rows = time.monotonic(), [row for kind in kinds_of(args) for row in attack(kind, args)]
    found = [as_result(row) for row in rows]
    print(markdown_table([*found[0]], [[f"{value}" for value in each.values()] for each in found]))
    if args.write:
        from scripts.results import save

        what = f"Attacks on everything that can be interrupted or connected to, {duration(time.monotonic() - began)}"
        what += f" with {args.workers} process{'es' * (args.workers > 1)} at a time."
        save("attacks", found, what=what, command="-m scripts.proofs.torture", seed=args.seed)
    return int(any(row.counts[outcome] for row in rows for outcome in BAD))


def kinds_of(args: Args) -> list[str]:
    """The kinds to run; the `ValueError` for an unknown one lists all."""
    kinds = args.kinds.split(",")
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"--kinds {kind!r} is unknown; allowed are {', '.join(KINDS)}")
    return kinds


def attack(kind: str, args: Args) -> list[Row]:
    """The rows of one kind of attack."""
    tries = KINDS[kind] if args.tries is None else args.tries
    with tqdm(total=tries, desc=f"{kind}, first loading and compiling", unit=" tries", smoothing=0.05) as bar:

        def show(done: int) -> None:
            bar.set_description_str(kind, refresh=False)
            bar.update(done)

        if kind == "connections":
            return connections.attack(tries, args.seed, show)
        return run_tasks(TASKS[kind](tries, args.seed), args.workers, show)


def as_result(row: Row) -> dict[str, Any]:
    """A row with the headings of its table."""
    counts = {("other errors" if outcome == OUTCOMES[-1] else outcome): row.counts[outcome] for outcome in OUTCOMES}
    return {"attack": row.what, "tried": row.tried, **counts, "memory": row.memory}


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))

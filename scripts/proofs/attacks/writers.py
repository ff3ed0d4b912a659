"""Two processes that write the same thing at the same time.

One writes; the other is refused (status 2), or finds the work done. Half the time the first is killed at a random
moment, and the next one takes over. The result must be that of an undisturbed run.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.proofs.attacks.common import ERROR, LOST, REFUSED, SURVIVED, Task, divided
from scripts.proofs.attacks.forks import Fork
from scripts.proofs.attacks.jobs import JOBS, Prepared, empty_folder, is_whole, new_home, prepare, start

TRIES = 600
_REASONS = (  # why a second process may be refused
    "is being written by ",
    "choose another --name",
    "there is no interrupted score",
)


def tasks(tries: int, seed: int) -> list[Task]:
    """One task for each program."""
    return divided([(f"two processes: {name}", f"{__name__}:write_twice", name) for name in JOBS], tries, seed)


def write_twice(name: str, tries: int, seed: int) -> Iterator[Counter[str]]:
    """Run a command beside itself, half the time where it has a result already."""
    rng, prepared = random.Random(seed), prepare(name)
    with new_home() as (home, log):
        for _ in range(tries):
            empty_folder(home)
            if rng.random() < 0.5:
                prepared.leave(home)
            first = start(prepared.job, home, log)
            time.sleep(rng.uniform(0, prepared.seconds))
            other = start(prepared.job, home, log.with_name("log_2"))
            if rng.random() < 0.5 and not first.ends_within(rng.uniform(0, prepared.seconds)):
                first.kill()
            yield Counter({_outcome_of([first, other], prepared, home, log.with_name("log_3")): 1})


def _outcome_of(programs: Sequence[Fork], prepared: Prepared, home: Path, log: Path) -> str:
    """Wait for two programs, run the command once more alone, and look at the result."""
    outcomes = []
    for program in programs:
        if program.is_killed:
            continue
        outcomes.append(program.outcome())
        if outcomes[-1] not in (SURVIVED, REFUSED):
            return outcomes[-1]
        if outcomes[-1] == REFUSED and not any(reason in program.output for reason in _REASONS):
            print(f"refused for another reason: {program.output}", file=sys.stderr)
            return ERROR
    last = start(prepared.job, home, log)
    if last.outcome() != SURVIVED or not is_whole(prepared, home):
        print("\n".join(program.output for program in (*programs, last)), file=sys.stderr)
        return LOST
    return REFUSED if REFUSED in outcomes else SURVIVED

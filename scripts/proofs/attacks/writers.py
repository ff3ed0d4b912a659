"""Two processes that write the same thing at the same time, and readers beside a writer.

One writes; the other is refused (status 2), or finds the work done. Half the time the first is killed at a random
moment, and the next one takes over. The result must be that of an undisturbed run.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from scripts.proofs.attacks.common import ERROR, HANG, LOST, REFUSED, SURVIVED, Task, tasks_for_programs
from scripts.proofs.attacks.forks import PATIENCE, Fork
from scripts.proofs.attacks.jobs import JOBS, Prepared, empty_folder, is_whole, new_home, prepare, start
from blackjacky_agents import bot_names, cli
from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.table import Table
from blackjacky_env.games import DEFAULT

TRIES = 600
_READ = "watch --tournament games --number 0 --out page.html"
_BOT = bot_names(DEFAULT)[0]
_SERVE = f"play --web --port 0 --delay 0 --tables tables --opponents {_BOT}"
_SERVED = "Open tables at"
_REASONS = (  # why a second process may be refused
    "is being written by ",
    "choose another --name",
    "there is no interrupted score",
    "--tournament games has",
    "no game has been played yet",
)


def tasks(tries: int, seed: int) -> list[Task]:
    """One task for each program."""
    calls = [(f"two processes: {name}", "attacks.writers:write_twice", name) for name in JOBS]
    calls.append(("replay page beside a running tournament", "attacks.writers:read_beside", "tournament"))
    calls.append(("two processes: web server", "attacks.writers:serve_twice", ""))
    return tasks_for_programs(calls, tries, seed)


def write_twice(name: str, tries: int, seed: int) -> Iterator[Counter[str]]:
    """Run a command beside itself."""
    prepared = prepare(name)
    yield from _try(prepared, lambda home, log: start(prepared.job, home, log), tries, seed)


def read_beside(name: str, tries: int, seed: int) -> Iterator[Counter[str]]:
    """Show a game of a tournament that is being played."""
    yield from _try(prepare(name), partial(_command, _READ), tries, seed)


def _command(line: str, home: Path, log: Path) -> Fork:
    subcommand, *arguments = line.split()
    return Fork(lambda: cli.run(subcommand, arguments), home, log)


def _try(
    prepared: Prepared, start_other: Callable[[Path, Path], Fork], tries: int, seed: int
) -> Iterator[Counter[str]]:
    rng = random.Random(seed)
    with new_home() as (home, log):
        for _ in range(tries):
            empty_folder(home)
            if rng.random() < 0.5:
                prepared.leave(home)
            first = start(prepared.job, home, log)
            time.sleep(rng.uniform(0, prepared.seconds))
            other = start_other(home, log.with_name("log_2"))
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


# ---------------------------------------------------------------- servers


def serve_twice(_: str, tries: int, seed: int) -> Iterator[Counter[str]]:
    """Start two servers on one folder; one serves until it is killed, the other is refused, and a third takes over."""
    rng = random.Random(seed)
    Table(DEFAULT, seats_for(["Person"], [_BOT]))  # compiles
    with new_home() as (home, log):
        for _ in range(tries):
            empty_folder(home)
            first = _command(_SERVE, home, log)
            time.sleep(rng.uniform(0, 0.3))
            second = _command(_SERVE, home, log.with_name("log_2"))
            yield Counter({_outcome_of_servers(first, second, home, log.with_name("log_3")): 1})


def _outcome_of_servers(first: Fork, second: Fork, home: Path, log: Path) -> str:
    """The outcome of two servers on one folder, and of a third that starts when they are killed."""
    programs = [first, second]
    try:
        while not (first.ends_within(0.05) or second.ends_within(0.05)):
            if _SERVED in first.output and _SERVED in second.output:
                print("both servers serve the folder", file=sys.stderr)
                return LOST
        refused, serving = (first, second) if first.status is not None else (second, first)
        outcome = refused.outcome()
        if outcome != REFUSED or "is being written by " not in refused.output:
            return ERROR if outcome == REFUSED else outcome
        if not _prints(serving, _SERVED):
            return HANG
        serving.kill()
        programs.append(third := _command(_SERVE, home, log))
        return REFUSED if _prints(third, _SERVED) else HANG
    finally:
        for program in programs:
            program.kill()


def _prints(program: Fork, words: str) -> bool:
    """Wait until a program has printed ``words``; False if it does not in time."""
    until = time.monotonic() + PATIENCE
    while words not in program.output:
        if program.ends_within(0.01) or time.monotonic() > until:
            print(program.output, file=sys.stderr)
            return False
    return True

"""Programs killed (SIGKILL) at random moments; what they had finished or confirmed must still be there.

Commands are killed and started again until they come to their end, and their results must be those of an undisturbed
run. Other programs save, or move, as fast as they can and tell what they have saved; after the kill it must be there.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from attacks.common import LOST, REFUSED, SURVIVED, Row, Task, divide, run_tasks
from attacks.jobs import Prepared, emptied, is_whole, prepare, start, temporary_folder

TRIES = 1000
_COURSE = 8  # kills until a command may come to its end
COMMANDS = {
    "training": "training that saves after each update",
    "best response": "best response that saves after each update",
    "tournament": "tournament that writes its games",
    "score": "score that writes its deals",
    "evaluation": "evaluation that writes its results",
    "replay page": "replay page being written",
}
_LOOPS = {
    "file": "files replaced in a loop",
    "agent": "agents saved in a loop",
    "checkpoint": "checkpoints saved in a loop",
    "table": "moves at a saved table",
    "cache": "compile cache being written",
}
_SERVER = "web server with a game in progress"


def attack(tries: int, seed: int, workers: int, progress: Callable[[int], None]) -> list[Row]:
    """Divide ``tries`` kills equally among all programs."""
    return run_tasks(tasks(tries, seed), workers, progress)


def tasks(tries: int, seed: int) -> list[Task]:
    """One task for each program."""
    calls = [("attacks.kills:kill_command", name, what) for name, what in COMMANDS.items()]
    calls += [("attacks.loops:kill_loop", name, what) for name, what in _LOOPS.items()]
    calls.append(("attacks.servers:kill_server", "", _SERVER))
    parts = divide(tries, len(calls))
    return [
        Task(f"killed: {what}", call, [name, kills, seed + number], kills)
        for number, ((call, name, what), kills) in enumerate(zip(calls, parts, strict=True))
        if kills
    ]


# ---------------------------------------------------------------- commands


def kill_command(name: str, kills: int, seed: int) -> Iterator[Counter[str]]:
    """Kill a command a few times before it may end; all these kills count as lost if its result is not whole then."""
    rng, prepared = random.Random(seed), prepare(name)
    with temporary_folder() as outside:
        home = outside / "home"
        home.mkdir()
        while kills:
            course = min(kills, _COURSE)
            yield Counter({_course(prepared, course, rng, emptied(home), outside / "log"): course})
            kills -= course


def _course(prepared: Prepared, kills: int, rng: random.Random, home: Path, log: Path) -> str:
    """What becomes of a command that is killed so many times and then let alone."""
    while True:
        program = start(prepared.job, home, log)
        if kills and not program.ends_within(rng.uniform(0, prepared.seconds)):
            program.kill()
            kills -= 1
            continue
        outcome = program.outcome()
        if outcome == REFUSED:
            print(program.said, file=sys.stderr)
        if outcome != SURVIVED:
            return LOST if outcome == REFUSED else outcome
        if not is_whole(prepared, home):
            return LOST
        if not kills:
            return SURVIVED
        emptied(home)

"""Programs killed (SIGKILL) at random moments; what they had finished or confirmed must still be there.

Commands are killed and started again until they finish, and their results must be those of an undisturbed
run. Other programs save, or move, as fast as they can and report what they have saved; after the kill it must be there.
"""

from __future__ import annotations

import copy
import itertools
import os
import random
import select
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np

from blackjacky_agents import bot_names
from blackjacky_agents.files import write_json
from blackjacky_agents.learning.checkpoint import load_checkpoint, save_checkpoint
from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.table import Table, resumed
from blackjacky_env.engine.compiling import entry
from blackjacky_env.games import DEFAULT
from scripts.proofs.attacks.common import ERROR, HANG, LOST, REFUSED, SURVIVED, Task, divided
from scripts.proofs.attacks.forks import PATIENCE, Fork
from scripts.proofs.attacks.jobs import JOBS, Prepared, empty_folder, is_whole, new_home, prepare, read_json, start
from scripts.proofs.attacks.table_server import Person, table_server

TRIES = 1000
_MOMENTS = 0.02  # seconds from the first thing that a loop saves to the last moment of a kill
_KILLS_PER_RUN = 8  # kills before a command may finish


def tasks(tries: int, seed: int) -> list[Task]:
    """One task for each program."""
    calls = [(f"killed: {name}", f"{__name__}:kill_command", name) for name in JOBS]
    calls += [(f"killed: {loop.what}", f"{__name__}:kill_loop", name) for name, loop in LOOPS.items()]
    calls.append(("killed: web server with a game in progress", f"{__name__}:kill_server", ""))
    return divided(calls, tries, seed)


# ---------------------------------------------------------------- commands


def kill_command(name: str, kills: int, seed: int) -> Iterator[Counter[str]]:
    """Kill a command a few times before it may finish; all these kills count as lost if its result is not whole."""
    rng, prepared = random.Random(seed), prepare(name)
    with new_home() as (home, log):
        while kills:
            count = min(kills, _KILLS_PER_RUN)
            yield Counter({_kill_repeatedly(prepared, count, rng, empty_folder(home), log): count})
            kills -= count


def _kill_repeatedly(prepared: Prepared, kills: int, rng: random.Random, home: Path, log: Path) -> str:
    """The outcome of a command that is killed ``kills`` times and then runs to its end."""
    while True:
        program = start(prepared.job, home, log)
        if kills and not program.ends_within(rng.uniform(0, prepared.seconds)):
            program.kill()
            kills -= 1
            continue
        outcome = program.outcome()
        if outcome == REFUSED:
            print(program.output, file=sys.stderr)
        if outcome != SURVIVED:
            return LOST if outcome == REFUSED else outcome
        if not is_whole(prepared, home):
            return LOST
        if not kills:
            return SURVIVED
        empty_folder(home)


# ---------------------------------------------------------------- programs that save as fast as they can


class Loop(NamedTuple):
    """A program that performs steps numbered 0, 1, 2, ..., as fast as it can."""

    what: str
    do: Callable[[Path, int], Iterator[int]]
    """Perform the steps from a number on in a folder; yields each number when its step is done."""
    read: Callable[[Path, int], int]
    """The newest number found in the folder, given the last one done; raises an error if something is damaged."""


def kill_loop(name: str, kills: int, seed: int) -> Iterator[Counter[str]]:
    """Kill a loop, check what it has saved, and go on from there."""
    rng, loop, done = random.Random(seed), LOOPS[name], -1
    with new_home() as (home, log):
        for _ in range(kills):
            confirmed = _kill(loop, done + 1, rng, home, log)
            if isinstance(confirmed, str):
                yield Counter({confirmed: 1})
                continue
            try:
                found = loop.read(home, confirmed)
            except Exception as error:  # noqa: BLE001 - whatever a damaged file causes
                print(f"damaged: {error!r}", file=sys.stderr)
                found = -1
            done = max(found, confirmed)
            yield Counter({SURVIVED if confirmed <= found <= confirmed + 1 else LOST: 1})


def _kill(loop: Loop, first: int, rng: random.Random, home: Path, log: Path) -> int | str:
    """Let a loop begin, and kill it; returns the last number done, or the outcome of a loop that did nothing."""
    reader, writer = os.pipe()

    def run() -> None:
        for number in loop.do(home, first):
            os.write(writer, f"{number}\n".encode())

    program = Fork(run, home, log)
    os.close(writer)
    is_alive = bool(select.select([reader], [], [], PATIENCE)[0])
    has_ended = program.ends_within(rng.uniform(0, _MOMENTS))
    if not has_ended:
        program.kill()
    with os.fdopen(reader, "rb") as reports:
        numbers = reports.read().splitlines()
    if has_ended or not is_alive or not numbers:
        print(f"ended by itself, or silent: {program.output}", file=sys.stderr)
        return HANG if not is_alive else ERROR
    return int(numbers[-1])


def _write_files(home: Path, first: int) -> Iterator[int]:
    for number in itertools.count(first):
        write_json(home / "file.json", {"number": number, "more": "x" * (number * 7919 % 100_000)})
        yield number


def _save_checkpoints(home: Path, first: int) -> Iterator[int]:
    """Every step is saved twice."""
    for number in itertools.count(first):
        save_checkpoint(home, number // 2, {"array": np.full(20_000, number)}, {"number": number})
        yield number


def _read_checkpoint(home: Path, _: int) -> int:
    arrays, state, complaints = load_checkpoint(home)
    if complaints or (arrays["array"] != state["number"]).any():
        raise ValueError(f"{complaints} {state}")
    return int(state["number"])


def _make_moves(home: Path, first: int) -> Iterator[int]:
    path, bot = home / "table.jsonl", bot_names(DEFAULT)[0]
    table = resumed(path) if path.exists() else Table(DEFAULT, seats_for(["Person"], [bot]), seed=first, hints=[])
    if table.path is None:
        table.path = path
        table.save()
    while True:
        yield table.move
        if table.over:
            table.again()
        else:
            actions = np.flatnonzero(table.env.observe(table.env.agent_selection)["action_mask"])
            table.play(int(np.random.default_rng(table.move).choice(actions)))


def _compile(home: Path, first: int) -> Iterator[int]:
    """Compile a new function, and call it; a file that a kill left half written would make the next one wrong."""
    numba.config.CACHE_DIR = str(home)  # type: ignore[attr-defined]  # is set at run time
    for number in itertools.count(first):

        def add(value: int, number: int = number) -> int:
            return value + number

        for function in (entry(add), entry(copy.copy(add))):
            if function(1) != 1 + number:
                raise ValueError(f"1 + {number} is {function(1)}")
        yield number


LOOPS = {
    "file": Loop(
        "files replaced in a loop",
        _write_files,
        lambda home, _: read_json(home / "file.json")["number"],
    ),
    "checkpoint": Loop("checkpoints saved in a loop", _save_checkpoints, _read_checkpoint),
    "table": Loop("moves at a saved table", _make_moves, lambda home, _: resumed(home / "table.jsonl").move),
    "cache": Loop("compile cache being written", _compile, lambda _, confirmed: confirmed),
}


# ---------------------------------------------------------------- the web server


def kill_server(name: str, kills: int, seed: int) -> Iterator[Counter[str]]:
    """Play, kill the server, and look for the last move that the page was told, again and again at the same tables."""
    rng = random.Random(seed)
    with new_home() as (home, _log):
        for _ in range(kills):
            with table_server(home) as server:
                person = Person(server)
                person.start()
                person.wait_for_moves(1)
                person.join(rng.uniform(0, 0.3))
                server.kill()
            person.stop()
            yield Counter({SURVIVED if person.moves and person.is_saved() else LOST: 1})

"""Programs that save, or move, as fast as they can until they are killed; what they have reported must be there."""

from __future__ import annotations

import copy
import itertools
import json
import os
import random
import select
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np

from blackjacky_agents import bot_names
from blackjacky_agents.storage.files import write_json
from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.table import Table, resumed
from blackjacky_env.compiled import entry
from blackjacky_env.games import DEFAULT
from scripts.proofs.attacks.commands import new_home
from scripts.proofs.attacks.common import ERROR, HANG, LOST, PATIENCE, SURVIVED, Fork, Tries
from scripts.proofs.attacks.table_server import Person, table_server

FILE = "file.json"
_MOMENTS = 0.02  # seconds from the first thing that a loop saves to the last moment of a kill


class Loop(NamedTuple):
    """A program that performs steps numbered 0, 1, 2, ..., as fast as it can."""

    what: str
    do: Callable[[Path, int], Iterator[int]]  # from a number on in a folder; yields each number when its step is done
    read: Callable[[Path, int], int]
    """The newest number found in the folder, given the last one done; raises an error if something is damaged."""


def kill(name: str, tries: int, seed: int) -> Tries:
    """Kill a loop, check what it has saved, and go on from there."""
    rng, loop, done = random.Random(seed), LOOPS[name], -1
    with new_home() as (home, log):
        for _ in range(tries):
            confirmed = _kill(loop, done + 1, rng, home, log)
            if isinstance(confirmed, str):
                yield f"killed: {loop.what}", confirmed, 1
                continue
            try:
                found = loop.read(home, confirmed)
            except Exception as error:  # noqa: BLE001 - whatever a damaged file causes
                print(f"damaged: {error!r}", file=sys.stderr)
                found = -1
            done = max(found, confirmed)
            yield f"killed: {loop.what}", SURVIVED if confirmed <= found <= confirmed + 1 else LOST, 1


def _kill(loop: Loop, first: int, rng: random.Random, home: Path, log: Path) -> int | str:
    """Let a loop begin, and kill it; returns the last number done, or the outcome of a loop that did nothing."""
    reader, writer = os.pipe()

    def run() -> None:
        for number in loop.do(home, first):
            os.write(writer, f"{number}\n".encode())

    program = Fork(run, home, log)
    os.close(writer)
    has_begun = bool(select.select([reader], [], [], PATIENCE)[0])
    is_killed = program.killed_within(rng.uniform(0, _MOMENTS))
    with os.fdopen(reader, "rb") as reports:
        numbers = reports.read().splitlines()
    if has_begun and is_killed and numbers:
        return int(numbers[-1])
    print(f"ended by itself, or silent: {program.output}", file=sys.stderr)
    return ERROR if has_begun else HANG


def _write_files(home: Path, first: int) -> Iterator[int]:
    for number in itertools.count(first):
        write_json(home / FILE, {"number": number, "more": "x" * (number * 7919 % 100_000)})
        yield number


def _make_moves(home: Path, first: int) -> Iterator[int]:
    path, bot = home / "table.jsonl", bot_names(DEFAULT)[0]
    table = (
        resumed(path) if path.exists() else Table(DEFAULT, seats_for(DEFAULT, ["Person"], [bot]), seed=first, hints="")
    )
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
    "file": Loop("files replaced", _write_files, lambda home, _: json.loads((home / FILE).read_bytes())["number"]),
    "table": Loop("moves at a saved table", _make_moves, lambda home, _: resumed(home / "table.jsonl").move),
    "cache": Loop("compile cache being written", _compile, lambda _, confirmed: confirmed),
}


def kill_server(name: str, tries: int, seed: int) -> Tries:
    """Play, kill the server, and look for the last move that the page was told, again and again at the same tables."""
    rng = random.Random(seed)
    with new_home() as (home, _):
        for _ in range(tries):
            with table_server(home) as server:
                person = Person(server)
                person.start()
                person.wait_for_moves(1)
                person.join(rng.uniform(0, 0.3))
                server.process.kill()
            person.stop()
            yield f"killed: {name}", SURVIVED if person.moves and person.is_saved() else LOST, 1

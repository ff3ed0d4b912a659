"""Programs that save as fast as they can, for `attacks.kills`."""

from __future__ import annotations

import copy
import itertools
import json
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

from attacks.common import ERROR, HANG, LOST, SURVIVED
from attacks.forks import PATIENCE, Fork
from attacks.jobs import temporary_folder
from blackjacky_agents import bot_names
from blackjacky_agents.files import write_json
from blackjacky_agents.learning.agent_file import read_network, save_agent
from blackjacky_agents.learning.checkpoint import load_checkpoint, save_checkpoint
from blackjacky_agents.learning.encoding import encodings_of
from blackjacky_agents.web.table import Table, resumed, seats_for
from blackjacky_env.engine.compiling import entry
from blackjacky_env.games import DEFAULT, get_game

_MOMENTS = 0.02  # seconds from the first thing saved to the last moment of a kill


class Loop(NamedTuple):
    """A program that does things numbered 0, 1, 2, ..."""

    do: Callable[[Path, int], Iterator[int]]
    """Do the things from a number on in a folder; each number is yielded when its thing is done."""
    read: Callable[[Path, int], int]
    """The newest number found in the folder, given the last one done; raises an error if something is damaged."""


def kill_loop(name: str, kills: int, seed: int) -> Iterator[Counter[str]]:
    """Kill a loop, look for what it has done, and go on from there."""
    rng, loop, done = random.Random(seed), LOOPS[name], -1
    with temporary_folder() as outside:
        home = outside / "home"
        home.mkdir()
        for _ in range(kills):
            confirmed = _kill(loop, done + 1, rng, home, outside / "log")
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
    """Let a loop begin, and kill it; returns the last number done, or what became of a loop that did nothing."""
    reader, writer = os.pipe()

    def does() -> None:
        for number in loop.do(home, first):
            os.write(writer, f"{number}\n".encode())

    program = Fork(does, home, log)
    os.close(writer)
    is_alive = bool(select.select([reader], [], [], PATIENCE)[0])
    has_ended = program.ends_within(rng.uniform(0, _MOMENTS))
    if not has_ended:
        program.kill()
    with os.fdopen(reader, "rb") as told:
        numbers = told.read().splitlines()
    if has_ended or not is_alive or not numbers:
        print(f"ended by itself, or silent: {program.said}", file=sys.stderr)
        return HANG if not is_alive else ERROR
    return int(numbers[-1])


# ---------------------------------------------------------------- what is saved


def _write_files(home: Path, first: int) -> Iterator[int]:
    for number in itertools.count(first):
        write_json(home / "file.json", {"number": number, "more": "x" * (number * 7919 % 100_000)})
        yield number


def _read_file(home: Path, _: int) -> int:
    return int(json.loads((home / "file.json").read_text("utf-8"))["number"])


def _save_agents(home: Path, first: int) -> Iterator[int]:
    encoding, actions = next(iter(encodings_of(DEFAULT).values())), get_game(DEFAULT).num_actions
    for number in itertools.count(first):
        layers = ((np.full((encoding.size, 16), number), np.zeros(16)), (np.zeros((16, actions)), np.zeros(actions)))
        save_agent(home / "agent.safetensors", layers, DEFAULT, encoding, number=number)
        yield number


def _read_agent(home: Path, _: int) -> int:
    layers, *_ = read_network(home / "agent.safetensors", DEFAULT)
    card = json.loads((home / "agent.json").read_text("utf-8"))
    if (layers[0][0] != card["number"]).any():
        raise ValueError(f"the card of agent {card['number']} is beside other weights")
    return int(card["number"])


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
            table.play_agent(int(np.random.default_rng(table.move).choice(actions)))


def _read_moves(home: Path, _: int) -> int:
    return resumed(home / "table.jsonl").move


def _compile(home: Path, first: int) -> Iterator[int]:
    """Compile a new function, and call it; a file that a kill left half written would make the next one wrong."""
    numba.config.CACHE_DIR = str(home)
    for number in itertools.count(first):

        def add(value: int, number: int = number) -> int:
            return value + number

        for function in (entry(add), entry(copy.copy(add))):
            if function(1) != 1 + number:
                raise ValueError(f"1 + {number} is {function(1)}")
        yield number


def _nothing_to_read(_: Path, confirmed: int) -> int:
    return confirmed


LOOPS = {
    "file": Loop(_write_files, _read_file),
    "agent": Loop(_save_agents, _read_agent),
    "checkpoint": Loop(_save_checkpoints, _read_checkpoint),
    "table": Loop(_make_moves, _read_moves),
    "cache": Loop(_compile, _nothing_to_read),
}

"""How long people wait at the table in the browser while two replays are made: python -m scripts.speed.waiting.

A server of its own, begun for this, has finished games whose replays are asked for, cold and then warm.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from websockets.sync.client import connect

from blackjacky_agents.reports import markdown_table, where
from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.table import Table
from blackjacky_env.games import DEFAULT

_REPLAYS = 2  # at once
_STAGES = ("cold", "warm")


def main() -> None:
    """Print the seconds of each wait, cold (nothing compiled yet in this server) and warm."""
    with TemporaryDirectory() as folder, ThreadPoolExecutor(_REPLAYS) as readers:
        seats = [f"/seat/{_finished(Path(folder), seed)}" for seed in range(_REPLAYS * len(_STAGES))]
        with _serving(folder) as (base, lobby):
            waits: dict[str, dict[str, float]] = {}
            for number, stage in enumerate(_STAGES):
                replays = [
                    readers.submit(_replay, f"{base}{seat}/replay") for seat in seats[number * _REPLAYS :][:_REPLAYS]
                ]
                waits[stage] = _table(lobby)
                begun, ended = (max(each) for each in zip(*(replay.result() for replay in replays), strict=True))
                waits[stage] |= {"a replay's moves are shown": begun, "a replay is finished": ended}
    rows = [[name, *(f"{waits[stage][name]:.1f}" for stage in _STAGES)] for name in waits[_STAGES[0]]]
    print(markdown_table([f"seconds until, while {_REPLAYS} replays are made", *_STAGES], rows))
    print(where())


def _finished(folder: Path, seed: int) -> str:
    """Save a finished game of agents and one person, who does anything; returns the token of the seat."""
    table = Table(DEFAULT, seats_for(DEFAULT, ["Ada"], ["threshold"] * 3), seed=seed)
    while not table.over:
        table.play(table.actions(0)[0]["action"] if table.turn == 0 else table.thought()())
    table.path = folder / f"{seed}.jsonl"
    table.save()
    return str(table.people[0])


@contextmanager
def _serving(folder: str) -> Iterator[tuple[str, str]]:
    """The address of a server of these tables, and of its lobby."""
    command = [sys.executable, "-m", "blackjacky_agents", "play", "--web", "--port", "0", "--delay", "0"]
    with subprocess.Popen([*command, "--folder", folder], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lobby = next(found[1] for line in server.stdout if (found := re.search(r"Open tables at (\S+)", line)))
        try:
            yield lobby.partition("/lobby/")[0], lobby
        finally:
            server.terminate()


def _replay(address: str) -> tuple[float, float]:
    """Seconds until the page's first part, and its last."""
    start = time.perf_counter()
    with urlopen(address) as answer:
        answer.read1()
        begun = time.perf_counter() - start
        answer.read()
    return begun, time.perf_counter() - start


def _table(lobby: str) -> dict[str, float]:
    """Open a table, take its first turn, ask for a hint and what may come of it."""
    waits, start = {}, time.perf_counter()

    def note(name: str) -> None:
        nonlocal start
        now = time.perf_counter()
        waits[name], start = now - start, now

    order = {"game": DEFAULT, "variant": "classic", "people": ["Ada"], "agents": ["threshold"] * 3, "rules": {}}
    with urlopen(Request(f"{lobby}/tables", json.dumps(order).encode())) as answer:
        (address,) = (seat["address"] for seat in json.load(answer)["seats"] if seat["address"])
    note("a table is open")
    with connect(f"{lobby.partition('/lobby/')[0].replace('http', 'ws')}{address}/socket") as socket:
        state = _next(socket, "state")
        note("the first turn")
        socket.send(json.dumps({"type": "hint", "move": state["move"]}))
        hint = _next(socket, "hint")
        note("a hint")
        socket.send(json.dumps({"type": "outlook", "move": state["move"], "action": hint["action"]}))
        _next(socket, "outlook")
        note("what may come of it")
        socket.send(json.dumps({"type": "act", "move": state["move"], "action": hint["action"]}))
        _next(socket, "state", state["move"])
        note("my move and the bots' answers")
    return waits


def _next(socket: Any, kind: str, after: int = -1) -> dict[str, Any]:
    """The next message of a kind; of states, one in which this seat is to act, after a move."""
    while True:
        message: dict[str, Any] = json.loads(socket.recv(600))
        if message["type"] == kind and (kind != "state" or (message["actions"] and message["move"] > after)):
            return message


if __name__ == "__main__":
    main()

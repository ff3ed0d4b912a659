"""The web server killed while somebody plays at a table, for `attacks.kills`."""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from attacks.common import HANG, LOST, SURVIVED
from attacks.forks import PATIENCE, Fork
from attacks.jobs import temporary_folder
from blackjacky_agents import bot_names, cli
from blackjacky_agents.web.table import Table, seats_for
from blackjacky_env.games import DEFAULT

_MOMENTS = 0.3  # seconds from the first move to the last moment of a kill
_ADDRESS = re.compile(r"http://(127\.0\.0\.1:\d+/seat/[\w-]+)")
_NOTHING: dict[str, Any] = {"move": -1}  # has been seen
_BOT = bot_names(DEFAULT)[0]


def kill_server(_: str, kills: int, seed: int) -> Iterator[Counter[str]]:
    """Play, kill the server, and look for the last state that the page was sent; so again and again at one table."""
    rng, seen = random.Random(seed), _NOTHING
    Table(DEFAULT, seats_for(["Person"], [_BOT]))  # loads what is compiled
    with temporary_folder() as outside:
        home = outside / "home"
        home.mkdir()
        for _ in range(kills):
            server = Fork(lambda: _serve(home), home, outside / "log")
            try:
                state = _play(server, rng, seen)
                yield Counter({LOST if state is None else SURVIVED: 1})
                seen = state or _NOTHING
            except (TimeoutError, OSError, WebSocketException) as error:
                print(f"{error!r}\n{server.said}", file=sys.stderr)
                yield Counter({HANG: 1})
            server.kill()


def _serve(home: Path) -> int:
    """The server; with a table if there is none yet."""
    arguments = ["--web", "--port", "0", "--delay", "0", "--tables", str(home)]
    arguments += [] if any(home.glob("*.jsonl")) else ["--opponents", _BOT, "--seed", "0"]
    return cli.run("play", arguments)


def _play(server: Fork, rng: random.Random, seen: dict[str, Any]) -> dict[str, Any] | None:
    """Play until a random moment, in which the server is killed; the last state sent, None if moves were lost."""
    with connect(f"ws://{_address(server)}/socket", open_timeout=PATIENCE, close_timeout=0) as socket:
        state = _next_state(socket)
        if state["move"] < seen["move"] or (state["move"] == seen["move"] and _lasting(state) != _lasting(seen)):
            print(f"the page had been sent move {seen['move']}, and now {state['move']}", file=sys.stderr)
            return None
        until = time.monotonic() + rng.uniform(0, _MOMENTS)
        while time.monotonic() < until:
            if message := _answer(state, rng):
                socket.send(json.dumps(message))
            state = _next_state(socket)
        server.kill()
    return state


def _answer(state: dict[str, Any], rng: random.Random) -> dict[str, Any] | None:
    """What the page does in a state; None: it waits."""
    if state["winners"] is not None:
        return {"type": "again"}
    if state["moment"] is not None:
        return {"type": "continue", "move": state["move"]}
    if state["actions"]:
        return {"type": "act", "move": state["move"], "action": rng.choice(state["actions"])["action"]}
    return None


def _lasting(state: dict[str, Any]) -> Any:
    """What a state must have in common with the same one after a restart."""
    return {name: state.get(name) for name in ("view", "turn", "names", "options")}


def _next_state(socket: ClientConnection) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
        if message["type"] == "state":
            return message
        raise ConnectionError(f"the page was sent {message}")


def _address(server: Fork) -> str:
    """Where the table is, as soon as the server says so."""
    until = time.monotonic() + PATIENCE
    while not (found := _ADDRESS.search(server.said)):
        if server.ends_within(0.01) or time.monotonic() > until:
            raise ConnectionError("the server names no table")
    return found[1]

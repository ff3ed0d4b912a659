"""Load test of the web server: response times while many tables are being played.

    python scripts/speed/load_web.py --tables 200
    python scripts/speed/load_web.py --write          write the result into agents/blackjacky_agents/web/README.md

A server runs in a separate process, as with `blackjacky play --web`, with tables of one person and bots, saved to a
folder as usual. One socket per table plays from this process: it waits for its turn, thinks, sends an action, and
measures the time until the next state arrives.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from websockets.asyncio.client import ClientConnection, connect

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import replace_part, where, where_run
from blackjacky_agents.web.serve import addresses, listen, uvicorn_server
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table, seats_for
from blackjacky_env.games import DEFAULT

PAGE = Path(__file__).parents[2] / "agents" / "blackjacky_agents" / "web" / "README.md"


@dataclass(frozen=True)
class Args:
    """Measure response times of the web server while many tables are being played."""

    game: str = DEFAULT
    """Name of the game."""
    opponents: str = "counter,threshold,random"
    """The bots at each table."""
    tables: int = 200
    """Number of tables, each with one socket."""
    seconds: float = 20
    """Duration in seconds."""
    think: float = 1.0
    """Mean thinking time of a person in seconds, uniform between 0.5 and 1.5 times this."""
    delay: float = 0.3
    """Delay before each move of a bot in seconds."""
    write: bool = False
    """Write the result into agents/blackjacky_agents/web/README.md."""


def serve(args: Args, folder: str, ready: Connection) -> None:
    """The server process: send the sockets' addresses, then serve until killed."""
    server = Server(Path(folder), args.delay)
    for _ in range(args.tables):
        server.add(Table(args.game, seats_for(["Person"], args.opponents.split(","))))
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    ready.send([address for table in server.tables() for _, address in addresses(table, "127.0.0.1", port)])
    uvicorn_server(server).run(sockets=[listening])


async def play(address: str, args: Args, until: float, waits: list[float]) -> None:
    """Play at one table, game after game, and record the response times."""
    chance = random.Random(address)
    async with connect(address.replace("http", "ws", 1) + "/socket", proxy=None) as socket:
        state = await next_state(socket, 0)
        while time.perf_counter() < until:
            if state["turn"] is None:
                await socket.send('{"type": "again"}')
            elif not state["actions"]:
                if state["moment"] is not None:
                    await socket.send(json.dumps({"type": "continue", "move": state["move"]}))
                state = await next_state(socket, 0)
                continue
            else:
                await asyncio.sleep(args.think * chance.uniform(0.5, 1.5))
                action = chance.choice(state["actions"])["action"]
                begun = time.perf_counter()
                await socket.send(json.dumps({"type": "act", "move": state["move"], "action": action}))
            state, was_over = await next_state(socket, state["move"] + 1), state["turn"] is None
            if not was_over:
                waits.append(time.perf_counter() - begun)


async def next_state(socket: ClientConnection, move: int) -> dict[str, Any]:
    """The next state at or after that move."""
    while True:
        message: dict[str, Any] = json.loads(await socket.recv())
        if message["type"] == "state" and message["move"] >= move:
            return message


async def play_all(places: list[str], args: Args) -> list[float]:
    """Play on all sockets; returns response times in seconds, without the first fifth of the time (warm-up)."""
    waits: list[float] = []
    until = time.perf_counter() + args.seconds
    playing = [asyncio.create_task(play(place, args, until, waits)) for place in places]
    await asyncio.sleep(args.seconds / 5)
    begun = len(waits)
    await asyncio.wait(playing, timeout=args.seconds * 4 / 5 + 10)
    for task in playing:
        if task.done():
            task.result()  # raises the error, if any
        task.cancel()
    return waits[begun:]


def main(args: Args) -> None:
    """Measure and print."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        process = context.Process(target=serve, args=(args, folder, there), daemon=True)
        process.start()
        waits = 1000 * np.array(asyncio.run(play_all(here.recv(), args)))
        process.kill()
        process.join()
    median, late = np.percentile(waits, [50, 95])
    opponents = ", ".join(f"`{name}`" for name in args.opponents.split(","))
    text = (
        f"{args.tables} tables of `{args.game}`, each with one socket against {opponents}: response time "
        f"over {len(waits):,} actions: median {median:.1f} ms, 95th percentile {late:.1f} ms, "
        f"maximum {waits.max():.1f} ms.\n"
        f"`python scripts/speed/load_web.py {shlex.join(sys.argv[1:])}` on {where_run(where())}."
    )
    print(text)
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "load", text))


if __name__ == "__main__":
    main(tyro.cli(Args))

"""How long people wait for a table in the browser where nothing has ever been compiled: results/first_table.json.

The time runs from `blackjacky play --web` to the first picture, and to the first move of an opponent after one's own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import tyro
from websockets.sync.client import connect

from blackjacky_env.games import get_game
from scripts.results import ROOMS, save


@dataclass(frozen=True)
class Args:
    """How long people wait for a table in the browser."""

    repeats: int = 3  # Number of starts of each game, each with an empty compile cache.
    delay: float = 0.8  # Seconds before each move of an agent, as in the command.


@contextmanager
def served(game: str, delay: float, folder: str) -> Iterator[str]:
    """A server with a table for one person, and the address of that person's page."""
    command = [sys.executable, "-m", "blackjacky_agents", "play", "--web", "--port", "0", "--people", "1"]
    command += ["--game", game, "--opponents", _opponents(game), "--delay", str(delay), "--folder", f"{folder}/tables"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/cache", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            found = (re.search(r"http://(\S+/seat/\S+)", line) for line in process.stdout)
            yield next(each[1] for each in found if each)
        finally:
            process.terminate()


def _opponents(game: str) -> str:
    """The strongest opponents, which take longest: the champion in all other seats."""
    return f"champion*{get_game(game).default_players - 1}"


def waited(game: str, delay: float) -> tuple[float, float]:
    """Seconds to the first picture, and to the first move of an opponent after one's own."""
    begun, picture, mine = time.monotonic(), 0.0, -1
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        address = opened.enter_context(served(game, delay, folder))
        socket = opened.enter_context(connect(f"ws://{address}/socket", max_size=None))
        while True:
            message: dict[str, Any] = json.loads(socket.recv())
            if message["type"] != "state":
                continue
            picture = picture or time.monotonic() - begun
            if 0 <= mine < message["move"] - 1:
                return picture, time.monotonic() - begun
            if message["moment"]:
                socket.send(json.dumps({"type": "continue", "move": message["move"]}))
            elif message["actions"]:
                mine = message["move"]
                socket.send(json.dumps({"type": "act", "move": mine, "action": message["actions"][0]["action"]}))


def main(args: Args) -> None:
    """Measure and write the result."""
    rows = []
    for game in ROOMS:
        times = [waited(game, args.delay) for _ in range(args.repeats)]
        pictures, answers = zip(*times, strict=True)
        rows.append({"game": get_game(game).title, "first picture": _told(pictures), "first answer": _told(answers)})
        print(rows[-1], flush=True)
    print(f"{save('first_table', rows)} written")


def _told(seconds: tuple[float, ...]) -> str:
    return f"{median(seconds):.1f} s ({min(seconds):.1f} .. {max(seconds):.1f})"


if __name__ == "__main__":
    main(tyro.cli(Args))

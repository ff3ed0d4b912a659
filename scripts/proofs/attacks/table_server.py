"""A table server in its own process, with a low limit of open files, and a person who plays while it is attacked.

python -m scripts.proofs.attacks.table_server FOLDER     serve until Ctrl-C; `table_server` starts it
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.serve import listen, uvicorn_server
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table, resumed
from blackjacky_env.games import DEFAULT

ROOT = Path(__file__).parents[3]
OPEN_FILES = 256
PEOPLE = ("Person", "Stranger")  # each at their own table
PATIENCE = 60.0  # seconds after which a silent server counts as hanging
_PACE = 0.1  # seconds between a person's moves
_MOVES_PER_VISIT = 20  # then the person closes the page and opens it again
_ATTEMPTS = 20  # to open the page
_MIB = 2**20


class TableServer:
    """The process, with its log in the folder in which it saves its tables."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log.txt"
        with self.log.open("wb") as log:
            command = [sys.executable, "-m", "scripts.proofs.attacks.table_server", str(folder)]
            self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        self.port, *self.tokens = json.loads(self._process.stdout.readline())
        self.id = self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    @property
    def memory(self) -> float:
        """Resident memory in MiB."""
        pages = int(Path(f"/proc/{self.id}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / _MIB

    @property
    def lines(self) -> list[str]:
        """The lines of the log."""
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()

    @property
    def tracebacks(self) -> int:
        """Number of tracebacks in the log."""
        return sum(line.startswith("Traceback") for line in self.lines)

    def kill(self) -> None:
        """End the process without notice."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """End the process as Ctrl-C does; the exit status."""
        self._process.send_signal(signal.SIGINT)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return self._process.wait(timeout=PATIENCE)


@contextlib.contextmanager
def table_server(folder: Path) -> Iterator[TableServer]:
    """Context with a server that saves its tables in the folder."""
    server = TableServer(folder)
    try:
        yield server
    finally:
        if server.is_alive:
            server.stop()


class Person(threading.Thread):
    """Plays one game after the other and reopens the page from time to time; any error ends it.

    Args:
        server: the server, at whose first table the person sits.
    """

    def __init__(self, server: TableServer) -> None:
        super().__init__(daemon=True)
        self.server = server
        self.moves = 0
        """Moves that the server has confirmed."""
        self.number = 0
        """The last number seen of the table's next move."""
        self.error: Exception | None = None
        self.token = server.tokens[0]
        self._address = f"ws://127.0.0.1:{server.port}/seat/{self.token}/socket"
        self._stopped = threading.Event()

    def run(self) -> None:
        """Play until stopped."""
        try:
            while not self._stopped.is_set():
                with self._opened() as page:
                    self._play(page)
        except (OSError, WebSocketException) as error:
            self.error = error

    def wait_for_moves(self, number: int) -> None:
        """Return when the person has made ``number`` more moves, or cannot go on."""
        until = self.moves + number
        while self.is_alive() and self.moves < until:
            self.join(0.05)

    def is_saved(self) -> bool:
        """Whether the table can be read from its file, with all moves that were confirmed."""
        tables = [resumed(path) for path in self.server.log.parent.glob("*.jsonl")]
        own = [table for table in tables if self.token in table.people.values()]
        return len(own) == 1 and own[0].move >= self.number

    def stop(self) -> None:
        """Leave the table."""
        self._stopped.set()
        self.join()

    def _opened(self) -> ClientConnection:
        """Open the page, as browsers and people do: if it fails, try again."""
        for attempt in range(_ATTEMPTS):
            try:
                return connect(self._address, proxy=None, open_timeout=PATIENCE)
            except TimeoutError:
                raise
            except (OSError, WebSocketException):
                if attempt == _ATTEMPTS - 1 or self._stopped.wait(_PACE):
                    raise
        raise AssertionError

    def _play(self, page: ClientConnection) -> None:
        state = self._next_state(page, self.number)
        for _ in range(_MOVES_PER_VISIT):
            if self._stopped.wait(_PACE):
                return
            state = self._next_state(page, state["move"] + self._move(page, state))
            self.moves += 1

    @staticmethod
    def _move(page: ClientConnection, state: dict[str, Any]) -> int:
        """Act if there is something to do; returns by how much the number of the move grows at least."""
        if state["winners"] is not None:
            page.send('{"type": "again"}')
        elif state["actions"]:
            action = state["actions"][0]["action"]
            page.send(json.dumps({"type": "act", "move": state["move"], "action": action}))
        else:
            return 0
        return 1

    def _next_state(self, page: ClientConnection, move: int) -> dict[str, Any]:
        """The next state at or after ``move`` in which there is something to do."""
        while True:
            state: dict[str, Any] = json.loads(page.recv(timeout=PATIENCE))
            if state["type"] == "error":
                raise ConnectionError(state["text"])
            if state["move"] >= move and (state["actions"] or state["winners"] is not None):
                self.number = state["move"]
                return state


def main(folder: str) -> None:
    """Serve one table for each of the people and print the port and their tokens."""
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    server = Server(Path(folder), delay=0)
    for name in PEOPLE if not server.hosts else ():
        server.add(Table(DEFAULT, seats_for([name], ["random"] * 2)))
    tokens = [token for table in server.tables() for token in table.people.values()]
    listening = listen("127.0.0.1", 0)
    print(json.dumps([listening.getsockname()[1], *tokens]), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn_server(server).run(sockets=[listening])


if __name__ == "__main__":
    main(sys.argv[1])

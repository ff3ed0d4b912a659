"""A table server in its own process, and a person who plays while it is attacked.

python -m scripts.proofs.attacks.table_server FOLDER     serve until Ctrl-C; `table_server` starts it
"""

from __future__ import annotations

import contextlib
import json
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
from scripts.results import ROOT

PATIENCE = 60.0  # seconds after which a silent server counts as hanging
_PACE = 0.1  # seconds between a person's moves
_MOVES_PER_VISIT = 20  # then the person closes the page and opens it again
_ATTEMPTS = 20  # to open the page


class TableServer:
    """The process, with its log in the folder in which it saves its tables."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log.txt"
        command = [sys.executable, "-m", "scripts.proofs.attacks.table_server", str(folder)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        self.port, self.token = json.loads(self.process.stdout.readline())

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self.process.poll() is None

    def stop(self) -> int:
        """End the process as Ctrl-C does; the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=PATIENCE)


@contextlib.contextmanager
def table_server(folder: Path) -> Iterator[TableServer]:
    """Context with a server that saves its tables in the folder."""
    server = TableServer(folder)
    with server.process:
        try:
            yield server
        finally:
            if server.is_alive:
                server.stop()


class Person(threading.Thread):
    """Plays one game after the other at the first table and reopens the page at times; any error ends it."""

    def __init__(self, server: TableServer) -> None:
        super().__init__(daemon=True)
        self.server, self.token = server, server.token
        self.moves = 0  # that the server has confirmed
        self.number = 0  # the last one seen of the table's next move
        self.error: Exception | None = None
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
        address, attempts = f"ws://127.0.0.1:{self.server.port}/seat/{self.token}/socket", 0
        while True:
            try:
                return connect(address, proxy=None, open_timeout=PATIENCE)
            except (OSError, WebSocketException) as error:
                attempts += 1
                if isinstance(error, TimeoutError) or attempts == _ATTEMPTS or self._stopped.wait(_PACE):
                    raise

    def _play(self, page: ClientConnection) -> None:
        move, state = self.number, dict[str, Any]()
        for visit in range(_MOVES_PER_VISIT + 1):
            while not state or state["move"] < move or (state["winners"] is None and not state["actions"]):
                state = json.loads(page.recv(timeout=PATIENCE))
                if state["type"] == "error":
                    raise ConnectionError(state["text"])
            self.number, move = state["move"], state["move"] + 1
            self.moves += visit > 0
            if self._stopped.wait(_PACE):
                return
            act = [{"type": "act", "move": self.number, "action": each["action"]} for each in state["actions"]]
            page.send(json.dumps(act[0] if act else {"type": "again"}))


def main(folder: str) -> None:
    """Serve a table for one person and print the port and the token."""
    server = Server(Path(folder), delay=0)
    if not server.hosts:
        server.add(Table(DEFAULT, seats_for(DEFAULT, ["Person"], ["random"] * 2)))
    (table,) = server.tables()
    listening = listen("127.0.0.1", 0)
    print(json.dumps([listening.getsockname()[1], *table.people.values()]), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn_server(server).run(sockets=[listening])


if __name__ == "__main__":
    main(sys.argv[1])

"""Run the web server, by default reachable from this machine only."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

from blackjacky_agents.web.host import TOO_MANY
from blackjacky_agents.web.messages import MAX_MESSAGE, Allowance
from blackjacky_agents.web.origin import is_local
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table

_HEADERS = 16 * 1024  # bytes of a request's line and headers
_CONNECTIONS = 1000  # at once; more are told that the server is busy
_READ = 4096  # bytes of a WebSocket that are handled before others have their turn; asyncio's default is 256 KiB
_AGAIN = 60.0  # seconds until the same line may stand in the log again


def names_of(host: str, address: str | None = None) -> list[str]:
    """Host names that the user has given to the server: where it listens, and where a reverse proxy serves it."""
    return [host] if address is None else [host, urlsplit(address).hostname or ""]


def check_address(address: str) -> str:
    """The URL at which a reverse proxy serves this server, without a slash at the end; `ValueError` if it is none."""
    address = address.rstrip("/")
    parts = urlsplit(address)
    is_whole = parts.hostname and parts.username is None and address == f"{parts.scheme}://{parts.netloc}"
    if parts.scheme not in ("http", "https") or not is_whole:
        raise ValueError(f"an address is a scheme and a host, such as https://play.example, not {address!r}")
    return address


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0: any free port. `OSError` if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def addresses(table: Table, base: str, language: str | None = None) -> list[tuple[str, str]]:
    """(name, URL) of each person at a table, and of spectators; ``base``: URL of the server."""
    asked = "" if language is None else f"?language={language}"
    named = [("to watch" if q is None else table.seats[q].name, q) for q in table.readers]
    return [(name, f"{base}{table.page_of(q)}{asked}") for name, q in named]


def base_address(host: str, port: int) -> str:
    """URL of a server that listens on ``host``, as good for other machines as can be."""
    name = own_address() if host in ("0.0.0.0", "::") else host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def owner_address(server: Server, host: str, port: int) -> str:
    """URL of the lobby for whoever has started the server; on this machine, unless it listens elsewhere alone."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"{base_address(here, port)}/lobby/{server.owner}"


def own_address() -> str:
    """This machine's address in its local network; its name if it has none."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unsent:
        unsent.connect(("192.0.2.1", 9))  # chooses a route and sends nothing
        return str(unsent.getsockname()[0])
    return socket.gethostname()


def open_to_others(server: Server, host: str, port: int, address: str | None = None) -> None:
    """Tell the server its address, if other machines can reach it, directly or at ``address`` by a reverse proxy."""
    server.address = address or (None if is_local(host) else base_address(host, port))


class _WebSocket(WebSocketsSansIOProtocol, asyncio.BufferedProtocol):
    """uvicorn's, which reads little at a time, and is closed for too many pings, pongs and continuations.

    The application counts the messages, as long as it has not closed the socket itself.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.allowance, self.buffer = Allowance(), bytearray(_READ)

    def get_buffer(self, sizehint: int) -> bytearray:
        return self.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self.buffer[:nbytes]))

    def handle_events(self) -> None:
        counted = Opcode if self.close_sent else (Opcode.CONT, Opcode.PING, Opcode.PONG)
        frames = [each for each in self.conn.events if isinstance(each, Frame) and each.opcode in counted]
        if not all(self.allowance.take() for _ in frames):
            self.conn.fail(TOO_MANY, "too many frames")
            self.handle_parser_exception()
        else:
            super().handle_events()
            self.frames = [b"".join(self.frames)]  # a message that never ends may have any number of empty ones


class _Seldom(logging.Filter):
    """Lets the same line pass once a minute, and none of a task that was cancelled because the server stops."""

    def __init__(self) -> None:
        super().__init__()
        self.logged: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind, now = record.exc_info[0] if record.exc_info else None, time.monotonic()
        self.logged = {line: since for line, since in self.logged.items() if now - since < _AGAIN}
        return kind is not asyncio.CancelledError and self.logged.setdefault((record.getMessage(), kind), now) is now


def uvicorn_server(server: Server) -> uvicorn.Server:
    """A uvicorn server for all tables; ``.run(sockets=[listening])`` serves until stopped.

    There is no access log, because URLs contain the tokens.
    """
    config = uvicorn.Config(
        server.app,
        loop="asyncio",
        http="h11",
        ws=_WebSocket,
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False,
        h11_max_incomplete_event_size=_HEADERS,
        limit_concurrency=_CONNECTIONS,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    for handler in logging.getLogger("uvicorn").handlers:  # which the configuration has just made
        handler.addFilter(_Seldom())
    return uvicorn.Server(config)

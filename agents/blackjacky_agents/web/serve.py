"""Run the web server, by default reachable from this machine only."""

from __future__ import annotations

import contextlib
import socket
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from blackjacky_agents.web.messages import MAX_MESSAGE
from blackjacky_agents.web.origin import is_local
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table

_HEADERS = 16 * 1024  # bytes of a request's line and headers
_CONNECTIONS = 1000  # at once; more are told that the server is busy


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


def uvicorn_server(server: Server, **options: Any) -> uvicorn.Server:
    """A uvicorn server for all tables; ``.run(sockets=[listening])`` serves until stopped.

    There is no access log, because URLs contain the tokens.

    Args:
        server: the tables.
        options: further options of `uvicorn.Config`.
    """
    config = uvicorn.Config(
        server.app,
        loop="asyncio",
        http="h11",
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False,
        h11_max_incomplete_event_size=_HEADERS,
        limit_concurrency=_CONNECTIONS,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=2,
        server_header=False,
        **options,
    )
    return uvicorn.Server(config)

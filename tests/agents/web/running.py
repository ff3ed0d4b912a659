"""A real server in a thread, for browsers and for what the test client cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from blackjacky_agents.web.serve import addresses, in_background
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table


@contextmanager
def running(*tables: Table, delay: float = 0) -> Iterator[list[dict[str, str]]]:
    """Serve tables on a free port; the addresses of people by name, for each table. Nobody is waited for."""
    server = Server(delay=delay, per_second=1e9)
    for table in tables:
        server.add(table)
    for host in server.hosts:
        host.started = True
    with in_background(server) as port:
        yield [dict(addresses(table, f"http://127.0.0.1:{port}")) for table in tables]

"""A real server in a thread, for browsers and for what the test client cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from blackjacky_agents.web.serve import addresses, in_background
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table


def server_of(*tables: Table, **options: Any) -> Server:
    """A server of tables, for people who are faster than any; games begin at once, and nothing waits."""
    server = Server(**{"delay": 0, "per_second": 1e9, **options})
    for table in tables:
        server.add(table)
    for host in server.hosts:
        host.started = True
    return server


@contextmanager
def running(*tables: Table) -> Iterator[list[dict[str, str]]]:
    """Serve tables on a free port; the addresses of people by name, for each table."""
    with in_background(server_of(*tables)) as port:
        yield [dict(addresses(table, f"http://127.0.0.1:{port}")) for table in tables]

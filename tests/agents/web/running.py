"""A real server in a thread, for browsers and for what the test client cannot do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from blackjacky_agents.web.serve import addresses, allowed_hosts, listen, uvicorn_server
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table


@contextmanager
def running(*tables: Table, delay: float = 0) -> Iterator[list[dict[str, str]]]:
    """Serve tables on a free port; the addresses of people by name, for each table."""
    server = Server(delay=delay, hosts=allowed_hosts("127.0.0.1"), per_second=1e9)
    for table in tables:
        server.add(table)
    listening = listen("127.0.0.1", 0)
    uvicorn = uvicorn_server(server)
    thread = threading.Thread(target=uvicorn.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not uvicorn.started:
        time.sleep(0.01)
    port = listening.getsockname()[1]
    try:
        yield [dict(addresses(table, "127.0.0.1", port)) for table in tables]
    finally:
        uvicorn.should_exit = True
        thread.join(timeout=20)
        listening.close()

"""Limits of the connections to a server, and which are closed when there are too many."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from logging import getLogger
from math import inf

from uvicorn.protocols.utils import get_remote_addr

from blackjacky_agents.web.origin import is_local, read_address

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None  # type: ignore[assignment]

ACCEPTED_AT_ONCE = 16
"""Connections accepted before those that are open already are looked at again."""
_OWN_FILES = 128  # open files other than connections, and connections being accepted or closed
_MAX_CONNECTIONS = 1000

logger = getLogger("uvicorn.error")


def connections_for(open_files: int) -> int:
    """How many connections a process may have that may open this many files; each may also send a file."""
    return min(_MAX_CONNECTIONS, max(open_files - _OWN_FILES, open_files // 2) // 2)


def _connections() -> int:
    if resource is None:
        return _MAX_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else connections_for(soft)


@dataclass(frozen=True)
class Limits:
    """Limits of the connections to a server."""

    connections: int = field(default_factory=_connections)
    """Connections in all, by default as the limit of open files allows. One more closes another, see `Gate`."""
    per_address: int = 64
    """Connections per address without a seat; for IPv6 per /64 network. Proxies and this machine have no such limit."""
    request_time: float = 15
    """Seconds in which a request arrives whole, from the opening of the connection or the end of the last response."""
    response_time: float = 120
    """Seconds in which a response is computed and read."""
    keep_alive: int = 5
    """Seconds for which a connection may be silent between two requests."""
    close_time: float = 10
    """Seconds in which a closed WebSocket must have read what was sent."""
    ping_interval: float = 20
    """Seconds between the server's pings to a WebSocket."""
    ping_timeout: float = 20
    """Seconds in which a WebSocket answers a ping."""
    header_size: int = 16 * 1024
    """Bytes of a request's line and headers; also of requests that are sent before the last one is answered."""
    waiting: int = 64
    """Messages of a WebSocket that the server has received and not yet handled."""
    frames_at_once: float = 40
    """Frames of a WebSocket, in a burst, that are neither the beginning nor the whole of a message."""
    frames_per_second: float = 15
    """The same, in the long run."""


class Gate:
    """All open connections, and the choice of those that are closed when there are too many or time is up.

    People are connections that have a seat; they are never closed here. The others are strangers, who make up crowds:
    by address, and by whether they are still asking or being answered. If there are too many connections, the largest
    crowd loses the one that has been idle for longest. So newcomers are let in, and nobody keeps others out by holding
    connections open.

    Args:
        limits: the limits.
        is_proxy: whether an address has no limit of its own, as this machine's have none.
    """

    def __init__(self, limits: Limits, is_proxy: Callable[[str], bool]) -> None:
        self.limits, self.is_proxy = limits, is_proxy
        self._deadlines: dict[asyncio.Transport, float] = {}  # infinite for people
        self._addresses: dict[asyncio.Transport, str] = {}
        self._crowds: defaultdict[tuple[str, bool], dict[asyncio.Transport, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._deadlines)

    def enter(self, transport: asyncio.Transport) -> None:
        """Let in a new connection, a stranger, and close another if there are too many."""
        host, _ = get_remote_addr(transport) or ("", 0)
        address = self._addresses[transport] = _network(host)
        self._deadlines[transport] = inf
        self.expect(transport, self.limits.request_time)
        limit, own = self.limits.per_address, [self._crowds[address, answered] for answered in (False, True)]
        if sum(map(len, own)) > limit and not (is_local(host) or self.is_proxy(host)):
            self._evict(own, f"{limit} from one address")
        elif len(self) > self.limits.connections:
            self._evict(self._crowds.values(), f"{self.limits.connections} in all")

    def expect(self, transport: asyncio.Transport, seconds: float, *, answered: bool = False) -> None:
        """Count a connection as a stranger that has just been active and has ``seconds`` for what comes next."""
        if transport in self._deadlines:
            self._forget_stranger(transport)
            self._crowds[self._addresses[transport], answered][transport] = None
            self._deadlines[transport] = time.monotonic() + seconds

    def seat(self, transport: asyncio.Transport) -> None:
        """Count a connection among people."""
        if transport in self._deadlines:
            self._forget_stranger(transport)
            self._deadlines[transport] = inf

    def leave(self, transport: asyncio.Transport) -> None:
        """Forget a connection."""
        if transport in self._deadlines:
            self._forget_stranger(transport)
            del self._deadlines[transport], self._addresses[transport]

    def _forget_stranger(self, transport: asyncio.Transport) -> None:
        address = self._addresses[transport]
        for key in ((address, False), (address, True)):
            self._crowds[key].pop(transport, None)
            if not self._crowds[key]:
                del self._crowds[key]

    def _evict(self, crowds: Iterable[dict[asyncio.Transport, None]], limit: str) -> None:
        logger.warning("Too many connections (%s): the one that was idle for longest is closed.", limit)
        largest = max(crowds, key=len)
        self._abort(next(iter(largest)))

    def _abort(self, transport: asyncio.Transport) -> None:
        self.leave(transport)
        transport.abort()

    def sweep(self) -> None:
        """Close connections whose time is up; call this about once a second."""
        now = time.monotonic()
        for transport, deadline in list(self._deadlines.items()):
            if deadline <= now:
                self._abort(transport)
            elif deadline == inf and transport.is_closing():  # what was sent last is still to be read
                self.expect(transport, self.limits.close_time, answered=True)


def _network(host: str) -> str:
    """What counts as one address: an IPv4 address, or the /64 network that is given to one customer."""
    address = read_address(host)
    if address is None or address.version == 4:
        return host
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))

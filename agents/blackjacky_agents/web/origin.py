"""Where a request comes from, and by which name it calls the server.

A page of another site can have its own name lead to this machine (DNS rebinding); its browser then takes the server for
a part of that site. So the server answers only to names that nobody else can hold, and to addresses in digits.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d{1,5})?", re.ASCII)
_UNKNOWN = (
    "This server does not answer to that host name. Use its address in digits or the name of its machine; "
    "--address, when it is started, allows another name.\n"
)


def is_local(host: str) -> bool:
    """Whether only this machine can reach the host: ``localhost`` or a loopback address."""
    address = read_address(host)
    return host == "localhost" if address is None else address.is_loopback


def host_in(header: str) -> str | None:
    """The host in a ``Host`` header, in lower case, without port and brackets; None if the header is malformed."""
    found = _HOST.fullmatch(header.lower())
    if found is None:
        return None
    literal, name = found.groups()
    if literal is None:
        return str(name)
    return literal if isinstance(read_address(literal), ipaddress.IPv6Address) else None


def own_names() -> set[str]:
    """Names of this machine in its network, in lower case."""
    name = socket.gethostname().lower()
    return {name, f"{name.partition('.')[0]}.local"}


def is_from_here(request: HTTPConnection) -> bool:
    """Whether a request was made by a page of this server, or by something that is not a browser."""
    origin = request.headers.get("origin")
    scheme = request.url.scheme.replace("ws", "http")
    return origin is None or origin == f"{scheme}://{request.headers.get('host')}"


def read_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address in digits; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


class KnownHost:
    """ASGI middleware that refuses requests whose ``Host`` may be the name of another site, with status 400.

    Accepted are ``localhost``, all addresses in digits, the names of this machine, and ``names``.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self.app = app
        self.names = {"localhost", *own_names(), *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, or refuse the request."""
        if scope["type"] == "lifespan" or self._knows(host_in(HTTPConnection(scope).headers.get("host", ""))):
            await self.app(scope, receive, send)
        else:
            await PlainTextResponse(_UNKNOWN, 400)(scope, receive, send)

    def _knows(self, host: str | None) -> bool:
        return host is not None and (host in self.names or read_address(host) is not None)

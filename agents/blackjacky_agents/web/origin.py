"""Where a request comes from, and by which name it calls the server.

A page of another site can have its own name lead to this machine (DNS rebinding); its browser then takes the server for
a part of that site. So the server answers only to names that nobody else can hold, and to addresses in digits.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)
_UNKNOWN = (
    "This server does not answer to that host name. Use its address in digits or the name of its machine; "
    "--address, when it is started, allows another name.\n"
)
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_local(host: str) -> bool:
    """Whether only this machine can reach the host: ``localhost`` or a loopback address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_from_here(request: HTTPConnection) -> bool:
    """Whether a request was made by a page of this server, or by something that is not a browser."""
    origin = request.headers.get("origin")
    scheme = request.url.scheme.replace("ws", "http")
    return origin is None or origin == f"{scheme}://{request.headers.get('host')}"


class Guarded:
    """ASGI middleware that adds `HEADERS` to responses, and answers with status 400 to names of other sites.

    A request's ``Host`` may be ``localhost``, an address in digits, a name of this machine, or one of ``names``.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self.app = app
        own = socket.gethostname()
        self.names = {name.lower() for name in ("localhost", own, f"{own.partition('.')[0]}.local", *names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, or refuse the request."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        is_known = scope["type"] == "lifespan" or self._knows(HTTPConnection(scope).headers.get("host", ""))
        app = self.app if is_known else PlainTextResponse(_UNKNOWN, 400)
        await app(scope, receive, send_guarded if scope["type"] == "http" else send)

    def _knows(self, header: str) -> bool:
        found = _HOST.fullmatch(header.lower())
        if found is None or found[1] in self.names:
            return found is not None
        try:
            literal = found[1].startswith("[")
            return bool(ipaddress.IPv6Address(found[1][1:-1]) if literal else ipaddress.IPv4Address(found[1]))
        except ValueError:
            return False

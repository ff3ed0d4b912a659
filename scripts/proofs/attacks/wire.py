"""Raw connections to a server, which can do what no well-behaved client does."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
from collections.abc import Iterator

from websockets.frames import Frame, Opcode

PATIENCE = 60.0  # seconds after which a silent server counts as hanging


def open_socket(port: int, data: bytes = b"") -> socket.socket:
    """A connection to a server on this machine, on which ``data`` was sent."""
    made = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    with contextlib.suppress(ConnectionError):  # the server may have closed it
        made.sendall(data)
    return made


def request(path: str, *headers: str, method: str = "GET") -> bytes:
    """The bytes of a request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


def upgrade(token: str) -> bytes:
    """The bytes of the request for the WebSocket of a seat."""
    key = base64.b64encode(os.urandom(16)).decode()
    headers = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
    return request(f"/seat/{token}/socket", *headers)


def frame(opcode: Opcode, data: bytes = b"", fin: bool = True) -> bytes:
    """The bytes of a client's frame."""
    return Frame(opcode, data, fin).serialize(mask=True)


def status(connection: socket.socket) -> int:
    """The status of the next response; the rest is left unread."""
    line = b""
    while not line.endswith(b"\r\n") and (read := connection.recv(1)):
        line += read
    if not line:
        raise ConnectionError("closed without an answer")
    return int(line.split()[1])


def take_seat(port: int, token: str) -> socket.socket:
    """The WebSocket of a seat; only the status of the response has been read."""
    with contextlib.ExitStack() as stack:
        connection = stack.enter_context(open_socket(port, upgrade(token)))
        if (answer := status(connection)) != 101:
            raise ConnectionError(f"refused with status {answer}")
        stack.pop_all()
    return connection


def flood(connection: socket.socket, data: bytes) -> Iterator[int]:
    """Send ``data`` repeatedly without waiting; the number of bytes sent each time, 0 if none could be sent.

    Raises `ConnectionError` when the server has closed the connection.
    """
    connection.setblocking(False)
    rest = data
    while True:
        sent = 0
        with contextlib.suppress(BlockingIOError):
            sent = connection.send(rest)
        rest = rest[sent:] or data
        yield sent


def is_open(connection: socket.socket, patience: float = 0) -> bool:
    """Whether the server has not closed the connection within so many seconds; reads what has arrived."""
    connection.settimeout(patience)
    try:
        while connection.recv(1 << 16):
            pass
    except (BlockingIOError, TimeoutError):
        return True
    except ConnectionError:
        pass
    return False

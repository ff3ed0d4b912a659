"""Slow, idle and flooding connections to a table server, while somebody plays a game there.

A try is one connection. It is refused if the server closes it, and survives if it can stay. The server may have 256
open files, and the attacker holds as many connections as it can at once. If the person who plays cannot go on, or the
saved game lacks a move that was confirmed, the game is lost.
"""

from __future__ import annotations

import base64
import contextlib
import os
import random
import socket
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from websockets.frames import Frame, Opcode

from scripts.proofs.attacks.common import CRASH, ERROR, HANG, LOST, REFUSED, SURVIVED, TRACEBACK, Tries
from scripts.proofs.attacks.table_server import PATIENCE, Person, TableServer, table_server

HELD = 300  # connections at once
_GROWTH = 16  # MiB by which the memory may differ: what the allocator keeps
_FLOOD = 50  # times that as much as fits is sent


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


PINGS, SKIPS = 500 * frame(Opcode.PING, b"x" * 125), 500 * frame(Opcode.TEXT, b'{"type": "skip"}')


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


def flood(connection: socket.socket, data: bytes) -> socket.socket:
    """Send as much as can be sent for a while without waiting, and read nothing."""
    connection.setblocking(False)
    rest = data
    with contextlib.suppress(ConnectionError):
        for _ in range(_FLOOD):
            with contextlib.suppress(BlockingIOError):
                rest = rest[connection.send(rest) :] or data
    return connection


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


@dataclass
class Target:
    """What is attacked: the server's port, and the token of a seat."""

    port: int
    token: str
    rng: random.Random


def _slow_body(target: Target) -> socket.socket:
    path = target.rng.choice(["/lobby/guessed/tables", "/seat/guessed", f"/seat/{target.token}"])
    return open_socket(target.port, request(path, "Content-Length: 100000", method="POST") + b"{")


KINDS: dict[str, Callable[[Target], socket.socket]] = {
    "connections that send nothing": lambda it: open_socket(it.port),
    "bodies that do not end": _slow_body,
    "responses that are not read": lambda it: flood(open_socket(it.port), 200 * request("/page/lobby.js")),
    "WebSockets of unknown seats": lambda it: take_seat(it.port, f"{it.rng.getrandbits(192):032x}"),
    "WebSocket pings whose pongs are not read": lambda it: flood(take_seat(it.port, it.token), PINGS),
    "WebSocket messages at full speed": lambda it: flood(take_seat(it.port, it.token), SKIPS),
}


def attack(_: str, tries: int, seed: int) -> Tries:
    """Attack one server in all ways, one after the other, while somebody plays."""
    share, rest = divmod(tries, len(KINDS))
    with tempfile.TemporaryDirectory() as folder, table_server(Path(folder)) as server:
        for number, kind in enumerate(KINDS):
            target = Target(server.port, server.tokens[1], random.Random(f"{kind} {seed}"))
            for outcome, count in (+_attack_while_playing(server, kind, share + (number < rest), target)).items():
                yield kind, outcome, count
        if server.is_alive and server.stop() != 0:
            yield "the end of the server", ERROR, 1


def _attack_while_playing(server: TableServer, kind: str, tries: int, target: Target) -> Counter[str]:
    log_before, person = len(server.lines), Person(server)
    person.start()
    _try_all(kind, min(HELD, tries), target, person)  # so that the memory has grown as far as it does
    before = server.memory
    counts: Counter[str] = Counter()
    for begin in range(0, tries, HELD):
        counts += _try_all(kind, min(HELD, tries - begin), target, person)
    person.stop()
    counts[TRACEBACK] += sum(line.startswith("Traceback") for line in server.lines[log_before:])
    counts[CRASH] += not server.is_alive
    counts[HANG] += isinstance(person.error, TimeoutError)
    counts[ERROR] += person.error is not None and not isinstance(person.error, TimeoutError)
    counts[ERROR] += server.is_alive and server.memory > before + _GROWTH
    counts[LOST] += not person.is_saved()
    return counts


def _try_all(kind: str, tries: int, target: Target, person: Person) -> Counter[str]:
    """Open connections of a kind and hold them until the person has moved again; their outcomes."""
    counts: Counter[str] = Counter()
    held: list[socket.socket] = []
    for _ in range(tries):
        try:
            held.append(KINDS[kind](target))
        except ConnectionError:
            counts[REFUSED] += 1
        except TimeoutError:
            counts[HANG] += 1
    person.wait_for_moves(2)
    for connection in held:
        with connection:
            counts[SURVIVED if is_open(connection) else REFUSED] += 1
    return counts

"""Slow, idle, flooding and nonsensical connections to a table server, while somebody plays a game there.

A try is one connection. It is refused if the server closes it, and survives if it can stay. The server may have 256
open files, and the attacker holds as many connections as it can at once. If the person who plays cannot go on, or the
saved game lacks a move that was confirmed, the game is lost.
"""

from __future__ import annotations

import contextlib
import random
import socket
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from websockets.frames import Opcode

from scripts.proofs.attacks.common import CRASH, ERROR, HANG, LOST, REFUSED, SURVIVED, TRACEBACK, Tries
from scripts.proofs.attacks.table_server import Person, TableServer, table_server
from scripts.proofs.attacks.wire import flood, frame, is_open, open_socket, request, take_seat, upgrade

HELD = 300  # connections at once
_GROWTH = 16  # MiB by which the memory may differ: what the allocator keeps
_FLOOD = 50  # times that as much as fits is sent


@dataclass
class Target:
    """What is attacked: the server's port, and the token of a seat."""

    port: int
    token: str
    rng: random.Random

    def seat(self) -> socket.socket:
        """The WebSocket of that seat."""
        return take_seat(self.port, self.token)


def _slow_body(target: Target) -> socket.socket:
    path = target.rng.choice(["/lobby/guessed/tables", "/seat/guessed", f"/seat/{target.token}"])
    return open_socket(target.port, request(path, "Content-Length: 100000", method="POST") + b"{")


def _garbage_frames(target: Target) -> socket.socket:
    whole = bytearray(frame(Opcode.TEXT, target.rng.randbytes(target.rng.randrange(200))))
    whole[0] = target.rng.choice([0, 0x80, 0xC0]) + target.rng.choice([*Opcode, 3])
    return _flood(target.seat(), bytes(_changed(whole, target.rng)))


def _garbage_requests(target: Target) -> socket.socket:
    rng = target.rng
    whole = rng.choice(
        [
            upgrade(target.token),
            request("/seat/x", "Transfer-Encoding: chunked", method="POST") + b"5\r\nabcde\r\n0\r\n\r\n",
            request("/lobby/x/tables", "Content-Length: 5", method="POST") + b"abcde",
            request("/", *(f"{rng.getrandbits(32)}: {rng.getrandbits(32)}" for _ in range(2000))),
            rng.randbytes(2000),
        ]
    )
    return open_socket(target.port, bytes(_changed(bytearray(whole), rng)))


def _changed(data: bytearray, rng: random.Random) -> bytearray:
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(data))
        data[place : place + rng.randrange(2)] = rng.randbytes(rng.randrange(3))
        data = data or bytearray(b"\0")
    return data


def _flood(connection: socket.socket, data: bytes) -> socket.socket:
    """Send as much as can be sent for a while, and read nothing."""
    with contextlib.suppress(ConnectionError):
        for _ in islice(flood(connection, data), _FLOOD):
            pass
    return connection


KINDS: dict[str, Callable[[Target], socket.socket]] = {
    "connections that send nothing": lambda it: open_socket(it.port),
    "bodies that do not end": _slow_body,
    "responses that are not read": lambda it: _flood(open_socket(it.port), 200 * request("/page/lobby.js")),
    "WebSockets of unknown seats": lambda it: take_seat(it.port, f"{it.rng.getrandbits(192):032x}"),
    "WebSocket pings whose pongs are not read": lambda it: _flood(it.seat(), 500 * frame(Opcode.PING, b"x" * 125)),
    "WebSocket messages at full speed": lambda it: _flood(it.seat(), 500 * frame(Opcode.TEXT, b'{"type": "skip"}')),
    "garbage as WebSocket frames": _garbage_frames,
    "garbage as HTTP requests": _garbage_requests,
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
    tracebacks, person = server.tracebacks, Person(server)
    person.start()
    _try_all(kind, min(HELD, tries), target, person)  # so that the memory has grown as far as it does
    before = server.memory
    counts: Counter[str] = Counter()
    for begin in range(0, tries, HELD):
        counts += _try_all(kind, min(HELD, tries - begin), target, person)
    person.stop()
    counts[TRACEBACK] += server.tracebacks - tracebacks
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

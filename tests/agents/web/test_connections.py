"""Connections that are slow, silent, too many, or send too much, through real sockets."""

import asyncio
import contextlib
import json
import math
import select
import threading
import time
from types import SimpleNamespace

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close, Opcode
from websockets.sync.client import connect

from blackjacky_agents.web.host import TAKEN_OVER, TOO_MANY
from blackjacky_agents.web.limits import Limits
from blackjacky_agents.web.messages import MAX_MESSAGE
from blackjacky_agents.web.quiet import Quiet
from blackjacky_agents.web.serve import in_thread, uvicorn_server
from scripts.proofs.attacks import connections
from scripts.proofs.attacks.common import REFUSED, SURVIVED
from scripts.proofs.attacks.table_server import Person, table_server
from scripts.proofs.attacks.wire import (
    flood,
    frame,
    is_closed,
    open_socket,
    request,
    send_until_closed,
    status,
    take_seat,
    upgrade,
)
from tests.agents.web.running import server_of
from tests.agents.web.tables import new_table

pytestmark = pytest.mark.prove
SHORT = 0.2  # seconds
ENDLESS = {"frames_at_once": math.inf, "ping_interval": 1e6}
MIB = 2**20
PINGS = 500 * frame(Opcode.PING, b"x" * 125)


@pytest.fixture
def logged(monkeypatch):
    """What uvicorn and asyncio log."""
    records = []
    monkeypatch.setattr(Quiet, "filter", lambda self, record: records.append(record))
    return records


@contextlib.contextmanager
def served(*tables, **limits):
    """A running server with its port, its gate and the token of the first person at each table."""
    server = server_of(*tables)
    running = uvicorn_server(server, Limits(**limits))
    with in_thread(running) as port:
        tokens = [table.people[0] for table in tables]
        yield SimpleNamespace(server=server, gate=running.config.gate, port=port, tokens=tokens)


def wait_until(holds):
    """Wait for a state of the server."""
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def closing_code(connection):
    """The close code in the last frame that was received before the connection was closed."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while data := connection.recv(1 << 16):
            received += data
    last = received.rindex(b"\x88")
    return Close.parse(received[last + 2 :]).code


# ---------------------------------------------------------------- what a WebSocket sends


def test_an_unknown_token_is_refused_before_the_upgrade():
    with served(new_table()) as there, open_socket(there.port, upgrade("guessed")) as connection:
        assert status(connection) == 404
        assert is_closed(connection)
        assert len(there.gate) == 0


def test_pings_whose_pongs_are_not_read_close_the_connection():
    with served(new_table()) as there, take_seat(there.port, there.tokens[0]) as connection:
        assert send_until_closed(connection, PINGS, 20 * MIB)
        wait_until(lambda: len(there.gate) == 0)


def test_nothing_is_read_from_a_page_that_does_not_read():
    with served(new_table(), **ENDLESS) as there, take_seat(there.port, there.tokens[0]) as connection:
        (transport,) = there.gate._deadlines
        sent = flood(connection, PINGS)
        total = 0
        while transport.is_reading() and total < 50 * MIB:
            total += next(sent)
        assert transport.get_write_buffer_size() < MIB
        assert not transport.is_reading()
        connection.settimeout(60)
        while not transport.is_reading():  # it goes on when the page reads
            assert connection.recv(1 << 16)


@pytest.mark.parametrize(
    "data",
    [
        50 * frame(Opcode.PING),
        50 * frame(Opcode.PONG, b"nobody asked"),
        frame(Opcode.TEXT, b"{", fin=False) + 50 * frame(Opcode.CONT, b"", fin=False),
        2000 * frame(Opcode.TEXT, b"{}"),
    ],
    ids=["pings", "pongs", "parts of one message", "messages"],
)
def test_too_many_frames_at_once_close_the_connection(data):
    with served(new_table()) as there, take_seat(there.port, there.tokens[0]) as connection:
        connection.sendall(data)
        assert closing_code(connection) == TOO_MANY


def test_huge_messages_are_cut_off_and_the_server_stays_up():
    with served(new_table()) as there:
        address = f"ws://127.0.0.1:{there.port}/seat/{there.tokens[0]}/socket"
        with connect(address, proxy=None) as socket:
            socket.send("x" * MAX_MESSAGE)
            while "not JSON" not in json.loads(socket.recv()).get("text", ""):
                pass
            socket.send("x" * (MAX_MESSAGE + 1))
            with pytest.raises(ConnectionClosedError) as closed:
                for _ in iter(socket.recv, None):
                    pass
            assert closed.value.rcvd.code == 1009
        with connect(address, proxy=None) as socket:
            assert json.loads(socket.recv())["type"] == "state"


def test_a_text_that_is_not_utf8_closes_the_connection_and_leaves_no_traceback(logged):
    with served(new_table()) as there, take_seat(there.port, there.tokens[0]) as connection:
        connection.sendall(frame(Opcode.TEXT, b"\xff"))
        assert closing_code(connection) == 1007
    assert logged == []


def test_a_page_that_answers_no_pings_is_given_up():
    limits = {"ping_interval": SHORT, "ping_timeout": SHORT}
    with served(new_table(), **limits) as there, take_seat(there.port, there.tokens[0]) as connection:
        assert is_closed(connection)
        wait_until(lambda: not there.server.hosts[0].present)


def stop_reading(there, connection):
    """Send so many pings, and read nothing, that the server stops reading; its side of the connection."""
    (transport,) = there.gate._deadlines
    sent = flood(connection, PINGS)
    while transport.is_reading():
        next(sent)
    return transport


def test_who_takes_a_seat_does_not_wait_for_a_page_that_does_not_read():
    with served(new_table(), **ENDLESS) as there, take_seat(there.port, there.tokens[0]) as connection:
        stop_reading(there, connection)
        with connect(f"ws://127.0.0.1:{there.port}/seat/{there.tokens[0]}/socket", proxy=None) as second:
            second.send("{}")
            while json.loads(second.recv())["type"] != "error":
                pass
            wait_until(lambda: len(there.gate) == 1)


def test_a_page_whose_seat_was_taken_over_has_limited_time_to_say_goodbye():
    with served(new_table(), close_time=SHORT) as there, contextlib.ExitStack() as stack:
        first, second = (stack.enter_context(take_seat(there.port, there.tokens[0])) for _ in range(2))
        assert closing_code(first) == TAKEN_OVER  # the server closes although no goodbye was sent
        second.sendall(frame(Opcode.TEXT, b"{}"))
        received = b""
        while b'"code":"message"' not in received:
            received += second.recv(1 << 16)


# ---------------------------------------------------------------- requests


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET /page/page.js HTTP/1.1\r\nX-Slow: ",
        request("/seat/guessed", "Content-Length: 10"),
        request("/lobby/LOBBY/tables", "Content-Length: 1000", method="POST") + b"{",
        request("/page/icon.svg") + b"G",
        request("/seat/guessed", "Upgrade: websocket", "Connection: Upgrade", *["X: y"] * 200),
    ],
    ids=["nothing", "slow headers", "a body nobody reads", "slow body", "slow second request", "upgrade"],
)
def test_a_request_that_does_not_arrive_closes_the_connection(data):
    with served(request_time=SHORT, keep_alive=1000) as there:
        data = data.replace(b"LOBBY", there.server.lobby.encode())
        with open_socket(there.port, data) as connection:
            assert is_closed(connection)
        wait_until(lambda: len(there.gate) == 0)


def test_trickling_headers_gain_no_time():
    with served(request_time=SHORT) as there, open_socket(there.port, b"GET / HTTP/1.1\r\n") as connection:
        closed = False
        while not closed:
            with contextlib.suppress(ConnectionError):
                connection.send(b"X")
            closed = bool(select.select([connection], [], [], 0.01)[0]) and is_closed(connection)


def test_responses_that_are_not_read_close_the_connection_and_wait_in_small_numbers():
    limits = {"response_time": SHORT, "request_time": 1e6, "header_size": MIB}
    with served(**limits) as there, open_socket(there.port) as connection:
        wait_until(lambda: len(there.gate) > 0)
        (transport,) = there.gate._deadlines
        largest = 0
        with contextlib.suppress(ConnectionError):
            for _ in flood(connection, 100 * request("/page/lobby.js")):
                largest = max(largest, transport.get_write_buffer_size())
                if len(there.gate) == 0:
                    break
        wait_until(lambda: len(there.gate) == 0)
        assert largest < MIB


class SlowApplication:
    """An application that answers when it is told to."""

    def __init__(self):
        self.app, self.may_answer = self.answer, threading.Event()

    async def answer(self, scope, receive, send):
        """Answer."""
        while scope["type"] != "http" or not self.may_answer.is_set():
            await asyncio.sleep(0.01)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


@contextlib.contextmanager
def serving_slowly(**limits):
    """A slow application and its port."""
    slow = SlowApplication()
    with in_thread(uvicorn_server(slow, Limits(**limits), lifespan="off", interface="asgi3")) as port:
        yield slow, port


def test_a_response_may_take_longer_than_a_request():
    with (
        serving_slowly(request_time=SHORT) as (slow, port),
        open_socket(port, request("/")) as asking,
        open_socket(port) as idle,
    ):
        assert is_closed(idle)
        slow.may_answer.set()
        assert status(asking) == 200


@pytest.mark.parametrize("rest", [b"nonsense\r\n\r\n", b"\0\r\n"])
def test_nonsense_during_an_answer_leaves_no_traceback(rest, logged):
    chunked = request("/", "Transfer-Encoding: chunked", method="POST")
    with serving_slowly() as (slow, port), open_socket(port, chunked + rest) as asking:
        assert status(asking) == 400
        slow.may_answer.set()
        assert is_closed(asking)
    assert [record.getMessage() for record in logged] == ["Invalid HTTP request received."]


def test_headers_that_are_too_long_are_refused_even_if_they_come_at_once():
    with served(header_size=1000) as there:
        for data in (request("/", *["X: y"] * 2000), b"G" * 10_000):
            with open_socket(there.port, data) as connection:
                assert status(connection) == 400


def test_too_many_requests_before_the_first_answer_close_the_connection():
    with served(header_size=1000) as there, open_socket(there.port, 1000 * request("/")) as connection:
        received = b""
        with contextlib.suppress(ConnectionError):
            while data := connection.recv(1 << 16):
                received += data
        assert received.count(b"HTTP/1.1") < 1000


# ---------------------------------------------------------------- too many connections


def test_a_person_gets_in_and_stays_while_all_connections_are_taken():
    with served(new_table(), connections=10) as there, contextlib.ExitStack() as stack:
        address = f"ws://127.0.0.1:{there.port}/seat/{there.tokens[0]}/socket"
        crowd = [stack.enter_context(open_socket(there.port)) for _ in range(30)]
        person = stack.enter_context(connect(address, proxy=None))
        assert json.loads(person.recv())["type"] == "state"
        crowd += [stack.enter_context(open_socket(there.port)) for _ in range(30)]
        assert is_closed(crowd[0])
        person.send("{}")
        while json.loads(person.recv())["type"] != "error":
            pass
        assert len(there.gate) <= 10


def test_with_few_files_a_person_plays_beside_hundreds_of_idle_connections(tmp_path):
    with table_server(tmp_path) as server, contextlib.ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(open_socket(server.port))
        person = Person(server)
        person.start()
        person.wait_for_moves(3)
        person.stop()
        assert person.error is None
        assert server.stop() == 0
        assert len(server.lines) == 1
        assert "Too many connections (64 in all)" in server.lines[0]


def test_all_attacks_together_do_no_harm():
    tried = []
    rows = connections.attack(4 * len(connections.KINDS), 0, 1, tried.append)
    assert sum(tried) == sum(row.tried for row in rows) == 4 * len(connections.KINDS)
    for row in rows:
        assert sum(row.counts.values()) == 4
        assert set(row.counts) <= {REFUSED, SURVIVED}, row

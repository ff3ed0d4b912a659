"""Connections that are slow, silent, too many, or send too much, through real sockets."""

import contextlib
import json
import time
from types import SimpleNamespace

import pytest
from websockets.frames import Close, Opcode
from websockets.sync.client import connect

from blackjacky_agents.web.host import TAKEN_OVER, TOO_MANY
from blackjacky_agents.web.limits import Limits
from blackjacky_agents.web.messages import MAX_MESSAGE
from blackjacky_agents.web.quiet import Quiet
from blackjacky_agents.web.serve import in_thread, uvicorn_server
from scripts.proofs.attacks import connections
from scripts.proofs.attacks.common import REFUSED, SURVIVED
from scripts.proofs.attacks.connections import frame, is_open, open_socket, request, take_seat
from scripts.proofs.attacks.table_server import Person, table_server
from tests.agents.web.tables import new_table, server_of

pytestmark = pytest.mark.prove
SHORT = 0.2  # seconds


@pytest.fixture
def logged(monkeypatch):
    records = []
    monkeypatch.setattr(Quiet, "filter", lambda self, record: records.append(record))
    return records


@contextlib.contextmanager
def served(**limits):
    """A running server with its port, its gate and the token of the person at its table."""
    table = new_table()
    server = server_of(table)
    running = uvicorn_server(server, Limits(**limits))
    with in_thread(running) as port:
        yield SimpleNamespace(server=server, gate=running.config.gate, port=port, token=table.people[0])


@contextlib.contextmanager
def seated(**limits):
    with served(**limits) as there, take_seat(there.port, there.token) as connection:
        yield there, connection


def socket_of(there):
    return connect(f"ws://127.0.0.1:{there.port}/seat/{there.token}/socket", proxy=None)


def wait_until(holds):
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def closing_code(connection):
    """The code with which the server closes, after all that it sends until then."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while data := connection.recv(1 << 16):
            received += data
    return Close.parse(received[received.rindex(b"\x88") + 2 :]).code


ENDLESS = frame(Opcode.TEXT, b"{", fin=False) + 50 * frame(Opcode.CONT, b"", fin=False)
FRAMES = {
    "pings": (50 * frame(Opcode.PING), TOO_MANY),
    "parts": (ENDLESS, TOO_MANY),
    "messages": (2000 * frame(Opcode.TEXT, b"{}"), TOO_MANY),
    "a huge message": (frame(Opcode.TEXT, b"x" * (MAX_MESSAGE + 1)), 1009),
    "no UTF-8": (frame(Opcode.TEXT, b"\xff"), 1007),
}


@pytest.mark.parametrize(("data", "code"), FRAMES.values(), ids=FRAMES)
def test_too_many_frames_and_impossible_ones_close_the_connection_without_a_traceback(data, code, logged):
    with seated() as (there, connection):
        connection.sendall(data)
        assert closing_code(connection) == code
        with socket_of(there) as page:  # the server stays up
            page.send("x" * MAX_MESSAGE)
            while "not JSON" not in json.loads(page.recv()).get("text", ""):
                pass
    assert logged == []


def test_a_page_that_answers_no_pings_is_given_up():
    with seated(ping_interval=SHORT, ping_timeout=SHORT) as (there, connection):
        assert not is_open(connection, 60)
        wait_until(lambda: not there.server.hosts[0].present)


def test_a_page_whose_seat_was_taken_over_has_limited_time_to_say_goodbye():
    with seated(close_time=SHORT) as (there, first), take_seat(there.port, there.token) as second:
        assert closing_code(first) == TAKEN_OVER  # the server closes although no goodbye was sent
        second.sendall(frame(Opcode.TEXT, b"{}"))
        received = b""
        while b'"code":"message"' not in received:
            received += second.recv(1 << 16)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET /page/page.js HTTP/1.1\r\nX-Slow: ",
        request("/lobby/LOBBY/tables", "Content-Length: 1000", method="POST") + b"{",
        request("/page/icon.svg") + b"G",
    ],
    ids=["nothing", "slow headers", "slow body", "slow second request"],
)
def test_a_request_that_does_not_arrive_closes_the_connection(data):
    with served(request_time=SHORT, keep_alive=1000) as there:
        data = data.replace(b"LOBBY", there.server.lobby.encode())
        with open_socket(there.port, data) as connection:
            assert not is_open(connection, 60)
        wait_until(lambda: len(there.gate) == 0)


def test_with_few_files_a_person_plays_beside_hundreds_of_idle_connections(tmp_path):
    with table_server(tmp_path) as server, contextlib.ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(open_socket(server.port))
        person = Person(server)
        person.start()
        person.wait_for_moves(3)
        person.stop()
        assert (person.error, server.stop()) == (None, 0)
        assert len(server.lines) == 1
        assert "Too many connections (64 in all)" in server.lines[0]


def test_all_attacks_together_do_no_harm():
    tried = list(connections.attack("", 4 * len(connections.KINDS), 0))
    assert sum(number for *_, number in tried) == 4 * len(connections.KINDS)
    assert {outcome for _, outcome, _ in tried} == {REFUSED, SURVIVED}, tried

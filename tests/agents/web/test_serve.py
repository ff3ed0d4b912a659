"""The server as it runs: its addresses, behind a proxy, and what survives kill -9."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import threading

import pytest
from starlette.routing import Route
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from blackjacky_agents.web import serve
from blackjacky_agents.web.host import TOO_MANY
from blackjacky_agents.web.server import Server
from tests.agents.web.tables import in_background, new_table, request, server_of, status_of, upgrade


def start(folder, *args):
    options = ["--web", "--port", "0", "--delay", "0", "--opponents", "random*2", "--folder"]
    command = [sys.executable, "-m", "blackjacky_agents", "play", *options, str(folder), *args]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
    return process, (line.split()[-1] for line in iter(process.stdout.readline, "") if "http://" in line)


def socket_of(address):
    return connect(address.partition("?")[0].replace("http", "ws", 1) + "/socket", proxy=None)


def masked(first, data=b""):
    """A frame of a page, whose first byte is that."""
    return bytes([first, 0x80 | len(data), 0, 0, 0, 0]) + data


@pytest.mark.parametrize("frame", [masked(0x89), masked(0x8A), masked(0)], ids=["pings", "pongs", "continuations"])
def test_a_socket_with_too_many_frames_that_are_no_messages_is_closed_and_a_message_in_parts_is_read(frame):
    table = new_table()
    with in_background(server_of(table)) as port, socket_of(f"http://127.0.0.1:{port}{table.page_of(0)}") as page:
        page.socket.sendall(masked(1, b'{"type":') + frame * 9 + masked(0x80, b' "pause"}'))
        assert "moment" in (json.loads(message).get("code") for message in iter(page.recv, None))
        page.socket.sendall(masked(1) + frame * 60)
        with contextlib.suppress(OSError):  # it may be closed already
            page.socket.shutdown(socket.SHUT_WR)
        with pytest.raises(ConnectionClosed) as closed:
            [*iter(page.recv, None)]
        assert closed.value.rcvd.code == TOO_MANY


def test_whoever_is_refused_leaves_at_most_one_line_a_minute_and_who_waits_at_the_end_no_traceback(capsys):
    server, waits = server_of(), threading.Event()

    async def wait(_):
        waits.set()
        await asyncio.sleep(3600)

    server.attach(Route("/wait", wait), contextlib.nullcontext)
    with in_background(server) as port, socket.create_connection(("127.0.0.1", port)) as request_:
        for _ in range(3):
            assert status_of(port, upgrade("guessed")) == 404
        assert status_of(port, request(f"/lobby/{server.lobby}")) == 200
        request_.sendall(request("/wait"))
        assert waits.wait(60)
    log = capsys.readouterr().err
    assert log.count("ASGI callable returned without completing handshake") <= 1  # before uvicorn 0.55 one each
    assert "Cancel 1 running task" in log
    assert "Traceback" not in log
    assert server.lobby not in log


@pytest.mark.prove
def test_a_killed_server_goes_on_with_its_tables(tmp_path):
    process, found = start(tmp_path, "--language", "de", "--seed", "4")
    try:
        address = next(found)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/seat/[\w-]{32}\?language=de", address)
        with socket_of(address) as page:
            state = {}
            while state.get("turn") != 0:
                state = json.loads(page.recv())
            page.send(json.dumps({"type": "act", "move": state["move"], "action": state["actions"][0]["action"]}))
            before = json.loads(page.recv())
            while before["turn"] != 0:
                before = json.loads(page.recv())
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    process, found = start(tmp_path)
    try:
        again = next(found)
        assert again.split("/")[-1] == address.split("/")[-1].partition("?")[0]
        with socket_of(again) as page:
            assert json.loads(page.recv()) == before
        assert next(found) != again  # the new table
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 0
        process.stdout.close()


CTRL_C_AT_THE_BEGINNING = """
import runpy, signal
from asyncio.base_events import BaseEventLoop
begin = BaseEventLoop.__init__
BaseEventLoop.__init__ = lambda self: (signal.raise_signal(signal.SIGINT), begin(self))[1]
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("blackjacky_agents", run_name="__main__")
"""


def test_ctrl_c_ends_a_server_that_has_only_just_said_its_address(tmp_path):
    command = [sys.executable, "-c", CTRL_C_AT_THE_BEGINNING, "play", "--web", "--port", "0", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Open tables at http://" in done.stdout


def proxied(port, token, **headers):
    """The status with which the WebSocket of a page begins that comes through a reverse proxy, which adds headers."""
    host = {"Host": "play.example", "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"}
    added = {**host, "Origin": "https://play.example", **headers}
    lines = "\r\n".join(f"{name}: {value}" for name, value in added.items())
    return status_of(port, upgrade(token).replace(b"Host: 127.0.0.1", lines.encode()))


def test_behind_a_proxy_with_https_pages_connect_and_others_do_not(tmp_path):
    address, table = "https://play.example", new_table()
    server = Server(tmp_path, names=serve.names_of("127.0.0.1", address))
    server.add(table)
    serve.open_to_others(server, "127.0.0.1", 80, address)
    token = table.people[0]
    assert server.address == address
    with in_background(server) as port:
        assert proxied(port, token) == 101
        assert proxied(port, token, Host="evil.example") == 400
        for origin in ("https://127.0.0.1", "https://evil.example"):
            assert proxied(port, token, Origin=origin) == 403
        assert proxied(port, token, **{"X-Forwarded-Proto": "http"}) == 403


def test_an_address_is_a_scheme_and_a_host():
    for address in ("https://play.example", "http://127.0.0.1:8080", "https://[::1]:8443"):
        assert serve.check_address(address) == serve.check_address(address + "/") == address
    others = ("", "play.example", "//play.example", "ftp://play.example", "https://x/y", "https://x?y", "https://a@x")
    for address in others:
        with pytest.raises(ValueError, match=r"such as https://play\.example, not "):
            serve.check_address(address)

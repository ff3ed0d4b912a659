"""The server as it runs: its addresses, behind a proxy, and what survives kill -9."""

import json
import re
import signal
import subprocess
import sys

import pytest
from websockets.sync.client import connect

from blackjacky_agents.web import serve
from blackjacky_agents.web.server import Server
from tests.agents.web.tables import in_background, new_table, status_of, upgrade


def start(folder, *args):
    options = ["--web", "--port", "0", "--delay", "0", "--opponents", "random*2", "--tables"]
    command = [sys.executable, "-m", "blackjacky_agents", "play", *options, str(folder), *args]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
    return process, (line.split()[-1] for line in iter(process.stdout.readline, "") if "http://" in line)


def socket_of(address):
    return connect(address.partition("?")[0].replace("http", "ws", 1) + "/socket", proxy=None)


@pytest.mark.prove
def test_a_killed_server_goes_on_with_its_tables(tmp_path):
    process, found = start(tmp_path, "--language", "de", "--seed", "4")
    try:
        address = next(found)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/seat/[\w-]{32}\?language=de", address)
        with socket_of(address) as socket:
            state = {}
            while state.get("turn") != 0:
                state = json.loads(socket.recv())
            socket.send(json.dumps({"type": "act", "move": state["move"], "action": state["actions"][0]["action"]}))
            before = json.loads(socket.recv())
            while before["turn"] != 0:
                before = json.loads(socket.recv())
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    process, found = start(tmp_path)
    try:
        again = next(found)
        assert again.split("/")[-1] == address.split("/")[-1].partition("?")[0]
        with socket_of(again) as socket:
            assert json.loads(socket.recv()) == before
        assert next(found) != again  # the new table
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 0
        process.stdout.close()


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

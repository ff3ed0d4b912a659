"""By which names the server answers: a page of another site whose name leads here must learn nothing."""

import socket

import pytest
from attacks.wire import open_socket, status
from starlette.testclient import TestClient, WebSocketDenialResponse

from blackjacky_agents.web import origin
from blackjacky_agents.web.origin import host_in, is_local
from blackjacky_agents.web.serve import in_background, names_of
from blackjacky_agents.web.server import Server
from tests.agents.web.tables import new_table

HERE, AWAY = ("127.0.0.1", 1), ("192.168.0.9", 1)


@pytest.fixture(autouse=True)
def _name(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "Box.home.example")


def answer(server, host, peer=HERE, path="/"):
    """The answer to a request that calls the server so."""
    client = TestClient(server.app, base_url="http://127.0.0.1", client=peer, follow_redirects=False)
    return client.get(path, headers={"host": host})


def server_at(host, address=None):
    """A server that listens there."""
    return Server(names=names_of(host, address))


@pytest.mark.parametrize("listening", ["127.0.0.1", "::1", "0.0.0.0", "::", "192.168.0.4"])
def test_names_of_other_sites_are_refused_wherever_the_server_listens(listening):
    server, table = server_at(listening), new_table()
    server.add(table)
    seat = f"/seat/{table.people[0]}"
    for peer in (HERE, AWAY):
        for path in ("/", f"/lobby/{server.lobby}", f"/lobby/{server.lobby}/tables", seat):
            refused = answer(server, "evil.example:8021", peer, path)
            assert (refused.status_code, "--address" in refused.text) == (400, True)
            assert refused.headers["cache-control"] == "no-store"
    client, named = TestClient(server.app, base_url="http://127.0.0.1"), {"host": "evil.example"}
    with pytest.raises(WebSocketDenialResponse), client.websocket_connect(f"{seat}/socket", headers=named):
        pass
    assert answer(server, "127.0.0.1:8021", path=f"/lobby/{server.lobby}").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST:80", "127.0.0.1:8021", "[::1]:8021", "192.168.0.4:8021", "[2001:db8::1]"),
        *("box.home.example", "Box.local:8021", "play.example"),
    ],
)
def test_addresses_in_digits_and_own_names_are_accepted(host):
    server = server_at("0.0.0.0", "https://play.example")
    assert answer(server, host, path=f"/lobby/{server.lobby}").status_code == 200


def test_the_name_at_which_the_user_lets_the_server_listen_is_accepted():
    server = server_at("cellar.lan")
    assert answer(server, "cellar.lan:8021", path=f"/lobby/{server.lobby}").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("", "[", "[::1", "[]:1", "::1", "a b", "x@y", "evil/../", "localhost:", "localhost:x", "127.1", "\xff"),
        *("localhost.evil.example", "127.0.0.1.evil.example", "evil.local", "[127.0.0.1]", "[localhost]"),
    ],
)
def test_malformed_and_similar_names_are_refused(host):
    server = server_at("0.0.0.0")
    lines = ("GET / HTTP/1.1", f"Host: {host}", "Connection: close", "", "")
    assert answer(server, host.encode("latin-1")).status_code == 400
    with in_background(server) as port, open_socket(port, "\r\n".join(lines).encode("latin-1")) as connection:
        assert status(connection) == 400


@pytest.mark.parametrize("peer", [HERE, AWAY])
@pytest.mark.parametrize("host", ["127.0.0.1:8021", "localhost:8021", "[::1]:8021", "192.168.0.4:8021"])
def test_only_a_token_opens_the_lobby_and_only_the_owners_shows_all_seats(host, peer):
    """Whoever comes through nginx as it is, without headers of a proxy, looks like a browser on this machine."""
    server, table = server_at("0.0.0.0"), new_table()
    server.add(table)
    home = answer(server, host, peer)
    assert (home.status_code, "printed where the server was started" in home.text) == (404, True)
    assert "/lobby/" not in f"{home.text}{home.headers}"
    assert table.people[0] not in answer(server, host, peer, f"/lobby/{server.lobby}/tables").text
    assert table.people[0] in answer(server, host, peer, f"/lobby/{server.owner}/tables").text


def test_only_this_machine_is_local():
    assert all(map(is_local, ("127.0.0.1", "127.8.9.1", "localhost", "::1")))
    assert not any(map(is_local, ("0.0.0.0", "192.168.0.4", "x.de")))


def test_a_host_is_read_without_its_port():
    assert [host_in(header) for header in ("A.b:1", "[::1]:80", "1.2.3.4", "")] == ["a.b", "::1", "1.2.3.4", None]
    assert origin.own_names() == {"box.home.example", "box.local"}

"""By which names the server answers: a page of another site whose name leads here must learn nothing."""

import socket

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from blackjacky_agents.web.serve import names_of
from blackjacky_agents.web.server import Server
from tests.agents.web.tables import in_background, new_table, status_of

HERE, AWAY = ("127.0.0.1", 1), ("192.168.0.9", 1)
OWN = ["localhost", "LOCALHOST:80", "127.0.0.1:8021", "[::1]:8021", "192.168.0.4:8021", "[2001:db8::1]"]
OWN += ["box.home.example", "Box.local:8021", "play.example"]
MALFORMED = ["", "[", "[::1", "[]:1", "::1", "a b", "x@y", "evil/../", "localhost:", "localhost:x", "127.1", "\xff"]
SIMILAR = ["localhost.evil.example", "127.0.0.1.evil.example", "evil.local", "[127.0.0.1]", "[localhost]"]
pytestmark = pytest.mark.usefixtures("tiny")


@pytest.fixture(autouse=True)
def _name(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "Box.home.example")


def answer(server, host, peer=HERE, path="/"):
    client = TestClient(server.app, base_url="http://127.0.0.1", client=peer, follow_redirects=False)
    return client.get(path, headers={"host": host})


def server_at(host, address=None):
    server = Server(names=names_of(host, address))
    server.add(new_table("tiny"))
    return server


@pytest.mark.parametrize("listening", ["127.0.0.1", "0.0.0.0", "192.168.0.4"])
def test_names_of_other_sites_are_refused_wherever_the_server_listens(listening):
    server = server_at(listening)
    seat = f"/seat/{server.tables()[0].people[0]}"
    for peer in (HERE, AWAY):
        for path in ("/", f"/lobby/{server.lobby}", f"/lobby/{server.lobby}/tables", seat):
            refused = answer(server, "evil.example:8021", peer, path)
            assert (refused.status_code, "--address" in refused.text) == (400, True)
            assert refused.headers["cache-control"] == "no-store"
    client, named = TestClient(server.app, base_url="http://127.0.0.1"), {"host": "evil.example"}
    with pytest.raises(WebSocketDenialResponse), client.websocket_connect(f"{seat}/socket", headers=named):
        pass
    own = answer(server, "127.0.0.1:8021", path=f"/lobby/{server.lobby}")
    assert own.status_code == 200
    assert "frame-ancestors 'none'" in own.headers["content-security-policy"]


def test_addresses_in_digits_and_own_names_are_accepted_malformed_and_similar_ones_refused():
    server, cellar = server_at("0.0.0.0", "https://play.example"), server_at("cellar.lan")
    for each, host in [*((server, host) for host in OWN), (cellar, "cellar.lan:8021")]:
        assert answer(each, host, path=f"/lobby/{each.lobby}").status_code == 200, host
    server = server_at("0.0.0.0")
    with in_background(server) as port:
        for host in (*MALFORMED, *SIMILAR):
            lines = ("GET / HTTP/1.1", f"Host: {host}", "Connection: close", "", "")
            assert status_of(port, "\r\n".join(lines).encode("latin-1")) == 400, host


@pytest.mark.parametrize("peer", [HERE, AWAY])
def test_only_a_token_opens_the_lobby(peer):
    """Whoever comes through nginx as it is, without headers of a proxy, looks like a browser on this machine."""
    home = answer(server_at("0.0.0.0"), "localhost:8021", peer)
    assert (home.status_code, "printed where the server was started" in home.text) == (404, True)
    assert "/lobby/" not in f"{home.text}{home.headers}"

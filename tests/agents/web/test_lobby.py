"""The lobby: who may enter, what an order may say, and what others are not told."""

import json
import os
from unittest import mock

import numpy as np
import pytest
from starlette.testclient import TestClient

from blackjacky_agents.web import lobby
from blackjacky_agents.web import server as server_module
from blackjacky_agents.web.lobby import MAX_ORDER, MAX_TABLES, TableOrder
from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.server import Server
from tests.agents.web.tables import new_table, play_on
from tests.agents.web.test_pace import Page, anyio_backend  # noqa: F401  # a fixture

HERE, AWAY = ("127.0.0.1", 1), ("192.168.0.9", 1)
ORDER = {"game": "tiny", "variant": "classic", "people": ["Anna", "Ben"], "agents": ["random"], "rules": {}}

pytestmark = pytest.mark.usefixtures("tiny")


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def client(server):
    return entered(server)


def entered(server, client=HERE):
    return TestClient(server.app, base_url="http://127.0.0.1", client=client, follow_redirects=False)


def tables_of(client, server):
    return client.get(f"/lobby/{server.lobby}/tables")


def opened(client, server, order=ORDER, **options):
    content = order if isinstance(order, bytes) else json.dumps(order)
    return client.post(f"/lobby/{server.lobby}/tables", content=content, **options)


def test_nobody_guesses_the_address_of_the_lobby(server):
    for token in (server.lobby, server.owner):
        assert entered(server, AWAY).get(f"/lobby/{token}").status_code == 200
    for place in ("", "/tables", "/code.svg", "/pictures/black_jacky.svg"):
        assert entered(server).get(f"/lobby/guessed{place}").status_code == 404
    assert entered(server).post("/lobby/guessed/tables", content=json.dumps(ORDER)).status_code == 404


def test_the_address_of_the_lobby_survives_a_restart_in_the_folder_of_the_tables(tmp_path):
    first, again, other = Server(tmp_path), Server(tmp_path), Server()
    assert (first.lobby, first.owner) == (again.lobby, again.owner)
    assert len({first.lobby, first.owner, other.lobby, other.owner}) == 4
    (tmp_path / "lobby.json").write_text('["../../x", "b"]')
    with pytest.raises(ValueError, match=r"lobby.json does not hold the two tokens .* delete it"):
        Server(tmp_path)


def test_a_table_is_opened_and_its_addresses_are_told_to_whoever_opened_it_and_the_owner(server):
    client = entered(server, AWAY)
    assert opened(client, server, headers={"origin": "https://evil.example"}).status_code == 403
    answer = opened(client, server, headers={"origin": "http://127.0.0.1"})
    assert answer.status_code == 201
    (table,) = server.tables()
    seats = answer.json()["seats"]
    assert [seat["name"] for seat in seats] == ["Anna", "Ben", "Fips"]
    assert [seat["address"] for seat in seats] == [f"/seat/{table.people[0]}", f"/seat/{table.people[1]}", None]
    assert client.get(seats[0]["address"]).status_code == 200
    others = tables_of(client, server)
    assert [seat["name"] for seat in others.json()["tables"][0]["seats"]] == [seat.name for seat in table.seats]
    assert not any(token in others.text for token in table.people.values())
    owners = client.get(f"/lobby/{server.owner}/tables")
    assert all(token in owners.text for token in table.people.values())


def test_the_lobby_tells_how_far_tables_are(server, client):
    server.add(table := new_table("tiny", people=1, players=2))
    listed = tables_of(client, server).json()["tables"][0]
    assert (listed["round"], listed["moves"], listed["over"]) == (1, 0, False)
    play_on(table, np.random.default_rng(0))
    assert tables_of(client, server).json()["tables"][0]["over"]


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"game": "chess"}, "game='chess' is unknown; allowed are black_jacky, "),
        ({"people": []}, "people: List should have at least 1 item"),
        ({"agents": [3]}, "agents.0: Input should be a valid string"),
        ({"people": ["\u202eevil"]}, "1 .. 20 printable characters"),
        ({"agents": ["ppo:/etc/passwd"]}, "agent 'ppo:/etc/passwd' is unknown; allowed are random"),
        ({"agents": [], "people": ["A"]}, "num_players=1 is out of range"),
        ({"variant": "long"}, "variant='long'"),
        ({"rules": {"speed": 3}}, "rule option 'speed' is unknown; allowed are "),
        ({"token": "x"}, "token: Extra inputs are not permitted"),
        *((text, "order") for text in (b"", b"[]", b"\xff", b"[" * 5000, b" " * (MAX_ORDER + 1))),
    ],
)
def test_an_impossible_order_is_refused(server, client, change, answer):
    refused = opened(client, server, change if isinstance(change, bytes) else {**ORDER, **change})
    assert refused.status_code == 400
    assert answer in refused.text
    assert server.tables() == []


def test_codes_hold_addresses_that_work_in_the_network(server, client):
    server.add(table := new_table("tiny", people=1, players=2))
    seat = f"/seat/{table.people[0]}"
    assert client.get(f"{seat}/code.svg").status_code == 404  # only this machine can reach it
    server.address = "http://192.168.0.4:8021"
    assert tables_of(client, server).json()["address"] == f"{server.address}/lobby/{server.lobby}"
    mine = client.get(f"/lobby/{server.owner}/tables").json()
    assert mine["tables"][0]["seats"][0]["address"] == server.address + seat
    for place in (f"{seat}/code.svg", f"/lobby/{server.lobby}/code.svg"):
        assert client.get(place).headers["content-type"].startswith("image/svg+xml")


def files_of(folder):
    return {*folder.glob("*.jsonl")}


def test_a_full_lobby_has_room_when_nobody_sits_there_and_after_a_restart(tmp_path):
    for _ in range(2):
        server = Server(tmp_path)
        for _ in range(MAX_TABLES + 2):
            assert opened(entered(server), server).status_code == 201
        assert files_of(tmp_path) == {table.path for table in server.tables()}
        assert len(server.tables()) == MAX_TABLES


@pytest.mark.anyio
async def test_nobody_is_thrown_out_and_a_lost_connection_is_waited_for(server, monkeypatch):
    """Of those that nobody has used, the oldest goes first; then those that were left long enough ago."""
    for module in (lobby, server_module):
        monkeypatch.setattr(module, "MAX_TABLES", 2)
    order = TableOrder(**ORDER)
    async with server.running():
        first, _ = await server.open(order), await server.open(order)
        sitting = await Page(first, 0).open()
        third = await server.open(order)
        assert server.hosts == [first, third]
        await (await Page(third, 0).open()).leave()
        with pytest.raises(MessageError, match="people play at"):
            await server.open(order)
        monkeypatch.setattr(lobby, "AWAY", 0)
        fourth = await server.open(order)
        assert server.hosts == [first, fourth]
        await sitting.leave()


def test_unused_tables_go_with_their_files_before_those_that_are_over(tmp_path, monkeypatch):
    server = Server(tmp_path)
    tables = [new_table("tiny", players=2) for _ in range(3)]
    for table in tables[:2]:
        server.add(table)
    play_on(tables[0], np.random.default_rng(0))
    os.utime(tables[0].path, (1000, 1000))
    monkeypatch.setattr(server_module, "MAX_TABLES", 2)
    again = Server(tmp_path)
    again.add(tables[2])
    assert files_of(tmp_path) == {tables[0].path, tables[2].path} == {table.path for table in again.tables()}


def test_of_a_folder_with_too_many_tables_the_newest_are_served_and_the_others_left(tmp_path, monkeypatch):
    monkeypatch.setattr(server_module, "MAX_TABLES", 1)
    for age, path in enumerate(paths := [tmp_path / "new.jsonl", tmp_path / "old.jsonl"]):
        table = new_table("tiny")
        table.path = path
        table.save()
        os.utime(path, (1000 - age, 1000 - age))
    with pytest.warns(UserWarning, match="has 2 files of tables; only the newest 1 are read"):
        assert [table.path for table in Server(tmp_path).tables()] == paths[:1]
    assert files_of(tmp_path) == {*paths}


def test_a_table_that_cannot_be_saved_is_not_opened(tmp_path, monkeypatch):
    server = Server(tmp_path)
    monkeypatch.setattr(server_module.Table, "save", mock.Mock(side_effect=OSError(28, "No space left on device")))
    refused = opened(entered(server), server)
    assert (refused.status_code, "No space left" in refused.text) == (507, True)
    assert server.tables() == []

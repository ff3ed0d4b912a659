"""The lobby: who may enter, what an order may say, and what others are not told."""

import json

import pytest
from starlette.testclient import TestClient

from blackjacky_agents.cli import play
from blackjacky_agents.cli.options import read_arguments
from blackjacky_agents.web import server as server_module
from blackjacky_agents.web.lobby import MAX_ORDER, describe_games, read_order
from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.server import Server
from tests.agents.web.tables import new_table
from tests.every_game import NAMES, with_tiny

HERE, AWAY = ("127.0.0.1", 1), ("192.168.0.9", 1)
ORDER = {"game": "tiny", "variant": "classic", "people": ["Anna", "Ben"], "agents": ["random"], "rules": {}}


@pytest.fixture(autouse=True)
def _tiny():
    with with_tiny():
        yield


def entered(server, client=HERE):
    """A client at that address."""
    return TestClient(server.app, base_url="http://127.0.0.1", client=client, follow_redirects=False)


def tables_of(client, server):
    """The games and tables that the lobby tells."""
    return client.get(f"/lobby/{server.lobby}/tables")


def opened(client, server, order=ORDER, **options):
    """The answer to an order."""
    content = order if isinstance(order, bytes) else json.dumps(order)
    return client.post(f"/lobby/{server.lobby}/tables", content=content, **options)


def test_whoever_sits_at_this_machine_finds_the_lobby():
    server = Server()
    assert entered(server).get("/").headers["location"] == f"/lobby/{server.lobby}"
    assert "New" not in entered(server, AWAY).get("/").text
    assert entered(server, AWAY).get("/").status_code == 404
    behind_proxy = {"x-forwarded-for": "203.0.113.7"}
    assert entered(server).get("/", headers=behind_proxy).status_code == 404
    assert entered(server, AWAY).get(f"/lobby/{server.lobby}").status_code == 200
    for place in ("", "/tables", "/code.svg"):
        assert entered(server).get(f"/lobby/guessed{place}").status_code == 404
    assert entered(server).post("/lobby/guessed/tables", content=json.dumps(ORDER)).status_code == 404


def test_a_table_is_opened_and_its_addresses_are_told_to_whoever_opened_it():
    server = Server()
    client = entered(server, AWAY)
    answer = opened(client, server)
    assert answer.status_code == 201
    (table,) = server.tables()
    seats = answer.json()["seats"]
    assert [seat["name"] for seat in seats] == ["Anna", "Ben", "random"]
    assert [seat["address"] for seat in seats] == [f"/seat/{table.people[0]}", f"/seat/{table.people[1]}", None]
    assert client.get(seats[0]["address"]).status_code == 200


def test_tokens_of_seats_are_told_to_nobody_else():
    server = Server()
    table = new_table("tiny", people=2, players=3)
    server.add(table)
    others = tables_of(entered(server, AWAY), server)
    assert [seat["name"] for seat in others.json()["tables"][0]["seats"]] == [seat.name for seat in table.seats]
    assert not any(token in others.text for token in table.people.values())
    mine = tables_of(entered(server), server)
    assert all(token in mine.text for token in table.people.values())


def test_the_lobby_tells_how_far_tables_are():
    server = Server()
    table = new_table("tiny", people=1, players=2)
    server.add(table)
    listed = tables_of(entered(server), server).json()["tables"][0]
    assert (listed["round"], listed["moves"], listed["over"], table.progress) == (1, 0, False, "new")
    while not table.over:
        actions = table.actions(0)
        table.act(0, table.move, actions[0]["action"]) if actions else table.play_agent(table.thought()())
        assert table.over or table.progress.startswith("round ")
    assert tables_of(entered(server), server).json()["tables"][0]["over"]
    assert table.progress == "over"


def test_pages_of_other_sites_open_no_tables():
    server = Server()
    client = entered(server)
    assert opened(client, server, headers={"origin": "https://evil.example"}).status_code == 403
    assert opened(client, server, headers={"origin": "http://127.0.0.1"}).status_code == 201


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"game": "chess"}, "game='chess' is unknown; allowed are black_jacky, "),
        ({"people": []}, "at least one person"),
        ({"people": "Anna"}, "people is not of type list"),
        ({"people": [7]}, "lists of names"),
        ({"people": ["\u202eevil"]}, "1 .. 20 printable characters"),
        ({"people": ["A"] * 60}, "more than"),
        ({"agents": ["ppo:/etc/passwd"]}, "agent 'ppo:/etc/passwd' is unknown; allowed are random"),
        ({"agents": ["ismcts:1000000"]}, "is unknown; allowed are random"),
        ({"agents": [], "people": ["A"]}, "num_players=1 is out of range"),
        ({"variant": "long"}, "variant='long'"),
        ({"rules": {"speed": 3}}, "unknown option speed=3"),
        ({"token": "x"}, "with the fields game, variant, people, agents, rules"),
    ],
)
def test_an_impossible_order_is_refused(change, answer):
    server = Server()
    refused = opened(entered(server), server, {**ORDER, **change})
    assert refused.status_code == 400
    assert answer in refused.json()["error"]
    assert server.tables() == []


@pytest.mark.parametrize("text", [b"", b"[]", b"\xff", b"[" * 5000, b" " * (MAX_ORDER + 1)])
def test_what_is_no_order_is_refused(text):
    server = Server()
    refused = opened(entered(server), server, text)
    assert refused.status_code == 400
    assert "an order" in refused.json()["error"]


def test_there_is_a_limit_to_open_tables(monkeypatch):
    monkeypatch.setattr(server_module, "MAX_OPEN", 1)
    server = Server()
    assert opened(entered(server), server).status_code == 201
    refused = opened(entered(server), server)
    assert (refused.status_code, "1 tables are open" in refused.json()["error"]) == (409, True)


def test_codes_hold_addresses_that_work_in_the_network():
    server = Server()
    table = new_table("tiny", people=1, players=2)
    server.add(table)
    client, seat = entered(server), f"/seat/{table.people[0]}"
    assert client.get(f"{seat}/code.svg").status_code == 404  # only this machine can reach it
    assert tables_of(client, server).json()["address"] is None
    server.address = "http://192.168.0.4:8021"
    assert tables_of(client, server).json()["address"] == f"{server.address}/lobby/{server.lobby}"
    assert tables_of(client, server).json()["tables"][0]["seats"][0]["address"] == server.address + seat
    for place in (f"{seat}/code.svg", f"/lobby/{server.lobby}/code.svg"):
        image = client.get(place)
        assert image.headers["content-type"].startswith("image/svg+xml")
        assert "<svg" in image.text
    assert client.get("/seat/guessed/code.svg").status_code == 404


def test_every_game_can_be_ordered_as_the_form_offers_it():
    for game in describe_games():
        assert game["name"] in NAMES
        for variant in game["variants"]:
            agents = (game["opponents"] * 10)[: variant["default"] - 1]
            options = {option["name"]: option["default"] for option in game["options"]}
            order = {"game": game["name"], "variant": variant["name"], "people": ["A"], "agents": agents}
            table = read_order(json.dumps({**order, "rules": options}).encode()).table()
            assert (table.env.game.name, table.env.variant) == (game["name"], variant["name"])
            assert table.env.num_players == variant["default"]


@pytest.mark.parametrize(
    ("args", "asked"),
    [
        ("", False),
        ("--host 0.0.0.0 --port 80 --language de", False),
        ("--opponents counter", True),
        ("--people 0", True),
        ("--game schwarze_katze", True),
        ("--variant schnell_duell", True),
        ("--bust-at 30", True),
        ("--seed 0", True),
    ],
)
def test_the_command_opens_a_table_at_once_if_its_arguments_describe_one(args, asked):
    given = read_arguments(play.Args, ["--web", *args.split()], "blackjacky play")
    assert play.describes_table(given) == asked


def test_an_order_that_is_too_deep_is_refused():
    with pytest.raises(MessageError, match="a JSON object"):
        read_order(b'{"rules":' * 3000)

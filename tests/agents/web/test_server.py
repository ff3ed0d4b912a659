"""Tables on the network, through Starlette's test client: games, lost connections, and what must be refused."""

import os
import re
import shutil
import time
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from blackjacky_agents.web.host import FULL, TAKEN_OVER, TOO_MANY
from blackjacky_agents.web.server import PAGE, Server
from blackjacky_agents.web.table import resumed
from tests.agents.web.tables import PACE_KEYS, choose, new_table, server_of, states_from_views

pytestmark = pytest.mark.usefixtures("tiny")


@contextmanager
def served(*tables, **options):
    server = server_of(*tables, **options)
    with TestClient(server.app, base_url="http://127.0.0.1") as client:
        client.server = server
        yield client


def sit(client, table, seat=0, **headers):
    return client.websocket_connect(f"ws://127.0.0.1/seat/{table.people[seat]}/socket", headers=headers)


def state_when(socket, wanted):
    """The next state for which that holds, and all that were received till then."""
    received = []
    while True:
        message = socket.receive_json()
        assert message["type"] == "state", message
        received.append(message)
        if wanted(message):
            return message, received


def reply_of(socket):
    return next(message for message in iter(socket.receive_json, None) if message["type"] != "state")


def my_turn_or_over(state):
    return state["turn"] in (None, state["you"])


def play(sockets, rng):
    """People choose at random until the game is over; what each seat received."""
    received = {seat: [] for seat in sockets}
    turn, move = next(iter(sockets)), 0
    while turn is not None:
        seat, wait_for = turn, move
        state, messages = state_when(
            sockets[seat],
            lambda state: state["move"] >= wait_for and (state["turn"] is None or state["turn"] in sockets),  # noqa: B023
        )
        received[seat] += messages
        turn, move = state["turn"], state["move"]
        if turn == seat:
            sockets[seat].send_json({"type": "act", "move": move, "action": choose(state, rng)})
            move += 1
    for seat, socket in sockets.items():
        if not received[seat] or received[seat][-1]["turn"] is not None:
            received[seat] += state_when(socket, lambda state: state["turn"] is None)[1]
    return received


def closing_code(socket):
    with pytest.raises(WebSocketDisconnect) as closed:
        for _ in iter(socket.receive_json, None):
            pass
    return closed.value.code


def spectator(client, table):
    return client.websocket_connect(f"ws://127.0.0.1/watch/{table.watch}/socket")


@pytest.mark.parametrize("people", [1, 2])
def test_whole_games_show_nothing_but_the_views_of_a_seat_or_of_a_spectator(game, people):
    """Compared with what is made from these views alone."""
    rng = np.random.default_rng(people)
    for seed in range(3):
        players = min(max(2 + seed, game.min_players), game.max_players)
        table = new_table(game.name, people, players, seed=seed, hints="random")
        with served(table) as client, spectator(client, table) as watching, ExitStack() as stack:
            sockets = {seat: stack.enter_context(sit(client, table, seat)) for seat in table.people}
            received = play(sockets, rng)
            received[None] = state_when(watching, lambda state: state["winners"] is not None)[1]
        for seat, states in received.items():
            expected = states_from_views(table, seat)
            for state in states:
                pace = {name: state.pop(name) for name in PACE_KEYS}
                assert all(isinstance(each, bool) for each in pace["connected"])
                assert (pace["moment"], pace["watching"]) == (None, 1)
                if seat is None:
                    assert (pace["watch"], pace["may_continue"], pace["can_skip"]) == (None, False, False)
                    assert (state["you"], state["actions"], state["hints"]) == (None, [], False)
                assert state == expected[state["move"]]
            assert states[-1]["winners"] == table.env.snapshot()["winners"]


def test_spectators_are_counted_and_cannot_take_part(monkeypatch):
    monkeypatch.setattr("blackjacky_agents.web.host.MAX_WATCHING", 2)
    table = new_table()
    with served(table) as client, sit(client, table) as socket:
        first, _ = state_when(socket, my_turn_or_over)
        assert (first["watching"], first["watch"]) == (0, table.watch)
        with spectator(client, table) as one, spectator(client, table) as other:
            assert state_when(socket, lambda state: state["watching"] == 2)
            state_when(one, lambda state: state["watching"] == 2)
            with spectator(client, table) as third, pytest.raises(WebSocketDisconnect) as closed:
                third.receive_json()
            assert closed.value.code == FULL
            record, move = table.env.record(), first["move"]
            for message in (
                {"type": "act", "move": move, "action": first["actions"][0]["action"]},
                {"type": "name", "name": "Eve"},
                {"type": "restart"},
                {"type": "continue", "move": move},
                {"type": "outlook", "move": move, "action": -1},
            ):
                one.send_json(message)
                said = one.receive_json()
                assert (said["type"], said["code"]) == ("error", "watching")
            assert table.env.record() == record
            assert client.get(f"/watch/{table.watch}").status_code == 200
            assert client.get(f"/watch/{table.watch}/record").status_code == 409
            assert "sentences" in client.get(f"/watch/{table.watch}/texts.json").json()["en"]
            other.send_json({"type": "pause"})
            assert other.receive_json()["type"] in ("state", "error")
        assert state_when(socket, lambda state: state["watching"] == 0)


def test_a_page_that_comes_later_takes_the_seat():
    table = new_table(people=2)
    with served(table) as client, sit(client, table, 1) as other, sit(client, table) as first:
        state_when(first, lambda state: True)
        with sit(client, table) as second:
            state_when(second, lambda state: True)
            assert closing_code(first) == TAKEN_OVER
            second.send_json({"type": "name", "name": "Anna"})
            assert state_when(second, lambda state: "Anna" in state["names"] and all(state["connected"]))
        assert state_when(other, lambda state: state["names"][0] == "Anna" and not all(state["connected"]))


def test_pages_of_other_sites_are_refused_and_an_unknown_token_gives_no_seat():
    table = new_table()
    others = ("https://evil.example", "http://127.0.0.1.evil.example", "null", "http://127.0.0.1:1", "http://[")
    with served(table) as client:
        for origin in (*others, "https://127.0.0.1", "file://127.0.0.1"):
            with pytest.raises(WebSocketDisconnect), sit(client, table, origin=origin):
                pass
        with sit(client, table, origin="http://127.0.0.1") as socket:
            assert socket.receive_json()["type"] == "state"
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://127.0.0.1/seat/guessed/socket"):
            pass
        guessed = [f"/seat/guessed{end}" for end in ("", "/record", "/texts.json", "/replay")]
        for place in (*guessed, "/seat/", "/page/../table.py"):
            assert client.get(place).status_code == 404


def test_the_page_may_load_nothing_from_elsewhere_and_gives_nothing_away():
    table = new_table()
    seat = f"/seat/{table.people[0]}"
    with served(table) as client:
        for place in (seat, f"{seat}/texts.json", "/page/page.js", "/seat/guessed"):
            headers = client.get(place).headers
            assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
            assert (headers["referrer-policy"], headers["cache-control"]) == ("no-referrer", "no-store")
        assert "http" not in client.get(seat).text
        for file in PAGE.iterdir():
            if file.suffix in (".js", ".json", ".css", ".svg"):
                answer = client.get(f"/page/{file.name}")
                assert answer.status_code == 200
                text = answer.text.replace('"http://www.w3.org/2000/svg"', "")
                assert not re.findall(r"(?:https?:|[\"'(])//\w", text)


def test_floods_are_cut_off_and_the_others_play_on():
    table = new_table(people=2, players=2)
    with served(table, per_second=0) as client, sit(client, table, table.turn) as quiet:
        state, _ = state_when(quiet, my_turn_or_over)
        for _ in range(2):  # to connect again is no way round
            with sit(client, table, 1 - table.turn) as loud:
                for _ in range(200):
                    loud.send_json({"type": "again"})
                assert closing_code(loud) == TOO_MANY
        quiet.send_json({"type": "act", "move": 0, "action": state["actions"][0]["action"]})
        assert state_when(quiet, lambda state: state["move"] == 1)


def test_tables_have_tokens_of_their_own_and_of_copies_the_newest_is_served(tmp_path):
    first, table = new_table("tiny"), new_table("tiny")
    with served(first, table, folder=tmp_path) as client, pytest.raises(ValueError, match="a token of another table"):
        client.server.add(table)
    shutil.copy(table.path, tmp_path / "0.jsonl")
    for age, path in ((3, first.path), (2, tmp_path / "0.jsonl"), (1, table.path)):
        os.utime(path, (time.time() - age, time.time() - age))
    with pytest.warns(UserWarning, match=r"0\.jsonl has a token of another table.* Delete it"):
        server = Server(tmp_path)
    assert [each.path for each in server.tables()] == [first.path, table.path]
    assert resumed(table.path).watch == table.watch

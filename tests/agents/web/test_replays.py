"""Replays with estimates of the champion, and what may come of an action: what takes a server seconds."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from blackjacky_agents.aside import aside
from blackjacky_agents.web.replay import Replays
from blackjacky_agents.web.server import MAX_WAITING
from blackjacky_env.games import GAMES
from tests.agents.web.tables import new_table
from tests.agents.web.test_server import my_turn_or_over, play, reply_of, served, sit, state_when
from tests.replay.reading import film_in

pytestmark = [pytest.mark.prove, pytest.mark.usefixtures("tiny")]


def test_what_may_come_of_the_best_actions_is_estimated_on_demand():
    table = new_table("schwarze_katze", people=3, hints="counter")
    with served(table) as client, sit(client, table, table.turn) as socket:
        state, _ = state_when(socket, my_turn_or_over)
        asked = {"type": "outlook", "move": 0, "action": state["actions"][-1]["action"]}
        socket.send_json(asked)
        socket.send_json(asked)
        assert reply_of(socket)["code"] == "busy"
        answer = reply_of(socket)
        assert (answer["type"], answer["move"], answer["action"]) == ("outlook", 0, asked["action"])
        assert asked["action"] in [each["action"] for each in answer["actions"]]
        assert {each["action"] for each in answer["actions"]} <= {each["action"] for each in state["actions"]}
        assert {name for each in answer["actions"] for name in each["chosen_by"]} == {"counter", "champion"}
        socket.send_json({**asked, "move": 1})
        assert reply_of(socket)["code"] == "stale"


def test_the_replay_is_a_page_of_its_own_when_the_game_is_over_and_only_so_many_wait_for_theirs():
    table = new_table("schwarze_katze", rules={"deals": 1})
    place = f"/seat/{table.people[0]}/replay"
    with served(table) as client, sit(client, table) as socket:
        early = client.get(place)
        assert (early.status_code, "available after the game" in early.text) == (409, True)
        play({0: socket}, np.random.default_rng(2))
        client.server._watched = client.server._waiting = MAX_WAITING
        answer = client.get(place)
        assert (answer.status_code, "busy" in answer.text) == (503, True)
        order = {"game": "tiny", "variant": "classic", "people": ["A"], "agents": ["random"], "rules": {}}
        answer = client.post(f"/lobby/{client.server.lobby}/tables", json=order)
        assert (answer.status_code, "busy" in answer.text) == (503, True)
        client.server._watched = client.server._waiting = 0
        page = client.get(place)
        assert (page.status_code, client.server._watched) == (200, 0)
        assert "<title>Schwarze Katze: Person 0, Fips, Lotte</title>" in page.text
        assert page.headers["content-security-policy"].startswith("sandbox allow-scripts;")  # no access to this site


def test_a_table_is_opened_and_a_hint_given_while_a_replay_is_made(monkeypatch):
    begun, go_on = Event(), Event()

    def held(function, *given):
        begun.set()
        assert go_on.wait(60)
        return function(*given)

    monkeypatch.setattr(aside, "patiently", held)
    over, table = new_table("schwarze_katze", rules={"deals": 1}), new_table("schwarze_katze", hints="counter", seed=1)
    order = {"game": "tiny", "variant": "classic", "people": ["A"], "agents": ["random"], "rules": {}}
    with served(over, table) as client, sit(client, over) as socket, ThreadPoolExecutor(1) as reader:
        play({0: socket}, np.random.default_rng(2))
        page = reader.submit(client.get, f"/seat/{over.people[0]}/replay")
        assert begun.wait(60)
        assert client.post(f"/lobby/{client.server.lobby}/tables", json=order).status_code == 201
        with sit(client, table) as asking:
            state_when(asking, my_turn_or_over)
            asking.send_json({"type": "hint", "move": table.move})
            assert reply_of(asking)["type"] == "hint"
        assert not page.done()
        go_on.set()
        assert "page-judgement" in page.result().text


async def made(replays, recorded, language="en"):
    """The parts of a page in the order in which they are sent."""
    return [part async for part in replays.page(recorded, language)]


async def begun(replays, recorded):
    """The first two parts of a page, whose reader then goes."""
    parts = replays.page(recorded)
    first = [await anext(parts), await anext(parts)]
    await parts.aclose()
    return first


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_has_every_players_curve_and_judges_moves_and_is_made_once(game):
    table, rng = new_table(game), np.random.default_rng(0)
    while not table.over and table.move < 30:
        legal = [each["action"] for each in table.actions(0)]
        table.play(int(rng.choice(legal)) if legal else table.thought()())
    recorded = {"names": dict.fromkeys(table.env.possible_agents, "A"), "record": table.env.record()}
    replays = Replays()
    first, progress = asyncio.run(begun(replays, recorded))
    early = film_in(first)
    assert (early["wins"], "0 %" in progress) == (None, True)
    assert early["thoughts"] == [None] * len(early["moves"])
    parts = asyncio.run(made(replays, recorded))
    assert first == parts[0]
    film = film_in("".join(parts))
    assert all(mind["by"] == "champion" for mind in film["thoughts"])
    assert all(0 <= win <= 1 for row in film["wins"][:-1] for win in row)
    assert any(mind["cost"] for (seat, *_), mind in zip(film["moves"], film["thoughts"], strict=True) if seat == 0)
    assert "samples of the hidden cards" in film["note"]
    (*_, page, end) = asyncio.run(made(replays, json.loads(json.dumps(recorded)), "de"))
    german = film_in(page + end)
    assert (german["language"], german["wins"]) == ("de", film["wins"])
    assert "Stichproben der verdeckten Karten" in german["note"]
    assert german["moves"] != film["moves"]

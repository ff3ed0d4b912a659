"""Tables for the tests, random people, and what a seat may be sent, worked out from its own views alone."""

import base64
import contextlib
import json
import os
import socket
import threading
import time
from types import SimpleNamespace

import numpy as np

from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.narration import SeenMove, action_phrase
from blackjacky_agents.web.drawing import TABLE_IN_ENGLISH, shown
from blackjacky_agents.web.seats import levels, seats_for
from blackjacky_agents.web.serve import listen, uvicorn_server
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import SENTENCES, Table
from blackjacky_agents.wording import is_settled, score_table
from blackjacky_env.envs.aec import TableEnv

SHORT = {"schwarze_katze": {"deals": 2}, "black_spy": {"max_deals": 2, "mole": True, "call_colour": True}}
"""Rule options by game that make games short and let much happen."""
PACE_KEYS = (
    *("connected", "awaited", "started", "speed", "may_continue", "can_skip", "wishes", "moment"),
    *("watching", "watch", "failed"),
)


def new_table(game="black_jacky", people=1, players=3, **options):
    names = [f"Person {i}" for i in range(people)]
    options = {"rules": SHORT.get(game), "seed": 0, "hints": "", **options}
    return Table(game, seats_for(game, names, ["random"] * (players - people)), **options)


def server_of(*tables, **options):
    """A server of tables, for people who are faster than any; games begin at once, and nothing waits."""
    server = Server(**{"delay": 0, "per_second": 1e9, **options})
    for table in tables:
        server.add(table)
    for host in server.hosts:
        host.started = True
    return server


def as_sent(message):
    return json.loads(json.dumps(message))


def choose(state, rng):
    return int(rng.choice([each["action"] for each in state["actions"]]))


def play_on(table, rng, moves=10**6, watch=lambda table: None):
    """People choose at random, until the game is over or so many moves are made."""
    watch(table)
    while not table.over and moves:
        if table.turn in table.people:
            table.act(table.turn, table.move, choose(table.state(table.turn), rng))
        else:
            table.play(table.thought()())
        watch(table)
        moves -= 1


def states_from_views(table, seat):
    """By move: what a seat, or a spectator (None), may be told in the game of ``table``, from its own views.

    What is secret in moves is changed, and the picture gets an environment that knows nothing but the view.
    """
    env = TableEnv(table.env.game.name, len(table.seats), table.env.variant, **table.env.options)
    record = table.env.record()
    env.replay({**record, "actions": []})
    told = []
    last = {"last_pause": None, "scores": None}
    states = {table.earlier: _state(table, env, seat, told, table.earlier) | last}
    for move, action in enumerate(record["actions"], table.earlier):
        before = env.view(viewer(seat))
        env.step(action)
        after = env.view(viewer(seat))
        known = _known(env, before, after, action, seat)
        narrator, settled = get_kit(env.game.name).narrator, is_settled(env.game.name, before, after)
        sentences = [*narrator.story(known), *(narrator.settlement(after) if settled else [])]
        told += [{"move": move, "phrase": phrase} for phrase in sentences]
        if (pause := narrator.pause(known)) is not None:
            last["last_pause"] = as_sent(pause.name)
        if after["phase"] == "over":
            columns, rows = score_table(env.game.name, known)
            last["scores"] = as_sent({"columns": columns, "rows": table._placed(rows)})  # by what everybody knows
        states[move + 1] = _state(table, env, seat, told, move + 1) | last
    return states


def viewer(seat):
    return None if seat is None else f"player_{seat}"


def _known(env, before, after, action, seat):
    info = env.game.words.actions[action]
    if before["player"] != seat:
        info = info.heard(before["phase"])
    return SeenMove(before, after, info, seat, env.num_players, env.config_dict())


def _state(table, env, seat, told, move):
    agent = viewer(seat)
    view, over = env.view(agent), env.view(agent)["phase"] == "over"
    blind = SimpleNamespace(game=env.game, config_dict=env.config_dict)
    mine = not over and view["player"] == seat
    legal = np.flatnonzero(env.observe(agent)["action_mask"]).tolist() if mine else []
    infos = env.game.words.actions
    state = {
        "type": "state",
        "game": env.game.name,
        "title": env.game.title,
        "you": seat,
        "names": [each.name for each in table.seats],
        "agents": [each.agent for each in table.seats],
        "levels": [
            next((level for level, each in levels(env.game.name).items() if each == seat.agent), None)
            for seat in table.seats
        ],
        "move": move,
        "turn": None if over else view["player"],
        "view": view,
        **shown(blind, seat, view, [each.name for each in table.seats], TABLE_IN_ENGLISH),
        "options": env.config_dict(),
        "actions": [{"action": a, **action_phrase(infos[a], seat, env.num_players)} for a in legal],
        "prompt": get_kit(env.game.name).narrator.prompt(view) if mine else None,
        "story": told[-SENTENCES:],
        "hints": seat is not None and bool(table.hints),
        "winners": view["winners"] if over else None,
    }
    return as_sent(state)


@contextlib.contextmanager
def in_background(server):
    """Serve all tables locally in a background thread; yields the port."""
    running, listening = uvicorn_server(server), listen("127.0.0.1", 0)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        yield listening.getsockname()[1]
    finally:
        running.should_exit = True
        thread.join(timeout=20)
        listening.close()


def request(path, *headers):
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


def upgrade(token):
    key = base64.b64encode(os.urandom(16)).decode()
    headers = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
    return request(f"/seat/{token}/socket", *headers)


def status_of(port, data):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(data)
        return int(connection.makefile("rb").readline().split()[1])

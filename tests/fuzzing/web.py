"""Targets of the table in the browser: requests with orders of tables, WebSockets, files of tables."""

import asyncio
import json
from functools import cache
from urllib.parse import quote, unquote

from blackjacky_agents.web.seats import Occupant
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table, resumed
from blackjacky_env.declare.options import declared_options, plain
from blackjacky_env.games import DEFAULT, GAMES, get_game
from tests.fuzzing.target import Target, folder, written

_TOKEN = "token"
_WATCH = "watching"
_VISIBLE = "".join(map(chr, range(0x21, 0x7F)))


def _table(game):
    seats = [Occupant("Ada", token=_TOKEN)]
    seats += [Occupant(f"random {i}", agent="random") for i in range(2, get_game(game).choose_table()[0] + 1)]
    return Table(game, seats, seed=0, hints=[], watch=_WATCH)


def _files():
    made = []
    for game in GAMES:
        table = _table(game)
        table.path = folder() / "table.jsonl"
        table.save()
        while not table.over and table.move < 12:
            seat = table.turn or 0
            table.play(int(table.env.observe(f"player_{seat}")["action_mask"].argmax()))
        made.append(table.path.read_bytes())
    return made


def _resume(data):
    if b"cmd:" in data:
        return  # the folder is the user's own, as his command line, on which he may name programs
    table = resumed(written("table.jsonl", data))
    assert all(seat.name.isprintable() for seat in table.seats)  # they are printed in the terminal
    for seat in table.people:
        _sendable(table.state(seat))
        table.rename(seat, "somebody else")
    table.save()
    resumed(folder() / "table.jsonl")


def _sendable(message):
    json.dumps(message, ensure_ascii=False, allow_nan=False).encode()


def _orders():
    made = []
    for name in GAMES:
        size, variant = get_game(name).choose_table()
        rules = {option.name: plain(option.default) for option in declared_options(get_game(name).options)}
        order = {"game": name, "variant": variant, "people": ["Ada"], "agents": ["random"] * (size - 1), "rules": {}}
        made += [json.dumps({**order, "rules": each}).encode() for each in ({}, rules)]
    return made


class _Running:
    """The application with one table, whose token is known, and the loop that it runs in."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.complaints = []
        self.loop.set_exception_handler(lambda loop, context: self.complaints.append(context))
        self.server = Server(delay=0, per_second=1e9)
        self.server.lobby = _TOKEN
        self.server.add(_table(DEFAULT))

    def call(self, scope, messages):
        """What the application sends in answer to these messages."""
        sent = []
        coming = iter(messages)
        self.loop.run_until_complete(self._call(scope, coming, sent))
        del self.server.hosts[1:]
        host = self.server.hosts[0]
        self.server._seats = {_TOKEN: (host, 0), _WATCH: (host, None)}
        if self.complaints:
            raise AssertionError(self.complaints.pop())
        return sent

    async def _call(self, scope, coming, sent):
        async def receive():
            return next(coming, {"type": f"{scope['type']}.disconnect", "code": 1000})

        async def send(message):
            sent.append(message)

        await self.server.app(scope, receive, send)


_running = cache(_Running)


def _scope(data):
    """An ASGI scope from method, address and headers, as on the wire, and the lines after a blank one."""
    head, _, body = data.partition(b"\n\n")
    first, *headers = head.split(b"\n")
    method, _, address = first.partition(b" ")
    path, _, query = quote(address, safe=_VISIBLE).encode().partition(b"?")  # uvicorn refuses other bytes
    pairs = [(name.lower().strip(), value.strip()) for name, _, value in (line.partition(b":") for line in headers)]
    scope = {
        "method": method.decode("latin-1"),
        "path": unquote(path.decode()),
        "raw_path": path,
        "query_string": query,
        "headers": pairs,
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 80),
        "root_path": "",
    }
    return scope, body.split(b"\n")


def _request(data):
    scope, lines = _scope(data)
    scope |= {"type": "http", "http_version": "1.1", "scheme": "http"}
    sent = _running().call(scope, [{"type": "http.request", "body": b"\n".join(lines), "more_body": False}])
    if sent[0]["status"] >= 500:
        raise AssertionError(f"status {sent[0]['status']}")


def _requests():
    heads = b"host: localhost\norigin: http://localhost\naccept: */*\n\n"
    places = ("seat/token?layout=phone&language=de", "seat/token/texts.json", "seat/token/record", "seat/token/replay")
    places += ("watch/watching", "seat/token/code.svg", "lobby/token", "lobby/token/tables", "page/page.css")
    places += ("page/../server.py",)
    gets = [f"GET /{place}\n".encode() + heads for place in places]
    return [*gets, *(b"POST /lobby/token/tables\n" + heads + order for order in _orders())]


def _socket(data):
    scope, lines = _scope(data)
    scope |= {"type": "websocket", "scheme": "ws", "subprotocols": [], "extensions": {"websocket.http.response": {}}}
    incoming = [{"type": "websocket.connect"}]
    incoming += [{"type": "websocket.receive", "text": line.decode(errors="replace")} for line in lines]
    for message in _running().call(scope, incoming):
        if "text" in message:
            _sendable(json.loads(message["text"]))


def _sockets():
    head = b"GET /seat/token/socket?layout=phone&language=de\nhost: localhost\norigin: http://localhost\n\n"
    messages = [
        {"type": "act", "move": 0, "action": 30},
        {"type": "continue", "move": 1},
        {"type": "speed", "speed": "fast"},
        {"type": "name", "name": "Bob"},
        {"type": "hint", "move": 0, "agent": "random"},
        *({"type": kind} for kind in ("start", "pause", "skip", "again", "restart")),
    ]
    lines = [json.dumps(message).encode() for message in messages]
    watching = head.replace(b"seat/token", b"watch/watching")
    return [head + b"\n".join(lines), *(head + line for line in lines), watching + b"\n".join(lines)]


TARGETS = (
    Target("table_file", _resume, (ValueError,), _files, 0.1),
    Target("request", _request, (), _requests, 0.3),
    Target("socket", _socket, (), _sockets),
)

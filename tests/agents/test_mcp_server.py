"""Tables for assistants: tools called by the SDK's own client, in memory, over HTTP and through pipes."""

import asyncio
import contextlib
import logging
import os
import re
import sys

import numpy as np
import pytest

pytest.importorskip("mcp", reason="needs mcp, of the extra `mcp`")

from mcp import Client, MCPError, StdioServerParameters, stdio_client
from starlette.testclient import TestClient

from blackjacky_agents.language import mcp_server
from blackjacky_agents.language.mcp_server import PLACE, USUAL, Assistants, Usual, make_server
from blackjacky_agents.language.telling import Seen, situation
from blackjacky_agents.web.server import Server
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from tests.agents.web.tables import SHORT, in_background
from tests.agents.web.test_pace import anyio_backend  # noqa: F401  # a fixture

pytestmark = [pytest.mark.anyio, pytest.mark.prove]


class Assistant:
    def __init__(self, client):
        self.client, self.secret = client, None

    async def call(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        text = result.content[0].text
        if found := re.search(r"^You have a seat\. Its secret: (\S+)$", text, re.MULTILINE):
            self.secret = found[1]
        return text

    async def fails(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.content[0].text
        return result.content[0].text

    async def act(self, text, action):
        return await self.call("act", secret=self.secret, move=move_in(text), action=action)

    async def play(self, text, rng):
        """Take random actions until the game is over; everything that was told."""
        told = [text]
        while "The game is over." not in told[-1]:
            if (numbers := re.findall(r"^(\d+)\. ", told[-1], re.MULTILINE)) and "Legal actions:" in told[-1]:
                told.append(await self.act(told[-1], int(rng.choice(numbers))))
            else:
                told.append(await self.call("wait", secret=self.secret))
        return told


def move_in(text):
    return int(re.search(r"^.+\. Move (\d+)\.$", text, re.MULTILINE)[1])


def invitation_in(text):
    return re.search(r"used with join_table: (\S+)", text)[1]


@contextlib.asynccontextmanager
async def assistants(number=1, wait=1e6, usual=USUAL, delay=0):
    server = Server(delay=delay)
    protocol = make_server(Assistants(server, wait, usual))
    async with server.running(), contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(protocol)) for _ in range(number)]
        yield server, *map(Assistant, clients)


@pytest.mark.parametrize("game", [*GAMES])
async def test_an_assistant_plays_a_whole_game_and_is_told_what_its_seat_knows(game):
    async with assistants() as (server, assistant):
        order = {"game": game, "name": 'A". Knock, "B', "opponents": ["random"] * 2, "rules": SHORT.get(game)}
        first = await assistant.call("start_table", **order)
        assert r'You are "A\". Knock, \"B".' in first  # a name is told as a name
        [table] = server.tables()
        names = [each.name for each in table.seats]
        shown = await assistant.call("look", secret=assistant.secret)
        assert shown.endswith(situation(Seen.of(table.env, "player_0", names)))
        told = await assistant.play(first, np.random.default_rng(0))
        assert table.over
        assert told[-1].endswith(situation(Seen.of(table.env, "player_0", names)))
        assert re.search(r"The game is over\. (.+ won|It is a tie)\.$", told[-1])
        again = await assistant.call("play_again", secret=assistant.secret)
        assert move_in(again) > move_in(told[-1])


async def test_two_assistants_share_a_table_and_neither_learns_the_others_secret_or_cards():
    async with assistants(2) as (server, ada, bob):
        first = await ada.call("start_table", game="black_jacky", name="Ada", opponents=["random"], others=1)
        assert first.endswith("The game begins when all have come; missing: Free seat 1.")
        assert "none" in await ada.call("legal_actions", secret=ada.secret)
        second = await bob.call("join_table", invitation=invitation_in(first), name="Bob")
        assert ada.secret != bob.secret
        told = await asyncio.gather(
            ada.play(await ada.call("look", secret=ada.secret), np.random.default_rng(1)),
            bob.play(second, np.random.default_rng(2)),
        )
        [table] = server.tables()
        assert table.over
        assert {"Ada", "Bob"} < {each.name for each in table.seats}
        for name, other, texts in (("Ada", bob, told[0]), ("Bob", ada, told[1])):
            assert other.secret not in "".join(texts)
            assert all(f'You are "{name}".' in text for text in texts)


async def test_what_cannot_be_done_is_refused_with_the_reason_changes_nothing_and_logs_no_secret(caplog):
    caplog.set_level(0)
    async with assistants() as (server, assistant):
        text = await assistant.call("start_table", game="black_jacky", opponents=["random"])
        [table] = server.tables()
        record, move = table.env.record(), move_in(text)
        own = {"secret": assistant.secret, "move": move}
        for arguments, said in (
            ({**own, "action": "99"}, "There is no choice 99; the numbers are 1 .. "),
            ({**own, "action": "swim"}, "no action is called 'swim'"),
            ({**own, "action": "draw"}, "'draw' is illegal: it is for phase zock; the phase is "),
            ({**own, "move": move + 1, "action": "1"}, f"this was for move {move + 1}; now it is move {move}"),
            ({**own, "secret": table.watch, "action": "1"}, "this is the secret of spectators"),
            ({**own, "secret": "guessed", "action": "1"}, "There is no such seat"),
            ({**own, "move": "x", "action": "1"}, "move\n  Input should be"),
        ):
            assert said in await assistant.fails("act", **arguments)
        assert "the game is not over yet" in await assistant.fails("play_again", secret=assistant.secret)
        assert table.env.record() == record
        await assistant.call("act", **own, action="1")
        assert "this was for move" in await assistant.fails("act", **own, action="1")
        said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert caplog.records
        assert assistant.secret not in "".join(said)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("start_table", {"others": "three"}, "others\n  Input should be a valid integer"),
        ("start_table", {"others": 9}, "others=9"),
        ("start_table", {"game": "poker"}, "Games are 'black_jacky', "),
        ("start_table", {"opponents": ["my_agents:Careful"]}, "agent 'my_agents:Careful' is unknown; allowed"),
        ("start_table", {"table": "mini-1", "rules": {"hearts": 2}}, "hearts=2 contradicts table='mini-1'"),
        ("start_table", {"name": "x" * 30}, "a name has 1 .. 20 printable characters"),
    ],
)
async def test_a_table_that_cannot_be_is_refused_with_the_reason(tool, arguments, said):
    async with assistants() as (server, assistant):
        assert said in await assistant.fails(tool, **arguments)
        assert server.tables() == []


async def test_a_prompt_that_there_is_not_is_refused_and_logs_nothing(caplog):
    async with assistants() as (_, assistant):
        with pytest.raises(MCPError, match="there are no prompts"):
            await assistant.client.get_prompt("greeting")
    assert caplog.records == []


async def test_the_usual_table_is_started_unless_another_one_is_asked_for():
    async with assistants(usual=Usual("halunken", variant="standard")) as (server, assistant):
        assert (await assistant.call("list_games")).startswith("halunken: ")
        assert (await assistant.call("read_rules")).startswith(get_game("halunken").title)
        for order in ({}, {"variant": "duel", "opponents": ["random"]}, {"game": "black_jacky", "table": "mini-1"}):
            await assistant.call("start_table", **order)
        envs = [table.env for table in server.tables()]
        assert [env.variant for env in envs[:2]] == ["standard", "duel"]
        assert envs[2].config_dict() == TableEnv("black_jacky", table="mini-1").config_dict()


async def test_an_invitation_is_for_the_free_seats_alone_and_who_is_slow_is_told():
    async with assistants(2, wait=0) as (server, ada, bob):
        first = await ada.call("start_table", game="black_jacky", opponents=[], others=1, name="Ada")
        invitation = invitation_in(first)
        assert "there is no such invitation" in await bob.fails("join_table", invitation="guessed", name="Bob")
        assert "called Ada already" in await bob.fails("join_table", invitation=invitation, name="Ada")
        await bob.call("join_table", invitation=invitation, name="Bob")
        assert "all seats of this table are taken" in await ada.fails("join_table", invitation=invitation, name="Eve")
        [table] = server.tables()
        waiting, slow = (ada, bob)[1 - table.turn], table.seats[table.turn].name
        assert (await waiting.call("wait", secret=waiting.secret)).endswith(f"It is the turn of {slow}.")
        said = await waiting.fails("act", secret=waiting.secret, move=table.move, action="1")
        assert said.endswith(f"it is the turn of {slow}, not yours")
        server.hosts.clear()  # as when a table has been left long ago
        assert "there is no such invitation" in await ada.fails("join_table", invitation=invitation, name="Eve")


async def test_assistants_share_the_tables_of_the_web_server_by_the_address_of_the_lobby():
    server = Server(delay=0)
    mcp_server.attach(server)
    with in_background(server) as port:
        async with Client(f"http://127.0.0.1:{port}{PLACE.format(token=server.lobby)}") as client:
            assistant = Assistant(client)
            text = await assistant.call("start_table", game="black_jacky", opponents=["random"])
            assert "The game is over." in (await assistant.play(text, np.random.default_rng(0)))[-1]
    assert [table.over for table in server.tables()] == [True]


def test_without_the_address_of_the_lobby_or_from_another_site_nobody_is_served():
    server = Server(delay=0)
    mcp_server.attach(server)
    with TestClient(server.app, base_url="http://127.0.0.1") as client:
        question = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {"Accept": "application/json, text/event-stream"}
        assert client.post(PLACE.format(token="guessed"), json=question, headers=headers).status_code == 404
        place = PLACE.format(token=server.lobby)
        other = {**headers, "Origin": "http://evil.example"}
        assert client.post(place, json=question, headers=other).status_code == 403
        assert client.post(place, content=b" " * 70_000, headers=headers).status_code == 413
        assert client.post(place, json=question, headers={**headers, "Host": "evil.example"}).status_code == 400
        assert client.post(place, json=question, headers=headers).status_code == 200


async def test_the_command_serves_an_assistant_that_starts_it_and_ends_with_it(tmp_path):
    command = ["-m", "blackjacky_agents", "mcp", "--folder", str(tmp_path / "tables")]
    started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    async with Client(stdio_client(started)) as client:
        assistant = Assistant(client)
        assert "black_jacky: " in await assistant.call("list_games")
        assert "others=-1" in await assistant.fails("start_table", others=-1)
        text = await assistant.call("start_table", game="black_jacky", opponents=["random"])
        assert "The game is over." in (await assistant.play(text, np.random.default_rng(0)))[-1]
    assert (tmp_path / "tables").is_dir()

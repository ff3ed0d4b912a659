"""What happens when: who is waited for, what stays to be seen, who goes on, and how a game is given up."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from unittest.mock import Mock

import numpy as np
import pytest

from blackjacky_agents.agent import AgentError
from blackjacky_agents.web.host import Host
from blackjacky_agents.web.messages import MessageError
from blackjacky_env import IllegalActionError
from tests.agents.web.tables import as_sent, choose, new_table, play_on

LONG = 1e6  # seconds: nothing goes on by itself


pytestmark = [pytest.mark.usefixtures("tiny"), pytest.mark.anyio]


@pytest.fixture
def anyio_backend():
    return "asyncio"


class Page:
    """Instead of a socket: what the server sends, and what the page says."""

    def __init__(self, host, seat):
        self.host, self.seat, self.sent = host, seat, []
        self.said = asyncio.Queue()
        self.receive = self.said.get

    async def send_text(self, text):
        self.sent.append(json.loads(text))

    async def close(self, code=1000, reason=""):
        self.said.put_nowait({"type": "websocket.disconnect"})

    async def open(self):
        self.serving = asyncio.create_task(self.host.serve(self.seat, self))
        await until(lambda: self.sent)
        return self

    async def leave(self):
        await self.close()
        await self.serving

    def do(self, kind, **message):
        self.host.answer(self.seat, {"type": kind, **message})

    def refused(self, answer, kind, code=None, **message):
        with pytest.raises(MessageError, match=answer) as error:
            self.do(kind, **message)
        assert code in (None, error.value.code)

    @property
    def state(self):
        return as_sent(self.host.state(self.seat))


async def until(condition):
    while not condition():
        await asyncio.sleep(0)


@asynccontextmanager
async def at_a_table(*, delay=LONG, pages=None, prepare=lambda host: None, played=0, **options):
    """The host of a table at which so many moves were made, and the pages of its people."""
    table = new_table(**options)
    play_on(table, np.random.default_rng(0), played)
    async with asyncio.timeout(60):
        with ThreadPoolExecutor(1) as pool:
            host = Host(table, pool, delay, per_second=1e9)
            prepare(host)
            yield host, *[await Page(host, seat).open() for seat in [*table.people][:pages]]
            await host.close()


def move_until(host, kind):
    """People's moves at random, until there is such a moment."""
    rng = np.random.default_rng(1)
    while kind not in host.moments:
        host.moments = []
        turn = host.table.turn
        host._act(turn, host.table.move, choose(host.table.state(turn), rng))


async def test_the_game_waits_until_everybody_has_come_once():
    async with at_a_table(people=2, players=2, pages=1) as (host, first):
        assert (first.state["started"], first.state["awaited"], first.state["actions"]) == (False, [1], [])
        first.refused("the game begins when everybody is there", "act", "waiting", move=0, action=0)
        second = await Page(host, 1).open()
        assert (first.state["started"], first.state["awaited"]) == (True, [])
        await second.leave()
        assert first.state["started"]


@pytest.mark.prove
async def test_a_full_trick_stays_and_can_be_seen_again():
    async with at_a_table(game="schwarze_katze", people=3) as (host, *pages):
        assert pages[0].state["last_pause"] is None
        with pytest.raises(MessageError, match="nothing to look at"):
            host.table.pause(0)
        move_until(host, "pause")
        for page in pages:
            state = page.state
            assert state["moment"]["kind"] == "pause"
            assert state["moment"]["told"][0]["key"].startswith("takes_the_trick")
            assert state["actions"] == []
            assert state["picture"] == host.table.pause(page.seat)["picture"]
            assert state["picture"] != host.table.state(page.seat)["picture"]
        turn = host.table.turn
        pages[turn].refused("goes on after this pause", "act", "moment", move=host.table.move, action=0)
        host.wake()
        pages[0].do("continue", move=host.table.move)
        await until(lambda: not host.moments)
        assert pages[turn].state["actions"]
        pages[0].said.put_nowait({"type": "websocket.receive", "text": '{"type": "pause"}'})
        await until(lambda: any(message["type"] == "pause" for message in pages[0].sent))
        (seen,) = (message for message in pages[0].sent if message["type"] == "pause")
        assert seen["name"] == {"key": "last_trick", "values": {}}


async def test_who_is_out_continues_only_when_nobody_else_can():
    async with at_a_table(people=2, players=2) as (host, first, second):
        move_until(host, "settlement")
        host.moments = ["settlement"]
        host.table.is_out = lambda seat: seat == 0
        assert (first.state["may_continue"], second.state["may_continue"]) == (False, True)
        first.refused("somebody who is still in", "continue", move=host.table.move)
        await second.leave()
        first.do("continue", move=host.table.move)
        assert not host.moments


async def test_the_rest_is_skipped_when_no_person_has_a_part_in_it():
    async with at_a_table(players=3) as (host, first):
        first.refused("no person has a part", "skip")
        host.table.is_out = lambda seat: True
        host.table.act = None  # no person moves any more
        host.table.seats[0].token = None
        host.table._agents[0] = host.table._agents[1]
        assert first.state["can_skip"]
        first.do("skip")
        await until(lambda: host.table.over)
        assert not host.skipping


async def test_a_running_game_is_given_up_when_all_want_to_those_with_a_lost_connection_too():
    async with at_a_table(people=2, players=2) as (host, first, second):
        move_until(host, "settlement")
        first.do("restart")
        assert second.state["wishes"] == [0]
        await second.leave()
        first.do("restart")
        assert (host.table.earlier, first.state["wishes"]) == (0, [0])
        await second.open()
        second.do("restart")
        assert host.table.earlier > 0
        assert (host.moments, second.state["wishes"]) == ([], [])


async def test_nobody_restarts_a_game_of_an_earlier_server_before_the_others_are_back():
    async with at_a_table(people=2, players=2, pages=0, played=3) as (host,):
        first = await Page(host, 0).open()
        first.do("start")
        first.do("restart")
        assert (host.table.earlier, first.state["wishes"]) == (0, [0])


async def test_an_agent_that_thinks_about_a_game_given_up_does_not_move_in_the_next():
    seed = next(seed for seed in range(20) if new_table(players=3, seed=seed).turn != 0)
    async with at_a_table(players=3, seed=seed, delay=0) as (host, _):
        started, release = asyncio.Event(), asyncio.Event()

        async def think(thought):
            started.set()
            await release.wait()
            return 10**6  # would be illegal

        host._think = think
        host.wake()
        await started.wait()
        host.table.restart()
        move = host.table.move
        host.table._agents.clear()  # whoever is on turn now waits
        host.started = False
        release.set()
        await host._playing
        assert host.table.move == move


@pytest.mark.parametrize("error", [AgentError("spent, says /home/somebody"), IllegalActionError("action 99")])
async def test_people_are_told_that_an_agent_has_failed_until_it_plays_again_and_the_log_says_why(error, caplog):
    def fail_at(host):
        thought, host.table.thought = host.table.thought, lambda: Mock(side_effect=error)
        host.repair = lambda: setattr(host.table, "thought", thought)

    seed = next(seed for seed in range(20) if new_table(players=2, seed=seed).turn)
    async with at_a_table(delay=0, prepare=fail_at, players=2, seed=seed) as (host, page):
        await until(lambda: host.failed)
        assert page.state["failed"]
        assert str(error) not in json.dumps(page.state)
        for repair in (lambda: None, host.repair):  # messages do not ask it again, another page does
            page.do("speed", speed="fast")
            assert host.failed
            repair()
            await page.leave()
            await page.open()
            await until(lambda: host.failed or host.table.turn in (0, None))
        assert not page.state["failed"]
    assert {record.levelname for record in caplog.records} == {"ERROR"}
    assert repr(error) in caplog.text
    assert "Traceback" in caplog.text

"""One table on the network: the pages of its people, its agents, and the pace of the game.

The server paces the game, so that a page needs no queue: before the game goes on after a full trick it waits a moment,
and after a settlement until somebody continues. Pages are always sent the complete, newest state of their seat, so a
slow page may miss intermediate states but never the last one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from logging import getLogger
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from blackjacky_agents.web.drawing import TABLE_IN_ENGLISH, PictureStyle
from blackjacky_agents.web.messages import Allowance, MessageError, read_message
from blackjacky_agents.web.table import Reader, Table, modified
from blackjacky_agents.wording import refusal_in_words

T = TypeVar("T")
logger = getLogger("uvicorn.error")

TAKEN_OVER, TOO_MANY, FULL = 4409, 4429, 4503
"""Close codes of WebSockets: the seat was opened elsewhere; too many messages; too many spectators."""
MAX_WATCHING = 30
"""Number of spectators of a table."""
SPEEDS = {"slow": 2.0, "normal": 1.0, "fast": 0.3}
"""Factors of all waits."""
SECRET, PAUSE = 0.3, 2.5
"""Length of the wait after a secret move and of a pause, such as after a full trick, relative to other waits."""
_REPLIES = 20  # maximum queue length for a page that does not read


class Connection:
    """The connection of one seat, with its queue of outgoing messages and its rate limit."""

    def __init__(self, per_second: float) -> None:
        self.allowance = Allowance(per_second=per_second)
        self.socket: WebSocket | None = None
        self.has_come = False
        """Whether the seat has ever been connected."""
        self.replies: deque[dict[str, Any]] = deque(maxlen=_REPLIES)
        self.changed = asyncio.Event()
        self.has_news = False
        self.style = TABLE_IN_ENGLISH
        self.thinking: dict[str, asyncio.Task[None]] = {}
        """What is being computed for this page, by message type."""

    def reply(self, message: dict[str, Any]) -> None:
        """Queue a message to this page only."""
        self.replies.append(message)
        self.changed.set()

    def tell(self) -> None:
        """Send the newest state as soon as the page can receive it."""
        self.has_news = True
        self.changed.set()


class Host:
    """One table with its connections and its agents, which run in a thread pool.

    Args:
        table: the table.
        pool: threads for the agents' decisions.
        delay: seconds before each move of an agent at normal speed; 0: nothing waits for people to look.
        per_second: message rate allowed per seat.
    """

    def __init__(self, table: Table, pool: ThreadPoolExecutor, delay: float, per_second: float) -> None:
        self.table, self.delay = table, delay
        self.speed = "normal"
        self.started = False
        """Whether the game has begun: all people have come, or one of them has started it."""
        self.skipping = False
        """Whether the rest of the game is played without waiting, because no person has a part in it any more."""
        self.moments = list(table.moments) if delay else []
        """What people should see before the game goes on, in this order: ``"pause"`` and ``"settlement"``."""
        self.failed = False
        """Whether the agent whose turn it is has failed, so that the game has stopped."""
        self._wishes: set[int] = set()  # seats that want to give up the game and begin another
        self._pool = pool
        self._connections = {seat: Connection(per_second) for seat in table.people}
        self._watchers: list[Connection] = []
        self._per_second = per_second
        self._playing: asyncio.Task[None] | None = None
        self._hurried = asyncio.Event()  # ends the current wait
        self._assistants: set[int] = set()
        self._changed = asyncio.Event()  # set, and replaced by another, with every change
        self._resumed = table.move > 0  # of a game that another server has begun, it is not known who has come
        now = time.time()
        self.last_change = now if table.path is None else min(now, modified(table.path))  # clocks are set back
        """When somebody last came, went or did something, in seconds since 1970."""

    @property
    def is_empty(self) -> bool:
        """Whether nobody is there."""
        return not self.present and not self._watchers

    @property
    def is_used(self) -> bool:
        """Whether somebody has ever been there, or the game has begun."""
        return self.table.move > 0 or any(each.has_come for each in self._connections.values())

    def tell_all(self) -> None:
        """Send the new state to all pages, and let assistants look."""
        self.last_change = time.time()
        self._changed.set()
        self._changed = asyncio.Event()
        for connection in (*self._connections.values(), *self._watchers):
            connection.tell()

    def stop(self) -> None:
        """Let the game continue no longer by itself."""
        if self._playing is not None:
            self._playing.cancel()

    async def close(self) -> None:
        """Stop the agents; the table keeps its state."""
        self.stop()
        if self._playing is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._playing

    # ---------------------------------------------------------------- the course of the game

    def wake(self) -> None:
        """Let the game continue by itself as far as it can."""
        if self._playing is None or self._playing.done():
            self._playing = asyncio.create_task(self._play_on())

    async def _play_on(self) -> None:
        while self.started:
            if self.moments == ["settlement"] and not self._only_assistants:
                return
            if self.moments:
                await self._pause()
            elif self.failed or self.table.over or self.table.turn in self.table.people:
                return
            else:
                await self._try_agent()

    async def _pause(self) -> None:
        moments = self.moments
        await self._wait(PAUSE)
        if self.moments is moments:  # otherwise somebody has gone on already
            self.moments = moments[1:]
            self.tell_all()

    async def _try_agent(self) -> None:
        """Make the agent's move; if it fails, the game stops, and everybody is told."""
        move, name = self.table.move, self.table.seats[self.table.turn or 0].name
        try:
            await self._play_agent()
        except Exception as error:  # noqa: BLE001 - an agent may be anybody's program
            if self.table.move == move:  # otherwise another game has begun in the meantime
                self._log(name, error)
                self.failed = True
                self.tell_all()

    def _log(self, name: str, error: Exception) -> None:
        logger.error(f"{name} at the table in {self.table.path or 'memory'}: {error!r}", exc_info=error)

    def try_again(self) -> None:
        """Ask an agent again that has failed."""
        self.failed = False
        self.wake()

    async def _play_agent(self) -> None:
        """Wait for people to read, and make the agent's move, unless another game has begun in the meantime."""
        move = self.table.move
        await self._wait(SECRET if self.table.was_secret else 1)
        if self.table.move != move:
            return
        action = await self._think(self.table.thought())
        if self.table.move == move:
            self.table.play(action)
            self._moved()

    def _moved(self) -> None:
        self.skipping, self.failed = self.skipping and not self.table.over, False
        self.moments = list(self.table.moments) if self._wait_for(1) else []
        self._hurried.set()
        self.tell_all()

    def _wait_for(self, length: float) -> float:
        """Seconds to wait, for a length relative to the wait before an agent's move."""
        unseen = self._only_assistants and self.is_empty
        return 0.0 if self.skipping or unseen else self.delay * SPEEDS[self.speed] * length

    async def _wait(self, length: float) -> None:
        """Wait as long as the speed demands, or until somebody hurries the game on."""
        self._hurried.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._hurried.wait(), self._wait_for(length))

    async def _think(self, thought: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, thought)

    # ---------------------------------------------------------------- who may do what

    @property
    def present(self) -> set[int]:
        """The seats of people whose pages are connected."""
        return {seat for seat, each in self._connections.items() if each.socket is not None}

    def _may_continue(self) -> set[int]:
        """Who may end a settlement: people who are still in; if none of them is there, anybody who is."""
        return {seat for seat in self.present if not self.table.is_out(seat)} or self.present

    def _can_skip(self) -> bool:
        """Whether no person has a part in the rest of the game."""
        return not self.table.over and all(map(self.table.is_out, self.table.people))

    def state(self, seat: Reader, style: PictureStyle = TABLE_IN_ENGLISH) -> dict[str, Any]:
        """The state sent to a page: that of the table, what people are looking at, and the pace."""
        state = {**self.table.state(seat, style), "moment": None, **self._pace(seat)}
        if not self.started:
            state["actions"] = []
        return state | self._moment(seat, style) if self.moments else state

    def _moment(self, seat: Reader, style: PictureStyle) -> dict[str, Any]:
        """What differs in the state while people are looking at something; a settlement keeps the picture before it."""
        kind, told = self.moments[0], []
        shown: dict[str, Any] = {"actions": []}
        if "pause" in self.table.moments:
            seen = self.table.pause(seat, style)
            shown |= {"picture": seen["picture"], "table": seen["table"]}
            told = seen["told"]
        if kind == "settlement":
            shown |= {"scores": self.table.scores(seat), **self.table.settled(seat, style)}
        return {**shown, "moment": {"kind": kind, "told": told}}

    def _pace(self, seat: Reader) -> dict[str, Any]:
        seats = range(len(self.table.seats))
        return {
            "connected": [q not in self._connections or q in self.present | self._assistants for q in seats],
            "awaited": [] if self.started else [q for q, each in self._connections.items() if not each.has_come],
            "started": self.started,
            "speed": self.speed,
            "may_continue": seat in self._may_continue(),
            "can_skip": seat is not None and self._can_skip() and not self.skipping,
            "watching": len(self._watchers),
            "watch": None if seat is None else self.table.watch,
            "wishes": sorted(self._wishes),
            "failed": self.failed,
        }

    # ---------------------------------------------------------------- one page

    async def serve(self, seat: int, socket: WebSocket, style: PictureStyle = TABLE_IN_ENGLISH) -> None:
        """Serve the page of a seat until it disconnects or a newer page takes its place."""
        connection, before = self._connections[seat], self._connections[seat].socket
        connection.socket, connection.has_come, connection.style = socket, True, style
        connection.replies.clear()
        self._arrived()
        try:
            await self._attend(connection, seat, socket, before)
        finally:
            if connection.socket is socket:
                connection.socket = None
                self.tell_all()

    async def watch(self, socket: WebSocket, style: PictureStyle = TABLE_IN_ENGLISH) -> None:
        """Serve the page of a spectator until it disconnects."""
        if len(self._watchers) >= MAX_WATCHING:
            return await close(socket, FULL, "as many watch as can")
        connection = Connection(self._per_second)
        connection.socket, connection.style = socket, style
        self._watchers.append(connection)
        self.tell_all()
        try:
            await self._attend(connection, None, socket)
        finally:
            self._watchers.remove(connection)
            self.tell_all()

    async def _attend(
        self, connection: Connection, seat: Reader, socket: WebSocket, before: WebSocket | None = None
    ) -> None:
        sender = asyncio.create_task(self._send(connection, seat, socket))
        try:
            if before is not None:
                await close(before, TAKEN_OVER, "this seat was opened elsewhere")
            await self._listen(connection, seat, socket)
        finally:
            sender.cancel()

    def _arrived(self) -> None:
        self.started = self.started or all(each.has_come for each in self._connections.values())
        self.try_again()
        self.tell_all()

    async def _send(self, connection: Connection, seat: Reader, socket: WebSocket) -> None:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the page has disconnected
            while connection.socket is socket:
                connection.changed.clear()
                while connection.replies and connection.socket is socket:
                    await socket.send_text(_json(connection.replies.popleft()))
                if connection.has_news and connection.socket is socket:
                    connection.has_news = False
                    await socket.send_text(_json(self.state(seat, connection.style)))
                await connection.changed.wait()

    async def _listen(self, connection: Connection, seat: Reader, socket: WebSocket) -> None:
        while connection.socket is socket:
            received = await socket.receive()
            if received["type"] == "websocket.disconnect" or connection.socket is not socket:
                return
            if not connection.allowance.take():
                await close(socket, TOO_MANY, "too many messages")
                return
            try:
                message = read_message(received.get("text"))
                if message["type"] == "pause":
                    connection.reply({"type": "pause", **self.table.pause(seat, connection.style)})
                elif seat is None:
                    raise MessageError("watching", "whoever watches cannot take part; open the address of a seat")
                else:
                    self.answer(seat, message)
            except MessageError as error:
                self._refuse(connection, error)

    def _refuse(self, connection: Connection, error: MessageError) -> None:
        texts = self.table.texts.get(connection.style.language, self.table.texts["en"])
        words = str(error) if error.reason is None else refusal_in_words(error.reason, texts)
        connection.reply({"type": "error", "code": error.code, "text": words})

    # ---------------------------------------------------------------- seats without a page

    def seat_assistant(self, seat: int) -> None:
        """Let an assistant play a seat, by `answer`; it counts as somebody who has come, and for whom nothing waits."""
        self.last_change = time.time()
        if seat not in self._assistants:
            self._assistants.add(seat)
            self._connections[seat].has_come = True
            self._arrived()

    @property
    def _only_assistants(self) -> bool:
        """Whether no seat belongs to somebody who reads a page."""
        return self._assistants >= self.table.people.keys()

    @property
    def free(self) -> list[int]:
        """The seats of people in which nobody has been yet."""
        return [seat for seat, each in self._connections.items() if not each.has_come]

    async def when_up(self, seat: int, seconds: float) -> None:
        """Wait until it is the seat's turn, the game is over or an agent has failed, at most so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.failed and (not self.started or self.moments or self.table.turn not in (seat, None)):
                    await self._changed.wait()

    # ---------------------------------------------------------------- its messages

    def answer(self, seat: int, message: dict[str, Any]) -> None:
        """Do what a message, as from `read_message`, asks for; `MessageError` if that is refused."""
        match message:
            case {"type": "hint", "move": move}:
                self._reply_later(seat, message, "action", self.table.hint(seat, move))
                return
            case {"type": "outlook", "move": move, "action": action}:
                self._reply_later(seat, message, "actions", self.table.outlook(seat, move, action))
                return
            case {"type": "act", "move": move, "action": action}:
                self._act(seat, move, action)
            case {"type": "continue", "move": move}:
                self._continue(seat, move)
            case {"type": "restart"}:
                self._wish_to_restart(seat)
            case {"type": "speed", "speed": speed} if speed in SPEEDS:
                self.speed = speed
                self._hurried.set()
            case {"type": "speed"}:
                raise MessageError("speed", f"a speed is {', '.join(SPEEDS)}")
            case {"type": "start"}:
                self.started = True
            case {"type": "skip"}:
                self._skip()
            case {"type": "again"}:
                self.table.again()
                self._wishes.clear()
                self._moved()
            case {"type": "name", "name": name}:
                self.table.rename(seat, name)
        self.tell_all()
        self.wake()

    def _act(self, seat: int, move: int, action: int) -> None:
        if not self.started:
            raise MessageError("waiting", "the game begins when everybody is there, or with 'start'")
        if self.moments:
            raise MessageError("moment", "the game goes on after this pause; 'continue' ends it")
        self.table.act(seat, move, action)
        self._wishes.discard(seat)
        self._moved()

    def _continue(self, seat: int, move: int) -> None:
        if move != self.table.move or not self.moments:
            raise MessageError("stale", "the game has gone on already")
        if seat not in self._may_continue():
            raise MessageError("moment", "the game goes on when somebody who is still in continues")
        self.moments = self.moments[1:]
        self._hurried.set()

    def _skip(self) -> None:
        if not self._can_skip():
            raise MessageError("skip", "the rest can be skipped when no person has a part in it any more")
        self.skipping, self.moments = True, []
        self._hurried.set()

    def _wish_to_restart(self, seat: int) -> None:
        """Give up the game and begin another as soon as everybody who plays wants to, also who is not connected now."""
        if self.table.over:
            raise MessageError("over", "the game is over; the next one begins with 'again'")
        self._wishes.add(seat)
        playing = {q for q, each in self._connections.items() if each.has_come or self._resumed} - self._assistants
        if playing | self.present <= self._wishes:
            self._wishes.clear()
            self.skipping = False
            self.table.restart()
            self._moved()

    def _reply_later(self, seat: int, message: dict[str, Any], name: str, thought: Callable[[], Any]) -> None:
        """Repeat a message with what the function returns as the field ``name``, computed in the background.

        Raises `MessageError` if the last message of this type is not answered yet.
        """
        connection, kind = self._connections[seat], message["type"]
        if kind in connection.thinking and not connection.thinking[kind].done():
            raise MessageError("busy", "the previous hint is not ready yet")

        async def send() -> None:
            try:
                connection.reply({**message, name: await self._think(thought)})
            except MessageError as error:
                self._refuse(connection, error)
            except Exception as error:  # noqa: BLE001 - an agent may be anybody's program
                self._log(message.get("agent", kind), error)
                self._refuse(connection, MessageError("failed", "the hint has failed; the log of the server says why"))

        connection.thinking[kind] = asyncio.create_task(send())


def _json(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))


async def close(socket: WebSocket, code: int, reason: str) -> None:
    """Close a WebSocket, which may be disconnected already."""
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.close(code, reason)

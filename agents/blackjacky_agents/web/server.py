"""The web server: one page and one WebSocket for each person's seat.

The URL of a seat contains its token, the only credential. Pages are always sent the complete, newest state of their
seat, so a slow page may miss intermediate states but never the last one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
import warnings
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from blackjacky_agents.web.messages import Allowance, MessageError, read_message
from blackjacky_agents.web.table import Table, resumed

PAGE = Path(__file__).parent / "page"
UNKNOWN, TAKEN_OVER, TOO_MANY = 4404, 4409, 4429
"""Close codes of WebSockets: no such seat; the seat was opened elsewhere; too many messages."""
ENDED_TABLES_STAY = 24 * 3600.0  # seconds, for downloading the record or starting another game
_REPLIES = 20  # maximum queue length for a page that does not read
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NO_SEAT = "There is no such seat. Ask whoever started the table for your address.\n"


class Line:
    """The connection of one seat, with its queue of outgoing messages and its rate limit."""

    def __init__(self, per_second: float) -> None:
        self.allowance = Allowance(per_second=per_second)
        self.socket: WebSocket | None = None
        self.replies: deque[dict[str, Any]] = deque(maxlen=_REPLIES)
        self.changed = asyncio.Event()
        self.has_news = False
        self.hint: asyncio.Task[None] | None = None

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
        delay: seconds before each move of an agent, so that people can follow.
        per_second: message rate allowed per seat.
    """

    def __init__(self, table: Table, pool: ThreadPoolExecutor, delay: float, per_second: float) -> None:
        self.table, self.delay = table, delay
        self._pool = pool
        self._lines = {seat: Line(per_second) for seat in table.people}
        self._agents: asyncio.Task[None] | None = None

    def connected(self) -> list[bool]:
        """Whether each seat has a connected page or belongs to an agent."""
        return [q not in self._lines or self._lines[q].socket is not None for q in range(len(self.table.seats))]

    def tell_all(self) -> None:
        """Send the new state to all pages."""
        for line in self._lines.values():
            line.tell()

    def wake(self) -> None:
        """Start the agents' moves if it is an agent's turn."""
        if self._agents is None or self._agents.done():
            self._agents = asyncio.create_task(self._play_agents())

    async def close(self) -> None:
        """Stop the agents; the table keeps its state."""
        if self._agents is not None:
            self._agents.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._agents

    async def _play_agents(self) -> None:
        table = self.table
        while not table.over and table.turn not in table.people:
            await asyncio.sleep(self.delay)
            table.play_agent(await self._think(table.thought()))
            self.tell_all()

    async def _think(self, thought: Callable[[], int]) -> int:
        return await asyncio.get_running_loop().run_in_executor(self._pool, thought)

    # ---------------------------------------------------------------- one page

    async def serve(self, seat: int, socket: WebSocket) -> None:
        """Serve the page of a seat until it disconnects or a newer page takes its place."""
        line, before = self._lines[seat], self._lines[seat].socket
        line.socket = socket
        line.replies.clear()
        self.tell_all()
        sender = asyncio.create_task(self._send(seat, socket))
        try:
            if before is not None:
                await _close(before, TAKEN_OVER, "this seat was opened elsewhere")
            await self._listen(seat, socket)
        finally:
            sender.cancel()
            if line.socket is socket:
                line.socket = None
                self.tell_all()

    async def _send(self, seat: int, socket: WebSocket) -> None:
        line = self._lines[seat]
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the page has disconnected
            while line.socket is socket:
                line.changed.clear()
                while line.replies and line.socket is socket:
                    await socket.send_text(_json(line.replies.popleft()))
                if line.has_news and line.socket is socket:
                    line.has_news = False
                    await socket.send_text(_json({**self.table.state(seat), "connected": self.connected()}))
                await line.changed.wait()

    async def _listen(self, seat: int, socket: WebSocket) -> None:
        line = self._lines[seat]
        while line.socket is socket:
            received = await socket.receive()
            if received["type"] == "websocket.disconnect" or line.socket is not socket:
                return
            if not line.allowance.take():
                await _close(socket, TOO_MANY, "too many messages")
                return
            try:
                await self._answer(seat, read_message(received.get("text")))
            except MessageError as error:
                line.reply({"type": "error", "code": error.code, "text": str(error)})

    async def _answer(self, seat: int, message: dict[str, Any]) -> None:
        match message:
            case {"type": "act", "move": move, "action": action}:
                self.table.act(seat, move, action)
            case {"type": "hint", "move": move, "agent": agent}:
                self._hint(seat, move, agent)
                return
            case {"type": "again"}:
                self.table.again()
            case {"type": "name", "name": name}:
                self.table.rename(seat, name)
        self.tell_all()
        self.wake()

    def _hint(self, seat: int, move: int, agent: str) -> None:
        """Compute a hint in the background, at most one per seat at a time."""
        line = self._lines[seat]
        if line.hint is not None and not line.hint.done():
            raise MessageError("busy", "the previous hint is not ready yet")
        thought = self.table.hint(seat, move, agent)

        async def send() -> None:
            line.reply({"type": "hint", "move": move, "agent": agent, "action": await self._think(thought)})

        line.hint = asyncio.create_task(send())


def _json(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # already disconnected
        await socket.close(code, reason)


# ---------------------------------------------------------------- all tables


class Server:
    """All tables of one process, and the ASGI application that serves them (`app`).

    Args:
        folder: folder in which tables are saved and from which they are restored; None: tables are not saved.
        delay: seconds before each move of an agent.
        hosts: accepted host names; None: any.
        per_second: sustained message rate allowed per seat.
        threads: number of threads for the agents.
    """

    def __init__(
        self,
        folder: Path | None = None,
        delay: float = 0.8,
        hosts: list[str] | None = None,
        per_second: float = 15,
        threads: int = 2,
    ) -> None:
        self.folder, self.delay, self.per_second = folder, delay, per_second
        self._pool = ThreadPoolExecutor(threads, "agent")
        self._hosts: list[Host] = []
        self._seats: dict[str, tuple[Host, int]] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._resume(folder)
        middleware = [Middleware(Guarded)]
        if hosts is not None:
            middleware.insert(0, Middleware(TrustedHostMiddleware, allowed_hosts=hosts))
        self.app = Starlette(routes=self._routes(), middleware=middleware, lifespan=self._lifespan)

    def add(self, table: Table) -> None:
        """Serve a table and start saving it."""
        if self.folder is not None and table.path is None:
            table.path = self.folder / f"{secrets.token_hex(8)}.jsonl"
            table.save()
        host = Host(table, self._pool, self.delay, self.per_second)
        self._hosts.append(host)
        for seat, token in table.people.items():
            self._seats[token] = (host, seat)

    def tables(self) -> list[Table]:
        """All tables, those restored from the folder first."""
        return [host.table for host in self._hosts]

    def _resume(self, folder: Path) -> None:
        for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime):
            age = time.time() - path.stat().st_mtime
            try:
                table = resumed(path)
            except ValueError as error:
                warnings.warn(f"{error}. Delete it, or leave it to a server that can read it.", stacklevel=2)
                continue
            if not table.over or age < ENDED_TABLES_STAY:
                self.add(table)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        for host in self._hosts:
            host.wake()
        yield
        for host in self._hosts:
            await host.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _routes(self) -> list[Route | Mount | WebSocketRoute]:
        return [
            Route("/seat/{token}", self._page),
            Route("/seat/{token}/record", self._record),
            Route("/seat/{token}/texts.json", self._texts),
            WebSocketRoute("/seat/{token}/socket", self._socket),
            Mount("/page", StaticFiles(directory=PAGE)),
        ]

    async def _page(self, request: Request) -> Response:
        if request.path_params["token"] not in self._seats:
            return PlainTextResponse(_NO_SEAT, 404)
        return FileResponse(PAGE / "index.html")

    async def _texts(self, request: Request) -> Response:
        """The texts of the seat's game by language."""
        found = self._seats.get(request.path_params["token"])
        return PlainTextResponse(_NO_SEAT, 404) if found is None else JSONResponse(found[0].table.texts)

    async def _record(self, request: Request) -> Response:
        found = self._seats.get(request.path_params["token"])
        if found is None:
            return PlainTextResponse(_NO_SEAT, 404)
        table = found[0].table
        try:
            record = table.record()
        except MessageError as error:
            return PlainTextResponse(f"{error}\n", 409)
        headers = {"Content-Disposition": f'attachment; filename="{table.env.game.name}.json"'}
        return JSONResponse(record, headers=headers)

    async def _socket(self, socket: WebSocket) -> None:
        origin = socket.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != socket.headers.get("host"):
            await socket.close()  # rejected with 403: a page of another site
            return
        await socket.accept()
        found = self._seats.get(socket.path_params["token"])
        if found is None:
            await _close(socket, UNKNOWN, "there is no such seat")
            return
        host, seat = found
        host.wake()
        with contextlib.suppress(WebSocketDisconnect):
            await host.serve(seat, socket)


class Guarded:
    """ASGI middleware that adds `HEADERS` to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application and add the headers to its response."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_guarded if scope["type"] == "http" else send)

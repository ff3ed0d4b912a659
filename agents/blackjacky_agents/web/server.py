"""The web server: one page and one WebSocket for each person's seat, and the lobby.

The URL of a seat contains its token, the only credential. So does the URL of the lobby, in which tables are opened.
Where a request comes from gives no rights: a reverse proxy can make everybody look like a browser on this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import secrets
import warnings
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from blackjacky_agents.agent import AgentError
from blackjacky_agents.aside import aside
from blackjacky_agents.web.drawing import read_style
from blackjacky_agents.web.host import Host
from blackjacky_agents.web.lobby import (
    AWAY,
    MAX_ORDER,
    MAX_TABLES,
    TableOrder,
    describe_games,
    has_room,
    listed,
    lobby_tokens,
    picture_of,
    read_order,
    replaceable,
)
from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.origin import Guarded, is_from_here
from blackjacky_agents.web.replay import Replays
from blackjacky_agents.web.table import Reader, Table, compile_hints, modified, resumed
from blackjacky_agents.wording import pictured_cards
from blackjacky_env.compiled import PLAIN
from blackjacky_env.games import usable_games

T = TypeVar("T")

PAGE = Path(__file__).parent / "page"
MAX_WAITING = 8
"""Number of new tables, and of replays, that are being made or waiting; more are refused."""
PICTURE_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
REPLAY_HEADERS = {
    "Content-Security-Policy": "sandbox allow-scripts; frame-ancestors 'self'",  # besides the policy in the page itself
    "Cross-Origin-Opener-Policy": "unsafe-none",  # browsers refuse another one in a sandbox
}
_THREADS = 2  # for the agents
_BUSY = "the server is busy; try again in a minute"
_NO_LOBBY = "The address of the lobby was printed where the server was started.\n"
_NO_SEAT = "There is no such seat. Ask whoever started the table for your address."
_STATUS = {"seat": 404, "full": 409, "over": 409, "busy": 503, "saving": 507}
"""Status of the answer to a refused request, by the code of the error; 400 for others."""


class Server:
    """All tables of one process, and the ASGI application that serves them (`app`).

    Args:
        folder: folder in which tables are saved and from which they are restored; None: tables are not saved.
        delay: seconds before each move of an agent at normal speed.
        names: host names at which the server is reached, besides those that `Guarded` accepts by itself.
        per_second: sustained message rate allowed per seat.
    """

    def __init__(
        self,
        folder: Path | None = None,
        delay: float = 0.8,
        names: Iterable[str] = (),
        per_second: float = 15,
    ) -> None:
        self.folder, self.delay, self.per_second = folder, delay, per_second
        self.lobby, self.owner = lobby_tokens(folder)
        """The tokens in the lobby's URL: for everybody, and for whoever starts the server, who is shown all seats."""
        self.address: str | None = None
        """URL of this server for other machines; None: only this machine can reach it."""
        self.hosts: list[Host] = []
        """All tables with their connections, those restored from the folder first."""
        self._pool = ThreadPoolExecutor(_THREADS, "agent")
        self._opening = ThreadPoolExecutor(1, "opening")  # new tables, which may take seconds
        self._waiting = 0  # for that thread
        self._replays, self._watched = Replays(), 0  # pages that are being made
        self._contexts: list[Callable[[], AbstractAsyncContextManager[None]]] = []
        self._seats: dict[str, tuple[Host, Reader]] = {}  # by token, those of spectators too
        if folder is not None:
            self._resume(folder)
        self.app = Starlette(
            routes=self._routes(),
            middleware=[Middleware(Guarded, names=names)],
            exception_handlers={MessageError: _refusal},
            lifespan=self.running,
        )

    def add(self, table: Table) -> None:
        """Serve a table and start saving it, in place of one that is kept no longer if there are too many.

        Raises `ValueError` if a token of it gives a seat at another table already.
        """
        if self.folder is not None and table.path is None:
            table.path = self.folder / f"{secrets.token_hex(8)}.jsonl"
            table.save()
        for host in replaceable(self.hosts)[: max(len(self.hosts) + 1 - MAX_TABLES, 0)]:
            self._forget(host)
        self._serve(table)

    def _serve(self, table: Table) -> None:
        if not self._seats.keys().isdisjoint([*table.people.values(), table.watch]):
            raise ValueError(f"{table.path or 'the table'} has a token of another table, such as that of a copy")
        host = Host(table, self._pool, self.delay, self.per_second)
        self.hosts.append(host)
        for seat, token in table.people.items():
            self._seats[token] = (host, seat)
        self._seats[table.watch] = (host, None)

    def _forget(self, host: Host) -> None:
        """Keep a table no longer, nor its file."""
        self.hosts.remove(host)
        for token in (*host.table.people.values(), host.table.watch):
            del self._seats[token]
        host.stop()
        host.table.discard()

    def attach(self, route: Route, context: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        """Serve another route, within a context while the server runs."""
        self.app.router.routes.append(route)
        self._contexts.append(context)

    def find_seat(self, token: str) -> tuple[Host, Reader]:
        """The table and the seat (None: a spectator's) of a token; `MessageError` (``seat``) if it has none."""
        if token not in self._seats:
            raise MessageError("seat", _NO_SEAT)
        return self._seats[token]

    def tables(self) -> list[Table]:
        """All tables, those restored from the folder first."""
        return [host.table for host in self.hosts]

    def _resume(self, folder: Path) -> None:
        found = sorted(folder.glob("*.jsonl"), key=modified, reverse=True)  # of copies, the newest is served
        if len(found) > MAX_TABLES:
            left = f"{folder} has {len(found)} files of tables; only the newest {MAX_TABLES} are read"
            warnings.warn(f"{left}. Move or delete the others.", stacklevel=2)
        for path in found[:MAX_TABLES]:
            try:
                self._serve(resumed(path))
            except ValueError as error:
                warnings.warn(f"{error}. Delete it, or leave it to a server that can read it.", stacklevel=2)
        self.hosts.reverse()

    @contextlib.asynccontextmanager
    async def running(self, *_: object) -> AsyncIterator[None]:
        """Context in which tables are served; once only."""
        ahead = asyncio.create_task(self._compile_ahead())
        try:
            async with contextlib.AsyncExitStack() as entered:
                for context in self._contexts:
                    await entered.enter_async_context(context())
                yield
        finally:
            ahead.cancel()
            await self._close()

    async def _compile_ahead(self) -> None:
        """Have compiled aside what hints need, of the games that are played first."""
        if PLAIN:
            for game in dict.fromkeys([*(table.env.game.name for table in self.tables()), *usable_games()]):
                with contextlib.suppress(AgentError):  # the server is stopped
                    await asyncio.to_thread(aside, compile_hints, game)

    async def _close(self) -> None:
        """Stop everything that runs beside the requests."""
        aside.close()
        await asyncio.gather(*(host.close() for host in self.hosts))
        for pool in (self._pool, self._opening):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _make(self, order: TableOrder) -> Table:
        """In a thread of its own, one after the other, since it may take seconds; `MessageError` if many wait."""
        if self._waiting >= MAX_WAITING:
            raise MessageError("busy", _BUSY)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._opening, order.table)
        finally:
            self._waiting -= 1

    async def _watch(self, parts: AsyncIterator[str]) -> AsyncIterator[str]:
        self._watched += 1
        try:
            async for part in parts:
                yield part
        finally:
            self._watched -= 1

    def _routes(self) -> list[Route | Mount | WebSocketRoute]:
        return [
            Route("/", self._home),
            Route("/lobby/{token}", self._lobby_page),
            Route("/lobby/{token}/code.svg", self._lobby_code),
            Route("/lobby/{token}/tables", self._list_tables, methods=["GET"]),
            Route("/lobby/{token}/tables", self._open_table, methods=["POST"]),
            Route("/lobby/{token}/pictures/{game}.svg", self._picture),
            *(route for place in ("seat", "watch") for route in self._table_routes(f"/{place}/{{token}}")),
            Mount("/page", StaticFiles(directory=PAGE)),
        ]

    def _table_routes(self, place: str) -> list[Route | WebSocketRoute]:
        return [
            Route(place, self._page),
            Route(f"{place}/code.svg", self._seat_code),
            Route(f"{place}/record", self._record),
            Route(f"{place}/replay", self._replay),
            Route(f"{place}/texts.json", self._texts),
            WebSocketRoute(f"{place}/socket", self._socket),
        ]

    # ---------------------------------------------------------------- the lobby

    async def _home(self, _: Request) -> Response:
        return PlainTextResponse(_NO_LOBBY, 404)

    def check_lobby(self, request: Request) -> None:
        """Raise `HTTPException` unless the path of the request has a token of the lobby."""
        if not self._is_token(request, self.lobby) and not self._is_token(request, self.owner):
            raise HTTPException(404, _NO_LOBBY)

    @staticmethod
    def _is_token(request: Request, token: str) -> bool:
        return secrets.compare_digest(request.path_params["token"].encode(), token.encode())

    async def _lobby_page(self, request: Request) -> Response:
        self.check_lobby(request)
        return FileResponse(PAGE / "lobby.html")

    async def _list_tables(self, request: Request) -> Response:
        """Games and tables; the addresses of seats only for whoever has started the server."""
        self.check_lobby(request)
        is_owner = self._is_token(request, self.owner)
        tables = [listed(table, self._addresses(table) if is_owner else {}) for table in self.tables()]
        return JSONResponse({"games": describe_games(), "tables": tables, "address": self.lobby_address})

    @property
    def lobby_address(self) -> str | None:
        """URL of the lobby for other machines; None: only this machine can reach it."""
        return None if self.address is None else f"{self.address}/lobby/{self.lobby}"

    def _addresses(self, table: Table) -> dict[Reader, str]:
        """URLs of the table's pages, as good for others as can be."""
        return {reader: f"{self.address or ''}{table.page_of(reader)}" for reader in table.readers}

    async def _open_table(self, request: Request) -> Response:
        self.check_lobby(request)
        if not is_from_here(request):
            raise HTTPException(403, "Tables are opened from the lobby.\n")
        table = (await self.open(read_order(await _body(request)))).table
        return JSONResponse(listed(table, self._addresses(table)), 201)

    async def open(self, order: TableOrder) -> Host:
        """Open a table.

        Raises `MessageError` if there are too many (``full``, ``busy``), it cannot be saved (``saving``) or the order
        is impossible.
        """
        if not has_room(self.hosts, self._waiting + 1):
            raise MessageError(
                "full", f"people play at {MAX_TABLES} tables; try again {AWAY / 60:.0f} minutes after one is left"
            )
        table = await self._make(order)
        try:
            self.add(table)
        except OSError as error:
            raise MessageError("saving", f"the table could not be saved: {error.strerror}") from None
        return self._seats[table.watch][0]

    async def _picture(self, request: Request) -> Response:
        self.check_lobby(request)
        game = request.path_params["game"]
        path = picture_of(game) if game in usable_games() else None
        if path is None:
            raise HTTPException(404, _NO_LOBBY)
        return FileResponse(path, headers=PICTURE_HEADERS)

    # ---------------------------------------------------------------- codes to photograph

    async def _lobby_code(self, request: Request) -> Response:
        self.check_lobby(request)
        if self.lobby_address is None:
            raise HTTPException(404, _NO_LOBBY)
        return _code(self.lobby_address)

    async def _seat_code(self, request: Request) -> Response:
        self._table_of(request)
        if self.address is None:
            raise MessageError("seat", _NO_SEAT)
        return _code(f"{self.address}{request.url.path.removesuffix('/code.svg')}")

    # ---------------------------------------------------------------- a seat

    def _table_of(self, request: Request) -> Table:
        return self.find_seat(request.path_params["token"])[0].table

    async def _page(self, request: Request) -> Response:
        self._table_of(request)
        return FileResponse(PAGE / "index.html")

    async def _texts(self, request: Request) -> Response:
        table = self._table_of(request)
        return JSONResponse({**table.texts, "pictures": pictured_cards(table.env.game.name)})

    async def _record(self, request: Request) -> Response:
        table = self._table_of(request)
        headers = {"Content-Disposition": f'attachment; filename="{table.env.game.name}.json"'}
        return JSONResponse(table.record(), headers=headers)

    async def _replay(self, request: Request) -> Response:
        record, language = self._table_of(request).record(), request.query_params.get("language", "en")
        if self._watched >= MAX_WAITING:
            raise MessageError("busy", _BUSY)
        page = self._watch(self._replays.page(record, language))
        return StreamingResponse(page, headers=REPLAY_HEADERS, media_type="text/html")

    async def _socket(self, socket: WebSocket) -> None:
        if not is_from_here(socket):
            await socket.close()  # refused with 403: a page of another site
            return
        found = self._seats.get(socket.path_params["token"])
        if found is None:
            await socket.send_denial_response(PlainTextResponse(f"{_NO_SEAT}\n", 404))
            return
        await socket.accept()
        host, seat = found
        with contextlib.suppress(WebSocketDisconnect):
            style = read_style(socket.query_params)
            await (host.watch(socket, style) if seat is None else host.serve(seat, socket, style))


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_ORDER:
            raise MessageError("order", f"an order has at most {MAX_ORDER} bytes")
    return body


def _refusal(_: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", _STATUS.get(getattr(error, "code", ""), 400))


def _code(address: str) -> Response:
    import segno

    image = io.BytesIO()
    segno.make(address, micro=False).save(image, kind="svg", scale=4, border=4, light="#fff")
    return Response(image.getvalue(), media_type="image/svg+xml")

"""The protocols of the connections to a server: uvicorn's, with limited time and with little that can wait.

uvicorn limits neither the time that a request may take to arrive nor what waits for a client that does not read.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.protocol import OPEN

from blackjacky_agents.web.host import TOO_MANY
from blackjacky_agents.web.limits import ACCEPTED_AT_ONCE, Gate, Limits
from blackjacky_agents.web.messages import MAX_MESSAGE, Allowance

_SLICE = 4096  # bytes received that are parsed at a time


class Config(uvicorn.Config):
    """uvicorn's configuration with the limits and the protocols that keep them."""

    def __init__(self, app: Any, limits: Limits, **options: Any) -> None:
        super().__init__(
            app,
            loop="asyncio",
            http=HttpConnection,
            ws=WebSocketConnection,
            ws_max_size=MAX_MESSAGE,
            ws_per_message_deflate=False,
            ws_ping_interval=limits.ping_interval,
            ws_ping_timeout=limits.ping_timeout,
            timeout_keep_alive=limits.keep_alive,
            h11_max_incomplete_event_size=limits.header_size,
            backlog=ACCEPTED_AT_ONCE,
            **options,
        )
        self.limits = limits
        self.gate = Gate(limits, ProxyHeadersMiddleware(app, self.forwarded_allow_ips).trusted_hosts.__contains__)


class HttpConnection(H11Protocol):
    """uvicorn's HTTP connection, whose requests and responses have limited time."""

    config: Config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection."""
        super().connection_made(transport)
        self.config.gate.enter(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.config.gate.leave(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle what has been received, little by little: h11 limits the size only of headers that are incomplete."""
        for begin in range(0, len(data), _SLICE):
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            super().data_received(data[begin : begin + _SLICE])

    def handle_events(self) -> None:
        """Handle what has been received."""
        super().handle_events()
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE):  # the request is here
            self.config.gate.expect(self.transport, self.config.limits.response_time, answered=True)
            if len(self.conn.trailing_data[0]) > self.config.limits.header_size:
                self.transport.abort()

    def on_response_complete(self) -> None:
        """Give the next request its time, or what is unread of this response."""
        unread, limits = self.transport.get_write_buffer_size() > 0, self.config.limits
        seconds = limits.response_time if unread else limits.request_time
        self.config.gate.expect(self.transport, seconds, answered=unread)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP; uvicorn would log a traceback if this comes while a request is being answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()


class WebSocketConnection(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, of which only a limited amount can wait.

    It reads nothing while its client does not read, and is closed if it sends more messages than the server can handle,
    or too many frames that are not messages, such as pings.
    """

    config: Config

    def __init__(self, config: Config, *args: Any, **options: Any) -> None:
        super().__init__(config, *args, **options)
        self.frames_left = Allowance(config.limits.frames_at_once, config.limits.frames_per_second)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.config.gate.leave(self.transport)
        super().connection_lost(exc)

    async def send(self, message: Any) -> None:
        """Send a message of the application; once it has accepted, the connection has a seat."""
        if message["type"] == "websocket.close" and not self.writable.is_set():
            self.transport.abort()  # nobody waits for a client that does not read
            return
        await super().send(message)
        if self.close_sent:
            self.handshake_complete = True  # also if it was refused with a status, which uvicorn would call an error
            self.config.gate.expect(self.transport, self.config.limits.close_time, answered=True)
        elif self.handshake_complete:
            self.config.gate.seat(self.transport)

    async def receive(self) -> Any:
        """The next message for the application."""
        message = await super().receive()
        self._balance()
        return message

    def pause_writing(self) -> None:
        """Wait until the client reads."""
        super().pause_writing()
        self._balance()

    def resume_writing(self) -> None:
        """Go on when the client has read."""
        super().resume_writing()
        self._balance()

    def _balance(self) -> None:
        """Read only while nothing waits to be read by the other side or to be handled."""
        if self.read_paused or not self.writable.is_set():
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Handle what has been received, little by little, so that too much is noticed early."""
        for begin in range(0, len(data), _SLICE):
            if self.transport.is_closing():
                return
            super().data_received(data[begin : begin + _SLICE])
            if self.queue.qsize() > self.config.limits.waiting:
                self._fail(TOO_MANY, "too many messages")
        self._balance()

    def _count(self) -> bool:
        """Count a frame that is not a message; returns whether the connection goes on."""
        if not self.close_sent and not self.frames_left.take():
            self._fail(TOO_MANY, "too many frames")
        return not self.close_sent

    def handle_ping(self) -> None:
        """Count and answer a ping."""
        if self._count():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Count and handle a pong."""
        if self._count():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Count and handle a part of a message."""
        if self._count():
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Hand a message to the application; uvicorn would log a traceback if it is not UTF-8."""
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self._fail(CloseCode.INVALID_DATA, "a text that is not UTF-8")
        super().send_receive_event_to_app()

    def _fail(self, code: int, reason: str) -> None:
        if self.close_sent:
            return
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self.conn.state is OPEN:
            self.conn.fail(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True

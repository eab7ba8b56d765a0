"""A connection of the web server: what a client must send and read in which time, and how many there may be.

uvicorn waits for a request without end, and does not answer a WebSocket handshake that its parser refuses.
``tests/server/http/test_slow_clients.py`` checks both.
"""

import asyncio
from http import HTTPStatus
from typing import Any, Final, cast

import h11
import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import HeaderLineTooLong, TooManyHeaders

from server.errors import HttpRefusal, error_body
from server.http.access import HEADERS
from server.process import observe

PATIENCE_S: Final = 10.0
"""Seconds for the whole head of a request, and for each ``MIN_BYTES`` bytes of a body or of an answer."""
MIN_BYTES: Final = 4096
OTHERS: Final = 1000
"""Connections that are open at once, not counting those of spectators."""


class BoundedProtocol(H11Protocol):
    """A connection that is closed if its client neither sends a request nor reads the answer."""

    def __init__(self, *args: Any, most: int, patience_s: float = PATIENCE_S, **kwargs: Any) -> None:
        """``most``: connections at once; one more is answered with 503."""
        super().__init__(*args, **kwargs)
        self._most, self._patience_s = most, patience_s
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._received = self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request."""
        super().connection_made(transport)
        if len(self.connections) > self._most:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "this server has as many connections as it takes")
        else:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the timers."""
        self._expect_nothing()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read, and expect the rest."""
        if self.transport.is_closing():
            return
        self._received += len(data)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Expect the rest of a further request that has begun."""
        super().on_response_complete()
        self._look()

    def _look(self) -> None:
        """Expect what is missing of a request, if anything is."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._expect_nothing()
        elif self._has_half_a_request():
            if self._reading is None:
                self._expect()
        else:
            self._expect_nothing()

    def _has_half_a_request(self) -> bool:
        state = self.conn.their_state
        return state is h11.SEND_BODY or (state is h11.IDLE and bool(self.conn.trailing_data[0]))

    def _expect(self) -> None:
        self._received = 0
        self._reading = self.loop.call_later(self._patience_s, self._end_reading)

    def _expect_nothing(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _end_reading(self) -> None:
        """Refuse the request, unless its body comes, or waits for the application."""
        self._reading = None
        is_body = self.conn.their_state is h11.SEND_BODY
        if is_body and (self._received >= MIN_BYTES or self.flow.read_paused):
            self._expect()
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"no whole request came within {self._patience_s:g} seconds")

    # the answer

    def pause_writing(self) -> None:
        """Expect that the client reads."""
        super().pause_writing()
        self._expect_reader()

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def _expect_reader(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._writing = self.loop.call_later(self._patience_s, self._end_writing)

    def _end_writing(self) -> None:
        if self.transport.get_write_buffer_size() > self._unread - MIN_BYTES:
            self.transport.abort()
        else:
            self._expect_reader()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, also if its client has not read the last answer."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(self._patience_s, self.transport.abort)

    # refusals

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        self._refuse(HTTPStatus.BAD_REQUEST, msg)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand over to the protocol of WebSockets, and refuse a handshake that it cannot read."""
        self._expect_nothing()
        super().handle_websocket_upgrade(event)
        protocol = cast(WebSocketsSansIOProtocol, self.transport.get_protocol())
        error = protocol.conn.handshake_exc
        if error is not None and not protocol.handshake_complete:
            is_large = isinstance(error, HeaderLineTooLong | TooManyHeaders)
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if is_large else HTTPStatus.BAD_REQUEST
            self._refuse(status, f"no handshake of a WebSocket: {error.__cause__ or error}")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        """Answer with an error, if no answer has begun, and close."""
        self._expect_nothing()
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(_as_bytes(status, message))
            observe.count_request("", status.value)
        self.transport.close()
        self.loop.call_later(self._patience_s, self.transport.abort)


def _as_bytes(status: HTTPStatus, message: str) -> bytes:
    body = msgspec.json.encode(error_body(HttpRefusal(status, message)))
    headers = {
        **HEADERS,
        "connection": "close",
        "content-length": str(len(body)),
        "content-type": "application/json",
    }
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body

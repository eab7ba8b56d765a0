"""WS /ws/debates/{id}: who may watch, and from which position.

If the web server can detach connections (``server.feed.websocket``), the socket is detached.  Otherwise one task sends
while another listens, so that the connection never outlives its client.
"""

from contextlib import suppress
from typing import Final

import anyio
import anyio.lowlevel
from msgspec import Struct
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.frames import CloseCode

from events.errors import DebateDeleted, LogError, UnknownDebate
from server.errors import TokenMissing, TooMany, report_of
from server.feed import frames
from server.feed.channel import Channel
from server.feed.reader import Reader
from server.feed.websocket.broadcast_group import UNKNOWN
from server.feed.websocket.connections import CLOSING_S, TOO_SLOW, Connections
from server.feed.websocket.deflate import ANSWER, accepts
from server.feed.websocket.upgrade import EXTENSION
from server.http.access import FORBIDDEN, check_link, is_director
from server.process import observe
from server.service import Service

STEP_CHARACTERS: Final = 1 << 16
"""Characters that are written in one step of the event loop."""
TOO_MANY = 4429
BAD_AFTER, FAILED = CloseCode.POLICY_VIOLATION, CloseCode.INTERNAL_ERROR


class Refusal(Struct, frozen=True):
    """Why a client may not watch: the close code, and the error's code and message."""

    close: int
    code: str
    message: str


class Admission(Struct, frozen=True):
    """A client that may watch."""

    channel: Channel
    after: int | None
    director: bool


async def spectate(websocket: WebSocket) -> None:
    """Serve one spectator until either side leaves, or until its connection is detached."""
    service: Service = websocket.app.state.service
    extension = websocket.scope.get("extensions", {}).get(EXTENSION)
    offers = ",".join(websocket.headers.getlist("sec-websocket-extensions"))
    deflate = extension is not None and service.settings.compress and accepts(offers)
    admission = await _admit(websocket, service)
    # Nothing may wait between this and the detachment: the position was checked against the channel as it is now.
    await websocket.accept(
        subprotocol=frames.SUBPROTOCOL if frames.SUBPROTOCOL in (websocket.scope.get("subprotocols") or []) else None,
        headers=[(b"sec-websocket-extensions", ANSWER.encode())] if deflate else None,
    )
    if isinstance(admission, Refusal):
        await _close(websocket, admission)
        return
    channel, after, director = admission.channel, admission.after, admission.director
    if extension is not None:
        connections: Connections = websocket.app.state.connections
        extension["detach"](lambda: connections.spectator(channel, after, director=director, deflate=deflate))
        return
    async with Reader(service.hub, channel, after, director=director) as reader, anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, websocket, tasks.cancel_scope)
        try:
            await _send(websocket, reader, service.settings.slow_reader_s)
        except LogError as error:  # a reader that catches up reads the store
            await _close(websocket, Refusal(FAILED, report_of(error).code, str(error)))
        if isinstance(channel.failure, DebateDeleted):
            await _close(websocket, Refusal(UNKNOWN, report_of(channel.failure).code, str(channel.failure)))
        elif channel.failure is not None:
            why = f"{channel.failure}; come back with after={reader.cursor.position}"
            await _close(websocket, Refusal(FAILED, report_of(channel.failure).code, why))
        tasks.cancel_scope.cancel()


async def _admit(websocket: WebSocket, service: Service) -> Admission | Refusal:
    """Whether a client may watch."""
    full = Refusal(TOO_MANY, "too_many", "this server has as many spectators as it takes")
    if service.hub.spectators >= service.settings.max_spectators:
        return full
    text = websocket.query_params.get("after")
    after = int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else None  # noqa: PLR2004
    try:
        await check_link(websocket, websocket.path_params["debate"])
        channel = await _channel(service, websocket.path_params["debate"], after)
    except UnknownDebate as error:
        return Refusal(UNKNOWN, report_of(error).code, str(error))
    except TooMany as error:  # wrong tokens
        return Refusal(TOO_MANY, report_of(error).code, str(error))
    except LogError as error:
        return Refusal(FAILED, report_of(error).code, str(error))
    try:
        director = is_director(websocket)
    except TokenMissing as error:
        return Refusal(FORBIDDEN, report_of(error).code, str(error))
    if service.hub.spectators >= service.settings.max_spectators:  # others joined while the channel was folded
        return full
    if text is not None and (after is None or after > channel.position):
        return Refusal(BAD_AFTER, "bad_after", f"after must be between 0 and the head {channel.position}")
    return Admission(channel, after, director)


async def _channel(service: Service, debate: str, after: int | None) -> Channel:
    """The channel of a debate.  Raises as ``Hub.channel``.

    If the client got more events from another node, wait until this node has read them from the store.
    """
    channel = await service.hub.channel(debate)
    if after is not None and after > channel.position:
        await service.hub.view_at(debate, None)
        channel = await service.hub.channel(debate)
    return channel


async def _listen(websocket: WebSocket, scope: anyio.CancelScope) -> None:
    """Notice that the client has gone.  Its messages have no meaning and are ignored."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
    scope.cancel()


async def _send(websocket: WebSocket, reader: Reader, slow_reader_s: float) -> None:
    position, sent, size = reader.cursor.position, 0, 0
    async for batch in reader.messages():
        with anyio.move_on_after(
            slow_reader_s
        ) as waiting:  # one scope a batch: a scope for each message was a tenth of the cost
            for sent, message in enumerate(batch):  # noqa: B007 - used below
                waiting.deadline = anyio.current_time() + slow_reader_s
                try:
                    await websocket.send({"type": "websocket.send", "text": message})
                except (WebSocketDisconnect, RuntimeError):
                    return
                size += len(message)
                if size > STEP_CHARACTERS:  # uvloop reports a full buffer only in its next step
                    size = 0
                    await anyio.lowlevel.checkpoint()
        if waiting.cancelled_caught:
            observe.CLOSES.labels(str(TOO_SLOW)).inc()
            with (
                anyio.move_on_after(CLOSING_S),
                suppress(WebSocketDisconnect),
            ):  # the client gets this as soon as it reads again
                reached = min(position + sent, reader.cursor.position)  # frames come first in a batch
                await websocket.close(TOO_SLOW, f"too slow; come back with after={reached}")
            return
        position = reader.cursor.position


async def _close(websocket: WebSocket, refusal: Refusal) -> None:
    observe.CLOSES.labels(str(int(refusal.close))).inc()
    with suppress(WebSocketDisconnect):  # the client has gone
        await websocket.send({"type": "websocket.send", "text": frames.error(refusal.code, refusal.message)})
        await websocket.close(refusal.close, refusal.message[:100])

"""WS /ws/debates/{id}: who may watch, and from where.

Where the server lets a connection go (``server.feed.websocket``) the socket joins the crowd; elsewhere one task speaks
while another listens, so that it never outlives its client.
"""

from contextlib import suppress
from typing import Final

import anyio
import anyio.lowlevel
from msgspec import Struct
from starlette.websockets import WebSocket, WebSocketDisconnect

from events.errors import LogError, UnknownDebate
from server import observe
from server.errors import TokenMissing, report_of
from server.feed import frames
from server.feed.hub import Room
from server.feed.reader import Reader
from server.feed.websocket.connections import Connections
from server.feed.websocket.deflate import ANSWER, accepts
from server.feed.websocket.upgrade import EXTENSION
from server.http.access import FORBIDDEN, is_director
from server.service import Service

SUBPROTOCOL: Final = "moot.v1"
CLOSING_S: Final = 10.0
"""Seconds for which a reader that was too slow may still come to read why it was closed."""
BREATH: Final = 1 << 16
"""Characters that are written in one step of the loop."""
UNKNOWN, TOO_SLOW, TOO_MANY, BAD_AFTER = 4404, 4408, 4429, 1008


class Refusal(Struct, frozen=True):
    """Why somebody is not let in: the code that closes, and an error as everywhere."""

    close: int
    code: str
    message: str


class Admission(Struct, frozen=True):
    """Somebody who is let in."""

    room: Room
    after: int | None
    director: bool


async def spectate(websocket: WebSocket) -> None:
    """Serve one spectator until either side leaves, or until its connection has left this server."""
    service: Service = websocket.app.state.service
    extension = websocket.scope.get("extensions", {}).get(EXTENSION)
    offers = ",".join(websocket.headers.getlist("sec-websocket-extensions"))
    deflate = extension is not None and service.settings.compress and accepts(offers)
    admission = await _admit(websocket, service)
    # From here to the detachment nothing may wait: whoever is let in stands where the room stood when it was asked.
    await websocket.accept(
        subprotocol=SUBPROTOCOL if SUBPROTOCOL in (websocket.scope.get("subprotocols") or []) else None,
        headers=[(b"sec-websocket-extensions", ANSWER.encode())] if deflate else None,
    )
    if isinstance(admission, Refusal):
        await _close(websocket, admission)
        return
    room, after, director = admission.room, admission.after, admission.director
    if extension is not None:
        crowd: Connections = websocket.app.state.crowd
        extension["detach"](lambda: crowd.spectator(room, after, director=director, deflate=deflate))
        return
    async with Reader(service.hub, room, after, director=director) as reader, anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, websocket, tasks.cancel_scope)
        try:
            await _speak(websocket, reader, service.settings.slow_reader_s)
        except LogError as error:  # who catches up reads the store
            await _close(websocket, Refusal(1011, report_of(error).code, str(error)))
        tasks.cancel_scope.cancel()


async def _admit(websocket: WebSocket, service: Service) -> Admission | Refusal:
    """Whether somebody may watch."""
    full = Refusal(TOO_MANY, "too_many", "this server has as many spectators as it takes")
    if service.hub.spectators >= service.settings.max_spectators:
        return full
    said = websocket.query_params.get("after")
    after = int(said) if said is not None and said.isascii() and said.isdigit() and len(said) < 16 else None  # noqa: PLR2004
    try:
        room = await _room(service, websocket.path_params["debate"], after)
    except UnknownDebate as error:
        return Refusal(UNKNOWN, report_of(error).code, str(error))
    except LogError as error:
        return Refusal(1011, report_of(error).code, str(error))
    try:
        director = is_director(websocket)
    except TokenMissing as error:
        return Refusal(FORBIDDEN, report_of(error).code, str(error))
    if service.hub.spectators >= service.settings.max_spectators:  # others came while the room was made
        return full
    if said is not None and (after is None or after > room.position):
        return Refusal(BAD_AFTER, "bad_after", f"after must be between 0 and the head {room.position}")
    return Admission(room, after, director)


async def _room(service: Service, debate: str, after: int | None) -> Room:
    """The debate's room.  Who was told more by another node waits until this one has it.  Raises as ``Hub.room``."""
    room = await service.hub.room(debate)
    if after is not None and after > room.position:
        await service.hub.view_at(debate, None)
        room = await service.hub.room(debate)
    return room


async def _listen(websocket: WebSocket, scope: anyio.CancelScope) -> None:
    """Notice that the client has gone.  Whatever it sends has no meaning and is let go."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
    scope.cancel()


async def _speak(websocket: WebSocket, reader: Reader, patience_s: float) -> None:
    position, sent, size = reader.place.position, 0, 0
    async for batch in reader.messages():
        with anyio.move_on_after(patience_s) as waiting:  # one scope a batch: a scope a message was a tenth of the cost
            for sent, message in enumerate(batch):  # noqa: B007 - told below
                waiting.deadline = anyio.current_time() + patience_s
                try:
                    await websocket.send({"type": "websocket.send", "text": message})
                except (WebSocketDisconnect, RuntimeError):
                    return
                size += len(message)
                if size > BREATH:  # a loop may say only in its next step that a buffer is full
                    size = 0
                    await anyio.lowlevel.checkpoint()
        if waiting.cancelled_caught:
            observe.CLOSES.labels(str(TOO_SLOW)).inc()
            with anyio.move_on_after(CLOSING_S), suppress(WebSocketDisconnect):  # it is told as soon as it reads again
                reached = min(position + sent, reader.place.position)  # frames come first in a batch
                await websocket.close(TOO_SLOW, f"too slow; come back with after={reached}")
            return
        position = reader.place.position


async def _close(websocket: WebSocket, refusal: Refusal) -> None:
    observe.CLOSES.labels(str(refusal.close)).inc()
    with suppress(WebSocketDisconnect):  # it has gone meanwhile
        await websocket.send({"type": "websocket.send", "text": frames.error(refusal.code, refusal.message)})
        await websocket.close(refusal.close, refusal.message[:100])

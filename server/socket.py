"""WS /ws/debates/{id}: listens while it speaks, so that it never outlives its client."""

from typing import Final

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from events.errors import LogError, UnknownDebate
from server import frames, observe
from server.access import FORBIDDEN
from server.errors import TokenMissing
from server.hub import Reader
from server.routes import is_director
from server.service import Service

SUBPROTOCOL: Final = "moot.v1"
CLOSING_S: Final = 10.0
"""Seconds for which a reader that was too slow may still come to read why it was closed."""
UNKNOWN, TOO_SLOW, TOO_MANY, BAD_AFTER = 4404, 4408, 4429, 1008


async def spectate(websocket: WebSocket) -> None:
    """Serve one spectator until either side leaves."""
    service: Service = websocket.app.state.service
    offered = websocket.scope.get("subprotocols") or []
    await websocket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
    if service.hub.spectators >= service.settings.max_spectators:
        await _close(websocket, TOO_MANY, "too_many", "this server has as many spectators as it takes")
        return
    try:
        room = await service.hub.room(websocket.path_params["debate"])
    except UnknownDebate as error:
        await _close(websocket, UNKNOWN, error.code, str(error))
        return
    except LogError as error:
        await _close(websocket, 1011, error.code, str(error))
        return
    try:
        director = is_director(websocket)
    except TokenMissing as error:
        await _close(websocket, FORBIDDEN, error.code, str(error))
        return
    said = websocket.query_params.get("after")
    after = None
    if said is not None:
        if not (said.isascii() and said.isdigit() and len(said) < 16 and int(said) <= room.position):  # noqa: PLR2004
            await _close(websocket, BAD_AFTER, "bad_after", f"after must be between 0 and the head {room.position}")
            return
        after = int(said)
    async with Reader(service.hub, room, after, director=director) as reader, anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, websocket, tasks.cancel_scope)
        await _speak(websocket, reader, service.settings.slow_reader_s)
        tasks.cancel_scope.cancel()


async def _listen(websocket: WebSocket, scope: anyio.CancelScope) -> None:
    """Notice that the client has gone.  Whatever it sends has no meaning and is let go."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
    scope.cancel()


async def _speak(websocket: WebSocket, reader: Reader, patience_s: float) -> None:
    async for batch in reader.messages():
        with anyio.move_on_after(patience_s) as waiting:  # one scope a batch: a scope a message was a tenth of the cost
            for message in batch:
                waiting.deadline = anyio.current_time() + patience_s
                try:
                    await websocket.send({"type": "websocket.send", "text": message})
                except (WebSocketDisconnect, RuntimeError):
                    return
        if waiting.cancelled_caught:
            observe.CLOSES.labels(str(TOO_SLOW)).inc()
            with anyio.move_on_after(CLOSING_S):   # it is told as soon as it reads again
                await websocket.close(TOO_SLOW, "too slow; come back with after=")
            return


async def _close(websocket: WebSocket, code: int, name: str, message: str) -> None:
    observe.CLOSES.labels(str(code)).inc()
    await websocket.send({"type": "websocket.send", "text": frames.error(name, message)})
    await websocket.close(code, message[:100])

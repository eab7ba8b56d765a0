"""Turns as speech, and a debate as a recording: where the server has a voice, for all who may read the debate.

Each new sound costs money, so all spectators together may have only so many made in a minute.
"""

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final
from weakref import WeakValueDictionary

import structlog
from anyio import to_thread
from anyio.lowlevel import checkpoint
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.staticfiles import NotModifiedResponse

from providers.errors import ProviderError
from server.errors import TooMany
from server.export.kept import BUSY, BUSY_S, PIECE
from server.http.access import access_of, behind_link, is_director
from server.http.contract import DIRECTOR, answers
from server.http.exports import attachment
from server.http.limits import RateLimit
from server.http.requests import service_of
from server.http.static import FILES
from server.speech.recording import record
from server.speech.sound import Sound
from server.speech.speaker import Speaker, spoken_turn

logger = structlog.get_logger()

MAX_SENDING: Final = 256 << 20
"""Bytes of all sounds that are being sent; slow clients hold them."""


@answers("audio/mpeg audio/wav audio/ogg")
async def turn_speech(request: Request) -> Response:
    """GET /api/debates/{id}/turns/{turn}/speech: the whole text of a turn in the voice of its side."""
    speaker: Speaker = request.app.state.speaker
    speaker.needed_voice()
    view = await service_of(request).hub.view(request.path_params["debate"])
    turn = spoken_turn(view, request.path_params["turn"])
    with _failures_logged(view.id):
        sound = await speaker.sound(view.id, turn.text, turn.side, admit=partial(_admit, request))
    return await _sound(request, sound)


@answers("audio/mpeg audio/wav", DIRECTOR)
async def export_audio(request: Request) -> Response:
    """GET /api/debates/{id}/export.audio: the turns one after the other, with chapters."""
    state, debate = request.app.state, request.path_params["debate"]
    speaker: Speaker = state.speaker
    speaker.needed_voice()
    if not access_of(request).is_operator(request):
        state.export_rate.check_address(request)
    view = await service_of(request).hub.view(debate, director=is_director(request))
    async with state.recording:
        with _failures_logged(debate):
            made = await record(speaker, view, partial(_admit, request))
    return await _sound(request, made.sound, attachment(view.motion, debate, made.sound.kind))


@contextmanager
def _failures_logged(debate: str) -> Iterator[None]:
    """An operator reads in the log why the voice does not speak."""
    try:
        yield
    except ProviderError as error:
        logger.warning("speech_failed", debate=debate, kind=error.kind, message=error.message)
        raise


def _admit(request: Request) -> None:
    """Count a sound that is made for a spectator.  Raises ``TooMany``, ``TokenMissing``."""
    access, state = access_of(request), request.app.state
    if access.is_operator(request):
        return
    if not service_of(request).settings.voice_per_minute:
        access.require_operator(request)
    address: RateLimit = state.export_rate
    address.check_address(request)
    everyone: RateLimit = state.speech_rate
    everyone.check("", "all spectators")


async def _sound(request: Request, made: Sound, headers: dict[str, str] | None = None) -> Response:
    """A sound in pieces, which browsers keep for themselves and ask for again.

    All who are sent the same share it.  Raises ``TooMany`` if the sounds that are being sent take all the room.
    """
    etag = await to_thread.run_sync(lambda: hashlib.sha256(made.body).hexdigest()[:16])
    shown = {"cache-control": "private, no-cache", "etag": f'"{etag}"', "content-length": str(len(made.body))}
    sending: WeakValueDictionary[str, Sound] = request.app.state.sounds
    sound = sending.setdefault(etag, made)
    response = StreamingResponse(_pieces(sound), media_type=sound.media_type, headers=shown | (headers or {}))
    if FILES.is_not_modified(response.headers, request.headers):
        return NotModifiedResponse(response.headers)
    if sum(len(each.body) for each in sending.values()) > MAX_SENDING:
        raise TooMany(BUSY, retry_after_s=BUSY_S)
    return response


async def _pieces(sound: Sound) -> AsyncIterator[bytes]:
    for start in range(0, len(sound.body), PIECE):
        yield sound.body[start : start + PIECE]
        await checkpoint()


ROUTES: Final = (
    Route("/api/debates/{debate}/turns/{turn}/speech", behind_link(turn_speech)),
    Route("/api/debates/{debate}/export.audio", behind_link(export_audio)),
)

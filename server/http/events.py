"""The log of a debate over HTTP: its events, its frames, one model call, and the audit of one turn."""

from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec
from anyio import to_thread
from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from events.record import EventLine, full_line, public_line, shows_private
from events.short_names import with_short_names
from events.store.log import read_all
from events.types import ModelAnswered, ModelFailed
from server.errors import BadQuery, NotAllowed, NotFound
from server.export.argument_audit import ArgumentAudit, argument_audit
from server.export.audit import Audit, auditor_of
from server.export.debate.arguments import with_words
from server.export.kept import KeptAnswers, Key, Make
from server.export.said import said_in
from server.http.access import access_of, is_director
from server.http.contract import AFTER, DIRECTOR, QueryNumber, answers
from server.http.requests import json_response, packed_response, service_of, turn_number

MAX_PAGE: Final = 1000
"""Events or frames in one answer."""
EVENTS_LIMIT: Final = QueryNumber("limit", 200, 1, MAX_PAGE)
FRAMES_LIMIT: Final = QueryNumber("limit", 500, 1, MAX_PAGE)


class EventsPage(Struct, frozen=True):
    """A page of recorded events as lines of the log."""

    events: list[EventLine]
    next: int | None


class FramesPage(Struct, frozen=True):
    """A page of frames, and of a stored debate for each what its event says."""

    frames: list[dict[str, Any]]
    next: int | None
    said: list[dict[str, Any]] | UnsetType = UNSET


async def is_revealed(request: Request, debate: str) -> bool:
    """Whether this client may see everything.  Raises ``UnknownDebate``."""
    return is_director(request) or await service_of(request).hub.is_revealed(debate)


@answers(EventsPage, AFTER, EVENTS_LIMIT, DIRECTOR)
async def list_events(request: Request) -> Response:
    """GET /api/debates/{id}/events."""
    service, debate = service_of(request), request.path_params["debate"]
    after = AFTER.read(request)
    limit = EVENTS_LIMIT.read(request)
    revealed = await is_revealed(request, debate)
    has_ended, blind = await service.hub.is_revealed(debate), await service.hub.is_blind(debate)
    operator = access_of(request).is_operator(request)
    head = await service.log.head(debate)
    if after > head:
        raise BadQuery(f"after={after} is beyond the head {head}", field="after")

    async def made() -> AsyncIterator[bytes]:
        records = await service.log.read(debate, after, min(limit, head - after))
        lines = [
            full_line(each)
            if operator and shows_private(each.event, revealed, has_ended)
            else public_line(each, blind=blind, revealed=revealed, has_ended=has_ended)
            for each in records
        ]
        following = after + limit if after + limit < head else None
        yield msgspec.json.encode(EventsPage(lines, following))

    key = ("events", debate, head, after, limit, revealed, has_ended, operator)
    return await _page(request, key, made)


@answers(FramesPage, AFTER, FRAMES_LIMIT, DIRECTOR)
async def list_frames(request: Request) -> Response:
    """GET /api/debates/{id}/frames: a page of frames, and for each of them what its event says."""
    service, debate = service_of(request), request.path_params["debate"]
    after = AFTER.read(request)
    limit = FRAMES_LIMIT.read(request)
    director, head = is_director(request), await service.log.head(debate)

    async def made() -> AsyncIterator[bytes]:
        page, following = await service.hub.frames_page(debate, after, limit, director=director)
        said = await to_thread.run_sync(lambda: list(map(said_in, page)))
        rest = msgspec.json.encode({"said": said, "next": following}).decode()
        yield f'{{"frames":[{",".join(page)}],{rest[1:]}'.encode()

    return await _page(request, ("frames", debate, head, after, limit, director), made)


async def _page(request: Request, key: Key, make: Make) -> Response:
    """A page of the log, which is the same for all who get this key."""
    pages: KeptAnswers = request.app.state.pages
    return packed_response(request, await pages.answer(key, make), "application/json")


@answers(dict[str, Any], DIRECTOR)
async def show_call(request: Request) -> Response:
    """GET /api/debates/{id}/calls/{call}: the whole question and answer, for the director, or after the conclusion."""
    service, debate = service_of(request), request.path_params["debate"]
    if not await is_revealed(request, debate):
        raise NotAllowed("prompts and raw answers are shown once the debate has concluded")
    segments: dict[str, str] = {}
    async for record in read_all(service.log, debate):
        event = record.event
        if not isinstance(event, ModelAnswered | ModelFailed):
            continue
        segments |= event.segments
        if event.call == request.path_params["call"]:
            prompt = [{"role": role, "text": segments[digest]} for role, digest in event.prompt]
            shown = msgspec.to_builtins(with_short_names(event))
            del shown["segments"]
            return json_response({"position": record.position, **shown, "prompt": prompt})
    raise NotFound(f"debate {debate} has no call {request.path_params['call']!r}")


@answers(Audit)
async def audit_turn(request: Request) -> Response:
    """GET /api/debates/{id}/audit/turns/{n}: every score entry of one turn, in order."""
    auditor = await auditor_of(service_of(request).hub, request.path_params["debate"])
    if (audit := auditor.audit(turn_number(request))) is None:
        raise NotFound(f"debate {auditor.debate.id} has no turn {request.path_params['turn'][:40]!r}")
    return json_response(audit)


@answers(ArgumentAudit)
async def audit_argument(request: Request) -> Response:
    """GET /api/debates/{id}/audit/arguments/{argument}: what every score of one argument is made of."""
    auditor = await auditor_of(service_of(request).hub, request.path_params["debate"])
    name = request.path_params["argument"]
    audit = argument_audit(auditor, name) or argument_audit(auditor, name.upper())
    if audit is None:
        raise NotFound(f"debate {auditor.debate.id} has no argument {name[:40]!r}")
    return json_response(with_words(audit))

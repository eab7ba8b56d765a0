"""Debates: list, open, show, estimate, and what a new one can choose: models, archetypes, exhibitions."""

from functools import reduce
from io import BytesIO
from operator import or_
from typing import Any, Final
from urllib.parse import quote

import anyio
import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from events.misfits import misfit_words
from events.state.seats import seats_of
from events.store.listing import Limits
from events.text.said import MAX_QUERY
from events.transfer import Imported, import_debate, read_lines
from events.types import SIDES, DebateOpened
from events.view.view import View
from personalities.archetypes import archetypes
from providers.base import ModelStatus
from providers.limits.queue import ProviderLoad
from providers.registry import Registry
from server.debate.adoption import check_debate
from server.debate.deletion import delete, shown_tombstone
from server.debate.formats import FORMATS
from server.debate.setup.batch import BatchEstimate, foreseen
from server.debate.setup.estimate import Estimate, in_a_sentence
from server.debate.setup.exhibitions import exhibitions
from server.debate.setup.lab import LabEstimate
from server.debate.setup.opening import opening_for
from server.debate.setup.origins import ForkRequest, RejudgeRequest, fork_of, rejudged
from server.debate.setup.request import as_request
from server.errors import BadField, BadQuery, NotFound
from server.evidence.documents import EvidencePreview, preview_of
from server.evidence.request import EvidenceRequest
from server.export.hits import page_of_hits
from server.export.preview.course import Course, course_of, first_sentence
from server.export.rows import public_row
from server.http.access import access_of, is_director, note_act
from server.http.body import read_json
from server.http.contract import DIRECTOR, MAX_POSITION, QueryNumber, QueryText, answers
from server.http.events import FramesPage
from server.http.limits import RateLimit
from server.http.people.seats import new_link
from server.http.requests import json_response, packed_response, service_of
from server.process import observe
from server.service import Service
from server.transcripts.child import read_split
from server.transcripts.sides import TranscriptSplit

Survey = tuple[tuple[ModelStatus, ...], str]
"""The models, and the default model."""
MAX_HITS: Final = 50
"""Hits of a search in one answer."""
SURVEY_S: Final = 60.0
"""Seconds for which spectators get the same answer about the models."""


DebateBody = reduce(or_, (FORMATS[name].request for name in FORMATS))
"""The request of each format."""
DEBATES_LIMIT: Final = QueryNumber("limit", 50, 1, 200)
HITS_LIMIT: Final = QueryNumber("limit", 20, 1, MAX_HITS)
AT: Final = QueryNumber("at", None, 1, MAX_POSITION)


class Made(Struct, frozen=True, kw_only=True):
    """The id of a new debate, and the links of its people's seats by seat, which are shown only here."""

    id: str
    links: dict[str, str] | UnsetType = UNSET


class DebatesPage(Struct, frozen=True):
    """A page of the list: rows as of ``events.store.listing.Summary``, without what is withheld."""

    debates: list[dict[str, Any]]
    next: str | None


class HitsPage(Struct, frozen=True):
    """A page of what a search found."""

    hits: list[dict[str, Any]]
    next: str | None


class Deleted(Struct, frozen=True):
    """What is left of deleted debates."""

    deleted: list[dict[str, Any]]


class ModelsAnswer(Struct, frozen=True, kw_only=True):
    """The models, and how busy their providers are; spectators get no load."""

    models: tuple[ModelStatus, ...]
    default: str
    default_judge: str
    load: tuple[ProviderLoad, ...] = ()


@answers(Made, status=201, body=DebateBody, needs_operator=True)
async def open_debate(request: Request) -> Response:
    """POST /api/debates."""
    _begin_opening(request)
    service = service_of(request)
    wanted = as_request(await read_json(request))
    opened, follows = await opening_for(service.log, wanted, service.registry, service.settings)
    return await _made(request, await service.moderators.open(opened, follows), opened)


def _begin_opening(request: Request) -> None:
    """Only operators open debates, and not too many.  Raises ``NotAllowed``, ``TooMany``."""
    access_of(request).begin_act(request)
    rate: RateLimit = request.app.state.open_rate
    rate.check_address(request)


async def _made(request: Request, debate: str, opened: DebateOpened, *, is_spoken: bool = False) -> Response:
    """The id of a new debate, and the links of its people's seats if it has any.

    ``is_spoken``: the debaters have spoken and need no link.
    """
    note_act(request, made=debate)
    seats = [seat for seat in seats_of(opened) if not (is_spoken and seat in SIDES)]
    links = {seat: await new_link(service_of(request), debate, seat) for seat in seats}
    return json_response(Made(id=debate, links=links or UNSET), 201)


@answers(Made, status=201, body=RejudgeRequest, needs_operator=True)
async def rejudge(request: Request) -> Response:
    """POST /api/debates/{id}/rejudge: the same turns before another judge, as a new debate."""
    service, said = await _asked_for_debate(request)
    made = await rejudged(service.log, request.path_params["debate"], said, service.registry, service.settings)
    debate = await service.moderators.open_again(made.opened, made.copied, made.own)
    return await _made(request, debate, made.opened, is_spoken=True)


@answers(Made, status=201, body=ForkRequest, needs_operator=True)
async def fork(request: Request) -> Response:
    """POST /api/debates/{id}/fork: a new debate that goes on from a position of this one."""
    service, said = await _asked_for_debate(request)
    made = await fork_of(service.log, request.path_params["debate"], said, service.registry, service.settings)
    debate = await service.moderators.open_fork(made.opened, made.copied, made.own)
    return await _made(request, debate, made.opened)


async def _asked_for_debate(request: Request) -> tuple[Service, Any]:
    """The service and the body of an operator's request that makes a debate of a stored one."""
    _begin_opening(request)
    return service_of(request), await read_json(request, empty={})


@answers(Imported, status=201, raw_body="application/x-ndjson", needs_operator=True)
async def import_log(request: Request) -> Response:
    """POST /api/import: the log of a debate as NDJSON, as ``events.ndjson`` exports it to operators."""
    access_of(request).begin_act(request)
    lines = BytesIO(await request.body())
    imported = await import_debate(service_of(request).log, read_lines(lines), check_debate)
    note_act(request, made=imported.debate)
    return json_response(imported, 201)


class TranscriptFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """A file in the body of a preview: its text, or its bytes as base64.  ``debate``: one of several in it."""

    name: str = ""
    text: str | None = None
    base64: bytes | None = None
    debate: str = ""


@answers(
    TranscriptSplit,
    QueryText("name"),
    QueryText("debate"),
    body=TranscriptFile,
    raw_body="application/octet-stream",
    needs_operator=True,
)
async def preview_transcript(request: Request) -> Response:
    """POST /api/transcripts/preview: how a file is split into turns and sides.  Opens nothing, calls no model.

    With ``name`` in the query the body is the file itself.
    """
    access_of(request).require_operator(request)
    query = request.query_params
    if "name" in query:
        name, debate, data = query["name"], query.get("debate", ""), await request.body()
    else:
        try:
            given = msgspec.convert(await read_json(request), TranscriptFile)
        except msgspec.ValidationError as error:
            raise BadQuery(misfit_words(error, "the body")) from error
        if (given.text is None) == (given.base64 is None):
            raise BadField("text", "give the file as text or as base64")
        name, debate = given.name, given.debate
        data = given.base64 if given.base64 is not None else (given.text or "").encode("utf-8", "replace")
    return json_response(await read_split(name, data, debate))


@answers(DebatesPage, DEBATES_LIMIT, QueryText("after"), QueryText("q"), *map(QueryText, Limits.__struct_fields__))
async def list_debates(request: Request) -> Response:
    """GET /api/debates."""
    limit = DEBATES_LIMIT.read(request)
    after = request.query_params.get("after") or None
    query = request.query_params.get("q", "")[:MAX_QUERY]
    page = await service_of(request).log.summaries(after, limit, query, _limits(request))
    return json_response(DebatesPage([public_row(each) for each in page.debates], page.next))


@answers(HitsPage, QueryText("q", required=True), QueryText("after"), HITS_LIMIT)
async def search(request: Request) -> Response:
    """GET /api/search: what was said, found by its words."""
    query = request.query_params.get("q", "").strip()
    if not query or len(query) > MAX_QUERY:
        raise BadQuery(f"q must have 1 to {MAX_QUERY} characters", field="q")
    limit = HITS_LIMIT.read(request)
    page = await service_of(request).log.search(query, request.query_params.get("after") or None, limit)
    return json_response(page_of_hits(page))


def _limits(request: Request) -> Limits:
    """What the query limits a list to.  Raises ``BadQuery``, ``TokenMissing``."""
    given = {name: request.query_params[name] for name in Limits.__struct_fields__ if request.query_params.get(name)}
    try:
        limits = msgspec.convert(given, Limits, strict=False)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `$.")
        raise BadQuery(why, field=where.rstrip("`")) from error
    if limits.format is not None and limits.format not in FORMATS:
        raise BadQuery(f"Invalid enum value {limits.format[:40]!r}", field="format")
    if limits.hidden or limits.unlisted:
        access_of(request).require_operator(request)
        return limits
    return msgspec.structs.replace(limits, hidden=False, unlisted=False, archived=bool(limits.archived))


@answers(View, AT, DIRECTOR)
async def show_debate(request: Request) -> Response:
    """GET /api/debates/{id}, with ``at=P``."""
    at = AT.read(request, 0) or None
    hub, debate = service_of(request).hub, request.path_params["debate"]
    return json_response(await hub.view(debate, at, director=is_director(request)))


@answers(Course)
async def show_course(request: Request) -> Response:
    """GET /api/debates/{id}/course: how its lead moved, as spectators see it."""
    return json_response(course_of(await service_of(request).hub.view_at(request.path_params["debate"], None)))


POSITION: Final = QueryNumber("position", None, 1, MAX_POSITION)


@answers(
    Deleted,
    QueryText("reason"),
    QueryText("with_derived", ("0", "1")),
    QueryText("archived", ("0", "1")),
    POSITION,
    needs_operator=True,
)
async def delete_debate(request: Request) -> Response:
    """DELETE /api/debates/{id}, with ``reason`` and ``with_derived=1``: a tombstone is left.

    ``position`` is the last one that the client has seen; with ``archived=1`` the log may be imported again.
    The acts on the debates that are deleted with it stand in the log too.
    """
    access_of(request).begin_act(request)
    service, query = service_of(request), request.query_params
    left = await delete(
        service.log,
        request.path_params["debate"],
        query.get("reason", ""),
        with_derived=query.get("with_derived", "0") not in {"0", ""},
        position=POSITION.read(request, 0) or None,
        archived=query.get("archived", "0") not in {"0", ""},
    )
    for each in left:
        service.hub.forget(each.debate)
    note_act(request, deleted=" ".join(each.debate for each in left))
    return json_response(Deleted([shown_tombstone(each) for each in left]))


@answers("application/x-ndjson")
async def show_tombstone(request: Request) -> Response:
    """GET /api/debates/{id}/tombstone.ndjson: the digests of a deleted debate."""
    debate = request.path_params["debate"]
    for left in await service_of(request).log.tombstones(debate):
        if left.debate == debate:
            return Response(left.lines, media_type="application/x-ndjson")
    raise NotFound(f"debate {debate[:80]!r} was not deleted from this store")


@answers(Estimate | LabEstimate | BatchEstimate, body=DebateBody, needs_operator=True)
async def show_estimate(request: Request) -> Response:
    """POST /api/estimate: what the debate that this body would open would take.  Opens nothing, calls no model."""
    access_of(request).require_operator(request)
    service = service_of(request)
    wanted = as_request(await read_json(request))
    opened, follows = await opening_for(service.log, wanted, service.registry, service.settings)
    # An estimate rehearses the debate: up to half a second of computing, so a thread does it, one at a time.
    limiter, measured = request.app.state.estimate_limiter, observe.measured_seconds()
    found = await foreseen(opened, follows, service.registry, service.settings, measured, limiter)
    return json_response(replace(found, says=in_a_sentence(found)) if isinstance(found, Estimate) else found)


@answers(EvidencePreview, body=EvidenceRequest, needs_operator=True)
async def read_evidence(request: Request) -> Response:
    """POST /api/evidence: how a document is read, before a debate is opened with it.  Stores nothing."""
    access_of(request).require_operator(request)
    return json_response(await preview_of(await read_json(request)))


class ModelSurveys:
    """What the registry found last about its models.  Its clients share one round of checks."""

    def __init__(self) -> None:
        self._found: Survey | None = None
        self._at = 0.0
        self._lock = anyio.Lock()

    async def fresh(self, registry: Registry) -> Survey:
        """Ask the providers now."""
        self._found, self._at = await registry.survey(), anyio.current_time()
        return self._found

    async def latest(self, registry: Registry) -> Survey:
        """The last answer, at most ``SURVEY_S`` old."""
        async with self._lock:
            if self._found is None or anyio.current_time() - self._at > SURVEY_S:
                return await self.fresh(registry)
            return self._found


@answers(ModelsAnswer)
async def list_models(request: Request) -> Response:
    """GET /api/models.  Spectators read neither a provider's messages nor its load, and cause no call to a provider."""
    registry, surveys = service_of(request).registry, request.app.state.surveys
    if not access_of(request).is_operator(request):
        models, default = await surveys.latest(registry)
        known = [msgspec.structs.replace(each, detail="", hint="") for each in models]
        judge = registry.default_judge(default)
        return json_response(ModelsAnswer(models=tuple(known), default=default, default_judge=judge))
    models, default = await surveys.fresh(registry)
    judge = registry.default_judge(default)
    return json_response(ModelsAnswer(models=models, default=default, default_judge=judge, load=registry.loads()))


@answers(dict[str, list[dict[str, Any]]])
async def list_exhibitions(request: Request) -> Response:
    """GET /api/exhibitions."""
    del request
    return json_response(
        {
            "exhibitions": [
                {"name": name, "sentence": first_sentence(each.summary), **msgspec.structs.asdict(each)}
                for name, each in exhibitions().items()
            ]
        }
    )


@answers(FramesPage)
async def list_exhibition_frames(request: Request) -> Response:
    """GET /api/exhibitions/{name}/frames."""
    recording = await request.app.state.exhibitions.recording(request.path_params["name"])
    return packed_response(request, recording.frames, "application/json")


@answers(Course)
async def show_exhibition_course(request: Request) -> Response:
    """GET /api/exhibitions/{name}/course: how its lead moved, and how it ended."""
    recording = await request.app.state.exhibitions.recording(request.path_params["name"])
    return json_response(recording.course)


async def exhibition_page(request: Request) -> Response:
    """GET /exhibitions/{name}: a page that replays an exhibition.  Its policy is in the page."""
    recording = await request.app.state.exhibitions.recording(request.path_params["name"])
    headers = {"content-security-policy": "frame-ancestors 'self'"}
    page = recording.operators_page if access_of(request).is_operator(request) else recording.page
    return packed_response(request, page, "text/html; charset=utf-8", headers)


async def exhibit_on_wall(request: Request) -> Response:
    """POST /exhibitions/{name}/wall: the exhibition as a new debate, on the wall of a room."""
    _begin_opening(request)
    service, wanted = service_of(request), as_request({"exhibition": request.path_params["name"]})
    opened, follows = await opening_for(service.log, wanted, service.registry, service.settings)
    debate = await service.moderators.open(opened, follows)
    note_act(request, made=debate)
    return RedirectResponse(f"/d/{quote(debate)}/wall", 303)


@answers(dict[str, list[dict[str, Any]]])
async def list_archetypes(request: Request) -> Response:
    """GET /api/archetypes."""
    del request
    known = [
        {"name": name, "title": each.title, "manner": each.manner, "traits": each.traits}
        for name, each in archetypes().items()
    ]
    return json_response({"archetypes": known})

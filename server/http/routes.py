"""HTTP: the debates and what is known of them."""

from typing import Any, Final

import msgspec
from anyio import to_thread
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from events.errors import UnknownDebate
from events.record import Line, Recorded, full_line, public_line
from events.store.log import read_all
from events.transfer import export
from events.types import ModelAnswered, ModelFailed
from events.view.summary import public_row
from personalities.archetypes import archetypes
from server.debate.decisions import read_decision
from server.errors import BadField, BadQuery, Leaving, NotAllowed, NotFound, TooMany
from server.export.audit import Auditors
from server.export.filename import attachment
from server.http.access import COOKIE, COOKIE_AGE_S, Access
from server.opening import opening
from server.opening.estimate import estimate
from server.opening.exhibitions import exhibitions
from server.opening.records import records_for
from server.service import Service
from server.version import VERSION

PAGE_MOST: Final = 1000
REASON_MOST: Final = 500


def service_of(request: Request) -> Service:
    """What the application was started with."""
    service: Service = request.app.state.service
    return service


def access_of(request: Request) -> Access:
    """The rules that the application was started with."""
    access: Access = request.app.state.access
    return access


def json_response(value: Any, status: int = 200) -> Response:
    """JSON by msgspec, so that structs and raw payloads go out as they are."""
    return Response(msgspec.json.encode(value), status_code=status, media_type="application/json")


def whole_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A query parameter that is a whole number within bounds."""
    said = request.query_params.get(name)
    if said is None:
        return default
    if not (said.isascii() and said.isdigit() and len(said) < 16):  # noqa: PLR2004 - digits beyond any position
        raise BadQuery(f"{name} must be a whole number, not {said[:40]!r}", field=name)
    value = int(said)
    if not least <= value <= most:
        raise BadQuery(f"{name} must be between {least} and {most}", field=name)
    return value


class OpenRate:
    """How many debates one address may open in a minute."""

    def __init__(self, per_minute: int) -> None:
        self._limit = parse(f"{per_minute}/minute")
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, request: Request) -> None:
        """Raises ``TooMany``."""
        client = request.client.host if request.client else ""
        if not self._limiter.hit(self._limit, client):
            raise TooMany("too many debates were opened from here in a minute", retry_after_s=60)


async def open_debate(request: Request) -> Response:
    """POST /api/debates."""
    access_of(request).require_operator(request)
    rate: OpenRate = request.app.state.open_rate
    rate.check(request)
    service = service_of(request)
    wish = opening.read_request(await request.body())
    records = await records_for(service.log, wish)
    debate = await service.moderators.open(await opening.opened(wish, service.registry, service.settings, records))
    return json_response({"id": debate}, 201)


async def list_debates(request: Request) -> Response:
    """GET /api/debates."""
    limit = whole_number(request, "limit", 50, 1, 200)
    after = request.query_params.get("after") or None
    page = await service_of(request).log.summaries(after, limit, request.query_params.get("q", "")[:200])
    return json_response({"debates": [public_row(each) for each in page.debates], "next": page.next})


async def show_debate(request: Request) -> Response:
    """GET /api/debates/{id}, with ``at=P``."""
    at = whole_number(request, "at", 0, 1, 1 << 40) or None
    hub, debate = service_of(request).hub, request.path_params["debate"]
    return json_response(await hub.view(debate, at, director=is_director(request)))


def visible_line(record: Recorded, *, revealed: bool, blind: bool) -> Line:
    """The record as the audience may see it: everything once the debate has concluded."""
    return full_line(record) if revealed else public_line(record, blind=blind)


def is_director(connection: HTTPConnection) -> bool:
    """Whether an operator asks for the director's view: ``?director=1``.  Raises ``TokenMissing`` for anybody else."""
    if connection.query_params.get("director", "0") in {"0", ""}:
        return False
    access: Access = connection.app.state.access
    access.require_operator(connection)
    return True


async def is_revealed(request: Request, debate: str) -> bool:
    """Whether this reader may see everything.  Raises ``UnknownDebate``."""
    return is_director(request) or await service_of(request).hub.is_revealed(debate)


async def list_events(request: Request) -> Response:
    """GET /api/debates/{id}/events."""
    service, debate = service_of(request), request.path_params["debate"]
    after = whole_number(request, "after", 0, 0, 1 << 40)
    limit = whole_number(request, "limit", 200, 1, PAGE_MOST)
    revealed = await is_revealed(request, debate)
    records = await service.log.read(debate, after, limit)
    head = await service.log.head(debate)
    if after > head:
        raise BadQuery(f"after={after} is beyond the head {head}", field="after")
    following = records[-1].position if records and records[-1].position < head else None
    blind = await service.hub.is_blind(debate)
    lines = [visible_line(each, revealed=revealed, blind=blind) for each in records]
    return json_response({"events": lines, "next": following})


async def export_events(request: Request) -> Response:
    """GET /api/debates/{id}/events.ndjson."""
    service, debate = service_of(request), request.path_params["debate"]
    revealed = await is_revealed(request, debate)
    return StreamingResponse(
        export(service.log, debate, withhold=not revealed),
        media_type="application/x-ndjson",
        headers=attachment((await service.hub.view(debate)).motion, debate, "ndjson"),
    )


async def list_frames(request: Request) -> Response:
    """GET /api/debates/{id}/frames."""
    service, debate = service_of(request), request.path_params["debate"]
    after = whole_number(request, "after", 0, 0, 1 << 40)
    limit = whole_number(request, "limit", 500, 1, PAGE_MOST)
    page, following = await service.hub.frames_page(debate, after, limit, director=is_director(request))
    body = '{"frames":[' + ",".join(page) + '],"next":' + ("null" if following is None else str(following)) + "}"
    return Response(body, media_type="application/json")


async def show_estimate(request: Request) -> Response:
    """POST /api/estimate: what a debate would take, for the body that would open it.  Nothing is opened or asked."""
    access_of(request).require_operator(request)
    service = service_of(request)
    wish = opening.read_request(await request.body())
    opened = await opening.opened(wish, service.registry, service.settings)
    # it rehearses the debate, which takes up to half a second of computing
    return json_response(await to_thread.run_sync(estimate, opened, limiter=request.app.state.rehearsals))


async def show_call(request: Request) -> Response:
    """GET /api/debates/{id}/calls/{call}: the whole question and answer, for the director or once it is over."""
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
            shown = msgspec.to_builtins(event)
            del shown["segments"]
            return json_response({"position": record.position, **shown, "prompt": prompt})
    raise NotFound(f"debate {debate} has no call {request.path_params['call']!r}")


async def audit_turn(request: Request) -> Response:
    """GET /api/debates/{id}/audit/turns/{n}: every entry of one turn's ledger, in order."""
    service, debate = service_of(request), request.path_params["debate"]
    said = request.path_params["turn"]
    if not await service.log.head(debate):
        raise UnknownDebate(debate)
    number = int(said) if said.isascii() and said.isdigit() and len(said) < 5 else 0  # noqa: PLR2004 - digits of a turn
    auditors: Auditors = request.app.state.auditors
    if (audit := await auditors.audit(debate, number)) is None:
        raise NotFound(f"debate {debate} has no turn {said[:40]!r}")
    return json_response(audit)


async def appeal(request: Request) -> Response:
    """POST /api/debates/{id}/claims/{claim}/appeal: ask for a second opinion on a flag."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    position = await service.moderators.appeal(debate, request.path_params["claim"], "moderator")
    return json_response({"position": position})


async def decide(request: Request) -> Response:
    """POST /api/debates/{id}/decision: a person decides what the panel did not."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    said = read_decision(await request.body())
    position = await service.moderators.decide(debate, said.decision, said.reason, said.by)
    return json_response({"position": position})


async def act(request: Request) -> Response:
    """POST /api/debates/{id}/pause, /resume, /halt."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    reason, cap = _reason(await request.body())
    name = request.url.path.rsplit("/", 1)[1]
    if name == "resume":
        position = await service.moderators.resume(debate, reason, "moderator", cap)
    else:
        does = {"pause": service.moderators.pause, "halt": service.moderators.halt}
        position = await does[name](debate, reason, "moderator")
    return json_response({"position": position})


def _reason(body: bytes) -> tuple[str, float | None]:
    """Why, and the new cap on cost that a resume may bring."""
    if not body.strip():
        return "", None
    try:
        said = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadQuery(f"the body is not JSON: {error}") from error
    reason = said.get("reason", "") if isinstance(said, dict) else None
    if not isinstance(reason, str) or len(reason) > REASON_MOST:
        raise BadField("reason", f"a reason is a text of at most {REASON_MOST} characters")
    cap = said.get("max_cost_usd")
    if cap is None:
        return reason, None
    if isinstance(cap, bool) or not isinstance(cap, int | float) or not 0 < cap < float("inf"):
        raise BadField("max_cost_usd", "a cap is a number of US dollars above 0")
    return reason, float(cap)


async def list_models(request: Request) -> Response:
    """GET /api/models."""
    registry = service_of(request).registry
    models, default = await registry.survey()
    return json_response({"models": models, "default": default, "load": registry.loads()})


async def list_exhibitions(request: Request) -> Response:
    """GET /api/exhibitions."""
    del request
    return json_response(
        {"exhibitions": [{"name": name, **msgspec.structs.asdict(each)} for name, each in exhibitions().items()]}
    )


async def list_archetypes(request: Request) -> Response:
    """GET /api/archetypes."""
    del request
    known = [
        {"name": name, "title": each.title, "manner": each.manner, "traits": each.traits}
        for name, each in archetypes().items()
    ]
    return json_response({"archetypes": known})


async def open_session(request: Request) -> Response:
    """POST /api/session: the token once, a cookie from then on."""
    access = access_of(request)
    try:
        said = msgspec.json.decode(await request.body() or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadQuery(f"the body is not JSON: {error}") from error
    token = said.get("token") if isinstance(said, dict) else None
    if access.needs_token and not (isinstance(token, str) and access.token_matches(token)):
        raise NotAllowed("that is not the token")
    response = JSONResponse({"ok": True})
    response.set_cookie(
        COOKIE,
        access.session(),
        max_age=COOKIE_AGE_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


async def healthz(request: Request) -> Response:
    """GET /healthz: the process answers."""
    del request
    return json_response({"ok": True, "version": VERSION})


async def readyz(request: Request) -> Response:
    """GET /readyz: the store can be read, and written by whoever writes to it; and this node is here to stay."""
    service = service_of(request)
    if service.moderators.is_draining:
        raise Leaving
    log = service.log
    await log.summaries(limit=1)
    if log.trouble is not None:
        raise log.trouble
    return json_response({"ok": True})

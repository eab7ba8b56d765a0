"""The ASGI application: its table of routes, its middleware, its error handlers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import escape
from typing import Final
from urllib.parse import quote
from weakref import WeakValueDictionary

import anyio
import structlog
from anyio import CapacityLimiter, Lock, create_task_group
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute

from events.errors import DebateDeleted, LogError, StoreUnavailable
from server.debate.acting.operator_acts import ACTS
from server.errors import EXPECTED, HttpRefusal, NotFound, report_of
from server.exhibit import PlayedExhibitions
from server.export.kept import KeptAnswers
from server.export.preview.card import head_of
from server.feed.websocket.connections import Connections
from server.http import (
    atom,
    batches,
    debates,
    docs,
    events,
    exports,
    hooks,
    judge,
    labs,
    maps,
    metrics,
    oembed,
    receipts,
    speech,
)
from server.http.access import (
    IMPORT,
    PREVIEW,
    Access,
    AccessMiddleware,
    behind_link,
    check_link,
    error_response,
    keep_link,
)
from server.http.contract import show_description
from server.http.limits import RateLimit
from server.http.mcp import McpRoute
from server.http.people import audience, commands, rooms, seats
from server.http.requests import base_of, service_of
from server.http.session import close_session, open_session, show_session
from server.http.static import FILES, gone_page, made_page, page_response
from server.http.websocket import spectate
from server.league import page as league
from server.service import Service
from server.speech.speaker import Speaker
from server.study import page as study

logger = structlog.get_logger()


async def front(request: Request) -> Response:
    """GET /."""
    return await page_response(request, "home/index.html")


async def page(request: Request) -> Response:
    """GET /d/{id}: the page of a debate, with 404 if there is none; the page itself says what is wrong.

    A lab run has a page of its own.
    """
    debate = request.path_params["debate"]
    try:
        await check_link(request, debate)
        view = await service_of(request).hub.view(debate)
    except StoreUnavailable as error:
        logger.warning("debate_not_looked_up", message=str(error))
        return await page_response(request, "debate/debate.html")
    except DebateDeleted as error:
        return gone_page(request, error)
    except LogError:  # there is no such debate, or its log cannot be read
        return made_page(request, "debate/debate.html", {}, 404)
    if view.format in {"lab", "batch"}:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{view.format}/{quote(debate)}{query}", 307)
    head = head_of(view, str(request.url.replace(query="")), base_of(request))
    response = made_page(request, "debate/debate.html", {"<title>A debate · Moot</title>": head})
    keep_link(request, response)
    return response


async def favicon(request: Request) -> Response:
    """GET /favicon.ico, for browsers that ignore the page's link to its icon."""
    return await FILES.get_response("parts/favicon.svg", request.scope)


async def _refused(request: Request, error: Exception) -> Response:
    return _refusal(request, error)


def _refusal(request: Request, error: Exception) -> Response:
    """The error as JSON, or as a page for a browser that asked for a page."""
    is_read = request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", "")
    response = error_response(error)
    if not is_read or request.url.path.startswith("/api/"):
        return response
    report = report_of(error)
    said = {MISSING: f"<p>{escape(report.message[:1].upper() + report.message[1:])}."}
    if report.status != 404:  # noqa: PLR2004 - HTTP not found
        said["<h1>Nothing is here</h1>"] = "<h1>This cannot be shown</h1>"
        said["<title>Nothing is here"] = "<title>This cannot be shown"
    page = made_page(request, "parts/pages/missing.html", said, report.status)
    if wait := response.headers.get("retry-after"):
        page.headers["retry-after"] = wait
    return page


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:  # noqa: PLR2004 - HTTP not found
        if request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", ""):
            return made_page(request, "parts/pages/missing.html", {}, 404)
        return error_response(NotFound(f"nothing is at {request.url.path}"))
    response = _refusal(request, HttpRefusal(error.status_code, error.detail))
    response.headers.update(error.headers or {})
    return response


MISSING: Final = "<p>This address leads to no page of Moot."
ONE: Final = "/api/debates/{debate}"
ROUTES: Final[tuple[Route | WebSocketRoute | Mount, ...]] = (
    Route("/", front),
    Route("/d/{debate}", page),
    Route("/d/{debate}/embed", behind_link(exports.embed)),
    Route("/d/{debate}/wall", rooms.room_page),
    Route("/d/{debate}/preview.png", behind_link(exports.preview)),
    Route("/d/{debate}/turns/{turn}/card", behind_link(exports.card)),
    Route("/compare", exports.compare_page),
    Route("/api/compare", exports.show_comparison),
    Route("/vote/{debate}", audience.vote_page),
    Route("/vote/{debate}/wall", audience.vote_page),
    Route("/judge", judge.judge_page),
    Route("/api/judge", judge.show_judge),
    *league.ROUTES,
    *study.ROUTES,
    Route("/api/terms", docs.list_terms),
    Route("/docs/", docs.docs_page),
    Route("/docs/{name}", docs.docs_page),
    Route("/favicon.ico", favicon),
    Route("/api/debates", debates.list_debates, methods=["GET"]),
    Route("/api/debates", debates.open_debate, methods=["POST"]),
    Route(IMPORT, debates.import_log, methods=["POST"]),
    Route(PREVIEW, debates.preview_transcript, methods=["POST"]),
    Route(ONE, behind_link(debates.show_debate), methods=["GET"]),
    Route(ONE, behind_link(debates.delete_debate), methods=["DELETE"]),
    Route(f"{ONE}/tombstone.ndjson", debates.show_tombstone),
    Route(f"{ONE}/course", behind_link(debates.show_course)),
    Route(f"{ONE}/qr.svg", behind_link(rooms.show_room_code)),
    Route(f"{ONE}/join", behind_link(rooms.show_join)),
    Route(f"{ONE}/room", behind_link(rooms.show_room), methods=["GET"]),
    Route(f"{ONE}/room", behind_link(rooms.steer_room), methods=["PUT"]),
    Route(f"{ONE}/events", behind_link(events.list_events)),
    Route(f"{ONE}/events.ndjson", behind_link(exports.export_events)),
    Route(f"{ONE}/frames", behind_link(events.list_frames)),
    Route(f"{ONE}/diff", behind_link(exports.show_diff)),
    Route(f"{ONE}/export.json", behind_link(exports.export_json)),
    Route(f"{ONE}/evidence", behind_link(exports.show_evidence)),
    Route(f"{ONE}/export.md", behind_link(exports.export_markdown)),
    Route(f"{ONE}/export.html", behind_link(exports.export_html)),
    Route(f"{ONE}/tables/{{table}}.{{form}}", behind_link(exports.export_table)),
    *speech.ROUTES,
    *receipts.ROUTES,
    Route(f"{ONE}/report", behind_link(exports.debater_report)),
    Route(f"{ONE}/calls/{{call}}", behind_link(events.show_call)),
    Route(f"{ONE}/audit/turns/{{turn}}", behind_link(events.audit_turn)),
    Route(f"{ONE}/audit/arguments/{{argument}}", behind_link(events.audit_argument)),
    Route(f"{ONE}/whatif", behind_link(commands.show_what_if)),
    Route(f"{ONE}/whatif", behind_link(commands.ask_what_if), methods=["POST"]),
    Route(f"{ONE}/rejudge", behind_link(debates.rejudge), methods=["POST"]),
    Route(f"{ONE}/fork", behind_link(debates.fork), methods=["POST"]),
    Route(f"{ONE}/votes", behind_link(audience.vote), methods=["POST"]),
    Route(f"{ONE}/poll", behind_link(audience.show_poll)),
    Route(f"{ONE}/poll/qr.svg", behind_link(audience.show_code)),
    Route(f"{ONE}/hosted", behind_link(commands.show_hosted)),
    *(
        Route(f"{ONE}/{path}", behind_link(commands.operator_act(act)), methods=[method])
        for (method, path), act in ACTS.items()
    ),
    Route("/seat/{token}", seats.seat_page),
    Route("/api/seats/{token}", seats.show_seat),
    Route("/api/seats/{token}/questions", seats.show_questions),
    Route("/api/seats/{token}/preview", seats.show_preview, methods=["POST"]),
    *(
        Route(f"/api/seats/{{token}}/{path}", seats.seat_act(act), methods=[method])
        for (method, path), act in seats.SEAT_ACTS.items()
    ),
    *atom.ROUTES,
    *batches.ROUTES,
    *hooks.ROUTES,
    *maps.ROUTES,
    *oembed.ROUTES,
    Route("/lab/{lab}", labs.lab_page),
    Route("/api/labs", labs.open_lab, methods=["POST"]),
    Route("/api/labs/estimate", labs.show_estimate, methods=["POST"]),
    Route("/api/labs/{lab}", behind_link(labs.show_lab)),
    Route("/api/labs/{lab}/report", behind_link(labs.show_report)),
    Route("/api/estimate", debates.show_estimate, methods=["POST"]),
    Route("/api/evidence", debates.read_evidence, methods=["POST"]),
    Route("/api/models", debates.list_models),
    Route("/api/archetypes", debates.list_archetypes),
    Route("/api/exhibitions", debates.list_exhibitions),
    Route("/api/exhibitions/{name}/frames", debates.list_exhibition_frames),
    Route("/api/exhibitions/{name}/course", debates.show_exhibition_course),
    Route("/exhibitions/{name}", debates.exhibition_page),
    Route("/exhibitions/{name}/wall", debates.exhibit_on_wall, methods=["POST"]),
    Route("/api/search", debates.search),
    Route("/api/session", show_session, methods=["GET"]),
    Route("/api/session", open_session, methods=["POST"]),
    Route("/api/session", close_session, methods=["DELETE"]),
    Route("/api/openapi.json", show_description),
    Route("/healthz", metrics.healthz),
    Route("/readyz", metrics.readyz),
    Route("/metrics", metrics.metrics),
    WebSocketRoute("/ws/debates/{debate}", spectate),
    Route("/mcp", McpRoute(), methods=["POST"]),
    Route("/{code:code}", rooms.join),
    Mount("/static", FILES),
)


def make_app(service: Service, access: Access) -> Starlette:
    """The application over a running service."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        taken_up = await service.take_up()
        if taken_up:
            logger.info("debates_taken_up", number=taken_up)
        async with create_task_group() as app.state.tasks:
            yield
            app.state.tasks.cancel_scope.cancel()

    app = Starlette(
        routes=list(ROUTES),
        middleware=[Middleware(AccessMiddleware, access=access)],
        exception_handlers={
            **dict.fromkeys(EXPECTED, _refused),
            HTTPException: _http_error,
        },
        lifespan=lifespan,
    )
    app.state.service, app.state.access = service, access
    app.state.connections = Connections(service.hub, slow_reader_s=service.settings.slow_reader_s)
    app.state.exhibitions = PlayedExhibitions()
    app.state.surveys = debates.ModelSurveys()
    app.state.survey = judge.Survey(service.log)
    app.state.previews = None
    app.state.mcp, app.state.mcp_lock = None, Lock()
    app.state.exports = KeptAnswers()
    app.state.pages = KeptAnswers()
    app.state.speaker, app.state.recording = Speaker(service.settings, service.log), anyio.Lock()
    service.hub.caches += [app.state.exports, app.state.pages, app.state.speaker]
    app.state.sounds = WeakValueDictionary()
    app.state.speech_rate = RateLimit(service.settings.voice_per_minute, "turns were spoken")
    app.state.export_rate = RateLimit(exports.EXPORTS_PER_MINUTE, "exports were made")
    app.state.rooms = rooms.Rooms(service.bus)
    app.state.voters = audience.Voters(service.settings)
    app.state.open_rate = RateLimit(service.settings.opens_per_minute, "debates were opened")
    app.state.whatif_rate = RateLimit(commands.WHATIF_PER_MINUTE, "what-ifs were asked")
    app.state.preview_rate = RateLimit(exports.PREVIEWS_PER_MINUTE, "previews were asked for")
    app.state.seat_reads = RateLimit(seats.READS_PER_MINUTE, "reads")
    app.state.seat_writes = RateLimit(seats.WRITES_PER_MINUTE, "drafts and answers")
    app.state.estimate_limiter, app.state.whatif_limiter = CapacityLimiter(1), CapacityLimiter(1)
    app.state.report_limiter = CapacityLimiter(1)
    return app

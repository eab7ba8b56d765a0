"""The application as a value: routes, middleware, lifespan."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog
from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute

from server.errors import EXPECTED, HttpRefusal, MootError, NotFound
from server.export.audit import Auditors
from server.feed.websocket.connections import Connections
from server.feed.websocket.endpoint import spectate
from server.http import audience, routes
from server.http import exports as takeaway
from server.http import judge as judge_page
from server.http import metrics as readings
from server.http.access import Access, Guard, error_response
from server.http.static import FILES, page_response
from server.http.whatif import WhatIfs, ask_what_if
from server.service import Service

logger = structlog.get_logger()
ACTS: Final = ("pause", "resume", "halt")


async def front(request: Request) -> Response:
    """GET /."""
    return await page_response(request, "index.html")


async def page(request: Request) -> Response:
    """GET /d/{id}: the page of any debate; it finds out by itself whether there is one."""
    return await page_response(request, "debate.html")


async def favicon(request: Request) -> Response:
    """GET /favicon.ico, for browsers that ask in spite of the link."""
    return await FILES.get_response("favicon.svg", request.scope)


async def _refused(request: Request, error: Exception) -> Response:
    del request
    return error_response(error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:  # noqa: PLR2004 - the status
        return error_response(NotFound(f"nothing is at {request.url.path}"))
    response = error_response(HttpRefusal(error.status_code, error.detail))
    response.headers.update(error.headers or {})
    return response


async def _bug(request: Request, error: Exception) -> Response:
    logger.error("request_failed", path=request.url.path, exc_info=error)
    return error_response(MootError("an error inside Moot; its log has the details"))


def routes_of_debate() -> list[Route]:
    """Everything below /api/debates/{id}."""
    one = "/api/debates/{debate}"
    return [
        Route(one, routes.show_debate),
        Route(f"{one}/events", routes.list_events),
        Route(f"{one}/events.ndjson", routes.export_events),
        Route(f"{one}/frames", routes.list_frames),
        Route(f"{one}/diff", takeaway.show_diff),
        Route(f"{one}/export.json", takeaway.export_json),
        Route(f"{one}/export.md", takeaway.export_markdown),
        Route(f"{one}/export.html", takeaway.export_html),
        Route(f"{one}/calls/{{call}}", routes.show_call),
        Route(f"{one}/audit/turns/{{turn}}", routes.audit_turn),
        Route(f"{one}/whatif", ask_what_if, methods=["POST"]),
        Route(f"{one}/claims/{{claim}}/appeal", routes.appeal, methods=["POST"]),
        Route(f"{one}/votes", audience.vote, methods=["POST"]),
        Route(f"{one}/say", audience.say, methods=["POST"]),
        Route(f"{one}/decision", routes.decide, methods=["POST"]),
        *(Route(f"{one}/{act}", routes.act, methods=["POST"]) for act in ACTS),
    ]


def make_app(service: Service, access: Access) -> Starlette:
    """The server over a running service."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        taken_up = await service.take_up()
        if taken_up:
            logger.info("debates_taken_up", number=taken_up)
        yield

    app = Starlette(
        routes=[
            Route("/", front),
            Route("/d/{debate}", page),
            Route("/d/{debate}/embed", takeaway.embed),
            Route("/judge", judge_page.judge_page),
            Route("/api/judge", judge_page.show_judge),
            Route("/favicon.ico", favicon),
            Route("/api/debates", routes.list_debates, methods=["GET"]),
            Route("/api/debates", routes.open_debate, methods=["POST"]),
            *routes_of_debate(),
            Route("/api/estimate", routes.show_estimate, methods=["POST"]),
            Route("/api/models", routes.list_models),
            Route("/api/archetypes", routes.list_archetypes),
            Route("/api/exhibitions", routes.list_exhibitions),
            Route("/api/session", routes.open_session, methods=["POST"]),
            Route("/healthz", routes.healthz),
            Route("/readyz", routes.readyz),
            Route("/metrics", readings.metrics),
            WebSocketRoute("/ws/debates/{debate}", spectate),
            Mount("/static", FILES),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={
            **dict.fromkeys(EXPECTED, _refused),
            HTTPException: _http_error,
            Exception: _bug,
        },
        lifespan=lifespan,
    )
    app.state.service, app.state.access = service, access
    app.state.crowd = Connections(service.hub, slow_reader_s=service.settings.slow_reader_s)
    app.state.survey = judge_page.Survey(service.log)
    app.state.auditors = Auditors(service.log)
    app.state.booth = audience.Booth(service.settings)
    app.state.whatifs = WhatIfs()
    app.state.rehearsals = CapacityLimiter(1)
    app.state.open_rate = routes.OpenRate(service.settings.opens_per_minute)
    return app

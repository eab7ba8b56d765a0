"""The argument map of a debate: its page, and its forms for other programs."""

from collections.abc import AsyncIterator
from html import escape
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from events.errors import DebateDeleted, UnknownDebate
from server.errors import NotFound
from server.export.map.forms import MAPS
from server.export.map.graph import ArgumentMap
from server.export.map.page import map_html
from server.export.map.read import map_of
from server.export.preview.card import mark_meta
from server.http.access import access_of, behind_link, check_link, keep_link
from server.http.contract import answers
from server.http.exports import attachment
from server.http.limits import RateLimit
from server.http.requests import packed_response, service_of
from server.http.static import gone_page, made_page

TEMPLATE: Final = "parts/pages/map.html"

ENDINGS: Final = {"json": "map.json", "aif": "aif.json", "argdown": "argdown"}
"""How the name of a file ends, by form."""


@answers(ArgumentMap)
async def show_map(request: Request) -> Response:
    """GET /api/debates/{id}/map.{form}: the argument map; ``json``, ``aif`` or ``argdown``."""
    form = request.path_params["form"]
    if form not in MAPS:
        raise NotFound(f"a map is one of {', '.join(MAPS)}")
    service, debate = service_of(request), request.path_params["debate"]
    view = await service.hub.view(debate)

    async def made() -> AsyncIterator[bytes]:
        _check_rate(request)
        yield await to_thread.run_sync(MAPS[form], await map_of(service.log, debate))

    packed = await request.app.state.exports.answer(("map", form, debate, view.position), made)
    media_type = "text/plain; charset=utf-8" if form == "argdown" else "application/json"
    return packed_response(request, packed, media_type, attachment(view.motion, debate, ENDINGS[form]))


async def map_page(request: Request) -> Response:
    """GET /d/{id}/map: the map to read."""
    service, debate = service_of(request), request.path_params["debate"]
    try:
        await check_link(request, debate)
        view = await service.hub.view(debate)
    except DebateDeleted as error:
        return gone_page(request, error)
    except UnknownDebate:
        return made_page(request, "parts/pages/missing.html", {}, 404)

    async def made() -> AsyncIterator[bytes]:
        _check_rate(request)
        yield (await to_thread.run_sync(map_html, await map_of(service.log, debate))).encode()

    packed = await request.app.state.exports.answer(("map", "html", debate, view.position), made)
    body = b"".join(packed.pieces(is_gzip=False)).decode()
    head = f"<title>{escape(view.title or view.motion)}: argument map · Moot</title>{mark_meta(view.mark)}"
    response = made_page(request, TEMPLATE, {"<title>Argument map · Moot</title>": head, "<!--map-->": body})
    keep_link(request, response)
    return response


def _check_rate(request: Request) -> None:
    """Raise ``TooMany`` for a spectator who has many exports made."""
    rate: RateLimit = request.app.state.export_rate
    if not access_of(request).is_operator(request):
        rate.check_address(request)


ROUTES: Final = (
    Route("/d/{debate}/map", map_page),
    Route("/api/debates/{debate}/map.{form}", behind_link(show_map)),
)

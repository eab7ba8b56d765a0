"""Exports of a debate, the difference between two of its positions, and its page for other sites' frames."""

import re
import unicodedata
from html import escape
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from events.transfer import export
from server.errors import BadQuery
from server.export.archive import archive_of
from server.export.audit import Auditors
from server.export.diff import difference
from server.export.html import PAGE, files, html_export
from server.export.markdown import as_markdown
from server.http.access import POLICY, access_of, is_director
from server.http.events import is_revealed
from server.http.requests import json_response, service_of, whole_number

FRAMED: Final = {
    "content-security-policy": POLICY.replace("frame-ancestors 'self'", "frame-ancestors *"),
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
}
MAX_WORDS: Final = 48
"""Characters of the motion in a file's name."""
ID_PREFIX: Final = 13
"""Characters of the id in a file's name: the time to the millisecond, enough for every command."""


async def show_diff(request: Request) -> Response:
    """GET /api/debates/{id}/diff: what changed after ``from`` up to and with ``to``, as this client may see it."""
    service, debate = service_of(request), request.path_params["debate"]
    revealed = await is_revealed(request, debate)
    head = await service.log.head(debate)
    start = whole_number(request, "from", 0, 0, 1 << 40)
    end = whole_number(request, "to", head, 0, 1 << 40)
    if end > head:
        raise BadQuery(f"to={end} is beyond the head {head}", field="to")
    return json_response(await difference(service.hub.folds, debate, start, end, revealed=revealed))


async def export_events(request: Request) -> Response:
    """GET /api/debates/{id}/events.ndjson: the whole log."""
    service, debate = service_of(request), request.path_params["debate"]
    revealed = await is_revealed(request, debate)
    return StreamingResponse(
        export(service.log, debate, withhold=not revealed, shorten=not access_of(request).is_operator(request)),
        media_type="application/x-ndjson",
        headers=attachment((await service.hub.view(debate)).motion, debate, "ndjson"),
    )


async def export_json(request: Request) -> Response:
    """GET /api/debates/{id}/export.json: the view."""
    view = await _view(request)
    return _download(request, view.motion, msgspec.json.encode(view), "json", "application/json")


async def export_markdown(request: Request) -> Response:
    """GET /api/debates/{id}/export.md: a transcript."""
    view = await _view(request)
    auditors: Auditors = request.app.state.auditors
    audits = [await auditors.audit(view.id, int(number)) for number in view.turns]
    text = as_markdown(view, [each for each in audits if each is not None])
    return _download(request, view.motion, text.encode(), "md", "text/markdown; charset=utf-8")


async def export_html(request: Request) -> Response:
    """GET /api/debates/{id}/export.html: one file that replays offline; ``calls=0`` leaves the calls out."""
    with_calls = bool(whole_number(request, "calls", 1, 0, 1))
    archive = await archive_of(
        service_of(request).log, request.path_params["debate"], director=is_director(request), with_calls=with_calls
    )
    return _download(request, archive.motion, html_export(archive).encode(), "html", "text/html; charset=utf-8")


async def embed(request: Request) -> Response:
    """GET /d/{id}/embed: a small page that other sites may show in a frame; it can only be read."""
    debate = escape(request.path_params["debate"])
    link = f'<p class="source"><a href="/d/{debate}" target="_blank" rel="noopener">Open in Moot</a></p>'
    page = files()[PAGE].replace('<body class="page">', f'<body class="page embed">\n{link}')
    return HTMLResponse(page, headers=FRAMED)


async def _view(request: Request) -> Any:
    return await service_of(request).hub.view(request.path_params["debate"], director=is_director(request))


def _download(request: Request, motion: str, body: bytes, kind: str, media_type: str) -> Response:
    headers = attachment(motion, request.path_params["debate"], kind)
    return Response(body, media_type=media_type, headers=headers)


def file_name(motion: str, debate: str, kind: str) -> str:
    """``moot-cities-should-ban-private-cars-019a8b7c-4e21.html``: the motion in ASCII letters, if it has any."""
    plain = unicodedata.normalize("NFKD", motion).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    name = ""
    for word in words:
        if len(name) + len(word) >= MAX_WORDS:
            break
        name += f"-{word}"
    short = re.sub(r"[^A-Za-z0-9-]", "", debate[:ID_PREFIX]).rstrip("-")
    return f"moot{name}-{short}.{kind}"


def attachment(motion: str, debate: str, kind: str) -> dict[str, str]:
    """The header with the name under which a browser saves a debate."""
    return {"content-disposition": f'attachment; filename="{file_name(motion, debate, kind)}"'}

"""The listed debates as an Atom feed.  Source: RFC 4287; dates by RFC 3339, ids by RFC 9562 and RFC 4151."""

import hashlib
import re
from typing import Final
from urllib.parse import quote
from uuid import UUID
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import NotModifiedResponse

from events.store.listing import LISTED, Summary
from server.export.preview.card import STATES
from server.export.rows import outcome_of_row
from server.export.text import one_line
from server.http.requests import base_of, service_of
from server.http.static import FILES

ATOM: Final = "http://www.w3.org/2005/Atom"
MEDIA_TYPE: Final = "application/atom+xml"
ENTRIES: Final = 50
AGE_S: Final = 60
NEVER: Final = "1970-01-01T00:00:00Z"
"""The time of a feed without entries."""
_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not have."""


async def feed(request: Request) -> Response:
    """GET /debates.atom: the newest listed debates, as spectators see them in the list."""
    log, base = service_of(request).log, base_of(request)
    rows = (await log.summaries(limit=ENTRIES, limits=LISTED)).debates
    dated = [(row, await _changed_at(request, row)) for row in rows]
    root = ET.Element("feed", xmlns=ATOM)
    _text(root, "id", f"{base}/")
    _text(root, "title", "Debates on Moot")
    _text(root, "updated", max((at for _, at in dated), default=NEVER))
    _text(ET.SubElement(root, "author"), "name", "Moot")
    ET.SubElement(root, "link", rel="self", type=MEDIA_TYPE, href=f"{base}/debates.atom")
    ET.SubElement(root, "link", rel="alternate", type="text/html", href=f"{base}/")
    for row, at in dated:
        _entry(root, row, at, base)
    body = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    headers = {
        "etag": f'"{hashlib.sha256(body).hexdigest()[:16]}"',
        "cache-control": f"public, max-age={AGE_S}",
        "cross-origin-resource-policy": "cross-origin",
    }
    response = Response(body, media_type=MEDIA_TYPE, headers=headers)
    is_known = FILES.is_not_modified(response.headers, request.headers)
    return NotModifiedResponse(response.headers) if is_known else response


async def _changed_at(request: Request, row: Summary) -> str:
    """When the newest event of a debate was recorded."""
    newest = await service_of(request).log.envelopes(row.id, row.position - 1, 1)
    return newest[0].at if newest else row.opened_at


def _entry(root: ET.Element, row: Summary, at: str, base: str) -> None:
    entry = ET.SubElement(root, "entry")
    _text(entry, "id", _id_of(row.id))
    _text(entry, "title", one_line(row.title or row.motion))
    _text(entry, "updated", at)
    _text(entry, "published", row.opened_at)
    ET.SubElement(entry, "link", rel="alternate", type="text/html", href=f"{base}/d/{quote(row.id, safe='')}")
    for tag in row.tags:
        ET.SubElement(entry, "category", term=_NO_XML.sub("", tag))
    turns = f"{row.turns_spoken} of {row.turns_planned} turns"
    _text(entry, "summary", f"{outcome_of_row(row) or STATES[row.state]} · {turns}")


def _id_of(debate: str) -> str:
    """The IRI of a debate, which is the same on every server that has it."""
    try:
        return UUID(debate).urn
    except ValueError:
        return f"tag:moot,2026:{quote(debate, safe='')}"


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = _NO_XML.sub("", text)


ROUTES: Final = (Route("/debates.atom", feed),)

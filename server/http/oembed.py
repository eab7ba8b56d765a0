"""oEmbed: what another site shows of an address of a debate.  Source: oembed.com, sections 2.2, 2.3 and 3."""

import re
from html import escape
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.errors import BadQuery, HttpRefusal, NotFound
from server.export.preview.card import PICTURE_SIZE, title_of
from server.http.requests import base_of, json_response, service_of, whole_number
from server.process.extras import is_installed

PAGE_SIZE: Final = (720, 600)
CARD_SIZE: Final = (640, 220)
"""Pixels of the frames, as the page's own code to embed has them."""
AGE_S: Final = 300
MAX_PIXELS: Final = 10_000
"""Pixels that a site may allow."""
_PATH: Final = re.compile(r"/d/(?P<debate>[^/?#]+)(?P<card>/turns/(?P<turn>[0-9]{1,6})/card)?(?:/embed)?/?")


async def oembed(request: Request) -> Response:
    """GET /oembed: the frame of a debate, or of the card of a turn, as large as the site allows."""
    if request.query_params.get("format", "json") != "json":
        raise HttpRefusal(501, "this server answers in JSON only: format=json")
    if not (asked := request.query_params.get("url", "")):
        raise BadQuery("url must be the address of a debate, or of the card of a turn", field="url")
    wide, high = (whole_number(request, name, MAX_PIXELS, 1, MAX_PIXELS) for name in ("maxwidth", "maxheight"))
    found = _found(asked, base_of(request), str(request.base_url))
    if found is None:
        raise NotFound("this is no address of a debate on this server")
    debate, turn, query = found
    view = await service_of(request).hub.view(debate)
    if (
        view.unlisted or view.format == "lab" or (turn and turn not in view.turns)
    ):  # a frame would need the link's token
        raise NotFound("nothing is shown of this address on other sites")
    page = f"{base_of(request)}/d/{debate}"
    source = f"{page}/turns/{turn}/card{query}" if turn else f"{page}/embed"
    size = CARD_SIZE if turn else PAGE_SIZE
    width, height = min(wide, size[0]), min(high, size[1])
    title = title_of(view)
    answer = {
        "version": "1.0",
        "type": "rich",
        "title": title,
        "provider_name": "Moot",
        "provider_url": f"{base_of(request)}/",
        "cache_age": AGE_S,
        "html": f'<iframe src="{escape(source)}" width="{width}" height="{height}" title="{escape(title)}"></iframe>',
        "width": width,
        "height": height,
    }
    if is_installed("preview") and wide >= PICTURE_SIZE[0] and high >= PICTURE_SIZE[1]:
        of_picture = dict(zip(("thumbnail_width", "thumbnail_height"), PICTURE_SIZE, strict=True))
        answer |= {"thumbnail_url": f"{page}/preview.png", **of_picture}
    response = json_response(answer)
    response.headers["cross-origin-resource-policy"] = "cross-origin"
    return response


def _found(asked: str, *bases: str) -> tuple[str, str, str] | None:
    """The debate, the turn (empty for the whole debate) and the query of an address below one of the bases."""
    try:
        parts = urlsplit(asked)
    except ValueError:
        return None
    for base in map(urlsplit, bases):
        below = parts.path.removeprefix(base.path.rstrip("/"))
        is_here = parts.scheme in {"http", "https"} and parts.netloc.lower() == base.netloc.lower()
        if is_here and (match := _PATH.fullmatch(below)):
            return match["debate"], match["turn"] or "", f"?{parts.query}" if parts.query else ""
    return None


ROUTES: Final = (Route("/oembed", oembed),)

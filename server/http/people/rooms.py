"""A room that watches a debate: the view for its wall, and the short code and the QR code by which people join."""

import hashlib
from typing import Final
from urllib.parse import quote

import structlog
from msgspec import UNSET
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from events.errors import LogError, StoreUnavailable
from events.store.listing import Limits
from server.http.access import check_link, keep_link
from server.http.people.audience import link_of, qr_code
from server.http.requests import json_response, service_of
from server.http.static import made_page, page_response

logger = structlog.get_logger()

ALPHABET: Final = "23456789BCDFGHJKLMNPQRSTVWXZ"
"""No vowels and no letters that look like digits."""
LETTERS: Final = 4
MAX_SEARCHED: Final = 200
"""The newest debates among which a code is looked up: of so many, two have the same one with a chance of 3 %."""


class CodeConvertor(StringConvertor):
    """The short code of a debate in a path."""

    regex = f"[{ALPHABET}{ALPHABET[8:].lower()}]{{{LETTERS}}}"


register_url_convertor("code", CodeConvertor())


async def room_page(request: Request) -> Response:
    """GET /d/{id}/wall: a debate for the wall of a room; 404 if there is none."""
    try:
        await check_link(request, request.path_params["debate"])
        await service_of(request).hub.view_at(request.path_params["debate"], None)
    except StoreUnavailable as error:
        logger.warning("debate_not_looked_up", message=str(error))  # the page asks again
    except LogError:
        return made_page(request, "parts/pages/missing.html", {}, 404)
    response = await page_response(request, "vote/room.html")
    keep_link(request, response)
    return response


async def show_room_code(request: Request) -> Response:
    """GET /api/debates/{id}/qr.svg: the address of the debate as a QR code, or of its vote if it has a poll."""
    fold = await service_of(request).hub.view_at(request.path_params["debate"], None)
    return await qr_code(link_of(request, "/d/" if fold.view.poll is UNSET else "/vote/"))


async def show_join(request: Request) -> Response:
    """GET /api/debates/{id}/join: what people in a room type to open the debate.  An unlisted one has no code."""
    debate = request.path_params["debate"]
    fold = await service_of(request).hub.view_at(debate, None)
    code = "" if fold.view.unlisted else join_code(debate)
    return json_response({"place": f"{request.url.netloc}/", "code": code})


async def join(request: Request) -> Response:
    """GET /{code}: the newest listed debate that has this code.  Raises ``NotFound``."""
    listed = Limits(hidden=False, unlisted=False, archived=False)
    page = await service_of(request).log.summaries(None, MAX_SEARCHED, "", listed)
    for row in page.debates:
        if join_code(row.id) == request.path_params["code"].upper():
            return RedirectResponse(f"/d/{quote(row.id)}", 307)
    raise HTTPException(404)


def join_code(debate: str) -> str:
    """The short code of a debate: letters and digits that nobody confuses, from a digest of its id."""
    number = int.from_bytes(hashlib.sha256(debate.encode()).digest()[:8])
    letters = ""
    for _ in range(LETTERS):
        number, letter = divmod(number, len(ALPHABET))
        letters += ALPHABET[letter]
    return letters

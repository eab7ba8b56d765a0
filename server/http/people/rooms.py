"""A room that watches a debate: the view for its wall, the codes by which people join, and the event that it shows.

The wall of an operator steers its room: it tells the position that it shows, and the pages that joined ask for it.
That is no event: it is kept in memory, told to the other nodes, and over once the wall was silent for ``SILENT_S``.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote

import anyio
import msgspec
import structlog
from msgspec import UNSET, Struct
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from events.cluster.bus import Bus
from events.errors import LogError, StoreUnavailable
from events.store.listing import Limits
from server.errors import BadField
from server.http.access import access_of, check_link, keep_link
from server.http.body import read_object
from server.http.contract import QueryNumber, QueryText, answers
from server.http.people.audience import link_of, qr_code
from server.http.requests import json_response, service_of
from server.http.static import made_page, page_response

logger = structlog.get_logger()

ALPHABET: Final = "23456789BCDFGHJKLMNPQRSTVWXZ"
"""No vowels and no letters that look like digits."""
LETTERS: Final = 4
MAX_LETTERS: Final = 8
MAX_SEARCHED: Final = 200
"""The newest debates among which a code is looked up."""
SILENT_S: Final = 15.0
"""Seconds after the last word of its wall at which a room is steered by nobody; a wall tells every 5 s."""
HOLD_S: Final = 3.0
"""Seconds that a page waits for a change before it asks again: less than a server that stops gives its requests."""
MAX_POSITION: Final = 1 << 40
ROOM_POSITION: Final = QueryNumber("position", None, 0, MAX_POSITION)


class CodeConvertor(StringConvertor):
    """The short code of a debate in a path."""

    regex = f"[{ALPHABET}{ALPHABET[8:].lower()}]{{{LETTERS},{MAX_LETTERS}}}"


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


class Shown(Struct, frozen=True):
    """What the wall of a room shows.  ``position`` is 0 at the newest event, and None if no wall steers the room."""

    position: int | None = None
    playing: bool = False


class _Room:
    def __init__(self) -> None:
        self.shown, self.told_at, self.changed = Shown(), 0.0, asyncio.Event()


class Rooms:
    """The rooms of this node.  The other nodes are told what their walls show."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._rooms: dict[str, _Room] = {}

    def tell(self, debate: str, shown: Shown) -> None:
        """A wall shows this now."""
        self._keep(debate, shown)
        self._bus.publish(_subject(debate), msgspec.json.encode(shown))

    def _keep(self, debate: str, shown: Shown) -> None:
        now = asyncio.get_running_loop().time()
        for name in [name for name, each in self._rooms.items() if now - each.told_at > SILENT_S]:
            self._rooms.pop(name).changed.set()
        room = self._rooms.setdefault(debate, _Room())
        room.told_at = now
        if room.shown != shown:
            room.shown = shown
            room.changed.set()
            room.changed = asyncio.Event()

    def shown(self, debate: str) -> Shown:
        """What the wall of this room shows now."""
        room = self._rooms.get(debate)
        is_silent = room is None or asyncio.get_running_loop().time() - room.told_at > SILENT_S
        return Shown() if room is None or is_silent else room.shown

    async def changed(self, debate: str, known: Shown) -> Shown:
        """What the wall shows, as soon as that is not ``known``, or after ``HOLD_S``."""
        with self._hearing(debate), anyio.move_on_after(HOLD_S):
            while self.shown(debate) == known:
                await self._rooms[debate].changed.wait()
        return self.shown(debate)

    @contextmanager
    def _hearing(self, debate: str) -> Iterator[None]:
        def hear(message: bytes) -> None:
            self._keep(debate, msgspec.json.decode(message, type=Shown))

        with self._bus.subscribe(_subject(debate), hear):
            yield


def _subject(debate: str) -> str:
    """What messages about the room of a debate are sent under."""
    return f"room-{debate}"


@answers(dict[str, str], body=Shown, needs_operator=True)
async def steer_room(request: Request) -> Response:
    """PUT /api/debates/{id}/room: what the wall of an operator shows: ``{position, playing}``."""
    access_of(request).require_operator(request)
    fields = await read_object(request, empty={})
    try:
        shown = msgspec.convert(fields, Shown)
    except msgspec.ValidationError as error:
        raise BadField("position", "position is a whole number, and playing says whether it plays") from error
    if shown.position is not None and not 0 <= shown.position <= MAX_POSITION:
        raise BadField("position", "position is that of an event, or 0 at the newest one")
    request.app.state.rooms.tell(request.path_params["debate"], shown)
    return json_response({})


@answers(Shown, ROOM_POSITION, QueryText("playing", ("0", "1")))
async def show_room(request: Request) -> Response:
    """GET /api/debates/{id}/room: what the wall shows.

    With ``position`` and ``playing``, which the page knows, the answer waits for a change.
    """
    debate, rooms = request.path_params["debate"], request.app.state.rooms
    await service_of(request).hub.view_at(debate, None)
    if "position" not in request.query_params:
        return json_response(rooms.shown(debate))
    position = ROOM_POSITION.read(request)
    return json_response(await rooms.changed(debate, Shown(position, request.query_params.get("playing") == "1")))


@answers("image/svg+xml", QueryText("link"))
async def show_room_code(request: Request) -> Response:
    """GET /api/debates/{id}/qr.svg: the address of the debate as a QR code, or of its vote if it has a poll."""
    fold = await service_of(request).hub.view_at(request.path_params["debate"], None)
    is_poll = fold.view.poll is not UNSET
    return await qr_code(link_of(request, "/vote/" if is_poll else "/d/", room=""))


@answers(dict[str, str])
async def show_join(request: Request) -> Response:
    """GET /api/debates/{id}/join: what people in a room type to open the debate.  An unlisted one has no code."""
    codes = codes_of(await _listed(request))
    return json_response({"place": f"{request.url.netloc}/", "code": codes.get(request.path_params["debate"], "")})


async def join(request: Request) -> Response:
    """GET /{code}: the listed debate that has this code, in its room.  Raises ``NotFound``."""
    code, listed = request.path_params["code"].upper(), await _listed(request)
    codes = codes_of(listed)
    fits = sorted((each for each in listed if letters_of(each).startswith(code)), key=lambda each: codes[each] != code)
    if not fits:
        raise HTTPException(404)
    return RedirectResponse(f"/d/{quote(fits[0])}?room", 307)


async def _listed(request: Request) -> list[str]:
    """The ids of the newest listed debates."""
    listed = Limits(hidden=False, unlisted=False, archived=False)
    page = await service_of(request).log.summaries(None, MAX_SEARCHED, "", listed)
    return [row.id for row in page.debates]


def codes_of(newest_first: Iterable[str]) -> dict[str, str]:
    """The short code of each debate: four letters, and more where an older debate has the same ones."""
    codes: dict[str, str] = {}
    taken: set[str] = set()
    for debate in reversed([*newest_first]):
        letters = letters_of(debate)
        lengths = range(LETTERS, MAX_LETTERS + 1)
        codes[debate] = next((letters[:length] for length in lengths if letters[:length] not in taken), letters)
        taken.add(codes[debate])
    return codes


def letters_of(debate: str) -> str:
    """The letters of a code: letters and digits that nobody confuses, from a digest of the id."""
    number = int.from_bytes(hashlib.sha256(debate.encode()).digest()[:8])
    letters = ""
    for _ in range(MAX_LETTERS):
        number, letter = divmod(number, len(ALPHABET))
        letters += ALPHABET[letter]
    return letters

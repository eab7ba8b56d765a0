"""GET /league and GET /api/league: the league of the debates that anybody may find, read once and kept."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from html import escape
from typing import Any, Final

import anyio
import anyio.to_thread
import msgspec
from msgspec import structs
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from events.errors import LogError
from events.store.listing import LISTED, Summary
from events.store.log import EventLog
from server.errors import BadQuery
from server.export.document.html import to_html
from server.http.contract import QueryText, answers
from server.http.limits import RateLimit
from server.http.requests import json_response, service_of
from server.http.static import made_page
from server.league.document import LeagueShown, league_document
from server.league.forms import league_value
from server.league.matches import LeagueDebate, held_debate
from server.league.store import LeagueAsked, chosen, is_read, league_shown, people_of, rows_of

TEMPLATE: Final = "parts/pages/league.html"
MAX_DEBATES: Final = 1000
"""A league of the page rests on this many of the newest debates."""
WAIT_S: Final = 1.5
"""Seconds that a request waits for debates that are not read yet."""
MAX_KEPT: Final = 16
"""Leagues that are kept."""
MAX_NAME: Final = 2000
"""Characters of a parameter: those of a motion."""
LEAGUES_PER_MINUTE: Final = 20
"""Leagues that one address may have fitted in a minute: each takes a second or more of a core."""
FILTERS: Final[tuple[str, ...]] = ("q", "tag", "format", "judge")
CHOSEN: Final[tuple[str, ...]] = ("player", "against", "motion", "result", "judge", "and")


class LeagueBook:
    """The debates of a store that a league may show, each read once, and the leagues that were fitted last."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._read: dict[str, tuple[int, LeagueDebate]] = {}
        self._fitted: OrderedDict[str, LeagueShown] = OrderedDict()
        self._updating, self._fitting = anyio.Lock(), anyio.Lock()
        self.rate = RateLimit(LEAGUES_PER_MINUTE, "leagues were fitted")

    def forget(self, debate: str) -> None:
        """Forget a deleted debate, and the leagues that may rest on it."""
        self._read.pop(debate, None)
        self._fitted.clear()

    async def update(self) -> None:
        """Read the debates that are new.  If it is cancelled, it keeps those that it has read."""
        async with self._updating:
            rows = {
                row.id: row for row in await rows_of(self._log, LeagueAsked(limits=LISTED), MAX_DEBATES) if is_read(row)
            }
            self._read = {debate: read for debate, read in self._read.items() if debate in rows}
            for debate, row in rows.items():
                if debate not in self._read or self._read[debate][0] != row.position:
                    self._read[debate] = (row.position, await held_debate(self._log, debate))

    async def update_for(self, seconds: float) -> None:
        """Read the debates that are new, for at most this many seconds."""
        with anyio.move_on_after(seconds):
            await self.update()

    async def league(self, request: Request, asked: LeagueAsked, listed: set[str]) -> tuple[LeagueShown, int]:
        """The league, and how many of its debates are not read yet.  Raises ``TooMany``."""
        rows = await rows_of(self._log, asked, MAX_DEBATES)
        unread = sum(is_read(row) and row.id not in self._read for row in rows)
        known = {debate: read for debate, (_, read) in self._read.items()}
        counts = [row for row in rows if row.id in known or not is_read(row)]
        key = self._key(counts, asked, listed)
        async with self._fitting:
            found = self._fitted.get(key)
            if found is None:
                self.rate.check_address(request)
                limiter = request.app.state.report_limiter
                found = await anyio.to_thread.run_sync(league_shown, counts, known, asked, listed, limiter=limiter)
                self._fitted[key] = found
            self._fitted.move_to_end(key)
            while len(self._fitted) > MAX_KEPT:
                self._fitted.popitem(last=False)
        return found, unread

    def _key(self, rows: list[Summary], asked: LeagueAsked, listed: set[str]) -> str:
        known = sorted((debate, position) for debate, (position, _) in self._read.items())
        value = [[(row.id, row.position) for row in rows], known, asked, sorted(listed)]
        return hashlib.sha256(msgspec.json.encode(value)).hexdigest()


async def league_page(request: Request) -> Response:
    """GET /league: ``q``, ``tag``, ``format`` and ``judge`` limit it; ``player`` and others list debates."""
    try:
        shown = await _shown(request)
    except LogError as error:
        return made_page(request, TEMPLATE, {"<!--trouble-->": escape(str(error)), "<!--league-->": ""})
    body = to_html(league_document(shown))
    return _while_reading(request, shown, made_page(request, TEMPLATE, {"<!--trouble-->": "", "<!--league-->": body}))


@answers(dict[str, Any], *map(QueryText, FILTERS))
async def show_league(request: Request) -> Response:
    """GET /api/league: the same as JSON."""
    shown = await _shown(request)
    return _while_reading(request, shown, json_response(league_value(shown)))


def _while_reading(request: Request, shown: LeagueShown, response: Response) -> Response:
    """The response; debates that are not read yet are read after it."""
    if shown.unread:
        response.background = BackgroundTask(_book(request).update)
    return response


def _book(request: Request) -> LeagueBook:
    state = request.app.state
    if not hasattr(state, "league"):
        state.league = LeagueBook(service_of(request).log)
        service_of(request).hub.caches.append(state.league)
    book: LeagueBook = state.league
    return book


async def _shown(request: Request) -> LeagueShown:
    given = _given(request.query_params)
    limits: Any = structs.replace(LISTED, format=given.get("format"), tag=given.get("tag"))
    if limits.format not in {None, "exchange", "protocol"}:
        raise BadQuery(f"there is no league of format {limits.format[:40]!r}", field="format")
    judges = (given["judge"],) if "judge" in given and "and" not in given else ()
    asked = LeagueAsked(query=given.get("q", ""), limits=limits, judges=judges)
    book = _book(request)
    await book.update_for(WAIT_S)
    shown, unread = await book.league(request, asked, people_of(service_of(request).settings))
    query = {name: given[name] for name in FILTERS if name in given and not (name == "judge" and "and" in given)}
    names = {name: given[name] for name in CHOSEN if name in given}
    if names.keys() == {"judge"}:
        names = {}
    return chosen(shown, query, names, unread)


def _given(query: Mapping[str, str]) -> dict[str, str]:
    given = {name: query[name][:MAX_NAME] for name in {*FILTERS, *CHOSEN} if query.get(name)}
    if "and" in given and "judge" not in given:
        raise BadQuery("and names the second of two judges, so judge is needed", field="judge")
    return given


ROUTES: Final = (Route("/league", league_page), Route("/api/league", show_league))

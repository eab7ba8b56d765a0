"""GET /study/{id} and GET /api/studies/{id}: the report of a study, which is as private as its batch."""

from collections import OrderedDict
from typing import Any, Final

import anyio
from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from events.errors import DebateDeleted, UnknownDebate
from events.store.log import EventLog
from server.errors import NotFound
from server.export.document.html import to_html
from server.http.access import access_of, behind_link, check_link, keep_link
from server.http.contract import answers
from server.http.limits import RateLimit
from server.http.requests import json_response, service_of
from server.http.static import gone_page, made_page
from server.study.document import study_document
from server.study.forms import study_value
from server.study.report import StudyShown, shown
from server.study.rows import rows_of, study_batch

TEMPLATE: Final = "parts/pages/study.html"
CHOSEN: Final = ("arm", "debater", "judge")
MAX_NAME: Final = 300
"""Characters of a parameter."""
MAX_KEPT: Final = 8
"""Studies that are kept."""
STUDIES_PER_MINUTE: Final = 30
"""Studies that one address may have computed in a minute: each reads all its debates."""


class StudyBook:
    """The reports that were computed last, each for one position of its batch."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._kept: OrderedDict[str, tuple[int, StudyShown]] = OrderedDict()
        self._computing = anyio.Lock()
        self._rate = RateLimit(STUDIES_PER_MINUTE, "studies were computed")

    async def study(self, request: Request, debate: str) -> StudyShown:
        """The report of a study.  Raises ``NotFound``, ``TooMany``."""
        async with self._computing:
            batch = await study_batch(self._log, debate)
            kept = self._kept.get(debate)
            if kept is None or kept[0] != batch.position:
                self._rate.check_address(request)
                rows = await rows_of(self._log, batch)
                limiter = request.app.state.report_limiter
                found = await anyio.to_thread.run_sync(shown, batch, rows, limiter=limiter)
                kept = self._kept[debate] = (batch.position, found)
            self._kept.move_to_end(debate)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return kept[1]

    def forget(self, debate: str) -> None:
        """Forget all reports: each of them may hold an answer of this deleted debate."""
        del debate
        self._kept.clear()


async def study_page(request: Request) -> Response:
    """GET /study/{id}: ``arm``, ``debater`` and ``judge`` list the answers of a cell."""
    debate = request.path_params["batch"]
    try:
        await check_link(request, debate)
        found = await _book(request).study(request, debate)
    except DebateDeleted as error:
        return gone_page(request, error)
    except (NotFound, UnknownDebate):
        return made_page(request, "parts/pages/missing.html", {}, 404)
    chosen = {name: request.query_params[name][:MAX_NAME] for name in CHOSEN if request.query_params.get(name)}
    is_operator = access_of(request).is_operator(request)
    given = structs.replace(found, chosen=chosen, seats=found.seats if is_operator else ())
    response = made_page(request, TEMPLATE, {"<!--study-->": to_html(study_document(given))})
    keep_link(request, response)
    return response


@answers(dict[str, Any])
async def show_study(request: Request) -> Response:
    """GET /api/studies/{id}: the same as JSON, with every answer."""
    return json_response(study_value(await _book(request).study(request, request.path_params["batch"])))


def _book(request: Request) -> StudyBook:
    state = request.app.state
    if not hasattr(state, "studies"):
        state.studies = StudyBook(service_of(request).log)
        service_of(request).hub.caches.append(state.studies)
    book: StudyBook = state.studies
    return book


ROUTES: Final = (Route("/study/{batch}", study_page), Route("/api/studies/{batch}", behind_link(show_study)))

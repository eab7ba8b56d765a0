"""Lab runs: open one, estimate it, show it, and its report."""

from typing import Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from events.errors import DebateDeleted, UnknownDebate
from events.view.view import View
from server.debate.formats.lab.setup import LabRequest
from server.debate.opening.request import DebateRequest, JudgeRequest
from server.debate.setup.estimate import Estimate
from server.debate.setup.lab import LabEstimate, estimate_of
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.errors import BadQuery, NotFound
from server.export.lab.report import page_html, report_csv, report_html, report_json
from server.http.access import access_of, check_link, keep_link, note_act
from server.http.body import read_object
from server.http.contract import QueryText, answers
from server.http.exports import attachment
from server.http.limits import RateLimit
from server.http.requests import json_response, service_of
from server.http.static import gone_page, made_page

OF_DEBATE: Final = frozenset({"judge", "rubric", "max_cost_usd", "deadline_s"})
"""Fields of a lab's body that any debate has; the others are those of its part ``lab``."""
REPORTS: Final = {
    "html": (report_html, "text/html; charset=utf-8"),
    "json": (report_json, "application/json"),
    "csv": (report_csv, "text/csv; charset=utf-8"),
}


class LabBody(LabRequest, kw_only=True, forbid_unknown_fields=True):
    """The part ``lab`` of a request, and the fields that any debate has, as ``OF_DEBATE`` names them."""

    judge: JudgeRequest | None = None
    rubric: dict[str, Any] | str | None = None
    max_cost_usd: float | None = None
    deadline_s: float | None = None


@answers(dict[str, str], status=201, body=LabBody, needs_operator=True)
async def open_lab(request: Request) -> Response:
    """POST /api/labs."""
    access_of(request).begin_act(request)
    rate: RateLimit = request.app.state.open_rate
    rate.check_address(request)
    service = service_of(request)
    opened, follows = await opening_for(service.log, await _wanted(request), service.registry, service.settings)
    lab = await service.moderators.open(opened, follows)
    note_act(request, made=lab)
    return json_response({"id": lab}, 201)


@answers(Estimate | LabEstimate, body=LabBody, needs_operator=True)
async def show_estimate(request: Request) -> Response:
    """POST /api/labs/estimate: what a run with this body would take.  Opens nothing, calls no model."""
    access_of(request).require_operator(request)
    service = service_of(request)
    opened, _ = await opening_for(service.log, await _wanted(request), service.registry, service.settings)
    return json_response(await to_thread.run_sync(estimate_of, opened, limiter=request.app.state.estimate_limiter))


@answers(dict[str, Any])
async def show_lab(request: Request) -> Response:
    """GET /api/labs/{id}: how far a run is, and its effects."""
    view = await _view(request)
    return json_response(
        {
            "id": view.id,
            "state": view.state,
            "reason": view.reason,
            "opened_at": view.opened_at,
            "judge": view.judge,
            "rubric": view.rubric,
            "lab": view.lab,
            "usage": view.usage,
        }
    )


@answers("text/html application/json text/csv", QueryText("as", tuple(REPORTS)))
async def show_report(request: Request) -> Response:
    """GET /api/labs/{id}/report: ``as=html``, ``json`` or ``csv``."""
    kind = request.query_params.get("as", "html")
    if kind not in REPORTS:
        raise BadQuery(f"as must be one of {', '.join(REPORTS)}, not {kind[:20]!r}", field="as")
    view = await _view(request)
    make, media_type = REPORTS[kind]
    body = make(view)
    headers = attachment(view.motion, view.id, kind)
    return Response(body, media_type=media_type, headers=headers)


async def lab_page(request: Request) -> Response:
    """GET /lab/{id}: the page of a run; an unlisted one is there for clients with its link only."""
    try:
        await check_link(request, request.path_params["lab"])
        view = await _view(request)
    except DebateDeleted as error:
        return gone_page(request, error)
    except (NotFound, UnknownDebate):
        return made_page(request, "parts/pages/missing.html", {}, 404)
    response = HTMLResponse(page_html(view), headers={"cache-control": "no-cache"})
    keep_link(request, response)
    return response


async def _wanted(request: Request) -> DebateRequest:
    """The request for a lab: in its body the fields of its part ``lab`` are not nested."""
    body = await read_object(request)
    said: dict[str, Any] = {name: body.pop(name) for name in OF_DEBATE & body.keys()}
    return as_request({**said, "format": "lab", "lab": body})


async def _view(request: Request) -> View:
    view: View = await service_of(request).hub.view(request.path_params["lab"])
    if view.format != "lab":
        raise NotFound("there is no lab run with this id")
    return view

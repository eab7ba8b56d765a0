"""Batches: show one, its debates, and its page.  One is opened as a debate of format ``batch``."""

from typing import Any, Final

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from events.errors import DebateDeleted, UnknownDebate
from events.state.parts.batch import INITIAL as NONE_BEGUN
from events.view.batch import BatchView
from events.view.view import View
from server.errors import NotFound
from server.export.batch import page_html
from server.http.access import behind_link, check_link, keep_link
from server.http.contract import answers
from server.http.requests import json_response, service_of
from server.http.static import gone_page, made_page


@answers(dict[str, Any])
async def show_batch(request: Request) -> Response:
    """GET /api/batches/{id}: how far a batch is."""
    view, batch = await _view(request)
    return json_response(
        {
            "id": view.id,
            "state": view.state,
            "reason": view.reason,
            "opened_at": view.opened_at,
            "motion": view.motion,
            "batch": batch,
        }
    )


@answers(dict[str, Any])
async def list_debates(request: Request) -> Response:
    """GET /api/batches/{id}/debates: every debate that has begun, and how it ended."""
    await _view(request)
    fold = await service_of(request).hub.view_at(request.path_params["batch"], None)
    rows: list[dict[str, Any]] = [
        {
            "key": key,
            "debate": each.debate,
            "attempt": each.attempt,
            "state": each.state,
            **(
                {}
                if each.ended is None
                else {name: getattr(each.ended, name) for name in ENDED if getattr(each.ended, name) is not UNSET}
            ),
        }
        for key, each in (fold.debate.batch or NONE_BEGUN).items.items()
    ]
    return json_response({"debates": rows})


ENDED: Final = ("winner", "by_rule", "reason", "cost_usd", "calls", "tokens", "seconds")
"""What is told of the end of a debate."""


async def batch_page(request: Request) -> Response:
    """GET /batch/{id}: the page of a batch; an unlisted one is there for clients with its link only."""
    try:
        await check_link(request, request.path_params["batch"])
        view, batch = await _view(request)
    except DebateDeleted as error:
        return gone_page(request, error)
    except (NotFound, UnknownDebate):
        return made_page(request, "parts/pages/missing.html", {}, 404)
    response = HTMLResponse(page_html(view, batch), headers={"cache-control": "no-cache"})
    keep_link(request, response)
    return response


async def _view(request: Request) -> tuple[View, BatchView]:
    view: View = await service_of(request).hub.view(request.path_params["batch"])
    if not isinstance(view.batch, BatchView):
        raise NotFound("there is no batch with this id")
    return view, view.batch


ROUTES: Final = (
    Route("/batch/{batch}", batch_page),
    Route("/api/batches/{batch}", behind_link(show_batch)),
    Route("/api/batches/{batch}/debates", behind_link(list_debates)),
)

"""What is asked of one debate over HTTP: pause, resume, halt, appeal, decide, a word to both sides, a what-if."""

from functools import partial
from typing import Any, Final
from urllib.parse import quote

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from events.errors import UnknownDebate
from server.debate.acts import label_event, read_decision, read_labels, read_word
from server.errors import BadField
from server.http.access import access_of
from server.http.body import read_object
from server.http.limits import RateLimit
from server.http.requests import json_response, service_of
from server.whatif.comparison import records_of, what_if
from server.whatif.request import read_request

MAX_REASON: Final = 500
"""Characters."""
WHATIF_PER_MINUTE: Final = 60
"""What-if questions from one address."""


async def pause(request: Request) -> Response:
    """POST /api/debates/{id}/pause."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    reason, _ = _reason_and_cap(await read_object(request, empty={}))
    return json_response({"position": await service.moderators.pause(debate, reason, "moderator")})


async def resume(request: Request) -> Response:
    """POST /api/debates/{id}/resume."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    reason, cap = _reason_and_cap(await read_object(request, empty={}))
    return json_response({"position": await service.moderators.resume(debate, reason, "moderator", cap)})


async def halt(request: Request) -> Response:
    """POST /api/debates/{id}/halt."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    reason, _ = _reason_and_cap(await read_object(request, empty={}))
    return json_response({"position": await service.moderators.halt(debate, reason, "moderator")})


async def appeal(request: Request) -> Response:
    """POST /api/debates/{id}/claims/{claim}/appeal: ask for a second opinion on a flag."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    position = await service.moderators.appeal(debate, request.path_params["claim"], "moderator")
    return json_response({"position": position})


async def decide(request: Request) -> Response:
    """POST /api/debates/{id}/decision: a person decides, because the panel named no winner."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    decision = read_decision(await read_object(request))
    position = await service.moderators.decide(debate, decision.decision, decision.reason, decision.by)
    return json_response({"position": position})


async def say(request: Request) -> Response:
    """POST /api/debates/{id}/say: ``{text}``, a message of the moderator to both debaters."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    position = await service.moderators.say(debate, read_word(await read_object(request)))
    return json_response({"position": position})


async def label(request: Request) -> Response:
    """POST /api/debates/{id}/labels: name and file the debate; a new link for an unlisted one."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    labelled, token = label_event(read_labels(await read_object(request)), "moderator")
    answer: dict[str, Any] = {"position": await service.moderators.label(debate, labelled)}
    if token:
        answer["link"] = f"/d/{quote(debate)}?link={token}"
    return json_response(answer)


def _reason_and_cap(body: dict[str, Any]) -> tuple[str, float | None]:
    """Why, and the new cap on cost that a resume may bring.  Raises ``BadField``."""
    reason, cap = body.get("reason", ""), body.get("max_cost_usd")
    if not isinstance(reason, str) or len(reason) > MAX_REASON:
        raise BadField("reason", f"a reason is a text of at most {MAX_REASON} characters")
    if cap is None:
        return reason, None
    if isinstance(cap, bool) or not isinstance(cap, int | float) or not 0 < cap < float("inf"):
        raise BadField("max_cost_usd", "a cap is a number of US dollars above 0")
    return reason, float(cap)


async def ask_what_if(request: Request) -> Response:
    """POST /api/debates/{id}/whatif: the recorded outcome beside the one under other rules.  Writes nothing.

    A thread computes the answer, one at a time.
    """
    rate: RateLimit = request.app.state.whatif_rate
    rate.check_address(request)
    service, debate = service_of(request), request.path_params["debate"]
    question = read_request(await read_object(request))
    if not await service.log.head(debate):
        raise UnknownDebate(debate)
    records = await records_of(service.log, debate)
    limiter = request.app.state.whatif_limiter
    return json_response(await to_thread.run_sync(partial(what_if, records, question), limiter=limiter))

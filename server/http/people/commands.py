"""What is asked of one debate over HTTP: the acts of an operator, and a what-if."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from anyio import to_thread
from msgspec import Struct, field
from starlette.requests import Request
from starlette.responses import Response

from events.record import Recorded
from events.store.log import not_there
from server.debate.acting.operator_acts import Act, OperatorRequest
from server.http.access import access_of
from server.http.body import read_object
from server.http.contract import ActAnswer, answers
from server.http.limits import RateLimit
from server.http.requests import PRIVATE, json_response, service_of
from server.whatif.comparison import records_of
from server.whatif.ifs import If, Offer, offer, read_blanks, sentence
from server.whatif.request import read_request
from server.whatif.table import ToldWhatIf, told

WHATIF_PER_MINUTE: Final = 60
"""What-if questions from one address."""


class WhatIfBody(Struct, kw_only=True, forbid_unknown_fields=True):
    """A sentence with other values in its blanks, or changes of the rubric."""

    if_: str = field(name="if", default="")
    blanks: dict[str, Any] = {}
    rubric: dict[str, Any] | str = ""
    figures: dict[str, Any] = {}
    without_rater: str = ""


class HostedQuestions(Struct, frozen=True):
    """Questions as of ``server.people.hosted.HostedQuestion``."""

    questions: tuple[dict[str, Any], ...]


def operator_act(act: Act) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of an act of ``server.debate.acting.operator_acts``: it answers with the position of the event."""

    @answers(ActAnswer, body=act.body, needs_operator=True)
    async def endpoint(request: Request) -> Response:
        access_of(request).begin_act(request)
        place = request.path_params
        fields = {} if request.method == "DELETE" else await read_object(request, empty={})
        asked = act(OperatorRequest(fields=fields, place=place, by="moderator"))
        position = await service_of(request).moderators.act(place["debate"], asked.command)
        response = json_response({"position": position, **asked.answer})
        response.headers.update(PRIVATE)
        return response

    return endpoint


@answers(HostedQuestions, needs_operator=True)
async def show_hosted(request: Request) -> Response:
    """GET /api/debates/{id}/hosted: what waits for the answer of a model outside, for the operator."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    if not await service.log.head(debate):
        raise await not_there(service.log, debate)
    response = json_response(HostedQuestions(await service.moderators.hosted_questions(debate)))
    response.headers.update(PRIVATE)
    return response


@answers(Offer)
async def show_what_if(request: Request) -> Response:
    """GET /api/debates/{id}/whatif: the sentences with blanks, each with its outcome, and the figures of the rubric."""
    rate: RateLimit = request.app.state.whatif_rate
    rate.check_address(request)
    return await _from_records(request, offer)


@answers(If | ToldWhatIf, body=WhatIfBody)
async def ask_what_if(request: Request) -> Response:
    """POST /api/debates/{id}/whatif: the recorded outcome compared with the one under other rules.  Writes nothing.

    ``{"if": name, "blanks": {…}}`` asks for one of the sentences with its outcome.
    """
    rate: RateLimit = request.app.state.whatif_rate
    rate.check_address(request)
    said = await read_object(request)
    if "if" in said:
        return await _from_records(request, partial(sentence, said=read_blanks(said)))
    return await _from_records(request, partial(told, request=read_request(said)))


async def _from_records(request: Request, compute: Callable[[Sequence[Recorded]], Any]) -> Response:
    """What a thread computes from all records of the debate, one at a time.  Raises ``DebateNotFound``."""
    service, debate = service_of(request), request.path_params["debate"]
    if not await service.log.head(debate):
        raise await not_there(service.log, debate)
    async with request.app.state.whatif_limiter:  # the records take memory too
        records = await records_of(service.log, debate)
        return json_response(await to_thread.run_sync(compute, records))

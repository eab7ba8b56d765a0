"""What-if questions over HTTP: they write nothing, but they compute, so their number is limited."""

from functools import partial
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from events.errors import UnknownDebate
from server.http.body import read_object
from server.http.limits import RateLimit
from server.http.requests import json_response, service_of
from server.whatif.comparison import records_of, what_if
from server.whatif.request import read_request

PER_MINUTE: Final = 60
"""Questions from one address."""


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

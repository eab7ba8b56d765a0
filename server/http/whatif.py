"""HTTP: what if.  A reading act, but one that computes: bounded by address, one at a time, beside the loop."""

from functools import partial
from typing import Final

from anyio import CapacityLimiter, to_thread
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import Request
from starlette.responses import Response

from events.errors import UnknownDebate
from server.errors import TooMany
from server.http.routes import json_response, service_of
from server.whatif.answer import records_of, what_if
from server.whatif.rubric import read_request

PER_MINUTE: Final = 60
"""Questions from one address."""
ONE_AT_A_TIME: Final = 1


class WhatIfs:
    """How often one address may ask, and how many are computed at once."""

    def __init__(self, per_minute: int = PER_MINUTE) -> None:
        self._limit = parse(f"{per_minute}/minute")
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self.turn = CapacityLimiter(ONE_AT_A_TIME)

    def check(self, request: Request) -> None:
        """Raises ``TooMany``."""
        client = request.client.host if request.client else ""
        if not self._limiter.hit(self._limit, client):
            raise TooMany("too many what-ifs were asked from here in a minute", retry_after_s=60)


async def ask_what_if(request: Request) -> Response:
    """POST /api/debates/{id}/whatif: the recorded outcome beside the one under other rules.  Writes nothing."""
    whatifs: WhatIfs = request.app.state.whatifs
    whatifs.check(request)
    service, debate = service_of(request), request.path_params["debate"]
    wish = read_request(await request.body())
    if not await service.log.head(debate):
        raise UnknownDebate(debate)
    records = await records_of(service.log, debate)
    answer = await to_thread.run_sync(partial(what_if, records, wish), limiter=whatifs.turn)
    return json_response(answer)

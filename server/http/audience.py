"""HTTP: what the audience and the moderator say.  POST /api/debates/{id}/votes and …/say.

One voice a browser: a signed cookie carries a random voter id.  The log gets neither: a digest of the id and the debate
stands there, so that nobody can be followed from one debate to another.
"""

import hashlib
import hmac
import math
import secrets
import time
from typing import Final

from itsdangerous import BadSignature, URLSafeSerializer
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import Request
from starlette.responses import Response

from server.debate.acts import read_ballot, read_word
from server.errors import TooMany
from server.http.routes import access_of, json_response, service_of
from server.settings import Settings

COOKIE: Final = "moot_voter"
COOKIE_AGE_S: Final = 365 * 24 * 3600
A_VOTER: Final = 30
"""Votes and beliefs of one voter in a minute."""
PSEUDONYM: Final = 16
"""Hex digits of a voter's pseudonym: 64 bits."""


class Booth:
    """Who may cast how much, and under which name it is recorded."""

    def __init__(self, settings: Settings) -> None:
        self._cookies = URLSafeSerializer(settings.token or "loopback", salt="moot.voter")
        self._of_address = parse(f"{settings.votes_per_minute}/minute")
        self._of_voter = parse(f"{A_VOTER}/minute")
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def voter(self, request: Request) -> tuple[str, bool]:
        """The voter's id, and whether it is new: made for whoever brings none that we have signed."""
        try:
            known = self._cookies.loads(request.cookies.get(COOKIE, ""))
        except BadSignature:
            known = None
        return (known, False) if isinstance(known, str) else (secrets.token_hex(16), True)

    def check(self, request: Request, voter: str) -> None:
        """Count one more.  Raises ``TooMany``."""
        address = request.client.host if request.client else ""
        for limit, kind, who in ((self._of_address, "address", address), (self._of_voter, "voter", voter)):
            if not self._limiter.hit(limit, kind, who):
                wait_s = self._limiter.get_window_stats(limit, kind, who).reset_time - time.time()
                from_here = "from this address" if kind == "address" else "from you"
                raise TooMany(
                    f"too many votes came {from_here} in a minute: the limit is {limit.amount}",
                    retry_after_s=max(1, math.ceil(wait_s)),
                )

    def remember(self, request: Request, response: Response, voter: str) -> None:
        """Give a new voter the cookie."""
        response.set_cookie(
            COOKIE,
            self._cookies.dumps(voter),
            max_age=COOKIE_AGE_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )


def pseudonym(voter: str, debate: str) -> str:
    """The name under which a voter stands in the log of one debate: HMAC-SHA-256, shortened."""
    return hmac.new(voter.encode(), debate.encode(), hashlib.sha256).hexdigest()[:PSEUDONYM]


async def vote(request: Request) -> Response:
    """POST /api/debates/{id}/votes: ``{winner}`` or ``{turn, belief}``, by anybody who may watch."""
    service, debate = service_of(request), request.path_params["debate"]
    booth: Booth = request.app.state.booth
    voter, is_new = booth.voter(request)
    ballot = read_ballot(await request.body(), pseudonym(voter, debate))
    booth.check(request, voter)
    response = json_response({"position": await service.moderators.cast(debate, ballot)})
    if is_new:
        booth.remember(request, response, voter)
    return response


async def say(request: Request) -> Response:
    """POST /api/debates/{id}/say: ``{text}``, a word of the moderator's to both debaters."""
    access_of(request).require_operator(request)
    service, debate = service_of(request), request.path_params["debate"]
    position = await service.moderators.say(debate, read_word(await request.body()))
    return json_response({"position": position})

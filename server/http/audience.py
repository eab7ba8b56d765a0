"""Votes and beliefs of the audience.

A signed cookie gives each browser a random voter id.  The log does not hold it: it holds a digest of the id and the
debate, so that a voter cannot be followed from one debate to another.
"""

import hashlib
import hmac
import secrets
from typing import Final

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.requests import Request
from starlette.responses import Response

from events.errors import UnknownDebate
from server.debate.acts import read_ballot
from server.http.access import signing_key
from server.http.body import read_object
from server.http.limits import RateLimit
from server.http.requests import json_response, service_of
from server.settings import Settings

COOKIE: Final = "moot_voter"
COOKIE_AGE_S: Final = 365 * 24 * 3600
VOTER_PER_MINUTE: Final = 30
"""Votes and beliefs of one voter."""
PSEUDONYM_DIGITS: Final = 16
"""Hexadecimal digits of a voter's pseudonym: 64 bits."""


class Voters:
    """The cookie that tells voters apart, and the limits on what one voter and one address may send."""

    def __init__(self, settings: Settings) -> None:
        self._cookies = URLSafeSerializer(signing_key(settings.token, "moot.voter"), salt="moot.voter")
        self._by_address = RateLimit(settings.votes_per_minute, "votes came")
        self._by_voter = RateLimit(VOTER_PER_MINUTE, "votes came")

    def identify(self, request: Request) -> tuple[str, bool]:
        """The voter's id, and whether it is new: a request without a cookie of ours gets a new id."""
        try:
            known = self._cookies.loads(request.cookies.get(COOKIE, ""))
        except BadSignature:
            known = None
        return (known, False) if isinstance(known, str) else (secrets.token_hex(16), True)

    def check_address(self, request: Request) -> None:
        """Count a vote of this address.  Raises ``TooMany``."""
        self._by_address.check_address(request)

    def check_voter(self, voter: str) -> None:
        """Count a vote of this voter.  Raises ``TooMany``."""
        self._by_voter.check(voter, "you")

    def set_cookie(self, request: Request, response: Response, voter: str) -> None:
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
    """The name of a voter in the log of one debate: HMAC-SHA-256, shortened."""
    return hmac.new(voter.encode(), debate.encode(), hashlib.sha256).hexdigest()[:PSEUDONYM_DIGITS]


async def vote(request: Request) -> Response:
    """POST /api/debates/{id}/votes: ``{winner}`` or ``{turn, belief}``, from any client that may watch."""
    service, debate = service_of(request), request.path_params["debate"]
    voters: Voters = request.app.state.voters
    voter, is_new = voters.identify(request)
    ballot = read_ballot(await read_object(request), pseudonym(voter, debate))
    voters.check_address(request)
    if not await service.log.head(debate):
        raise UnknownDebate(debate)
    voters.check_voter(voter)
    response = json_response({"position": await service.moderators.cast(debate, ballot)})
    if is_new:
        voters.set_cookie(request, response, voter)
    return response

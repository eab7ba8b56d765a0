"""Votes and beliefs of the audience, and the poll of a debate.

A signed cookie gives each browser a random voter id.  The log does not hold it: it holds a digest of the id and the
debate, so that a voter cannot be followed from one debate to another.
"""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from io import BytesIO
from typing import Final
from urllib.parse import urlencode

import structlog
from itsdangerous import BadSignature, URLSafeSerializer
from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from events.errors import LogError, StoreUnavailable
from events.state.debate import Conclusion
from events.state.parts.audience import last_of
from events.store.log import not_there
from events.types import POLL_ROUNDS, PollRound, PollSetup, Stance, StanceStated, Winner
from events.view.poll import PollView
from events.view.view import Fold
from providers.imports import load
from server.debate.acts import read_ballot
from server.debate.commands import CastBallot
from server.errors import NotAllowed, NotFound
from server.http.access import MAX_LINK, check_link, keep_link, signing_key
from server.http.body import read_object
from server.http.contract import ActAnswer, QueryText, answers
from server.http.limits import RateLimit, address_of
from server.http.requests import json_response, service_of
from server.http.static import made_page, page_response
from server.settings import Settings

logger = structlog.get_logger()

COOKIE: Final = "moot_voter"
COOKIE_AGE_S: Final = 365 * 24 * 3600
VOTER_PER_MINUTE: Final = 30
"""Votes and beliefs of one voter."""
PSEUDONYM_DIGITS: Final = 16
"""Hexadecimal digits of a voter's pseudonym: 64 bits."""
POLLS_REMEMBERED: Final = 10_000
"""Addresses in polls whose voters are counted; beyond that the one that voted least recently is forgotten."""
NO_COOKIE: Final = (
    "this browser sent no cookie, so its vote cannot be told from another one: allow cookies for this site, open the "
    "page of the vote again, and vote"
)


class PollAnswer(Struct, frozen=True, kw_only=True):
    """What the page of the vote shows."""

    motion: str
    language: str | UnsetType
    state: str
    poll: PollView | UnsetType
    mine: dict[PollRound, Stance]
    """This browser's votes."""
    turns: tuple[int, int]
    """Spoken, and planned."""
    conclusion: Conclusion | UnsetType
    unlisted: bool | UnsetType
    """Present and true if the address of the vote needs the token of the debate's link."""


class BallotBody(Struct, frozen=True, kw_only=True):
    """A vote, a belief about a turn, or a vote of the poll."""

    winner: Winner | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    belief: float | UnsetType = UNSET
    when: PollRound | UnsetType = UNSET
    stance: Stance | UnsetType = UNSET


class PollLimits:
    """The voters of each address in each poll of this process, and how often each address votes."""

    def __init__(self, per_minute: int, usual: int) -> None:
        """``usual``: voters that one address may have in a poll that does not say."""
        self._usual, self._per_minute = usual, per_minute
        self._rate = RateLimit(per_minute, "votes came")
        self._voters: OrderedDict[tuple[str, str], set[str]] = OrderedDict()

    def most(self, setup: PollSetup) -> int:
        """Voters that one address may have in this poll."""
        return setup.voters_per_address or self._usual

    def admit(self, debate: str, setup: PollSetup, address: str, voter: str) -> None:
        """Count a vote and its voter.  Raises ``TooMany``, and ``NotAllowed`` for a voter too many."""
        most = self.most(setup)
        self._rate.check(f"{debate} {address}", "this address", most=max(self._per_minute, 2 * most))
        known = self._voters.setdefault((debate, address), set())
        self._voters.move_to_end((debate, address))
        if len(self._voters) > POLLS_REMEMBERED:
            self._voters.popitem(last=False)
        if voter not in known and len(known) >= most:
            raise NotAllowed(f"{most:,} voters of this address have voted, and the poll takes no more from one address")
        known.add(voter)


class Voters:
    """The cookie that tells voters apart, and the limits on what one voter and one address may send."""

    def __init__(self, settings: Settings) -> None:
        self._cookies = URLSafeSerializer(signing_key(settings.token, "moot.voter"), salt="moot.voter")
        self._by_address = RateLimit(settings.votes_per_minute, "votes came")
        self._by_voter = RateLimit(VOTER_PER_MINUTE, "votes came")
        self.polls = PollLimits(settings.votes_per_minute, settings.voters_per_address)

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


@answers(ActAnswer, body=BallotBody)
async def vote(request: Request) -> Response:
    """POST /api/debates/{id}/votes: ``{winner}``, ``{turn, belief}`` or ``{when, stance}``, from any who may watch."""
    service, debate = service_of(request), request.path_params["debate"]
    voters: Voters = request.app.state.voters
    voter, is_new = voters.identify(request)
    name = pseudonym(voter, debate)
    ballot = read_ballot(await read_object(request), name)
    if isinstance(ballot, StanceStated):
        setup = await _setup_of(request)
        if is_new:
            raise NotAllowed(NO_COOKIE)
        voters.check_voter(voter)
        voters.polls.admit(debate, setup, address_of(request), name)
        return json_response({"position": await service.moderators.act(debate, CastBallot(ballot))})
    voters.check_address(request)
    if not await service.log.head(debate):
        raise await not_there(service.log, debate)
    voters.check_voter(voter)
    response = json_response({"position": await service.moderators.act(debate, CastBallot(ballot))})
    if is_new:
        voters.set_cookie(request, response, voter)
    return response


# the poll


async def vote_page(request: Request) -> Response:
    """GET /vote/{id}, for voters, and /vote/{id}/wall, for the wall of a room; 404 if there is no such poll."""
    try:
        await check_link(request, request.path_params["debate"])
        await _setup_of(request)
    except StoreUnavailable as error:
        logger.warning("poll_not_looked_up", message=str(error))  # the page asks again
    except (LogError, NotFound):
        return made_page(request, "vote/vote.html", {}, 404)
    response = await page_response(request, "vote/vote.html")
    keep_link(request, response)
    return response


@answers(PollAnswer)
async def show_poll(request: Request) -> Response:
    """GET /api/debates/{id}/poll: the poll, and what this browser voted.  It gives a new browser the cookie."""
    voters: Voters = request.app.state.voters
    fold, debate = await _fold_of(request), request.path_params["debate"]
    voter, is_new = voters.identify(request)
    view, poll, name = fold.view, fold.debate.audience.poll, pseudonym(voter, debate)
    mine = {when: last_of(poll.vote(when).said, name) for when in POLL_ROUNDS}
    answer = PollAnswer(
        motion=view.motion,
        language=view.language,
        state=view.state,
        poll=view.poll,
        mine={when: stance for when, stance in mine.items() if stance is not None},
        turns=(len(fold.debate.transcript.spoken()), view.turns_planned),
        conclusion=view.conclusion,
        unlisted=view.unlisted,
    )
    response = json_response(answer)
    response.headers["cache-control"] = "no-store"
    if is_new:
        voters.set_cookie(request, response, voter)
    return response


@answers("image/svg+xml", QueryText("link"))
async def show_code(request: Request) -> Response:
    """GET /api/debates/{id}/poll/qr.svg: the address of the vote as a QR code, with the token of an unlisted debate."""
    await _setup_of(request)
    return await qr_code(link_of(request, "/vote/"))


async def qr_code(address: str) -> Response:
    """An address as a QR code."""
    await load("segno")
    import segno  # noqa: PLC0415 - only a room needs it

    body = BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(body, kind="svg", xmldecl=False, light="#fff", dark="#000", omitsize=True, border=3)
    return Response(body.getvalue(), media_type="image/svg+xml", headers={"cache-control": "no-cache"})


def link_of(request: Request, path: str, **members: str) -> str:
    """The address of a page of the debate, below ``path``, under the name by which this client reached the server.

    ``members`` are those of its query, besides the link of an unlisted debate.
    """
    if token := request.query_params.get("link", "")[:MAX_LINK]:
        members["link"] = token
    page = f"{path}{request.path_params['debate']}"
    return str(request.url.replace(path=page, query=urlencode(members), fragment=""))


async def _fold_of(request: Request) -> Fold:
    """The newest fold of a debate with a poll.  Raises ``NotFound``, ``UnknownDebate``."""
    fold = await service_of(request).hub.view_at(request.path_params["debate"], None)
    if fold.view.poll is UNSET:
        raise NotFound("this debate has no poll")
    return fold


async def _setup_of(request: Request) -> PollSetup:
    opened = (await _fold_of(request)).debate.opened
    assert opened is not None, "a debate with a poll was opened"
    assert opened.poll is not UNSET, "as above"
    return opened.poll

"""A person's seat: its page behind the link, what the page reads and sends, and the link that an operator makes.

The page sends the token in the path and its own secret in the header ``X-Moot-Seat``, so that no other site can act for
it.  Neither is logged, and ``Referrer-Policy: no-referrer`` keeps the address of the page from others.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple

import anyio
from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from events.clock import SYSTEM
from events.errors import Unanswered, UnknownDebate
from events.state.debate import Debate
from events.state.outcome import outcome_of
from events.state.parts.evidence import EvidencePack
from events.state.seats import STATEMENTS, SeatState
from events.types import SIDES, DebateState, PollRound, Side
from providers.answers.schema import schema
from providers.base import Material
from providers.errors import Malformed
from server.debate.acting.desk import NOT_OPEN
from server.debate.acting.operator_acts import OperatorRequest, seat_link
from server.debate.formats import next_steps
from server.debate.formats.steps import Ask
from server.debate.time_limits import ms_between, seconds_of_question
from server.errors import BadField, NotAllowed, NotFound, NotNow
from server.evidence.passages import READ_BADLY
from server.http.body import read_object
from server.http.contract import AFTER, ActAnswer, answers
from server.http.limits import RateLimit
from server.http.requests import PRIVATE, json_response, service_of
from server.http.static import page_response
from server.people.acts import MAX_TEXT, VOID, AtSeat, invited
from server.people.forms import Form, form
from server.people.links import digest_of_link, holds, is_secret, place_of
from server.people.names import is_person, request_id, seat_of
from server.people.preview import Preview, preview
from server.people.sentences import SeatFacts, SeatStanding, SeatWords, seat_words
from server.service import Service

HEADER: Final = "x-moot-seat"
MAX_ID: Final = 200
"""Characters of a request's id."""
HEAR_S: Final = 2.0
"""Seconds that a read waits until the node that runs the debate knows that the page is there."""
READS_PER_MINUTE: Final = 240
"""Reads of one seat in a minute; its page reads about 30."""
WRITES_PER_MINUTE: Final = 120
"""Drafts, answers and the like of one seat in a minute; its page sends at most 60."""

SeatAct = Literal["take", "draft", "send", "resign"]
SEAT_ACTS: Final[dict[tuple[str, str], SeatAct]] = {
    ("POST", "take"): "take",
    ("PUT", "draft"): "draft",
    ("POST", "answer"): "send",
    ("POST", "resign"): "resign",
}
"""What the page of a seat sends, by method and by the path behind the token.

The first browser takes the seat.  A draft and an answer are ``{request, text}``: a draft is kept in memory and shown to
this page only; an answer is the speech, or the typed answer as JSON.
"""


class Visit(NamedTuple):
    """A request of a seat's page: the seat, the digests of token and secret, and the debate up to now."""

    debate: str
    seat: str
    link: str
    holder: str
    state: SeatState
    now: Debate


class SpokenTurn(Struct, frozen=True, kw_only=True):
    """A turn that was spoken."""

    turn: int
    side: Side
    speaker: str
    """Empty in a blind debate for the other side."""
    mine: bool
    """Whether it is what this person sent: a model that took the seat over may have spoken the turn."""
    text: str


class SeatPassage(Struct, frozen=True, kw_only=True):
    """A passage of the documents that the person may cite."""

    id: str
    place: str
    text: str


class SeatRequest(Struct, frozen=True, kw_only=True):
    """The turn that the person has to speak now."""

    id: str
    kind: Literal["speak"] = "speak"
    turn: int
    left_s: float | None = None
    draft: str = ""
    """What the person has written and not sent, as this server remembers it."""
    max_words: int
    directive: str | UnsetType = UNSET
    passages: tuple[SeatPassage, ...] | UnsetType = UNSET


class OpenQuestion(Struct, frozen=True, kw_only=True):
    """A typed question that waits for the person; the page reads its form from ``/questions``."""

    id: str
    left_s: float | None = None
    schema: dict[str, Any] | UnsetType = UNSET
    """JSON schema of the answer."""
    material: Material | UnsetType | None = UNSET
    form: Form | UnsetType = UNSET
    """The same as a form: the fields with their names, and the words that are read next to them."""
    draft: str | UnsetType = UNSET
    """What the person has given and not sent, as JSON."""


class SeatPage(Struct, frozen=True, kw_only=True):
    """What the page of a seat shows."""

    debate: str
    seat: str
    name: str
    seat_state: SeatStanding
    state: DebateState
    reason: str
    position: int
    motion: str
    format: str
    language: str
    turns_planned: int
    max_words: int
    time_s: float
    takeover: bool
    """Whether a model takes the seat over after a time-out or a resignation."""
    has_resigned: bool
    """Whether the person resigned; a model may have taken the seat over then."""
    unlisted: bool
    documents: tuple[str, ...] = ()
    """The documents that a speaker may cite: their titles, or the names of their files."""
    turns: tuple[SpokenTurn, ...] = ()
    """Those spoken after the position that the page has; none for a browser that has not taken the seat, and none for
    a judge or a rater, who must not learn the sides: its questions hold the speeches."""
    speaking: Side | None = None
    """The side whose turn is being spoken."""
    has_sent: bool = False
    """Whether the person has sent the statement of this round; it is shown once the other side has sent its own."""
    vote: PollRound | None = None
    """The vote of the audience that the debate waits for."""
    request: SeatRequest | None = None
    questions: tuple[OpenQuestion, ...] = ()
    """The questions that wait for this person, without what they ask."""
    winner: str | None = None
    outcome: str = ""
    """The outcome in words, once the debate has concluded."""
    says: SeatWords
    """What the page says to the person."""


class SeatText(Struct, kw_only=True):
    """A draft or an answer: the id of its request, and its text."""

    request: str = ""
    text: str = ""


async def seat_page(request: Request) -> Response:
    """GET /seat/{token}: the same page for every token; the page reads its own."""
    response = await page_response(request, "seat/seat.html")
    response.headers.update(PRIVATE)
    return response


@answers(SeatPage, AFTER)
async def show_seat(request: Request) -> Response:
    """GET /api/seats/{token}, with ``after=P``: the debate, and what the person is asked now."""
    visit = await _visit(request)
    _check_rate(request, "seat_reads", visit)
    is_holder = holds(visit.state, visit.holder)
    if is_holder and (visit.now.status.state == "open" or _request(request, visit) is not None):
        act = AtSeat(seat=visit.seat, link=visit.link, holder=visit.holder, act="hear")
        with anyio.move_on_after(HEAR_S), suppress(Unanswered):  # while the debate has no owner, the page reads on
            await service_of(request).moderators.act(visit.debate, act)
    after = AFTER.read(request)
    return _answer(_page(request, visit, after, is_holder=is_holder))


@answers(dict[str, tuple[OpenQuestion, ...]])
async def show_questions(request: Request) -> Response:
    """GET /api/seats/{token}/questions: the questions that wait for this person, each with its form and its draft."""
    visit = await _visit(request)
    _check_rate(request, "seat_reads", visit)
    if not holds(visit.state, visit.holder):
        raise NotAllowed("take the seat first")
    return _answer({"questions": _questions(request, visit, in_full=True)})


@answers(Preview, body=SeatText)
async def show_preview(request: Request) -> Response:
    """POST /api/seats/{token}/preview: what an answer that is not sent yet will count."""
    visit = await _visit(request)
    _check_rate(request, "seat_reads", visit)
    if not holds(visit.state, visit.holder):
        raise NotAllowed("take the seat first")
    fields = await _texts(request)
    asked = service_of(request).moderators.people.find(visit.debate, visit.seat, fields["request"])
    if asked is None or asked.kind != "answer":
        raise NotNow(NOT_OPEN)
    try:
        return _answer(preview(visit.now, asked, fields["text"]))
    except Malformed as error:
        raise BadField("text", error.message) from error


async def new_link(service: Service, debate: str, seat: str) -> str:
    """A new link for a seat.  Raises ``NotFound``, ``NotNow``."""
    made = seat_link(OperatorRequest(fields={}, place={"debate": debate, "seat": seat}, by="moderator"))
    await service.moderators.act(debate, made.command)
    return made.answer["link"]


async def _visit(request: Request) -> Visit:
    """The seat that the token names.  Raises ``NotFound`` for a token that is not valid."""
    token = request.path_params["token"]
    place = place_of(token)
    if place is None:
        raise NotFound(VOID)
    debate, seat = place
    try:
        now = (await service_of(request).hub.view_at(debate, None)).debate
    except UnknownDebate as error:
        raise NotFound(VOID) from error
    link = digest_of_link(token)
    secret = request.headers.get(HEADER, "")
    return Visit(debate, seat, link, digest_of_link(secret) if is_secret(secret) else "", invited(now, seat, link), now)


def seat_act(act: SeatAct) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of one of ``SEAT_ACTS``."""

    @answers(ActAnswer, body=SeatText if act in {"draft", "send"} else None)
    async def endpoint(request: Request) -> Response:
        visit = await _visit(request)
        _check_rate(request, "seat_writes", visit)
        if not visit.holder:
            raise NotAllowed(f"the header {HEADER} with the secret of the page is missing")
        named = await _texts(request) if act in {"draft", "send"} else {}
        command = AtSeat(seat=visit.seat, link=visit.link, holder=visit.holder, act=act, **named)
        return _answer({"position": await service_of(request).moderators.act(visit.debate, command)})

    return endpoint


async def _texts(request: Request) -> dict[str, str]:
    """The body of a draft, an answer or a preview: ``request`` and ``text``.  Raises ``BadField``."""
    fields = await read_object(request, empty={})
    for name, most in (("request", MAX_ID), ("text", MAX_TEXT)):
        value = fields.get(name, "")
        if not isinstance(value, str) or len(value) > most:
            raise BadField(name, f"{name} is a text of at most {most:,} characters")
    return {name: fields.get(name, "") for name in ("request", "text")}


def _answer(value: Any) -> Response:
    response = json_response(value)
    response.headers.update(PRIVATE)
    return response


def _check_rate(request: Request, name: str, visit: Visit) -> None:
    """Count a request of a seat.  Raises ``TooMany``.  Other browsers with the link do not use up the person's own."""
    rate: RateLimit = getattr(request.app.state, name)
    who = "" if holds(visit.state, visit.holder) else " others"
    rate.check(f"{visit.debate} {visit.seat}{who}", "this seat")


def _page(request: Request, visit: Visit, after: int, *, is_holder: bool) -> SeatPage:
    now, state, opened = visit.now, visit.state, visit.now.opened
    assert opened is not None, "a seat belongs to a debate that was opened"
    turn = now.transcript.current
    conclusion = now.status.conclusion
    side = visit.seat if visit.seat in SIDES else None
    speaks, questions = (_request(request, visit), _questions(request, visit)) if is_holder else (None, ())
    facts = SeatFacts(
        now=now,
        seat=visit.seat,
        name=state.name,
        standing="handed_over" if state.model else "resigned" if state.resigned else _standing(state, is_holder),
        time_s=state.time_s,
        takeover=side is not None and (opened.pro if side == "pro" else opened.con).takeover is not UNSET,
        has_resigned=bool(state.resigned),
        has_sent=state.has_sent,
        turn=speaks.turn if speaks else None,
        questions=len(questions),
        documents=tuple(each.title or each.name for each in now.evidence.documents.values()) if side else (),
    )
    return SeatPage(
        debate=visit.debate,
        seat=visit.seat,
        name=state.name,
        seat_state=facts.standing,
        state=now.status.state,
        reason=now.status.reason,
        position=now.position,
        motion=opened.motion,
        format=opened.format,
        language=now.language,
        turns_planned=opened.turns,
        max_words=opened.max_words,
        time_s=state.time_s,
        takeover=facts.takeover,
        has_resigned=facts.has_resigned,
        unlisted=bool(now.labels.link),
        documents=facts.documents,
        turns=tuple(_turns(now, visit.seat, after)) if is_holder and side is not None else (),
        speaking=turn.side if turn is not None and turn.state == "speaking" else None,
        has_sent=state.has_sent,
        vote=now.audience.poll.open_round,
        request=speaks,
        questions=questions,
        winner=None if conclusion is None else conclusion.winner,
        outcome=outcome.text if (outcome := outcome_of(now)) else "",
        says=seat_words(facts),
    )


def _standing(state: SeatState, is_holder: bool) -> SeatStanding:
    if is_holder:
        return "yours"
    return "taken" if state.holder else "free"


def _turns(now: Debate, seat: str, after: int) -> Iterator[SpokenTurn]:
    """The spoken turns; in a blind debate without the name of the other side."""
    assert now.opened is not None
    for turn in now.transcript.turns.values():
        if turn.event is None or turn.spoken <= after:
            continue
        is_named = turn.side == seat or not now.is_blind or now.status.state == "concluded"
        name = now.seats[turn.side].name if turn.event.by == "person" and turn.side in now.seats else turn.model
        yield SpokenTurn(
            turn=turn.number,
            side=turn.side,
            speaker=name if is_named else "",
            mine=turn.side == seat and turn.event.by == "person",
            text=turn.text,
        )


def _request(request: Request, visit: Visit) -> SeatRequest | None:
    """The open turn to speak: known where the debate runs, and in the log too.

    In format ``protocol`` there is none: a statement is a typed question.
    """
    people, loop_now = service_of(request).moderators.people, asyncio.get_running_loop().time()
    asked = next(iter(people.open_requests(visit.debate, visit.seat)), None)
    turn, opened = visit.now.transcript.current, visit.now.opened
    assert opened is not None
    is_due = turn is not None and turn.state == "speaking" and turn.side == visit.seat and not visit.state.model
    if turn is None or not is_due or opened.format == "protocol" or visit.now.status.state not in {"open", "paused"}:
        return None
    name = request_id(f"speak:{visit.seat}", turn.number)
    if asked is None:
        left_s = visit.state.time_s - ms_between(visit.state.since, SYSTEM.now()) / 1000
    else:
        left_s = asked.left_s(loop_now) or 0.0
    return SeatRequest(
        id=name,
        turn=turn.number,
        left_s=max(0.0, round(left_s, 1)),
        draft=people.draft(visit.debate, visit.seat, name),
        max_words=opened.max_words,
        directive=visit.now.characters.directives[turn.directive].text if turn.directive else UNSET,
        passages=tuple(_passages(visit.now.evidence, turn.passages)) or UNSET,
    )


def _passages(pack: EvidencePack, names: Sequence[str]) -> Iterator[SeatPassage]:
    """The passages that a turn is given, each with its document, page and heading."""
    for name in names:
        supplied = pack.passages[name]
        document, passage = pack.documents[supplied.document], supplied.passage
        page = f"page {passage.page}" if passage.page else ""
        misread = READ_BADLY if passage.misread else ""
        parts = [document.title or document.name, page, misread, passage.heading or ""]
        yield SeatPassage(id=name, place=", ".join(filter(None, parts)), text=passage.text)


def _questions(request: Request, visit: Visit, *, in_full: bool = False) -> tuple[OpenQuestion, ...]:
    """The typed questions that wait for the seat: as they are asked where the debate runs, elsewhere by the log."""
    moderators = service_of(request).moderators
    if not moderators.needs(visit.debate):
        return tuple(_asked_elsewhere(visit, in_full=in_full))
    people, now = moderators.people, asyncio.get_running_loop().time()
    return tuple(
        OpenQuestion(
            id=asked.id,
            left_s=asked.left_s(now),
            schema=asked.schema or UNSET,
            material=asked.material,
            form=_form(asked.schema, asked.material),
            draft=people.draft(visit.debate, visit.seat, asked.id),
        )
        if in_full
        else OpenQuestion(id=asked.id, left_s=asked.left_s(now))
        for asked in people.open_requests(visit.debate, visit.seat)
        if asked.kind == "answer"
    )


def _asked_elsewhere(visit: Visit, *, in_full: bool) -> Iterator[OpenQuestion]:
    """What another node asks the seat: the steps that follow from the log.  That node has the drafts.

    Only a statement has a clock in the log.
    """
    for step in next_steps(visit.now):
        if not isinstance(step, Ask) or not is_person(step.model) or seat_of(step.key) != visit.seat:
            continue
        has_clock = step.purpose in STATEMENTS
        yield OpenQuestion(
            id=request_id(step.key, step.turn or 0),
            left_s=seconds_of_question(step, visit.now, SYSTEM.now()) if has_clock else None,
            schema=(schema(step.reads) if in_full else None) or UNSET,
            material=step.material if in_full else UNSET,
            form=_form(schema(step.reads), step.material) if in_full else UNSET,
            draft="" if in_full else UNSET,
        )


def _form(wanted: dict[str, Any] | None, material: Material | None) -> Form | UnsetType:
    return UNSET if wanted is None or material is None else form(wanted, material)

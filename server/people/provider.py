"""The provider ``person``: a call becomes an open request of a seat, which the page of the seat answers.

It has no queue, no breaker and no price, it always answers ``check``, and no list of models names it.  What a seat has
in memory here (open requests, the draft, when its page was last heard of) is lost when the process ends: the log has
the rest, and the page still has its text.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, Final, TypeVar

import msgspec

from providers.answers.schema import parse, schema
from providers.base import Answer, Material, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.errors import Malformed, Resigned
from server.people.checks import AnswerFault, faults
from server.people.names import NAME, PREFIX, request_id, seat_of

T = TypeVar("T")
AWAY_S: Final = 15.0
"""Seconds without a word of a seat's page after which its connection counts as lost."""
MAX_DRAFTS: Final = 16
SeatKey = tuple[str, str]
"""(debate, seat)."""


class OpenRequest:
    """A turn to speak (``kind`` is ``speak``) or a typed question (``answer``) that a person has not answered yet."""

    def __init__(self, seat: str, request: Request, type_: Any, now: float) -> None:
        self.seat, self.request, self.opened_at = seat, request, now
        """``opened_at`` is a time of the event loop."""
        self.type = type_
        """The type of the answer; None for a turn to speak."""
        self.answered: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @property
    def kind(self) -> str:
        """``speak`` or ``answer``."""
        return "speak" if self.type is None else "answer"

    @property
    def id(self) -> str:
        """What the page names the request by."""
        return request_id(self.request.key, self.request.turn)

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of the answer; None for a turn to speak."""
        return None if self.type is None else schema(self.type)

    @property
    def material(self) -> Material | None:
        """What the question is about, as values."""
        return self.request.material

    def left_s(self, now: float) -> float | None:
        """Seconds left, never below 0; None if the caller gave no limit."""
        limit = self.request.limit_s
        return None if limit is None else max(0.0, limit - (now - self.opened_at))

    def check(self, text: str) -> tuple[AnswerFault, ...]:
        """What is wrong with an answer; nothing for a speech.  Raises ``Malformed`` for a text that is not JSON."""
        if self.type is None:
            return ()
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise Malformed(f"the answer is not JSON: {error}") from error
        found = faults(value, schema(self.type), self.material)
        if not found:
            parse(text, self.type)
        return found


class People:
    """The open requests of all seats that this process asks."""

    name = NAME

    def __init__(self) -> None:
        self._open: dict[SeatKey, dict[str, OpenRequest]] = {}
        self._drafts: dict[SeatKey, dict[str, str]] = {}
        self._heard: dict[SeatKey, float] = {}

    # the protocol of a provider

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """The person's speech, as one piece once it is sent."""
        return self._speech(model, request)

    @asynccontextmanager
    async def _speech(self, model: str, request: Request) -> AsyncIterator["PersonSpeech"]:
        with self._asking(request, None) as asked:
            yield PersonSpeech(model, asked)

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """The person's answer to a question."""
        with self._asking(request, type_) as asked:
            raw = await asked.answered
            return Answer(value=parse(raw, type_), raw=raw, outcome=outcome_of(model, asked))

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """A person counts as ready: whether the link is used shows later."""
        return (ModelStatus(name=f"{PREFIX}{model or ''}", provider=NAME, ok=True, detail="a person, asked on a page"),)

    def caveat(self, model: str) -> str:
        """Nothing."""
        del model
        return ""

    async def close(self) -> None:
        """Do nothing: the callers of open requests cancel them."""

    @contextmanager
    def _asking(self, request: Request, type_: Any) -> Iterator[OpenRequest]:
        key = request.debate, seat_of(request.key)
        asked = OpenRequest(key[1], request, type_, asyncio.get_running_loop().time())
        self._open.setdefault(key, {})[asked.id] = asked
        self._heard[key] = asked.opened_at
        try:
            yield asked
        finally:
            requests = self._open[key]
            requests.pop(asked.id, None)
            if not requests:
                del self._open[key]

    # the page of a seat

    def open_requests(self, debate: str, seat: str) -> tuple[OpenRequest, ...]:
        """The open requests of a seat, the oldest first."""
        return tuple(self._open.get((debate, seat), {}).values())

    def find(self, debate: str, seat: str, request: str) -> OpenRequest | None:
        """The open request with this id."""
        return self._open.get((debate, seat), {}).get(request)

    def send(self, asked: OpenRequest, text: str) -> None:
        """Answer an open request; a second answer to it changes nothing."""
        if not asked.answered.done():
            asked.answered.set_result(text)

    def resign(self, debate: str, seat: str) -> None:
        """End the open requests of a seat."""
        for asked in self.open_requests(debate, seat):
            if not asked.answered.done():
                asked.answered.set_exception(Resigned("the person resigned"))

    def draft(self, debate: str, seat: str, request: str) -> str:
        """What the person has written for a request and not sent; only the page of the seat may have it."""
        return self._drafts.get((debate, seat), {}).get(request, "")

    def keep_draft(self, debate: str, seat: str, request: str, text: str) -> None:
        """Keep a draft in memory: never in the log, so that no export and no spectator has it.

        A seat has at most ``MAX_DRAFTS``; beyond that the one that was kept first is dropped.
        """
        drafts = self._drafts.setdefault((debate, seat), {})
        drafts.pop(request, None)
        drafts[request] = text
        if len(drafts) > MAX_DRAFTS:
            del drafts[next(iter(drafts))]

    def hear(self, debate: str, seat: str) -> None:
        """The page of the seat was heard of now."""
        self._heard[debate, seat] = asyncio.get_running_loop().time()

    def is_away(self, debate: str, seat: str) -> bool:
        """Whether the page of the seat has not been heard of for ``AWAY_S``."""
        now = asyncio.get_running_loop().time()
        return now - self._heard.get((debate, seat), now) > AWAY_S

    def forget(self, debate: str) -> None:
        """Drop what is kept for the seats of a debate that has ended."""
        for kept in (self._drafts, self._heard):
            for key in [key for key in kept if key[0] == debate]:
                del kept[key]


class PersonSpeech:
    """A speech that comes as one piece."""

    def __init__(self, model: str, asked: OpenRequest) -> None:
        self._model, self._asked = model, asked

    async def __aiter__(self) -> AsyncIterator[str]:
        """The whole text, once it is sent."""
        yield await self._asked.answered

    @property
    def outcome(self) -> Outcome:
        """No tokens, no cost, and the time that the person took.  Raises ``RuntimeError`` before the text is sent."""
        if not self._asked.answered.done():
            raise RuntimeError("the person has not sent the speech yet")
        return outcome_of(self._model, self._asked)


def outcome_of(model: str, asked: OpenRequest) -> Outcome:
    """No tokens, no cost, and the time that the person took."""
    took_s = asyncio.get_running_loop().time() - asked.opened_at
    return Outcome(model=model, tokens=Tokens(), latency_ms=round(took_s * 1000), cost_usd=0.0)

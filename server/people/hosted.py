"""The provider ``hosted``: a call waits until a program outside brings the answer of a model of its own.

It needs no key, and it has no queue and no breaker.  What waits is in memory: a process that takes the debate up again
asks the same questions again.  Nobody here can check which model gave an answer.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from providers.answers.schema import parse
from providers.base import Answer, ModelStatus, Request, TextStream, messages
from providers.errors import ProviderError
from server.errors import BadField, NotNow
from server.people.acts import MAX_TEXT
from server.people.names import HOSTED, HOSTED_PREFIX
from server.people.provider import OpenRequest, PersonSpeech, outcome_of

T = TypeVar("T")
WINDOW: Final = 128_000
"""Tokens of a prompt and its answer: what models of programs with tools read today."""
CAVEAT: Final = "Hosted: a program outside brought its answers; the name of the model is what that program said."
NOT_OPEN: Final = "this question does not wait for an answer: ask for the open questions again"


class HostedQuestion(Struct, frozen=True, kw_only=True):
    """What waits for an answer: a turn to ``speak``, or a typed question to ``answer`` by its JSON ``schema``."""

    id: str
    kind: str
    model: str
    turn: int
    attempt: int
    messages: tuple[dict[str, str], ...]
    schema: dict[str, Any] | UnsetType = UNSET


class Hosted:
    """The questions that wait for answers from outside, by debate."""

    name = HOSTED

    def __init__(self) -> None:
        self._open: dict[str, dict[str, tuple[str, OpenRequest]]] = {}

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """The speech, as one piece once it is brought."""
        return self._speech(model, request)

    @asynccontextmanager
    async def _speech(self, model: str, request: Request) -> AsyncIterator[PersonSpeech]:
        with self._asking(model, request, None) as asked:
            yield PersonSpeech(model, asked)

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """The answer to a question, once it is brought."""
        with self._asking(model, request, type_) as asked:
            raw = await asked.answered
            return Answer(value=parse(raw, type_), raw=raw, outcome=outcome_of(model, asked))

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """It counts as ready: whether a program answers shows later."""
        name = f"{HOSTED_PREFIX}{model or ''}"
        return (ModelStatus(name=name, provider=HOSTED, ok=True, detail="answered from outside", window=WINDOW),)

    def caveat(self, model: str) -> str:
        """That nobody here knows the model."""
        del model
        return CAVEAT

    async def close(self) -> None:
        """Do nothing: the callers of open questions cancel them."""

    @contextmanager
    def _asking(self, model: str, request: Request, type_: Any) -> Iterator[OpenRequest]:
        asked = OpenRequest("", request, type_, asyncio.get_running_loop().time())
        waiting = self._open.setdefault(request.debate, {})
        name = f"{asked.id}/{request.attempt}"
        while name in waiting:
            name += "+"  # two samples of one question
        waiting[name] = model, asked
        try:
            yield asked
        finally:
            del waiting[name]
            if not waiting:
                self._open.pop(request.debate, None)

    def questions(self, debate: str) -> tuple[HostedQuestion, ...]:
        """What waits in a debate, the oldest first."""
        return tuple(
            HostedQuestion(
                id=name,
                kind=asked.kind,
                model=f"{HOSTED_PREFIX}{model}",
                turn=asked.request.turn,
                attempt=asked.request.attempt,
                messages=tuple(messages(asked.request.prompt)),
                schema=UNSET if asked.schema is None else asked.schema,
            )
            for name, (model, asked) in self._open.get(debate, {}).items()
            if not asked.answered.done()
        )

    def bring(self, debate: str, question: str, answer: Any) -> None:
        """Answer a question with a text, or a typed one with JSON values.  Raises ``NotNow``, ``BadField``."""
        _, asked = self._open.get(debate, {}).get(question, ("", None))
        if asked is None or asked.answered.done():
            raise NotNow(NOT_OPEN)
        text = answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()
        if not text.strip() or len(text) > MAX_TEXT:
            raise BadField("answer", f"an answer has 1 to {MAX_TEXT:,} characters, this one has {len(text):,}")
        if asked.type is not None:
            try:
                parse(text, asked.type)
            except ProviderError as error:
                raise BadField("answer", error.message) from error
        elif not isinstance(answer, str):
            raise BadField("answer", "a speech is a text")
        asked.answered.set_result(text)

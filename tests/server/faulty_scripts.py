"""A scripted provider whose calls fail as a test wants, or report other tokens and prices."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

from msgspec.structs import replace

from providers.base import Answer, Outcome, Request, TextStream, Tokens
from providers.errors import ProviderError
from providers.registry import Registry
from providers.scripted.provider import ScriptedProvider

T = TypeVar("T")
USED = Outcome(
    model="told",
    tokens=Tokens(input=900, output=328, cached=500, written=100, thought=300),
    latency_ms=7,
    cost_usd=0.125,
    finish="length",
    parameters={"think": "low"},
)


class FaultyScriptedProvider(ScriptedProvider):
    """Raises the errors of a key in their order, then follows the script.

    The ``raw`` text of an error is streamed before it.  ``outcome``: fields that replace those of every outcome.
    """

    def __init__(self, errors: Mapping[str, Sequence[ProviderError]], **outcome: Any) -> None:
        super().__init__()
        self.requests: list[Request] = []
        self._errors, self._outcome = {key: list(each) for key, each in errors.items()}, outcome

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        return self._stream(model, request)

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        if (error := self._next(request)) is not None:
            raise error
        said = await super().answer(model, request, type_)
        return replace(said, outcome=replace(said.outcome, **self._outcome))

    @asynccontextmanager
    async def _stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        error = self._next(request)
        async with super().stream(model, request) as stream:
            yield _FaultyStream(stream, error, self._outcome)

    def _next(self, request: Request) -> ProviderError | None:
        self.requests.append(request)
        due = self._errors.get(request.key)
        return due.pop(0) if due else None


class _FaultyStream:
    """A stream with another outcome, or one that ends with an error."""

    def __init__(self, stream: TextStream, error: ProviderError | None, outcome: Mapping[str, Any]) -> None:
        self._stream, self._error, self._outcome = stream, error, outcome

    async def __aiter__(self) -> AsyncIterator[str]:
        if self._error is not None:
            if self._error.raw:
                yield self._error.raw
            raise self._error
        async for chunk in self._stream:
            yield chunk

    @property
    def outcome(self) -> Outcome:
        return replace(self._stream.outcome, **self._outcome)


def faulty_registry(errors: Mapping[str, Sequence[ProviderError]] | None = None, **outcome: Any) -> Registry:
    """A registry whose provider ``scripted`` is a ``FaultyScriptedProvider``."""
    registry = Registry()
    registry._providers["scripted"] = FaultyScriptedProvider(errors or {}, **outcome)
    return registry

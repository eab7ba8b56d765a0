"""What every provider's stream has in common: patience, completeness, and a proper end when somebody walks away."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio

from .base import Answer, Outcome, Request
from .errors import BrokenOff, Empty, ProviderError, TimedOut
from .schema import amid_prose, parse

T = TypeVar("T")

DRIP_LIMIT = 10
"""A call may last this many times its idle timeout.  Beyond it a drip is a timeout, however regular."""

CLOSING_S = 2.0

Source = AsyncGenerator[str | Outcome, None]
"""What a provider yields: text, ``""`` as a sign of life (a model that thinks), and at the very end its outcome."""


class Speech:
    """A ``TextStream`` over a provider's own generator.  Adds nothing to the text and takes nothing away."""

    def __init__(self, source: Source, idle_timeout_s: float, limit_s: float | None = None) -> None:
        self._source = source
        self._idle_s = idle_timeout_s
        self._limit_s = idle_timeout_s * DRIP_LIMIT if limit_s is None else limit_s
        self._began_at = anyio.current_time()
        self._outcome: Outcome | None = None
        self._said: list[str] = []

    @property
    def outcome(self) -> Outcome:
        """How it went.  Raises ``RuntimeError`` while the stream runs."""
        if self._outcome is None:
            raise RuntimeError("the stream has not ended: it has no outcome yet")
        return self._outcome

    @property
    def said(self) -> str:
        """The text so far."""
        return "".join(self._said)

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        while self._outcome is None:
            try:
                piece = await self._next()
            except StopAsyncIteration:
                raise BrokenOff("the stream ended before the answer did", raw=self.said) from None
            except ProviderError as error:
                error.raw = error.raw or self.said
                raise
            if isinstance(piece, Outcome):
                if not self.said.strip():
                    thought = piece.finish == "length" and piece.reasoning
                    why = "the model spent all its tokens on thinking" if thought else "the model said nothing"
                    raise Empty(why, raw=self.said)
                self._outcome = piece
            elif piece:
                self._said.append(piece)
                return piece
        raise StopAsyncIteration

    async def _next(self) -> str | Outcome:
        left_s = self._began_at + self._limit_s - anyio.current_time()
        with anyio.move_on_after(min(self._idle_s, left_s)) as scope:
            return await anext(self._source)
        assert scope.cancelled_caught
        if left_s <= self._idle_s:
            raise TimedOut(f"not finished after {self._limit_s:g} s")
        raise TimedOut(f"no text for {self._idle_s:g} s")


@asynccontextmanager
async def speaking(source: Source, request: Request, *, limit_s: float | None = None) -> AsyncIterator[Speech]:
    """Stream a source; leaving the block, by whatever way, closes it and with it the connection."""
    try:
        yield Speech(source, request.idle_timeout_s, limit_s)
    finally:
        with anyio.move_on_after(CLOSING_S, shield=True):
            await source.aclose()


async def answered(
    source: Source, request: Request, type_: type[T], *, limit_s: float | None = None, in_prose: bool = False
) -> Answer[T]:
    """Let a source speak to its end, and read what it said as a value of ``type_``.

    ``in_prose``: nothing held the model to JSON, so that the one object in its prose is the answer.
    """
    async with speaking(source, request, limit_s=limit_s) as speech:
        async for _ in speech:
            pass
    try:
        value = parse(amid_prose(speech.said) if in_prose else speech.said, type_)
    except ProviderError as error:
        if speech.outcome.finish == "length":
            error.message += f" (it ran into its limit of {request.max_tokens} tokens)"
            error.args = (error.message,)
        raise
    return Answer(value=value, raw=speech.said, outcome=speech.outcome)

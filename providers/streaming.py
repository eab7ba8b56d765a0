"""What every provider's stream has in common: patience, completeness, and a proper end when somebody walks away."""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import anyio

from .base import Answer, Outcome, Request
from .errors import BrokenOff, Empty, ProviderError, Starved, TimedOut
from .schema import parse

T = TypeVar("T")

DRIP_LIMIT = 10
"""A call may last this many times its idle timeout.  Beyond it a drip is a timeout, however regular."""

CLOSING_S = 2.0

Source = AsyncGenerator[str | Outcome, None]
"""What a provider yields: text, ``""`` as a sign of life (a model that thinks), and at the very end its outcome."""


_HALVES: Final = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|[\udc80-\udcff]+|[\ud800-\udfff]")
_OPEN_END: Final = re.compile(r"(?:[\ud800-\udbff]|(?<![\ud800-\udbff])[\udc80-\udcff]{1,3})\Z")


class Whole:
    """Joins characters that a server cut in two: a surrogate pair, or bytes of UTF-8 that ``wire`` kept."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is whole; half a character at its end is held back."""
        if not self._held and text.isascii():
            return text
        text = self._held + text
        end = found.start() if (found := _OPEN_END.search(text)) and not _is_whole(found[0]) else len(text)
        self._held = text[end:]
        return _HALVES.sub(_joined, text[:end])

    def end(self) -> str:
        """What was held back and never became whole: as replacement characters."""
        held, self._held = self._held, ""
        return _HALVES.sub(_joined, held)


def _is_whole(halves: str) -> bool:
    """Whether bytes kept as surrogates are whole characters already."""
    try:
        halves.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return False
    return True


def _joined(halves: re.Match[str]) -> str:
    text = halves[0]
    if len(text) > 1 and text[0] < "\udc00":
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    if "\udc80" <= text[0] <= "\udcff":
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "\ufffd"


class Speech:
    """A ``TextStream`` over a provider's own generator.  Adds nothing to the text and takes nothing away."""

    def __init__(
        self, source: Source, idle_timeout_s: float, limit_s: float | None = None, first_s: float | None = None
    ) -> None:
        self._source = source
        self._idle_s, self._first_s = idle_timeout_s, first_s or idle_timeout_s
        self._limit_s = idle_timeout_s * DRIP_LIMIT if limit_s is None else limit_s
        self._began_at = anyio.current_time()
        self._outcome: Outcome | None = None
        self._said: list[str] = []
        self._whole = Whole()

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
                rest = self._whole.end()
                self._said.append(rest)
                if not self.said.strip():
                    raise _nothing_said(piece, self.said)
                self._outcome = piece
                if rest:
                    return rest
            elif piece and (text := self._whole.feed(piece)):
                self._said.append(text)
                return text
        raise StopAsyncIteration

    async def _next(self) -> str | Outcome:
        left_s = self._began_at + self._limit_s - anyio.current_time()
        idle_s = self._idle_s if self._said else self._first_s
        with anyio.move_on_after(min(idle_s, left_s)) as scope:
            return await anext(self._source)
        assert scope.cancelled_caught
        if left_s <= idle_s:
            raise TimedOut(f"not finished after {self._limit_s:g} s")
        raise TimedOut(f"no text for {idle_s:g} s")


def _nothing_said(outcome: Outcome, said: str) -> ProviderError:
    """An answer without text.  A limit that was reached without any was used up by thinking."""
    if outcome.finish == "length":
        return Starved("the model spent all its tokens on thinking", raw=said, outcome=outcome)
    return Empty("the model said nothing", raw=said, outcome=outcome)


@asynccontextmanager
async def speaking(
    source: Source, request: Request, *, limit_s: float | None = None, first_s: float | None = None
) -> AsyncIterator[Speech]:
    """Stream a source; leaving the block, by whatever way, closes it and with it the connection.

    ``limit_s`` bounds the whole call; ``first_s`` the wait for the first text, where that may take longer.
    """
    try:
        yield Speech(source, request.idle_timeout_s, limit_s, first_s)
    finally:
        with anyio.move_on_after(CLOSING_S, shield=True):
            await source.aclose()


async def answered(
    source: Source, request: Request, type_: type[T], *, limit_s: float | None = None, first_s: float | None = None
) -> Answer[T]:
    """Let a source speak to its end, and read what it said as a value of ``type_``; bounds as in ``speaking``."""
    async with speaking(source, request, limit_s=limit_s, first_s=first_s) as speech:
        async for _ in speech:
            pass
    try:
        value = parse(speech.said, type_)
    except ProviderError as error:
        error.outcome = speech.outcome
        if speech.outcome.finish == "length":
            error.message += f" (it ran into its limit of {request.max_tokens} tokens)"
            error.args = (error.message,)
        raise
    return Answer(value=value, raw=speech.said, outcome=speech.outcome)

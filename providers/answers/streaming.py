"""The stream that every provider returns: it checks timeouts and completeness, and closes its connection."""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import anyio

from providers.base import Answer, Outcome, Request
from providers.errors import BrokenOff, Empty, Malformed, ProviderError, Starved, TimedOut

from .schema import parse

T = TypeVar("T")

LONGEST_CALL = 10
"""A call may last this many idle timeouts.  A slow stream times out after that, even if text still arrives."""

CLOSING_S = 2.0
MAX_CHARACTERS: Final = 1_000_000
"""Characters of an answer, and of the thinking that a log keeps: ten times what the longest answers have."""

Source = AsyncGenerator[str | Outcome, None]
"""What a provider yields: text, ``""`` as a sign of life while the model thinks, and at the end one outcome."""

_HALVES: Final = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|[\udc80-\udcff]+|[\ud800-\udfff]")
_OPEN_END: Final = re.compile(r"(?:[\ud800-\udbff]|(?<![\ud800-\udbff])[\udc80-\udcff]{1,3})\Z")


class CharacterJoiner:
    """Joins characters that a server cut in two: a surrogate pair, or UTF-8 bytes that ``connection`` escaped."""

    def __init__(self) -> None:
        self._pending = ""

    def feed(self, text: str) -> str:
        """The complete characters; half a character at the end waits for the next piece."""
        if not self._pending and text.isascii():
            return text
        text = self._pending + text
        end = found.start() if (found := _OPEN_END.search(text)) and not _is_whole(found[0]) else len(text)
        self._pending = text[end:]
        return _HALVES.sub(_joined, text[:end])

    def end(self) -> str:
        """The pending half of a character, as replacement characters."""
        pending, self._pending = self._pending, ""
        return _HALVES.sub(_joined, pending)


def _is_whole(halves: str) -> bool:
    """Whether escaped bytes are complete characters."""
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


class SourceStream:
    """A ``TextStream`` over a provider's source.  It does not change the text."""

    def __init__(
        self, source: Source, request: Request, limit_s: float | None = None, first_s: float | None = None
    ) -> None:
        self._source = source
        self._progress = request.progress
        self._idle_s, self._first_s = request.idle_timeout_s, first_s or request.idle_timeout_s
        self._limit_s = self._idle_s * LONGEST_CALL if limit_s is None else limit_s
        self._began_at = anyio.current_time()
        self._outcome: Outcome | None = None
        self._length = 0
        self._joiner = CharacterJoiner()

    @property
    def outcome(self) -> Outcome:
        """The outcome of the call.  Raises ``RuntimeError`` while the stream runs."""
        if self._outcome is None:
            raise RuntimeError("the stream has not ended: it has no outcome yet")
        return self._outcome

    @property
    def text(self) -> str:
        """The text so far."""
        return self._progress.text

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        while self._outcome is None:
            try:
                piece = await self._next()
            except StopAsyncIteration:
                ended = "the stream ended before the answer did"
                raise BrokenOff(ended, raw=self.text, outcome=self._progress.outcome) from None
            except ProviderError as error:
                error.complete(self._progress)
                raise
            if isinstance(piece, Outcome):
                self._progress.outcome = piece
                rest = self._joiner.end()
                self._progress.add(rest)
                if not self.text.strip() and piece.finish == "length":
                    raise Starved("the model spent all its tokens on thinking", raw=self.text, outcome=piece)
                if not self.text.strip():
                    raise Empty("the model said nothing", raw=self.text, outcome=piece)
                self._outcome = piece
                if rest:
                    return rest
            elif piece and (text := self._joiner.feed(piece)):
                self._progress.add(text)
                self._length += len(text)
                if self._length > MAX_CHARACTERS:
                    raise Malformed(
                        f"the answer has more than {MAX_CHARACTERS:,} characters",
                        raw=self.text[:MAX_CHARACTERS],
                        outcome=self._progress.outcome,
                    )
                return text
        raise StopAsyncIteration

    async def _next(self) -> str | Outcome:
        left_s = self._began_at + self._limit_s - anyio.current_time()
        idle_s = self._idle_s if self._length else self._first_s
        with anyio.move_on_after(min(idle_s, left_s)) as scope:
            return await anext(self._source)
        assert scope.cancelled_caught
        if left_s <= idle_s:
            raise TimedOut(f"not finished after {self._limit_s:g} s")
        raise TimedOut(f"no text for {idle_s:g} s")


@asynccontextmanager
async def open_stream(
    source: Source, request: Request, *, limit_s: float | None = None, first_s: float | None = None
) -> AsyncIterator[SourceStream]:
    """Stream a source.  Leaving the block closes the source and with it the connection.

    ``limit_s``: seconds for the whole call.  ``first_s``: seconds for the first text, if it may take longer.
    """
    try:
        yield SourceStream(source, request, limit_s, first_s)
    finally:
        with anyio.move_on_after(CLOSING_S, shield=True):
            await source.aclose()


async def read_answer(
    source: Source, request: Request, type_: type[T], *, limit_s: float | None = None, first_s: float | None = None
) -> Answer[T]:
    """Read a source to its end and convert the text into ``type_``.  The limits are those of ``open_stream``."""
    async with open_stream(source, request, limit_s=limit_s, first_s=first_s) as stream:
        async for _ in stream:
            pass
    try:
        value = parse(stream.text, type_)
    except ProviderError as error:
        error.outcome = stream.outcome
        if stream.outcome.finish == "length":
            error.add(f" (it reached its limit of {request.max_tokens} tokens)")
        raise
    return Answer(value=value, raw=stream.text, outcome=stream.outcome)

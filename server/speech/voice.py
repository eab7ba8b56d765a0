"""The calls to an OpenAI-compatible ``/v1/audio/speech``: which voice speaks, and one text as a sound.

A key is sent only where it belongs: ``VOICE_API_KEY``, or ``OPENAI_API_KEY`` at the address of the models.
"""

import re
from collections.abc import Iterator
from typing import Final

import anyio
import httpx2
from anyio import to_thread
from msgspec import Struct

from events.text.said import sentences
from events.text.segmentation import characters
from events.types import Side
from providers.environment import variable
from providers.errors import (
    BadRequest,
    BrokenOff,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    TimedOut,
    Unreachable,
)
from providers.http.connection import as_text, connection_error, http_client, shortened
from providers.http.retry_after import wait_of
from providers.http.status import by_status
from providers.openai import ADDRESS, KEY, OpenAIProvider
from server.errors import BadField
from server.settings import Settings
from server.speech.sound import KINDS, Kind, Sound, joined

VOICE_KEY: Final = "VOICE_API_KEY"
LABEL: Final = "the server of the voices"
MAX_PART: Final = 2_000
"""Characters of one call: OpenAI takes 4,096 characters, and of some models 2,000 tokens."""
MAX_SOUND: Final = 64 << 20
"""Bytes of the answer to one call."""
MAX_CALLS: Final = 4
"""Calls at the same time."""
PAGE_WAIT_S: Final = 4.0
"""Seconds that a listener waits before a further attempt; after a longer wait the browser's own voice reads on."""
_SPEC: Final = re.compile(r"openai:(?P<model>[^@\s]+)(?:@(?P<address>https?://[^\s@?#]+))?")
_PASSING: Final = (BrokenOff, Overloaded, RateLimited, Unreachable)
"""Failures after which a further attempt may succeed."""
_REFUSED: Final = frozenset({400, 415, 422})
_FORM: Final = "response_format"


class Voice(Struct, frozen=True):
    """The voices of the two sides: one model at one address."""

    model: str
    address: str
    names: dict[Side, str]

    @property
    def label(self) -> str:
        """What readers are told: the model, without its address."""
        return f"openai:{self.model}"


def voice_of(settings: Settings) -> Voice | None:
    """The voice of the settings; None without one.  Raises ``BadField``."""
    if not settings.voice:
        return None
    found = _SPEC.fullmatch(settings.voice)
    if found is None:
        raise BadField("voice", f"voice must be openai:MODEL or openai:MODEL@URL, not {settings.voice[:80]!r}")
    address = found["address"] or variable(ADDRESS) or OpenAIProvider.default_address
    return Voice(found["model"], address.rstrip("/"), {"pro": settings.voice_pro, "con": settings.voice_con})


def parts_of(text: str, most: int = MAX_PART) -> Iterator[str]:
    """A text in parts of at most ``most`` characters, cut between sentences; a longer sentence between characters."""
    part, ends = "", [*(end for _, end in sentences(text)[:-1]), len(text)]
    start = 0
    for end in ends:
        sentence, start = text[start:end], end
        if part and len(part) + len(sentence) > most:
            yield part
            part = ""
        while len(sentence) > most:
            at = sentence.rfind(" ", 0, most) + 1 or _whole(sentence, most)
            yield sentence[:at]
            sentence = sentence[at:]
        part += sentence
    if part.strip():
        yield part


def _whole(text: str, most: int) -> int:
    """The last place up to ``most`` at which a character as readers see it ends."""
    return max((end for _, end in characters(text[: most + 1]) if end <= most), default=most)


class SpeechServer:
    """Asks for sounds, a few at a time.  After a refusal with a time it asks no more until that time is over."""

    def __init__(self, voice: Voice, settings: Settings) -> None:
        self.voice = voice
        self._settings = settings
        self._calls = anyio.Semaphore(MAX_CALLS)
        self._closed_until = 0.0
        self._kinds = list(KINDS)

    async def sound(self, text: str, side: Side, wait_s: float = PAGE_WAIT_S) -> Sound:
        """A text in the voice of a side.  ``wait_s``: the longest wait before a further attempt.

        Raises ``ProviderError``.
        """
        contents = [await self._part(part, self.voice.names[side], wait_s) for part in parts_of(text)]
        if (sound := await to_thread.run_sync(joined, contents)) is None:
            raise BrokenOff(f"{LABEL} sent sounds of different forms for one turn")
        return sound

    async def _part(self, text: str, name: str, longest_s: float) -> bytes:
        """One part, asked for again after a failure that may pass."""
        for attempt in range(self._settings.attempts):
            left_s = self._closed_until - anyio.current_time()
            if left_s > longest_s:
                raise RateLimited(f"{LABEL} takes no calls now", retry_after_s=left_s)
            await anyio.sleep(max(0.0, left_s))
            try:
                async with self._calls:
                    return await self._in_a_form(text, name)
            except ProviderError as error:
                wait_s = error.retry_after_s
                if wait_s is not None:
                    self._closed_until = max(self._closed_until, anyio.current_time() + wait_s)
                wait_s = self._settings.retry_ms / 1000 * 2**attempt if wait_s is None else wait_s
                is_last = attempt + 1 == self._settings.attempts
                if is_last or wait_s > longest_s or not isinstance(error, _PASSING):
                    raise
                await anyio.sleep(wait_s)
        raise AssertionError("there is at least one attempt")

    async def _in_a_form(self, text: str, name: str) -> bytes:
        """One call, in the first form that the server does not refuse."""
        while True:
            try:
                return await self._call(text, name, self._kinds[0])
            except BadRequest as error:
                is_about_form = error.http_status in _REFUSED and _names_form(error.message, self._kinds[0])
                if not is_about_form or len(self._kinds) == 1:
                    raise
                del self._kinds[0]

    async def _call(self, text: str, name: str, kind: Kind) -> bytes:
        url, content, limit_s = f"{self.voice.address}/audio/speech", bytearray(), self._settings.turn_timeout_s
        body = {"model": self.voice.model, "input": text, "voice": name, _FORM: kind}
        client = http_client(url, address="MOOT_VOICE", is_text=False)
        try:
            with anyio.fail_after(limit_s):
                async with client, client.stream("POST", url, json=body, headers=self._headers()) as response:
                    async for piece in response.aiter_bytes():
                        content += piece
                        if len(content) > MAX_SOUND:
                            raise BrokenOff(f"{LABEL} sent more than {MAX_SOUND >> 20} MB for one text")
        except TimeoutError as error:
            raise TimedOut(f"{LABEL} gave no whole answer within {limit_s:g} s") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise connection_error(LABEL, "its address", error) from error  # spectators read it
        except UnicodeEncodeError as error:
            raise NotAuthorised(f"{VOICE_KEY} contains characters that a key cannot have") from error
        if response.is_error:
            raise _refusal(response, bytes(content))
        if await to_thread.run_sync(joined, [bytes(content)]) is None:
            kind_said = shortened(response.headers.get("content-type", "")) or "no media type"
            raise BrokenOff(f"{LABEL} sent no sound that Moot knows ({kind_said}, {len(content)} bytes)")
        return bytes(content)

    def _headers(self) -> dict[str, str]:
        address = (variable(ADDRESS) or OpenAIProvider.default_address).rstrip("/")
        key = variable(VOICE_KEY) or (variable(KEY) if self.voice.address == address else "")
        return {"authorization": f"Bearer {key}"} if key else {}


def _names_form(message: str, kind: Kind) -> bool:
    """Whether an error message is about the form of the sound."""
    return "format" in message.lower() or kind in message.lower()


def _refusal(response: httpx2.Response, content: bytes) -> ProviderError:
    """The error of an error status, in the words of the server."""
    try:
        body = httpx2.Response(response.status_code, content=content).json()
    except ValueError:
        body = None
    fault = body.get("error", body.get("detail", body)) if isinstance(body, dict) else body
    message = as_text(fault.get("message") if isinstance(fault, dict) else fault) or f"status {response.status_code}"
    wait_s = wait_of(response.headers, body, message)
    error = by_status(response.status_code, f"{LABEL} says: {shortened(message)}", wait_s=wait_s)
    if isinstance(error, NotAuthorised):
        error.add(f" (is {VOICE_KEY} right?)" if variable(VOICE_KEY) else f": set {VOICE_KEY}")
    return error

"""What providers over a vendor's SDK share: connections, patience, errors by status, and how a call ends."""

import json
import time
import zlib
from collections.abc import Mapping
from typing import Any, Final

import httpx2

from . import wire
from .base import ModelStatus, Outcome, Parameters, Request, Segment, Think, Tokens
from .environment import is_local, variable
from .errors import (
    BrokenOff,
    Malformed,
    NotAuthorised,
    ProviderError,
    ThoughtAloud,
    TimedOut,
    ToolCalled,
    Unreachable,
    by_status,
)
from .learned import Learned
from .pricing import cost
from .thinking import Thinking
from .waiting import hint

CONNECT_S: Final = 4.0  # below the five seconds that a check may take
MOST_SAID: Final = 400
FAILED: Final = 400
NOT_AUTHORISED: Final = 401
NOT_THERE: Final = frozenset({404, 405, 501})
"""How servers answer that know nothing of what they were asked."""
BAD_KEY: Final = "API key not valid"
"""Gemini calls a wrong key a bad request."""


def client_for(url: str, *, address: str) -> httpx2.AsyncClient:
    """The connections to a vendor: one client a provider.  ``address`` names the variable that holds ``url``.

    Patience is the caller's.  A proxy has no business on the loopback.  A redirect is followed within its origin and
    never to another one.  On this machine a connection costs nothing and is not used twice: small servers (llama.cpp's)
    hang up as they like.
    """
    local = is_local(url)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_S),
        trust_env=not local,
        follow_redirects=True,
        limits=httpx2.Limits(max_keepalive_connections=0) if local else httpx2.Limits(),
        event_hooks=wire.hooks(url, httpx2.AsyncByteStream, address),
    )


def secretless(message: str, *secrets: str) -> str:
    """A vendor's sentence without our keys in it, of a length that a person reads."""
    for secret in secrets:
        if secret:
            message = message.replace(secret, "…")
    return message if len(message) <= MOST_SAID else message[:MOST_SAID] + "…"


def refused(
    vendor: str, status: int, said: str, headers: Mapping[str, str], *, key: str, secret: str, body: Any = None
) -> ProviderError:
    """The error of a call that was answered with a status.  ``key`` names the variable that holds the key."""
    words = f"{vendor} says: {secretless(said, secret)}"
    found = by_status(status, words, wait_s=hint(headers, body, said))
    if isinstance(found, NotAuthorised):
        return NotAuthorised(f"{found.message} (is {key} right?)")
    return found


def broken(vendor: str, url: str, error: Exception) -> ProviderError:
    """The error of a connection that was never there, or that died."""
    if isinstance(error.__cause__, ProviderError):  # raised by a hook of ours, within the SDK
        return error.__cause__
    match error if isinstance(error, httpx2.HTTPError) else error.__cause__ or error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return Unreachable(f"{vendor} does not answer at {url}")
        case httpx2.TimeoutException():
            return TimedOut(f"{vendor} was silent for too long")
        case _:
            return BrokenOff(f"{vendor} broke off ({type(error).__name__})")


def hint_for(error: ProviderError, *, key: str, address: str) -> str:
    """What to do about a vendor that lists nothing: ``key`` says how to give one, ``address`` which variable it is."""
    if isinstance(error, NotAuthorised):
        return key
    if isinstance(error, Unreachable):
        return f"see whether this machine reaches it; {address} names another address"
    return ""


def status_of(
    provider: str, model: str, *, ok: bool, detail: str, hint: str = "", window: int | None = None
) -> ModelStatus:
    """Whether a model answers, under its full name."""
    return ModelStatus(name=f"{provider}:{model}", provider=provider, ok=ok, detail=detail, hint=hint, window=window)


def all_listed(provider: str, url: str, windows: Mapping[str, int | None]) -> tuple[ModelStatus, ...]:
    """A row for each model that a vendor lists, with the window that it tells."""
    return tuple(
        status_of(provider, model, ok=True, detail=f"listed at {url}", window=window)
        for model, window in windows.items()
    )


def unlisted(url: str) -> str:
    """What is known of a model at a compatible server that lists none."""
    return f"{url} lists no models: it is tried when it is used"


async def listing(vendor: str, where: str, headers: Mapping[str, str], *, key: str, address: str) -> Any:
    """What a vendor lists at ``where``, as JSON: a GET needs no SDK, which takes seconds to import.

    ``key`` and ``address`` name the variables that hold the key and the address.  Raises ``ProviderError``.
    """
    try:
        async with client_for(where, address=address) as client:
            response = await client.get(where, headers={**headers, "accept": "application/json"})
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise broken(vendor, where, error) from error
    except UnicodeEncodeError as error:
        raise NotAuthorised(f"{key} holds characters that no key has") from error
    try:
        said = json.loads(response.content)
    except ValueError:
        said = None
    if response.status_code >= FAILED:
        fault = said.get("error", said) if isinstance(said, dict) else said
        words = as_text(fault.get("message") if isinstance(fault, dict) else fault) or f"status {response.status_code}"
        status = NOT_AUTHORISED if BAD_KEY in words else response.status_code
        raise refused(vendor, status, words, response.headers, key=key, secret=variable(key), body=said)
    if not isinstance(said, dict):
        raise BrokenOff(f"{vendor} sent what is not of its protocol")
    return said


class Hearing:
    """What is heard of one call: text, thinking told apart from it, and how it ended."""

    def __init__(self, learned: Learned, request: Request, limit: int, *, is_typed: bool) -> None:
        self._learned, self._request, self._limit = learned, request, limit
        self._began_at = time.monotonic()
        holds = learned.holds and request.think != "off"
        self._thinking, self._apart = Thinking(holds=holds, is_typed=is_typed), ""
        self._has_text = self.is_tool_call = False

    @property
    def reasoning(self) -> str:
        """What the model thought, as far as it was shown."""
        return "\n\n".join(filter(None, (self._apart.strip(), self._thinking.thought)))

    def text(self, text: str) -> str:
        """The speech in some text; "" while it may be thinking."""
        speech = self._thinking.feed(text)
        self._has_text = self._has_text or bool(speech.strip())
        return speech

    def thought(self, text: str) -> str:
        """Thinking that came in a field of its own: a sign of life."""
        if text:
            self._learned.holds = False  # this server tells them apart
            self._thinking.release()
            self._apart += text
        return ""

    def end(self) -> str:
        """What was held back and is speech after all."""
        speech = self._thinking.end()
        self._has_text = self._has_text or bool(speech.strip())
        return speech

    def outcome(
        self, model: str, tokens: Tokens, cost_usd: float | None, *, is_cut: bool, parameters: Parameters
    ) -> Outcome:
        """How the call went, which is learned from.  ``is_cut``: it ran into its limit of tokens."""
        if tokens.thought:
            self._learned.holds = self._learned.holds and bool(self._thinking.thought)
        outcome = Outcome(
            model=model,
            tokens=tokens,
            latency_ms=round((time.monotonic() - self._began_at) * 1000),
            cost_usd=cost_usd,
            finish="length" if is_cut else "stop",
            reasoning=self.reasoning,
            parameters={"max_tokens": self._request.max_tokens, "limit": self._limit, "think": self._request.think}
            | parameters,
        )
        self._learned.saw(outcome, self._request, self._limit, has_text=self._has_text)
        return outcome

    def check(self, outcome: Outcome) -> None:
        """Raise where what came is no speech: a tool call, or thoughts that seemed to be speech."""
        if self.is_tool_call:
            raise ToolCalled("the model called a tool in place of answering", outcome=outcome)
        if self._thinking.is_aloud:
            self._learned.holds = True
            raise ThoughtAloud("the model thought aloud: its server left out the tag that opens", outcome=outcome)


def paid(provider: str, url: str, model: str, tokens: Tokens, *, asked: str) -> float | None:
    """US dollars of a call at ``url``: nothing on this machine.

    None where nobody knows the price, or the server did not tell the tokens.  ``model`` answered, ``asked`` was asked.
    """
    if is_local(url):
        return 0.0
    if not tokens.input:
        return None
    return cost(provider, model, tokens.input, tokens.output, cached=tokens.cached, written=tokens.written, asked=asked)


def told(prompt: tuple[Segment, ...], form: dict[str, Any] | None) -> tuple[Segment, ...]:
    """The prompt, with the form of the answer in words."""
    if form is None:
        return prompt
    asks = "Answer with one JSON object of this schema and nothing else:\n" + json.dumps(form, ensure_ascii=False)
    return (*prompt, Segment("user", asks))


def form_id(form: dict[str, Any]) -> str:
    """A name for one schema among those that a vendor may refuse."""
    return f"json_schema {zlib.crc32(json.dumps(form).encode()):08x}"


def notice_prose(learned: Learned, error: Malformed) -> None:
    """Learn from prose in place of JSON that a compatible server passes over how it was asked for the form.

    What a server holds to a schema begins with a brace, also where it is cut short.  The next call asks by other means.
    """
    if error.outcome is not None and error.raw.strip() and "{" not in error.raw:
        means = error.outcome.parameters.get("structured_output")
        learned.lack(FALLS_FROM.get(str(means), str(means)))


FALLS_FROM: Final = {"json_object": "response_format"}


def level_of(learned: Learned, think: Think, lacks: frozenset[str]) -> str | None:
    """What a vendor calls that much thinking, of the values that the model takes; None where nothing is asked for.

    A value that was refused stands among ``lacks`` as ``effort=VALUE``.
    """
    known = learned.known
    if think == "default" or known is None:
        return None
    if think == "off" and known.off and f"effort={known.off}" not in lacks:
        return known.off
    levels = [level for level in known.levels if level in RANKS and f"effort={level}" not in lacks]
    rank = RANKS["minimal" if think == "off" else think]
    return min(levels, key=lambda level: (abs(RANKS[level] - rank), -RANKS[level]), default=None)


RANKS: Final = {name: at for at, name in enumerate(("minimal", "low", "medium", "high", "xhigh", "max"))}


def objects(value: Any) -> list[dict[str, Any]]:
    """The JSON objects of what should be a list of them."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def window_of(value: Any) -> int | None:
    """A window that a vendor tells, in tokens."""
    return value if isinstance(value, int) and value > 0 else None


def as_text(value: Any) -> str:
    """What a vendor sent, as text; nothing for nothing."""
    return value if isinstance(value, str) else ""

"""``anthropic:MODEL``: the official SDK.  ``ANTHROPIC_API_KEY``, and ``ANTHROPIC_BASE_URL`` for a compatible server."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar
from urllib.parse import quote

import httpx2

from .base import Answer, ModelStatus, Outcome, Request, Segment, TextStream, Tokens
from .dialects import ANTHROPIC, is_closed, is_object, spoken
from .environment import is_local, variable
from .errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    Malformed,
    NotAuthorised,
    ProviderError,
    Refused,
    WrongType,
)
from .hosted import (
    as_text,
    broken,
    client_for,
    hint_for,
    listing,
    objects,
    refused,
    room_for,
    secretless,
    window_of,
)
from .imports import load
from .pricing import cost
from .schema import schema
from .streaming import Source, answered, speaking
from .thinking import Thinking

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

T = TypeVar("T")
Parameters = dict[str, str | int | float | bool | None]

URL: Final = "https://api.anthropic.com"
KEY: Final = "ANTHROPIC_API_KEY"
HINT: Final = f"set {KEY}"
TOOL: Final = "answer"
FAILED: Final = 400
VERSION: Final = "2023-06-01"
CACHED: Final = {"type": "ephemeral"}


class AnthropicProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "anthropic"

    def __init__(self) -> None:
        self._made: AsyncAnthropic | None = None
        self._lacks: dict[str, set[str]] = {}
        """What a model was found not to take: ``temperature``, ``json_schema``, ``tool``."""
        self._thinks: set[str] = set()
        """Models that were seen to think: they get room for it."""

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  Loading the SDK is no part of the idle timeout."""
        await load("anthropic")
        async with speaking(self._listen(model, request, None), request) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``output_config.format``; by a forced tool, or by the prompt, where that is lacking.

        A compatible server may pass over what it does not know: prose for an answer says that it did.
        """
        await load("anthropic")
        form, lacks = schema(type_), self._lacks.setdefault(model, set())
        while True:
            means = _means(form, lacks)
            in_prose = means == "prompt"
            try:
                return await answered(self._listen(model, request, form), request, type_, in_prose=in_prose)
            except WrongType:
                raise
            except Malformed:
                if url() == URL or in_prose:
                    raise
                lacks.add(means)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models of this key."""
        key = variable(KEY, "ANTHROPIC_AUTH_TOKEN")
        headers = {"x-api-key": key} if variable(KEY) else {"authorization": f"Bearer {key}"}
        one = model if url() == URL else None   # of compatible servers few can be asked for one model
        where = f"{url().rstrip('/')}/v1/models" + (f"/{quote(one, safe='')}" if one else "?limit=50")
        try:
            if not key:
                raise NotAuthorised("no key")
            said = await listing("Anthropic", where, headers | {"anthropic-version": VERSION}, key=KEY)
        except ProviderError as error:
            hint = hint_for(error, key=HINT, address="ANTHROPIC_BASE_URL")
            return (self._status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        found = [said] if one else objects(said.get("data"))
        listed = {as_text(each.get("id")): window_of(each.get("max_input_tokens")) for each in found}
        if model is not None:   # a compatible server that lists other names may answer to this one too
            listed = {model: listed.get(model)}
        return tuple(
            self._status(name, ok=True, detail=f"listed at {url()}", window=window) for name, window in listed.items()
        )

    def caveat(self, model: str) -> str:  # noqa: ARG002 - models are as good as people chose them
        """Nothing."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        made, self._made = self._made, None
        if made is not None:
            await made.close()

    def _client(self) -> AsyncAnthropic:
        if self._made is None:
            key, token = variable(KEY), variable("ANTHROPIC_AUTH_TOKEN")
            if not key and not token:
                raise NotAuthorised(f"no key: {HINT}")
            from anthropic import AsyncAnthropic  # noqa: PLC0415 - SDKs are imported when first used

            self._made = AsyncAnthropic(
                api_key=key or None, auth_token=None if key else token, base_url=url(), max_retries=0,
                http_client=client_for(url()),
            )
        return self._made

    async def _listen(self, model: str, request: Request, form: dict[str, Any] | None) -> Source:
        """One call; once more where the model does not take what we asked for, before it has said anything."""
        lacks = self._lacks.setdefault(model, set())
        while True:
            has_spoken = False
            try:
                async with aclosing(self._call(model, request, form, lacks)) as source:
                    async for piece in source:
                        has_spoken = has_spoken or bool(piece)
                        yield piece
            except BadRequest as error:
                lack = _lack(error.message, form, lacks)
                if has_spoken or lack is None:
                    raise
                lacks.add(lack)
            else:
                return

    async def _call(self, model: str, request: Request, form: dict[str, Any] | None, lacks: set[str]) -> Source:
        from anthropic import APIError, APIStatusError  # noqa: PLC0415

        began_at = time.monotonic()
        asked = _parameters(request, form, lacks, room=room_for(model in self._thinks))
        said = _Message(model)
        try:
            stream = await self._client().messages.create(
                model=model, stream=True, **_prompt(_told(request.prompt, form, lacks)), **asked
            )
            async with stream:
                async for event in stream:
                    yield said.feed(event)
                    if said.is_whole:
                        break
        except (APIStatusError, APIError) as error:   # of the call as a whole, or in mid-stream
            raise self._translate(error) from error
        except httpx2.HTTPError as error:
            raise broken("Anthropic", url(), error) from error
        except ValueError as error:
            raise BrokenOff("Anthropic sent what is not of its protocol") from error
        if not said.is_whole:
            return   # the stream ended before the message did: whoever listens says so
        if said.reasoning:
            self._thinks.add(model)
        if said.finish == "refusal":
            raise Refused("the model declined to answer")
        if said.finish == "model_context_window_exceeded":
            raise ContextExceeded("the model's window is full")
        yield Outcome(
            model=said.model, tokens=Tokens(input=said.usage.input, output=said.usage.output),
            latency_ms=round((time.monotonic() - began_at) * 1000), cost_usd=said.usage.cost(said.model),
            finish="length" if said.finish == "max_tokens" else "stop", reasoning=said.reasoning,
            parameters=_recorded(request, form, lacks),
        )

    def _translate(self, error: Exception) -> ProviderError:
        """What the SDK raises, as one of ours."""
        from anthropic import APIStatusError  # noqa: PLC0415

        secret = variable(KEY, "ANTHROPIC_AUTH_TOKEN")
        body = getattr(error, "body", None)
        named = body.get("error") if isinstance(body, dict) else None
        kind = as_text(named.get("type")) if isinstance(named, dict) else ""
        if isinstance(error, APIStatusError):
            said, headers = error.api_message or str(error), error.response.headers
            status = error.status_code if error.status_code >= FAILED else _BY_KIND.get(kind, FAILED)   # in mid-stream
            return refused("Anthropic", status, said, headers, key=KEY, secret=secret)
        if kind in _BY_KIND:
            return refused("Anthropic", _BY_KIND[kind], str(error), {}, key=KEY, secret=secret)
        if error.__cause__ is not None:
            return broken("Anthropic", url(), error)
        return BrokenOff(f"Anthropic says: {secretless(str(error), secret)}")

    def _status(
        self, model: str, *, ok: bool, detail: str, hint: str = "", window: int | None = None
    ) -> ModelStatus:
        name = f"{self.name}:{model}"
        return ModelStatus(name=name, provider=self.name, ok=ok, detail=detail, hint=hint, window=window)


_BY_KIND: Final = {
    "overloaded_error": 529, "api_error": 500, "rate_limit_error": 429, "invalid_request_error": 400,
    "authentication_error": 401, "permission_error": 403, "not_found_error": 404,
}


class _Message:
    """A message in the making, fed with the stream's events."""

    def __init__(self, model: str) -> None:
        self.model, self.finish, self.is_whole, self.usage = model, "", False, _Usage()
        self._thinking, self._apart = Thinking(), ""

    @property
    def reasoning(self) -> str:
        """What the model thought, in blocks of its own or between tags."""
        return self._apart + self._thinking.thought

    def feed(self, event: Any) -> str:
        """The speech that an event brings; "" for one that is only a sign of life."""
        match event.type:
            case "message_start":
                self.model = event.message.model or self.model
                self.usage.read(event.message.usage)
            case "content_block_delta":
                return self._delta(event.delta)
            case "message_delta":
                self.finish = event.delta.stop_reason or self.finish
                self.usage.read(event.usage)
            case "message_stop":
                self.is_whole = True
                return self._thinking.end()
        return ""

    def _delta(self, delta: Any) -> str:
        match delta.type:
            case "text_delta":
                return self._thinking.feed(delta.text)
            case "input_json_delta":
                return str(delta.partial_json)
            case "thinking_delta":
                self._apart += delta.thinking
        return ""


class _Usage:
    """Tokens as they are told, some at the start and some at the end."""

    def __init__(self) -> None:
        self.fresh = self.output = self.cached = self.written = 0

    @property
    def input(self) -> int:
        """All tokens that were read, whatever they cost."""
        return self.fresh + self.cached + self.written

    def cost(self, model: str) -> float | None:
        """US dollars; nothing on this machine, None where nobody knows."""
        if is_local(url()):
            return 0.0
        return cost(AnthropicProvider.name, model, self.input, self.output, cached=self.cached, written=self.written)

    def read(self, said: Any) -> None:
        """What a message says of its tokens; what it leaves out stays as it was."""
        self.fresh = getattr(said, "input_tokens", None) or self.fresh
        self.output = getattr(said, "output_tokens", None) or self.output
        self.cached = getattr(said, "cache_read_input_tokens", None) or self.cached
        self.written = getattr(said, "cache_creation_input_tokens", None) or self.written


def url() -> str:
    """Where the API is."""
    return variable("ANTHROPIC_BASE_URL") or URL


def _told(prompt: tuple[Segment, ...], form: dict[str, Any] | None, lacks: set[str]) -> tuple[Segment, ...]:
    """The prompt, with the form of the answer in words where nothing else holds the model to it."""
    if form is None or _means(form, lacks) != "prompt":
        return prompt
    asks = "Answer with one JSON object of this schema and nothing else:\n" + json.dumps(form, ensure_ascii=False)
    return (*prompt, Segment("user", asks))


def _prompt(prompt: tuple[Segment, ...]) -> dict[str, Any]:
    """System and messages, a block a segment; what comes before the last block is cached, since it grows and stays."""
    system = [{"type": "text", "text": each.text} for each in prompt if each.role == "system"]
    messages: list[dict[str, Any]] = []
    for each in prompt:
        if each.role == "system":
            continue
        block: dict[str, Any] = {"type": "text", "text": each.text}
        if messages and messages[-1]["role"] == each.role:
            messages[-1]["content"].append(block)
        else:
            messages.append({"role": each.role, "content": [block]})
    blocks = [block for message in messages for block in message["content"]]
    if len(blocks) > 1:
        blocks[-2]["cache_control"] = CACHED
    return {"messages": messages, **({"system": system} if system else {})}


def _parameters(request: Request, form: dict[str, Any] | None, lacks: set[str], *, room: int) -> dict[str, Any]:
    asked: dict[str, Any] = {"max_tokens": request.max_tokens + room}
    if _takes_temperature(lacks):
        asked["extra_body"] = {"temperature": min(request.temperature, 1.0)}
    if form is None:
        return asked
    match _means(form, lacks):
        case "json_schema":
            return asked | {"output_config": {"format": {"type": "json_schema", "schema": spoken(form, ANTHROPIC)}}}
        case "prompt":
            return asked
    tool = {"name": TOOL, "description": "Gives the answer that is asked for.", "input_schema": form}
    return asked | {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}


def _takes_temperature(lacks: set[str]) -> bool:
    """Anthropic's own models have no such parameter any more, and the SDK has none; compatible servers do."""
    return url() != URL and "temperature" not in lacks


Means = Literal["json_schema", "tool", "prompt"]


def _means(form: dict[str, Any], lacks: set[str]) -> Means:
    """How an answer is held to its form: by the vendor's own means, by a forced tool, or by words."""
    if "json_schema" not in lacks and is_object(form) and is_closed(form):
        return "json_schema"
    return "prompt" if "tool" in lacks else "tool"


def _recorded(request: Request, form: dict[str, Any] | None, lacks: set[str]) -> Parameters:
    """What was asked for, as the event keeps it; a fallback is said."""
    said: Parameters = {"max_tokens": request.max_tokens, "seed": request.seed}
    said["temperature"] = min(request.temperature, 1.0) if _takes_temperature(lacks) else None
    if form is not None:
        said["structured_output"] = _means(form, lacks)
    return said


def _lack(message: str, form: dict[str, Any] | None, lacks: set[str]) -> str | None:
    """What the model does not take, told from the vendor's sentence; None where it says something else."""
    said = message.lower()
    if "temperature" in said and "temperature" not in lacks:
        return "temperature"
    words = ("output_config", "output_format", "json_schema", "structured output", "schema")
    if form is not None and "json_schema" not in lacks and any(word in said for word in words):
        return "json_schema"
    return None



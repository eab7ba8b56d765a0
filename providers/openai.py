"""``openai:MODEL``: the official SDK.  ``OPENAI_API_KEY``, and ``OPENAI_BASE_URL`` for any compatible server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import httpx2

from .base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens, messages
from .dialects import OPENAI, is_closed, is_object, spoken
from .environment import is_local, variable
from .errors import BadRequest, BrokenOff, NotAuthorised, ProviderError, Refused
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
)
from .imports import load
from .pricing import cost
from .schema import schema
from .streaming import Source, answered, speaking
from .thinking import Thinking

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")
Parameters = dict[str, str | int | float | bool | None]

URL: Final = "https://api.openai.com/v1"
KEY: Final = "OPENAI_API_KEY"
HINT: Final = f"set {KEY}, or OPENAI_BASE_URL for a compatible server"
KEYLESS: Final = "none"
"""Sent to a server of one's own that asks for no key."""
PATIENT: Final = ("max_completion_tokens", "temperature", "seed", "stream_options", "response_format")
"""What some models and servers do not take."""


class OpenAIProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "openai"

    def __init__(self) -> None:
        self._made: AsyncOpenAI | None = None
        self._lacks: dict[str, set[str]] = {}
        """What a model was found not to take."""
        self._thinks: set[str] = set()
        """Models that were seen to think: they get room for it."""

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  Loading the SDK is no part of the idle timeout."""
        await load("openai")
        async with speaking(self._listen(model, request, None), request) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``response_format``, strictly where the schema allows it."""
        await load("openai")
        return await answered(self._listen(model, request, schema(type_)), request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models of this key at this address."""
        key = variable(KEY)
        try:
            if not key and not variable("OPENAI_BASE_URL"):
                raise NotAuthorised("no key")
            headers = {"authorization": f"Bearer {key or KEYLESS}"}
            said = await listing("the server", f"{url().rstrip('/')}/models", headers, key=KEY)
        except ProviderError as error:
            hint = hint_for(error, key=HINT, address="OPENAI_BASE_URL")
            return (self._status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        listed = [as_text(each.get("id")) for each in objects(said.get("data"))]
        if model is None:
            return tuple(self._status(name, ok=True, detail=f"listed at {url()}") for name in listed)
        if listed and model not in listed:
            # A server of one model, such as llama.cpp, answers to any name; OpenAI does not.
            why = f"not listed at {url()}"
            return (self._status(model, ok=url() != URL, detail=why, hint=", ".join(listed[:5])),)
        return (self._status(model, ok=True, detail=f"listed at {url()}"),)

    def caveat(self, model: str) -> str:  # noqa: ARG002 - models are as good as people chose them
        """Nothing."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        made, self._made = self._made, None
        if made is not None:
            await made.close()

    def _client(self) -> AsyncOpenAI:
        if self._made is None:
            key = variable(KEY)
            if not key and not variable("OPENAI_BASE_URL"):
                raise NotAuthorised(f"no key: {HINT}")
            from openai import AsyncOpenAI  # noqa: PLC0415 - SDKs are imported when first used

            self._made = AsyncOpenAI(
                api_key=key or KEYLESS, base_url=url(), max_retries=0, http_client=client_for(url())
            )
        return self._made

    async def _listen(self, model: str, request: Request, form: dict[str, Any] | None) -> Source:
        """One call; again where the server does not take what we asked for, before it has said anything."""
        lacks = self._lacks.setdefault(model, set())
        while True:
            has_spoken = False
            try:
                async with aclosing(self._call(model, request, form, lacks)) as source:
                    async for piece in source:
                        has_spoken = has_spoken or bool(piece)
                        yield piece
            except BadRequest as error:
                lack = next((name for name in PATIENT if name in error.message and name not in lacks), None)
                if has_spoken or lack is None:
                    raise
                lacks.add(lack)
            else:
                return

    async def _call(self, model: str, request: Request, form: dict[str, Any] | None, lacks: set[str]) -> Source:
        from openai import APIConnectionError, APIError, APIStatusError  # noqa: PLC0415

        began_at = time.monotonic()
        asked = _parameters(request, form, lacks, room=room_for(model in self._thinks))
        said = _Reply(model)
        try:
            stream: Any = await self._client().chat.completions.create(
                model=model, messages=messages(request.prompt), stream=True, **asked   # type: ignore[arg-type]
            )
            async with stream:
                async for part in stream:
                    yield said.feed(part)
            yield said.end()
        except (APIStatusError, APIConnectionError) as error:
            raise self._translate(error) from error
        except httpx2.HTTPError as error:
            raise broken("the server", url(), error) from error
        except APIError as error:   # an error in mid-stream
            raise BrokenOff(f"the server says: {secretless(str(error), variable(KEY))}") from error
        except ValueError as error:
            raise BrokenOff("the server sent what is not of OpenAI's protocol") from error
        if said.reasoning:
            self._thinks.add(model)
        if not said.finish:
            return   # the stream ended before the message did: whoever listens says so
        if said.refusal or said.finish == "content_filter":
            raise Refused(f"the model declined to answer {said.refusal[:200]}".strip())
        tokens = said.tokens
        yield Outcome(
            model=said.model, tokens=tokens, latency_ms=round((time.monotonic() - began_at) * 1000),
            cost_usd=0.0 if is_local(url()) else cost(self.name, said.model, tokens.input, tokens.output),
            finish="length" if said.finish == "length" else "stop", reasoning=said.reasoning,
            parameters=_recorded(request, form, lacks),
        )

    def _translate(self, error: Exception) -> ProviderError:
        """What the SDK raises, as one of ours."""
        from openai import APIStatusError  # noqa: PLC0415

        if not isinstance(error, APIStatusError):
            return broken("the server", url(), error)
        body = error.body if isinstance(error.body, dict) else {}
        said = as_text(body.get("message")) or str(error)
        if body.get("code") == "context_length_exceeded":
            said = f"context length: {said}"
        return refused("the server", error.status_code, said, error.response.headers, key=KEY, secret=variable(KEY))

    def _status(self, model: str, *, ok: bool, detail: str, hint: str = "") -> ModelStatus:
        return ModelStatus(name=f"{self.name}:{model}", provider=self.name, ok=ok, detail=detail, hint=hint)


class _Reply:
    """A reply in the making, fed with the stream's parts."""

    def __init__(self, model: str) -> None:
        self.model, self.finish, self.refusal, self.tokens = model, "", "", Tokens()
        self._thinking, self._apart = Thinking(), ""

    @property
    def reasoning(self) -> str:
        """What the model thought, in a field of its own or between tags."""
        return self._apart + self._thinking.thought

    def feed(self, part: Any) -> str:
        """The speech that a part brings."""
        self.model = part.model or self.model
        if part.usage is not None:
            self.tokens = Tokens(input=part.usage.prompt_tokens, output=part.usage.completion_tokens)
        if not part.choices:
            return ""
        choice = part.choices[0]
        self.finish = choice.finish_reason or self.finish
        self.refusal += choice.delta.refusal or ""
        for name in ("reasoning_content", "reasoning"):   # servers differ in what they call it
            self._apart += as_text(getattr(choice.delta, name, None))
        return self._thinking.feed(choice.delta.content or "")

    def end(self) -> str:
        """What was held back and is speech after all."""
        return self._thinking.end()


def url() -> str:
    """Where the API is."""
    return variable("OPENAI_BASE_URL") or URL


def _parameters(
    request: Request, form: dict[str, Any] | None, lacks: set[str], *, room: int = 0
) -> dict[str, Any]:
    tokens = "max_tokens" if "max_completion_tokens" in lacks or url() != URL else "max_completion_tokens"
    asked: dict[str, Any] = {tokens: request.max_tokens + room, "temperature": request.temperature}
    asked["stream_options"] = {"include_usage": True}
    if request.seed is not None:
        asked["seed"] = request.seed
    if form is not None:
        asked["response_format"] = _form(form)
    return {name: value for name, value in asked.items() if name not in lacks}


def _form(form: dict[str, Any]) -> dict[str, Any]:
    """The schema as OpenAI wants it; a compatible server gets all of it, bounds and lengths too."""
    is_strict = is_object(form) and is_closed(form)
    said = spoken(form, OPENAI) if url() == URL else form
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": said, "strict": is_strict}}


def _recorded(request: Request, form: dict[str, Any] | None, lacks: set[str]) -> Parameters:
    """What was asked for, as the event keeps it; a fallback is said."""
    asked = _parameters(request, form, lacks)
    said: Parameters = {
        name: asked.get(name) for name in ("temperature", "seed")
    } | {"max_tokens": request.max_tokens}
    if form is not None:
        said["structured_output"] = "json_schema" if "response_format" in asked else "none: the server does not take it"
    return said

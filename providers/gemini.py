"""``gemini:MODEL``: Google's SDK.  ``GEMINI_API_KEY``, and ``GOOGLE_GEMINI_BASE_URL`` for another address."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

import httpx2

from .base import Answer, ModelStatus, Outcome, Request, Segment, TextStream, Tokens
from .dialects import GEMINI, spoken
from .environment import is_local, variable
from .errors import BrokenOff, NotAuthorised, ProviderError, Refused
from .hosted import (
    as_text,
    broken,
    client_for,
    hint_for,
    listing,
    objects,
    refused,
    room_for,
    window_of,
)
from .imports import load
from .pricing import cost
from .schema import schema
from .streaming import Source, answered, speaking

if TYPE_CHECKING:
    from google.genai import Client

T = TypeVar("T")
Parameters = dict[str, str | int | float | bool | None]

URL: Final = "https://generativelanguage.googleapis.com"
KEY: Final = "GEMINI_API_KEY"
HINT: Final = f"set {KEY}"
VERSION: Final = "v1"
STOPS: Final = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", "OTHER"})
BAD_KEY: Final = "API key not valid"


_responses: ContextVar[list[httpx2.Response]] = ContextVar("responses")
"""The responses of the call in this context: what the SDK opens is ours to close."""


class GeminiProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "gemini"

    def __init__(self) -> None:
        self._made: Client | None = None
        self._http: httpx2.AsyncClient | None = None
        self._thinks: set[str] = set()
        """Models that were seen to think: they get room for it."""

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  Loading the SDK is no part of the idle timeout."""
        await load("google.genai")
        async with speaking(self._listen(model, request, None), request) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``response_json_schema``."""
        await load("google.genai")
        return await answered(self._listen(model, request, schema(type_)), request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models of this key that generate text."""
        key = variable(KEY, "GOOGLE_API_KEY")
        where = f"{url().rstrip('/')}/{VERSION}/models" + (f"/{quote(model, safe='')}" if model else "?pageSize=200")
        try:
            if not key:
                raise NotAuthorised("no key")
            said = await listing("Gemini", where, {"x-goog-api-key": key}, key=KEY)
        except ProviderError as error:
            hint = hint_for(error, key=HINT, address="GOOGLE_GEMINI_BASE_URL")
            return (self._status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        found = [said] if model else [each for each in objects(said.get("models")) if _speaks(each)]
        listed = {
            model or as_text(each.get("name")).removeprefix("models/"): window_of(each.get("inputTokenLimit"))
            for each in found
        }
        return tuple(
            self._status(name, ok=True, detail=f"listed at {url()}", window=window) for name, window in listed.items()
        )

    def caveat(self, model: str) -> str:  # noqa: ARG002 - models are as good as people chose them
        """Nothing."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        made, self._made = self._made, None
        http, self._http = self._http, None
        if made is not None:
            made.close()
        if http is not None:
            await http.aclose()

    def _client(self) -> Client:
        if self._made is None:
            key = variable(KEY, "GOOGLE_API_KEY")
            if not key:
                raise NotAuthorised(f"no key: {HINT}")
            from google.genai import Client  # noqa: PLC0415 - SDKs are imported when first used
            from google.genai.types import HttpOptions, HttpRetryOptions  # noqa: PLC0415

            self._http = client_for(url())
            self._http.event_hooks = {"response": [_hold]}
            options = HttpOptions(
                base_url=url(), httpx_async_client=self._http, retry_options=HttpRetryOptions(attempts=1)
            )
            self._made = Client(api_key=key, http_options=options, vertexai=False)
        return self._made

    async def _listen(self, model: str, request: Request, form: dict[str, Any] | None) -> Source:
        from google.genai.errors import APIError  # noqa: PLC0415

        held: list[httpx2.Response] = []
        _responses.set(held)
        began_at, said = time.monotonic(), _Reply(model)
        system, contents = _prompt(request.prompt)
        config = _config(request, form, system, room_for(model in self._thinks))
        try:
            parts = await self._client().aio.models.generate_content_stream(
                model=model, contents=contents, config=config   # type: ignore[arg-type]
            )
            async for part in parts:
                for text in said.feed(part):
                    yield text
        except APIError as error:
            raise self._translate(error) from error
        except httpx2.HTTPError as error:
            raise broken("Gemini", url(), error) from error
        except ValueError as error:
            raise BrokenOff("Gemini sent what is not of its protocol") from error
        finally:
            for response in held:   # the SDK leaves a stream that nobody reads on to the garbage collector
                await response.aclose()
        if said.reasoning:
            self._thinks.add(model)
        if not said.finish:
            return   # the stream ended before the message did: whoever listens says so
        if said.finish not in {*STOPS, "MAX_TOKENS"}:
            raise Refused(f"the model stopped for a reason of its own ({said.finish})")
        read, cached = said.tokens.input, said.cached
        yield Outcome(
            model=said.model, tokens=said.tokens, latency_ms=round((time.monotonic() - began_at) * 1000),
            cost_usd=0.0 if is_local(url()) else cost(self.name, said.model, read, said.tokens.output, cached=cached),
            finish="length" if said.finish == "MAX_TOKENS" else "stop", reasoning=said.reasoning,
            parameters=_recorded(request, form),
        )

    def _translate(self, error: Any) -> ProviderError:
        """What the SDK raises, as one of ours."""
        said, secret = as_text(error.message) or str(error), variable(KEY, "GOOGLE_API_KEY")
        status = 401 if BAD_KEY in said else error.code if isinstance(error.code, int) else 500
        if "token count" in said and "exceeds" in said:
            said = f"context length: {said}"
        headers = getattr(error.response, "headers", None) or {}
        return refused("Gemini", status, said, headers, key=KEY, secret=secret)

    def _status(
        self, model: str, *, ok: bool, detail: str, hint: str = "", window: int | None = None
    ) -> ModelStatus:
        name = f"{self.name}:{model}"
        return ModelStatus(name=name, provider=self.name, ok=ok, detail=detail, hint=hint, window=window)


class _Reply:
    """A reply in the making, fed with the stream's parts."""

    def __init__(self, model: str) -> None:
        self.model, self.finish, self.reasoning, self.tokens, self.cached = model, "", "", Tokens(), 0

    def feed(self, part: Any) -> Iterator[str]:
        """The texts that a part brings, "" for a thought.  Raises ``Refused`` for a prompt that was blocked."""
        self.model = part.model_version or self.model
        if (used := part.usage_metadata) is not None:
            spoken_tokens = (used.candidates_token_count or 0) + (used.thoughts_token_count or 0)
            self.tokens = Tokens(input=used.prompt_token_count or 0, output=spoken_tokens)
            self.cached = used.cached_content_token_count or 0
        if (feedback := part.prompt_feedback) is not None and feedback.block_reason is not None:
            raise Refused(f"the prompt was blocked ({_word(feedback.block_reason)})")
        for candidate in (part.candidates or [])[:1]:
            self.finish = _word(candidate.finish_reason) or self.finish
            for piece in (candidate.content and candidate.content.parts) or []:
                if piece.thought:
                    self.reasoning += piece.text or ""
                yield "" if piece.thought else piece.text or ""


async def _hold(response: httpx2.Response) -> None:
    _responses.get([]).append(response)


def url() -> str:
    """Where the API is."""
    return variable("GOOGLE_GEMINI_BASE_URL") or URL


def _speaks(model: Any) -> bool:
    return "generateContent" in (model.get("supportedGenerationMethods") or ["generateContent"])


def _word(reason: Any) -> str:
    """An enumeration's value as text; a value that the SDK does not know is one too."""
    return "" if reason is None else as_text(getattr(reason, "value", reason))


def _prompt(prompt: tuple[Segment, ...]) -> tuple[str, list[dict[str, Any]]]:
    """The system's text, and the turns: a part a segment."""
    system = "\n\n".join(each.text for each in prompt if each.role == "system")
    contents: list[dict[str, Any]] = []
    for each in prompt:
        if each.role == "system":
            continue
        role = "model" if each.role == "assistant" else "user"
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"].append({"text": each.text})
        else:
            contents.append({"role": role, "parts": [{"text": each.text}]})
    return system, contents


def _config(request: Request, form: dict[str, Any] | None, system: str, room: int) -> dict[str, Any]:
    said: dict[str, Any] = {
        "max_output_tokens": request.max_tokens + room, "temperature": request.temperature, "seed": request.seed,
        "thinking_config": {"include_thoughts": True},
    }
    if system:
        said["system_instruction"] = system
    if form is not None:
        said |= {"response_mime_type": "application/json", "response_json_schema": spoken(form, GEMINI)}
    return said


def _recorded(request: Request, form: dict[str, Any] | None) -> Parameters:
    said: Parameters = {
        "max_tokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed,
    }
    return said if form is None else said | {"structured_output": "json_schema"}

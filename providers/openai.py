"""``openai:MODEL``: the official SDK.  ``OPENAI_API_KEY``, and ``OPENAI_BASE_URL`` for any compatible server.

It speaks chat completions to the vendor's own address too, not the Responses API: each call here is whole in itself, so
that what Responses keeps from call to call is of no use, and one protocol serves every compatible server.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx2

from .base import Answer, ModelStatus, Parameters, Request, TextStream, Tokens, messages
from .dialects import OPENAI, fits, is_closed, is_object, spoken
from .environment import variable
from .errors import BrokenOff, Malformed, NotAuthorised, ProviderError, Refused, Stopped
from .hosted import (
    NOT_THERE,
    Hearing,
    as_text,
    broken,
    client_for,
    form_id,
    hint_for,
    level_of,
    listing,
    notice_prose,
    objects,
    paid,
    refused,
    secretless,
    status_of,
    told,
    unlisted,
)
from .imports import load
from .learned import Learned, Lessons, adapting
from .models import Model, presumed
from .schema import schema
from .streaming import Source, answered, speaking

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")

URL: Final = "https://api.openai.com/v1"
KEY: Final = "OPENAI_API_KEY"
ADDRESS: Final = "OPENAI_BASE_URL"
HINT: Final = f"set {KEY}, or {ADDRESS} for a compatible server"
KEYLESS: Final = "none"
"""Sent to a server of one's own that asks for no key."""
LIMITS: Final = ("max_completion_tokens", "max_tokens")
REASONING: Final = ("reasoning_content", "reasoning", "thinking")
"""What servers call a delta's thinking."""
CUTS: Final = frozenset({"length", "max_tokens", "model_length"})
STOPS: Final = frozenset({"abort", "insufficient_system_resource"})
"""How vLLM and DeepSeek end an answer that is not whole; any other reason of a server's own is taken for a stop."""
EFFORTS: Final = {"off": "none", "low": "low", "medium": "medium", "high": "high"}


class OpenAIProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "openai"

    def __init__(self) -> None:
        self._made: AsyncOpenAI | None = None
        self._lessons = Lessons(presumed)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  Loading the SDK is no part of the idle timeout."""
        await load("openai")
        first_s = self._lessons.of(url(), model).first_s(request)
        async with speaking(self._listen(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``response_format``, strictly where the schema allows it, or by the prompt."""
        await load("openai")
        try:
            first_s = self._lessons.of(url(), model).first_s(request)
            return await answered(self._listen(model, request, schema(type_)), request, type_, first_s=first_s)
        except Malformed as error:
            if url() != URL:
                notice_prose(self._lessons.of(url(), model), error)
            raise

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models of this key at this address."""
        key = variable(KEY)
        try:
            if not key and not variable(ADDRESS):
                raise NotAuthorised("no key")
            headers = {"authorization": f"Bearer {key or KEYLESS}"}
            said = await listing("the server", f"{url().rstrip('/')}/models", headers, key=KEY, address=ADDRESS)
        except ProviderError as error:
            if model is not None and url() != URL and error.http_status in NOT_THERE:
                return (self._status(model, ok=True, detail=unlisted(url())),)
            hint = hint_for(error, key=HINT, address=ADDRESS)
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
            if not key and not variable(ADDRESS):
                raise NotAuthorised(f"no key: {HINT}")
            from openai import AsyncOpenAI  # noqa: PLC0415 - SDKs are imported when first used

            self._made = AsyncOpenAI(
                api_key=key or KEYLESS, base_url=url(), max_retries=0, http_client=client_for(url(), address=ADDRESS)
            )
        return self._made

    def _listen(self, model: str, request: Request, form: dict[str, Any] | None) -> Source:
        """One call; again where the server does not take what we asked for, before it has said anything."""
        learned = self._lessons.of(url(), model)
        return adapting(
            request,
            learned,
            lambda lacks, limit: _parameters(request, form, learned, lacks, limit),
            lambda asked: self._call(model, request, form, learned, asked),
            lambda message, asked: _lack(message, asked, form),
        )

    async def _call(
        self, model: str, request: Request, form: dict[str, Any] | None, learned: Learned, asked: dict[str, Any]
    ) -> Source:
        from openai import APIError  # noqa: PLC0415

        limit = next((asked[name] for name in LIMITS if name in asked), request.max_tokens)
        hearing = Hearing(learned, request, limit, is_typed=form is not None)
        reply = _Reply(model, hearing)
        prompt = request.prompt if _means(asked) == "json_schema" else told(request.prompt, form)
        try:
            stream: Any = await self._client().chat.completions.create(
                model=model,
                messages=messages(prompt),  # type: ignore[arg-type]
                stream=True,
                **asked,
            )
            async with stream:
                async for part in stream:
                    yield reply.feed(part)
            yield hearing.end()
        except APIError as error:
            raise self._translate(error) from error
        except httpx2.HTTPError as error:
            raise broken("the server", url(), error) from error
        except ValueError as error:
            raise BrokenOff("the server sent what is not of OpenAI's protocol") from error
        if not reply.finish:
            return  # the stream ended before the message did: whoever listens says so
        outcome = hearing.outcome(
            reply.model,
            reply.tokens,
            paid(self.name, url(), reply.model, reply.tokens, asked=model),
            is_cut=reply.finish in CUTS,
            parameters=_recorded(form, asked),
        )
        if reply.refusal or reply.finish == "content_filter":
            raise Refused(f"the model declined to answer {reply.refusal[:200]}".strip(), outcome=outcome)
        if reply.finish == "error":
            raise BrokenOff("the server ended the answer with an error", outcome=outcome)
        hearing.check(outcome)
        if reply.finish in STOPS:
            raise Stopped(f"the model stopped for a reason of its own ({reply.finish})", outcome=outcome)
        yield outcome

    def _translate(self, error: Any) -> ProviderError:
        """What the SDK raises, as one of ours."""
        from openai import APIConnectionError, APIStatusError  # noqa: PLC0415

        if isinstance(error, APIConnectionError):
            return broken("the server", url(), error)
        body = error.body if isinstance(error.body, dict) else {}
        said, named = as_text(body.get("message")) or str(error), as_text(body.get("param"))
        if body.get("code") == "context_length_exceeded":
            said = f"context length: {said}"
        if named and named not in said:
            said = f"{said} ({named})"
        if isinstance(error, APIStatusError):
            return refused(
                "the server", error.status_code, said, error.response.headers, key=KEY, secret=variable(KEY), body=body
            )
        code = body.get("code")  # an error in mid-stream, as OpenRouter tells it
        status = _IN_STREAM.get(code, code)
        if isinstance(status, int) and status >= httpx2.codes.BAD_REQUEST:
            return refused("the server", status, said, {}, key=KEY, secret=variable(KEY), body=body)
        return BrokenOff(f"the server says: {secretless(said, variable(KEY))}")

    def _status(self, model: str, *, ok: bool, detail: str, hint: str = "") -> ModelStatus:
        found = presumed(model)
        window = None if found is None or found.is_guess else found.window
        return status_of(self.name, model, ok=ok, detail=detail, hint=hint, window=window)


_IN_STREAM: Final[dict[Any, int]] = {
    "server_error": 500, "rate_limit_exceeded": 429, "overloaded": 503, "context_length_exceeded": 400,
}  # fmt: skip
"""Statuses of errors in mid-stream that are told by a word."""


class _Reply:
    """A reply in the making, fed with the stream's parts."""

    def __init__(self, model: str, hearing: Hearing) -> None:
        self.model, self.finish, self.refusal, self.tokens = model, "", "", Tokens()
        self._hearing = hearing

    def feed(self, part: Any) -> str:
        """The speech that a part brings."""
        self.model = part.model or self.model
        if part.usage is not None:
            self.tokens = _tokens(part.usage)
        if not part.choices:
            return ""
        choice = part.choices[0]
        self.finish = choice.finish_reason or self.finish
        delta = choice.delta
        if delta is None:
            return ""
        self.refusal += as_text(delta.refusal)
        if delta.tool_calls or delta.function_call or self.finish in {"tool_calls", "function_call"}:
            self._hearing.is_tool_call = True
        for name in REASONING:
            self._hearing.thought(as_text(getattr(delta, name, None)))
        if not any(getattr(delta, name, None) for name in REASONING):
            for detail in objects(getattr(delta, "reasoning_details", None)):  # OpenRouter's, beside or without a text
                self._hearing.thought(as_text(detail.get("text")) or as_text(detail.get("summary")))
        if isinstance(delta.content, list):
            return "".join(map(self._piece, delta.content))
        return self._hearing.text(as_text(delta.content))

    def _piece(self, piece: Any) -> str:
        """A piece of content that came as a list, as Mistral's does: text, or thinking."""
        if not isinstance(piece, dict):
            return self._hearing.text(as_text(piece))
        if piece.get("type") != "thinking":
            return self._hearing.text(as_text(piece.get("text")))
        thought = piece.get("thinking")
        whole = thought if isinstance(thought, str) else "".join(as_text(each.get("text")) for each in objects(thought))
        return self._hearing.thought(whole)


def _tokens(usage: Any) -> Tokens:
    """The tokens of a call.  Thinking is among the completion's, unless the sum says otherwise."""
    read, said = usage.prompt_tokens or 0, usage.completion_tokens or 0
    thought = getattr(usage.completion_tokens_details, "reasoning_tokens", None) or 0
    cached = getattr(usage.prompt_tokens_details, "cached_tokens", None) or 0
    written = getattr(usage.prompt_tokens_details, "cache_write_tokens", None) or 0
    if thought and usage.total_tokens == read + said + thought:
        said += thought
    return Tokens(input=read, output=said, cached=cached, written=written, thought=thought)


def url() -> str:
    """Where the API is."""
    return variable(ADDRESS) or URL


def _parameters(
    request: Request, form: dict[str, Any] | None, learned: Learned, lacks: frozenset[str], limit: int
) -> dict[str, Any]:
    """What is asked of the server beside the prompt, without what it does not take."""
    known = learned.known
    is_theirs = url() == URL or (known is not None and known.vendor == "openai" and known.thinks != "never")
    names = LIMITS if is_theirs else LIMITS[::-1]
    asked: dict[str, Any] = {}
    if (name := next((name for name in names if name not in lacks), None)) is not None:
        asked[name] = limit
    thinking = _thinking(request, learned, lacks)
    asked |= thinking
    if known is None or known.takes_sampling or _is_off(known, thinking):
        asked["temperature"] = request.temperature
    asked["stream_options"] = {"include_usage": True}
    if request.seed is not None:
        asked["seed"] = request.seed
    if form is not None:
        if not lacks & {"json_schema", form_id(form)}:
            asked["response_format"] = _form(form)
        elif "response_format" not in lacks:
            asked["response_format"] = {"type": "json_object"}
    return {name: value for name, value in asked.items() if name not in lacks}


def _thinking(request: Request, learned: Learned, lacks: frozenset[str]) -> dict[str, Any]:
    """How a model is asked to think, in the words of who serves it; nothing where nothing is known of it.

    Open models are told through their template, as llama.cpp, vLLM and SGLang pass it on; gateways translate an effort.
    """
    known, think = learned.known, request.think
    if known is None or think == "default" or known.thinks == "never":
        return {}
    generic = EFFORTS[think]
    if (urlsplit(url()).hostname or "").endswith("openrouter.ai"):
        return {"extra_body": {"reasoning": {"enabled": False} if think == "off" else {"effort": generic}}}
    if known.vendor == "open" and not known.levels:
        switch = {"chat_template_kwargs": {"enable_thinking": think != "off"}}
        return {"extra_body": switch} if known.thinks == "by_default" and url() != URL else {}
    level = level_of(learned, think, lacks) if known.levels else generic
    return {} if level is None else {"reasoning_effort": level}


def _is_off(known: Model, thinking: dict[str, Any]) -> bool:
    """Whether a model takes a temperature now, since its thinking is switched off."""
    return known.samples_when_off and thinking.get("reasoning_effort") == known.off


def _form(form: dict[str, Any]) -> dict[str, Any]:
    """The schema in OpenAI's dialect, which compatible servers take as well."""
    is_strict = is_object(form) and is_closed(form) and fits(form, OPENAI)
    said = spoken(form, OPENAI) if is_strict else form
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": said, "strict": is_strict}}


def _means(asked: dict[str, Any]) -> str:
    """How an answer is held to its form: by a schema, or by the prompt, with ``json_object`` or without."""
    return str(asked["response_format"]["type"]) if "response_format" in asked else "prompt"


def _recorded(form: dict[str, Any] | None, asked: dict[str, Any]) -> Parameters:
    """What was asked for, as the event keeps it; a fallback is said."""
    said: Parameters = {"temperature": asked.get("temperature"), "seed": asked.get("seed")}
    if "reasoning_effort" in asked:
        said["reasoning_effort"] = asked["reasoning_effort"]
    for value in asked.get("extra_body", {}).values():
        said |= {f"thinking.{name}": each for name, each in value.items()}
    return said if form is None else said | {"structured_output": _means(asked)}


def _lack(message: str, asked: dict[str, Any], form: dict[str, Any] | None) -> str | None:
    """What the server does not take of what was asked, told from its sentence; None where it says something else."""
    for name in ("temperature", "seed", "stream_options", "reasoning_effort", *LIMITS):
        if name in asked and re.search(rf"\b{name}\b", message):
            return f"effort={asked[name]}" if name == "reasoning_effort" and _ABOUT_VALUE.search(message) else name
    if "extra_body" in asked and re.search(r"chat_template_kwargs|enable_thinking|\breasoning\b", message):
        return "extra_body"
    if form is not None and "response_format" in asked and _ABOUT_FORM.search(message):
        if _means(asked) == "json_object":
            return "response_format"
        return form_id(form) if "invalid schema" in message.lower() else "json_schema"
    return None


_ABOUT_VALUE: Final = re.compile(r"[Uu]nsupported value|does not support|[Ss]upported values|[Ii]nvalid value")
_ABOUT_FORM: Final = re.compile(r"response_format|json_schema|schema|structured output", re.IGNORECASE)

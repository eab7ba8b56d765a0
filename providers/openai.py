"""``openai:MODEL``, through the official SDK.

It reads ``OPENAI_API_KEY``, and ``OPENAI_BASE_URL`` for a compatible server.  It uses chat completions at the vendor's
own address too, not the Responses API: each call here stands alone and needs no state from earlier calls, and one
protocol works with every compatible server.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx2

from .answers.dialects import OPENAI, fits, in_dialect, in_words, is_closed, is_object
from .answers.schema import schema
from .answers.streaming import Source, open_stream, read_answer
from .base import Answer, ModelStatus, Parameters, Request, Segment, TextStream, Tokens, messages
from .catalog.models import Model, known_model, likely_model
from .catalog.pricing import call_cost
from .environment import variable
from .errors import BrokenOff, Malformed, NotAuthorised, ProviderError, Refused, Stopped
from .http.connection import as_text, connection_error, http_client, objects, status_error, without_secrets
from .http.learned import Learned, LearnedModels, adaptive_call, effort_level, learn_from_prose, schema_id
from .http.listing import NO_SUCH_ROUTE, get_json, hint_for, no_list_detail, status_of
from .http.response import ResponseReader
from .imports import load

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")

URL: Final = "https://api.openai.com/v1"
KEY: Final = "OPENAI_API_KEY"
ADDRESS: Final = "OPENAI_BASE_URL"
HINT: Final = f"set {KEY}, or {ADDRESS} for a compatible server"
KEYLESS: Final = "none"
"""Sent to a compatible server if no key is set."""
LIMIT_NAMES: Final = ("max_completion_tokens", "max_tokens")
REASONING_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")
"""The fields in which servers send thinking."""
CUT_FINISHES: Final = frozenset({"length", "max_tokens", "model_length"})
INCOMPLETE_FINISHES: Final = frozenset({"abort", "insufficient_system_resource"})
"""The finish reasons of vLLM and DeepSeek for an incomplete answer; any other unknown reason counts as a stop."""
MARK: Final = {"mode": "explicit"}
"""On a part of the prompt: a beginning for the cache ends here.  As an option of the call: only such beginnings."""
EFFORTS: Final = {"off": "none", "low": "low", "medium": "medium", "high": "high"}


class OpenAIProvider:
    """One connection pool.  The SDK is imported, and the environment read, at the first use."""

    name = "openai"

    def __init__(self) -> None:
        self._sdk_client: AsyncOpenAI | None = None
        self._learned = LearnedModels(likely_model)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Stream text.  The idle timeout begins after the SDK is loaded."""
        await load("openai")
        first_s = self._learned.of(url(), model).first_text_timeout_s(request)
        async with open_stream(self._source(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``response_format``, in strict mode if the schema allows it, else by the prompt."""
        await load("openai")
        try:
            first_s = self._learned.of(url(), model).first_text_timeout_s(request)
            return await read_answer(self._source(model, request, schema(type_)), request, type_, first_s=first_s)
        except Malformed as error:
            if url() != URL:
                learn_from_prose(self._learned.of(url(), model), error)
            raise

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that this key can use at this address."""
        key = variable(KEY)
        try:
            if not key and not variable(ADDRESS):
                raise NotAuthorised("no key")
            headers = {"authorization": f"Bearer {key or KEYLESS}"}
            body = await get_json("the server", f"{url().rstrip('/')}/models", headers, key=KEY, address=ADDRESS)
        except ProviderError as error:
            if model is not None and url() != URL and error.http_status in NO_SUCH_ROUTE:
                return (self._status(model, ok=True, detail=no_list_detail(url())),)
            hint = hint_for(error, key_hint=HINT, address=ADDRESS)
            return (self._status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        listed = [as_text(each.get("id")) for each in objects(body.get("data"))]
        if model is None:
            return tuple(self._status(name, ok=True, detail=f"listed at {url()}") for name in listed)
        if listed and model not in listed:
            # A server with one model, such as llama.cpp, accepts any name; OpenAI does not.
            detail = f"not listed at {url()}"
            return (self._status(model, ok=url() != URL, detail=detail, hint=", ".join(listed[:5])),)
        return (self._status(model, ok=True, detail=f"listed at {url()}"),)

    def caveat(self, model: str) -> str:  # noqa: ARG002 - the protocol's parameter
        """No caveat."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        client, self._sdk_client = self._sdk_client, None
        if client is not None:
            await client.close()

    def _client(self) -> AsyncOpenAI:
        if self._sdk_client is None:
            key = variable(KEY)
            if not key and not variable(ADDRESS):
                raise NotAuthorised(f"no key: {HINT}")
            from openai import AsyncOpenAI  # noqa: PLC0415 - SDKs are imported when first used

            self._sdk_client = AsyncOpenAI(
                api_key=key or KEYLESS, base_url=url(), max_retries=0, http_client=http_client(url(), address=ADDRESS)
            )
        return self._sdk_client

    def _source(self, model: str, request: Request, json_schema: dict[str, Any] | None) -> Source:
        """One call, repeated without a parameter that the server refuses."""
        learned = self._learned.of(url(), model)
        return adaptive_call(
            request,
            learned,
            lambda unsupported, limit: _parameters(request, json_schema, learned, unsupported, limit),
            lambda sent: self._call(model, request, json_schema, learned, sent),
            lambda message, sent: _refused_in(message, sent, json_schema),
        )

    async def _call(
        self, model: str, request: Request, json_schema: dict[str, Any] | None, learned: Learned, sent: dict[str, Any]
    ) -> Source:
        from openai import APIError  # noqa: PLC0415

        limit = next((sent[name] for name in LIMIT_NAMES if name in sent), request.max_tokens)
        reader = ResponseReader(learned, request, limit, is_typed=json_schema is not None)
        reply = _OpenAIReply(model, reader)
        prompt = (
            in_words(request.prompt, json_schema) if json_schema and _method(sent) != "json_schema" else request.prompt
        )
        try:
            stream: Any = await self._client().chat.completions.create(
                model=model,
                messages=_marked(prompt) if "prompt_cache_options" in sent else messages(prompt),  # type: ignore[arg-type]
                stream=True,
                **sent,
            )
            async with stream:
                async for part in stream:
                    yield reply.feed(part)
            yield reader.end()
        except APIError as error:
            raise self._translate(error) from error
        except httpx2.HTTPError as error:
            raise connection_error("the server", url(), error) from error
        except ValueError as error:
            raise BrokenOff("the server sent a response that does not follow OpenAI's protocol") from error
        if not reply.finish:
            return  # the stream ended before the message did, which SourceStream reports
        outcome = reader.outcome(
            reply.model,
            reply.tokens,
            call_cost(self.name, url(), reply.model, reply.tokens, requested=model),
            is_cut=reply.finish in CUT_FINISHES,
            parameters=_recorded(json_schema, sent),
        )
        if reply.refusal or reply.finish == "content_filter":
            raise Refused(f"the model declined to answer {reply.refusal[:200]}".strip(), outcome=outcome)
        if reply.finish == "error":
            raise BrokenOff("the server ended the answer with an error", outcome=outcome)
        reader.check(outcome)
        if reply.finish in INCOMPLETE_FINISHES:
            raise Stopped(f"the server ended the answer ({reply.finish})", outcome=outcome)
        yield outcome

    def _translate(self, error: Any) -> ProviderError:
        """The ``ProviderError`` for an error of the SDK."""
        from openai import APIConnectionError, APIStatusError  # noqa: PLC0415

        if isinstance(error, APIConnectionError):
            return connection_error("the server", url(), error)
        body = error.body if isinstance(error.body, dict) else {}
        message, parameter = as_text(body.get("message")) or str(error), as_text(body.get("param"))
        if body.get("code") == "context_length_exceeded":
            message = f"context length: {message}"
        if parameter and parameter not in message:
            message = f"{message} ({parameter})"
        if isinstance(error, APIStatusError):
            return status_error(
                "the server",
                error.status_code,
                message,
                error.response.headers,
                key=KEY,
                secret=variable(KEY),
                body=body,
            )
        code = body.get("code")  # an error within the stream, as OpenRouter sends it
        status = _IN_STREAM.get(code, code)
        if isinstance(status, int) and status >= httpx2.codes.BAD_REQUEST:
            return status_error("the server", status, message, {}, key=KEY, secret=variable(KEY), body=body)
        return BrokenOff(f"the server says: {without_secrets(message, variable(KEY))}")

    def _status(self, model: str, *, ok: bool, detail: str, hint: str = "") -> ModelStatus:
        known = known_model(model)
        window = None if known is None else known.window
        return status_of(self.name, model, ok=ok, detail=detail, hint=hint, window=window)


_IN_STREAM: Final[dict[Any, int]] = {
    "server_error": 500, "rate_limit_exceeded": 429, "overloaded": 503, "context_length_exceeded": 400,
}  # fmt: skip
"""Statuses of errors within a stream that are given as a word."""


class _OpenAIReply:
    """The reply that a stream of parts builds up."""

    def __init__(self, model: str, reader: ResponseReader) -> None:
        self.model, self.finish, self.refusal, self.tokens = model, "", "", Tokens()
        self._reader = reader

    def feed(self, part: Any) -> str:
        """The answer text in a part."""
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
            self._reader.is_tool_call = True
        for name in REASONING_FIELDS:
            self._reader.add_thinking(as_text(getattr(delta, name, None)))
        if not any(getattr(delta, name, None) for name in REASONING_FIELDS):
            for detail in objects(
                getattr(delta, "reasoning_details", None)
            ):  # OpenRouter's, next to a text field or without one
                self._reader.add_thinking(as_text(detail.get("text")) or as_text(detail.get("summary")))
        if isinstance(delta.content, list):
            return "".join(map(self._piece, delta.content))
        return self._reader.add_text(as_text(delta.content))

    def _piece(self, piece: Any) -> str:
        """One piece of content that came as a list, as Mistral sends it: text or thinking."""
        if not isinstance(piece, dict):
            return self._reader.add_text(as_text(piece))
        if piece.get("type") != "thinking":
            return self._reader.add_text(as_text(piece.get("text")))
        thinking = piece.get("thinking")
        if not isinstance(thinking, str):
            thinking = "".join(as_text(each.get("text")) for each in objects(thinking))
        return self._reader.add_thinking(thinking)


def _tokens(usage: Any) -> Tokens:
    """The tokens of a call.  The completion's include thinking, unless the total shows otherwise."""
    prompt, completion = usage.prompt_tokens or 0, usage.completion_tokens or 0
    thought = getattr(usage.completion_tokens_details, "reasoning_tokens", None) or 0
    cached = getattr(usage.prompt_tokens_details, "cached_tokens", None) or 0
    written = getattr(usage.prompt_tokens_details, "cache_write_tokens", None) or 0
    if thought and usage.total_tokens == prompt + completion + thought:
        completion += thought
    return Tokens(input=prompt, output=completion, cached=cached, written=written, thought=thought)


def url() -> str:
    """The address of the API."""
    return variable(ADDRESS) or URL


def _marked(prompt: tuple[Segment, ...]) -> list[dict[str, Any]]:
    """The prompt as chat messages of the same text, each segment a part of its own, with marks for the cache.

    All segments up to the last one that ends a shared prefix are marked: a call finds in the cache only beginnings that
    it marks itself, and earlier prompts ended at earlier segments.  A call may have more marks than it can use: OpenAI
    looks for the latest 80 and writes the latest 4.  Messages of the assistant cannot have marks.
    """
    joined: list[dict[str, Any]] = []
    last = max((at for at, each in enumerate(prompt) if each.ends_prefix), default=-1)
    for at, segment in enumerate(prompt):
        part: dict[str, Any] = {"type": "text", "text": segment.text}
        if at <= last and segment.role != "assistant":
            part["prompt_cache_breakpoint"] = MARK
        if joined and joined[-1]["role"] == segment.role:
            part["text"] = "\n\n" + segment.text
            joined[-1]["content"].append(part)
        else:
            joined.append({"role": segment.role, "content": [part]})
    return joined


def _cache_key(prompt: tuple[Segment, ...]) -> str:
    """A digest of the first two segments, which name the role and the motion: the same throughout one debate.

    OpenAI sends calls with the same key to the same cache.
    """
    return hashlib.sha256("\n\n".join(each.text for each in prompt[:2]).encode()).hexdigest()


def _parameters(
    request: Request, json_schema: dict[str, Any] | None, learned: Learned, unsupported: frozenset[str], limit: int
) -> dict[str, Any]:
    """The parameters of a call, without those that the server refuses."""
    known = learned.known
    is_openais = url() == URL or (known is not None and known.vendor == "openai" and known.thinks != "never")
    names = LIMIT_NAMES if is_openais else LIMIT_NAMES[::-1]
    sent: dict[str, Any] = {}
    if (name := next((name for name in names if name not in unsupported), None)) is not None:
        sent[name] = limit
    thinking = _thinking(request, learned, unsupported)
    sent |= thinking
    if known is None or known.takes_sampling or _is_off(known, thinking):
        sent["temperature"] = request.temperature
    sent["stream_options"] = {"include_usage": True}
    if request.seed is not None:
        sent["seed"] = request.seed
    if url() == URL and known is not None and known.needs_cache_marks and "prompt_cache_options" not in unsupported:
        # Without this, OpenAI would also write the whole prompt, which no other call begins with, and charge for it.
        sent["prompt_cache_options"] = MARK
        if any(each.ends_prefix for each in request.prompt):
            sent["prompt_cache_key"] = _cache_key(request.prompt)
    if json_schema is not None:
        if not unsupported & {"json_schema", schema_id(json_schema)}:
            sent["response_format"] = _response_format(json_schema)
        elif "response_format" not in unsupported:
            sent["response_format"] = {"type": "json_object"}
    return {name: value for name, value in sent.items() if name not in unsupported}


def _thinking(request: Request, learned: Learned, unsupported: frozenset[str]) -> dict[str, Any]:
    """The parameters for thinking, as the server takes them; nothing for an unknown model.

    Open models take it through their chat template, as llama.cpp, vLLM and SGLang do; gateways translate an effort.
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
    level = effort_level(learned, think, unsupported) if known.levels else generic
    return {} if level is None else {"reasoning_effort": level}


def _is_off(known: Model, thinking: dict[str, Any]) -> bool:
    """Whether a model takes a temperature because its thinking is switched off."""
    return known.samples_when_off and thinking.get("reasoning_effort") == known.off


def _response_format(json_schema: dict[str, Any]) -> dict[str, Any]:
    """The schema in OpenAI's dialect, which compatible servers take too."""
    is_strict = is_object(json_schema) and is_closed(json_schema) and fits(json_schema, OPENAI)
    dialect = in_dialect(json_schema, OPENAI) if is_strict else json_schema
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dialect, "strict": is_strict}}


def _method(sent: dict[str, Any]) -> str:
    """How the answer's schema is enforced: by structured output, or in the prompt, with ``json_object`` or without."""
    return str(sent["response_format"]["type"]) if "response_format" in sent else "prompt"


def _recorded(json_schema: dict[str, Any] | None, sent: dict[str, Any]) -> Parameters:
    """The parameters as the event records them, with the method of structured output."""
    recorded: Parameters = {"temperature": sent.get("temperature"), "seed": sent.get("seed")}
    if "reasoning_effort" in sent:
        recorded["reasoning_effort"] = sent["reasoning_effort"]
    for value in sent.get("extra_body", {}).values():
        recorded |= {f"thinking.{name}": each for name, each in value.items()}
    return recorded if json_schema is None else recorded | {"structured_output": _method(sent)}


def _refused_in(message: str, sent: dict[str, Any], json_schema: dict[str, Any] | None) -> str | None:
    """The parameter that the server's error message refuses; None if the message is about something else."""
    for name in ("temperature", "seed", "stream_options", "reasoning_effort", *LIMIT_NAMES):
        if name in sent and re.search(rf"\b{name}\b", message):
            return f"effort={sent[name]}" if name == "reasoning_effort" and _ABOUT_VALUE.search(message) else name
    if "prompt_cache_options" in sent and "prompt_cache_" in message:
        return "prompt_cache_options"
    if "extra_body" in sent and re.search(r"chat_template_kwargs|enable_thinking|\breasoning\b", message):
        return "extra_body"
    if json_schema is not None and "response_format" in sent and _ABOUT_SCHEMA.search(message):
        if _method(sent) == "json_object":
            return "response_format"
        return schema_id(json_schema) if "invalid schema" in message.lower() else "json_schema"
    return None


_ABOUT_VALUE: Final = re.compile(r"[Uu]nsupported value|does not support|[Ss]upported values|[Ii]nvalid value")
_ABOUT_SCHEMA: Final = re.compile(r"response_format|json_schema|schema|structured output", re.IGNORECASE)

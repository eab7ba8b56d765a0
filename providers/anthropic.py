"""``anthropic:MODEL``, through the official SDK.

It reads ``ANTHROPIC_API_KEY``, and ``ANTHROPIC_BASE_URL`` for a compatible server.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

import httpx2

from .answers.dialects import ANTHROPIC, fits, in_dialect, in_words, is_closed, is_object
from .answers.schema import schema
from .answers.streaming import Source, open_stream, read_answer
from .base import Answer, ModelStatus, Outcome, Parameters, Request, Segment, TextStream, Tokens
from .catalog.models import likely_model
from .catalog.pricing import call_cost
from .environment import variable
from .errors import BrokenOff, ContextExceeded, Malformed, NotAuthorised, ProviderError, Refused, Stopped
from .http.connection import as_text, connection_error, http_client, objects, status_error, without_secrets
from .http.learned import Learned, LearnedModels, adaptive_call, effort_level, learn_from_prose, schema_id
from .http.listing import (
    NO_SUCH_ROUTE,
    get_json,
    hint_for,
    listed_statuses,
    no_list_detail,
    status_of,
    window_of,
)
from .http.response import ResponseReader
from .imports import load

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

T = TypeVar("T")

URL: Final = "https://api.anthropic.com"
KEY: Final = "ANTHROPIC_API_KEY"
ADDRESS: Final = "ANTHROPIC_BASE_URL"
HINT: Final = f"set {KEY}"
TOOL: Final = "answer"
FAILED: Final = 400
VERSION: Final = "2023-06-01"
CACHE_CONTROL: Final = {"type": "ephemeral"}
MOST_BREAKPOINTS: Final = 4
"""Blocks of a request that may be marked for the cache."""
BUDGETS: Final = {"low": 2048, "medium": 8192, "high": 24_576}
"""Tokens of thinking, for models that take a number."""
LEAST_BUDGET: Final = 1024
FINISHES: Final = frozenset({"end_turn", "stop_sequence", "max_tokens", "tool_use"})


class AnthropicProvider:
    """One connection pool.  The SDK is imported, and the environment read, at the first use."""

    name = "anthropic"

    def __init__(self) -> None:
        self._sdk_client: AsyncAnthropic | None = None
        self._learned = LearnedModels(likely_model)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Stream text.  The idle timeout begins after the SDK is loaded."""
        await load("anthropic")
        first_s = self._learned.of(url(), model).first_text_timeout_s(request)
        async with open_stream(self._source(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``output_config.format``, else by a forced tool, else by the prompt.

        A compatible server may ignore parameters that it does not know.  An answer in prose shows that, and the next
        call uses another method.
        """
        await load("anthropic")
        try:
            first_s = self._learned.of(url(), model).first_text_timeout_s(request)
            return await read_answer(self._source(model, request, schema(type_)), request, type_, first_s=first_s)
        except Malformed as error:
            if url() != URL:
                learn_from_prose(self._learned.of(url(), model), error)
            raise

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that this key can use."""
        key = variable(KEY, "ANTHROPIC_AUTH_TOKEN")
        headers = {"x-api-key": key} if variable(KEY) else {"authorization": f"Bearer {key}"}
        one = model if url() == URL else None  # few compatible servers answer for a single model
        list_url = f"{url().rstrip('/')}/v1/models" + (f"/{quote(one, safe='')}" if one else "?limit=50")
        try:
            if not key:
                raise NotAuthorised("no key")
            body = await get_json(
                "Anthropic", list_url, headers | {"anthropic-version": VERSION}, key=KEY, address=ADDRESS
            )
        except ProviderError as error:
            if model is not None and url() != URL and error.http_status in NO_SUCH_ROUTE:
                return (status_of(self.name, model, ok=True, detail=no_list_detail(url())),)
            hint = hint_for(error, key_hint=HINT, address=ADDRESS)
            return (status_of(self.name, model or "MODEL", ok=False, detail=error.message, hint=hint),)
        entries = [body] if one else objects(body.get("data"))
        listed = {as_text(each.get("id")): window_of(each.get("max_input_tokens")) for each in entries}
        if model is not None:  # a compatible server may answer to names that it does not list
            listed = {model: listed.get(model)}
        return listed_statuses(self.name, url(), listed)

    def caveat(self, model: str) -> str:  # noqa: ARG002 - the protocol's parameter
        """No caveat."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        client, self._sdk_client = self._sdk_client, None
        if client is not None:
            await client.close()

    def _client(self) -> AsyncAnthropic:
        if self._sdk_client is None:
            key, token = variable(KEY), variable("ANTHROPIC_AUTH_TOKEN")
            if not key and not token:
                raise NotAuthorised(f"no key: {HINT}")
            from anthropic import AsyncAnthropic  # noqa: PLC0415 - SDKs are imported when first used

            self._sdk_client = AsyncAnthropic(
                api_key=key or None,
                auth_token=None if key else token,
                base_url=url(),
                max_retries=0,
                http_client=http_client(url(), address=ADDRESS),
            )
        return self._sdk_client

    def _source(self, model: str, request: Request, json_schema: dict[str, Any] | None) -> Source:
        """One call, repeated without a parameter that the model refuses."""
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
        from anthropic import APIError  # noqa: PLC0415

        method = _method(sent)
        reader = ResponseReader(learned, request, sent["max_tokens"], is_typed=json_schema is not None)
        message = AnthropicMessage(model, reader)
        prompt = in_words(request.prompt, json_schema) if method == "prompt" and json_schema else request.prompt

        def outcome() -> Outcome:
            tokens = message.usage.tokens
            return reader.outcome(
                message.model,
                tokens,
                call_cost(self.name, url(), message.model, tokens, requested=model),
                is_cut=message.finish == "max_tokens",
                parameters=_recorded(request, json_schema, sent),
            )

        try:
            stream = await self._client().messages.create(model=model, stream=True, **_prompt(prompt), **sent)
            async with stream:
                async for event in stream:
                    yield message.feed(event)
                    if message.is_whole:
                        break
        except (APIError, httpx2.HTTPError, ValueError) as error:  # before the stream or within it
            failure = self._translate(error)
            failure.outcome = outcome() if message.usage.is_known else None
            raise failure from error
        if not message.is_whole:  # the stream ended before the message did
            known = outcome() if message.usage.is_known else None
            raise BrokenOff("the stream ended before the answer did", outcome=known)
        final = outcome()
        if message.finish == "refusal":
            raise Refused(f"the model declined to answer {message.why}".strip(), outcome=final)
        if message.finish == "model_context_window_exceeded":
            raise ContextExceeded("the model's window is full", outcome=final)
        if message.finish not in FINISHES:
            raise Stopped(f"the vendor ended the answer ({message.finish})", outcome=final)
        reader.is_tool_call = message.finish == "tool_use" and method != "tool"
        reader.check(final)
        yield final

    def _translate(self, error: Exception) -> ProviderError:
        """The ``ProviderError`` for an error of the SDK or of the connection."""
        from anthropic import APIStatusError  # noqa: PLC0415

        if isinstance(error, httpx2.HTTPError):
            return connection_error("Anthropic", url(), error)
        if isinstance(error, ValueError):
            return BrokenOff("Anthropic sent a response that does not follow its protocol")
        secret = variable(KEY, "ANTHROPIC_AUTH_TOKEN")
        body = getattr(error, "body", None)
        fault = body.get("error") if isinstance(body, dict) else None
        kind = as_text(fault.get("type")) if isinstance(fault, dict) else ""
        if isinstance(error, APIStatusError):
            message, headers = error.api_message or str(error), error.response.headers
            status = (
                error.status_code if error.status_code >= FAILED else _BY_KIND.get(kind, FAILED)
            )  # within the stream
            return status_error("Anthropic", status, message, headers, key=KEY, secret=secret, body=body)
        if kind in _BY_KIND:
            return status_error("Anthropic", _BY_KIND[kind], str(error), {}, key=KEY, secret=secret)
        if error.__cause__ is not None:
            return connection_error("Anthropic", url(), error)
        return BrokenOff(f"Anthropic says: {without_secrets(str(error), secret)}")


_BY_KIND: Final = {
    "overloaded_error": 529,
    "api_error": 500,
    "rate_limit_error": 429,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
}


def url() -> str:
    """The address of the API."""
    return variable(ADDRESS) or URL


def _prompt(prompt: tuple[Segment, ...]) -> dict[str, Any]:
    """System and messages, one block for each segment.

    Each segment that ends a shared prefix is marked for the cache; if none does, the one before the last.
    """
    system = [{"type": "text", "text": each.text} for each in prompt if each.role == "system"]
    messages: list[dict[str, Any]] = []
    spoken = [each for each in prompt if each.role != "system"]
    for each in spoken:
        block: dict[str, Any] = {"type": "text", "text": each.text}
        if messages and messages[-1]["role"] == each.role:
            messages[-1]["content"].append(block)
        else:
            messages.append({"role": each.role, "content": [block]})
    blocks = [block for message in messages for block in message["content"]]
    ends = [block for block, each in zip(blocks, spoken, strict=True) if each.ends_prefix]
    for block in (ends or blocks[-2:-1])[-MOST_BREAKPOINTS:]:
        block["cache_control"] = CACHE_CONTROL
    return {"messages": messages, **({"system": system} if system else {})}


def _parameters(
    request: Request, json_schema: dict[str, Any] | None, learned: Learned, unsupported: frozenset[str], limit: int
) -> dict[str, Any]:
    """The parameters of a call, without those that the model refuses."""
    known = learned.known
    sent: dict[str, Any] = {"max_tokens": limit}
    thinking = None if "thinking" in unsupported else _thinking(request, learned, limit)
    if thinking is not None:
        sent["thinking"] = thinking
    is_thinking = thinking is not None and thinking["type"] in {"adaptive", "enabled"}
    config: dict[str, Any] = {}
    if known is not None and known.vendor == "anthropic" and "effort" not in unsupported:
        level = effort_level(learned, "low" if request.think == "off" else request.think, unsupported)
        if level is not None:
            config["effort"] = level
    takes_temperature = url() != URL if known is None else known.takes_sampling or known.samples_when_off
    if takes_temperature and not is_thinking and "temperature" not in unsupported:
        sent["extra_body"] = {"temperature": min(request.temperature, 1.0)}  # the SDK no longer has this parameter
    if json_schema is not None:
        is_strict = is_object(json_schema) and is_closed(json_schema) and fits(json_schema, ANTHROPIC)
        takes_tool = "tool" not in unsupported and not is_thinking and (known is None or known.takes_forced_tool)
        if is_strict and not unsupported & {"json_schema", schema_id(json_schema)}:
            config["format"] = {"type": "json_schema", "schema": in_dialect(json_schema, ANTHROPIC)}
        elif takes_tool:
            tool = {"name": TOOL, "description": "Gives the answer that is asked for.", "input_schema": json_schema}
            sent |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
    return sent | ({"output_config": config} if config else {})


def _thinking(request: Request, learned: Learned, limit: int) -> dict[str, Any] | None:
    """The ``thinking`` parameter; None leaves the model's own default.

    It asks for a summary of the thinking: without one, nothing arrives while the model thinks.
    """
    known = learned.known
    if known is None or known.vendor != "anthropic" or request.think == "default":
        return None
    if request.think == "off":
        off = known.off if known.off in known.types else ""
        return {"type": off} if off and known.thinks == "by_default" else None
    if "adaptive" in known.types:
        return {"type": "adaptive", "display": "summarized"}
    budget = min(BUDGETS[request.think], limit - request.max_tokens)
    return {"type": "enabled", "budget_tokens": budget} if "enabled" in known.types and budget >= LEAST_BUDGET else None


def _method(sent: dict[str, Any]) -> str:
    """How the answer's schema is enforced: by structured output, by a forced tool, or in the prompt."""
    if "format" in sent.get("output_config", {}):
        return "json_schema"
    return "tool" if "tools" in sent else "prompt"


def _recorded(request: Request, json_schema: dict[str, Any] | None, sent: dict[str, Any]) -> Parameters:
    """The parameters as the event records them, with the method of structured output."""
    thinking = sent.get("thinking", {})
    recorded: Parameters = {"seed": request.seed, "temperature": sent.get("extra_body", {}).get("temperature")}
    if thinking:
        recorded["thinking"] = thinking["type"]
    if "budget_tokens" in thinking:
        recorded["budget_tokens"] = thinking["budget_tokens"]
    if "effort" in sent.get("output_config", {}):
        recorded["effort"] = sent["output_config"]["effort"]
    return recorded if json_schema is None else recorded | {"structured_output": _method(sent)}


def _refused_in(message: str, sent: dict[str, Any], json_schema: dict[str, Any] | None) -> str | None:
    """The parameter that the vendor's error message refuses; None if the message is about something else."""
    text = message.lower()
    config = sent.get("output_config", {})
    if "extra_body" in sent and "temperature" in text:
        return "temperature"
    if "thinking" in sent and re.search(r"thinking|budget_tokens|adaptive|between_tools|display", text):
        return "thinking"
    if "effort" in config and "effort" in text:
        return f"effort={config['effort']}" if config["effort"] in text else "effort"
    if "tools" in sent and re.search(r"tool_choice|\btools?\b|input_schema", text):
        return "tool"
    if json_schema is not None and "format" in config:
        if re.search(r"format\.schema|compiled grammar|too complex|invalid schema", text):
            return schema_id(json_schema)
        if re.search(r"output_config|output_format|json_schema|structured output|schema", text):
            return "json_schema"
    return None


class AnthropicMessage:
    """The message that a stream of events builds up."""

    def __init__(self, model: str, reader: ResponseReader) -> None:
        self.model, self.finish, self.why, self.is_whole = model, "", "", False
        self.usage = AnthropicUsage()
        self._reader = reader

    def feed(self, event: Any) -> str:
        """The answer text in an event; "" for an event without any."""
        match event.type:
            case "message_start":
                self.model = event.message.model or self.model
                self.usage.read(event.message.usage)
            case "content_block_delta":
                return self._delta(event.delta)
            case "message_delta":
                self.finish = event.delta.stop_reason or self.finish
                self.why = as_text(getattr(getattr(event.delta, "stop_details", None), "category", None))
                self.usage.read(event.usage)
            case "message_stop":
                self.is_whole = True
                return self._reader.end()
        return ""

    def _delta(self, delta: Any) -> str:
        match delta.type:
            case "text_delta":
                return self._reader.add_text(delta.text)
            case "input_json_delta":
                return self._reader.add_text(str(delta.partial_json))
            case "thinking_delta":
                return self._reader.add_thinking(delta.thinking)
        return ""


class AnthropicUsage:
    """The tokens of a call, which arrive partly at the start and partly at the end."""

    def __init__(self) -> None:
        self.fresh = self.output = self.cached = self.written = self.thought = 0
        self.is_known = False

    @property
    def tokens(self) -> Tokens:
        """All tokens; those read from the cache or written to it count as input."""
        return Tokens(
            input=self.fresh + self.cached + self.written,
            output=self.output,
            cached=self.cached,
            written=self.written,
            thought=self.thought,
        )

    def read(self, usage: Any) -> None:
        """Take over the numbers that a message carries; the others stay as they were."""
        if usage is None:
            return
        self.fresh = getattr(usage, "input_tokens", None) or self.fresh
        self.output = getattr(usage, "output_tokens", None) or self.output
        self.cached = getattr(usage, "cache_read_input_tokens", None) or self.cached
        self.written = getattr(usage, "cache_creation_input_tokens", None) or self.written
        details = getattr(usage, "output_tokens_details", None)
        self.thought = getattr(details, "thinking_tokens", None) or self.thought
        self.is_known = self.is_known or self.fresh + self.cached + self.written > 0

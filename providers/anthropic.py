"""``anthropic:MODEL``, through the official SDK.

It reads ``ANTHROPIC_API_KEY``, and ``ANTHROPIC_BASE_URL`` for a compatible server.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from .answers.dialects import ANTHROPIC, fits, in_dialect, is_closed, is_object
from .base import Outcome, Parameters, Request, Segment, Tokens
from .environment import variable
from .errors import BrokenOff, ContextExceeded, NotAuthorised, ProviderError, Refused, Stopped
from .http.connection import as_text, connection_error, count_in, objects, shortened
from .http.learned import CallParameters, Learned, effort_level, schema_id
from .http.vendor import Reply, VendorCall, VendorProvider, window_of

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

KEY: Final = "ANTHROPIC_API_KEY"
HINT: Final = f"set {KEY}"
TOOL: Final = "answer"
FAILED: Final = 400
VERSION: Final = "2023-06-01"
CACHE_CONTROL: Final = {"type": "ephemeral"}
MAX_BREAKPOINTS: Final = 4
"""Blocks of a request that may be marked for the cache."""
BUDGETS: Final = {"low": 2048, "medium": 8192, "high": 24_576}
"""Tokens of thinking, for models that take a number."""
MIN_BUDGET: Final = 1024
FINISHES: Final = frozenset({"end_turn", "stop_sequence", "max_tokens", "tool_use"})


class AnthropicMessage(Reply):
    """The message that a stream of events builds up."""

    cuts = frozenset({"max_tokens"})

    def feed(self, part: Any) -> str:
        """Read one event."""
        match part.type:
            case "message_start":
                self.model = as_text(part.message.model) or self.model
                self._count(part.message.usage)
            case "content_block_delta":
                return self._delta(part.delta)
            case "message_delta":
                self.finish = as_text(part.delta.stop_reason) or self.finish
                self.refusal = as_text(getattr(getattr(part.delta, "stop_details", None), "category", None))
                self._count(part.usage)
            case "message_stop":
                self.is_over = True
        return ""

    def _delta(self, delta: Any) -> str:
        match delta.type:
            case "text_delta":
                return self.reader.add_text(delta.text)
            case "input_json_delta" if self.call.method == "tool":  # the arguments of any other tool are no answer
                return self.reader.add_text(delta.partial_json or "")
            case "thinking_delta":
                return self.reader.add_thinking(delta.thinking)
        return ""

    def _count(self, usage: Any) -> None:
        """Take over the numbers that an event carries; the others stay as they were.

        They arrive partly at the start and partly at the end.  What the cache read and wrote counts as input.
        """
        before, details = self.tokens, getattr(usage, "output_tokens_details", None)
        cached = count_in(usage, "cache_read_input_tokens") or before.cached
        written = count_in(usage, "cache_creation_input_tokens") or before.written
        fresh = count_in(usage, "input_tokens") or before.input - before.cached - before.written
        self.tokens = Tokens(
            input=fresh + cached + written,
            output=count_in(usage, "output_tokens") or before.output,
            cached=cached,
            written=written,
            thought=count_in(details, "thinking_tokens") or before.thought,
        )

    def check(self, outcome: Outcome) -> None:
        """Raise if the message is no answer."""
        if self.finish == "refusal":
            raise Refused(f"the model declined to answer {self.refusal}".strip(), outcome=outcome)
        if self.finish == "model_context_window_exceeded":
            raise ContextExceeded("the model's window is full", outcome=outcome)
        if self.finish not in FINISHES:
            raise Stopped(f"the vendor ended the answer ({self.finish})", outcome=outcome)
        self.reader.is_tool_call = self.finish == "tool_use" and self.call.method != "tool"
        self.reader.check(outcome)


class AnthropicProvider(VendorProvider):
    """Typed answers by ``output_config.format``, else by a forced tool, else by the prompt."""

    name = "anthropic"
    label = "Anthropic"
    sdk = "anthropic"
    default_address = "https://api.anthropic.com"
    keys, key_hint, address_name = (KEY, "ANTHROPIC_AUTH_TOKEN"), HINT, "ANTHROPIC_BASE_URL"
    limit_names = ("max_tokens",)
    reply = AnthropicMessage

    async def listed(self, model: str | None) -> dict[str, int | None]:
        """The models of the list, or one; few compatible servers answer for a single model."""
        if not self.secret:
            raise NotAuthorised("no key")
        headers = {"x-api-key": self.secret} if variable(KEY) else {"authorization": f"Bearer {self.secret}"}
        one = f"/{quote(model, safe='')}" if model and self.is_vendors() else ""
        list_url = f"{self.address().rstrip('/')}/v1/models{one or '?limit=50'}"
        body = await self.get_json(list_url, headers | {"anthropic-version": VERSION})
        if one and model:
            return {model: window_of(body.get("max_input_tokens"))}
        return {as_text(each.get("id")): window_of(each.get("max_input_tokens")) for each in objects(body.get("data"))}

    def connect(self) -> AsyncAnthropic:
        """A client with the key of the environment."""
        if not self.secret:
            raise NotAuthorised(f"no key: {HINT}")
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - SDKs are imported when first used

        key = variable(KEY)
        return AsyncAnthropic(
            api_key=key or None,
            auth_token=None if key else self.secret,
            base_url=self.address(),
            max_retries=0,
            http_client=self.http_client(),
        )

    def parameters(self, call: VendorCall, unsupported: frozenset[str], limit: int) -> CallParameters:
        """The parameters of a call, without those that the model refuses."""
        request, learned, json_schema = call.request, call.learned, call.json_schema
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
        takes_temperature = not self.is_vendors() if known is None else known.takes_sampling or known.samples_when_off
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

    def method(self, sent: CallParameters) -> str:
        """How the answer's schema is enforced: by structured output, by a forced tool, or in the prompt."""
        if "format" in sent.get("output_config", {}):
            return "json_schema"
        return "tool" if "tools" in sent else "prompt"

    def recorded(self, call: VendorCall) -> Parameters:
        """With the thinking that was asked for."""
        sent = call.sent
        thinking = sent.get("thinking", {})
        recorded: Parameters = {"seed": call.request.seed, "temperature": sent.get("extra_body", {}).get("temperature")}
        if thinking:
            recorded["thinking"] = thinking["type"]
        if "budget_tokens" in thinking:
            recorded["budget_tokens"] = thinking["budget_tokens"]
        if "effort" in sent.get("output_config", {}):
            recorded["effort"] = sent["output_config"]["effort"]
        return recorded

    def refused_in(self, message: str, call: VendorCall) -> str | None:
        """The parameter that the vendor's error message refuses; None if the message is about something else."""
        text, sent = message.lower(), call.sent
        config = sent.get("output_config", {})
        if "extra_body" in sent and "temperature" in text:
            return "temperature"
        if "thinking" in sent and re.search(r"thinking|budget_tokens|adaptive|between_tools|display", text):
            return "thinking"
        if "effort" in config and "effort" in text:
            return f"effort={config['effort']}" if config["effort"] in text else "effort"
        if "tools" in sent and re.search(r"tool_choice|\btools?\b|input_schema", text):
            return "tool"
        if call.json_schema is not None and "format" in config:
            if re.search(r"format\.schema|compiled grammar|too complex|invalid schema", text):
                return schema_id(call.json_schema)
            if re.search(r"output_config|output_format|json_schema|structured output|schema", text):
                return "json_schema"
        return None

    async def parts(self, call: VendorCall) -> AsyncGenerator[Any, None]:
        """The events of a message."""
        given = prompt_of(call.prompt)
        async with await self.client().messages.create(model=call.model, stream=True, **given, **call.sent) as events:
            async for event in events:
                yield event

    def translated(self, error: Exception, call: VendorCall) -> ProviderError | None:
        """The ``ProviderError`` for an error of the SDK, or of the connection."""
        from anthropic import APIError, APIStatusError  # noqa: PLC0415 - SDKs are imported when first used

        if not isinstance(error, APIError):
            return super().translated(error, call)
        body = getattr(error, "body", None)
        fault = body.get("error") if isinstance(body, dict) else None
        kind = as_text(fault.get("type")) if isinstance(fault, dict) else ""
        if isinstance(error, APIStatusError):
            message, headers = error.api_message or str(error), error.response.headers
            # An error within the stream has the status of the stream.
            status = error.status_code if error.status_code >= FAILED else _BY_KIND.get(kind, FAILED)
            return self.status_error(status, message, headers, body)
        if kind in _BY_KIND:
            return error_of(self, kind, str(error))
        if error.__cause__ is not None:
            return connection_error(self.label, self.address(), error)
        return BrokenOff(f"Anthropic says: {shortened(str(error))}")


_BY_KIND: Final = {
    "overloaded_error": 529,
    "api_error": 500,
    "rate_limit_error": 429,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
}


def error_of(provider: AnthropicProvider, kind: str, message: str) -> ProviderError:
    """The error of this kind, without a status of HTTP."""
    return provider.status_error(_BY_KIND.get(kind, FAILED), message)


def prompt_of(prompt: tuple[Segment, ...]) -> dict[str, Any]:
    """System and messages, one block for each segment.

    Each segment that ends a shared prefix is marked for the cache; if none does, the one before the last.
    """
    system = [{"type": "text", "text": each.text} for each in prompt if each.role == "system"]
    spoken = [each for each in prompt if each.role != "system"]
    messages = [
        {"role": role, "content": [{"type": "text", "text": each.text} for each in segments]}
        for role, segments in groupby(spoken, key=lambda each: each.role)
    ]
    blocks: list[dict[str, Any]] = [block for message in messages for block in message["content"]]
    ends = [block for block, each in zip(blocks, spoken, strict=True) if each.ends_prefix]
    for block in (ends or blocks[-2:-1])[-MAX_BREAKPOINTS:]:
        block["cache_control"] = CACHE_CONTROL
    return {"messages": messages, **({"system": system} if system else {})}


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
    return {"type": "enabled", "budget_tokens": budget} if "enabled" in known.types and budget >= MIN_BUDGET else None

"""``openai:MODEL``, through the official SDK.

It reads ``OPENAI_API_KEY``, and ``OPENAI_BASE_URL`` for a compatible server.  It uses chat completions at the vendor's
own address too, not the Responses API: each call here stands alone and needs no state from earlier calls, and one
protocol works with every compatible server.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx2

from .answers.dialects import OPENAI, fits, in_dialect, is_closed, is_object
from .base import Outcome, Parameters, Request, Segment, Tokens, messages
from .catalog.models import known_model
from .environment import variable
from .errors import BrokenOff, NotAuthorised, ProviderError, Refused, Stopped
from .http.connection import as_text, connection_error, count_in, objects, shortened
from .http.learned import CallParameters, Learned, effort_level, schema_id
from .http.vendor import Reply, VendorCall, VendorProvider

if TYPE_CHECKING:
    from openai import AsyncOpenAI

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


class OpenAIReply(Reply):
    """The reply that a stream of chunks builds up."""

    cuts = CUT_FINISHES

    def feed(self, part: Any) -> str:
        """Read one chunk."""
        self.model = as_text(part.model) or self.model
        if part.usage is not None:
            self.tokens = _tokens(part.usage)
        if not part.choices:
            return ""
        choice = part.choices[0]
        self.finish = as_text(choice.finish_reason) or self.finish
        delta = choice.delta
        if delta is None:
            return ""
        self.refusal += as_text(delta.refusal)
        if delta.tool_calls or delta.function_call or self.finish in {"tool_calls", "function_call"}:
            self.reader.is_tool_call = True
        for name in REASONING_FIELDS:
            self.reader.add_thinking(as_text(getattr(delta, name, None)))
        if not any(getattr(delta, name, None) for name in REASONING_FIELDS):
            # OpenRouter's, next to a text field or without one
            for detail in objects(getattr(delta, "reasoning_details", None)):
                self.reader.add_thinking(as_text(detail.get("text")) or as_text(detail.get("summary")))
        if isinstance(delta.content, list):
            return "".join(map(self._piece, delta.content))
        return self.reader.add_text(delta.content or "")

    def _piece(self, piece: Any) -> str:
        """One piece of content that came as a list, as Mistral sends it: text or thinking."""
        if not isinstance(piece, dict):
            return self.reader.add_text(as_text(piece))
        if piece.get("type") != "thinking":
            return self.reader.add_text(as_text(piece.get("text")))
        thinking = piece.get("thinking")
        if not isinstance(thinking, str):
            thinking = "".join(as_text(each.get("text")) for each in objects(thinking))
        return self.reader.add_thinking(thinking)

    def check(self, outcome: Outcome) -> None:
        """Raise if the reply is no answer."""
        if self.refusal or self.finish == "content_filter":
            raise Refused(f"the model declined to answer {self.refusal[:200]}".strip(), outcome=outcome)
        if self.finish == "error":
            raise BrokenOff("the server ended the answer with an error", outcome=outcome)
        self.reader.check(outcome)
        if self.finish in INCOMPLETE_FINISHES:
            raise Stopped(f"the server ended the answer ({self.finish})", outcome=outcome)


class OpenAIProvider(VendorProvider):
    """Typed answers by ``response_format``, in strict mode if the schema allows it, else by the prompt."""

    name = "openai"
    label = "the server"
    sdk = "openai"
    default_address = "https://api.openai.com/v1"
    keys, key_hint, address_name = (KEY,), HINT, ADDRESS
    limit_names = LIMIT_NAMES
    reply = OpenAIReply

    async def listed(self, model: str | None) -> dict[str, int | None]:  # noqa: ARG002 - it has a list only
        """The models of the list.  It gives no windows: the catalog knows some."""
        if not self.secret and not variable(ADDRESS):
            raise NotAuthorised("no key")
        headers = {"authorization": f"Bearer {self.secret or KEYLESS}"}
        body = await self.get_json(f"{self.address().rstrip('/')}/models", headers)
        names = [as_text(each.get("id")) for each in objects(body.get("data"))]
        return {name: None if (known := known_model(name)) is None else known.window for name in names}

    def connect(self) -> AsyncOpenAI:
        """A client with the key of the environment."""
        if not self.secret and not variable(ADDRESS):
            raise NotAuthorised(f"no key: {HINT}")
        from openai import AsyncOpenAI  # noqa: PLC0415 - SDKs are imported when first used

        key, client = self.secret or KEYLESS, self.http_client()
        return AsyncOpenAI(api_key=key, base_url=self.address(), max_retries=0, http_client=client)

    def parameters(self, call: VendorCall, unsupported: frozenset[str], limit: int) -> CallParameters:
        """The parameters of a call, without those that the server refuses."""
        request, learned, json_schema = call.request, call.learned, call.json_schema
        known = learned.known
        is_openais = self.is_vendors() or (known is not None and known.vendor == "openai" and known.thinks != "never")
        names = LIMIT_NAMES if is_openais else LIMIT_NAMES[::-1]
        sent: dict[str, Any] = {}
        if (name := next((name for name in names if name not in unsupported), None)) is not None:
            sent[name] = limit
        thinking = _thinking(request, learned, unsupported, self)
        sent |= thinking
        is_off = known is not None and thinking.get("reasoning_effort") == known.off
        if known is None or known.takes_sampling or (known.samples_when_off and is_off):
            sent["temperature"] = request.temperature
        sent["stream_options"] = {"include_usage": True}
        if request.seed is not None:
            sent["seed"] = request.seed
        takes_marks = self.is_vendors() and known is not None and known.needs_cache_marks
        if takes_marks and "prompt_cache_options" not in unsupported:
            # Else OpenAI would also write the whole prompt, which no other call begins with, and charge for it.
            sent["prompt_cache_options"] = MARK
            if any(each.ends_prefix for each in request.prompt):
                sent["prompt_cache_key"] = _cache_key(request.prompt)
        if json_schema is not None:
            if not unsupported & {"json_schema", schema_id(json_schema)}:
                sent["response_format"] = _response_format(json_schema)
            elif "response_format" not in unsupported:
                sent["response_format"] = {"type": "json_object"}
        return {name: value for name, value in sent.items() if name not in unsupported}

    def method(self, sent: CallParameters) -> str:
        """How a schema is enforced: by structured output, or in the prompt, with ``json_object`` or without."""
        return str(sent["response_format"]["type"]) if "response_format" in sent else "prompt"

    def recorded(self, call: VendorCall) -> Parameters:
        """With the effort, or what the server was told of thinking in its own way."""
        sent = call.sent
        recorded: Parameters = {"temperature": sent.get("temperature"), "seed": sent.get("seed")}
        if "reasoning_effort" in sent:
            recorded["reasoning_effort"] = sent["reasoning_effort"]
        for value in sent.get("extra_body", {}).values():
            recorded |= {f"thinking.{name}": each for name, each in value.items()}
        return recorded

    def refused_in(self, message: str, call: VendorCall) -> str | None:
        """The parameter that the server's error message refuses; None if the message is about something else."""
        sent = call.sent
        for name in ("temperature", "seed", "stream_options", "reasoning_effort", *LIMIT_NAMES):
            if name in sent and re.search(rf"\b{name}\b", message):
                return f"effort={sent[name]}" if name == "reasoning_effort" and _ABOUT_VALUE.search(message) else name
        if "prompt_cache_options" in sent and "prompt_cache_" in message:
            return "prompt_cache_options"
        if "extra_body" in sent and re.search(r"chat_template_kwargs|enable_thinking|\breasoning\b", message):
            return "extra_body"
        if call.json_schema is not None and "response_format" in sent and _ABOUT_SCHEMA.search(message):
            if call.method == "json_object":
                return "response_format"
            return schema_id(call.json_schema) if "invalid schema" in message.lower() else "json_schema"
        return None

    async def parts(self, call: VendorCall) -> AsyncGenerator[Any, None]:
        """The chunks of a completion.  The usage comes after the last choice."""
        prompt = prompt_of(call)
        create = self.client().chat.completions.create
        async with await create(model=call.model, messages=prompt, stream=True, **call.sent) as chunks:
            async for chunk in chunks:
                yield chunk

    def translated(self, error: Exception, call: VendorCall) -> ProviderError | None:
        """The ``ProviderError`` for an error of the SDK, or of the connection."""
        from openai import APIConnectionError, APIError, APIStatusError  # noqa: PLC0415 - SDKs are imported when first used

        if not isinstance(error, APIError):
            return super().translated(error, call)
        if isinstance(error, APIConnectionError):
            return connection_error(self.label, self.address(), error)
        body = error.body if isinstance(error.body, dict) else {}
        message, parameter = as_text(body.get("message")) or str(error), as_text(body.get("param"))
        if body.get("code") == "context_length_exceeded":
            message = f"context length: {message}"
        if parameter and parameter not in message:
            message = f"{message} ({parameter})"
        if isinstance(error, APIStatusError):
            return self.status_error(error.status_code, message, error.response.headers, body)
        code = body.get("code")  # an error within the stream, as OpenRouter sends it
        status = _IN_STREAM.get(code, code) if isinstance(code, str | int) else None
        if isinstance(status, int) and status >= httpx2.codes.BAD_REQUEST:
            return self.status_error(status, message, body=body)
        return BrokenOff(f"the server says: {shortened(message)}")


_IN_STREAM: Final[dict[Any, int]] = {
    "server_error": 500, "rate_limit_exceeded": 429, "overloaded": 503, "context_length_exceeded": 400,
}  # fmt: skip
"""Statuses of errors within a stream that are given as a word."""


def _tokens(usage: Any) -> Tokens:
    """The tokens of a call.  The completion's include thinking, unless the total shows otherwise."""
    read = getattr(usage, "prompt_tokens_details", None)
    prompt, completion = count_in(usage, "prompt_tokens"), count_in(usage, "completion_tokens")
    thought = count_in(getattr(usage, "completion_tokens_details", None), "reasoning_tokens")
    if thought and count_in(usage, "total_tokens") == prompt + completion + thought:
        completion += thought
    cached, written = count_in(read, "cached_tokens"), count_in(read, "cache_write_tokens")
    return Tokens(input=prompt, output=completion, cached=cached, written=written, thought=thought)


def prompt_of(call: VendorCall) -> list[dict[str, Any]]:
    """The messages of a call, with marks for the cache where the call asks for them."""
    return _marked(call.prompt) if "prompt_cache_options" in call.sent else messages(call.prompt)


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


def _thinking(
    request: Request, learned: Learned, unsupported: frozenset[str], provider: OpenAIProvider
) -> dict[str, Any]:
    """The parameters for thinking, as the server takes them; nothing for an unknown model.

    Open models take it through their chat template, as llama.cpp, vLLM and SGLang do; gateways translate an effort.
    """
    known, think = learned.known, request.think
    if known is None or think == "default" or known.thinks == "never":
        return {}
    generic = EFFORTS[think]
    if (urlsplit(provider.address()).hostname or "").endswith("openrouter.ai"):
        return {"extra_body": {"reasoning": {"enabled": False} if think == "off" else {"effort": generic}}}
    if known.vendor == "open" and not known.levels:
        switch = {"chat_template_kwargs": {"enable_thinking": think != "off"}}
        return {"extra_body": switch} if known.thinks == "by_default" and not provider.is_vendors() else {}
    level = effort_level(learned, think, unsupported) if known.levels else generic
    return {} if level is None else {"reasoning_effort": level}


def _response_format(json_schema: dict[str, Any]) -> dict[str, Any]:
    """The schema in OpenAI's dialect, which compatible servers take too."""
    is_strict = is_object(json_schema) and is_closed(json_schema) and fits(json_schema, OPENAI)
    dialect = in_dialect(json_schema, OPENAI) if is_strict else json_schema
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dialect, "strict": is_strict}}


_ABOUT_VALUE: Final = re.compile(r"[Uu]nsupported value|does not support|[Ss]upported values|[Ii]nvalid value")
_ABOUT_SCHEMA: Final = re.compile(r"response_format|json_schema|schema|structured output", re.IGNORECASE)

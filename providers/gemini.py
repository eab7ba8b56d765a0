"""``gemini:MODEL``, through Google's SDK.

It reads ``GEMINI_API_KEY``, and ``GOOGLE_GEMINI_BASE_URL`` for another address.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import httpx2

from .answers.dialects import GEMINI, in_dialect
from .base import Outcome, Parameters, Request, Segment, Tokens
from .errors import BadRequest, NotAuthorised, ProviderError, Refused, Stopped
from .http.connection import as_text, count_in, objects, shortened
from .http.learned import CallParameters, Learned, effort_level, schema_id
from .http.vendor import BAD_KEY, NO_SUCH_ROUTE, Reply, VendorCall, VendorProvider, window_of

if TYPE_CHECKING:
    from google.genai import Client

KEY: Final = "GEMINI_API_KEY"
HINT: Final = f"set {KEY}"
VERSIONS: Final = ("v1beta", "v1")
"""Versions of the API.  Some models and most compatible servers have only the first."""
STOPS: Final = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", "MAX_TOKENS"})
REFUSALS: Final = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"})
TOOLS: Final = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
BUDGETS: Final = {"low": 2048, "medium": 8192, "high": 24_576}
"""Tokens of thinking, for models that take a number."""
VAGUE_REFUSAL: Final = "Request contains an invalid argument"
"""Gemini's message for a schema that is too large for it, among other faults."""

_responses: ContextVar[list[httpx2.Response]] = ContextVar("responses")
"""The open responses of the call in this context, which we close instead of the SDK."""


class GeminiReply(Reply):
    """The reply that a stream of parts builds up."""

    cuts = frozenset({"MAX_TOKENS"})

    def feed(self, part: Any) -> str:
        """Read one part."""
        self.model = part.model_version or self.model
        if (used := part.usage_metadata) is not None:
            self.tokens = _tokens(used)
        if (feedback := part.prompt_feedback) is not None and feedback.block_reason is not None:
            self.finish = self.refusal = _enum_text(feedback.block_reason)
        said = ""
        for candidate in (part.candidates or [])[:1]:
            self.finish = _enum_text(candidate.finish_reason) or self.finish
            for piece in (candidate.content and candidate.content.parts) or []:
                if piece.function_call is not None:
                    self.reader.is_tool_call = True
                said += (self.reader.add_thinking if piece.thought else self.reader.add_text)(piece.text or "")
        return said

    def check(self, outcome: Outcome) -> None:
        """Raise if the reply is no answer."""
        if self.refusal:
            raise Refused(f"the prompt was blocked ({self.refusal})", outcome=outcome)
        if self.finish in REFUSALS:
            raise Refused(f"the model declined to answer ({self.finish})", outcome=outcome)
        self.reader.is_tool_call = self.reader.is_tool_call or self.finish in TOOLS
        self.reader.check(outcome)
        if self.finish not in STOPS:
            raise Stopped(f"the vendor ended the answer ({self.finish})", outcome=outcome)


class GeminiProvider(VendorProvider):
    """Typed answers by ``response_json_schema``, or by the prompt if the schema is refused."""

    name = "gemini"
    label = "Gemini"
    sdk = "google.genai"
    default_address = "https://generativelanguage.googleapis.com"
    keys, key_hint, address_name = (KEY, "GOOGLE_API_KEY"), HINT, "GOOGLE_GEMINI_BASE_URL"
    limit_names = ("max_output_tokens",)
    reply = GeminiReply

    def __init__(self) -> None:
        super().__init__()
        self._http: httpx2.AsyncClient | None = None

    async def listed(self, model: str | None) -> dict[str, int | None]:
        """The models that generate text, or one; a compatible server may have one version of the list, or none."""
        missing: ProviderError = NotAuthorised("no key")
        for version in VERSIONS if self.secret else ():
            base = f"{self.address().rstrip('/')}/{version}/models"
            one = (f"{base}/{quote(model, safe='')}",) if model else ()
            for list_url in (*one, f"{base}?pageSize=200"):
                try:
                    body = await self.get_json(list_url, {"x-goog-api-key": self.secret})
                except ProviderError as error:
                    if error.http_status not in NO_SUCH_ROUTE or self.is_vendors():  # the vendor's own answer is final
                        raise
                    missing = error
                    continue
                entries = objects(body["models"]) if "models" in body else [body | {"name": model}]
                return {
                    as_text(each.get("name")).removeprefix("models/"): window_of(each.get("inputTokenLimit"))
                    for each in entries
                    if "generateContent" in (each.get("supportedGenerationMethods") or ["generateContent"])
                }
        raise missing

    def connect(self) -> Client:
        """A client with the key of the environment, over an HTTP client of ours."""
        if not self.secret:
            raise NotAuthorised(f"no key: {HINT}")
        from google.genai import Client  # noqa: PLC0415 - SDKs are imported when first used
        from google.genai.types import HttpOptions, HttpRetryOptions  # noqa: PLC0415 - as above

        self._http = self.http_client()
        self._http.event_hooks["response"].append(_keep_response)
        retries = HttpRetryOptions(attempts=1)
        options = HttpOptions(base_url=self.address(), httpx_async_client=self._http, retry_options=retries)
        return Client(api_key=self.secret, http_options=options, vertexai=False)

    async def close(self) -> None:
        """Close the connections."""
        client, self._sdk_client = self._sdk_client, None
        http, self._http = self._http, None
        if client is not None:
            client.close()
        if http is not None:
            await http.aclose()

    def parameters(self, call: VendorCall, unsupported: frozenset[str], limit: int) -> CallParameters:
        """The parameters of a call, without those that the model refuses."""
        request, json_schema = call.request, call.json_schema
        sent: dict[str, Any] = {
            "http_options": {"api_version": next((each for each in VERSIONS if each not in unsupported), VERSIONS[0])},
            "max_output_tokens": limit,
            "temperature": request.temperature,
            "seed": request.seed,
            "thinking_config": _thinking(request, call.learned, unsupported, limit),
            "automatic_continuation": False,  # it would split one call into several
        }
        if json_schema is not None:
            sent["response_mime_type"] = "application/json"
            if not unsupported & {"json_schema", schema_id(json_schema)}:
                sent["response_json_schema"] = in_dialect(json_schema, GEMINI)
        return {name: value for name, value in sent.items() if name not in unsupported and value is not None}

    def method(self, sent: CallParameters) -> str:
        """How the answer's schema is enforced: by structured output, or in the prompt."""
        return "json_schema" if "response_json_schema" in sent else "prompt"

    def recorded(self, call: VendorCall) -> Parameters:
        """With the budget or the level of thinking."""
        sent = call.sent
        thinking = sent.get("thinking_config", {})
        recorded: Parameters = {"temperature": sent.get("temperature"), "seed": sent.get("seed")}
        return recorded | {name: thinking[name] for name in ("thinking_budget", "thinking_level") if name in thinking}

    def refused_in(self, message: str, call: VendorCall) -> str | None:
        """The parameter that the vendor's error message refuses; None if the message is about something else."""
        sent = call.sent
        if _NO_SUCH_VERSION in message:
            return _version(sent)
        if "thinking_config" in sent and re.search(r"[Tt]hinking|[Bb]udget \d+ is invalid|thought", message):
            return "thinking" if len(sent["thinking_config"]) > 1 else "thinking_config"
        for name, words in (("temperature", "temperature"), ("seed", r"\bseed\b")):
            if name in sent and re.search(words, message):
                return name
        if call.json_schema is not None and "response_json_schema" in sent:
            if re.search(r"too many states|nesting depth|properties|enum|items", message) or VAGUE_REFUSAL in message:
                return schema_id(call.json_schema)
            if re.search(r"[Ss]chema", message):
                return "json_schema"
        if "response_mime_type" in sent and re.search(r"response_?[mM]ime_?[tT]ype|JSON mode", message):
            return "response_mime_type"
        return None

    async def parts(self, call: VendorCall) -> AsyncGenerator[Any, None]:
        """The parts of a response."""
        responses: list[httpx2.Response] = []
        _responses.set(responses)
        system, contents = _prompt(call.prompt)
        config = call.sent | ({"system_instruction": system} if system else {})
        generate = self.client().aio.models.generate_content_stream
        try:
            async for part in await generate(model=call.model, contents=contents, config=config):
                yield part
        finally:
            for response in responses:  # the SDK would leave an unfinished stream to the garbage collector
                await response.aclose()

    def translated(self, error: Exception, call: VendorCall) -> ProviderError | None:
        """The ``ProviderError`` for an error of the SDK, or of the connection."""
        from google.genai.errors import APIError  # noqa: PLC0415

        if not isinstance(error, APIError):
            return super().translated(error, call)
        message = as_text(error.message) or str(error)
        status = 401 if BAD_KEY in message else error.code if isinstance(error.code, int) else 500
        if "token count" in message and "exceeds" in message:
            message = f"context length: {message}"
        headers = getattr(error.response, "headers", None) or {}
        if status in NO_SUCH_ROUTE and not self.is_vendors() and error.status != "NOT_FOUND":
            if (version := _version(call.sent)) == VERSIONS[0]:
                return BadRequest(f"{_NO_SUCH_VERSION} {version}: {shortened(message)}")
            call.learned.mark_supported(VERSIONS[0])
        return self.status_error(status, message, headers, error.details)


def _tokens(used: Any) -> Tokens:
    """The tokens of a call.  Gemini counts thinking apart from the answer, at the same price."""
    thought = count_in(used, "thoughts_token_count")
    return Tokens(
        input=count_in(used, "prompt_token_count") + count_in(used, "tool_use_prompt_token_count"),
        output=count_in(used, "candidates_token_count") + thought,
        cached=count_in(used, "cached_content_token_count"),
        thought=thought,
    )


async def _keep_response(response: httpx2.Response) -> None:
    _responses.get([]).append(response)


def _version(sent: CallParameters) -> str:
    """The version of the API that a call uses."""
    return str(sent["http_options"]["api_version"])


def _enum_text(reason: Any) -> str:
    """The text of an enumeration's value, also of a value that the SDK does not know."""
    return "" if reason is None else as_text(getattr(reason, "value", reason))


def _prompt(prompt: tuple[Segment, ...]) -> tuple[str, list[dict[str, Any]]]:
    """The system text, and the turns with one part for each segment."""
    system = "\n\n".join(each.text for each in prompt if each.role == "system")
    contents = [
        {"role": "model" if role == "assistant" else "user", "parts": [{"text": each.text} for each in segments]}
        for role, segments in groupby((each for each in prompt if each.role != "system"), key=lambda each: each.role)
    ]
    return system, contents


def _thinking(request: Request, learned: Learned, unsupported: frozenset[str], limit: int) -> dict[str, Any] | None:
    """The ``thinking_config``, which asks for the thinking itself too."""
    known, think = learned.known, request.think
    if known is not None and known.thinks == "never":
        return None
    config: dict[str, Any] = {"include_thoughts": True}
    if known is None or think == "default" or "thinking" in unsupported:
        return config
    if known.budget is not None:
        least, most = known.budget
        wanted = min(BUDGETS.get(think, 0), max(least, limit - request.max_tokens))
        config["thinking_budget"] = int(known.off) if think == "off" and known.off else max(least, min(wanted, most))
    elif (level := effort_level(learned, think, unsupported)) is not None:
        config["thinking_level"] = level
    return config


_NO_SUCH_VERSION: Final = "the server has nothing under"

"""``gemini:MODEL``, through Google's SDK.

It reads ``GEMINI_API_KEY``, and ``GOOGLE_GEMINI_BASE_URL`` for another address.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

import httpx2

from .answers.dialects import GEMINI, in_dialect, in_words
from .answers.schema import schema
from .answers.streaming import Source, open_stream, read_answer
from .base import Answer, ModelStatus, Outcome, Parameters, Request, Segment, TextStream, Tokens
from .catalog.models import likely_model
from .catalog.pricing import call_cost
from .environment import variable
from .errors import BadRequest, BrokenOff, NotAuthorised, ProviderError, Refused, Stopped, UnknownModel
from .http.connection import as_text, connection_error, http_client, objects, status_error, without_secrets
from .http.learned import Learned, LearnedModels, adaptive_call, effort_level, schema_id
from .http.listing import (
    BAD_KEY,
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
    from google.genai import Client

T = TypeVar("T")

URL: Final = "https://generativelanguage.googleapis.com"
KEY: Final = "GEMINI_API_KEY"
ADDRESS: Final = "GOOGLE_GEMINI_BASE_URL"
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


class GeminiProvider:
    """One connection pool.  The SDK is imported, and the environment read, at the first use."""

    name = "gemini"

    def __init__(self) -> None:
        self._sdk_clients: dict[str, Client] = {}
        self._http: httpx2.AsyncClient | None = None
        self._learned = LearnedModels(likely_model)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Stream text.  The idle timeout begins after the SDK is loaded."""
        await load("google.genai")
        first_s = self._learned.of(url(), model).first_text_timeout_s(request)
        async with open_stream(self._source(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by ``response_json_schema``, or by the prompt if the schema is refused."""
        await load("google.genai")
        first_s = self._learned.of(url(), model).first_text_timeout_s(request)
        return await read_answer(self._source(model, request, schema(type_)), request, type_, first_s=first_s)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that generate text and that this key can use.

        A compatible server may list nothing; then only a call shows whether a model answers.
        """
        key = variable(KEY, "GOOGLE_API_KEY")
        try:
            if not key:
                raise NotAuthorised("no key")
            entries = await self._entries(model, {"x-goog-api-key": key})
        except ProviderError as error:
            if model is not None and url() != URL and isinstance(error, _NoList):
                return (status_of(self.name, model, ok=True, detail=no_list_detail(url())),)
            hint = hint_for(error, key_hint=HINT, address=ADDRESS)
            return (status_of(self.name, model or "MODEL", ok=False, detail=error.message, hint=hint),)
        listed = {
            model or as_text(each.get("name")).removeprefix("models/"): window_of(each.get("inputTokenLimit"))
            for each in entries
        }
        return listed_statuses(self.name, url(), listed)

    async def _entries(self, model: str | None, headers: dict[str, str]) -> list[dict[str, Any]]:
        """The entry of one model, or of all that generate text.  Raises ``_NoList`` if the server lists none."""
        for version in VERSIONS:
            base = f"{url().rstrip('/')}/{version}/models"
            one = (f"{base}/{quote(model, safe='')}",) if model else ()
            for list_url in (*one, f"{base}?pageSize=200"):
                try:
                    body = await get_json("Gemini", list_url, headers, key=KEY, address=ADDRESS)
                except ProviderError as error:
                    if error.http_status not in NO_SUCH_ROUTE or url() == URL:  # the vendor's own answer is final
                        raise
                    continue
                if "models" not in body:
                    return [body]
                found = [each for each in objects(body["models"]) if _generates_text(each)]
                if model is None:
                    return found
                return [each for each in found if as_text(each.get("name")).removeprefix("models/") == model] or [{}]
        raise _NoList(f"{url()} lists no models")

    def caveat(self, model: str) -> str:  # noqa: ARG002 - the protocol's parameter
        """No caveat."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        clients, self._sdk_clients = self._sdk_clients, {}
        http, self._http = self._http, None
        for client in clients.values():
            client.close()
        if http is not None:
            await http.aclose()

    def _client(self, version: str) -> Client:
        if version not in self._sdk_clients:
            key = variable(KEY, "GOOGLE_API_KEY")
            if not key:
                raise NotAuthorised(f"no key: {HINT}")
            from google.genai import Client  # noqa: PLC0415 - SDKs are imported when first used
            from google.genai.types import HttpOptions, HttpRetryOptions  # noqa: PLC0415

            if self._http is None:
                self._http = http_client(url(), address=ADDRESS)
                self._http.event_hooks["response"].append(_keep_response)
            options = HttpOptions(
                base_url=url(),
                api_version=version,
                httpx_async_client=self._http,
                retry_options=HttpRetryOptions(attempts=1),
            )
            self._sdk_clients[version] = Client(api_key=key, http_options=options, vertexai=False)
        return self._sdk_clients[version]

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
        from google.genai.errors import APIError  # noqa: PLC0415

        responses: list[httpx2.Response] = []
        _responses.set(responses)
        reader = ResponseReader(learned, request, sent["max_output_tokens"], is_typed=json_schema is not None)
        reply = _GeminiReply(model, reader)
        system, contents = _prompt(
            in_words(request.prompt, json_schema) if json_schema and _method(sent) == "prompt" else request.prompt
        )
        config = {name: value for name, value in sent.items() if name != "version"}
        config |= {"system_instruction": system} if system else {}
        version = sent["version"]
        try:
            parts = await self._client(version).aio.models.generate_content_stream(
                model=model,
                contents=contents,
                config=config,
            )
            async for part in parts:
                for text in reply.feed(part):
                    yield text
            yield reader.end()
        except APIError as error:
            raise self._translate(error, version, learned) from error
        except httpx2.HTTPError as error:
            raise connection_error("Gemini", url(), error) from error
        except ValueError as error:
            raise BrokenOff("Gemini sent a response that does not follow its protocol") from error
        finally:
            for response in responses:  # the SDK would leave an unfinished stream to the garbage collector
                await response.aclose()
        if not reply.finish and not reply.blocked:
            return  # the stream ended before the message did, which SourceStream reports
        outcome = reader.outcome(
            reply.model,
            reply.tokens,
            call_cost(self.name, url(), reply.model, reply.tokens, requested=model),
            is_cut=reply.finish == "MAX_TOKENS",
            parameters=_recorded(json_schema, sent),
        )
        reply.check(outcome)
        yield outcome

    def _translate(self, error: Any, version: str, learned: Learned) -> ProviderError:
        """The ``ProviderError`` for an error of the SDK."""
        message, secret = as_text(error.message) or str(error), variable(KEY, "GOOGLE_API_KEY")
        status = 401 if BAD_KEY in message else error.code if isinstance(error.code, int) else 500
        if "token count" in message and "exceeds" in message:
            message = f"context length: {message}"
        headers = getattr(error.response, "headers", None) or {}
        if status in NO_SUCH_ROUTE and url() != URL and error.status != "NOT_FOUND":
            if version == VERSIONS[0]:
                return BadRequest(f"{_NO_SUCH_VERSION} {version}: {without_secrets(message, secret)}")
            learned.mark_supported(VERSIONS[0])
        return status_error("Gemini", status, message, headers, key=KEY, secret=secret, body=error.details)


class _NoList(UnknownModel):
    """The server does not list its models."""


class _GeminiReply:
    """The reply that a stream of parts builds up."""

    def __init__(self, model: str, reader: ResponseReader) -> None:
        self.model, self.finish, self.blocked, self.tokens = model, "", "", Tokens()
        self._reader = reader

    def feed(self, part: Any) -> Iterator[str]:
        """The answer texts in a part; "" for thinking."""
        self.model = part.model_version or self.model
        if (used := part.usage_metadata) is not None:
            self.tokens = _tokens(used)
        if (feedback := part.prompt_feedback) is not None and feedback.block_reason is not None:
            self.blocked = _enum_text(feedback.block_reason)
        for candidate in (part.candidates or [])[:1]:
            self.finish = _enum_text(candidate.finish_reason) or self.finish
            for piece in (candidate.content and candidate.content.parts) or []:
                if piece.function_call is not None:
                    self._reader.is_tool_call = True
                text = piece.text or ""
                yield self._reader.add_thinking(text) if piece.thought else self._reader.add_text(text)

    def check(self, outcome: Outcome) -> None:
        """Raise if the reply is no answer."""
        if self.blocked:
            raise Refused(f"the prompt was blocked ({self.blocked})", outcome=outcome)
        if self.finish in REFUSALS:
            raise Refused(f"the model declined to answer ({self.finish})", outcome=outcome)
        self._reader.is_tool_call = self._reader.is_tool_call or self.finish in TOOLS
        self._reader.check(outcome)
        if self.finish not in STOPS:
            raise Stopped(f"the vendor ended the answer ({self.finish})", outcome=outcome)


def _tokens(used: Any) -> Tokens:
    """The tokens of a call.  Gemini counts thinking apart from the answer, at the same price."""
    thought = used.thoughts_token_count or 0
    return Tokens(
        input=(used.prompt_token_count or 0) + (used.tool_use_prompt_token_count or 0),
        output=(used.candidates_token_count or 0) + thought,
        cached=used.cached_content_token_count or 0,
        thought=thought,
    )


async def _keep_response(response: httpx2.Response) -> None:
    _responses.get([]).append(response)


def url() -> str:
    """The address of the API."""
    return variable("GOOGLE_GEMINI_BASE_URL") or URL


def _generates_text(model: Any) -> bool:
    return "generateContent" in (model.get("supportedGenerationMethods") or ["generateContent"])


def _enum_text(reason: Any) -> str:
    """The text of an enumeration's value, also of a value that the SDK does not know."""
    return "" if reason is None else as_text(getattr(reason, "value", reason))


def _prompt(prompt: tuple[Segment, ...]) -> tuple[str, list[dict[str, Any]]]:
    """The system text, and the turns with one part for each segment."""
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


def _parameters(
    request: Request, json_schema: dict[str, Any] | None, learned: Learned, unsupported: frozenset[str], limit: int
) -> dict[str, Any]:
    """The parameters of a call, without those that the model refuses."""
    sent: dict[str, Any] = {
        "version": next((each for each in VERSIONS if each not in unsupported), VERSIONS[0]),
        "max_output_tokens": limit,
        "temperature": request.temperature,
        "seed": request.seed,
        "thinking_config": _thinking(request, learned, unsupported, limit),
        "automatic_continuation": False,  # it would split one call into several
    }
    if json_schema is not None:
        sent["response_mime_type"] = "application/json"
        if not unsupported & {"json_schema", schema_id(json_schema)}:
            sent["response_json_schema"] = in_dialect(json_schema, GEMINI)
    return {name: value for name, value in sent.items() if name not in unsupported and value is not None}


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


def _method(sent: dict[str, Any]) -> str:
    """How the answer's schema is enforced: by structured output, or in the prompt."""
    return "json_schema" if "response_json_schema" in sent else "prompt"


def _recorded(json_schema: dict[str, Any] | None, sent: dict[str, Any]) -> Parameters:
    """The parameters as the event records them, with the method of structured output."""
    recorded: Parameters = {"temperature": sent.get("temperature"), "seed": sent.get("seed")}
    thinking = sent.get("thinking_config", {})
    recorded |= {name: thinking[name] for name in ("thinking_budget", "thinking_level") if name in thinking}
    return recorded if json_schema is None else recorded | {"structured_output": _method(sent)}


def _refused_in(message: str, sent: dict[str, Any], json_schema: dict[str, Any] | None) -> str | None:
    """The parameter that the vendor's error message refuses; None if the message is about something else."""
    if _NO_SUCH_VERSION in message:
        return str(sent["version"])
    if "thinking_config" in sent and re.search(r"[Tt]hinking|[Bb]udget \d+ is invalid|thought", message):
        return "thinking" if len(sent["thinking_config"]) > 1 else "thinking_config"
    for name, words in (("temperature", "temperature"), ("seed", r"\bseed\b")):
        if name in sent and re.search(words, message):
            return name
    if json_schema is not None and "response_json_schema" in sent:
        if re.search(r"too many states|nesting depth|properties|enum|items", message) or VAGUE_REFUSAL in message:
            return schema_id(json_schema)
        if re.search(r"[Ss]chema", message):
            return "json_schema"
    if "response_mime_type" in sent and re.search(r"response_?[mM]ime_?[tT]ype|JSON mode", message):
        return "response_mime_type"
    return None


_NO_SUCH_VERSION: Final = "the server has nothing under"

"""``ollama:MODEL``, through the official SDK.

It reads ``OLLAMA_HOST``, if Ollama does not run on this machine, and ``OLLAMA_API_KEY``, if the server wants a key.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx

from .answers.dialects import in_words
from .answers.schema import schema
from .answers.streaming import Source, open_stream, read_answer
from .base import Answer, ModelStatus, Parameters, Request, TextStream, Tokens, messages
from .catalog.models import likely_model
from .catalog.pricing import cost
from .environment import is_local, trusted
from .errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    NotAuthorised,
    PromptCut,
    ProviderError,
    Unreachable,
)
from .http.connection import CONNECT_S, Hooks, as_text, hooks, objects
from .http.learned import Learned, LearnedModels, adaptive_call, effort_level, schema_id
from .http.listing import status_of
from .http.response import ResponseReader
from .http.retry_after import wait_of
from .http.status import by_status
from .imports import load

if TYPE_CHECKING:
    from ollama import AsyncClient

T = TypeVar("T")

HINT = "get it from https://ollama.com/download, start it, then: ollama pull llama3.2"
PORT: Final = 11434
WINDOWS: Final = (8192, 16384, 32768, 65536)
"""Ollama cuts a long prompt without an error, so each call asks for a window that holds it.

Ollama reloads a model when the size changes, so there are only a few sizes.
"""

CHARACTERS_PER_TOKEN: Final = 3
DENSE: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
"""Characters of scripts that take about one token each: Thai, Lao, Burmese, Khmer, Japanese, Chinese, Korean."""
LEAST_MEASURED: Final = 400
"""A shorter prompt, in characters, says little about the tokens per character."""
CUT_MARGIN: Final = 8
"""A prompt that ends this close to the end of the window was cut."""
ROOM_SHARE: Final = 0.5
"""Share of the thinking room of hosted models: the window takes memory of this machine."""
KEEP_ALIVE: Final = "15m"
"""Keeps a model loaded while other models debate and judge."""
EMBEDDING_FAMILIES: Final = ("bert", "nomic-bert")
"""Families of models that make embeddings and no text."""


class OllamaProvider:
    """One connection pool.  The SDK is imported, and the environment read, at the first use."""

    name = "ollama"

    def __init__(self) -> None:
        self._sdk_client: AsyncClient | None = None
        self._learned = LearnedModels(likely_model, room_share=ROOM_SHARE)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Stream text.  The idle timeout begins after the SDK is loaded."""
        await load("ollama")
        first_s = self._learned.of(host(), model).first_text_timeout_s(request)
        async with open_stream(self._source(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON by the type's schema, which Ollama turns into a grammar, or by the prompt if it cannot."""
        await load("ollama")
        first_s = self._learned.of(host(), model).first_text_timeout_s(request)
        return await read_answer(self._source(model, request, schema(type_)), request, type_, first_s=first_s)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that Ollama has pulled.  A plain GET needs no SDK, which takes time to import."""
        try:
            pulled = await _pulled()
        except ProviderError as error:
            hint = "" if isinstance(error, NotAuthorised) else HINT
            return (self._status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        if model is None and not pulled:
            return (self._status("MODEL", ok=False, detail="no model is pulled", hint="ollama pull llama3.2"),)
        if model is not None and not {model, f"{model}:latest"} & set(pulled):
            return (self._status(model, ok=False, detail="not pulled", hint=f"ollama pull {model}"),)
        names = pulled if model is None else [model]
        return tuple(self._status(name, ok=True, detail=f"pulled at {host()}") for name in names)

    def caveat(self, model: str) -> str:  # noqa: ARG002 - the protocol's parameter
        """No caveat."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        client, self._sdk_client = self._sdk_client, None
        if client is not None:
            await client.close()  # type: ignore[no-untyped-call]   # the SDK has no types there

    def _client(self) -> AsyncClient:
        if self._sdk_client is None:
            from ollama import AsyncClient  # noqa: PLC0415 - SDKs are imported when first used

            self._sdk_client = AsyncClient(
                timeout=httpx.Timeout(None, connect=CONNECT_S),  # the stream has its own timeouts
                verify=trusted(_address()),
                trust_env=not is_local(host()),  # no proxy for this machine
                event_hooks=_hooks(),
            )
        return self._sdk_client

    def _source(self, model: str, request: Request, json_schema: dict[str, Any] | None) -> Source:
        """One call, repeated without a parameter that the model refuses."""
        learned = self._learned.of(host(), model)
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
        from ollama import ResponseError  # noqa: PLC0415

        options = sent["options"]
        reader = ResponseReader(learned, request, options["num_predict"], is_typed=json_schema is not None)
        last: Any = None
        prompt = (
            in_words(request.prompt, json_schema) if json_schema and sent.get("format") == "json" else request.prompt
        )
        try:
            parts = await self._client().chat(
                model=model, messages=messages(prompt), stream=True, keep_alive=KEEP_ALIVE, **sent
            )
            async with aclosing(parts):  # type: ignore[type-var]   # typed as an iterator; it is a generator
                async for part in parts:
                    reader.is_tool_call = reader.is_tool_call or bool(part.message.tool_calls)
                    yield reader.add_thinking(part.message.thinking or "")
                    yield reader.add_text(part.message.content or "")
                    if part.done:
                        last = part
                        break
        except (ConnectionError, httpx.HTTPError, ResponseError, ValueError) as error:
            raise translate(error) from error
        if last is None:
            return  # the stream ended before the message did, which SourceStream reports
        yield reader.end()
        tokens = Tokens(input=last.prompt_eval_count or 0, output=last.eval_count or 0)
        outcome = reader.outcome(
            last.model or model,
            tokens,
            _cost(model, tokens),
            is_cut=last.done_reason == "length",
            parameters=_recorded(sent),
        )
        _measure(learned, request, tokens.input)
        if tokens.input and tokens.input + CUT_MARGIN >= options["num_ctx"]:
            kind = ContextExceeded if options["num_ctx"] == WINDOWS[-1] else PromptCut
            raise kind(f"Ollama cut the prompt to its window of {options['num_ctx']} tokens", outcome=outcome)
        reader.check(outcome)
        yield outcome

    def _status(self, model: str, *, ok: bool, detail: str, hint: str = "") -> ModelStatus:
        return status_of(self.name, model, ok=ok, detail=detail, hint=hint, window=WINDOWS[-1])


def host() -> str:
    """The address of Ollama."""
    return os.environ.get("OLLAMA_HOST") or "127.0.0.1:11434"


def translate(error: Exception) -> ProviderError:
    """The ``ProviderError`` for an error of the SDK."""
    status, message = getattr(error, "status_code", None), _message(getattr(error, "error", None)) or str(error)
    match error:
        case _ if status is not None and _ABOUT_SCHEMA.search(message):  # Ollama answers with status 500
            return BadRequest(f"Ollama says: {message}")
        case _ if status is not None and status > 0:
            return _status_error(status, f"Ollama says: {message}")
        case ConnectionError() | httpx.ConnectError() | httpx.ConnectTimeout():
            return Unreachable(f"Ollama does not answer at {host()}")
        case httpx.HTTPError():
            return BrokenOff(f"Ollama broke off: {message or type(error).__name__}")
        case _ if status is not None:  # an error within the stream
            return BrokenOff(f"Ollama says: {message}")
        case _:
            return BrokenOff("Ollama sent a response that does not follow its protocol")


def _message(error: Any) -> str:
    """The message of an error: a text, or an object that holds one from servers that resemble Ollama."""
    return as_text(error.get("message") if isinstance(error, dict) else error)


async def _pulled() -> list[str]:
    """Names of the models that generate text.  Raises ``ProviderError``."""
    key = os.environ.get("OLLAMA_API_KEY")
    try:
        async with httpx.AsyncClient(
            timeout=CONNECT_S,
            verify=trusted(_address()),
            trust_env=not is_local(host()),
            event_hooks=_hooks(),
            follow_redirects=True,
        ) as client:
            headers = {"authorization": f"Bearer {key}"} if key else {}
            response = await client.get(f"{_address().rstrip('/')}/api/tags", headers=headers)
            body = response.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise translate(error) from error
    if response.is_error:
        message = _message(body.get("error")) if isinstance(body, dict) else ""
        raise _status_error(response.status_code, f"Ollama says: {message}")
    listed = objects(body.get("models")) if isinstance(body, dict) else []
    return [
        as_text(each.get("model") or each.get("name"))
        for each in listed
        if not (isinstance(each.get("details"), dict) and each["details"].get("family") in EMBEDDING_FAMILIES)
    ]


def _status_error(status: int, message: str) -> ProviderError:
    error = by_status(status, message)
    return NotAuthorised(f"{error.message}: set OLLAMA_API_KEY") if isinstance(error, NotAuthorised) else error


def _address() -> str:
    """``OLLAMA_HOST`` with the scheme and port that the SDK adds."""
    address = host()
    if "://" in address:
        return address
    parts = urlsplit(f"//{address}")
    return f"http://{parts.hostname or '127.0.0.1'}:{parts.port or PORT}"


def _hooks() -> Hooks:
    made = hooks(_address(), httpx.AsyncByteStream, "OLLAMA_HOST")
    made["response"].append(_check_rate_limit)
    return made


async def _check_rate_limit(response: httpx.Response) -> None:
    """Raise ``RateLimited`` here, because the SDK's own error has no headers."""
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise by_status(response.status_code, "Ollama has too many calls", wait_s=wait_of(response.headers))


def _cost(model: str, tokens: Tokens) -> float | None:
    """US dollars; nothing for a model on this machine."""
    if is_local(host()) and not model.endswith("cloud"):
        return 0.0
    return cost(OllamaProvider.name, model, tokens.input, tokens.output)


def _estimated_tokens(request: Request, learned: Learned) -> float:
    """Tokens of a prompt, estimated high so that the prompt is not cut.

    The estimate follows the script, or earlier prompts of this model if those took more tokens per character.
    """
    text = "".join(segment.text for segment in request.prompt)
    dense = len(DENSE.findall(text))
    return max(dense + (len(text) - dense) / CHARACTERS_PER_TOKEN, len(text) * learned.tokens_per_character)


def _measure(learned: Learned, request: Request, read: int) -> None:
    """Learn from the tokens that a prompt took."""
    length = sum(len(segment.text) for segment in request.prompt)
    if length >= LEAST_MEASURED:
        learned.tokens_per_character = max(learned.tokens_per_character, 1.2 * read / length)


def _options(request: Request, learned: Learned, limit: int) -> Parameters:
    needed = _estimated_tokens(request, learned) + limit
    window = next((size for size in WINDOWS if size >= needed), WINDOWS[-1])
    options: Parameters = {"num_predict": limit, "temperature": request.temperature, "num_ctx": window}
    return options if request.seed is None else options | {"seed": request.seed}


def _parameters(
    request: Request, json_schema: dict[str, Any] | None, learned: Learned, unsupported: frozenset[str], limit: int
) -> dict[str, Any]:
    """The parameters of a call, without those that the model refuses."""
    sent = {"options": _options(request, learned, limit), **_think(request, learned, unsupported)}
    return (
        sent
        if json_schema is None
        else sent | {"format": "json" if schema_id(json_schema) in unsupported else json_schema}
    )


def _think(request: Request, learned: Learned, unsupported: frozenset[str]) -> dict[str, Any]:
    """The ``think`` parameter: a level if the model takes one, else true or false."""
    known = learned.known
    if request.think == "default" or "think" in unsupported or (known is not None and known.thinks == "never"):
        return {}
    if request.think == "off":
        least = effort_level(learned, "off", unsupported) if known is not None and known.levels else None
        return {"think": least or False}
    if known is None:
        return {}
    return {"think": (effort_level(learned, request.think, unsupported) if known.levels else None) or True}


def _recorded(sent: dict[str, Any]) -> Parameters:
    """The parameters as the event records them, with the method of structured output."""
    recorded: Parameters = dict(sent["options"])
    if "think" in sent:
        recorded["thinking"] = sent["think"]
    if "format" in sent:
        recorded["structured_output"] = "json" if sent["format"] == "json" else "json_schema"
    return recorded


def _refused_in(message: str, sent: dict[str, Any], json_schema: dict[str, Any] | None) -> str | None:
    """The parameter that Ollama's error message refuses; None if the message is about something else."""
    if "think" in sent and "think" in message:
        return f"effort={sent['think']}" if isinstance(sent["think"], str) and "value" in message else "think"
    return schema_id(json_schema) if json_schema is not None and _ABOUT_SCHEMA.search(message) else None


_ABOUT_SCHEMA: Final = re.compile(r"JSON schema in format|invalid format|ChatRequest\.format|parse grammar")
"""Messages about a schema that makes no grammar (ollama#8325, marker#984), or of a server without schemas
(ollama-python#367)."""

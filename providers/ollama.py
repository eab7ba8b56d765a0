"""``ollama:MODEL``, through the official SDK.

It reads ``OLLAMA_HOST``, if Ollama does not run on this machine, and ``OLLAMA_API_KEY``, if the server wants a key.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx

from .base import ModelStatus, Outcome, Parameters, Request, Tokens, messages
from .catalog.pricing import cost
from .environment import is_local, trusted, variable
from .errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    NotAuthorised,
    PromptCut,
    ProviderError,
    Unreachable,
)
from .http.connection import CONNECT_S, Hooks, as_text, count_in, hooks, objects
from .http.learned import CallParameters, Learned, effort_level, schema_id
from .http.retry_after import wait_of
from .http.status import by_status
from .http.vendor import Reply, VendorCall, VendorProvider

if TYPE_CHECKING:
    from ollama import AsyncClient

USUAL: Final = "llama3.2"
"""The model that a hint names where none was asked for."""
HINT: Final = "get it from https://ollama.com/download, start it, then: ollama pull "
PORT: Final = 11434
HOST: Final = f"127.0.0.1:{PORT}"
WINDOWS: Final = (8192, 16384, 32768, 65536)
"""Ollama cuts a long prompt without an error, so each call asks for a window that holds it.

Ollama reloads a model when the size changes, so there are only a few sizes.
"""

CHARACTERS_PER_TOKEN: Final = 3
DENSE: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
"""Characters of scripts that take about one token each: Thai, Lao, Burmese, Khmer, Japanese, Chinese, Korean."""
MIN_MEASURED: Final = 400
"""A shorter prompt, in characters, says little about the tokens per character."""
CUT_MARGIN: Final = 8
"""A prompt that ends this close to the end of the window was cut."""
ROOM_SHARE: Final = 0.5
"""Share of the thinking room of hosted models: the window takes memory of this machine."""
KEEP_ALIVE: Final = "15m"
"""Keeps a model loaded while other models debate and judge."""
OPTIONS: Final = frozenset({"num_predict", "temperature", "num_ctx", "seed"})
"""The parameters that Ollama takes as options of the model."""
EMBEDDING_FAMILIES: Final = ("bert", "nomic-bert")
"""Families of models that make embeddings and no text."""


class OllamaReply(Reply):
    """The reply that a stream of lines builds up."""

    cuts = frozenset({"length"})

    def feed(self, part: Any) -> str:
        """Read one line."""
        message = part.message
        self.reader.is_tool_call = self.reader.is_tool_call or bool(message.tool_calls)
        self.reader.add_thinking(message.thinking or "")
        said = self.reader.add_text(message.content or "")
        if part.done:
            self.is_over, self.finish, self.model = True, part.done_reason or "stop", part.model or self.model
            self.tokens = Tokens(input=count_in(part, "prompt_eval_count"), output=count_in(part, "eval_count"))
        return said

    def check(self, outcome: Outcome) -> None:
        """Raise if the reply is no answer, or if Ollama cut the prompt."""
        read, window = self.tokens.input, self.call.sent["num_ctx"]
        _measure(self.call.learned, self.call.request, read)
        if read and read + CUT_MARGIN >= window:
            kind = ContextExceeded if window == WINDOWS[-1] else PromptCut
            raise kind(f"Ollama cut the prompt to its window of {window} tokens", outcome=outcome)
        self.reader.check(outcome)


class OllamaProvider(VendorProvider):
    """Typed answers by the type's schema, which Ollama turns into a grammar, or by the prompt if it cannot."""

    name = "ollama"
    label = "Ollama"
    sdk = "ollama"
    default_address = HOST
    keys, key_hint, address_name = ("OLLAMA_API_KEY",), "", "OLLAMA_HOST"
    limit_names = ("num_predict",)
    reply = OllamaReply
    room_share, window = ROOM_SHARE, WINDOWS[-1]

    def is_vendors(self) -> bool:
        """Always: it is asked in one way everywhere."""
        return True

    async def listed(self, model: str | None) -> dict[str, int | None]:  # noqa: ARG002 - it has a list only
        """The models that are pulled and generate text."""
        headers = {"authorization": f"Bearer {self.secret}"} if self.secret else {}
        body = await self.get_json(f"{_address().rstrip('/')}/api/tags", headers)
        return {
            as_text(each.get("model") or each.get("name")): WINDOWS[-1]
            for each in objects(body.get("models"))
            if not (isinstance(each.get("details"), dict) and each["details"].get("family") in EMBEDDING_FAMILIES)
        }

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that are pulled, and how to get another one."""
        try:
            pulled = await self.listed(model)
        except ProviderError as error:
            hint = "" if isinstance(error, NotAuthorised) else f"{HINT}{model or USUAL}"
            return (self.status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        if model is None and not pulled:
            return (self.status("MODEL", ok=False, detail="no model is pulled", hint=f"ollama pull {USUAL}"),)
        if model is not None and not {model, f"{model}:latest"} & set(pulled):
            return (self.status(model, ok=False, detail="not pulled", hint=f"ollama pull {model}"),)
        names = list(pulled) if model is None else [model]
        return tuple(self.status(name, ok=True, detail=f"pulled at {host()}") for name in names)

    def connect(self) -> AsyncClient:
        """A client without timeouts: the stream has its own."""
        from ollama import AsyncClient  # noqa: PLC0415 - SDKs are imported when first used

        return AsyncClient(
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            verify=trusted(_address()),
            trust_env=not is_local(host()),  # no proxy for this machine
            event_hooks=_hooks(),
        )

    def parameters(self, call: VendorCall, unsupported: frozenset[str], limit: int) -> CallParameters:
        """The options with a window for the prompt, the thinking, and the format, without what the model refuses."""
        request = call.request
        needed = _estimated_tokens(request, call.learned) + limit
        window = next((size for size in WINDOWS if size >= needed), WINDOWS[-1])
        sent: CallParameters = {"num_predict": limit, "temperature": request.temperature, "num_ctx": window}
        if request.seed is not None:
            sent["seed"] = request.seed
        sent |= _think(request, call.learned, unsupported)
        if call.json_schema is not None:
            sent["format"] = "json" if schema_id(call.json_schema) in unsupported else call.json_schema
        return sent

    def method(self, sent: CallParameters) -> str:
        """How the answer's schema is enforced: as a grammar, or in the prompt, with the format ``json``."""
        return "json" if sent["format"] == "json" else "json_schema"

    def recorded(self, call: VendorCall) -> Parameters:
        """The options, and the thinking that was asked for."""
        options: Parameters = {name: value for name, value in call.sent.items() if name in OPTIONS}
        return options | ({"thinking": call.sent["think"]} if "think" in call.sent else {})

    def refused_in(self, message: str, call: VendorCall) -> str | None:
        """The parameter that Ollama's error message refuses; None if the message is about something else."""
        asked = call.sent.get("think")
        if asked is not None and "think" in message:
            return f"effort={asked}" if isinstance(asked, str) and "value" in message else "think"
        return schema_id(call.json_schema) if call.json_schema is not None and _ABOUT_SCHEMA.search(message) else None

    async def parts(self, call: VendorCall) -> AsyncGenerator[Any, None]:
        """The lines of a response."""
        options = {name: value for name, value in call.sent.items() if name in OPTIONS}
        more = {name: value for name, value in call.sent.items() if name not in OPTIONS}
        lines = await self.client().chat(
            model=call.model,
            messages=messages(call.prompt),
            stream=True,
            keep_alive=KEEP_ALIVE,
            options=options,
            **more,
        )
        async with aclosing(lines):
            async for line in lines:
                yield line

    def translated(self, error: Exception, call: VendorCall) -> ProviderError | None:  # noqa: ARG002 - as its base
        """The ``ProviderError`` for an error of the SDK, or of the connection."""
        from ollama import ResponseError  # noqa: PLC0415

        is_known = isinstance(error, ConnectionError | httpx.HTTPError | ResponseError | ValueError)
        return translate(error) if is_known else None

    def cost(self, call: VendorCall, model: str, tokens: Tokens) -> float | None:  # noqa: ARG002 - as its base
        """US dollars; nothing for a model on this machine."""
        if is_local(host()) and not call.model.endswith("cloud"):
            return 0.0
        return cost(self.name, call.model, tokens.input, tokens.output)


def host() -> str:
    """The address of Ollama."""
    return variable("OLLAMA_HOST") or HOST


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


def _status_error(status: int, message: str) -> ProviderError:
    error = by_status(status, message)
    if isinstance(error, NotAuthorised):
        error.add(": set OLLAMA_API_KEY")
    return error


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
    if length >= MIN_MEASURED:
        learned.tokens_per_character = max(learned.tokens_per_character, 1.2 * read / length)


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


_ABOUT_SCHEMA: Final = re.compile(r"JSON schema in format|invalid format|ChatRequest\.format|parse grammar")
"""Messages about a schema that makes no grammar (ollama#8325, marker#984), or of a server without schemas
(ollama-python#367)."""

"""``ollama:MODEL``: the official SDK, here or where ``OLLAMA_HOST`` points, with ``OLLAMA_API_KEY`` if set."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx

from . import wire
from .base import Answer, ModelStatus, Parameters, Request, TextStream, Tokens, messages
from .environment import is_local
from .errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    NotAuthorised,
    PromptCut,
    ProviderError,
    Unreachable,
    by_status,
)
from .hosted import Hearing, as_text, form_id, level_of, objects, status_of, told
from .imports import load
from .learned import Learned, Lessons, adapting
from .models import presumed
from .pricing import cost
from .schema import schema
from .streaming import Source, answered, speaking
from .waiting import hint

if TYPE_CHECKING:
    from ollama import AsyncClient

T = TypeVar("T")

HINT = "get it from https://ollama.com/download, start it, then: ollama pull llama3.2"
PORT: Final = 11434
CONNECT_S = 4.0  # below the five seconds that a check may take
WINDOWS = (8192, 16384, 32768, 65536)
"""Ollama cuts a prompt that is too long in silence, so we ask for a window that holds it; few sizes, few reloads."""

CHARACTERS_A_TOKEN: Final = 3
DENSE: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
"""Characters of scripts in which one is a token or nearly: Thai, Lao, Burmese, Khmer, Japanese, Chinese, Korean."""
LEAST_MEASURED: Final = 400
"""Characters of a prompt from which on its tokens tell how the model counts."""
BRIM: Final = 8
"""So near to the end of its window a prompt was cut."""
ROOM_SHARE: Final = 0.5
"""Room for thinking, of what hosted models get: the window takes memory of this machine."""
KEEP_ALIVE: Final = "15m"
"""A model stays loaded while the others speak and judge."""
NO_SPEECH = ("bert", "nomic-bert")  # families that embed and do not speak


class OllamaProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "ollama"

    def __init__(self) -> None:
        self._made: AsyncClient | None = None
        self._lessons = Lessons(presumed, room_share=ROOM_SHARE)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  Loading the SDK is no part of the idle timeout."""
        await load("ollama")
        first_s = self._lessons.of(host(), model).first_s(request)
        async with speaking(self._listen(model, request, None), request, first_s=first_s) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON of the type's schema, which Ollama turns into a grammar; by the prompt where it cannot."""
        await load("ollama")
        first_s = self._lessons.of(host(), model).first_s(request)
        return await answered(self._listen(model, request, schema(type_)), request, type_, first_s=first_s)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that are pulled there: a GET needs no SDK, which takes a while to import."""
        try:
            there = await _pulled()
        except ProviderError as error:
            hint = "" if isinstance(error, NotAuthorised) else HINT
            return (self._status(model or "MODEL", ok=False, detail=error.message, hint=hint),)
        if model is None and not there:
            return (self._status("MODEL", ok=False, detail="no model is pulled", hint="ollama pull llama3.2"),)
        if model is not None and not {model, f"{model}:latest"} & set(there):
            return (self._status(model, ok=False, detail="not pulled", hint=f"ollama pull {model}"),)
        asked = there if model is None else [model]
        return tuple(self._status(name, ok=True, detail=f"pulled at {host()}") for name in asked)

    def caveat(self, model: str) -> str:  # noqa: ARG002 - models are as good as people chose them
        """Nothing."""
        return ""

    async def close(self) -> None:
        """Close the connections."""
        made, self._made = self._made, None
        if made is not None:
            await made.close()  # type: ignore[no-untyped-call]   # the SDK has no types there

    def _client(self) -> AsyncClient:
        if self._made is None:
            from ollama import AsyncClient  # noqa: PLC0415 - SDKs are imported when first used

            self._made = AsyncClient(
                timeout=httpx.Timeout(None, connect=CONNECT_S),  # patience is the caller's
                trust_env=not is_local(host()),  # a proxy has no business on the loopback
                event_hooks=_hooks(),
            )
        return self._made

    def _listen(self, model: str, request: Request, form: dict[str, Any] | None) -> Source:
        """One call; again where the model does not take what we asked for, before it has said anything."""
        learned = self._lessons.of(host(), model)
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
        from ollama import ResponseError  # noqa: PLC0415

        options = asked["options"]
        hearing = Hearing(learned, request, options["num_predict"], is_typed=form is not None)
        last: Any = None
        prompt = told(request.prompt, form) if asked.get("format") == "json" else request.prompt
        try:
            parts = await self._client().chat(
                model=model, messages=messages(prompt), stream=True, keep_alive=KEEP_ALIVE, **asked
            )
            async with aclosing(parts):  # type: ignore[type-var]   # the SDK says iterator; it is a generator
                async for part in parts:
                    hearing.is_tool_call = hearing.is_tool_call or bool(part.message.tool_calls)
                    yield hearing.thought(part.message.thinking or "")
                    yield hearing.text(part.message.content or "")
                    if part.done:
                        last = part
                        break
        except (ConnectionError, httpx.HTTPError, ResponseError, ValueError) as error:
            raise translate(error) from error
        if last is None:
            return  # the stream ended before the message did: whoever listens says so
        yield hearing.end()
        tokens = Tokens(input=last.prompt_eval_count or 0, output=last.eval_count or 0)
        outcome = hearing.outcome(
            last.model or model,
            tokens,
            _cost(model, tokens),
            is_cut=last.done_reason == "length",
            parameters=_recorded(asked),
        )
        _measure(learned, request, tokens.input)
        if tokens.input and tokens.input + BRIM >= options["num_ctx"]:
            kind = ContextExceeded if options["num_ctx"] == WINDOWS[-1] else PromptCut
            raise kind(f"Ollama cut the prompt to its window of {options['num_ctx']} tokens", outcome=outcome)
        hearing.check(outcome)
        yield outcome

    def _status(self, model: str, *, ok: bool, detail: str, hint: str = "") -> ModelStatus:
        return status_of(self.name, model, ok=ok, detail=detail, hint=hint, window=WINDOWS[-1])


def host() -> str:
    """Where Ollama is sought."""
    return os.environ.get("OLLAMA_HOST") or "127.0.0.1:11434"


def translate(error: Exception) -> ProviderError:
    """What the SDK raises, as one of ours."""
    status, said = getattr(error, "status_code", None), _words(getattr(error, "error", None)) or str(error)
    match error:
        case _ if status is not None and _ABOUT_FORM.search(said):  # told with a status of 500
            return BadRequest(f"Ollama says: {said}")
        case _ if status is not None and status > 0:
            return _by_status(status, f"Ollama says: {said}")
        case ConnectionError() | httpx.ConnectError() | httpx.ConnectTimeout():
            return Unreachable(f"Ollama does not answer at {host()}")
        case httpx.HTTPError():
            return BrokenOff(f"Ollama broke off: {said or type(error).__name__}")
        case _ if status is not None:  # an error in mid-stream
            return BrokenOff(f"Ollama says: {said}")
        case _:
            return BrokenOff("Ollama sent what is not of its protocol")


def _words(said: Any) -> str:
    """The sentence of an error: a text, or, from servers that are like Ollama, an object that holds one."""
    return as_text(said.get("message") if isinstance(said, dict) else said)


async def _pulled() -> list[str]:
    """Names of the models that speak.  Raises ``ProviderError``."""
    key = os.environ.get("OLLAMA_API_KEY")
    try:
        async with httpx.AsyncClient(
            timeout=CONNECT_S, trust_env=not is_local(host()), event_hooks=_hooks(), follow_redirects=True
        ) as client:
            headers = {"authorization": f"Bearer {key}"} if key else {}
            response = await client.get(f"{_address().rstrip('/')}/api/tags", headers=headers)
            said = response.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise translate(error) from error
    if response.is_error:
        fault = _words(said.get("error")) if isinstance(said, dict) else ""
        raise _by_status(response.status_code, f"Ollama says: {fault}")
    listed = objects(said.get("models")) if isinstance(said, dict) else []
    return [
        as_text(each.get("model") or each.get("name"))
        for each in listed
        if not (isinstance(each.get("details"), dict) and each["details"].get("family") in NO_SPEECH)
    ]


def _by_status(status: int, said: str) -> ProviderError:
    found = by_status(status, said)
    return NotAuthorised(f"{found.message}: set OLLAMA_API_KEY") if isinstance(found, NotAuthorised) else found


def _address() -> str:
    """``OLLAMA_HOST`` with the scheme and port that the SDK adds."""
    said = host()
    if "://" in said:
        return said
    parts = urlsplit(f"//{said}")
    return f"http://{parts.hostname or '127.0.0.1'}:{parts.port or PORT}"


def _hooks() -> wire.Hooks:
    hooks = wire.hooks(_address(), httpx.AsyncByteStream, "OLLAMA_HOST")
    hooks["response"].append(_obey_retry_after)
    return hooks


async def _obey_retry_after(response: httpx.Response) -> None:
    """Raise at once when there are too many calls: the SDK's own error does not carry the headers."""
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise by_status(response.status_code, "Ollama is asked too often", wait_s=hint(response.headers))


def _cost(model: str, tokens: Tokens) -> float | None:
    """US dollars: nothing for a model on this machine."""
    if is_local(host()) and not model.endswith("cloud"):
        return 0.0
    return cost(OllamaProvider.name, model, tokens.input, tokens.output)


def _guess(request: Request, learned: Learned) -> float:
    """Tokens of a prompt: rather too many than a prompt that is cut.

    Counted by script, and as earlier prompts of this model were counted where that is more.
    """
    text = "".join(segment.text for segment in request.prompt)
    dense = len(DENSE.findall(text))
    return max(dense + (len(text) - dense) / CHARACTERS_A_TOKEN, len(text) * learned.tokens_a_character)


def _measure(learned: Learned, request: Request, read: int) -> None:
    """Take note of how many tokens a prompt was."""
    length = sum(len(segment.text) for segment in request.prompt)
    if length >= LEAST_MEASURED:
        learned.tokens_a_character = max(learned.tokens_a_character, 1.2 * read / length)


def _options(request: Request, learned: Learned, limit: int) -> Parameters:
    needed = _guess(request, learned) + limit
    window = next((size for size in WINDOWS if size >= needed), WINDOWS[-1])
    options: Parameters = {"num_predict": limit, "temperature": request.temperature, "num_ctx": window}
    return options if request.seed is None else options | {"seed": request.seed}


def _parameters(
    request: Request, form: dict[str, Any] | None, learned: Learned, lacks: frozenset[str], limit: int
) -> dict[str, Any]:
    """What is asked of the model beside the prompt, without what it does not take."""
    asked = {"options": _options(request, learned, limit), **_think(request, learned, lacks)}
    return asked if form is None else asked | {"format": "json" if form_id(form) in lacks else form}


def _think(request: Request, learned: Learned, lacks: frozenset[str]) -> dict[str, Any]:
    """How a model is asked to think: a level where it takes one, else whether at all."""
    known = learned.known
    if request.think == "default" or "think" in lacks or (known is not None and known.thinks == "never"):
        return {}
    if request.think == "off":
        least = level_of(learned, "off", lacks) if known is not None and known.levels else None
        return {"think": least or False}
    if known is None:
        return {}
    return {"think": (level_of(learned, request.think, lacks) if known.levels else None) or True}


def _recorded(asked: dict[str, Any]) -> Parameters:
    """What was asked for, as the event keeps it; a fallback is said."""
    said: Parameters = dict(asked["options"])
    if "think" in asked:
        said["thinking"] = asked["think"]
    if "format" in asked:
        said["structured_output"] = "json" if asked["format"] == "json" else "json_schema"
    return said


def _lack(message: str, asked: dict[str, Any], form: dict[str, Any] | None) -> str | None:
    """What the model does not take of what was asked, told from Ollama's sentence; None where it says another."""
    if "think" in asked and "think" in message:
        return f"effort={asked['think']}" if isinstance(asked["think"], str) and "value" in message else "think"
    return form_id(form) if form is not None and _ABOUT_FORM.search(message) else None


_ABOUT_FORM: Final = re.compile(r"JSON schema in format|invalid format|ChatRequest\.format|parse grammar")
"""A schema that makes no grammar (ollama#8325, marker#984), or a server older than schemas (ollama-python#367)."""

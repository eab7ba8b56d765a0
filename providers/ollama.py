"""``ollama:MODEL``: the official SDK, here or where ``OLLAMA_HOST`` points, with ``OLLAMA_API_KEY`` if set."""

from __future__ import annotations

import os
import time
from contextlib import AbstractAsyncContextManager, aclosing
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from .base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens, messages
from .environment import is_local
from .errors import BrokenOff, NotAuthorised, ProviderError, Unreachable, by_status
from .schema import schema
from .streaming import Source, answered, speaking
from .thinking import Thinking

if TYPE_CHECKING:
    from ollama import AsyncClient

T = TypeVar("T")

HINT = "get it from https://ollama.com/download, start it, then: ollama pull llama3.2"
CONNECT_S = 4.0   # below the five seconds that a check may take
WINDOWS = (8192, 16384, 32768, 65536)
"""Ollama cuts a prompt that is too long in silence, so we ask for a window that holds it; few sizes, few reloads."""

CHARACTERS_A_TOKEN = 3   # a low guess: rather too large a window than a cut prompt
NO_SPEECH = ("bert", "nomic-bert")   # families that embed and do not speak


class OllamaProvider:
    """One connection pool.  The SDK is imported and the environment read when first used."""

    name = "ollama"

    def __init__(self) -> None:
        self._made: AsyncClient | None = None

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """Speak."""
        return speaking(self._listen(model, request, None), request)

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer in JSON of the type's schema, which Ollama turns into a grammar."""
        return await answered(self._listen(model, request, schema(type_)), request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that are pulled there."""
        from ollama import ResponseError  # noqa: PLC0415

        try:
            listed = (await self._client().list()).models
        except (ConnectionError, httpx.HTTPError, ResponseError, ValueError) as error:
            return (self._status(model or "MODEL", ok=False, detail=translate(error).message, hint=HINT),)
        except ProviderError as error:
            return (self._status(model or "MODEL", ok=False, detail=error.message),)
        there = [m.model for m in listed if m.model and not (m.details and m.details.family in NO_SPEECH)]
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
            await made.close()   # type: ignore[no-untyped-call]   # the SDK has no types there

    def _client(self) -> AsyncClient:
        if self._made is None:
            from ollama import AsyncClient  # noqa: PLC0415 - SDKs are imported when first used

            self._made = AsyncClient(
                timeout=httpx.Timeout(None, connect=CONNECT_S),   # patience is the caller's
                trust_env=not is_local(host()),   # a proxy has no business on the loopback
                event_hooks={"response": [_obey_retry_after]},
            )
        return self._made

    async def _listen(self, model: str, request: Request, form: dict[str, Any] | None) -> Source:
        from ollama import ResponseError  # noqa: PLC0415

        began_at = time.monotonic()
        options = _options(request)
        thinking, apart = Thinking(), ""
        try:
            parts = await self._client().chat(
                model=model, messages=messages(request.prompt), stream=True, format=form, options=options
            )
            async with aclosing(parts):   # type: ignore[type-var]   # the SDK says iterator; it is a generator
                async for part in parts:
                    apart += part.message.thinking or ""
                    yield thinking.feed(part.message.content or "")
                    if part.done:
                        yield thinking.end()
                        yield Outcome(
                            model=part.model or model,
                            tokens=Tokens(input=part.prompt_eval_count or 0, output=part.eval_count or 0),
                            latency_ms=round((time.monotonic() - began_at) * 1000),
                            cost_usd=0.0 if is_local(host()) and not model.endswith("cloud") else None,
                            finish="length" if part.done_reason == "length" else "stop",
                            reasoning=apart + thinking.thought,
                            parameters={**options},
                        )
                        return
        except (ConnectionError, httpx.HTTPError, ResponseError, ValueError) as error:
            raise translate(error) from error

    def _status(self, model: str, *, ok: bool, detail: str, hint: str = "") -> ModelStatus:
        return ModelStatus(
            name=f"{self.name}:{model}", provider=self.name, ok=ok, detail=detail, hint=hint, window=WINDOWS[-1]
        )


def host() -> str:
    """Where Ollama is sought."""
    return os.environ.get("OLLAMA_HOST") or "127.0.0.1:11434"


def translate(error: Exception) -> ProviderError:
    """What the SDK raises, as one of ours."""
    status, said = getattr(error, "status_code", None), getattr(error, "error", None) or str(error)
    match error:
        case _ if status is not None and status > 0:
            found = by_status(status, f"Ollama says: {said}")
            return NotAuthorised(f"{found.message}: set OLLAMA_API_KEY") if isinstance(found, NotAuthorised) else found
        case ConnectionError() | httpx.ConnectError() | httpx.ConnectTimeout():
            return Unreachable(f"Ollama does not answer at {host()}")
        case httpx.HTTPError():
            return BrokenOff(f"Ollama broke off: {said or type(error).__name__}")
        case _ if status is not None:   # an error in mid-stream
            return BrokenOff(f"Ollama says: {said}")
        case _:
            return BrokenOff("Ollama sent what is not of its protocol")


async def _obey_retry_after(response: httpx.Response) -> None:
    """Raise at once when there are too many calls: the SDK's own error does not carry the header."""
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise by_status(response.status_code, "Ollama is asked too often", response.headers.get("retry-after", ""))


def _options(request: Request) -> dict[str, str | int | float | bool | None]:
    needed = sum(len(segment.text) for segment in request.prompt) // CHARACTERS_A_TOKEN + request.max_tokens
    window = next((size for size in WINDOWS if size >= needed), WINDOWS[-1])
    options: dict[str, str | int | float | bool | None] = {
        "num_predict": request.max_tokens, "temperature": request.temperature, "num_ctx": window,
    }  # fmt: skip
    return options if request.seed is None else options | {"seed": request.seed}

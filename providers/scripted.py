"""``scripted:FILE``: a file speaks and judges in place of a model.  It drives the demonstrations, tests and bench.

Its tokens are words.  Its faults raise what a real provider would raise in the same trouble.
"""

import os
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import anyio
import anyio.lowlevel
import msgspec
from msgspec import Struct

from .base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from .errors import (
    BrokenOff,
    ContextExceeded,
    Empty,
    Malformed,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    Refused,
    TimedOut,
    UnknownModel,
    WrongType,
)
from .neutral import neutral
from .script import Fault, Given, Say, Script, load
from .streaming import Source, answered, speaking

T = TypeVar("T")

DRIP_LIMIT = 2
"""A drip gives a character every half idle timeout, too soon to be silence, until this many timeouts are over."""

_FAULTS: dict[str, tuple[type[ProviderError], str]] = {
    "refuse": (Refused, "the script declines to answer"),
    "timeout": (TimedOut, "the script keeps silent"),
    "drip": (TimedOut, "the script drips beyond its deadline"),
    "reset": (BrokenOff, "the script breaks off"),
    "empty": (Empty, "the script says nothing"),
    "bad_json": (Malformed, "the script answers broken JSON"),
    "wrong_type": (WrongType, "the script answers JSON of another shape"),
    "rate_limit": (RateLimited, "the script is asked too often"),
    "overloaded": (Overloaded, "the script is overloaded"),
    "auth": (NotAuthorised, "the script wants a key"),
    "context_length": (ContextExceeded, "the prompt is too long for the script"),
}
_FALSE_ANSWERS = {"bad_json": '{"points": 7, "quote": "and here it bre', "wrong_type": '"not what was asked for"'}


@cache
def shipped() -> dict[str, Path]:
    """The scripts that come with the product, by name: ``scripted:NAME``."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "scripts").glob("*.json"))}


class ScriptedProvider:
    """Plays a file.  Files are read when first used and again when they change."""

    name = "scripted"

    def __init__(self) -> None:
        self._scripts: dict[str, tuple[tuple[int, int], Script]] = {}

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """Say what the file gives the side named in ``request.key`` for its turn."""
        script = self._script(model)
        say = script.speech(request.key, request.turn, request.attempt)
        marks = {"neutral": True} if say is None else {}
        if say is None:
            say = Say(text=f"(The script gives {request.key} nothing to say in turn {request.turn}.)")
        return speaking(_speak(_Call(model, script, request, time.monotonic()), say, marks), request)

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer what the file says to ``request.key``; what it leaves out is answered neutrally and marked so."""
        script = self._script(model)
        given = script.answer(request.key, request.attempt)
        marks = {"neutral": True} if given is None else {}
        if given is None:
            given = Given(value=neutral(type_))
        return await answered(_reply(_Call(model, script, request, time.monotonic()), given, marks), request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """Whether a file can be played.  Without one there is nothing to list: any file is a model."""
        if model is None:
            hint = "name a file: scripted:debate.json"
            return (_status("FILE", ok=False, detail="plays a script in place of a model", hint=hint),)
        try:
            self._script(model)
        except UnknownModel as error:
            return (_status(model, ok=False, detail=error.message),)
        return (_status(model, ok=True, detail="a script, not a model", caveat=self.caveat(model)),)

    def label(self, model: str) -> str:
        """What the file calls itself; its name when it has no label.  Raises ``UnknownModel`` for a bad file."""
        return self._script(model).label or Path(model).name

    def caveat(self, model: str) -> str:
        """That a script plays, and which."""
        try:
            return f"Scripted: {self.label(model)}"
        except UnknownModel:
            return "Scripted"

    async def close(self) -> None:
        """Forget the files."""
        self._scripts.clear()

    def _script(self, model: str) -> Script:
        path = shipped().get(model) or Path(os.path.expanduser(model))  # noqa: PTH111 - leaves ~nobody as it is
        try:
            stat = path.stat()
            version = (stat.st_mtime_ns, stat.st_size)
        except (OSError, ValueError):
            version = (-1, -1)
        known = self._scripts.get(model)
        if known is None or known[0] != version:
            known = self._scripts[model] = (version, load(path))
        return known[1]


class _Call(Struct, frozen=True):
    """One call in flight."""

    model: str
    script: Script
    request: Request
    began_at: float


async def _speak(call: _Call, say: Say, marks: dict[str, Any]) -> Source:
    pace, text = call.script.pace, say.text
    if say.fault is not None:
        text = text[: _chars_before(say.fault, len(text))]
    for start in range(0, len(text), pace.chunk_chars):
        await anyio.sleep(pace.chunk_ms / 1000)
        yield text[start : start + pace.chunk_chars]
    if say.fault is not None:
        async for piece in _fail(say.fault, call.request, say.text[len(text) :]):
            yield piece
    await anyio.lowlevel.checkpoint()
    yield _outcome(call, text, marks, say.finish)


async def _reply(call: _Call, given: Given, marks: dict[str, Any]) -> Source:
    await anyio.sleep(call.script.pace.answer_ms / 1000)
    if given.fault is not None:
        async for piece in _fail(given.fault, call.request, ""):
            yield piece
    raw = msgspec.json.encode(given.value).decode()
    yield raw
    yield _outcome(call, raw, marks)


async def _fail(fault: Fault, request: Request, rest: str) -> AsyncIterator[str]:
    """Meet the trouble, and raise what it is called.  Never ends otherwise."""
    idle_s = request.idle_timeout_s
    lasts_s = None if fault.after_ms is None else fault.after_ms / 1000
    if fault.kind == "timeout":
        await anyio.sleep(idle_s if lasts_s is None else lasts_s)
    elif fault.kind == "drip":
        ends_at = anyio.current_time() + (idle_s * DRIP_LIMIT if lasts_s is None else lasts_s)
        drops = iter(rest)
        while (left_s := ends_at - anyio.current_time()) > 0:
            await anyio.sleep(min(idle_s / 2, left_s))
            yield next(drops, "")
    error, message = _FAULTS[fault.kind]
    raise error(message, retry_after_s=fault.retry_after_s, raw=_FALSE_ANSWERS.get(fault.kind, ""))


def _chars_before(fault: Fault, length: int) -> int:
    if fault.after_chars is not None:
        return fault.after_chars
    return length // 2 if fault.kind == "reset" else 0


def _outcome(call: _Call, said: str, marks: dict[str, Any], finish: Literal["stop", "length"] = "stop") -> Outcome:
    request = call.request
    asked = {"temperature": request.temperature, "seed": request.seed, "max_tokens": request.max_tokens}
    return Outcome(
        model=call.model,
        tokens=Tokens(input=sum(len(segment.text.split()) for segment in request.prompt), output=len(said.split())),
        latency_ms=round((time.monotonic() - call.began_at) * 1000),
        cost_usd=call.script.cost_usd,
        finish=finish,
        parameters=asked | marks,
    )


def _status(model: str, *, ok: bool, detail: str, hint: str = "", caveat: str = "") -> ModelStatus:
    name = f"{ScriptedProvider.name}:{model}"
    return ModelStatus(name=name, provider=ScriptedProvider.name, ok=ok, detail=detail, hint=hint, caveat=caveat)

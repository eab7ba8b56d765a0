"""``scripted:FILE``: a file gives the turns and the answers instead of a model, for demonstrations, tests and bench.

Its tokens are words.  Its faults raise the errors that a real provider would raise.
"""

import os
import time
from collections import ChainMap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

import anyio
import anyio.lowlevel
import msgspec
from anyio import to_thread
from msgspec import Struct

from providers.answers.neutral import neutral
from providers.answers.streaming import Source, open_stream, read_answer
from providers.base import Answer, ModelStatus, Outcome, Parameters, Request, TextStream, Tokens, purposes_of
from providers.errors import (
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

from .script import Fault, Pace, Script, ScriptedAnswer, ScriptedTurn, load

T = TypeVar("T")


class Program(Protocol):
    """A script that is computed: it gives the value of the answer to each question."""

    label: str

    def answer(self, request: Request) -> Any:
        """The value.  Raises ``ProviderError``."""
        ...


PROGRAMS: Final = {"study": EntryPoint("study", "judge.study.demo.skilled:SkilledScript", "moot.scripts")}
"""Scripts without a file, by the first word of the model's name; each is made with the words after a colon."""
UNPACED = Pace(chunk_ms=0, chunk_chars=400, answer_ms=0)
AGAIN: Final = "_again"
"""Ends the purpose in the key of a question that is asked once more because quotes did not hold."""
DRIP_LIMIT = 2
"""A drip sends a character every half idle timeout, and fails after this many timeouts."""

_FAULTS: dict[str, tuple[type[ProviderError], str]] = {
    "refuse": (Refused, "the script declines to answer"),
    "timeout": (TimedOut, "the script is silent"),
    "drip": (TimedOut, "the script is too slow"),
    "reset": (BrokenOff, "the script breaks off"),
    "empty": (Empty, "the script says nothing"),
    "bad_json": (Malformed, "as planned by the script, the answer is not JSON"),
    "wrong_type": (WrongType, "as planned by the script, the answer has another form than asked"),
    "rate_limit": (RateLimited, "the script has too many calls"),
    "overloaded": (Overloaded, "the script is overloaded"),
    "auth": (NotAuthorised, "the script wants a key"),
    "context_length": (ContextExceeded, "the prompt is too long for the script"),
}
_INVALID_ANSWERS = {"bad_json": '{"points": 7, "quote": "and here it bre', "wrong_type": '"not what was asked for"'}


@cache
def shipped() -> dict[str, Path]:
    """The scripts that come with Moot, by name: ``scripted:NAME``."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "exhibitions").glob("*.json"))}


def _neutral(script: Script, request: Request, type_: Any) -> Any:
    return _quoting(neutral(type_), script.first_words(request.turn))


AGAIN_READ: Final = {"rescore:": "score:", "assess:con": "assess"}
"""Questions whose answer, without one of their own, is that of another question: by how their keys begin."""


def _given(script: Script, request: Request) -> ScriptedAnswer | None:
    """The file's answer to a question; a second reading without an answer of its own repeats the first."""
    found = script.answer_of(request.key, request.attempt)
    if found is None:
        for begins, first in AGAIN_READ.items():
            if request.key.startswith(begins):
                return script.answer_of(f"{first}{request.key.removeprefix(begins)}", request.attempt)
    return found


def _by_parts(script: Script, request: Request, type_: Any) -> ScriptedAnswer | None:
    """The answer to two questions in one call, from the file's answers to each; None if it gives neither.

    A question that the file does not answer gets a neutral answer.  A fault of one is a fault of the call.
    """
    purpose, _, rest = request.key.partition(":")
    first = purpose.removesuffix(AGAIN)
    parts = purposes_of(first)
    if len(parts) == 1:
        return None
    keys = [(f"{each}{AGAIN}:{rest}", f"{each}:{rest}")[first == purpose :] for each in parts]
    tried = ([script.answer_of(key, request.attempt) for key in each] for each in keys)
    found = [answer for each in tried if (answer := next(filter(None, each), None)) is not None]
    if fault := next((each for each in found if each.fault is not None), None):
        return fault
    values = [each.value for each in found if isinstance(each.value, dict)]
    if not values:
        return None
    return ScriptedAnswer(value=dict(ChainMap(*values, _neutral(script, request, type_))))


def _quoting(value: Any, words: str) -> Any:
    """A neutral answer whose empty quotes are these words."""
    if not isinstance(value, dict):
        return value
    return {
        name: words if name == "quote" and member == "" else _quoting(member, words) for name, member in value.items()
    }


class ScriptedProvider:
    """Plays a file.  A file is read at its first use, and again when it has changed."""

    name = "scripted"

    def __init__(self) -> None:
        self._scripts: dict[str, tuple[tuple[int, int], Script]] = {}

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """Stream the turn that the file gives to the side in ``request.key``."""
        script = await self._read(model)
        turn = script.turn_of(request.key, request.turn, request.attempt)
        nothing = ScriptedTurn(text=f"(The script gives {request.key} nothing to say in turn {request.turn}.)")
        call = _Call(model, script, request, time.monotonic(), is_neutral=turn is None)
        async with open_stream(_stream_turn(call, turn or nothing), request) as stream:
            yield stream

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Give the file's answer to ``request.key``; if there is none, a neutral answer with a mark."""
        script = await self._read(model)
        program = _program(model)
        answer = ScriptedAnswer(value=program.answer(request)) if program is not None else None
        answer = answer or _given(script, request) or _by_parts(script, request, type_)
        call = _Call(model, script, request, time.monotonic(), is_neutral=answer is None)
        if answer is None:
            answer = ScriptedAnswer(value=_neutral(script, request, type_))
        return await read_answer(_stream_answer(call, answer), request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """Whether a file is valid.  There is no list of models: any file is one."""
        if model is None:
            hint = "name a file: scripted:debate.json"
            return (_status("FILE", ok=False, detail="plays a script in place of a model", hint=hint),)
        try:
            await self._read(model)
        except UnknownModel as error:
            return (_status(model, ok=False, detail=error.message),)
        return (_status(model, ok=True, detail="a script, not a model", caveat=self.caveat(model)),)

    def label(self, model: str) -> str:
        """The file's label, else its name.  Raises ``UnknownModel`` for an invalid file."""
        return self._script(model).label or Path(model).name

    def caveat(self, model: str) -> str:
        """That this is a script, with its label."""
        try:
            return f"Scripted: {self.label(model)}"
        except UnknownModel:
            return "Scripted"

    async def close(self) -> None:
        """Forget the files."""
        self._scripts.clear()

    async def _read(self, model: str) -> Script:
        """The script of a model; a thread reads a file that is new or has changed."""
        if not self._is_known(model):
            await to_thread.run_sync(self._script, model)
        return self._script(model)

    def _script(self, model: str) -> Script:
        if not self._is_known(model):
            version = _version(model)
            program = _program(model)
            script = load(_path(model)) if program is None else Script(label=program.label)
            self._scripts[model] = (version, script)
        return self._scripts[model][1]

    def _is_known(self, model: str) -> bool:
        known = self._scripts.get(model)
        return known is not None and known[0] == _version(model)


class UnpacedProvider(ScriptedProvider):
    """The same without pauses."""

    def _script(self, model: str) -> Script:
        return msgspec.structs.replace(super()._script(model), pace=UNPACED)


@cache
def _program(model: str) -> Program | None:
    """The program of a model; None if it is a file.  Raises ``UnknownModel`` for options that are not valid."""
    name, _, options = model.partition(":")
    if name not in PROGRAMS:
        return None
    program: Program = PROGRAMS[name].load()(options)
    return program


def _path(model: str) -> Path:
    return shipped().get(model) or Path(os.path.expanduser(model))  # noqa: PTH111 - keeps the ~ of an unknown user


def _version(model: str) -> tuple[int, int]:
    """Time and size of a model's file; equal for all files that cannot be read."""
    try:
        found = _path(model).stat()
    except (OSError, ValueError):
        return (-1, -1)
    return (found.st_mtime_ns, found.st_size)


class _Call(Struct, frozen=True):
    """One call in flight."""

    model: str
    script: Script
    request: Request
    began_at: float
    is_neutral: bool
    """Whether the file gives nothing: a mark in the outcome says so."""


async def _stream_turn(call: _Call, turn: ScriptedTurn) -> Source:
    pace, text = call.script.pace, turn.text
    if turn.fault is not None:
        text = text[: _chars_before(turn.fault, len(text))]
    for start in range(0, len(text), pace.chunk_chars):
        await anyio.sleep(pace.chunk_ms / 1000)
        yield text[start : start + pace.chunk_chars]
    if turn.fault is not None:
        async for piece in _fail(turn.fault, call.request, turn.text[len(text) :]):
            yield piece
    await anyio.lowlevel.checkpoint()
    yield _outcome(call, text, turn.finish)


async def _stream_answer(call: _Call, answer: ScriptedAnswer) -> Source:
    await anyio.sleep(call.script.pace.answer_ms / 1000)
    if answer.fault is not None:
        async for piece in _fail(answer.fault, call.request, ""):
            yield piece
    raw = msgspec.json.encode(answer.value).decode()
    yield raw
    yield _outcome(call, raw)


async def _fail(fault: Fault, request: Request, rest: str) -> AsyncIterator[str]:
    """Wait as the fault says, and raise its error."""
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
    raise error(message, retry_after_s=fault.retry_after_s, raw=_INVALID_ANSWERS.get(fault.kind, ""))


def _chars_before(fault: Fault, length: int) -> int:
    if fault.after_chars is not None:
        return fault.after_chars
    return length // 2 if fault.kind == "reset" else 0


def _outcome(call: _Call, text: str, finish: Literal["stop", "length"] = "stop") -> Outcome:
    request = call.request
    parameters: Parameters = {
        "temperature": request.temperature,
        "seed": request.seed,
        "max_tokens": request.max_tokens,
    }
    if call.is_neutral:
        parameters["neutral"] = True
    return Outcome(
        model=call.model,
        tokens=Tokens(input=sum(len(segment.text.split()) for segment in request.prompt), output=len(text.split())),
        latency_ms=round((time.monotonic() - call.began_at) * 1000),
        cost_usd=call.script.cost_usd,
        finish=finish,
        parameters=parameters,
    )


def _status(model: str, *, ok: bool, detail: str, hint: str = "", caveat: str = "") -> ModelStatus:
    name = f"{ScriptedProvider.name}:{model}"
    return ModelStatus(name=name, provider=ScriptedProvider.name, ok=ok, detail=detail, hint=hint, caveat=caveat)

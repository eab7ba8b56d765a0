"""The edge between a provider and Moot: whatever a vendor sends, a call ends with an answer or a ``ProviderError``."""

import asyncio
import copy
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final

import msgspec
import pytest
from structlog.testing import capture_logs

from providers import errors
from providers.base import Outcome, Tokens
from providers.limits.queue import Call
from providers.testing.contract import PointsAnswer, Stage
from providers.testing.wire import Scene
from tests.providers import test_contract as stages

pytestmark = pytest.mark.anyio

GOOD: Final = ('{"points":7,', '"quote":"x"}')
ODD: Final = (None, "x", 7, -1.5, True, [], [None], ["x"], {})
ODD_ERRORS: Final = (
    {"error": "overloaded"},
    {"error": None},
    {"error": ["x"]},
    {"error": {"message": None}},
    {"error": {"code": [7], "message": 7}},
    {"type": "error", "error": "overloaded"},
)
DONE: Final = Outcome(model="m", tokens=Tokens(input=3, output=1), latency_ms=1, cost_usd=0.25)


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield place
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(each, (*place, key))


def changed(value: Any, place: tuple[Any, ...], odd: Any) -> Any:
    """The value with another one at a place."""
    if not place:
        return odd
    value = within = copy.deepcopy(value)
    for key in place[:-1]:
        within = within[key]
    within[place[-1]] = odd
    return value


def odd_streams(stream: bytes, odd: tuple[Any, ...]) -> Iterator[tuple[str, bytes]]:
    """The stream with one place of one frame changed, and each frame replaced by an odd error."""
    lines = stream.decode().split("\n")
    for number, line in enumerate(lines):
        head = "data: " if line.startswith("data: ") else ""
        try:
            frame = json.loads(line.removeprefix(head))
        except ValueError:
            continue
        for place in places(frame):
            for each in odd:
                yield f"{number} {place} = {each!r}", _with(lines, number, head, changed(frame, place, each))
        for each in ODD_ERRORS:
            yield f"{number} = {each!r}", _with(lines, number, head, each)


def _with(lines: list[str], number: int, head: str, frame: Any) -> bytes:
    return "\n".join([*lines[:number], head + json.dumps(frame), *lines[number + 1 :]]).encode()


class OddParts:
    """For each SDK, with the server that speaks its protocol."""

    @pytest.mark.slow
    async def test_no_odd_part_of_a_speech_leaves_the_edge_as_anything_else(self, stage: Stage, ask: Any) -> None:
        seen = await self.ends(stage, ask, Scene(), (None, [None]), type_=None)

        assert {"ended", "BrokenOff"} <= seen

    @pytest.mark.thorough
    @pytest.mark.parametrize(("texts", "type_"), [(("Cars ", "are"), None), (GOOD, PointsAnswer)])
    async def test_nor_does_any_odd_value_at_any_place(
        self, stage: Stage, ask: Any, texts: tuple[str, ...], type_: Any
    ) -> None:
        assert {"ended", "BrokenOff"} <= await self.ends(stage, ask, Scene(texts=texts), ODD, type_)

    async def ends(self, stage: Stage, ask: Any, scene: Scene, odd: tuple[Any, ...], type_: Any) -> set[str]:
        """The ways in which calls ended."""
        assert stage.wire is not None
        frames, last = stage.wire.frames(scene)
        model, seen = stage.play(scene), set()
        with capture_logs():
            for where, stream in odd_streams(b"".join(frames) + last, odd):
                stage.wire.frames = lambda _, stream=stream: ([stream], b"\n")  # type: ignore[misc]
                try:
                    seen.add(await ended(Call(stage.provider, model), ask(idle_timeout_s=5.0), type_))
                except errors.ProviderError as error:
                    seen.add(type(error).__name__)
                except Exception as error:
                    raise AssertionError(f"{where}: {error!r}") from error
        return seen


async def ended(call: Call, request: Any, type_: Any) -> str:
    """Make the call; its outcome can be recorded."""
    if type_ is None:
        assert all([isinstance(piece, str) async for piece in call.stream(request)])
    else:
        await call.answer(request, type_)

    assert call.outcome == msgspec.convert(msgspec.to_builtins(call.outcome), Outcome)
    return "ended"


class TestAnthropicParts(OddParts):
    stage = stages.TestAnthropic.stage


class TestGeminiParts(OddParts):
    stage = stages.TestGemini.stage


class TestOpenAIParts(OddParts):
    stage = stages.TestOpenAI.stage


class TestOllamaParts(OddParts):
    stage = stages.TestOllama.stage


class TestEmbeddedParts(OddParts):
    stage = stages.TestEmbedded.stage


class Careless:
    """A provider with a bug: it raises the error after its first piece of text."""

    name = "careless"

    def __init__(self, error: BaseException | None = None) -> None:
        self._error, self.outcome, self.is_closed = error, DONE, False

    @asynccontextmanager
    async def stream(self, model: str, request: Any) -> AsyncIterator[Any]:
        try:
            yield self
        finally:
            self.is_closed = True

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        yield "Cars "
        if self._error is not None:
            raise self._error
        yield "are loud."

    async def answer(self, model: str, request: Any, type_: Any) -> Any:
        assert self._error is not None
        raise self._error


def call_of(provider: Any) -> Call:
    return Call(provider, "m")


@pytest.mark.parametrize("asks", [True, False])
async def test_a_bug_of_a_provider_breaks_the_call_off_and_the_log_has_its_traceback(ask: Any, *, asks: bool) -> None:
    bug = AttributeError("no attribute 'choices'")
    call = call_of(Careless(bug))
    with (
        capture_logs() as lines,
        pytest.raises(errors.BrokenOff, match=r"careless sent .* \(AttributeError\)") as broken,
    ):
        await ended(call, ask("score:1" if asks else "speak:pro", debate="d7"), PointsAnswer if asks else None)

    assert bug is broken.value.__cause__
    (line,) = lines
    assert line.pop("exc_info") in {True, bug}
    said = {"provider": "careless", "model": "m", "debate": "d7", "key": "score:1" if asks else "speak:pro"}
    assert {"event": "provider_failed", "log_level": "error"} | said == line


async def test_an_error_of_a_provider_stays_what_it_is(ask: Any) -> None:
    overloaded = errors.Overloaded("busy", retry_after_s=3)
    with capture_logs() as lines, pytest.raises(errors.Overloaded) as same:
        await call_of(Careless(overloaded)).answer(ask(), PointsAnswer)

    assert same.value is overloaded
    assert [] == lines


async def test_a_cancellation_passes_the_edge(ask: Any) -> None:
    with capture_logs() as lines, pytest.raises(asyncio.CancelledError):
        await call_of(Careless(asyncio.CancelledError())).answer(ask(), PointsAnswer)

    assert [] == lines


async def test_an_error_of_the_caller_is_the_callers(ask: Any) -> None:
    """What its loop over the pieces raises is no failure of the provider."""
    provider = Careless()

    async def fail() -> None:
        async with aclosing(call_of(provider).stream(ask())) as pieces:
            async for _ in pieces:
                raise ZeroDivisionError

    with capture_logs() as lines, pytest.raises(ZeroDivisionError):
        await fail()

    assert provider.is_closed
    assert [] == lines


async def test_a_call_that_ended_has_its_outcome(ask: Any) -> None:
    call = call_of(Careless())
    said = [piece async for piece in call.stream(ask())]

    assert ["Cars ", "are loud."] == said
    assert DONE == call.outcome

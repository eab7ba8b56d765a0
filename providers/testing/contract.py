"""The contract of every provider, as tests.

A test class inherits from ``ProviderContract`` and has a fixture ``stage``, which plays scenes to its provider:
docs/providers.md has an example.
"""

import asyncio
from typing import Annotated, Any, Protocol

import anyio
import pytest
from msgspec import Meta, Struct

from providers import errors
from providers.base import Outcome, Provider, Request, Segment
from providers.testing.wire import Scene, Wire

UNICODE = "Größe 🐑‍ — 羊が e\u0301 «oui» \u00a0end"


class PointsAnswer(Struct):
    """The answer to a typed question."""

    points: Annotated[int, Meta(ge=0, le=10)]
    quote: str


class Stage(Protocol):
    """A provider under test, with its server."""

    provider: Provider
    wire: Wire | None  # None for a provider without a connection

    def play(self, scene: Scene) -> str:
        """Prepare a scene; returns the model that plays it."""
        ...


class WireStage:
    """A provider with a loopback server, whose next response is the scene that was played last."""

    def __init__(self, provider: Provider, wire: Wire) -> None:
        self.provider: Provider = provider
        self.wire: Wire | None = wire

    def play(self, scene: Scene) -> str:
        """Set the scene; the server accepts any model."""
        assert self.wire is not None
        self.wire.scene = scene
        return "smollm2"


def make_request(key: str = "speak:pro", turn: int = 1, attempt: int = 1, **changes: Any) -> Request:
    """A short request; ``changes`` sets other fields."""
    given: dict[str, Any] = {
        "prompt": (Segment("system", "You debate."), Segment("user", "Speak.")),
        "max_tokens": 64,
        "temperature": 0.0,
        "seed": 7,
    }
    return Request(key=key, turn=turn, attempt=attempt, **(given | changes))


async def speak(stage: Stage, scene: Scene, request: Request) -> tuple[list[str], Any]:
    """The chunks of text that a provider gives for a scene, and the stream."""
    async with stage.provider.stream(stage.play(scene), request) as stream:
        return [chunk async for chunk in stream], stream


class ProviderContract:
    """Order, completeness, cancelling, silence, broken streams, refusals, typed answers, and the cost of failures."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        """The event loop of Moot."""
        return "asyncio"

    @pytest.fixture
    def ask(self) -> Any:
        """The function that makes requests."""
        return make_request

    async def test_text_comes_whole_and_in_order(self, stage: Stage, ask: Any) -> None:
        chunks, _ = await speak(stage, Scene(), ask())

        assert "Cars are loud." == "".join(chunks)
        assert all(chunks)

    async def test_the_outcome_is_known_at_the_end_and_not_before(self, stage: Stage, ask: Any) -> None:
        async with stage.provider.stream(stage.play(Scene()), ask()) as stream:
            await anext(aiter(stream))
            with pytest.raises(RuntimeError, match="has not ended"):
                _ = stream.outcome
            async for _ in stream:
                pass
        outcome = stream.outcome

        assert ("stop", 0.0, 3) == (outcome.finish, outcome.cost_usd, outcome.tokens.output)
        assert outcome.model
        assert 0 <= outcome.latency_ms < 5000
        assert (0.0, 7) == (outcome.parameters["temperature"], outcome.parameters["seed"])

    async def test_unicode_survives_being_cut_anywhere(self, stage: Stage, ask: Any) -> None:
        chunks, _ = await speak(stage, Scene(texts=(UNICODE, UNICODE), cut=True), ask())

        assert UNICODE * 2 == "".join(chunks)

    async def test_a_stop_at_the_limit_is_told(self, stage: Stage, ask: Any) -> None:
        _, stream = await speak(stage, Scene(end="length"), ask())

        assert "length" == stream.outcome.finish

    @pytest.mark.parametrize("texts", [(), ("", ""), (" ", "\n")])
    async def test_nothing_said_is_empty(self, stage: Stage, ask: Any, texts: tuple[str, ...]) -> None:
        with pytest.raises(errors.Empty):
            await speak(stage, Scene(texts=texts), ask())

    async def test_a_limit_that_is_reached_without_text_was_used_up_by_thinking(self, stage: Stage, ask: Any) -> None:
        with pytest.raises(errors.Starved) as starved:
            await speak(stage, Scene(texts=(), end="length"), ask())

        assert "length" == used(starved.value).finish

    async def test_what_cannot_be_used_is_paid_for_all_the_same(self, stage: Stage, ask: Any) -> None:
        with pytest.raises(errors.Empty) as empty:
            await speak(stage, Scene(texts=()), ask())
        with pytest.raises(errors.Malformed) as malformed:
            await stage.provider.answer(stage.play(Scene(texts=('{"points": 7}',))), ask("score:1"), PointsAnswer)

        assert used(empty.value).tokens.input > 0
        assert used(malformed.value).tokens.input > 0

    @pytest.mark.parametrize("texts", [(), ("Cars ",)])
    async def test_silence_is_a_timeout(self, stage: Stage, ask: Any, texts: tuple[str, ...]) -> None:
        with anyio.fail_after(5), pytest.raises(errors.TimedOut):
            await speak(stage, Scene(texts=texts, end="silence"), ask(idle_timeout_s=0.2))

        await hung_up(stage)

    @pytest.mark.parametrize("end", ["reset", "quit"])
    async def test_a_stream_that_ends_too_early_is_broken_off(self, stage: Stage, ask: Any, end: str) -> None:
        with pytest.raises(errors.BrokenOff) as broken:
            await speak(stage, Scene(texts=("Cars ", "are"), end=end), ask())

        assert "Cars are" == broken.value.raw

    @pytest.mark.parametrize(
        ("status", "error"),
        [
            (401, errors.NotAuthorised), (403, errors.NotAuthorised), (429, errors.RateLimited),
            (500, errors.Overloaded), (503, errors.Overloaded),
        ],
    )  # fmt: skip
    async def test_a_refused_call_is_classified(self, stage: Stage, ask: Any, status: int, error: Any) -> None:
        with pytest.raises(errors.ProviderError) as refused:
            await speak(stage, Scene(status=status, headers={"retry-after": "3"}), ask())

        assert error is type(refused.value)
        if status == 429:
            assert 3 == refused.value.retry_after_s

    async def test_an_answer_is_a_value_of_its_type(self, stage: Stage, ask: Any) -> None:
        texts = ('{"points":7,', '"quote":"größer"}')
        answer = await stage.provider.answer(stage.play(Scene(texts=texts)), ask("score:1"), PointsAnswer)

        assert PointsAnswer(7, "größer") == answer.value
        assert "".join(texts) == answer.raw
        assert "stop" == answer.outcome.finish

    @pytest.mark.parametrize(
        ("texts", "error"),
        [
            (('{"points": 7, "quo',), errors.Malformed), (("I give it seven.",), errors.Malformed),
            (('{"points":11,"quote":""}',), errors.WrongType), (('{"points":"7","quote":""}',), errors.WrongType),
            (('{"points":7}',), errors.WrongType),
        ],
    )  # fmt: skip
    async def test_another_answer_is_an_error_that_holds_it(
        self, stage: Stage, ask: Any, texts: tuple[str, ...], error: Any
    ) -> None:
        with pytest.raises(errors.Malformed) as wrong:
            await stage.provider.answer(stage.play(Scene(texts=texts)), ask("score:1"), PointsAnswer)

        assert error is type(wrong.value)
        assert wrong.value.raw

    async def test_cancelling_closes_the_connection(self, stage: Stage, ask: Any) -> None:
        model = stage.play(Scene(texts=("Cars ",), end="silence"))
        received = asyncio.Event()

        async def listen() -> None:
            async with stage.provider.stream(model, ask()) as stream:
                async for _ in stream:
                    received.set()

        task = asyncio.create_task(listen())
        await received.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await hung_up(stage)

        assert task.cancelled()

    async def test_cancelling_a_question_closes_the_connection(self, stage: Stage, ask: Any) -> None:
        model = stage.play(Scene(texts=("{",), end="silence"))

        with anyio.move_on_after(0.2) as scope:
            await stage.provider.answer(model, ask("score:1"), PointsAnswer)
        await hung_up(stage)

        assert scope.cancelled_caught

    async def test_walking_away_closes_the_connection(self, stage: Stage, ask: Any) -> None:
        async with stage.provider.stream(stage.play(Scene(end="silence")), ask()) as stream:
            first = await anext(aiter(stream))
        await hung_up(stage)

        assert first

    async def test_check_tells_and_does_not_raise(self, stage: Stage) -> None:
        with anyio.fail_after(5):
            statuses = [*await stage.provider.check(), *await stage.provider.check(stage.play(Scene()))]

        assert {stage.provider.name} == {status.provider for status in statuses}
        assert all(status.name.startswith(f"{status.provider}:") and status.detail for status in statuses)

    async def test_closing_twice_is_closing(self, stage: Stage) -> None:
        await stage.provider.close()
        await stage.provider.close()


def used(error: errors.ProviderError) -> Outcome:
    """The outcome of a failed call."""
    assert error.outcome is not None, f"{error!r} has no outcome"
    return error.outcome


async def hung_up(stage: Stage) -> None:
    """Wait until the provider has closed its connection."""
    if stage.wire is not None:
        with anyio.fail_after(2):
            await stage.wire.hung_up.wait()

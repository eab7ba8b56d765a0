"""What every provider keeps.  A test class inherits it and gives a ``stage`` that plays scenes to the provider."""

import asyncio
from typing import Annotated, Any, Protocol

import anyio
import pytest
from msgspec import Meta, Struct

from providers import errors
from providers.base import Provider, Request
from tests.providing.wire import Scene, Wire

UNICODE = "Größe 🐑‍ — 羊が e\u0301 «oui» \u00a0end"


class Score(Struct):
    points: Annotated[int, Meta(ge=0, le=10)]
    quote: str


class Stage(Protocol):
    provider: Provider
    wire: Wire | None   # None where no connection is

    def play(self, scene: Scene) -> str:
        """The model that plays this scene."""
        ...


async def speak(stage: Stage, scene: Scene, request: Request) -> tuple[list[str], Any]:
    async with stage.provider.stream(stage.play(scene), request) as stream:
        return [chunk async for chunk in stream], stream


class ProviderContract:
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
        answer = await stage.provider.answer(stage.play(Scene(texts=texts)), ask("score:1"), Score)

        assert Score(7, "größer") == answer.value
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
            await stage.provider.answer(stage.play(Scene(texts=texts)), ask("score:1"), Score)

        assert error is type(wrong.value)
        assert wrong.value.raw

    async def test_cancelling_closes_the_connection(self, stage: Stage, ask: Any) -> None:
        model = stage.play(Scene(texts=("Cars ",), end="silence"))
        heard = asyncio.Event()

        async def listen() -> None:
            async with stage.provider.stream(model, ask()) as stream:
                async for _ in stream:
                    heard.set()

        task = asyncio.create_task(listen())
        await heard.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await hung_up(stage)

        assert task.cancelled()

    async def test_cancelling_a_question_closes_the_connection(self, stage: Stage, ask: Any) -> None:
        model = stage.play(Scene(texts=("{",), end="silence"))

        with anyio.move_on_after(0.2) as scope:
            await stage.provider.answer(model, ask("score:1"), Score)
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


async def hung_up(stage: Stage) -> None:
    if stage.wire is not None:
        with anyio.fail_after(2):
            await stage.wire.hung_up.wait()

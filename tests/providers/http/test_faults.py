"""Faults of a connection that the contract does not cover: every status, no server, other content, no end."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import anyio
import pytest

from providers import errors
from providers.answers import streaming
from providers.http.status import by_status
from providers.testing.contract import PointsAnswer, Stage, hung_up, speak
from providers.testing.wire import Scene
from tests.providers import test_contract as stages

pytestmark = pytest.mark.anyio

STATUSES = [
    (400, errors.BadRequest),
    (401, errors.NotAuthorised),
    (403, errors.NotAuthorised),
    (404, errors.UnknownModel),
    (429, errors.RateLimited),
    (500, errors.Overloaded),
    (502, errors.Overloaded),
    (503, errors.Overloaded),
    (529, errors.Overloaded),
]


@pytest.mark.parametrize(("header", "seconds"), [("7", 7), ("0", 0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)])
def test_retry_after_is_a_number_or_a_date(header: str, seconds: float) -> None:
    assert seconds == by_status(429, "busy", header).retry_after_s


def test_a_date_to_come_is_that_many_seconds_away() -> None:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    seconds = by_status(429, "busy", in_an_hour).retry_after_s

    assert seconds is not None
    assert 3500 < seconds <= 3600


@pytest.mark.parametrize("header", ["", "soon", "-3", "1e3", "Wed, 99 Foo"])
def test_a_retry_after_that_is_neither_is_ignored(header: str) -> None:
    assert by_status(429, "busy", header).retry_after_s is None


async def read_all(stage: Stage, model: str, request: Any) -> None:
    async with stage.provider.stream(model, request) as stream:
        async for _ in stream:
            pass


class Faults:
    @pytest.mark.slow
    @pytest.mark.parametrize(("status", "error"), STATUSES)
    async def test_every_status_has_its_error_and_is_asked_once(
        self, stage: Stage, ask: Any, status: int, error: type[errors.ProviderError]
    ) -> None:
        assert stage.wire is not None
        model = stage.play(Scene(status=status))
        with pytest.raises(errors.ProviderError) as refused:
            await read_all(stage, model, ask())

        assert error is type(refused.value)
        assert status == refused.value.http_status
        assert refused.value.retry_after_s is None
        is_sought = stage.provider.name == "gemini" and status == 404  # under the API's other version
        assert 1 + is_sought == len(stage.wire.headers)  # the SDK's own retries are off

    @pytest.mark.slow
    async def test_an_answer_meets_the_same_errors(self, stage: Stage, ask: Any) -> None:
        for status, error in STATUSES:
            with pytest.raises(errors.ProviderError) as refused:
                await stage.provider.answer(stage.play(Scene(status=status)), ask("score:1"), PointsAnswer)

            assert error is type(refused.value)

    async def test_an_address_without_a_server_is_unreachable(self, stage: Stage, ask: Any) -> None:
        assert stage.wire is not None
        stage.wire.vanish()

        with anyio.fail_after(5), pytest.raises(errors.Unreachable):
            await speak(stage, Scene(), ask())

    async def test_a_page_in_place_of_a_stream_is_no_answer(self, stage: Stage, ask: Any) -> None:
        assert stage.wire is not None
        stage.wire.frames = lambda _: ([b"<!doctype html><title>Sign in</title>\n\n"], b"<p>Sign in</p>\n")

        with anyio.fail_after(5), pytest.raises((errors.BrokenOff, errors.Empty)):
            await speak(stage, Scene(), ask(idle_timeout_s=2))

    async def test_an_extra_field_is_ignored(self, stage: Stage, ask: Any) -> None:
        texts = ('{"points":7,"quote":"q","mood":"good"}',)

        answer = await stage.provider.answer(stage.play(Scene(texts=texts)), ask("score:1"), PointsAnswer)

        assert PointsAnswer(7, "q") == answer.value

    @pytest.mark.slow
    async def test_a_stream_without_end_is_ended(self, stage: Stage, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is never silent, so the idle timeout does not end it; the limit of the whole call does."""
        monkeypatch.setattr(streaming, "LONGEST_CALL", 2)
        model = stage.play(Scene(texts=("and so on ",), end="endless"))

        with anyio.fail_after(10), pytest.raises(errors.TimedOut):
            await read_all(stage, model, ask(idle_timeout_s=0.3))
        await hung_up(stage)


class TestAnthropicFaults(Faults):
    stage = stages.TestAnthropic.stage


class TestGeminiFaults(Faults):
    stage = stages.TestGemini.stage


class TestOpenAIFaults(Faults):
    stage = stages.TestOpenAI.stage


class TestOllamaFaults(Faults):
    stage = stages.TestOllama.stage


class TestEmbeddedFaults(Faults):
    stage = stages.TestEmbedded.stage

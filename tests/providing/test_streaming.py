"""Patience and completeness, apart from any provider; and events cut out of bytes."""

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from providers import errors, sse
from providers.base import Outcome, Tokens
from providers.streaming import Source, answered, speaking

pytestmark = pytest.mark.anyio
DONE = Outcome(model="m", tokens=Tokens(), latency_ms=1, cost_usd=None)


async def source(*pieces: Any) -> Source:
    """Numbers are pauses in seconds."""
    for piece in pieces:
        if isinstance(piece, float):
            await anyio.sleep(piece)
        else:
            yield piece


async def hear(ask: Any, *pieces: Any, idle_s: float = 0.5, limit_s: float | None = None) -> list[str]:
    async with speaking(source(*pieces), ask(idle_timeout_s=idle_s), limit_s=limit_s) as speech:
        return [chunk async for chunk in speech]


async def test_signs_of_life_are_not_text(ask: Any) -> None:
    assert ["a", "b"] == await hear(ask, "", "a", "", "b", "", DONE)


async def test_a_sign_of_life_keeps_the_patience_awake(ask: Any) -> None:
    assert ["a"] == await hear(ask, 0.15, "", 0.15, "", 0.15, "a", DONE, idle_s=0.25)


async def test_a_drip_ends_at_the_deadline(ask: Any) -> None:
    with pytest.raises(errors.TimedOut, match=r"not finished after 0\.3 s"):
        await hear(ask, *[0.04, "x"] * 50, limit_s=0.3)


async def test_a_slow_reader_is_not_a_silent_model(ask: Any) -> None:
    heard = []
    async with speaking(source("a", "b", DONE), ask(idle_timeout_s=0.1), limit_s=5) as speech:
        async for chunk in speech:
            heard.append(chunk)
            await anyio.sleep(0.15)

    assert ["a", "b"] == heard


async def test_an_end_without_an_outcome_is_no_end(ask: Any) -> None:
    with pytest.raises(errors.BrokenOff) as broken:
        await hear(ask, "a")

    assert "a" == broken.value.raw


async def test_an_ended_stream_stays_ended(ask: Any) -> None:
    async with speaking(source("a", DONE), ask()) as speech:
        first = [chunk async for chunk in speech]
        again = [chunk async for chunk in speech]

    assert (["a"], []) == (first, again)
    assert DONE == speech.outcome


async def test_an_answer_that_ran_into_its_limit_says_so(ask: Any) -> None:
    cut = Outcome(model="m", tokens=Tokens(), latency_ms=1, cost_usd=None, finish="length")

    with pytest.raises(errors.Malformed, match=r"limit of 64 tokens") as wrong:
        await answered(source('{"a', cut), ask(), dict[str, int])

    assert '{"a' == wrong.value.raw


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
async def test_events_are_the_same_however_the_bytes_are_cut(size: int) -> None:
    content = 'data: {"a":"é\u2028"}\r\n\r\n: ping\n\nevent: x\ndata:one\ndata: two\n\nid: 3\n\ndata: cut off'.encode()

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), size):
            yield content[start : start + size]

    assert ['{"a":"é\u2028"}', "one\ntwo"] == [event.decode() async for event in sse.data(chunks())]

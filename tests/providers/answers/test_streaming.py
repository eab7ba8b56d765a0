"""Timeouts and completeness without a provider; and server-sent events from bytes."""

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers import errors
from providers.answers import streaming
from providers.answers.streaming import CharacterJoiner, Source, open_stream, read_answer
from providers.base import Outcome, Tokens
from providers.embedded.provider import event_data

pytestmark = pytest.mark.anyio
DONE = Outcome(model="m", tokens=Tokens(), latency_ms=1, cost_usd=None)


async def source(*pieces: Any) -> Source:
    """Numbers among the pieces are pauses in seconds."""
    for piece in pieces:
        if isinstance(piece, float):
            await anyio.sleep(piece)
        else:
            yield piece


async def read_text(ask: Any, *pieces: Any, idle_s: float = 0.5, limit_s: float | None = None) -> list[str]:
    async with open_stream(source(*pieces), ask(idle_timeout_s=idle_s), limit_s=limit_s) as speech:
        return [chunk async for chunk in speech]


async def test_signs_of_life_are_not_text(ask: Any) -> None:
    assert ["a", "b"] == await read_text(ask, "", "a", "", "b", "", DONE)


@pytest.mark.slow
async def test_a_sign_of_life_restarts_the_idle_timeout(ask: Any) -> None:
    assert ["a"] == await read_text(ask, 0.15, "", 0.15, "", 0.15, "a", DONE, idle_s=0.25)


@pytest.mark.slow
async def test_a_drip_ends_at_the_deadline(ask: Any) -> None:
    with pytest.raises(errors.TimedOut, match=r"not finished after 0\.3 s"):
        await read_text(ask, *[0.04, "x"] * 50, limit_s=0.3)


async def test_an_answer_without_end_ends_at_its_limit(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MAX_CHARACTERS", 10)

    assert ["12345", "67890"] == await read_text(ask, "12345", "67890", DONE)
    with pytest.raises(errors.Malformed, match="the answer has more than 10 characters") as refusal:
        await read_text(ask, "12345", "67890", "1", "never read", DONE)
    assert "1234567890" == refusal.value.raw


@pytest.mark.slow
async def test_a_slow_reader_is_not_a_silent_model(ask: Any) -> None:
    chunks = []
    async with open_stream(source("a", "b", DONE), ask(idle_timeout_s=0.1), limit_s=5) as speech:
        async for chunk in speech:
            chunks.append(chunk)
            await anyio.sleep(0.15)

    assert ["a", "b"] == chunks


async def test_an_end_without_an_outcome_is_no_end(ask: Any) -> None:
    with pytest.raises(errors.BrokenOff) as broken:
        await read_text(ask, "a")

    assert "a" == broken.value.raw


async def test_an_ended_stream_stays_ended(ask: Any) -> None:
    async with open_stream(source("a", DONE), ask()) as speech:
        first = [chunk async for chunk in speech]
        again = [chunk async for chunk in speech]

    assert (["a"], []) == (first, again)
    assert DONE == speech.outcome


async def test_an_answer_that_ran_into_its_limit_says_so(ask: Any) -> None:
    cut = Outcome(model="m", tokens=Tokens(), latency_ms=1, cost_usd=None, finish="length")

    with pytest.raises(errors.Malformed, match=r"limit of 64 tokens") as wrong:
        await read_answer(source('{"a', cut), ask(), dict[str, int])

    assert '{"a' == wrong.value.raw


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
async def test_events_are_the_same_however_the_bytes_are_cut(size: int) -> None:
    content = 'data: {"a":"é\u2028"}\r\n\r\n: ping\n\nevent: x\ndata:one\ndata: two\n\nid: 3\n\ndata: cut off'.encode()

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), size):
            yield content[start : start + size]

    assert ['{"a":"é\u2028"}', "one\ntwo"] == [event.decode() async for event in event_data(chunks())]


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (["a\ud83d", "\udc11b"], "a🐑b"), (["\ud83d\udc90", "!"], "💐!"), (["x\ud83d", "y"], "x\ufffdy"),
        (["\udcf0\udc9f", "\udc90\udc91 ok"], "🐑 ok"), (["\udce7", "\udcbe", "\udc8a"], "羊"),
        (["end\ud83d"], "end\ufffd"), (["\udce7\udcbe"], "\ufffd"), (["é", "ü"], "éü"), (["\udc11"], "\ufffd"),
    ],
)  # fmt: skip
def test_a_character_that_was_cut_in_two_is_whole(pieces: list[str], whole: str) -> None:
    joined = CharacterJoiner()

    assert whole == "".join(map(joined.feed, pieces)) + joined.end()


@pytest.mark.slow
@given(text=st.text(), cuts=st.lists(st.integers(0, 40)))
def test_a_text_cut_anywhere_even_within_characters_comes_out_as_it_was(text: str, cuts: list[int]) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    ends = [0, *sorted(min(2 * cut, len(units)) for cut in cuts), len(units)]
    pieces = [units[start:end].decode("utf-16-le", "surrogatepass") for start, end in pairwise(ends)]
    joined = CharacterJoiner()

    assert text == "".join(map(joined.feed, pieces)) + joined.end()


@pytest.mark.slow
async def test_the_first_text_may_be_waited_for_longer(ask: Any) -> None:
    async def first(*pieces: Any) -> list[str]:
        async with open_stream(source(*pieces), ask(idle_timeout_s=0.1), first_s=0.6) as speech:
            return [chunk async for chunk in speech]

    assert ["a"] == await first(0.25, "a", DONE)
    with pytest.raises(errors.TimedOut, match=r"no text for 0\.1 s"):
        await first("a", 0.25, "b", DONE)


async def test_a_limit_that_thinking_used_up_is_no_empty_answer(ask: Any) -> None:
    cut = msgspec.structs.replace(DONE, finish="length")

    with pytest.raises(errors.Starved) as starved:
        await read_text(ask, "", " ", cut)
    with pytest.raises(errors.Empty) as empty:
        await read_text(ask, "", " ", DONE)

    assert (cut, DONE) == (starved.value.outcome, empty.value.outcome)


async def test_the_error_of_an_unreadable_answer_has_its_outcome(ask: Any) -> None:
    with pytest.raises(errors.Malformed) as wrong:
        await read_answer(source('{"points": ', DONE), ask(), dict)

    assert DONE == wrong.value.outcome

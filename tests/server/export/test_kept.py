"""Answers that are made once, kept compressed, and sent in pieces."""

import gzip
from collections.abc import AsyncIterator

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import TooMany
from server.export.kept import PIECE, GzipText, KeptAnswers, pack

pytestmark = pytest.mark.anyio


class Maker:
    """Makes texts, and notes which and how many at once."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.at_once = self.most_at_once = 0
        self.may_end = anyio.Event()

    async def __call__(self, text: str, size: int = 1) -> AsyncIterator[bytes]:
        self.made.append(text)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self.may_end.wait()
        self.at_once -= 1
        for _ in range(size):
            yield text.encode()


async def packed(*parts: bytes) -> GzipText:
    async def given_parts() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    return await pack(given_parts())


@pytest.mark.slow
@given(st.lists(st.one_of(st.binary(max_size=400), st.just(b"x" * 300_000)), max_size=5))
def test_the_pieces_are_the_text_and_none_is_long(parts: list[bytes]) -> None:
    found = anyio.run(packed, *parts)
    plain, zipped = list(found.pieces(is_gzip=False)), list(found.pieces(is_gzip=True))

    assert b"".join(parts) == b"".join(plain) == gzip.decompress(b"".join(zipped))
    assert (found.length, len(found.body)) == (len(b"".join(plain)), len(b"".join(zipped)))
    assert max(map(len, plain + zipped), default=0) <= PIECE


async def test_many_who_ask_at_once_share_one_and_one_is_made_at_a_time() -> None:
    answers, make, found = KeptAnswers(), Maker(), list[GzipText]()

    async def ask(key: str) -> None:
        found.append(await answers.answer((key,), lambda: make(key)))

    async with anyio.create_task_group() as tasks:
        for number in range(60):
            tasks.start_soon(ask, "ab"[number % 2])
        await anyio.wait_all_tasks_blocked()
        make.may_end.set()

    assert (["a", "b"], 1) == (make.made, make.most_at_once)
    assert (60, 2) == (len(found), len(set(map(id, found))))


async def test_a_failure_is_not_kept() -> None:
    answers = KeptAnswers()

    async def fail() -> AsyncIterator[bytes]:
        yield b"half"
        raise OSError("the store is away")

    with pytest.raises(OSError, match="away"):
        await answers.answer(("a",), fail)
    make = Maker()
    make.may_end.set()

    assert b"whole" == b"".join((await answers.answer(("a",), lambda: make("whole"))).pieces(is_gzip=False))


async def test_what_was_asked_for_least_recently_is_forgotten_and_what_is_being_sent_takes_room() -> None:
    make = Maker()
    make.may_end.set()
    one = await KeptAnswers().answer(("a",), lambda: make("a"))
    answers = KeptAnswers(most_bytes=2 * len(one.body))
    sent = [await answers.answer((name,), lambda name=name: make(name)) for name in "abc"]  # type: ignore[misc]
    make.made.clear()

    with pytest.raises(TooMany, match="as many long answers as it can"):
        await answers.answer(("d",), lambda: make("d"))
    assert sent[0] is await answers.answer(("a",), lambda: make("a"))
    sent.clear()
    await answers.answer(("d",), lambda: make("d"))
    await answers.answer(("b",), lambda: make("b"))

    assert ["d", "b"] == make.made
    assert answers.size <= 2 * len(one.body)

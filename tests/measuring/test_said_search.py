"""The driver that searches in a large store."""

import pytest

from events.text.said import excerpt_of, terms_of, text_of
from tests.measuring.said_search import QUERIES, debate_of, measure

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_it_says_how_long_searches_take_and_block_the_loop(anyio_backend: str) -> None:
    told = await measure("memory", 3, 2, 1)

    assert told.startswith("memory, 3 debates of 2 speeches: first search ")
    assert 2 == told.count("loop blocked")
    assert "p95" in told


def test_its_queries_find_all_debates_one_or_none() -> None:
    texts = [[text_of(event) for event in debate_of(number, 12)] for number in (1, 2)]
    found = [
        sum(any(excerpt_of(text, terms_of(query.format(2))) for text in said) for said in texts) for query in QUERIES
    ]

    assert [2, 2, 2, 2, 0, 0, 1, 1] == found

"""The index of a PostgreSQL store: it is built in bounded steps, and each step is kept."""

from collections.abc import AsyncIterator

import pytest

from events.store.postgres import search
from events.store.postgres.log import PostgresLog
from tests.events.samples import opened, spoken, started

pytestmark = pytest.mark.anyio


@pytest.fixture
async def log(database: str, anyio_backend: str) -> AsyncIterator[PostgresLog]:
    async with await PostgresLog.open(database) as opened_log:
        yield opened_log


async def indexed(log: PostgresLog) -> list[tuple[int, int]]:
    """Each debate by age, with the last position that the index has."""
    return [(stream, reached) for stream, reached in await log.pool.rows("TABLE moot.said_reached ORDER BY stream")]


async def steps(log: PostgresLog) -> list[list[int]]:
    """What the index has reached after each step, until nothing is missing."""
    seen = []
    more = True
    while more:
        more = await log.pool.run(search.catch_up)
        seen.append([reached for _, reached in await indexed(log)])
    return seen


async def test_a_step_ends_within_a_long_debate(log: PostgresLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "STEP", 4)
    await log.append("long", 0, [opened(), *[started(), spoken(1, "One tram.")] * 4])
    await log.append("short", 0, [opened(), spoken(1, "Two trams.")])

    assert [[4], [8], [9, 2]] == await steps(log)
    assert [("short", 2), *[("long", position) for position in (9, 7, 5, 3)]] == [
        (hit.row.id, hit.record.position) for hit in (await log.search("tram")).hits
    ]


async def test_a_step_ends_after_so_many_bytes_of_speeches(log: PostgresLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "STEP_BYTES", 1000)
    await log.append("d1", 0, [opened(), *[spoken(1, "One tram. " * 50)] * 3, *[started()] * 20])
    await log.append("d2", 0, [opened(), spoken(1, "Two trams. " * 500), started()])

    reached = await steps(log)

    assert [[3], [24, 2], [24, 3]] == reached
    assert 4 == len((await log.search("tram")).hits)


async def test_what_an_interrupted_search_has_read_is_kept(log: PostgresLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "STEP", 4)
    await log.append("long", 0, [opened(), *[spoken(1, "One tram.")] * 9])
    await log.pool.run(search.catch_up)
    texts: list[bytes] = []
    monkeypatch.setattr(search, "words_in", lambda _schema, payload: texts.append(payload) or ["tram"])

    assert 9 == len((await log.search("tram")).hits)
    assert 6 == len(texts)

"""What the two stores do alike beyond the contract of all logs: they are opened again, and they write in batches."""

import anyio
import pytest

from events.errors import StoreUnavailable, WrongExpectedPosition
from events.record import first_break
from events.store.log import EventLog
from events.store.open import open_log, opened_log
from events.store.sqlite.log import SqliteLog
from events.verify import verify_log
from tests.events.samples import debate, opened, spoken, started

pytestmark = pytest.mark.anyio


def kept_heads(log: EventLog) -> int:
    """How many heads the writer of a log keeps in memory."""
    writer = log._writer  # type: ignore[attr-defined]
    return len((writer._committer if isinstance(log, SqliteLog) else writer)._heads)


async def test_a_store_that_is_opened_again_has_all_events(store: str) -> None:
    async with opened_log(store) as log:
        records = await log.append("d1", 0, debate())
        summaries = await log.summaries()

    async with opened_log(store) as log:
        assert records == await log.read("d1")
        assert summaries == await log.summaries()
        with pytest.raises(WrongExpectedPosition, match=f"expected 3, found {len(records)}"):
            await log.append("d1", 3, [started()])
        more = await log.append("d1", len(records), [started()])
        assert first_break(records + more, "d1") is None


async def test_heads_that_are_no_longer_kept_are_read_again(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sqlite.commit", "postgres.writer"):
        monkeypatch.setattr(f"events.store.{module}.KEPT_HEADS", 2)
    async with opened_log(store) as log:
        for position in range(3):
            for number in range(6):
                await log.append(f"d{number}", position, [(opened(), spoken(1), spoken(2))[position]])

        assert kept_heads(log) <= 2
        for number in range(6):
            assert (await verify_log(log, f"d{number}")).ok
        assert {2} == {row.turns_spoken for row in (await log.summaries()).debates}


async def test_requests_beyond_one_batch_go_into_several(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sqlite.writer", "postgres.batch"):
        monkeypatch.setattr(f"events.store.{module}.MAX_TOGETHER", 3)
    async with opened_log(store) as log:
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(log.append, f"d{number}", 0, [opened()])

        assert len((await log.summaries(limit=100)).debates) == 50


async def test_appends_without_an_answer_are_queued(store: str) -> None:
    async with opened_log(store) as log, anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(log.append, f"d{number}", 0, [opened()])
        await anyio.lowlevel.checkpoint()

        assert log.queued[0] == 20
        assert log.queued[1] > 20 * 100


async def test_accepted_requests_are_written_before_closing(store: str) -> None:
    log = await open_log(store)
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(log.append, f"d{number}", 0, [opened()])
        await anyio.wait_all_tasks_blocked()
        group.start_soon(log.close)

    async with opened_log(store, read_only=True) as reader:
        assert len((await reader.summaries(limit=100)).debates) == 20
        with pytest.raises(StoreUnavailable, match="reading only"):
            await reader.append("d1", 3, [started()])

"""Readers that follow a debate get new records from memory, the same that the file holds."""

import random
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from events.errors import StoreUnavailable
from events.record import Recorded
from events.store import wakeups
from events.store.log import follow
from events.store.sqlite import rows as sqlite_rows
from events.store.sqlite.log import SqliteLog
from tests.events.samples import opened, spoken

pytestmark = pytest.mark.anyio


@pytest.fixture
async def log(tmp_path: Path, anyio_backend: str) -> AsyncIterator[SqliteLog]:
    async with await SqliteLog.open(tmp_path / "moot.db") as opened_log:
        yield opened_log


async def from_file(log: SqliteLog, debate: str, after: int) -> tuple[Recorded, ...]:
    return await log._reading(sqlite_rows.read_records, debate, after, None)


async def waited_for(log: SqliteLog, debate: str) -> None:
    with anyio.fail_after(10):
        while debate not in log._wakeups.waited_for():  # noqa: ASYNC110 - a reader that begins to wait sets no event
            await anyio.sleep(0.001)


async def test_a_follower_gets_new_commits_without_reading_the_file(
    log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    await log.append("d", 0, [opened()])
    received: list[Recorded] = []

    async def reader() -> None:
        async for record in follow(log, "d", 1):
            received.append(record)  # noqa: PERF401 - it never ends: the records so far are compared

    async def no_file(*_: object) -> None:
        raise AssertionError

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reader)
        await waited_for(log, "d")
        monkeypatch.setattr(log, "_reading", no_file)
        records = await log.append("d", 1, [spoken(1), spoken(2)])
        await waited_for(log, "d")
        tasks.cancel_scope.cancel()

    assert list(records) == received


@pytest.mark.slow
async def test_memory_and_file_return_the_same_records_from_every_position(
    log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches smaller and larger than the kept records, with and without readers, over more debates than are kept."""
    monkeypatch.setattr(wakeups, "TAIL", 5)
    monkeypatch.setattr(wakeups, "TAILS", 2)
    rng, heads, at_hand = random.Random(7), dict.fromkeys("abcd", 0), 0

    async with anyio.create_task_group() as tasks:

        async def waiter(debate: str) -> None:
            position = 0
            while True:
                await log.wait_beyond(debate, position)
                position = log.known_head(debate) or 0

        for debate in "abc":  # the fourth has no follower
            tasks.start_soon(waiter, debate)
        for _ in range(120):
            debate = rng.choice("abcd")
            if debate != "d" and rng.random() < 0.8:
                await waited_for(log, debate)
            size = rng.choice([1, 1, 2, 3, 4, 6, 9])
            await log.append(debate, heads[debate], [opened() if not heads[debate] else spoken(1)] * size)
            heads[debate] += size
            for after in range(max(0, heads[debate] - 12), heads[debate] + 2):
                kept = dict(log._wakeups._tails)
                known = log._wakeups.newest(debate, after)
                log._wakeups._tails = dict(kept)  # given out once, but read more often here
                at_hand += bool(known)
                expected = await from_file(log, debate, after)
                assert known in (None, expected)
                assert expected == await log.read(debate, after)
                log._wakeups._tails = dict(kept)
                assert expected[:2] == await log.read(debate, after, 2)
                log._wakeups._tails = dict(kept)
        tasks.cancel_scope.cancel()

    assert at_hand > 50, "memory was asked"
    assert len(log._wakeups._tails) <= 2


async def test_a_closed_log_returns_nothing_from_memory(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "moot.db")
    await log.append("d", 0, [opened()])
    await log.close()

    with pytest.raises(StoreUnavailable):
        await log.read("d", 1)

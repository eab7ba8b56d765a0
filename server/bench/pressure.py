"""More than the disk takes: how much waits, and what readers feel of it."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio

from events.record import new_id
from events.store.sqlite.log import SqliteLog
from events.store.sqlite.writer import MOST_QUEUED
from server.bench.appends import EVENT
from server.bench.figure import Figure, figure

READS: Final = 40


async def pressure(*, quick: bool) -> Figure:
    """A page read while four times as many append at once as there are places, beside the same page read alone."""
    writers = MOST_QUEUED * 2 if quick else MOST_QUEUED * 4
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        async with await SqliteLog.open(Path(folder) / "moot.db") as log:
            await log.append("read", 0, [EVENT] * 50)
            alone = await _p95(log)
            most = 0
            async with anyio.create_task_group() as tasks:
                for _ in range(writers):
                    tasks.start_soon(log.append, new_id(), 0, [EVENT])
                await anyio.lowlevel.checkpoint()
                most = log.queued[0]
                crowded = await _p95(log)
            assert most <= MOST_QUEUED
    return figure(
        f"read among {writers:,} writers",
        crowded,
        alone,
        aim=50,
        aim_of="value",
        better="less",
        unit="ms, p95",
        against=f"the same page of 50 events read alone; at most {MOST_QUEUED:,} appends were queued",
    )


async def _p95(log: SqliteLog) -> float:
    taken = []
    for _ in range(READS):
        began = time.perf_counter()
        assert len(await log.read("read")) == 50  # noqa: PLR2004 - as many as were written
        taken.append(time.perf_counter() - began)
    return sorted(taken)[READS * 95 // 100] * 1000

"""Appends: many debates against bare ``sqlite3``, one append against the disk, and reads during many appends."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import anyio

from events import codec
from events.record import new_id
from events.store.log import EventLog
from events.store.requests import MAX_REQUESTS
from events.store.sqlite.log import SqliteLog
from events.store.sqlite.schema import connect
from events.types import ModelAnswered
from server.bench.figure import BenchFigure, figure, interleaved
from server.bench.material import answered

DEBATES: Final = 512
BATCH: Final = 100
EVENT: Final[ModelAnswered] = answered("score", 1, "What the judge answered, in so many words. " * 6)
"""Its payload has about 600 bytes."""
PRAGMAS: Final = ("page_size", "journal_mode", "synchronous", "cache_size", "journal_size_limit", "wal_autocheckpoint")
TABLE: Final = "CREATE TABLE events (debate TEXT, position INTEGER, payload BLOB, PRIMARY KEY (debate, position))"


async def appends(*, quick: bool) -> BenchFigure:
    """Durable, chained appends of one event each, in many debates at once."""
    rounds, repetitions = (12, 2) if quick else (40, 5)
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        runs = iter(range(10**6))

        async def ours() -> float:
            return await through_the_log(Path(folder) / f"ours{next(runs)}.db", rounds)

        async def limit() -> float:
            return await anyio.to_thread.run_sync(_bare, Path(folder) / f"bare{next(runs)}.db", rounds)

        reached, bare = await interleaved(ours, limit, repetitions)
    return figure(
        "appends",
        reached,
        bare,
        aim=0.7,
        unit="events/s",
        against=f"sqlite3 executemany of {BATCH}, same pragmas",
    )


async def through_the_log(path: Path, rounds: int) -> float:
    """``appended`` to a new store."""
    async with await SqliteLog.open(path) as log:
        return await appended(log, rounds)


async def appended(log: EventLog, rounds: int) -> float:
    """Events per second: each debate appends one event after another, all debates at once."""
    debates = [new_id() for _ in range(DEBATES)]

    async def write(debate: str, first: int, last: int) -> None:
        for position in range(first, last):
            await log.append(debate, position, [EVENT])

    async with anyio.create_task_group() as tasks:
        for debate in debates:
            tasks.start_soon(write, debate, 0, 1)  # the openings are not measured
    async with anyio.create_task_group() as tasks:
        began = time.perf_counter()
        for debate in debates:
            tasks.start_soon(write, debate, 1, rounds + 1)
    return DEBATES * rounds / (time.perf_counter() - began)


def _bare(path: Path, rounds: int) -> float:
    connection = sqlite3.connect(path, isolation_level=None)
    with closing(connect(path.with_suffix(".store"), read_only=False)) as store:
        for name in PRAGMAS:
            (value,) = store.execute(f"PRAGMA {name}").fetchone()
            connection.execute(f"PRAGMA {name} = {value}")
    connection.execute(TABLE)
    debates = [new_id() for _ in range(DEBATES)]
    payload = codec.encode(EVENT)
    rows = [(debate, position, payload) for position in range(rounds) for debate in debates]
    began = time.perf_counter()
    for start in range(0, len(rows), BATCH):
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO events VALUES (?, ?, ?)", rows[start : start + BATCH])
        connection.execute("COMMIT")
    took = time.perf_counter() - began
    connection.close()
    return len(rows) / took


async def one_append(*, quick: bool) -> BenchFigure:
    """The time until one append is durable, while nothing else appends."""
    times, repetitions = (40, 3) if quick else (150, 5)
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        async with await SqliteLog.open(Path(folder) / "moot.db") as log:

            async def ours() -> float:
                debate, taken = new_id(), []
                for position in range(times):
                    began = time.perf_counter()
                    await log.append(debate, position, [EVENT])
                    taken.append(time.perf_counter() - began)
                return median(taken) * 1000

            async def limit() -> float:
                return await anyio.to_thread.run_sync(_floor, Path(folder) / "floor", times)

            reached, floor = await interleaved(ours, limit, repetitions)
    return figure(
        "one append", reached, floor, aim=2, better="less", unit="ms, p50", against="a page written, then fdatasync"
    )


def _floor(path: Path, times: int) -> float:
    page, taken = bytes(4096), []
    with path.open("ab", buffering=0) as file:
        for _ in range(times):
            began = time.perf_counter()
            file.write(page)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return median(taken) * 1000


READS: Final = 40


async def pressure(*, quick: bool) -> BenchFigure:
    """Reads of a page while four times more appends wait than the queue holds, against the same reads alone."""
    writers = MAX_REQUESTS * 2 if quick else MAX_REQUESTS * 4
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
            assert most <= MAX_REQUESTS
    return figure(
        f"read among {writers:,} writers",
        crowded,
        alone,
        aim=50,
        aim_of="value",
        better="less",
        unit="ms, p95",
        against=f"the same page of 50 events read alone; at most {MAX_REQUESTS:,} appends were queued",
    )


async def _p95(log: SqliteLog) -> float:
    taken = []
    for _ in range(READS):
        began = time.perf_counter()
        assert len(await log.read("read")) == 50  # noqa: PLR2004 - the page that was written
        taken.append(time.perf_counter() - began)
    return sorted(taken)[READS * 95 // 100] * 1000

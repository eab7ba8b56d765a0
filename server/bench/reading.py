"""Reads: records, folds and whole debates against their minimum cost; the list and the start of a store."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import anyio
import msgspec
from msgspec.structs import replace

from events.codec import decode_newest, encode
from events.record import Draft, decoded, digest_before_first, now, stamp
from events.store import listing
from events.store.log import POSITION_BITS
from events.store.sqlite import rows as sqlite_rows
from events.store.sqlite.log import SqliteLog
from events.store.sqlite.schema import connect
from events.types import DebateConcluded
from events.view import view as views
from server.bench.appends import EVENT
from server.bench.figure import BenchFigure, figure, interleaved
from server.bench.material import DEBATE, SENTENCES, debate, opening

EVENTS: Final = 10_000
LONGEST: Final = 1_000
"""Events of a debate of 200 turns, the longest that is allowed."""


async def fold(*, quick: bool) -> BenchFigure:
    """The fold of a debate from its payloads, against decoding alone."""
    records = debate(LONGEST)
    debates = EVENTS // LONGEST

    async def ours() -> float:
        began = time.perf_counter()
        for _ in range(debates):
            folded = views.apply_all(views.INITIAL, map(decoded, records))
        took = time.perf_counter() - began
        assert folded.view.position == LONGEST
        return EVENTS / took

    async def limit() -> float:
        began = time.perf_counter()
        for _ in range(debates):
            for record in records:
                decode_newest(record.payload)
        return EVENTS / (time.perf_counter() - began)

    reached, alone = await interleaved(ours, limit, 2 if quick else 5)
    return figure(
        "fold", reached, alone, aim=0.5, unit="events/s", against=f"msgspec decoding of the same {EVENTS} payloads"
    )


async def typed_read(*, quick: bool) -> BenchFigure:
    """Records with decoded events, read page by page in the reading thread, against the bare rows."""
    events, repetitions = (4_000, 5) if quick else (20_000, 9)
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        path = Path(folder) / "moot.db"
        async with await SqliteLog.open(path) as log:
            await log.append(DEBATE, 0, [EVENT] * events)
        with closing(sqlite3.connect(path)) as connection:

            async def ours() -> float:
                return await anyio.to_thread.run_sync(_typed, connection_of(path), events)

            async def limit() -> float:
                return _bare(connection, events)

            reached, bare = await interleaved(ours, limit, repetitions)
    return figure("typed read", reached, bare, aim=0.5, unit="events/s", against="sqlite3 iterating over the same rows")


def connection_of(path: Path) -> sqlite3.Connection:
    """A connection that another thread may use."""
    return sqlite3.connect(path, check_same_thread=False)


def _typed(connection: sqlite3.Connection, events: int) -> float:
    read, after = 0, 0
    with closing(connection):
        began = time.perf_counter()
        while page := sqlite_rows.read_records(connection, DEBATE, after, 200):
            read, after = read + len(page), page[-1].position
        took = time.perf_counter() - began
    assert read == events
    return events / took


def _bare(connection: sqlite3.Connection, events: int) -> float:
    read = 0
    began = time.perf_counter()
    for _ in connection.execute("SELECT key, id, at, cause, schema, salt, digest, payload FROM events ORDER BY key"):
        read += 1
    took = time.perf_counter() - began
    assert read == events
    return events / took


DEBATES: Final = 100_000
FEW_DEBATES: Final = 20_000
QUERIES: Final = ("", "city", "zz", "no such words", "car 7", "debate 12345")
"""The first page; text that every motion has, none has, few have, and one has."""


def fill(path: Path, debates: int) -> None:
    """Write a store of concluded debates directly, which is faster than appends."""
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


async def list_(*, quick: bool) -> BenchFigure:
    """The 95th percentile of first pages and searches, against a bare search through the same rows."""
    debates, times = (FEW_DEBATES, 3) if quick else (DEBATES, 10)
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


async def start(*, quick: bool) -> BenchFigure:
    """The time that 100,000 concluded debates add to opening a store and finding the open debates."""
    debates = FEW_DEBATES if quick else DEBATES
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

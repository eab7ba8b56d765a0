"""Reading debates again: typed, folded, and rebuilt from the file, each beside what it could cost at least."""

import sqlite3
import time
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio
import msgspec

from events.codec import decode, decode_newest
from events.record import Recorded
from events.store.log import read_pages
from events.store.sqlite import rows as sqlite_rows
from events.store.sqlite.log import SqliteLog
from events.view import view as views
from server.bench.appends import EVENT
from server.bench.figure import Figure, Passed, figure, interleaved
from server.bench.material import DEBATE, debate

EVENTS: Final = 10_000
LONGEST: Final = 1_000
"""Events of a debate of 200 turns, the longest that may be opened: the log holds ten of them."""


async def fold(*, quick: bool) -> Figure:
    """From payloads to the view: what rebuilding a debate costs beside reading it."""
    records = debate(LONGEST)
    debates = EVENTS // LONGEST

    async def ours() -> float:
        began = time.perf_counter()
        for _ in range(debates):
            folded = views.apply_all(views.INITIAL, map(_reread, records))
        took = time.perf_counter() - began
        assert folded.view.position == LONGEST
        return EVENTS / took

    async def limit() -> float:
        began = time.perf_counter()
        for _ in range(debates):
            for record in records:
                decode_newest(record.payload)
        return EVENTS / (time.perf_counter() - began)

    reached, decoded = await interleaved(ours, limit, 2 if quick else 5)
    return figure(
        "fold", reached, decoded, aim=0.5, unit="events/s", against=f"msgspec decoding of the same {EVENTS} payloads"
    )


def _reread(record: Recorded) -> Recorded:
    """The record as a log gives it: its event read from the payload."""
    return Recorded(
        debate=record.debate,
        position=record.position,
        id=record.id,
        at=record.at,
        cause=record.cause,
        schema=record.schema,
        salt=record.salt,
        payload=record.payload,
        digest=record.digest,
        event=decode(record.payload, record.schema),
    )


async def typed_read(*, quick: bool) -> Figure:
    """Records of the log, their events decoded into the union, a page at a time, in the thread that reads."""
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
    """A connection that any one thread may use."""
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


async def rebuild(*, quick: bool) -> Figure:
    """From the file to the whole view, beside the library's replay of the same payloads into a counter."""
    if find_spec("eventsourcing") is None:
        raise Passed("rebuild", "the library eventsourcing is not installed")
    from server.bench.library import Replay  # noqa: PLC0415 - only where it is installed

    records = debate(LONGEST)
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        async with await SqliteLog.open(Path(folder) / "moot.db") as log:
            await log.adopt(records)
            replay = Replay(Path(folder) / "library.db", [msgspec.json.decode(each.payload) for each in records])

            async def ours() -> float:
                began = time.perf_counter()
                folded = views.INITIAL
                async for page in read_pages(log, DEBATE):
                    folded = views.apply_all(folded, page)
                took = time.perf_counter() - began
                assert folded.view.position == LONGEST
                return LONGEST / took

            async def limit() -> float:
                return await anyio.to_thread.run_sync(replay.measure)

            with closing(replay):
                reached, library = await interleaved(ours, limit, 3 if quick else 15)
    return figure(
        "rebuild",
        reached,
        library,
        aim=10,
        unit="events/s",
        against="the eventsourcing library replaying the same payloads into a counter",
    )

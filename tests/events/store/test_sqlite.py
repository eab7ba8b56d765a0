"""Properties of the SQLite file alone: its lock, its errors, and recovery from them."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from events.errors import BadStore, StoreBusy, StoreUnavailable, UnknownEvent
from events.store.address import default_path, sqlite_path
from events.store.listing import Limits
from events.store.lock import Holder, holder
from events.store.log import follow
from events.store.memory import MemoryLog
from events.store.open import open_log, opened_log
from events.store.sqlite.log import SqliteLog
from events.store.sqlite.schema import CALIBRATES
from events.verify import verify_log
from tests.events.samples import debate, opened, spoken, started

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("umask", [0o000, 0o022])
async def test_only_its_owner_reads_a_store(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        async with await SqliteLog.open(tmp_path / "moot.db") as log:
            await log.append("d", 0, [opened()])
            found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}  # noqa: ASYNC240
    finally:
        os.umask(before)

    assert {"moot.db", "moot.db-wal", "moot.db-shm", "moot.db.lock"} <= found.keys()
    assert {0o600} == set(found.values()), found


HOLD = """
import anyio, sys
from events.store.sqlite.log import SqliteLog
async def main():
    async with await SqliteLog.open(sys.argv[1]) as log:
        log.set_address("http://127.0.0.1:8484")
        print("held", flush=True)
        sys.stdin.read()
anyio.run(main)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "ñ %3F#?.db"


@pytest.fixture
async def log(path: Path, anyio_backend: str) -> AsyncIterator[SqliteLog]:
    async with await SqliteLog.open(path) as opened_log:
        yield opened_log


async def test_durability_is_set_explicitly(log: SqliteLog) -> None:
    assert log._writing is not None
    assert log._writing.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert log._writing.execute("PRAGMA synchronous").fetchone() == (2,)


async def test_a_second_writer_is_refused_with_the_process_of_the_first(log: SqliteLog, path: Path) -> None:
    with pytest.raises(StoreBusy) as caught:
        await SqliteLog.open(path)
    assert (os.getpid(), "") == (caught.value.pid, caught.value.address)

    log.set_address("http://127.0.0.1:8484")
    with pytest.raises(StoreBusy, match=f"in use by process {os.getpid()}, serving at http://127.0.0.1:8484"):
        await SqliteLog.open(path)
    assert Holder(os.getpid(), "http://127.0.0.1:8484") == holder(path)

    log.set_address("x")
    assert Holder(os.getpid(), "x") == holder(path)


async def test_reading_the_lock_does_not_hinder_a_writer(path: Path) -> None:
    assert holder(path) is None
    assert not path.parent.exists()
    async with await SqliteLog.open(path, address="http://a"):
        assert Holder(os.getpid(), "http://a") == holder(path)
    assert holder(path) is None
    async with await SqliteLog.open(path):
        pass


@pytest.mark.slow
async def test_another_process_holds_the_lock_until_it_dies(path: Path) -> None:
    with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs in this loop
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"

        with pytest.raises(StoreBusy, match=f"process {process.pid}, serving at http://127.0.0.1:8484"):
            await SqliteLog.open(path)
        assert Holder(process.pid, "http://127.0.0.1:8484") == holder(path)
        async with await SqliteLog.open(path, read_only=True) as reader:
            assert await reader.head("d1") == 0

        process.kill()

    assert holder(path) is None
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, [opened()])


async def test_a_reader_sees_what_the_writer_commits(
    log: SqliteLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.sqlite.log.POLL_S", 0.01)
    await log.append("d1", 0, [opened()])
    async with await SqliteLog.open(path, read_only=True) as reader:
        seen = []

        async def watch() -> None:
            async for record in follow(reader, "d1"):
                seen.append(record.position)
                if record.position == 3:
                    return

        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(watch)
                await log.append("d1", 1, [started(), spoken()])

        assert seen == [1, 2, 3]
        with pytest.raises(StoreUnavailable, match="reading only"):
            await reader.append("d1", 3, [started()])
        with pytest.raises(StoreUnavailable, match="reading only"):
            reader.set_address("x")


async def test_a_full_disk_is_reported_and_recovered_from(log: SqliteLog) -> None:
    records = await log.append("d1", 0, [opened()])
    writing = log._writing
    assert writing is not None
    pages = writing.execute("PRAGMA page_count").fetchone()[0]
    writing.execute(f"PRAGMA max_page_count = {pages}")
    failures = []

    async def write(name: str, expected: int) -> None:
        try:
            await log.append(name, expected, [spoken(text="x" * 60_000)])
        except StoreUnavailable as error:
            failures.append(str(error))

    async with anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(write, f"d{number}", int(number == 1))

    says = "the disk is full (SQLITE_FULL); make room: what waits goes on by itself"
    assert [f"the store {log.path} is unavailable: {says}"] * 5 == failures
    assert records == await log.read("d1")
    assert await log.head("d2") == 0

    writing.execute("PRAGMA max_page_count = 1000000")
    await log.append("d1", 1, [spoken(text="x" * 60_000)])
    await log.append("d2", 0, [opened()])
    assert (await verify_log(log, "d1")).ok
    assert {"d1", "d2"} == {row.id for row in (await log.summaries()).debates}


async def test_a_payload_of_a_newer_moot_is_refused_when_read(log: SqliteLog) -> None:
    await log.append("d1", 0, [opened(), started()])
    assert log._writing is not None
    log._writing.execute("UPDATE events SET payload = ? WHERE key & 0xFFFFFF = 2", (b'{"type":"turn_sung"}',))

    with pytest.raises(UnknownEvent, match="turn_sung"):
        await log.read("d1")
    assert (await verify_log(log, "d1")).broken_at == 2


def unusable(tmp_path: Path, kind: str) -> tuple[Path, str]:
    path = tmp_path / "moot.db"
    match kind:
        case "folder":
            path.mkdir()
            return path, "is a folder"
        case "under a file":
            path.write_text("x")
            return path / "moot.db", "cannot be made"
        case "no such place":
            return Path("/proc/nowhere/moot.db"), "cannot be made"
        case "not a database":
            path.write_text("this is no database at all, only text " * 100)
            return path, "not a database"
        case "another's":
            with sqlite3.connect(path) as connection:
                connection.execute("CREATE TABLE t (x)")
            connection.close()
            return path, "not one of Moot's"
        case _:
            with sqlite3.connect(path) as connection:
                connection.executescript(
                    "CREATE TABLE t (x); PRAGMA application_id = 0x4D6F6F74; PRAGMA user_version = 9;"
                )
            connection.close()
            return path, "schema 9, written by a newer Moot"


@pytest.mark.parametrize("kind", ["folder", "under a file", "no such place", "not a database", "another's", "newer"])
@pytest.mark.parametrize("read_only", [False, True])
async def test_an_unusable_path_gives_one_clear_sentence(tmp_path: Path, kind: str, read_only: bool) -> None:
    path, says = unusable(tmp_path, kind)

    with pytest.raises(StoreUnavailable) as caught:
        await SqliteLog.open(path, read_only=read_only)

    assert str(path.name) in str(caught.value) or str(path.parent) in str(caught.value)
    assert "\n" not in str(caught.value)
    if not read_only:
        assert says in str(caught.value)
        assert holder(path) is None


async def test_reading_needs_a_store(path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="there is no store at"):
        await SqliteLog.open(path, read_only=True)
    assert not path.parent.exists()


async def test_addresses_of_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", "linux")
    assert tmp_path / "moot" / "moot.db" == sqlite_path("sqlite:")
    assert tmp_path / "home" / "x.db" == sqlite_path("sqlite:~/x.db")

    async with opened_log("sqlite:") as log:
        await log.append("d1", 0, [opened()])
    assert (tmp_path / "moot" / "moot.db").exists()
    assert isinstance(await open_log("memory:"), MemoryLog)

    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert tmp_path / "home" / ".local" / "share" / "moot" / "moot.db" == default_path()
    monkeypatch.setattr("sys.platform", "darwin")
    assert tmp_path / "home" / "Library" / "Application Support" / "moot" / "moot.db" == default_path()


@pytest.mark.parametrize("url", ["", "moot.db", "sqlite", "memory", "memory:x", "mysql://h/x", "postgres:x"])
async def test_an_address_of_no_store_is_refused(url: str) -> None:
    with pytest.raises(BadStore, match="write sqlite:PATH, sqlite:, memory: or postgres://"):
        await open_log(url)


async def test_a_store_without_the_index_of_calibrations_answers_the_same_and_gets_it_when_written(path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, debate())
        await log.append("c1", 0, [replace(opened(), format="calibration")])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP INDEX debates_calibrating")
    async with await SqliteLog.open(path, read_only=True) as reader:
        assert await reader.calibrations() == ("c1",)

    async with await SqliteLog.open(path) as log:
        assert await log.calibrations() == ("c1",)
        assert log._writing is not None
        (plan,) = log._writing.execute(
            f"EXPLAIN QUERY PLAN SELECT debate FROM debates WHERE {CALIBRATES} ORDER BY opened_at, stream"
        ).fetchall()

    assert "debates_calibrating" in plan[-1]


async def test_rows_of_an_older_moot_get_their_marks_when_the_store_is_opened(path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, debate())
        await log.append("d2", 0, [opened("Trams")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE debates SET folded = 'trams'")

    async with await SqliteLog.open(path, read_only=True) as log:
        assert 2 == len((await log.summaries()).debates)
    async with await SqliteLog.open(path) as log:
        for state, expected in (("concluded", "d1"), ("open", "d2")):
            found = await log.summaries(limits=Limits(state=state))  # type: ignore[arg-type]
            assert [expected] == [row.id for row in found.debates]

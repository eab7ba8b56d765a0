"""Full disks, and files that are moved, damaged or locked: messages, recovery, and waiting."""

import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from events.errors import StoreDamaged, StoreUnavailable
from events.store.sqlite.log import SqliteLog
from events.verify import verify_log
from tests.events.samples import opened, spoken, started
from tests.events.store.mounts import mount, small_disk

pytestmark = pytest.mark.anyio

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "moot.db"


@pytest.fixture
async def log(path: Path, anyio_backend: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SqliteLog]:
    monkeypatch.setattr("events.store.sqlite.schema.BUSY_S", 0.02)
    monkeypatch.setattr("events.store.sqlite.writer.PROBE_S", 0.01)
    async with await SqliteLog.open(path) as log:
        yield log


def limit_pages(log: SqliteLog, more: int) -> None:
    """Let the file grow by only so many pages."""
    assert log._writing is not None
    pages = log._writing.execute("PRAGMA page_count").fetchone()[0]
    log._writing.execute(f"PRAGMA max_page_count = {pages + more}")


def replace(path: Path) -> None:
    """Replace the file by another one."""
    path.unlink()
    path.write_bytes(b"")


def forbid(path: Path) -> None:
    path.chmod(0o444)


def move(path: Path, to: Path) -> None:
    path.rename(to)


async def fill(log: SqliteLog, name: str) -> int:
    """Append until that fails.  Returns the head before."""
    with pytest.raises(StoreUnavailable, match=r"the disk is full \(SQLITE_FULL\); make room") as caught:
        await fill_until_it_fails(log, name)
    head = await log.head(name)

    assert caught.value.reason == "the disk is full"
    return head


async def fill_until_it_fails(log: SqliteLog, name: str) -> None:
    head = 0
    while True:
        await log.append(name, head, [spoken(text="x" * 20_000), started()])
        head += 2


async def until_well(log: SqliteLog) -> None:
    with anyio.fail_after(5):
        while log.trouble is not None:
            await anyio.lowlevel.checkpoint()


async def test_a_real_disk_that_fills_loses_nothing_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        async with await SqliteLog.open(disk / "moot.db") as log:
            head = await fill(log, "d1")

            assert head > 0
            assert head % 2 == 0

            mount(disk, "remount,size=8m")
            await log.append("d1", head, [spoken(text="x" * 20_000), started()])
            assert log.trouble is None
            assert (await verify_log(log, "d1")).events == head + 2


async def test_no_store_is_made_on_a_disk_without_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        (disk / "filler").write_bytes(bytes(48 << 10))

        with pytest.raises(StoreUnavailable) as caught:
            await SqliteLog.open(disk / "moot.db")

    assert "\n" not in str(caught.value)


async def test_a_read_only_disk_is_read_and_refuses_writes(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        async with await SqliteLog.open(disk / "moot.db") as log:
            await log.append("d1", 0, [opened()])
        mount(disk, "remount,ro")

        with pytest.raises(StoreUnavailable, match="cannot be written: Read-only file system"):
            await SqliteLog.open(disk / "moot.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
async def test_a_file_without_write_permission_is_reported(path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, [opened()])
    forbid(path)

    with pytest.raises(StoreUnavailable, match="it cannot be written"):
        await SqliteLog.open(path)


async def test_trouble_ends_by_itself_without_requests(log: SqliteLog) -> None:
    await log.append("d1", 0, [opened()])
    limit_pages(log, 0)
    with pytest.raises(StoreUnavailable):
        await log.append("d1", 1, [spoken(text="x" * 60_000)])
    assert log.trouble is not None
    assert log.trouble.reason == "the disk is full"

    limit_pages(log, 10_000)
    await until_well(log)


async def test_a_conflict_is_no_trouble(log: SqliteLog) -> None:
    await log.append("d1", 0, [opened()])
    await anyio.wait_all_tasks_blocked()
    answers = []

    async def write(expected: int) -> None:
        try:
            answers.append(await log.append("d1", expected, [started()]))
        except Exception as error:  # noqa: BLE001 - any exception is inspected
            answers.append(type(error).__name__)  # type: ignore[arg-type]

    async with anyio.create_task_group() as group:
        group.start_soon(write, 7)

    assert answers == ["WrongExpectedPosition"]
    assert log.trouble is None


async def test_a_file_that_was_moved_is_not_written_to_until_it_is_back(log: SqliteLog, path: Path) -> None:
    await log.append("d1", 0, [opened()])
    move(path, path.with_suffix(".elsewhere"))

    with pytest.raises(StoreUnavailable, match=r"moot\.db is unavailable: its file was moved or deleted; put it back"):
        await log.append("d1", 1, [started()])
    move(path.with_suffix(".elsewhere"), path)
    await until_well(log)
    await log.append("d1", 1, [started()])

    assert (await verify_log(log, "d1")).events == 2


async def test_another_file_of_the_same_name_is_not_written_to(log: SqliteLog, path: Path) -> None:
    await log.append("d1", 0, [opened()])
    replace(path)

    with pytest.raises(StoreUnavailable, match="its file was moved or deleted"):
        await log.append("d1", 1, [started()])


async def test_a_locked_file_is_reported_and_recovered_from(log: SqliteLog, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match=r"another process holds it \(SQLITE_BUSY\); close what has"):
            await log.append("d1", 0, [opened()])

    await log.append("d1", 0, [opened()])


async def test_a_damaged_page_fails_only_the_requests_that_need_it(path: Path) -> None:
    names = [f"d{number}" for number in range(40)]
    async with await SqliteLog.open(path) as log:
        for name in names:
            await log.append(name, 0, [opened(f"motion of {name}"), spoken(text=f"here {name} " * 400)])
    damage(path, b"here d7 ")
    answers: dict[str, object] = {}

    async def write(name: str) -> None:
        try:
            answers[name] = (await log.append(name, 2, [started()]))[0].position
        except StoreUnavailable as error:
            answers[name] = error

    async with await SqliteLog.open(path) as log:
        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(write, name)
        with pytest.raises(StoreDamaged, match="it is damaged"):
            await log.read("d7")

    failed = {name: answer for name, answer in answers.items() if answer != 3}
    assert "d7" in failed
    assert len(failed) <= 3
    for error in failed.values():
        assert isinstance(error, StoreDamaged)
        assert all(word in str(error) for word in (str(path), "moot verify", "moot backup", "SQLITE_CORRUPT"))


def damage(path: Path, mark: bytes) -> None:
    """Overwrite the header of each page on which a row with that mark begins."""
    written = bytearray(path.read_bytes())
    at = written.find(mark)
    while at >= 0:
        page = at // PAGE * PAGE
        if written[page] == 13:  # a leaf of a table, not an overflow page
            written[page : page + 8] = b"\xff" * 8
        at = written.find(mark, page + PAGE)
    path.write_bytes(written)


# more than fits on the disk


class Writers:
    """Counts concurrent appends that end."""

    def __init__(self, log: SqliteLog) -> None:
        self.log, self.done = log, 0

    async def write(self, name: str, size: int) -> None:
        await self.log.append(name, 0, [spoken(text="x" * size)])
        self.done += 1


async def test_writers_wait_for_a_place_and_readers_do_not(log: SqliteLog, path: Path) -> None:
    assert log._writing is not None
    assert log._writer is not None
    log._writer.backlog.most_requests = 4
    log._writing.execute("PRAGMA busy_timeout = 20000")
    await log.append("there", 0, [opened()])
    writers = Writers(log)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(writers.write, f"d{number}", 10)
            await anyio.wait_all_tasks_blocked()

            assert log.queued[0] == 4
            assert len(await log.read("there")) == 1
            assert await log.head("d1") == 0
            other.execute("ROLLBACK")

    assert writers.done == 20
    assert log.queued == (0, 0)


async def test_places_are_counted_in_bytes_too(log: SqliteLog, path: Path) -> None:
    assert log._writing is not None
    assert log._writer is not None
    log._writer.backlog.most_bytes = 100_000
    log._writing.execute("PRAGMA busy_timeout = 20000")
    writers = Writers(log)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with anyio.create_task_group() as group:
            for number in range(9):
                group.start_soon(writers.write, f"d{number}", 40_000)
            await anyio.wait_all_tasks_blocked()

            assert log.queued[0] == 2
            other.execute("ROLLBACK")

    assert writers.done == 9


async def test_a_cancelled_writer_leaves_its_place_to_the_next(log: SqliteLog, path: Path) -> None:
    assert log._writing is not None
    assert log._writer is not None
    log._writer.backlog.most_requests = 1
    log._writing.execute("PRAGMA busy_timeout = 20000")
    writers = Writers(log)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with anyio.create_task_group() as group:
            group.start_soon(writers.write, "first", 10)
            await anyio.wait_all_tasks_blocked()
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as impatient:
                    for number in range(5):
                        impatient.start_soon(writers.write, f"gone{number}", 10)
                    group.start_soon(writers.write, "last", 10)
                    await anyio.wait_all_tasks_blocked()
                    scope.cancel()
            other.execute("ROLLBACK")

    assert writers.done == 2
    assert log.queued == (0, 0)
    assert await log.head("gone1") == 0


async def test_closing_refuses_writers_that_wait_for_a_place(path: Path) -> None:
    log = await SqliteLog.open(path)
    assert log._writer is not None
    log._writer.backlog.most_requests = 1
    ended: list[str] = []

    async def write(name: str) -> None:
        try:
            await log.append(name, 0, [opened()])
            ended.append("written")
        except StoreUnavailable as error:
            ended.append(str(error))

    async with anyio.create_task_group() as group:
        for number in range(3):
            group.start_soon(write, f"d{number}")
        group.start_soon(log.close)

    assert min(ended).endswith("is closed")
    assert "written" in ended

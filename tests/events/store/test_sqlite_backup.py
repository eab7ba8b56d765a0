"""A backup during writes is a whole store of one moment, or none is made."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from events.errors import BrokenChain, StoreDamaged, StoreUnavailable
from events.store.sqlite.backup import back_up
from events.store.sqlite.log import SqliteLog
from events.verify import verify_log
from tests.events.samples import debate, opened, spoken, started
from tests.events.store.mounts import small_disk

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "moot.db"


def left_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def damage(path: Path, page: int) -> None:
    written = bytearray(path.read_bytes())
    written[page * 4096 : (page + 1) * 4096] = b"\xff" * 4096
    path.write_bytes(written)


async def filled(path: Path, debates: int = 3) -> list[str]:
    names = [f"d{number}" for number in range(debates)]
    async with await SqliteLog.open(path) as log:
        for name in names:
            await log.append(name, 0, debate())
    return names


async def test_a_backup_reads_like_the_store_and_can_replace_it(path: Path, tmp_path: Path) -> None:
    names = await filled(path)
    made = back_up(path, tmp_path / "copy.db")

    assert (made.debates, made.events) == (3, 3 * len(debate()))
    assert left_in(tmp_path) == ["copy.db", "store"]
    async with await SqliteLog.open(tmp_path / "copy.db") as copy, await SqliteLog.open(path) as log:
        for name in names:
            assert await log.read(name) == await copy.read(name)
        assert await log.summaries() == await copy.summaries()
        await copy.append("d0", len(debate()), [started()])
        assert (await verify_log(copy, "d0")).ok


async def test_a_backup_during_writes_is_of_one_moment(path: Path, tmp_path: Path) -> None:
    stop = False
    made = []

    async def write(log: SqliteLog, name: str) -> None:
        position = 0
        while not stop:
            await log.append(name, position, [spoken(text="x" * 3000), started(), started()])
            position += 3

    async def copy(log: SqliteLog) -> None:
        nonlocal stop
        for number in range(3):
            while await log.head("d7") < 30 * (number + 1):
                await anyio.lowlevel.checkpoint()
            made.append(await to_thread.run_sync(back_up, path, tmp_path / f"{number}.db"))
        stop = True

    async with await SqliteLog.open(path) as log, anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(write, log, f"d{number}")
        group.start_soon(copy, log)

    events = [each.events for each in made]
    assert events == sorted(set(events))
    assert all(count % 3 == 0 for count in events)  # no partial batch
    async with await SqliteLog.open(tmp_path / "2.db") as copied:
        assert events[2] == sum([await copied.head(f"d{number}") for number in range(8)])


async def test_a_backup_replaces_no_file(path: Path, tmp_path: Path) -> None:
    await filled(path)
    taken = tmp_path / "taken"
    taken.write_text("mine")

    with pytest.raises(StoreUnavailable, match="there is something by that name already"):
        back_up(path, taken)
    with pytest.raises(StoreUnavailable, match="there is something by that name already"):
        back_up(path, tmp_path)

    assert taken.read_text() == "mine"
    assert left_in(tmp_path) == ["store", "taken"]


@pytest.mark.parametrize("target", ["nowhere/copy.db", "taken/copy.db"])
async def test_a_missing_target_folder_is_reported(path: Path, tmp_path: Path, target: str) -> None:
    await filled(path)
    (tmp_path / "taken").write_text("a file")

    with pytest.raises(StoreUnavailable, match=r"copy\.db cannot be made: (No such file|Not a directory)"):
        back_up(path, tmp_path / target)


async def test_a_missing_store_is_reported(path: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="there is no store at"):
        back_up(path, tmp_path / "copy.db")
    assert left_in(tmp_path) == []


async def test_a_full_disk_leaves_nothing_behind(path: Path, tmp_path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, [spoken(text="x" * 600_000)])

    with small_disk(tmp_path / "disk", "256k") as disk:
        with pytest.raises(StoreUnavailable, match=r"copy\.db cannot be made: the disk is full"):
            back_up(path, disk / "copy.db")

        assert left_in(disk) == []


async def test_a_backup_with_a_broken_chain_is_discarded(path: Path, tmp_path: Path) -> None:
    await filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE events SET payload = payload || ' ' WHERE key = (2 << 24) + 4")
        connection.commit()

    with pytest.raises(BrokenChain) as caught:
        back_up(path, tmp_path / "copy.db")

    assert (caught.value.debate, caught.value.broken_at) == ("d1", 4)
    assert left_in(tmp_path) == ["store"]


async def test_a_damaged_store_is_reported_and_not_copied(path: Path, tmp_path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, [opened(), *[spoken(text="x" * 2000)] * 100])
    damage(path, page=40)

    with pytest.raises(StoreDamaged, match="is damaged") as caught:
        back_up(path, tmp_path / "copy.db")

    assert "\n" not in str(caught.value)
    assert left_in(tmp_path) == ["store"]


async def test_progress_is_reported(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.store.sqlite.backup.STEP_PAGES", 2)
    await filled(path)
    progress: list[tuple[int, int]] = []

    back_up(path, tmp_path / "copy.db", lambda done, every: progress.append((done, every)))

    assert progress[-1][0] == progress[-1][1] > 2
    assert progress == sorted(progress)

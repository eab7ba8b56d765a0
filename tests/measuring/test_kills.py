"""A short run of the kills.  It must notice a log that does not sync on a disk that loses unsynced writes."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.measuring.kills import KillReport, forget, run

WITHOUT_SYNC = """
import sys, anyio
from events.store.sqlite import schema as sqlite_schema
prepare_with_sync = sqlite_schema.prepare
def prepare(path, connection):
    prepare_with_sync(path, connection)
    connection.execute("PRAGMA synchronous = NORMAL")
sqlite_schema.prepare = prepare
from tests.measuring.killed import main
anyio.run(main, sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
"""
can_forget = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="a disk that forgets is compiled for Linux"
)


def killed(folder: Path, **how: object) -> KillReport:
    return run(f"sqlite:{folder / 'moot.db'}", 2, 1500, 1, verbose=False, **how)  # type: ignore[arg-type]


@pytest.mark.slow
def test_kills_lose_nothing_double_nothing_and_tear_nothing(tmp_path: Path) -> None:
    report = killed(tmp_path)

    assert report.ok
    assert report.kills == 2
    assert report.recorded >= report.acknowledged >= 1500


@pytest.mark.slow
@can_forget
def test_nor_do_they_on_a_disk_that_loses_unsynced_writes(tmp_path: Path) -> None:
    report = killed(tmp_path, forgets=True)

    assert report.ok
    assert report.recorded >= report.acknowledged >= 1500


@pytest.mark.slow
@can_forget
def test_a_log_that_does_not_sync_is_caught(tmp_path: Path) -> None:
    report = killed(tmp_path, forgets=True, program=(sys.executable, "-c", WITHOUT_SYNC))

    assert report.lost > 0
    assert not report.ok


def test_forget_restores_what_was_synced(tmp_path: Path) -> None:
    store = tmp_path / "moot.db"
    store.write_bytes(b"new")
    store.with_name("moot.db.durable").write_bytes(b"old")
    store.with_name("moot.db-wal").write_bytes(b"never synced")
    store.with_name("moot.db-shm").write_bytes(b"memory")

    assert forget(store) > 0
    assert store.read_bytes() == b"old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["moot.db", "moot.db.durable"]

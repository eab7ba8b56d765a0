"""No byte of a deleted debate's words stays in a store, also if the process is killed in the middle."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from events.errors import DebateDeleted, StoreUnavailable
from events.store.address import is_postgres
from events.store.open import opened_log
from events.store.sqlite import schema
from events.store.sqlite.backup import back_up, still_held
from events.store.sqlite.log import SqliteLog
from events.types import DebateLabelled, Event
from events.verify import verify_log
from tests.events.conftest import DATABASE
from tests.events.samples import answered, debate, opened, spoken
from tests.events.store.postgres_server import Server
from tests.events.store.test_kill import OF_MOOT
from tests.events.store.test_sqlite_parts import CALLS, rows

pytestmark = pytest.mark.anyio

WORD = "Zwiebelfisch"
KILLED = """
import os, signal, sys, anyio
from events.store.open import opened_log
from events.store.{module} import {name} as real
import events.store.{where} as where
def kill(*given, **named):
    if {first}:
        real(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
where.{name} = kill
async def main():
    async with opened_log(sys.argv[1]) as log:
        await log.delete("d1", await log.head("d1"), "taken back")
anyio.run(main)
"""


def told() -> list[Event]:
    """A debate whose word stands in its motion, titles, speeches and answers."""
    titles = [DebateLabelled(by="test", title=f"{WORD} {number}" * 4) for number in range(30)]
    return [opened(f"All {WORD}e shall go"), spoken(1, f"No {WORD.lower()} today."), answered(WORD), *titles]


def files_with(path: Path, word: str) -> set[str]:
    return {each.name for each in path.parent.iterdir() if word.lower().encode() in each.read_bytes().lower()}


async def test_the_bytes_are_gone_from_every_file_of_a_sqlite_store(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    async with await SqliteLog.open(path) as log:
        for name, events in (("kept", debate()), ("d1", told()), ("later", [opened(), *CALLS])):
            await log.append(name, 0, events)
        assert 1 == len((await log.search(WORD)).hits)
        before = files_with(path, WORD)
        left = await log.delete("d1", len(told()), "taken back")

        assert left.is_erased
        assert before >= {"moot.db-wal", "moot.db-search"}
        assert files_with(path, WORD) == set()
        assert (await log.search(WORD)).hits == ()
        assert (await log.search("belong people")).hits
        await log.append("kept", len(debate()), [spoken(3)])
        assert (await verify_log(log, "kept")).ok
        assert (await verify_log(log, "later")).ok
    assert files_with(path, WORD) == set()


async def test_pieces_of_prompts_go_with_the_last_debate_that_has_them(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    pieces = "SELECT count(*) FROM parts"
    async with await SqliteLog.open(path) as log:
        await log.append("one", 0, [opened(), *CALLS[:10]])
        ((few,),) = rows(path, pieces)
        await log.append("two", 0, [opened(), *CALLS])
        records = await log.envelopes("one")
        ((all_,),) = rows(path, pieces)
        await log.delete("two", 1 + len(CALLS), "")

        assert 0 < few < all_  # type: ignore[operator]
        assert [(few,)] == rows(path, pieces)
        assert records == await log.envelopes("one")
        await log.append("three", 0, [opened(), *CALLS])  # it stores the pieces again
        await log.delete("one", len(records), "")
        assert CALLS == [record.event for record in await log.read("three", 1)]
        await log.delete("three", 1 + len(CALLS), "")
        assert [(0,)] == rows(path, pieces)


async def test_no_row_of_a_database_has_the_word(postgres: Server, database: str) -> None:
    def found() -> set[str]:
        tables = postgres.do("SELECT tablename FROM pg_tables WHERE schemaname = 'moot'", DATABASE)
        return {
            table
            for (table,) in tables
            for (row,) in postgres.do(f"SELECT row::text FROM moot.{table} AS row", DATABASE)
            if WORD.lower() in row.lower() or WORD.encode().hex() in row or WORD.lower().encode().hex() in row
        }

    async with opened_log(database) as log:
        await log.append("d1", 0, told())
        await log.append("kept", 0, debate())
        assert 1 == len((await log.search(WORD)).hits)
        postgres.do(
            f"INSERT INTO moot.inbox (key, debate, act) VALUES ('k', 'd1', '{WORD}'::bytea)",
            DATABASE,
        )
        before = found()
        left = await log.delete("d1", len(told()), "taken back")

        assert {"events", "listing", "said", "inbox"} == before
        assert found() == set()
        assert not left.is_erased
        assert (await log.search(WORD)).hits == ()
        assert (await verify_log(log, "kept")).ok


async def test_another_node_tells_its_readers_and_writes_no_more(database: str) -> None:
    async with opened_log(database) as one, opened_log(database) as two:
        count = len(await one.append("d1", 0, debate()))
        await two.delete("d1", count, "taken back")

        with pytest.raises(DebateDeleted, match="taken back"):
            await one.append("d1", count, [spoken(3)])
        assert await one.head("d1") == 0


PLACES = {
    "sqlite": [
        ("before the commit", "sqlite.deletion", "sqlite.commit", "bury", True),
        ("after the commit", "sqlite.deletion", "sqlite.commit", "erase", False),
    ],
    "postgres": [("before the commit", "postgres.batch", "postgres.deletion", "write_changed", False)],
}


@pytest.mark.slow
async def test_a_kill_leaves_the_whole_debate_or_the_tombstone(store: str, request: pytest.FixtureRequest) -> None:
    for moment, module, where, name, first in PLACES["postgres" if is_postgres(store) else "sqlite"]:
        async with opened_log(store) as log:
            if not await log.head("d1"):
                await log.append("d1", 0, told())
            records = await log.read("d1")
        code = KILLED.format(module=module, where=where, name=name, first=first)
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
        ended = subprocess.run([sys.executable, "-c", code, store], env=environment, check=False)  # noqa: ASYNC221 - nothing else runs in this loop

        assert ended.returncode == -9
        if is_postgres(store):
            request.getfixturevalue("postgres").do(f"SELECT pg_terminate_backend(pid, 5000) {OF_MOOT}")
        async with opened_log(store) as log:
            assert (await verify_log(log, "d1")).ok
            left = await log.tombstones()
            if moment == "before the commit":
                assert records == await log.read("d1")
                assert left == ()
            else:
                assert [len(records)] == [each.events for each in left]
                assert left[0].is_erased
                assert files_with(Path(store.removeprefix("sqlite:")), WORD) == set()


async def test_what_another_process_reads_is_erased_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, told())
    reading = schema.connect(path, read_only=True)
    reading.execute("BEGIN")
    reading.execute("SELECT count(*) FROM events").fetchone()
    async with await SqliteLog.open(path) as log:
        left = await log.delete("d1", len(told()), "")

        assert not left.is_erased
        assert await log.read("d1") == ()
    reading.close()
    async with await SqliteLog.open(path) as log:
        assert [True] == [each.is_erased for each in await log.tombstones()]
        assert files_with(path, WORD) == set()


async def test_a_backup_of_before_is_known_to_hold_the_debate(tmp_path: Path) -> None:
    path, old, new = tmp_path / "moot.db", tmp_path / "old.db", tmp_path / "new.db"
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, told())
        await log.append("kept", 0, debate())
        back_up(path, old)
        left = await log.delete("d1", len(told()), "taken back")
        made = back_up(path, new)

    assert (left,) == still_held(path, old)
    assert still_held(path, new) == ()
    assert (made.debates, made.events) == (1, len(debate()))
    assert WORD.encode() not in new.read_bytes()
    with pytest.raises(StoreUnavailable, match="no backup"):
        still_held(path, tmp_path / "none.db")


async def test_an_older_moot_refuses_the_store_and_an_older_store_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "moot.db"
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, debate())
        await log.delete("d1", len(debate()), "")
    with monkeypatch.context() as patched:
        patched.setattr(schema, "VERSION", 2)
        with pytest.raises(StoreUnavailable, match=r"has schema 3, written by a newer Moot \(this one knows 2\)"):
            await SqliteLog.open(path, read_only=True)

    older = tmp_path / "older.db"
    async with await SqliteLog.open(older) as log:
        await log.append("d1", 0, debate())
    connection: Any = schema.connect(older, read_only=False)
    connection.executescript("DROP TABLE tombstones; PRAGMA user_version = 2;")
    connection.close()
    async with await SqliteLog.open(older, read_only=True) as log:
        assert await log.tombstones() == ()
    async with await SqliteLog.open(older) as log:
        assert (await log.delete("d1", len(debate()), "")).is_erased

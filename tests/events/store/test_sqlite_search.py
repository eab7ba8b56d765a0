"""The index of a SQLite store: it is built when it is needed, and again when it does not fit the store."""

from pathlib import Path

import pytest

from events.store.sqlite.log import SqliteLog
from events.store.sqlite.search import index_path
from tests.events.samples import opened, spoken

pytestmark = pytest.mark.anyio


async def found(log: SqliteLog, query: str = "tram") -> list[str]:
    return [hit.row.id for hit in (await log.search(query)).hits]


async def test_a_store_without_an_index_gets_one_and_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, [opened(), spoken(1, "One tram.")])
        assert not index_path(path).exists()
        assert ["d1"] == await found(log)
    assert index_path(path).exists()
    async with await SqliteLog.open(path) as log, await SqliteLog.open(path, read_only=True) as reader:
        await log.append("d2", 0, [opened(), spoken(1, "Two trams.")])
        assert ["d2", "d1"] == await found(reader) == await found(log)


@pytest.mark.parametrize("content", [b"", b"no database at all, but longer than a header" * 50])
async def test_an_index_that_cannot_be_read_is_built_again(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "moot.db"
    index_path(path).write_bytes(content)
    async with await SqliteLog.open(path) as log:
        await log.append("d1", 0, [opened(), spoken(1, "One tram.")])
        assert ["d1"] == await found(log)


async def test_the_index_of_another_store_is_built_again(tmp_path: Path) -> None:
    path, other = tmp_path / "moot.db", tmp_path / "other.db"
    for store, text in ((path, "One tram."), (other, "One bus.")):
        async with await SqliteLog.open(store) as log:
            await log.append("d1", 0, [opened(), spoken(1, text)])
            assert 1 == len(await found(log, "one"))
    index_path(other).replace(index_path(path))
    async with await SqliteLog.open(path) as log:
        assert ["d1"] == await found(log)
        assert [] == await found(log, "bus")

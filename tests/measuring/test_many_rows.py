"""The measurement of tables over many debates, by one process and by two: the same bytes."""

from pathlib import Path

import pytest

from server.export.tables import write
from tests.measuring.many_rows import COPIED, PARTS, built, debates_for, measured


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
async def test_two_processes_write_what_one_writes(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "CHUNK_EVENTS", 400)
    store, tables = f"sqlite:{tmp_path / 'moot.db'}", ("debates", "turns", "ledger", "calls")
    count = debates_for(3 * sum(COPIED.values()) - 10)
    reports = []
    await built(store, count - 3)
    await built(store, count)  # only what is not there yet
    for processes in (1, 2):
        (folder := tmp_path / str(processes)).mkdir()
        reports.append(await measured(store, folder, count, form, tables, processes))
    files = [[(tmp_path / which / f"{name}.{form}").read_bytes() for name in tables] for which in "12"]

    assert (12, 12) == (count, reports[0].debates)
    assert PARTS == len(reports[0].resident_mb)
    assert reports[0].rows == reports[1].rows > 12
    assert files[0] == files[1]
    assert sum(map(len, files[0])) == round(reports[0].written_mb * 1e6)

"""The measurement of tables over many debates: it counts what was written, and its memory is that of one debate."""

from pathlib import Path

import pytest

from tests.measuring.many_rows import PARTS, measured


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_report_counts_the_rows_of_the_files(tmp_path: Path) -> None:
    report = await measured(f"sqlite:{tmp_path / 'moot.db'}", tmp_path, 5, "jsonl", ("turns", "ledger"), 4)
    lines = [(tmp_path / f"{name}.jsonl").read_bytes().splitlines() for name in ("turns", "ledger")]

    assert 20 == report.debates
    assert sum(map(len, lines)) == report.rows
    assert 20 * len(set(lines[0])) // 5 == len(lines[0])
    assert PARTS == len(report.resident_mb)
    assert sum(len(line) + 1 for each in lines for line in each) == round(report.written_mb * 1e6)

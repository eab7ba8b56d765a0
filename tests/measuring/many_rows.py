"""Tables over a store with many copies of a debate: rows, seconds, bytes, and the memory that they take.

``python -m tests.measuring.many_rows --copies 6000`` makes a store of copies of the exhibition juries in a temporary
folder, writes tables of it, and prints a line for every tenth of the rows: memory must not grow with them.
"""

import resource
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
from msgspec import Struct

from events.record import copied_into, digest_before_first
from events.store.log import EventLog
from events.store.open import opened_log
from events.transfer import parse_lines, read_lines
from server.cli.output import run_async
from server.cli.store.tables import write_tables
from server.export.tables import TABLES
from tests.measuring.spectators import resident_kb

GOLDEN: Final = Path(__file__).parents[1] / "events/view/golden/0.1-juries_v3.ndjson"
PARTS: Final = 10


class RowsReport(Struct, frozen=True, kw_only=True):
    """The result.  ``resident_mb``: resident memory after each tenth of the debates."""

    debates: int
    events: int
    rows: int
    seconds: float
    written_mb: float
    resident_mb: tuple[float, ...]

    @property
    def grown_mb(self) -> float:
        """Memory at the end, beyond that after the first tenth."""
        return self.resident_mb[-1] - self.resident_mb[0]


async def build(log: EventLog, copies: int) -> int:
    """Fill a store with copies of a debate; the number of events."""
    with GOLDEN.open("rb") as lines:
        records = parse_lines(read_lines(lines))
    for number in range(copies):
        debate = f"copy-{number:06}"
        await log.adopt(tuple(copied_into(debate, digest_before_first(debate), records)))
    return copies * len(records)


async def measured(store: str, folder: Path, copies: int, form: str, names: tuple[str, ...], again: int) -> RowsReport:
    """Write tables of a store of copies, each of which is read ``again`` times as often."""
    resident: list[float] = []
    async with opened_log(store) as log:
        events = await build(log, copies)

        async def debates() -> AsyncIterator[str]:
            for number in range(whole := copies * again):
                yield f"copy-{number % copies:06}"
                if (number + 1) * PARTS // whole > number * PARTS // whole:
                    resident.append(resident_kb() / 1024)

        files = {name: (folder / f"{name}.{form}").open("wb") for name in names}
        began = time.perf_counter()
        try:
            read, counts = await write_tables(log, form, files, debates())
            written = sum(each.tell() for each in files.values())
        finally:
            for file in files.values():
                file.close()
    return RowsReport(
        debates=read,
        events=events * again,
        rows=sum(counts.values()),
        seconds=time.perf_counter() - began,
        written_mb=written / 1e6,
        resident_mb=tuple(resident),
    )


@click.command
@click.option("--copies", default=1000, show_default=True, help="Debates in the store.")
@click.option("--again", default=1, show_default=True, help="How often each of them is read.")
@click.option("--as", "form", type=click.Choice(["csv", "jsonl", "parquet"]), default="parquet", show_default=True)
@click.option("--table", "names", type=click.Choice(list(TABLES)), multiple=True, help="Without it: all.")
def main(copies: int, again: int, form: str, names: tuple[str, ...]) -> None:
    """Write tables of a store of copies, and print what that took."""
    with TemporaryDirectory(prefix="moot-rows-") as temporary:
        folder = Path(temporary) / "tables"
        folder.mkdir()
        store = f"sqlite:{temporary}/moot.db"
        report = run_async(lambda: measured(store, folder, copies, form, names or tuple(TABLES), again))
    click.echo(
        f"{report.rows:,} rows of {report.debates:,} debates, {report.events:,} events, as {form}:"
        f" {report.seconds:.1f} s, {report.rows / report.seconds:,.0f} rows a second, {report.written_mb:.1f} MB"
    )
    click.echo(f"resident MB by tenth: {', '.join(f'{each:.0f}' for each in report.resident_mb)}")
    click.echo(f"peak: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()

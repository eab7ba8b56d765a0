"""Tables over a store with many copies of debates: rows, seconds, seconds of computing, bytes, and memory.

``python -m tests.measuring.many_rows --rows 10_000_000`` makes a store of copies of the exhibitions in a temporary
folder, writes all tables of it, and prints the memory after every tenth of the debates: it must not grow with them.
``--store FILE`` keeps the store, so that the next measurement finds it; a smaller one reads only a part of it.
"""

import resource
import time
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import anyio
import click
from msgspec import Struct

from events.record import Recorded, copied_into, digest_before_first
from events.store.log import EventLog
from events.store.open import opened_log
from events.transfer import parse_lines, read_lines
from server.cli.output import run_async
from server.export.tables import TABLES
from server.export.tables.write import ChosenDebate, usual_processes, write_tables
from tests.measuring.spectators import resident_kb

GOLDEN: Final = Path(__file__).parents[1] / "events/view/golden"
COPIED: Final[dict[str, int]] = {"0.1-cars": 369, "0.1-homework": 415, "0.1-juries": 220, "0.1-juries_v3": 264}
"""The debates that are copied, in turn, and the rows of each in all tables."""
PARTS: Final = 10
AT_ONCE: Final = 50
"""Debates that are written in one transaction."""


class RowsReport(Struct, frozen=True, kw_only=True):
    """The result.  ``resident_mb``: memory of the process that writes, after each tenth of the debates."""

    debates: int
    events: int
    rows: int
    seconds: float
    written_mb: float
    resident_mb: tuple[float, ...]


def copied() -> list[tuple[Recorded, ...]]:
    """The debates that are copied."""
    found = []
    for name in COPIED:
        with (GOLDEN / f"{name}.ndjson").open("rb") as lines:
            found.append(parse_lines(read_lines(lines)))
    return found


def name_of(number: int) -> str:
    """The id of a copy."""
    return f"copy-{number:06}"


def debates_for(rows: int) -> int:
    """How many copies have at least so many rows."""
    whole, left = divmod(rows, sum(COPIED.values()))
    count, each = whole * len(COPIED), iter(COPIED.values())
    while left > 0:
        left -= next(each)
        count += 1
    return count


async def build(log: EventLog, count: int) -> None:
    """Fill a store with copies, as far as it has them not yet."""
    debates = copied()

    async def adopt(number: int) -> None:
        name = name_of(number)
        await log.adopt(tuple(copied_into(name, digest_before_first(name), debates[number % len(debates)])))

    there = 0
    while there < count and await log.head(name_of(there)):
        there += AT_ONCE
    for first in range(max(there - AT_ONCE, 0), count, AT_ONCE):
        async with anyio.create_task_group() as tasks:
            for number in range(first, min(first + AT_ONCE, count)):
                if first >= there or not await log.head(name_of(number)):
                    tasks.start_soon(adopt, number)


async def measured(
    store: str, folder: Path, count: int, form: str, names: tuple[str, ...], processes: int
) -> RowsReport:
    """Write tables of the first ``count`` copies in a store."""
    resident: list[float] = []
    events = [len(each) for each in copied()]

    async def debates() -> AsyncIterator[ChosenDebate]:
        for number in range(count):
            yield ChosenDebate(name_of(number), events[number % len(events)])
            if (number + 1) * PARTS // count > number * PARTS // count:
                resident.append(resident_kb() / 1024)

    async with opened_log(store, read_only=True) as log:
        files: dict[str, Any] = {name: (folder / f"{name}.{form}").open("wb") for name in names}
        began = time.perf_counter()
        try:
            read, counts = await write_tables(log, form, files, debates(), store=store, processes=processes)
            written = sum(each.tell() for each in files.values())
        finally:
            for file in files.values():
                file.close()
    return RowsReport(
        debates=read,
        events=sum(events[number % len(events)] for number in range(count)),
        rows=sum(counts.values()),
        seconds=time.perf_counter() - began,
        written_mb=written / 1e6,
        resident_mb=tuple(resident),
    )


async def built(store: str, count: int) -> None:
    """A store with at least so many copies."""
    async with opened_log(store) as log:
        await build(log, count)


def used(who: int) -> tuple[float, float]:
    """Seconds of computing and the peak of memory, in MB, of this process or of the largest of its children."""
    told = resource.getrusage(who)
    return told.ru_utime + told.ru_stime, told.ru_maxrss / 1024


@click.command
@click.option("--rows", default=1_000_000, show_default=True, help="Rows of all tables together, at least.")
@click.option("--as", "form", type=click.Choice(["csv", "jsonl", "parquet"]), default="parquet", show_default=True)
@click.option("--table", "names", type=click.Choice(list(TABLES)), multiple=True, help="Without it: all.")
@click.option("--processes", type=int, help="Processes that read.  Without it: one for each core.")
@click.option("--store", "kept", type=click.Path(path_type=Path), help="The store to make and to keep.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="A folder that keeps the tables.")
@click.option("--build", "only_build", is_flag=True, help="Make the store and measure nothing.")
def main(
    rows: int,
    form: str,
    names: tuple[str, ...],
    processes: int | None,
    kept: Path | None,
    output: Path | None,
    *,
    only_build: bool,
) -> None:
    """Write tables of a store of copies, and print what that took."""
    count = debates_for(rows)
    with TemporaryDirectory(prefix="moot-rows-") as temporary, nullcontext(output or Path(temporary) / "tables") as to:
        to.mkdir(parents=True, exist_ok=True)
        store = f"sqlite:{kept or Path(temporary) / 'moot.db'}"
        run_async(lambda: built(store, count))
        if only_build:
            return
        before = used(resource.RUSAGE_SELF)[0]
        reading = processes or usual_processes(store)
        report = run_async(lambda: measured(store, to, count, form, names or tuple(TABLES), reading))
    (cpu, peak), (child_cpu, child_peak) = used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN)
    click.echo(
        f"{report.rows:,} rows of {report.debates:,} debates, {report.events:,} events, as {form}, by {reading}"
        f" processes: {report.seconds:.1f} s, {report.rows / report.seconds:,.0f} rows a second,"
        f" {report.written_mb:.1f} MB"
    )
    click.echo(f"seconds of computing: {cpu - before:.1f} in the process that writes, {child_cpu:.1f} in the others")
    click.echo(f"resident MB by tenth: {', '.join(f'{each:.0f}' for each in report.resident_mb)}")
    click.echo(f"peak MB: {peak:.0f}, of another process {child_peak:.0f}")


if __name__ == "__main__":
    main()

"""``moot export --as csv``, ``jsonl`` or ``parquet``: debates as tables, read one after another."""

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from events.store.listing import ALL as EVERYTHING
from events.store.log import EventLog, read_rows
from server.cli.options import find_debate, limits_of, open_store
from server.cli.output import replaced_file, run_async
from server.errors import BadField
from server.export.tables import TABLES
from server.export.tables.forms import PARQUET
from server.export.tables.write import ChosenDebate, usual_processes, write_tables
from server.settings import Settings

ALL: Final = "all"
"""In place of the names of tables."""


def export_tables(
    settings: Settings,
    form: str,
    tables: Sequence[str],
    debates: Sequence[str],
    only: Mapping[str, Any],
    output: Path | None,
) -> None:
    """Write tables of these debates, or of the listed ones that ``only`` limits.

    One table goes to ``output`` or stdout, several go to files in the folder ``output``.
    """
    names = tuple(TABLES) if ALL in tables else tuple(dict.fromkeys(tables))
    if not names:
        raise BadField("table", f"--as {form} needs a --table: {', '.join(TABLES)}, or {ALL}")
    if len(names) > 1 and output is None:
        raise BadField("output", "several tables need a folder: -o DIR")
    check_choice(debates, only)
    if output is None:
        check_terminal(form)
    with ExitStack() as files:
        if len(names) > 1:
            assert output is not None, "several tables need a folder"
            output.mkdir(parents=True, exist_ok=True)
            targets = {name: files.enter_context(replaced_file(output / f"{name}.{form}")) for name in names}
        else:
            target = replaced_file(output) if output else nullcontext(sys.stdout.buffer)
            targets = {names[0]: files.enter_context(target)}
        read, rows = run_async(lambda: _export(settings, form, targets, debates, only))
    if output:
        counts = ", ".join(f"{rows[name]:,} rows of {name}" for name in names)
        click.echo(f"wrote {counts} from {read:,} {'debate' if read == 1 else 'debates'} to {output}", err=True)


def check_choice(debates: Sequence[str], only: Mapping[str, Any]) -> None:
    """Raise ``BadField`` if debates are named and limited too."""
    if debates and any(only.values()):
        raise BadField("id", "give ids, or what the debates are limited to, not both")


def check_terminal(form: str) -> None:
    """Raise ``BadField`` if Parquet would go to a terminal."""
    if form == PARQUET and sys.stdout.isatty():
        raise BadField("as", "parquet is no text: send it to a file with > table.parquet")


async def _export(
    settings: Settings, form: str, targets: Mapping[str, BinaryIO], debates: Sequence[str], only: Mapping[str, Any]
) -> tuple[int, dict[str, int]]:
    """The number of debates that were read, and of the rows of each table."""
    async with open_store(settings) as log:
        chosen, processes = chosen_debates(log, debates, only), usual_processes(settings.store)
        return await write_tables(log, form, targets, chosen, store=settings.store, processes=processes)


async def chosen_debates(log: EventLog, debates: Sequence[str], only: Mapping[str, Any]) -> AsyncIterator[ChosenDebate]:
    """The debates that are named, or those that are listed, newest first."""
    for prefix in debates:
        found = await find_debate(log, prefix)
        yield ChosenDebate(found, await log.head(found))
    if not debates:
        limits = EVERYTHING if only["everything"] else limits_of(only)
        async for row in read_rows(log, limits, only["query"]):
            yield ChosenDebate(row.id, row.position)

"""``moot export --as inspect``: debates as a log of Inspect."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from server.cli.options import open_store
from server.cli.output import replaced_file, run_async
from server.cli.store.tables import check_choice, chosen_debates
from server.errors import BadField
from server.export.evals import ENDING, write_evals
from server.settings import Settings

INSPECT: Final = "inspect"


def export_evals(settings: Settings, debates: Sequence[str], only: Mapping[str, Any], output: Path | None) -> None:
    """Write a log with a sample for each debate that is named, or listed with the limits of ``only``."""
    check_choice(debates, only)
    if output is None and sys.stdout.isatty():
        raise BadField("output", f"a log of Inspect is no text: -o FILE{ENDING}")
    if output is not None and output.suffix != ENDING:
        raise BadField("output", f"Inspect reads a log by the end of its name: it must be {ENDING}")
    with replaced_file(output) if output else nullcontext(sys.stdout.buffer) as file:
        written = run_async(lambda: _export(settings, debates, only, file))
    if output:
        click.echo(f"wrote {written:,} {'sample' if written == 1 else 'samples'} to {output}", err=True)


async def _export(settings: Settings, debates: Sequence[str], only: Mapping[str, Any], file: BinaryIO) -> int:
    async with open_store(settings) as log:
        return await write_evals(log, chosen_debates(log, debates, only), file)

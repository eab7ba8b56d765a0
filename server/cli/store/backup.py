"""``moot backup``: copy the whole store while its server runs."""

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from events.store.address import sqlite_path
from events.store.sqlite.backup import Backup, back_up, still_held
from events.text.figures import rounded
from server.cli.options import with_json, with_settings
from server.cli.output import emit
from server.debate.deletion import shown_tombstone
from server.errors import BadField
from server.settings import Settings


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--deleted",
    is_flag=True,
    help="Copy nothing: list the deleted debates of the store that FILE, an older backup, still holds.",
)
@with_settings
@with_json
def backup(settings: Settings, file: Path, *, deleted: bool, as_json: bool) -> None:
    """Copy the whole store to a file while its server runs.

    The copy is checked before it gets its name: the structure of the file, and the chain of every debate.  An existing
    file is not replaced.  To restore a copy, stop the server and put the copy in place of the store.
    """
    path = sqlite_path(settings.store)
    if path is None:
        raise BadField("store", f"{settings.store} is not a file: back it up with the tools of its database")
    if deleted:
        _show_held(path, file, as_json=as_json)
        return
    made = _back_up_with_bar(path, file) if sys.stderr.isatty() else back_up(path, file)
    if as_json:
        emit(made)
        return
    size = f"{rounded(made.bytes / 1_000_000)} MB"
    debates = f"{made.debates} debate{'' if made.debates == 1 else 's'}"
    click.echo(f"{debates}, {made.events} events, {size}: every chain is valid", err=True)
    click.echo(made.file)


def _show_held(store: Path, file: Path, *, as_json: bool) -> None:
    """Print the deleted debates that a backup still holds."""
    held = still_held(store, file)
    if as_json:
        emit([shown_tombstone(left) for left in held])
        return
    for left in held:
        click.echo(left.debate)
    count = f"{len(held)} deleted debate{'' if len(held) == 1 else 's'}"
    click.echo(f"{file} still holds the texts of {count} of this store", err=True)


def _back_up_with_bar(path: Path, file: Path) -> Backup:
    """Back up with a progress bar, on a terminal."""
    columns = TextColumn("copying"), BarColumn(), TaskProgressColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("copying", total=None)
        return back_up(path, file, lambda done, every: progress.update(task, completed=done, total=every))

"""``moot archive`` and ``moot restore``: many debates in one file, and back."""

from pathlib import Path
from typing import Any

import click
import msgspec

from events.errors import BadTransfer
from events.store.address import sqlite_path
from events.store.listing import Summary
from events.store.log import read_rows
from events.store.open import opened_log
from events.text.figures import rounded
from events.transfer import Imported, import_debate
from server.cli.client import asked_server
from server.cli.options import find_debate, open_store, with_json, with_rule, with_settings
from server.cli.output import emit, run_async
from server.cli.store.delete import ask, delete_by_rule, rule_of, say_kept
from server.client.connection import AsyncClient
from server.debate.adoption import check_debate
from server.errors import BadField, CannotServe, NotFound, NotNow
from server.keeping.archive import CheckedArchive, Manifest, conflicts, opened, write
from server.keeping.rule import Chosen, Rule, chosen
from server.settings import Settings


@click.command()
@click.argument("debates", metavar="[ID]...", nargs=-1)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The file, which must not exist.")
@with_rule
@click.option("--delete", "deletes", is_flag=True, help="Then delete these debates; moot restore brings them back.")
@click.option("--reason", default="moved to an archive", show_default=True, help="Of --delete, as of moot delete.")
@click.option("--yes", is_flag=True, help="Do not ask before --delete.  Without a terminal it is needed.")
@with_settings
@with_json
def archive(
    settings: Settings,
    debates: tuple[str, ...],
    output: Path,
    reason: str,
    *,
    deletes: bool,
    yes: bool,
    as_json: bool,
    **only: Any,
) -> None:
    """Write debates to one file, and delete them if asked.

    The file is a zip with their logs to the byte, the documents in them, and a manifest with digests.  It takes the
    debates that are named, or those of a rule, with the forks, rejudged debates and lab runs made of them; hidden,
    archived and unlisted ones too.  A debate that runs is taken as far as it is now, and with --delete not at all.  The
    file is synced and checked from its first byte to its last before it gets its name.
    """
    if bool(debates) == any(only.values()):
        raise BadField("id", "give ids, or a rule: --older-than, --tag, --state, --format")
    found, rows = run_async(lambda: _found(settings, debates, rule_of(only), deletes=deletes))
    for name, why in found.kept.items() if debates else ():
        raise NotNow(f"debate {name} cannot be deleted: {why}")
    if not rows:
        say_kept(found)
        raise NotFound("no debate fits, so there is no archive")
    if deletes:
        ask(f"Delete {_debates(len(rows))} once the archive is written?", yes=yes)
    try:
        manifest = run_async(lambda: _write(settings, rows, output))
    except OSError as error:
        raise CannotServe(f"the archive {output} cannot be written: {error.strerror or error}") from error
    click.echo(f"wrote {_size(manifest, output)}", err=True)
    say_kept(found)
    stayed = _delete_them(settings, manifest, found, reason) if deletes else ()
    if as_json:
        emit({"file": str(output), "manifest": manifest, "kept": found.kept, "stayed": stayed})
    else:
        click.echo(output)
    if stayed:
        raise click.exceptions.Exit(1)


def _delete_them(settings: Settings, manifest: Manifest, found: Chosen, reason: str) -> tuple[str, ...]:
    """Delete what was archived, as far as nothing was recorded since; what stayed."""
    archived = {each.debate: each.events for each in manifest.debates}
    found = msgspec.structs.replace(found, positions=archived)
    deleted: list[dict[str, Any]]
    stayed: tuple[str, ...]
    deleted, stayed = run_async(lambda: delete_by_rule(settings, found, reason, archived=True))
    click.echo(f"deleted {_debates(len(deleted))}", err=True)
    for each in stayed:
        click.echo(f"not deleted, because it changed meanwhile: {each}", err=True)
    return stayed


async def _found(
    settings: Settings, debates: tuple[str, ...], rule: Rule, *, deletes: bool
) -> tuple[Chosen, tuple[Summary, ...]]:
    """What is archived, and its rows; the oldest debate first."""
    async with open_store(settings) as log:
        if debates:
            rule = msgspec.structs.replace(rule, debates=tuple([await find_debate(log, each) for each in debates]))
        found = await chosen(log, rule, to_delete=deletes)
        wanted = set(found.debates)
        rows = [row async for row in read_rows(log) if row.id in wanted]
        return found, tuple(sorted(rows, key=lambda row: (row.opened_at, row.id)))


async def _write(settings: Settings, rows: tuple[Summary, ...], output: Path) -> Manifest:
    async with open_store(settings) as log:
        return await write(log, rows, output)


def _debates(count: int) -> str:
    return f"{count:,} debate{'' if count == 1 else 's'}"


def _size(manifest: Manifest, file: Path) -> str:
    events = sum(each.events for each in manifest.debates)
    size = rounded(file.stat().st_size / 1_000_000)
    return f"{_debates(len(manifest.debates))}, {events:,} events, {size} MB: every chain and every digest is right"


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Check the file and list what is in it; restore nothing.")
@with_settings
@with_json
def restore(settings: Settings, file: Path, *, only_check: bool, as_json: bool) -> None:
    """Bring back the debates of an archive, to the byte.

    The whole file is checked first, and nothing is restored from one in which a byte is changed, nor if the store holds
    another debate of one of these ids, or deleted one of them for ever.  Debates that are there already stay as they
    are, so the command can be repeated, also after it was killed.  A debate that had not ended is paused.
    """
    try:
        with opened(file) as archived:
            if only_check:
                _list(archived.manifest, as_json=as_json)
                return
            restored = run_async(lambda: _restore(settings, archived))
    except OSError as error:
        raise NotFound(f"cannot read {file}: {error.strerror or error}") from error
    if as_json:
        emit({"restored": restored})
        return
    for each in restored:
        if not each.already:
            click.echo(each.debate)
    new = sum(not each.already for each in restored)
    there = len(restored) - new
    click.echo(f"restored {_debates(new)}" + (f"; {there:,} were there already" if there else ""), err=True)
    if paused := sum(each.paused for each in restored):
        click.echo(f"{_debates(paused)} had not ended: paused, moot run --resume goes on", err=True)


def _list(manifest: Manifest, *, as_json: bool) -> None:
    if as_json:
        emit(manifest)
        return
    for each in manifest.debates:
        click.echo(each.debate)
    events = sum(each.events for each in manifest.debates)
    click.echo(f"{_debates(len(manifest.debates))}, {events:,} events: every chain and every digest is right", err=True)


async def _restore(settings: Settings, archived: CheckedArchive) -> list[Imported]:
    path = sqlite_path(settings.store)
    if path is None or path.exists():
        async with opened_log(settings.store, read_only=True) as log:
            for debate, why in (await conflicts(log, archived.manifest)).items():
                raise BadTransfer(f"debate {debate}: {why}; nothing was restored")
    if address := asked_server(settings):
        async with AsyncClient(address, settings.token) as client:
            return [
                msgspec.convert(await client.send("/api/import", b"".join(archived.lines(each))), Imported)
                for each in archived.manifest.debates
            ]
    async with opened_log(settings.store) as log:
        return [await import_debate(log, archived.lines(each), check_debate) for each in archived.manifest.debates]

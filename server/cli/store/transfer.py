"""``moot verify``, ``moot export``, ``moot import``: debates as files, and their check."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec
from anyio import to_thread

from events.errors import DebateDeleted
from events.state.parts.evidence import INITIAL as NO_EVIDENCE
from events.store.log import EventLog, read_pages
from events.store.open import opened_log
from events.text.figures import rounded
from events.transfer import Imported, import_debate, read_lines
from events.transfer import export as export_lines
from events.verify import Verification, verify_lines, verify_log
from events.view import view as views
from events.view.view import View
from server.cli.client import asked_server
from server.cli.options import find_debate, open_store, with_json, with_limits, with_settings, with_store
from server.cli.output import emit, replaced_file, run_async, settings_of
from server.cli.store.evals import INSPECT, export_evals
from server.cli.store.tables import export_tables
from server.client.connection import AsyncClient
from server.debate.adoption import check_debate
from server.errors import BadField, CannotServe, NotFound
from server.export.archive import Archive, archive_of
from server.export.argument_audit import argument_audits
from server.export.audit import Auditor
from server.export.debate.transcript import as_markdown
from server.export.html import html_export
from server.export.map.forms import MAPS
from server.export.map.read import map_of
from server.export.tables import TABLES
from server.export.tables.forms import FORMS as TABLE_FORMS
from server.export.text import escape_controls
from server.settings import Settings

BROKEN = 4
OF_MAPS = ["aif", "argdown"]
FORMS = ["ndjson", "json", "md", "html", "audio", *OF_MAPS]


@click.command()
@click.argument("what", metavar="ID|FILE")
@with_store
@with_json
@click.pass_context
def verify(context: click.Context, what: str, store: str | None, *, as_json: bool) -> None:
    """Check the chain of a log, and name the first event that is broken.

    It checks a debate in the store, or an exported file. moot receipt --check verifies a signed receipt and its log.
    """
    if os.path.isfile(what):  # noqa: PTH113 - Path.is_file raises for a name that is too long
        try:
            with Path(what).open("rb") as file:
                verdict = verify_lines(read_lines(file))
        except OSError as error:
            raise NotFound(f"cannot read {what}: {error.strerror}") from error
    else:
        settings = settings_of(context, store=store)
        verdict = run_async(lambda: _verify(settings, what))
    if as_json:
        emit(verdict)
    elif verdict.ok and verdict.deleted_at:
        click.echo(
            f"{verdict.events} events of debate {escape_controls(verdict.debate)}, deleted on"
            f" {verdict.deleted_at[:10]}, reason: {escape_controls(verdict.reason or 'none given')}:"
            " the chain of the digests is whole"
        )
    elif verdict.ok:
        click.echo(f"the chain is valid: {verdict.events} events of debate {escape_controls(verdict.debate)}")
    else:
        click.echo(f"BROKEN at position {verdict.broken_at}: {escape_controls(verdict.why)}")
    if not verdict.ok:
        raise click.exceptions.Exit(BROKEN)


async def _verify(settings: Settings, what: str) -> Verification:
    async with open_store(settings) as log:
        try:
            debate = await find_debate(log, what)
        except DebateDeleted as error:
            debate = error.debate  # its tombstone verifies
        return await verify_log(log, debate)


@click.command()
@click.argument("debates", metavar="[ID]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to a file instead of stdout; several tables, to a folder.",
)
@click.option("--as", "form", type=click.Choice([*FORMS, INSPECT, *TABLE_FORMS]), default="ndjson", show_default=True)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Choice([*TABLES, "all"]),
    help="Of csv, jsonl and parquet the table; give it once for each, or all.  docs/tables.md has their columns.",
)
@with_limits
@click.option(
    "--everything", is_flag=True, help="Of tables and inspect all debates: hidden, archived and unlisted ones too."
)
@click.option(
    "--without-calls", is_flag=True, help="Leave the prompts and raw answers out of the html: a smaller file."
)
@click.option(
    "--all-evidence", is_flag=True, help="Write all documents into md and html, not only the passages that are cited."
)
@click.option("--voice", metavar="SPEC", help="Of audio: openai:MODEL or openai:MODEL@URL.  [MOOT_VOICE]")
@with_store
@click.pass_context
def export(
    context: click.Context,
    /,
    debates: tuple[str, ...],
    output: Path | None,
    form: str,
    tables: tuple[str, ...],
    voice: str | None,
    store: str | None,
    *,
    without_calls: bool,
    all_evidence: bool,
    **only: Any,
) -> None:
    r"""Write the log, the view, a transcript, a page or a recording of a debate, or tables of debates.

    ndjson can be imported and verified; json is the view; md is a transcript; html is one file that replays the debate
    in any browser without a network; audio is a recording with chapters, spoken by the voice of --voice; aif and
    argdown are the map of its arguments.

    inspect is a log of Inspect with a sample for each debate; csv, jsonl and parquet are tables.  These are of the
    debates that are named, or of all that moot list would show with the same options:

    \b
      moot export --as csv --table turns > turns.csv
      moot export --as parquet --table all --winner pro -o DIR
      moot export --as inspect --tag rerun -o logs/moot.eval
    """
    settings = settings_of(context, store=store, voice=voice)
    if form in TABLE_FORMS:
        with _written(output):
            export_tables(settings, form, tables, debates, only, output)
        return
    if tables:
        raise BadField("as", f"tables are of --as {', '.join(TABLE_FORMS)}, not of {form}")
    if form == INSPECT:
        with _written(output):
            export_evals(settings, debates, only, output)
        return
    if any(only.values()):
        raise BadField("as", f"limits are of --as {', '.join((INSPECT, *TABLE_FORMS))}, not of {form}")
    if len(debates) != 1:
        raise click.UsageError(f"--as {form} is of one debate: give its ID")
    if form == "audio" and output is None and sys.stdout.isatty():
        raise BadField("output", "audio needs a file: -o FILE")
    with _written(output), replaced_file(output) if output else nullcontext(sys.stdout.buffer) as file:
        parts = {"with_calls": not without_calls, "all_evidence": all_evidence}
        written = run_async(lambda: _export(settings, debates[0], form, file, **parts))
    if output:
        click.echo(f"wrote {written} events to {output}", err=True)


@contextmanager
def _written(output: Path | None) -> Iterator[None]:
    """Raise ``CannotServe`` if the output cannot be written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotServe(f"cannot write {output or 'the export'}: {error.strerror}") from error


async def _export(
    settings: Settings, prefix: str, form: str, file: BinaryIO, *, with_calls: bool, all_evidence: bool
) -> int:
    async with open_store(settings) as log:
        debate = await find_debate(log, prefix)
        if form == "ndjson":
            written = 0
            async for line in export_lines(log, debate):
                file.write(line)
                written += 1
            file.flush()
            return written
        if form == "html":
            archive = await archive_of(log, debate, with_calls=with_calls, all_evidence=all_evidence)
            return await _write_page(archive, file)
        if form in OF_MAPS:
            found = await map_of(log, debate)
            file.write(MAPS[form](found))
            file.flush()
            return found.position
        fold = views.INITIAL
        async for page in read_pages(log, debate):
            fold = views.apply_all(fold, page)
        view, auditor = views.for_director(fold), Auditor(fold)
        pack = fold.debate.evidence if all_evidence else NO_EVIDENCE
        if form == "audio":
            return await _write_audio(settings, log, view, file)
        if form == "json":
            shown = msgspec.json.encode(view)
        else:
            shown = as_markdown(view, auditor.audits(), pack, argument_audits(auditor)).encode()
        file.write(shown + b"\n")
        file.flush()
        return fold.view.position


async def _write_audio(settings: Settings, log: EventLog, view: View, file: BinaryIO) -> int:
    """Write the recording; print its chapters."""
    from server.speech.recording import record  # noqa: PLC0415 - the clients of HTTP take a while to import
    from server.speech.speaker import Speaker  # noqa: PLC0415 - likewise

    made = await record(Speaker(settings, log), view, lambda: None)
    file.write(made.sound.body)
    file.flush()
    for each in made.chapters:
        minutes, seconds = divmod(each.start_ms // 1000, 60)
        click.echo(f"{minutes}:{seconds:02}  {escape_controls(each.title)}", err=True)
    return view.position


async def _write_page(archive: Archive, file: BinaryIO) -> int:
    """Write the file that replays; print its size and what it leaves out."""
    size = 0
    async for part in html_export(archive):
        size += file.write(part)
    file.flush()
    calls = f", of which the model calls {_size(archive.calls_bytes)}" if archive.has_calls else ""
    click.echo(f"the page has {_size(size)}{calls}", err=True)
    if not archive.revealed:
        click.echo("the debate has not ended: the page holds only what a spectator may see", err=True)
    return archive.position


def _size(count: int) -> str:
    return f"{rounded(count / 1_000_000)} MB"


@click.command("import")
@click.argument("file", metavar="FILE")
@with_settings
@with_json
def import_(settings: Settings, file: str, *, as_json: bool) -> None:
    """Import an exported debate.  A debate that had not ended is paused; moot run --resume continues it."""
    try:
        with Path(file).open("rb") if file != "-" else nullcontext(sys.stdin.buffer) as lines:
            imported = run_async(lambda: _import(settings, lines))
    except OSError as error:
        raise NotFound(f"cannot read {file}: {error.strerror}") from error
    if as_json:
        emit(imported)
        return
    note = "was already in the store" if imported.already else f"imported, {imported.events} events"
    paused = "; it had not ended and is paused" if imported.paused else ""
    click.echo(f"{note}{paused}", err=True)
    click.echo(imported.debate)


async def _import(settings: Settings, file: BinaryIO) -> Imported:
    if address := asked_server(settings):
        lines = await to_thread.run_sync(file.read)
        async with AsyncClient(address, settings.token) as client:
            return msgspec.convert(await client.send("/api/import", lines), Imported)
    async with opened_log(settings.store) as log:
        return await import_debate(log, read_lines(file), check_debate)

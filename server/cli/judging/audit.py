"""``moot audit``: the score of a turn, entry by entry."""

from typing import Final

import click
from msgspec import UNSET

from events.store.log import read_all
from events.types import Side
from judge.rubrics.rubric import change_name
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import NotFound
from server.export.audit import Audit, AuditEntry, Auditor
from server.export.debate.exchange import audit_lines, components, entry_quotes
from server.export.debate.transcript import verdict_sections
from server.export.document import Block, Column, Listing, Paragraph, Section, Table
from server.export.document.terminal import show
from server.export.labels import named
from server.export.wording import SIGNS
from server.settings import Settings

COLUMNS: Final[tuple[str | Column, ...]] = (
    Column("event", "n"),
    "dimension",
    "rule",
    *(Column(name, "n") for name in ("before", "requested", "applied", "after", "because of")),
    "why",
)


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("turn", type=click.IntRange(1), required=False)
@with_settings
@with_json
def audit(settings: Settings, debate: str, turn: int | None, *, as_json: bool) -> None:
    """Explain the score of a turn, entry by entry, and the verdict.

    Without a turn all turns are explained, then what the verdict of the scores rests on.

    The first line has the points of the first score.  The table shows each later change: what was requested, what was
    applied, and why.  Of a flaw, the judge's own points are the request.  Below it stand the points of each component
    with the judge's reason and quote, then what was not checked, not answered or refused, and the second opinions.
    """
    audits, first = run_async(lambda: _audits(settings, debate, turn))
    if as_json:
        emit(audits[0] if turn is not None else audits)
        return
    show(*(_section(each, first) for each in audits), *(verdict_sections(audits) if turn is None else ()))


async def _audits(settings: Settings, prefix: str, turn: int | None) -> tuple[list[Audit], Side]:
    """The audits, and the side that spoke first."""
    auditor = Auditor()
    async with open_store(settings) as log:
        debate = await find_debate(log, prefix)
        async for record in read_all(log, debate):
            auditor.take(record)
    audits = [each for each in auditor.audits() if turn in {None, each.turn}]
    if turn is not None and not audits:
        raise NotFound(f"debate {debate} has no turn {turn}")
    return audits, auditor.debate.ledger.sides.get(1, "pro")


def _section(audit: Audit, first: Side) -> Section:
    blocks: list[Block] = []
    if audit.entries:
        scores = " · ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in audit.effective.items())
        rows = tuple(_row(each, first) for each in audit.entries if each.kind != "score")
        parts = tuple(components(audit.components or {}, first))
        blocks += [Paragraph(_first_score(audit)), *([Table(COLUMNS, rows)] if rows else [])]
        blocks += [Paragraph(f"stands at {scores}"), Listing(parts)]
    else:
        why = "" if audit.missing is UNSET else f": {audit.missing.reason}"
        blocks.append(Paragraph(f"no score{why}"))
    return Section(f"turn {audit.turn} · {SIGNS[audit.side]}", (*blocks, Listing(tuple(audit_lines(audit, first)))))


def _first_score(audit: Audit) -> str:
    """The points that the turn was given at first, with the limits that lowered the judge's."""
    given = [each for each in audit.entries if each.kind == "score"]
    points = " · ".join(f"{each.dimension.replace('_', ' ')} {_admitted(each)}" for each in given)
    limits = "; ".join(each.reason for each in given if each.reason)
    return f"event {given[0].position}, first score: {points}{f' ({limits})' if limits else ''}"


def _admitted(entry: AuditEntry) -> str:
    was = "" if entry.requested == entry.applied else f" (the judge gave {entry.requested:g})"
    return f"{entry.applied:g}{was}"


def _row(entry: AuditEntry, first: Side) -> tuple[str, ...]:
    requested = entry.given or entry.requested
    return (
        f"{entry.position}",
        entry.dimension.replace("_", " "),
        change_name(entry.rule),
        *(f"{value:g}" for value in (entry.before, requested, entry.applied, entry.after)),
        f"{entry.cause or ''}",
        " · ".join(filter(None, (named(entry.words or entry.reason, first), entry_quotes(entry)))),
    )

"""``moot audit``: the score of a turn, entry by entry."""

import re
from typing import Final

import click
from msgspec import UNSET

from events.store.log import read_pages
from events.types import Side
from events.view import view as views
from judge.rubrics.rubric import change_name
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import NotFound
from server.export.argument_audit import argument_audits
from server.export.audit import Audit, AuditEntry, Auditor
from server.export.debate.arguments import argument_section
from server.export.debate.exchange import audit_lines, components, entry_quotes
from server.export.debate.transcript import LEFT_OPEN, verdict_sections
from server.export.document import Block, Column, Listing, Paragraph, Section, Table
from server.export.document import listed as documented
from server.export.document.terminal import show
from server.export.labels import named
from server.export.wording import SIGNS, listed
from server.settings import Settings

PART: Final = re.compile(r"[1-9][0-9]{0,5}|(?i:pro|con)-[0-9]{1,3}")
"""A turn, or an argument of format protocol."""
COLUMNS: Final[tuple[str | Column, ...]] = (
    Column("event", "n"),
    "dimension",
    "rule",
    *(Column(name, "n") for name in ("before", "requested", "applied", "after", "because of")),
    "why",
)


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("part", metavar="[TURN|ARGUMENT]", required=False)
@with_settings
@with_json
def audit(settings: Settings, debate: str, part: str | None, *, as_json: bool) -> None:
    r"""Explain the score of a turn, entry by entry, and the verdict.

    In format protocol it explains the scores of an argument.  Without a turn or an argument it explains all of them,
    then what the verdict of the scores rests on.

    The first line has the points of the first score.  The table shows each later change: what was requested, what was
    applied, and why.  Of a flaw, the judge's own points are the request.  Below it stand the points of each component
    with the judge's reason and quote, then what was not checked, not answered or refused, and the second opinions.

    Of an argument it shows what was said of it, the judge's points times the weights, what every rater gave, and how
    the scores of the panel and of the side follow from that.

    \b
      moot audit ID 3
      moot audit ID PRO-1
    """
    if part is not None and not PART.fullmatch(part):
        raise click.BadParameter("name a turn by its number, or an argument such as PRO-1", param_hint="TURN|ARGUMENT")
    auditor = run_async(lambda: _auditor(settings, debate))
    number = int(part) if part is not None and part.isdecimal() else None
    if auditor.debate.protocol.arguments and number is None:
        _show_arguments(auditor, part, as_json=as_json)
    else:
        _show_turns(auditor, part, number, as_json=as_json)


async def _auditor(settings: Settings, prefix: str) -> Auditor:
    fold = views.INITIAL
    async with open_store(settings) as log:
        async for page in read_pages(log, await find_debate(log, prefix)):
            fold = views.apply_all(fold, page)
    return Auditor(fold)


def _show_arguments(auditor: Auditor, part: str | None, *, as_json: bool) -> None:
    audits = [each for each in argument_audits(auditor) if part is None or each.argument in {part, part.upper()}]
    if not audits:
        known = listed([*auditor.debate.protocol.arguments])
        raise NotFound(f"debate {auditor.debate.id} has no argument {part}: it has {known}")
    if as_json:
        emit(audits if part is None else audits[0])
        return
    turns = (f"turn {each.turn}, {line}" for each in auditor.audits() for line in audit_lines(each, "pro"))
    show(*map(argument_section, audits), *(documented(LEFT_OPEN, turns, 2) if part is None else ()))


def _show_turns(auditor: Auditor, part: str | None, number: int | None, *, as_json: bool) -> None:
    audits = [each for each in auditor.audits() if part is None or each.turn == number]
    if part is not None and not audits:
        kind = "argument" if number is None else "turn"
        raise NotFound(f"debate {auditor.debate.id} has no {kind} {part}")
    if as_json:
        emit(audits[0] if part is not None else audits)
        return
    first = auditor.debate.ledger.sides.get(1, "pro")
    show(*(_section(each, first) for each in audits), *(verdict_sections(audits) if part is None else ()))


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

"""``moot lab``: how far you can trust the numbers of a judge."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec import UNSET

from events.record import Recorded
from events.short_names import short_name
from events.state import debate as debates
from events.state.debate import Debate
from events.state.usage import UsageTotals, in_usd
from events.store.log import read_all, read_pages
from events.text.figures import rounded
from events.types import ModelAnswered
from events.view import view as views
from events.view.lab import LabView
from events.view.view import View
from judge.errors import BadItem
from judge.lab.items import read_items
from judge.lab.people import read_people
from judge.lab.trials import BATTERIES, Reading, Trial
from providers.imports import load_now
from server.cli.debates.debate_runner import Resumption, run_debate
from server.cli.debates.printer import FeedPrinter, say_opening
from server.cli.options import chosen, find_debate, open_store, with_effort, with_json, with_settings, with_think
from server.cli.output import emit, run_async
from server.cli.store.tables import export_tables
from server.debate.formats.lab.trials import readings_of, trials_of
from server.errors import BadField, NotFound, NotNow
from server.export.document import Column, Document, Paragraph, Section, Table
from server.export.document.terminal import show
from server.export.lab import effect_name
from server.export.lab.figures import shown
from server.export.lab.latex import report_latex
from server.export.lab.report import (
    lab_document,
    must_be_measured,
    report_csv,
    report_figures,
    report_html,
    report_json,
    result_blocks,
)
from server.export.tables.forms import FORMS as TABLE_FORMS
from server.export.wording import as_served
from server.settings import Settings

REPORT: Final = "report"
COMPARE: Final = "compare"
LARGEST: Final = 64 << 20
"""Bytes of a file of items, or of texts that people judged."""


@click.command()
@click.argument("what", nargs=-1, metavar="JUDGE|report ID|compare ID ID")
@click.option("--only", metavar="BATTERY,…", help=f"Batteries to run: {', '.join(BATTERIES)}.")
@click.option(
    "--items",
    type=click.IntRange(1),
    help="The most items in each battery; by default each battery has its own number.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 20),
    help="Times each question is asked; by default each battery has its own number, with which the run finds a bias as "
    "large as the difference that matters.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Chooses the items and their order.")
@click.option("--samples", type=int, default=1, show_default=True, help="Times a question is asked; the median counts.")
@with_think("judge", "the judge is asked", "medium")
@with_effort("--effort")
@click.option("--rubric", metavar="NAME", help="v1, v2, v3, v2-evidence or v3-evidence; by default v3.")
@click.option("--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="Halt the run at this cost.")
@click.option(
    "--from",
    "debates",
    metavar="ID",
    multiple=True,
    help="Compare the turns of this stored debate; the run is as private as it.",
)
@click.option(
    "--from-store",
    is_flag=True,
    help="Compare the turns of the newest concluded debates that are neither hidden nor unlisted.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="A file of arguments or debates that people judged; docs/lab.md has the shapes.",
)
@click.option(
    "--items-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own motions and speeches, in place of those that come with Moot; docs/lab.md has the form.",
)
@click.option("--resume", metavar="ID", help="Resume a run that was interrupted, paused or halted.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["html", "json", "csv", "text", "latex", "jsonl", "parquet"]),
    help="Form of a report, html by default, or of its table: csv by default, jsonl or parquet.",
)
@click.option(
    "--table",
    type=click.Choice(["effects", "trials"]),
    help="Of a report only a table: a row an effect, or a row a call.",
)
@click.option(
    "--figures",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the figures of a report into this folder, as SVG files.",
)
@click.option("--yes", is_flag=True, help="Do not ask whether to begin.")
@with_settings
@with_json
def lab(settings: Settings, /, what: tuple[str, ...], *, as_json: bool, **options: Any) -> None:
    r"""Measure how far you can trust the numbers of a judge.

    The judge is asked its own questions about texts that differ in one respect: their order, their side, their length,
    a citation that looks real, an instruction to the judge.  Each figure has its 95 % interval.  For comparison the
    report says how much the judge differs from itself when it is asked again.  The last line of the output is the id;
    /lab/ID shows the run.

    \b
      moot lab baseline:lexical
      moot lab anthropic:claude-haiku-5-5 --only position,length --items 40 --max-cost 2
      moot lab ollama:qwen3 --only people --data pairs.jsonl
      moot lab --resume ID
      moot lab report ID --as latex
      moot lab report ID --table trials --as csv
      moot lab compare ID ID
    """
    match what, options["resume"]:
        case (("report", debate), None):
            _report(settings, debate, options["form"], options["table"], options["figures"])
        case (("compare", one, two), None):
            _compare(settings, one, two, as_json=as_json)
        case ((), str(debate)):
            resumed = Resumption(debate=debate, max_cost_usd=options["max_cost"])
            printer = LabPrinter(as_json=as_json)
            run_async(lambda: run_debate(settings, resumed, printer))
        case ((judge,), None) if judge not in {REPORT, COMPARE}:
            body, printer = _body(judge, options), LabPrinter(as_json=as_json)
            asks = None if options["yes"] else _begin
            run_async(lambda: run_debate(settings, body, printer, asks))
        case _:
            raise click.UsageError("give a judge, or --resume ID, or report ID, or compare ID ID")


def _begin(cost: float) -> None:
    """Ask whether to begin a run that costs money, if a person can answer."""
    if cost and sys.stdin.isatty():
        click.confirm("Begin?", default=True, abort=True, err=True)


def _body(judge: str, options: dict[str, Any]) -> dict[str, Any]:
    """The body that ``POST /api/debates`` takes for the same run."""
    seat = {"model": judge} | chosen(options, samples="samples", think="judge_think", effort="judge_effort")
    wanted = chosen(options, seed="seed", from_store="from_store", items="items", repeats="repeats")
    if options["only"] is not None:
        wanted["batteries"] = _batteries(options["only"])
    if options["debates"]:
        wanted["debates"] = list(options["debates"])
    if options["items_file"] is not None:
        wanted["material"] = _read(options["items_file"], "items-file", read_items)
    if options["data"]:
        wanted["people"] = [item for path in options["data"] for item in _read(path, "data", read_people)]
    return {"format": "lab", "judge": seat, "lab": wanted} | chosen(options, max_cost_usd="max_cost", rubric="rubric")


def _batteries(text: str) -> list[str]:
    names = [each.strip() for each in text.split(",") if each.strip()]
    for name in names:
        if name not in BATTERIES:
            raise BadField("only", f"{name[:40]!r} is none of {', '.join(BATTERIES)}")
    return names


def _read(path: Path, option: str, read: Callable[[str, bytes], Sequence[Any]]) -> list[Any]:
    """What a file holds, as a request has it.  Raises ``BadField``."""
    try:
        if path.stat().st_size > LARGEST:
            raise BadField(option, f"{path.name} has more than {LARGEST >> 20} MB")
        return [msgspec.to_builtins(each) for each in read(path.name, path.read_bytes())]
    except BadItem as error:
        raise BadField(option, str(error)) from error
    except OSError as error:
        raise BadField(option, f"{path.name} cannot be read: {error.strerror}") from error


class MeasuredRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its result, for a comparison."""

    judge: str
    rubric_digest: str
    trials: tuple[Trial, ...]
    readings: tuple[Reading, ...]


def _common(one: MeasuredRun, other: MeasuredRun) -> tuple[Trial, ...]:
    """The trials of the first run that the second one has too, word for word.

    What a trial of ``family`` knows differs by judge: the speech of its own family.
    """
    known = {each.id: each for each in other.trials}
    same = (each for each in one.trials if each.id in known)
    return tuple(each for each in same if msgspec.structs.replace(each, truth=known[each.id].truth) == known[each.id])


class LabPrinter(FeedPrinter):
    """Prints how far a run is, and its effects at the end."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(as_json=as_json)
        self._is_live = not as_json and sys.stderr.isatty()
        self._tenths = 0

    def note(self, event: dict[str, Any]) -> None:
        """Count an answer; say a pause."""
        match event["type"]:
            case "model_answered" | "model_failed":
                self._count()
            case "debate_paused":
                click.echo(f"paused: {event['reason']}", err=True)

    def event(self, event: dict[str, Any]) -> None:
        """Print the opening."""
        if event["type"] == "debate_opened":
            say_opening(event, "judge")

    def _count(self) -> None:
        """Show the progress: a line that changes on a terminal, else a line for each tenth."""
        batteries = self.view["lab"]["batteries"].values()
        done, all_ = sum(each["answered"] for each in batteries), sum(each["trials"] for each in batteries)
        totals = msgspec.convert(self.view["usage"], UsageTotals)
        line = f"{done:,} of {all_:,} answered, {totals.failed_calls:,} failed, {in_usd(totals)}"
        if cost := totals.cost_usd:
            line += f", about {rounded(cost / max(done, 1) * max(all_ - done, 0), 4)} USD remain"
        if self._is_live:
            click.echo(f"\r{line}   ", nl=False, err=True)
        elif done * 10 // max(all_, 1) > self._tenths:
            self._tenths = done * 10 // max(all_, 1)
            click.echo(line, err=True)

    def finish(self) -> None:
        """Print the effects."""
        if self._is_live:
            click.echo("", err=True)
        effects = self.view.get("lab", {}).get("effects")
        if effects is None:
            return
        if self.as_json:
            emit({"effects": effects})
            return
        lab = msgspec.convert(self.view["lab"], LabView)
        show(*result_blocks(lab, lab.effects or ()))


async def _view(settings: Settings, prefix: str) -> View:
    async with open_store(settings) as log:
        fold = views.INITIAL
        async for page in read_pages(log, await find_debate(log, prefix, "lab")):
            fold = views.apply_all(fold, page)
        if fold.view.format != "lab":
            raise NotFound(f"{prefix} is a debate and no lab run")
        return fold.view


def _report(settings: Settings, run: str, form: str | None, table: str | None, figures: Path | None) -> None:
    if table == "trials":
        _trials(settings, run, form or "csv")
        return
    if form in {"jsonl", "parquet"}:
        raise BadField("as", f"{form} is a form of --table trials")
    view = run_async(lambda: _view(settings, run))
    if figures is not None:
        figures.mkdir(parents=True, exist_ok=True)
        for name, svg in report_figures(view).items():
            (figures / name).write_text(svg, encoding="utf-8")
            click.echo(f"{figures / name}")
        if form is None and table is None:
            return
    match form or ("csv" if table else "html"):
        case "text":
            show(lab_document(view, is_alone=True))
        case "html":
            click.echo(report_html(view), nl=False)
        case "csv":
            click.echo(report_csv(view), nl=False)
        case "latex":
            lab = must_be_measured(view)
            debate, records = run_async(partial(_recorded, settings, run))
            assert debate.opened is not None, "a run has been opened"
            answers = (each.event for each in records if isinstance(each.event, ModelAnswered))
            first = next((each.parameters for each in answers), {})
            click.echo(report_latex(view, lab, debate.opened.judge, first), nl=False)
        case _:
            click.echo(report_json(view))


def _trials(settings: Settings, run: str, form: str) -> None:
    """Print the calls of a run as a table."""
    if form not in TABLE_FORMS:
        raise BadField("as", f"the table of trials is {' or '.join(TABLE_FORMS)}, not {form}")
    export_tables(settings, form, ["trials"], [run_async(lambda: _view(settings, run)).id], {}, None)


async def _recorded(settings: Settings, prefix: str) -> tuple[Debate, tuple[Recorded, ...]]:
    """A lab run, and its records."""
    debate, records = debates.INITIAL, []
    async with open_store(settings) as log:
        async for record in read_all(log, await find_debate(log, prefix, "lab")):
            debate = debates.evolve(debate, record)
            records.append(record)
    if debate.opened is None or debate.opened.lab is UNSET:
        raise NotFound(f"{prefix} is a debate and no lab run")
    return debate, tuple(records)


async def _run(settings: Settings, prefix: str) -> MeasuredRun:
    debate, _ = await _recorded(settings, prefix)
    assert debate.opened is not None, "a run has been opened"
    assert debate.opened.lab is not UNSET, "its format has a setup"
    measured = debate.lab.measured if debate.lab is not None else None
    if measured is None:
        raise NotNow(f"the lab run {prefix} has no result yet: it is {debate.status.state}")
    return MeasuredRun(
        judge=as_served(debate.opened.judge),
        rubric_digest=measured.rubric_digest,
        trials=trials_of(debate.opened.lab),
        readings=tuple(readings_of(debate)),
    )


def _compare(settings: Settings, one: str, two: str, *, as_json: bool) -> None:
    """Print which of two judges is better in each figure, on the trials that both were asked."""
    load_now("judge.lab.compare")
    from judge.lab.compare import compare, in_words  # noqa: PLC0415 - scipy is imported where runs are compared

    first, second = (run_async(partial(_run, settings, each)) for each in (one, two))
    if first.rubric_digest != second.rubric_digest:
        raise BadField("compare", "the two runs have different rubrics: their points cannot be compared")
    differences = compare(_common(first, second), first.readings, second.readings)
    judges = {"one": first.judge, "other": second.judge}
    if as_json:
        emit({"judges": judges, "differences": differences})
        return
    if not differences:
        raise BadField("compare", "the runs have no trial in common: begin both with the same items and seed")
    names = _columns(judges["one"], judges["other"])
    better = {"one": f"{names[0]} is better", "other": f"{names[1]} is better", "": "could be chance"}
    tables = []
    for battery in dict.fromkeys(each.battery for each in differences):
        rows = (
            (
                effect_name(each.battery, each.name),
                shown(each.one, each.unit),
                shown(each.other, each.unit),
                shown(each.advantage, each.unit, signed=True),
                f"{shown(each.low, each.unit)} to {shown(each.high, each.unit)}",
                better[each.better],
            )
            for each in differences
            if each.battery == battery
        )
        figures = (Column(each, "n") for each in (*names, "gain", "95 %"))
        tables.append(Section(BATTERIES[battery].title, (Table(("figure", *figures, "better"), tuple(rows)),)))
    title = f"{judges['one']} and {judges['other']}, on the same trials"
    show(Document(title, (*tables, Paragraph(in_words(differences), "lead"))))


def _columns(one: str, other: str) -> tuple[str, str]:
    """The names of two judges as heads of columns, told apart."""
    first, second = (short_name(each).partition(":")[2] or each for each in (one, other))
    return (f"{first} (1)", f"{second} (2)") if first == second else (first, second)

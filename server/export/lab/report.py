"""The report on a lab run: as a page, as a file that a paper can cite, as JSON, as CSV, and on a terminal."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

import msgspec
from msgspec import UNSET

import web
from events.state.usage import in_usd
from events.text.figures import rounded
from events.types import Battery, Effect, LabVerdict
from events.view.lab import LabView
from events.view.view import View
from judge.lab.trials import BATTERIES
from server.errors import NotNow
from server.export import document as doc
from server.export.document.html import tag, to_html
from server.export.lab import VERDICTS, answers, full_name, lost_trials, name_of, summary, verdict_words
from server.export.lab.figures import (
    axis_of,
    axis_svg,
    curve_svg,
    curve_words,
    files,
    in_figures,
    interval,
    row_svg,
    shown,
    slug,
)
from server.export.lab.use import may_use
from server.export.tables.forms import csv_lines
from server.export.wording import as_asked
from server.process.version import VERSION

UNITS: Final[Mapping[str, str]] = {
    "points": "Points of a turn",
    "share": "Shares of answers",
    "kappa": "Agreement (kappa)",
}
IDENTITY: Final[Mapping[str, str]] = {
    "judge": "Judge",
    "effort": "Asked",
    "model": "Answered as",
    "rubric": "Rubric",
    "rubric_digest": "Digest of the rubric",
    "items": "Items",
    "items_digest": "Digest of the items",
    "seed": "Seed",
    "opened_at": "Begun",
    "moot": "Moot",
}
FIGURES: Final = (
    "Estimate",
    "95 %",
    "Compared with",
    "Matters",
    "Noise",
    "q",
    "Detectable",
    "Items",
    "Motions",
    "Failed",
)
OF_PLOT: Final = (
    "A mark is an estimate, and its line the 95 % interval. The vertical line is the value without bias. The band "
    "around it holds the differences that are too small to matter."
)
OPEN: Final[frozenset[LabVerdict]] = frozenset(("cannot tell", "not shown"))
"""Verdicts that more items could change."""
OF_FIGURES: Final = (
    "A figure is compared with its value without bias, or with what a judge without judgement reaches. q is the chance "
    "of such a difference without a bias (p), adjusted for the number of comparisons. Matters is the least difference "
    "that matters. Noise is how much one answer differs from another when nothing changes. Detectable is the smallest "
    "difference that so many items would probably show. Failed counts the answers that are missing."
)
OF_CURVE: Final = (
    "How often the judge was right, by how sure it said that it was. On the line, it is right as often as it says."
)
FORMS: Final = ("html", "json", "csv")
PAGE: Final = "lab/lab.html"
STYLES: Final = ("parts/style.css", "lab/lab.css")


def page_html(view: View) -> str:
    """The page of a run, with its present figures."""
    return _filled(view, is_alone=False)


def report_html(view: View) -> str:
    """One file with everything: no script, and nothing that is fetched.  Raises ``NotNow`` before the result."""
    must_be_measured(view)
    styles = "".join(f"<style>{web.text_of(name)}</style>\n" for name in STYLES)
    page = _filled(view, is_alone=True)
    lines = [line for line in page.splitlines() if "/static/" not in line and "data-theme-button" not in line]
    return "\n".join(lines).replace("</head>", f"{styles}</head>").replace(' href="/"', "")


def report_json(view: View) -> bytes:
    """Everything as one JSON object.  Raises ``NotNow`` before the result."""
    lab = must_be_measured(view)
    body: dict[str, Any] = {
        "id": view.id,
        **dict(_identity(view, lab)),
        "batteries": lab.batteries,
        "may_use": may_use(lab.effects or ()),
        "effects": lab.effects,
        "curve": lab.curve,
        "failed_trials": lab.failed_trials,
        "usage": view.usage,
    }
    return msgspec.json.encode(body)


def report_csv(view: View) -> str:
    """One line an effect.  Raises ``NotNow`` before the result."""
    lab = must_be_measured(view)
    names = [field.name for field in msgspec.structs.fields(Effect)]
    rows = ([view.id, _judge(view), *msgspec.structs.astuple(effect)] for effect in lab.effects or ())
    return csv_lines([["run", "judge", *names], *rows])


def report_figures(view: View) -> dict[str, str]:
    """The figures as SVG files by their names.  Raises ``NotNow`` before the result."""
    lab = must_be_measured(view)
    return files(lab.effects or (), lab.curve or (), lambda each: f"{BATTERIES[each.battery].title}: {name_of(each)}")


def must_be_measured(view: View) -> LabView:
    """The run of a view.  Raises ``NotNow`` without a result."""
    if not isinstance(view.lab, LabView):
        raise NotNow("this is a debate and no lab run")
    if view.lab.effects is UNSET:
        raise NotNow(f"this lab run has no result yet: it is {view.state}")
    return view.lab


def _judge(view: View) -> str:
    return str(view.judge.model) if view.judge is not UNSET and view.judge.model is not UNSET else "the judge"


def _identity(view: View, lab: LabView) -> Iterator[tuple[str, str]]:
    """What was measured with what, so that others can cite it and repeat it."""
    yield "judge", _judge(view)
    if view.judge is not UNSET and view.judge.effort == "brief":
        yield "effort", "brief"
    if lab.model and not _judge(view).endswith(lab.model):
        yield "model", lab.model
    yield "rubric", view.rubric_name or view.rubric
    yield "rubric_digest", lab.rubric_digest
    yield "items", lab.source
    yield "items_digest", lab.items_digest
    yield "seed", str(lab.seed)
    yield "opened_at", view.opened_at
    yield "moot", VERSION


def lab_blocks(view: View) -> Iterator[doc.Block]:
    """A run in a transcript: what was measured, the summary, and a table of the effects; nothing for a debate."""
    lab = view.lab
    if not isinstance(lab, LabView):
        return
    yield doc.Facts(_facts(view, lab))
    if lab.effects is UNSET:
        done = (f"{each.answered} of {each.trials} {name}" for name, each in lab.batteries.items())
        yield doc.Paragraph(f"Answered: {', '.join(done)}.")
        return
    yield doc.Paragraph(summary(lab.effects), "lead")
    rows = ((full_name(each), in_figures(each), verdict_words(each)) for each in lab.effects)
    yield doc.Table(("effect", "estimate", "verdict"), tuple(rows))


def result_blocks(lab: LabView, effects: Sequence[Effect]) -> Iterator[doc.Block]:
    """The result in short, for the end of a run on a terminal."""
    for battery in dict.fromkeys(each.battery for each in effects):
        rows = tuple(_short(each) for each in effects if each.battery == battery)
        yield doc.Section(
            BATTERIES[battery].title,
            (doc.Table(("effect", doc.Column("estimate", "n"), doc.Column("95 %", "n"), "verdict"), rows),),
        )
    yield doc.Facts(tuple(answers(effects)))
    yield doc.Paragraph(summary(effects), "lead")
    yield doc.Paragraph((doc.Strong(MAY_I), f" {may_use(effects).says}"))
    if lost := lost_trials(lab):
        yield doc.Paragraph(f"{lost}. They are left out of the figures.")
    for sentence in left_out(lab):
        yield doc.Paragraph(sentence)


def _short(effect: Effect) -> tuple[doc.Sentence, ...]:
    kind = "bad" if effect.is_biased or effect.verdict == "worse" else "doubt" if effect.verdict in OPEN else ""
    return (
        name_of(effect),
        shown(effect.estimate, effect.unit),
        interval(effect),
        (doc.Marked(verdict_words(effect), kind),),
    )


def left_out(lab: LabView) -> Iterator[str]:
    """What was given and is not asked about, one sentence a kind."""
    for each in () if lab.left_out is UNSET else lab.left_out:
        yield f"{each.asked:,} of {each.given:,} {each.kind} that people judged are asked about: {each.why}."


def _facts(view: View, lab: LabView) -> tuple[tuple[str, str], ...]:
    return tuple((IDENTITY[name], words) for name, words in _identity(view, lab))


# the page


def _filled(view: View, *, is_alone: bool) -> str:
    """The page; ``is_alone`` if it is a file without a server."""
    document = lab_document(view, is_alone=is_alone)
    title = str(document.title)
    main = tag("main", to_html(document), id="lab", **{"data-id": view.id, "data-state": view.state})
    page = web.text_of(PAGE).replace(
        "<title>A judge in the lab · Moot</title>", f"<title>{escape(title)} · Moot</title>"
    )
    return page.replace('<main id="lab"></main>', main)


def lab_document(view: View, *, is_alone: bool) -> doc.Document:
    """A run as a document; with links to its reports unless it ``is_alone``."""
    title = f"Judge lab: {as_asked(_judge(view), UNSET if view.judge is UNSET else view.judge.effort)}"
    if isinstance(view.lab, LabView):
        return doc.Document(title, tuple(_main(view, view.lab, is_alone=is_alone)))
    return doc.Document(title, (doc.Paragraph("This is a debate and no lab run.", "error"),))


def _main(view: View, lab: LabView, *, is_alone: bool) -> Iterator[doc.Block]:
    if view.judge is not UNSET and view.judge.caveat:
        yield doc.Paragraph(view.judge.caveat, "caveat")
    if not is_alone or view.state != "concluded":
        yield from _progress(view, lab)
    if lab.effects is not UNSET:
        yield from _result(lab, lab.effects)
        if not is_alone:
            links = (
                doc.Link(kind.upper(), f"/api/labs/{view.id}/report?as={kind}", is_download=True) for kind in FORMS
            )
            yield doc.Paragraph(("Report: ", *(part for link in links for part in (link, " "))), "downloads")
    usage = view.usage
    calls = f"{usage.calls:,}, {usage.failed_calls:,} of them failed; {usage.tokens:,} tokens; {in_usd(usage)}"
    facts = doc.Facts((*_facts(view, lab), ("Calls", calls), ("Run", view.id)))
    yield doc.Section("What was measured with what", (facts,), name="what")


def _progress(view: View, lab: LabView) -> Iterator[doc.Block]:
    answered = sum(each.answered for each in lab.batteries.values())
    trials = sum(each.trials for each in lab.batteries.values())
    yield doc.Paragraph(
        (
            doc.Strong(view.state),
            f"{f': {view.reason}' if view.reason else ''} ",
            doc.Marked(f"{answered:,}", "data-done"),
            f" of {trials:,} trials answered, ",
            doc.Marked(in_usd(view.usage), "data-spent"),
            " spent",
        ),
        "standing",
    )
    if view.state != "concluded":
        rows = tuple(
            doc.Row(
                (title, (doc.Meter(title, each.answered, each.trials),), f"{each.failed:,}"),
                name=("data-battery", name),
            )
            for name, each in lab.batteries.items()
            for title in [BATTERIES[name].title]
        )
        yield doc.Table(("Battery", "Answers", "Failed calls"), rows, "Progress", "progress")


MAY_I: Final = "May I use this judge?"


def use_section(effects: Sequence[Effect]) -> doc.Section:
    """May I use this judge: the answer, and each condition with its figures."""
    use = may_use(effects)
    rows = tuple(
        doc.Row((each.asks, (doc.Strong(each.answer),), " ".join(each.figures)), f"use-{each.answer.replace(' ', '-')}")
        for each in use.conditions
    )
    table = doc.Table(
        ("Condition", doc.Column("Answer", "n"), "Figures"),
        rows,
        "Conditions and the figures behind the answers",
        "use",
    )
    return doc.Section(MAY_I, (doc.Paragraph(use.says, "lead"), table), name="use")


def _result(lab: LabView, effects: Sequence[Effect]) -> Iterator[doc.Block]:
    yield use_section(effects)
    yield doc.Paragraph(summary(effects), "lead")
    yield doc.Facts(tuple(answers(effects)), "answers")
    if lost := lost_trials(lab):
        yield doc.Paragraph(f"{lost}. They are left out of the figures and counted in the table.", "caveat")
    for sentence in left_out(lab):
        yield doc.Paragraph(sentence, "caveat")
    counts = Counter(each.verdict for each in effects)
    legend = (
        doc.Item((doc.Strong(f"{counts[verdict]} {verdict}"), f": {words}"), kind=slug(verdict))
        for verdict, words in VERDICTS.items()
        if counts[verdict]
    )
    units = dict.fromkeys(each.unit for each in effects)
    forests = (_forest(unit, [each for each in effects if each.unit == unit]) for unit in units)
    listing = doc.Listing(tuple(legend), kind="legend")
    yield doc.Section("All effects", (doc.Paragraph(OF_PLOT, "intro"), listing, *forests), name="forest")
    if lab.curve:
        figure = doc.Figure(doc.Drawing(curve_svg(lab.curve), curve_words(lab.curve)), OF_CURVE)
        yield doc.Section("Calibration", (figure,), name="curve")
    batteries = dict.fromkeys(each.battery for each in effects)
    tables = (_figures(battery, [each for each in effects if each.battery == battery]) for battery in batteries)
    yield doc.Section("All figures", (doc.Paragraph(OF_FIGURES, "intro"), *tables), name="table")


def _forest(unit: str, effects: Sequence[Effect]) -> doc.Table:
    axis, rows, battery = axis_of(effects), [], ""
    for each in effects:
        title: tuple[doc.Part, ...] = (
            () if each.battery == battery else (doc.Strong(BATTERIES[each.battery].title), " ")
        )
        battery = each.battery
        cells = ((*title, name_of(each)), (doc.Drawing(row_svg(each, axis)),), in_figures(each), verdict_words(each))
        rows.append(doc.Row(cells, slug(each.verdict)))
    span = doc.Marked(f"Plot from {shown(axis.low, unit)} to {shown(axis.high, unit)}", "visually-hidden")
    plot = doc.Column((span, doc.Drawing(axis_svg(axis, unit))), "plot")
    columns = ("Effect", plot, doc.Column("Estimate and 95 %", "n"), "Verdict")
    return doc.Table(columns, tuple(rows), UNITS.get(unit, unit.capitalize()), "forest")


def _figures(battery: Battery, effects: Sequence[Effect]) -> doc.Table:
    title, varied = BATTERIES[battery][:2]
    columns = (doc.Column("Effect"), *(doc.Column(each, "n") for each in FIGURES))
    return doc.Table(columns, tuple(map(_row, effects)), (doc.Strong(f"{title}."), f" {varied}"), "figures", title)


def _row(effect: Effect) -> tuple[doc.Sentence, ...]:
    unit = effect.unit
    return (
        (f"{name_of(effect)}: {effect.verdict}", doc.Marked(f" {effect.note}", "small")),
        shown(effect.estimate, unit),
        interval(effect) or "–",
        "–" if effect.verdict == "measured" else shown(effect.null, unit),
        shown(effect.margin, unit),
        shown(effect.floor, unit),
        "–" if effect.q is None else rounded(effect.q, 3),
        shown(effect.detectable, unit),
        f"{effect.n:,}",
        f"{effect.clusters:,}",
        f"{effect.failed:,}",
    )

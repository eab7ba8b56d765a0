"""The report of a study as CSV, JSON, LaTeX, HTML, Markdown and text."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

import web
from events.text.figures import percent, rounded
from judge.study.results import ArmFigures, StudyFigure, StudyPair
from server.export.document.html import to_html
from server.export.document.markdown import to_markdown
from server.export.document.terminal import to_text
from server.export.tables.forms import csv_lines
from server.people.names import PREFIX
from server.study.document import (
    conclusion,
    finding_sentence,
    gain_sentence,
    interval,
    overview,
    points,
    power_sentence,
    study_document,
    title_of,
    usd,
)
from server.study.report import StudyShown

SCHEMA: Final = 1
TEXT_WIDTH: Final = 100
"""Characters of a line."""
COLUMNS: Final = (
    "debater", "judge", "arm", "accuracy", "low", "high", "items", "clusters", "left_out", "a_over_b", "brier",
    "answers", "missing", "debates", "tokens", "cost_usd", "unpriced", "debate_gain", "gain_low", "gain_high", "gain_p",
    "gain_holm", "gain_verdict", "equivalent",
)  # fmt: skip


def study_csv(study: StudyShown) -> str:
    """A row for each arm of all models together, and then of each debater with each judge.

    A text that a spreadsheet would take for a formula begins with ``'``.
    """
    pairs = (study.result.whole, *study.result.pairs)
    return csv_lines((COLUMNS, *(_values(pair, arm) for pair in pairs for arm in pair.arms)))


def _values(pair: StudyPair, arm: ArmFigures) -> tuple[Any, ...]:
    gain = next((each for each in pair.gains if each.over == arm.arm), None)
    found, over = arm.accuracy, None if gain is None else gain.difference
    return (
        pair.debater,
        pair.judge,
        arm.arm,
        *_span(found),
        *((found.items, found.clusters) if found else (0, 0)),
        arm.left_out,
        arm.position.value if arm.position else None,
        arm.calibration.brier.value if arm.calibration else None,
        arm.answers,
        arm.missing,
        arm.debates,
        arm.tokens,
        arm.cost_usd,
        arm.unpriced,
        *_span(over),
        *((gain.p, gain.holm, gain.verdict, gain.is_equivalent) if gain else (None, None, None, None)),
    )


def _span(figure: StudyFigure | None) -> tuple[float | None, float | None, float | None]:
    return (figure.value, figure.low, figure.high) if figure else (None, None, None)


def study_value(study: StudyShown) -> dict[str, Any]:
    """The study with all its figures, and the answers that it rests on."""
    return {"schema": SCHEMA, "is_finished": study.is_finished, **msgspec.structs.asdict(study)}


def study_json(study: StudyShown) -> str:
    """``study_value`` on one line."""
    return msgspec.json.encode(study_value(study)).decode() + "\n"


def study_latex(study: StudyShown) -> str:
    """The table of arms and the comparisons, to be put into a document.  It needs the package booktabs."""
    return "\n".join(_latex(study)) + "\n"


def _latex(study: StudyShown) -> Iterator[str]:
    from server.export.lab.latex import escaped  # noqa: PLC0415 - it imports numpy

    result = study.result
    finished = "finished" if study.is_finished else f"not finished: {study.ended} of {study.planned} debates are over"
    yield f"% Study {escaped(study.name)}, {finished}: {result.items} items, {result.clusters} clusters."
    for pair in (result.whole, *result.pairs):
        name = " with ".join(each for each in (pair.debater, pair.judge.removeprefix(PREFIX)) if each) or "All models"
        yield r"\begin{tabular}{lrrrrrrr}"
        yield rf"\multicolumn{{8}}{{l}}{{{escaped(name)}}} \\"
        yield r"\toprule"
        heads = ("Arm", "Right", "95 % interval", "Debate gains", "95 % interval", "Brier", "Tokens", "USD")
        yield " & ".join(map(escaped, heads)) + r" \\"
        yield r"\midrule"
        for arm in pair.arms:
            yield " & ".join(map(escaped, _cells(pair, arm))) + r" \\"
        yield r"\bottomrule"
        yield r"\end{tabular}"
        yield ""
    for said in _sentences(study):
        yield escaped(said) + r" \par"


def _sentences(study: StudyShown) -> Iterator[str]:
    yield from (f"{each.text}" for each in overview(study))
    if audit := study.audit:
        yield from (conclusion(audit), *finding_sentence(audit), power_sentence(audit))
        return
    whole = study.result.whole
    yield from (gain_sentence(each, study.result.margin, whole.vote) for each in whole.gains)


def _cells(pair: StudyPair, arm: ArmFigures) -> tuple[str, ...]:
    over = next((each.difference for each in pair.gains if each.over == arm.arm), None)
    ends = None if over is None or over.low is None or over.high is None else (over.low, over.high)
    return (
        title_of(arm.arm, pair.vote),
        "–" if arm.accuracy is None else percent(arm.accuracy.value),
        interval(arm.accuracy),
        "–" if over is None else points(over.value),
        "–" if ends is None else f"{points(ends[0])} to {points(ends[1])}",
        "–" if arm.calibration is None else rounded(arm.calibration.brier.value, 3),
        f"{arm.tokens:,}",
        usd(arm),
    )


def study_html(study: StudyShown) -> str:
    """The page, as a file by itself."""
    body = to_html(study_document(msgspec.structs.replace(study, chosen={})))
    style = "".join(web.text_of(name) for name in ("parts/style.css", "lab/lab.css"))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{style}</style>'
    page = f'<head>{head}<title>Study</title></head><body class="lab"><main>{body}</main></body>'
    return f'<!doctype html>\n<html lang="en">{page}</html>\n'


FORMS: Final[Mapping[str, Callable[[StudyShown], str]]] = {
    "text": lambda study: to_text(study_document(study), TEXT_WIDTH),
    "md": lambda study: to_markdown(study_document(study)),
    "html": study_html,
    "latex": study_latex,
    "csv": study_csv,
    "json": study_json,
}

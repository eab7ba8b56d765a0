"""The report on a judged text: the verdict of the judges, if a quote that was checked supports it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from events.state.folds.panel import standing_opinions
from events.state.parts.panel import PanelState
from events.types import Artifact, OpinionGiven, Point
from judge.deliberation.verdict import judge_weights
from judge.guard.injection import POSSIBLE, InjectionAttempt, detect
from judge.guard.quotes import find
from server.export.gate.places import JudgedFile
from server.export.gate.report import FileQuote, GateFinding, GateReport, Position, Result, UnclearIs
from server.export.wording import share, weight_lines
from server.process.version import VERSION

VERDICTS: Final = ("FAIL", "CONDITIONAL", "PASS")
"""The gravest first."""
INSTRUCTIONS: Final = "instructions"
HALF: Final = 0.5


def artifact_report(
    view: Mapping[str, Any],
    file: JudgedFile,
    *,
    fail_on: Sequence[str],
    unclear_is: UnclearIs | None,
    link: str,
    stopped: str,
) -> GateReport:
    """The report on a deliberation.  ``view``: as it is sent to readers.  ``stopped``: why it ended without a verdict.

    The result is unclear without a verdict; if no judge who holds the verdict quotes words of the text, besides words
    that instruct its judges; if half of the judges by weight have no opinion; if conformity alone took the verdict over
    the line; and if a text that would pass gives its judges instructions.
    """
    panel, artifact = msgspec.convert(view["panel"], PanelState), msgspec.convert(view["artifact"], Artifact)
    attempts = tuple(each for each in detect(artifact.text) if each.pattern != POSSIBLE)
    weights = judge_weights(rater.seat for rater in panel.raters.values())
    held = standing_opinions(panel)
    titles = {name: rater.seat.title for name, rater in panel.raters.items()}
    known = {
        name: _position(each, titles[name], weights[name], artifact, attempts, file) for name, each in held.items()
    }
    verdict = "" if panel.verdict is UNSET or panel.verdict.verdict is UNSET else str(panel.verdict.verdict)
    unclear = tuple(_unclear(panel, verdict, known, weights, attempts, file, fail_on, stopped))
    result: Result = "unclear" if unclear else "fail" if verdict in fail_on else "pass"
    findings = tuple(_findings(panel, known, file, fail_on if result == "fail" else ()))
    return GateReport(
        result=result,
        file=file.uri,
        question=view["motion"],
        options=VERDICTS,
        verdict=verdict,
        outcome=panel.says or "No verdict.",
        certainty=tuple(_certainty(panel)),
        fail_on=tuple(fail_on),
        unclear=unclear,
        unclear_is=unclear_is,
        findings=(*findings, *(_instruction(each, file) for each in attempts)),
        remediation=() if panel.verdict is UNSET else panel.verdict.remediation,
        positions=tuple(each for each in known.values() if each.verdict == verdict),
        minority=tuple(each for each in known.values() if each.verdict != verdict),
        debate=view["id"],
        link=link,
        opened_at=view["opened_at"],
        version=VERSION,
    )


def _position(
    opinion: OpinionGiven,
    title: str,
    weight: float,
    artifact: Artifact,
    attempts: Sequence[InjectionAttempt],
    file: JudgedFile,
) -> Position:
    """The opinion of a judge.  A quote of words that instruct the judges is no evidence."""
    span = find(opinion.quote, artifact.text, 1) if opinion.verified else None
    is_told = span is not None and any(span[0] < each.span[1] and each.span[0] < span[1] for each in attempts)
    return Position(
        judge=title,
        model=opinion.model,
        verdict=str(opinion.verdict),
        reason=opinion.rationale,
        confidence=None if opinion.confidence is UNSET else opinion.confidence,
        quote=file.quote(opinion.quote, checked=opinion.verified and not is_told),
        weight=weight,
    )


def _unclear(
    panel: PanelState,
    verdict: str,
    known: Mapping[str, Position],
    weights: Mapping[str, float],
    attempts: Sequence[InjectionAttempt],
    file: JudgedFile,
    fail_on: Sequence[str],
    stopped: str,
) -> Iterator[str]:
    """Why the verdict cannot be used, each in a sentence."""
    if not verdict:
        yield panel.says or f"No verdict: {stopped}."
        return
    if not any(_is_checked(each.quote) for each in known.values() if each.verdict == verdict):
        yield f"The verdict is {verdict}, but no judge who holds it quotes words that stand in the text."
    if (answered := sum(weights[name] for name in known)) <= HALF:
        yield f"Judges with {share(1 - answered)} of the weight gave no opinion."
    assert panel.verdict is not UNSET, "there is a verdict"
    unmoved = panel.verdict.unmoved
    if unmoved is not UNSET and (unmoved in fail_on) != (verdict in fail_on):
        yield f"The verdict is {verdict} by conformity: without the moves that no reason explains it is {unmoved}."
    if attempts and verdict not in fail_on:
        line = _at(attempts[0], file)
        yield f"The text gives its judges instructions{line and f' ({line})'}, so a person must read it."


def _is_checked(quote: FileQuote | None) -> bool:
    return quote is not None and quote.checked


def _at(attempt: InjectionAttempt, file: JudgedFile) -> str:
    place = file.place(attempt.quote)
    return f"line {place.line}" if place is not None else ""


def _findings(
    panel: PanelState, known: Mapping[str, Position], file: JudgedFile, fail_on: Sequence[str]
) -> Iterator[GateFinding]:
    """What the judges named, the most weight first; then the reasons of judges who want changes and named nothing."""
    if panel.verdict is UNSET:
        return
    points = panel.verdict.named_findings or ()
    for each in points:
        yield _finding(each, known, file, fail_on)
    named = {name for each in points for name in each.by}
    for name, position in known.items():
        if name not in named and position.verdict != "PASS":
            point = Point(text=position.reason or f"{position.verdict} without a reason", by=(name,))
            yield _finding(point, known, file, fail_on)


def _finding(point: Point, known: Mapping[str, Position], file: JudgedFile, fail_on: Sequence[str]) -> GateFinding:
    """A finding; its quote is that in its own words, else that of a judge who named it."""
    by = sorted((known[name] for name in point.by), key=lambda each: VERDICTS.index(each.verdict))
    first = next((each for each in by if _is_checked(each.quote)), by[0])
    return GateFinding(
        rule=next(name for name in point.by if known[name] is first),
        text=point.text,
        judges=tuple(known[name].judge for name in point.by),
        reason=first.reason if first.reason != point.text else "",
        verdict=by[0].verdict,
        quote=file.quote_within(point.text) or first.quote,
        fails=by[0].verdict in fail_on,
    )


def _instruction(attempt: InjectionAttempt, file: JudgedFile) -> GateFinding:
    return GateFinding(
        rule=INSTRUCTIONS,
        text=f"The text gives its judges instructions ({attempt.pattern.replace('_', ' ')}).",
        judges=("Moot",),
        reason="Words that instruct the judges are no evidence.",
        quote=file.quote(attempt.quote, checked=True),
    )


def _certainty(panel: PanelState) -> Iterator[str]:
    if panel.verdict is UNSET or panel.verdict.missing is not UNSET:
        return
    yield from weight_lines(panel.verdict)
    if panel.verdict.agreement is not UNSET:
        yield f"Agreement of the judges: {share(panel.verdict.agreement)}."
    yield from (f"{each[0].upper()}{each[1:].removesuffix('.')}." for each in panel.verdict.reasons)

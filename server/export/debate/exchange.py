"""An exchange in plain sentences, for Markdown and the terminal: its outcome, its turns, and its audit.

The sentences are not escaped.  The judge's words have the names of the sides in place of its labels.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from events.state.claims import BY_EVIDENCE
from events.state.outcome import ahead
from events.text.figures import shortest
from events.types import (
    CitationChecked,
    CitationFinding,
    EvidenceWeighed,
    Missing,
    NarrativeVerdictReached,
    PressureApplied,
    QuotedPassage,
    Reason,
    ScorecardVerdictReached,
    Side,
    WeighedRelation,
    other,
)
from events.view.summary import DebateSummary
from events.view.turn_view import ComparisonView, ComponentView, SecondReadingView, TurnView
from events.view.view import VerdictsView, View
from judge.rubrics.rubric import change_name
from server.evidence.passages import READ_BADLY
from server.export import document as doc
from server.export.audit import Audit, AuditEntry, VerdictAudit
from server.export.labels import capital_sides, compared, named
from server.export.reasons import plain_reason
from server.export.text import in_quotes, one_line
from server.export.wording import NAMES, listed

RESULTS: Final = {"later": "won", "earlier": "lost", "draw": "drawn"}
SIGNALS: Final = ("cognitive", "emotional", "strategic", "credibility")
PATTERNS: Final = {
    "coherence_collapse": "coherence collapse",
    "asymmetric_depth": "asymmetric depth",
    "convergence_failure": "convergence failure",
    "recovery_arc": "recovery",
    "rule_effect": "the rules made the difference",
}
"""The pattern of a debate in words; ``none`` has none."""
FINDINGS: Final[dict[CitationFinding, str]] = {
    "verified": "the words stand there",
    "paraphrased": "no words are quoted",
    "misquoted": "the words do not stand there",
    "misread": "the words were not found, but the page was read badly",
    "unknown_passage": "the evidence has no such passage",
    "uncited": "it is not in the evidence",
}
RELATIONS: Final[dict[WeighedRelation, str]] = {
    "supports": "it supports the claim",
    "contradicts": "it contradicts the claim",
    "beside_the_point": "it is beside the point",
    "undecided": "its relation to the claim is undecided",
}
EXCHANGE: Final = "An exchange is two neighbouring turns; the turn that is better on more dimensions wins it."
COURSE: Final = {"evolution": "how it developed", "fractures": "where it broke", "held": "what held"}


class Line(NamedTuple):
    """A sentence with its heading."""

    title: str
    text: str


def first_side(turns: dict[str, TurnView]) -> Side:
    """The side that spoke first."""
    return turns["1"].side if "1" in turns else "pro"


def winner_name(winner: str | UnsetType) -> str:
    """``Pro``, ``Con`` or ``no winner``."""
    return NAMES[winner] if winner in {"pro", "con"} else "no winner"


# the outcome


def headline(verdicts: VerdictsView, summary: DebateSummary | UnsetType) -> Iterator[Line]:
    """The scorecard, the reading of the whole debate, and what moved the lead."""
    if verdicts.scorecard is not UNSET:
        yield Line("The scorecard", _scorecard(verdicts.scorecard, summary))
    if verdicts.narrative is not UNSET:
        yield Line("The reading of the whole debate", _narrative(verdicts.narrative))
    if summary is not UNSET and summary.rules is not UNSET:
        yield Line("What moved the lead", summary.rules.text)


def _scorecard(verdict: ScorecardVerdictReached, summary: DebateSummary | UnsetType) -> str:
    means = ", ".join(
        f"{NAMES[side]} {shortest(mean)}" if isinstance(mean, float | int) else f"{NAMES[side]} without a score"
        for side, mean in (("pro", verdict.mean.pro), ("con", verdict.mean.con))
    )
    rounds = verdict.rounds
    drawn = f", {rounds.drawn} drawn" if rounds.drawn else ""
    apart = "" if isinstance(verdict.margin, Missing) else f", {shortest(verdict.margin)} apart"
    if apart and verdict.noise is not UNSET:
        apart += f" (asked again, this judge differs from itself by {shortest(verdict.noise)})"
    won = f"Exchanges won: Pro {rounds.pro}, Con {rounds.con}{drawn}. {EXCHANGE}"
    if verdict.lead is not UNSET and verdict.certainty is not UNSET:
        return f"{ahead(verdict.winner, verdict.lead)}. {means}. {won}"
    is_explained = verdict.winner == "neither" or (summary is not UNSET and summary.tie_broken is True)
    why = f" ({capital_sides(plain_reason(verdict.reason))})" if is_explained and verdict.reason else ""
    return f"{winner_name(verdict.winner)}{why}. {means}{apart}. {won}"


def _narrative(verdict: NarrativeVerdictReached) -> str:
    if verdict.missing is not UNSET:
        return f"there is none: {verdict.missing.reason}."
    if verdict.flipped is True:
        return "no winner: it changed when the labels of the speakers were swapped."
    parts = [winner_name(verdict.winner)]
    if verdict.margin is not UNSET and verdict.margin != "none":
        parts.append(f"by a {verdict.margin} margin")
    if verdict.confidence is not UNSET:
        parts.append(f"confidence {verdict.confidence}")
    if PATTERNS.get(verdict.pattern or ""):
        parts.append(PATTERNS[str(verdict.pattern)])
    return f"{', '.join(parts)}."


def moments(summary: DebateSummary | UnsetType, first: Side) -> Iterator[Line]:
    """The key moments, each with the debater's words or else the judge's; the title names the event."""
    for each in () if summary is UNSET else summary.moments:
        words = ""
        if each.quote is not UNSET:
            words = f" {in_quotes(each.quote)}"
        elif each.note is not UNSET:
            words = f" {one_line(named(each.note, first))}"
        yield Line(f"event {each.position}", f"{each.text}{words}")


def verdict_texts(verdicts: VerdictsView, first: Side) -> Iterator[Line]:
    """The words of the judge on the whole debate."""
    narrative, conflict, convergence = verdicts.narrative, verdicts.conflict, verdicts.convergence
    if narrative is not UNSET and narrative.missing is UNSET:
        speaker = other(first) if verdicts.swapped is True else first
        yield Line("The reading of the whole debate", named(narrative.explanation, speaker))
        for side in ("pro", "con") if narrative.sides is not UNSET else ():
            course = getattr(narrative.sides, side)
            words = (f"{title}: {getattr(course, part) or '–'}" for part, title in COURSE.items())
            yield Line(f"The course of {NAMES[side]}’s argument", named(" · ".join(words), speaker))
    if conflict is not UNSET:
        pattern = PATTERNS.get(conflict.pattern or "", "")
        shown = (
            f"there is no explanation: {conflict.missing.reason}" if conflict.missing else named(conflict.text, first)
        )
        yield Line(_conflict_title(verdicts), " ".join(filter(None, (pattern and f"{pattern.capitalize()}:", shown))))
    if convergence is not UNSET:
        kind = (convergence.kind or "").replace("_", " ")
        why = f"not assessed: {convergence.missing.reason}" if convergence.missing else named(convergence.reason, first)
        yield Line("Agreement at the end", f"{kind}. {why}" if kind else why)


def _conflict_title(verdicts: VerdictsView) -> str:
    card, narrative = verdicts.scorecard, verdicts.narrative
    agree = card is not UNSET and narrative is not UNSET and card.winner == narrative.winner
    return "Why one is clearer than the other" if agree else "Why they differ"


# one turn


def shaped_by(view: View, turn: TurnView) -> Iterator[Line]:
    """The pressure under which a turn was spoken, and the directive, if it may be read."""
    if turn.pressure is not UNSET:
        yield Line(f"Pressure on the debater after turn {turn.pressure.turn}, from 0 to 1", _signals(turn.pressure))
    if turn.directive is not UNSET and (directive := view.directives.get(str(turn.directive))) is not None:
        yield Line("Directive", directive.text)


def _signals(pressure: PressureApplied) -> str:
    raised = [f"{name} {shortest(value, 2)}" for name in SIGNALS if (value := getattr(pressure, name)) > 0]
    return ", ".join(raised) or "none"


def comparison_text(comparison: ComparisonView) -> str:
    """``against turn 2: logic won slightly · rhetoric drawn (the two orders disagreed)``."""
    if comparison.missing is not UNSET:
        return f"no comparison with turn {comparison.earlier}: {comparison.missing.reason}"
    degrees = comparison.degrees or {}
    results = []
    for name, outcome in comparison.outcomes.items():
        degree = {"clear": " clearly", "slight": " slightly"}.get(degrees.get(name, ""), "")
        flipped = " (the two orders disagreed)" if name in comparison.flipped else ""
        results.append(f"{name.replace('_', ' ')} {RESULTS[outcome]}{degree}{flipped}")
    return f"against turn {comparison.earlier}: {' · '.join(results)}"


def readings_of(turn: TurnView) -> Iterator[str]:
    """That a turn was scored again, and what the comparisons imply where it has no score."""
    scores = {} if isinstance(turn.scores, Missing) else turn.scores
    return readings(turn.rescored, [name for name, each in scores.items() if each.inferred])


def readings(again: SecondReadingView | UnsetType, inferred: Iterable[str]) -> Iterator[str]:
    """The same of the second reading and the names of the dimensions that have no score."""
    if again is not UNSET:
        yield again.text
    if without := listed([name.replace("_", " ") for name in inferred]):
        yield f"the judge gave no score for {without}: the points follow from the comparisons"


def pull_words(weight: float) -> str:
    """How much of what lacks to its comparison a score moves; ``weight`` is that of the rubric's ring."""
    share = f"{100 * weight / 2:.3g} %"
    return f"a comparison moves each of its two turns {share} of the way from its score to what would fit it"


def verdict_lines(audit: VerdictAudit) -> Iterator[str]:
    """What a verdict rests on: its certainty, the comparisons, what else points to a side, and the check."""
    verdict = audit.verdict
    yield f"event {audit.position}: {capital_sides(verdict.reason)}"
    if verdict.pairs is not UNSET:
        apart = f"{verdict.pairs} pairs of compared turns with two scores"
        if audit.pull:
            yield pull_words(audit.pull)
        yield f"the error rests on {apart}; {audit.paired} comparisons between the sides moved or filled a score"
    yield from (each.text for each in audit.witnesses)
    if (check := audit.check) is not UNSET:
        side = (
            "neither side"
            if not check.lead
            else f"Pro by {shortest(check.lead)}"
            if check.lead > 0
            else f"Con by {shortest(-check.lead)}"
        )
        moved = f"{'up' if check.moved > 0 else 'down'} by {shortest(abs(check.moved))}"
        yield (
            f"check, all scores and comparisons solved at once by least squares: {side} ahead; "
            f"turn {check.worst} fits its comparisons worst (the check moves it {moved})"
        )


def comparison_reasons(view: View, comparison: ComparisonView) -> Iterator[str]:
    """What the judge said of the two turns, in each order in which it read them."""
    sides = {int(number): turn.side for number, turn in view.turns.items()}
    for reading in compared(comparison.reason, sides, first_side(view.turns)):
        order = ", ".join(NAMES[sides[turn]] for turn in reading.turns if turn in sides)
        yield f"read in the order {order}: {reading.text}" if order else reading.text


def missing_parts(absent: dict[str, Reason] | UnsetType, unchecked: dict[str, Reason] | UnsetType) -> Iterator[str]:
    """What has no score and what was not checked, with the reasons."""
    for name, why in (absent or {}).items():
        yield f"no score for {name.replace('_', ' ')}: {why.reason}"
    for name, why in (unchecked or {}).items():
        yield f"{name} not checked: {why.reason}"


def concessions(view: View, number: str) -> Iterator[str]:
    """Premises that a turn withdrew openly."""
    first = first_side(view.turns)
    for name, premise in view.premises.items():
        for change in premise.changes:
            if change.what == "withdrawn" and str(change.turn) == number:
                yield f"concession: it withdraws {name} openly ({one_line(named(premise.text, first))})"


def components(given: dict[str, dict[str, ComponentView]], first: Side) -> Iterator[doc.Item]:
    """Each component of a score with its points and the judge's reason; below it its quote and the rules."""
    for dimension, found in given.items():
        for name, each in found.items():
            title = (dimension if name == dimension else f"{dimension}, {name}").replace("_", " ")
            was = "" if each.raw == each.admitted else f" (the judge gave {each.raw:g})"
            reason = one_line(named(each.reason, first))
            doubt = "" if each.verified else " (these words are not in the turn)"
            quote = [f"{in_quotes(each.quote)}{doubt}"] if each.quote else []
            points = f"{title} {each.admitted:g}/{each.maximum}{was}"
            yield doc.Item(f"{points}: {reason}" if reason else points, (*quote, *each.rules))


def score_rules(turn: TurnView) -> Iterator[str]:
    """The rules that moved a dimension of the score as it was given."""
    for name, score in () if isinstance(turn.scores, Missing) else turn.scores.items():
        yield from (f"{name.replace('_', ' ')}: {rule}" for rule in score.rules)


def suspect_claims(view: View, number: str) -> Iterator[str]:
    """The suspect claims of a turn, each with its quote and the judge's reason."""
    first = first_side(view.turns)
    for name, claim in view.claims.items():
        if str(claim.turn) == number:
            kind = f"{claim.kind.replace('_', ' ')}, {claim.state}"
            reason = one_line(named(claim.reason, first))
            beside = f" {passage_words(claim.evidence)}" if claim.evidence else ""
            yield f"suspect claim {name} ({kind}): {in_quotes(claim.quote)} {reason}{beside}".rstrip()


def passage_words(words: QuotedPassage) -> str:
    """``passage E2: “…”``: the words of the evidence that stand against a claim."""
    return f"passage {words.passage}: {in_quotes(words.quote)}"


def citations(view: View, number: str) -> Iterator[str]:
    """What was found of the citations of a turn, and what the judge said of the passages."""
    if view.evidence is UNSET:
        return
    evidence, text = view.evidence, view.turns[number].text
    checked = [each for each in evidence.citations.values() if str(each.turn) == number]
    weighed = [each for each in evidence.weighed.values() if str(each.turn) == number]
    for each in checked:
        yield citation_line(each, weighed, _source(view, each.passage))
    for compared_claim in weighed:
        if not compared_claim.citations:
            start, end = compared_claim.claim
            source = _source(view, compared_claim.passage)
            yield comparison_line(f"“{one_line(text[start:end])}”", compared_claim, source)


def given_passages(names: Iterable[str]) -> str:
    """The passages of the evidence that the debater of a turn could read."""
    return f"the debater was given the passages {', '.join(names)}"


def citation_line(each: CitationChecked, weighed: Iterable[EvidenceWeighed], source: str = "") -> str:
    """What was found of a citation, and what the judge said of its passage.  ``source``: the document, in brackets."""
    about = "; ".join(_relation(found) for found in weighed if each.citation in found.citations)
    quote = f" {in_quotes(each.quote)}" if each.quote else ""
    cited = f"it cites {each.passage}{source}" if each.passage else "it names a source"
    found_in = f", but in {each.found_in}" if each.found_in else ""
    return f"{cited}{quote}: {FINDINGS[each.finding]}{found_in}{f'; {about}' if about else ''}"


def comparison_line(claim: str, weighed: EvidenceWeighed, source: str = "") -> str:
    """What the judge said of a claim that was compared with the best passage for it."""
    return f"{claim} beside passage {weighed.passage}{source}: {_relation(weighed)}"


def _relation(weighed: EvidenceWeighed) -> str:
    words = f" (“{one_line(weighed.quote)}”)" if weighed.quote and weighed.relation != "undecided" else ""
    return f"{RELATIONS[weighed.relation]}{words}"


def _source(view: View, passage: str) -> str:
    """The document and the page of a passage, in brackets."""
    assert view.evidence is not UNSET, "a passage is one of the evidence"
    found = view.evidence.passages.get(passage)
    if found is None:
        return ""
    page = "" if found.page is UNSET else f", page {found.page}"
    misread = f", {READ_BADLY}" if found.misread else ""
    return f" ({view.evidence.documents[found.document].name}{page}{misread})"


def cited_passages(view: View) -> Iterator[Line]:
    """The passages that findings name, whole, each with its document; documents without one come last."""
    if view.evidence is UNSET:
        return
    for name, passage in view.evidence.passages.items():
        yield Line(f"{name}{_source(view, name)}", passage.text)
    named = {each.document for each in view.evidence.passages.values()}
    for name, document in view.evidence.documents.items():
        if name not in named:
            yield Line(document.name, "no passage of it is cited")


def changes(entries: Iterable[AuditEntry], first: Side) -> Iterator[str]:
    """What the rules and later turns did to a score, with the reason and the words that caused it."""
    for each in entries:
        if each.kind == "score":
            continue
        given = each.given or each.requested
        asked = "" if each.applied == given else f" of {given:+g}"
        what = f"{each.dimension.replace('_', ' ')} {each.applied:+g}{asked} ({change_name(each.rule)})"
        quotes = entry_quotes(each)
        reason = one_line(named(each.words or each.reason, first))
        yield f"event {each.position}: {what}. {' · '.join(filter(None, (reason, quotes)))}".rstrip()


def entry_quotes(entry: AuditEntry) -> str:
    """The words that an entry rests on, of turns and of the evidence."""
    words = [f"turn {each.turn}: {in_quotes(each.quote)}" for each in entry.evidence]
    return "; ".join([*words, *([passage_words(entry.against)] if entry.against else [])])


# the audit


def audit_lines(audit: Audit, first: Side) -> Iterator[str]:
    """What was not scored, not checked, not answered or refused in a turn, the second opinions, and its evidence."""
    yield from missing_parts(audit.absent, audit.unchecked)
    for call in audit.failed or ():
        yield f"event {call.position}: no usable answer to {call.key} ({call.kind.replace('_', ' ')})"
    for found in audit.refused or ():
        about = f" {in_quotes(found.quote)}" if found.quote else ""
        purpose = "flaw" if found.purpose == "gaps" else found.purpose.replace("_", " ")
        later = "" if found.judged_with is UNSET else f" (judged with turn {found.judged_with})"
        later = " (the closing audit)" if found.by_audit else later
        what = "found, and paid for already" if found.is_paid else "refused or corrected"
        yield f"event {found.position}: {what}, {purpose}{later}:{about} {plain_reason(found.reason)}"
    for opinion in audit.opinions or ():
        reason = one_line(named(opinion.reason, first))
        by = "the evidence" if opinion.by == BY_EVIDENCE else f"second opinion ({opinion.by})"
        yield f"event {opinion.position}: {by}: {opinion.claim} {opinion.verdict}. {reason}"
    if audit.passages:
        yield given_passages(audit.passages)
    for each in audit.citations or ():
        yield f"{each.citation}: {citation_line(each, audit.weighed or ())}"
    for weighed in audit.weighed or ():
        if not weighed.citations:
            yield comparison_line("a claim without a citation", weighed)
    if audit.closing is not UNSET:
        yield f"event {audit.closing.position}: {closing_text(audit.closing.found, audit.closing.missing)}"


def closing_text(found: int, missing: Reason | UnsetType) -> str:
    """The result of the closing audit."""
    if missing is not UNSET:
        return f"the closing audit was not made: {missing.reason}"
    taken = f"points from {found} {'turn' if found == 1 else 'turns'}" if found else "no points"
    return f"the closing audit took {taken}"

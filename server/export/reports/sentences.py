"""The sentences of a report for a debater: each kind has its wording, and finds the events that imply it.

A report says nothing else.  A sentence claims no more than its events do: what the judge was not asked, a report does
not say.  ``tests/server/export/reports/test_sentences.py`` has a check of its own for each kind.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, Final

from msgspec import Struct

from events.record import Recorded
from events.state.ledger import turns_moved
from events.state.scorecard import SideCard
from events.types import (
    AgreementMeasured,
    ArgumentCrossExamined,
    ArgumentTraced,
    AssessmentGiven,
    CitationChecked,
    ClaimFlagged,
    CrossExaminationFaulted,
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    Event,
    NarrativeVerdictReached,
    OpponentAnswered,
    PanelConcluded,
    PremiseDropped,
    PremiseStated,
    PremiseWithdrawn,
    QuestionsAnswered,
    ScorecardVerdictReached,
    ScoreChange,
    ScoreInferred,
    SeatResigned,
    Side,
    TranscriptSupplied,
    TurnRescored,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
)
from server.export.document import Part, Parts
from server.export.reports.losses import Loss
from server.export.wording import BRIEF

_FIELD: Final = re.compile(r"\{(\w+)\}")


class ReportSentence(Struct, frozen=True):
    """A sentence of a report."""

    kind: str
    """Its name in ``KINDS``."""
    text: Parts
    because_of: tuple[int, ...]
    """The positions of the events that imply it."""
    deciding: tuple[int, ...] = ()
    """Those of them that a reader is sent to, next to the events that the text names."""


Entry = tuple[ReportSentence, ...]
"""What a report says about one matter."""


class ReportLog(Struct, frozen=True):
    """The records that a report is made of."""

    records: tuple[Recorded, ...]

    def of(self, *types: type[Event], **values: Any) -> Iterator[int]:
        """The positions of the events of some types whose fields have these values."""
        for record in self.records:
            if isinstance(record.event, types) and all(
                getattr(record.event, name) == value for name, value in values.items()
            ):
                yield record.position

    def scores(self, turns: Container[int] | None = None) -> Iterator[int]:
        """The positions of all scores of some turns, or of all, and of their changes."""
        for record in self.records:
            event = record.event
            if isinstance(event, TurnScored | TurnRescored | ScoreInferred | ScoreChange):
                moved = turns_moved(event) if isinstance(event, TurnRescored) else (event.turn,)
                yield from (record.position,) if turns is None or any(each in turns for each in moved) else ()

    def say(self, kind: str, *about: Any, **words: Part | Parts) -> ReportSentence:
        """A sentence.  ``about`` is what its kind finds its events by; ``words`` stand for the names in its wording."""
        found, text = KINDS[kind], list[Part]()
        for number, each in enumerate(_FIELD.split(found.wording)):
            part = words[each] if number % 2 else each
            text += part if isinstance(part, tuple) else (part,) if part else ()
        because_of = tuple(sorted(set(found.events(self, *about))))
        deciding = because_of if found.deciding is None else tuple(sorted(set(found.deciding(self, *about))))
        return ReportSentence(kind, tuple(text), because_of, deciding)


class SentenceKind(Struct, frozen=True):
    """A kind of sentence."""

    wording: str
    """A word in braces stands for words of the sentence."""
    events: Callable[..., Iterable[int]]
    """From the log, and from what the sentence is about, to the positions of the events that imply it."""
    deciding: Callable[..., Iterable[int]] | None = None
    """In the same way, those of them that a reader needs next to the events that the text names; None means all."""


def _opening(log: ReportLog) -> Iterator[int]:
    return log.of(DebateOpened)


def _supplied(log: ReportLog) -> Iterator[int]:
    return log.of(TranscriptSupplied)


def _state(log: ReportLog) -> Iterator[int]:
    """The opening, and the newest act that started or stopped the debate."""
    yield from log.of(DebateOpened)
    yield from [*log.of(DebatePaused, DebateResumed, DebateHalted)][-1:]


def _outcome(log: ReportLog) -> Iterator[int]:
    yield from log.of(DebateConcluded, ScorecardVerdictReached, NarrativeVerdictReached, AssessmentGiven)
    yield from log.of(DebateOpened, PanelConcluded, AgreementMeasured, SeatResigned, TurnRescored, ScoreInferred)


def _neighbours_compared(log: ReportLog) -> Iterator[int]:
    """The comparisons that decide exchanges, so not that of the last turn with the first."""
    for record in log.records:
        if isinstance(record.event, TurnsCompared) and record.event.later == record.event.earlier + 1:
            yield record.position


def _means(log: ReportLog, pro: SideCard, con: SideCard) -> Iterator[int]:
    """The scorecard, if the means are still those; otherwise all scores."""
    for record in log.records:
        event = record.event
        if isinstance(event, ScorecardVerdictReached) and (event.mean.pro, event.mean.con) == (
            pro.composite,
            con.composite,
        ):
            yield record.position
            return
    yield from log.scores()


def _given(_: ReportLog, *positions: int) -> Iterable[int]:
    """The events that the sentence repeats."""
    return positions


def _rated(log: ReportLog, turn: int) -> Iterator[int]:
    """The score of a turn, and the rubric."""
    yield from log.of(DebateOpened)
    yield from log.of(TurnScored, TurnRescored, turn=turn)


def _ratings(log: ReportLog, turns: Iterable[int], _: Iterable[int]) -> Iterator[int]:
    for turn in turns:
        yield from _rated(log, turn)


def _named_ratings(log: ReportLog, _: Iterable[int], turns: Iterable[int]) -> Iterator[int]:
    """The scores of the turns that a comparison is between."""
    for turn in turns:
        yield from log.of(TurnScored, TurnRescored, turn=turn)


def _loss(log: ReportLog, loss: Loss) -> Iterator[int]:
    """The loss, and what it follows from."""
    yield loss.position
    if loss.kind == "gap":
        return
    yield from () if loss.cause is None else (loss.cause,)
    if loss.premise:
        yield from log.of(PremiseStated, premise=loss.premise)
    if loss.claim:
        yield from log.of(DebateOpened)
        yield from log.of(ClaimFlagged, claim=loss.claim)


def _losses(log: ReportLog, losses: Iterable[Loss]) -> Iterator[int]:
    for loss in losses:
        yield from _loss(log, loss)


def _changes(_: ReportLog, losses: Iterable[Loss]) -> Iterator[int]:
    """The losses without what they follow from."""
    return (each.position for each in losses)


def _contradicted(log: ReportLog, position: int, premise: str) -> Iterator[int]:
    """The contradiction, and the premise that it denies."""
    yield position
    yield from log.of(PremiseStated, premise=premise)


def _nothing(*_: Any) -> Iterable[int]:
    """The text names what the sentence rests on, or the next sentence says it."""
    return ()


def _withdrawn(log: ReportLog, premise: str) -> Iterator[int]:
    return log.of(PremiseStated, PremiseWithdrawn, premise=premise)


def _dropped(log: ReportLog, premise: str) -> Iterator[int]:
    return log.of(PremiseDropped, premise=premise)


def _stated(log: ReportLog, premise: str) -> Iterator[int]:
    return log.of(PremiseStated, premise=premise)


def _left_open(log: ReportLog, premises: Iterable[str], turns: Iterable[int]) -> Iterator[int]:
    """Premises, and what the judge names as answered in later turns."""
    yield from _premises(log, premises)
    yield from _answers(log, turns)


def _premises(log: ReportLog, premises: Iterable[str], *_: Any) -> Iterator[int]:
    for premise in premises:
        yield from _stated(log, premise)


def _drops(log: ReportLog, premises: Iterable[str]) -> Iterator[int]:
    for premise in premises:
        yield from _dropped(log, premise)


def _answers(log: ReportLog, turns: Iterable[int]) -> Iterator[int]:
    for turn in turns:
        yield from log.of(OpponentAnswered, turn=turn)


def _citations(log: ReportLog, citations: Iterable[str]) -> Iterator[int]:
    for citation in citations:
        yield from log.of(CitationChecked, citation=citation)


def _trace(log: ReportLog, *names: str) -> Iterator[int]:
    yield from log.of(DebateOpened)
    for name in names:
        yield from log.of(ArgumentTraced, argument=name)


def _argument(log: ReportLog, opened: int, name: str) -> Iterator[int]:
    """The opening of an argument, and its scores."""
    yield opened
    yield from log.of(ArgumentTraced, argument=name)


def _standing(log: ReportLog, name: str) -> Iterator[int]:
    return log.of(ArgumentTraced, argument=name)


def _answered_by(log: ReportLog, side: Side) -> Iterator[int]:
    return log.of(QuestionsAnswered, side=side)


def _answered(log: ReportLog, side: Side, name: str) -> Iterator[int]:
    yield from _answered_by(log, side)
    yield from log.of(ArgumentTraced, argument=name)


def _replies(log: ReportLog, side: Side) -> Iterator[int]:
    return log.of(ArgumentCrossExamined, CrossExaminationFaulted, by=side)


KINDS: Final = {
    # about the debate
    "judge": SentenceKind("Judged by {judge}.", _opening),
    "judge_brief": SentenceKind(BRIEF, _opening),
    "origin": SentenceKind("{origin}", _opening),
    "judge_caveat": SentenceKind("{caveat}", _opening),
    "supplied": SentenceKind(
        "The turns come from a transcript{source}. They were not spoken in Moot.",
        lambda log: log.of(TranscriptSupplied),
    ),
    "judged_again": SentenceKind("These are the turns of another debate in Moot{source}.", _supplied),
    "not_ended": SentenceKind("The debate has not ended; it is {state}.", _state),
    "ends_at": SentenceKind("This report ends at event {position}.", _given),
    "outcome": SentenceKind("{outcome}", _outcome),
    "means": SentenceKind("Mean score of your turns: {mine} of 100. {rival}: {theirs}.", _means),
    "points": SentenceKind("Your points: {mine} of {most}. {rival}: {theirs}.", _means),
    "exchanges": SentenceKind(
        "Of {pairs} of neighbouring turns you won {won} and lost {lost}; {drawn} drawn. The turn that is better in more"
        " of {dimensions} wins the pair.",
        lambda log: (*log.of(DebateOpened), *_neighbours_compared(log)),
    ),
    "totals": SentenceKind("Total of your arguments: {mine}. {rival}: {theirs}.", lambda log: log.of(AssessmentGiven)),
    # the moments of a side's turns
    "no_scores": SentenceKind("None of your turns has a score.", ReportLog.scores),
    "only_turn": SentenceKind(
        "{turn} is your only turn with a score: {points} of {most} {when}.", ReportLog.scores, _nothing
    ),
    "best_turn": SentenceKind(
        "{turn} is your best turn, with {points} of {most} points {when}{by}.", ReportLog.scores, _nothing
    ),
    "no_better_turn": SentenceKind(
        "None of your turns has more points than {turn}: {points} of {most} {when}{by}.", ReportLog.scores, _nothing
    ),
    "worst_turn": SentenceKind(
        "{turn} is your lowest turn, with {points} of {most} points {when}{by}.", ReportLog.scores, _nothing
    ),
    "no_lower_turn": SentenceKind(
        "None of your turns has fewer points than {turn}: {points} of {most} {when}{by}.", ReportLog.scores, _nothing
    ),
    "changed": SentenceKind("It had {first} when it was scored; since then {changes}, which leaves {points}.", _given),
    "component": SentenceKind("The judge gave it {given} for {component} (whether it {asks}).", _rated),
    "component_quoted": SentenceKind(
        "The judge gave it {given} for {component} (whether it {asks}) and quoted: {quote}", _rated
    ),
    "judge_wrote": SentenceKind("The judge wrote: {words}", _given),
    # points lost later
    "lost_gap": SentenceKind("{turn} lost {points} of {dimension} for a flaw in these words: {quote}", _loss),
    "shown_by": SentenceKind("{who} showed it in {turn}, as the judge says: {quote}", _loss),
    "shown_before": SentenceKind("{whose} words in {turn} show it, as the judge says: {quote}", _loss),
    "shown_by_itself": SentenceKind("The same turn shows it, as the judge says: {quote}", _loss),
    "lost_claim": SentenceKind(
        "{turn} lost {points} of {dimension} for a claim that was flagged as {flag} (it {asks}): {quote}", _loss
    ),
    "second_opinion": SentenceKind("The second opinion agrees: {words}", _given),
    "checked": SentenceKind("The check against the documents says: {words}", _given),
    "lost_dropped": SentenceKind(
        "{turn} lost {points} of {dimension} for a premise that it dropped in silence, as the judge says: {quote}",
        _loss,
    ),
    "lost_contradiction": SentenceKind(
        "{turn} lost {points} of {dimension} for a contradiction, as the judge says.", _loss
    ),
    "contradicted": SentenceKind("It denies this premise of yours from {turn}: {quote}", _contradicted),
    "lost_injection": SentenceKind(
        "{turn} lost {points} of {dimension} for words that give orders to the judge: {quote}", _loss
    ),
    "withdrawn": SentenceKind("You gave up this premise openly in {turn}: {quote}", _withdrawn, _nothing),
    "flagged_too": SentenceKind("{turn} lost {points} of {dimension} for another {flag}: {quote}", _loss),
    "flagged_at_no_cost": SentenceKind(
        "{turn} makes a claim that was flagged as {flag} (it {asks}), which costs no points: {quote}",
        lambda log, claim: (*log.of(DebateOpened), *log.of(ClaimFlagged, claim=claim)),
    ),
    "further_losses": SentenceKind("{losses} took {points} of {dimension}.", _losses, _changes),
    "bands": SentenceKind("Comparisons with the neighbouring turns moved {turns}.", _given, _nothing),
    "compared": SentenceKind("Comparisons with other turns moved {turns}.", _given, _nothing),
    "bands_total": SentenceKind("Together your turns lost {points} by it.", _given, _nothing),
    # what was left unanswered
    "dropped": SentenceKind("The judge says that {turn} dropped a premise of yours in silence: {quote}", _dropped),
    "charged": SentenceKind(
        "It cost the turn {points} of {dimension}.", _loss, lambda log, loss: _changes(log, (loss,))
    ),
    "dropped_too": SentenceKind("The judge says that your turns dropped {premises} of yours in silence.", _drops),
    "premise": SentenceKind("{rival} built on this in {turn}: {quote}", _stated),
    "not_answered": SentenceKind("The judge does not name it among what your later turns answered.", _answers),
    "not_answered_too": SentenceKind(
        "Nor does the judge name {premises} of {rival} among what your later turns answered.",
        _left_open,
        _premises,
    ),
    "miscited": SentenceKind("{rival} cited [{passage}] in {turn}, but {fault}: {quote}", _citations),
    "miscited_too": SentenceKind("{citations} of {rival} did not stand in the documents.", _citations),
    # what to do next time
    "advice": SentenceKind("{advice}", _given, _nothing),
    "below_best": SentenceKind(
        "In this respect ({component}) the best turn of this debate has {best}. Your {turns} below that{together}.",
        _ratings,
        _named_ratings,
    ),
    "lowest": SentenceKind("{turn} has {points}.", _rated),
    "cost": SentenceKind("{losses} cost you {points} of {dimension}, {most}.", _losses, _changes),
    # what has no score
    "not_judged": SentenceKind("{turn} is not judged yet.", lambda log, turn: log.of(TurnSpoken, turn=turn)),
    "unscored": SentenceKind("{turn} has no score: {reason}.", lambda log, turn: log.of(TurnScored, turn=turn)),
    "unscored_part": SentenceKind(
        "{turn} has no score for {dimension}: {reason}.", lambda log, turn: log.of(TurnScored, turn=turn)
    ),
    "inferred": SentenceKind(
        "The judge gave {turn} no score ({reason}); its points of {dimensions} follow from its comparisons.",
        lambda log, turn: log.of(TurnScored, ScoreInferred, turn=turn),
    ),
    # arguments
    "no_totals": SentenceKind("None of your arguments has a score.", _trace),
    "argument": SentenceKind("{name} ({turn}): {claim}", _given),
    "total": SentenceKind("It has {total} of {highest} points.", _trace),
    "stands": SentenceKind("It is {standing}.", _standing),
    "asked": SentenceKind("{rival} asked about {name} in {turn}: {question}", _given),
    "no_answer": SentenceKind("No answer of yours to it is recorded.", _answered_by),
    "stayed_uncertain": SentenceKind("The argument stayed uncertain.", _standing),
    "answered_uncertain": SentenceKind("You answered, and the argument stayed uncertain.", _answered),
    "no_reply": SentenceKind("No reply of yours to it is recorded.", _replies),
    "replied": SentenceKind("{rival} {response} in {turn}: {words}", _given),
    "fallacy": SentenceKind("{name}, {fallacy} in {turn}: {quote}", _given),
    "below_best_argument": SentenceKind(
        "In this respect ({criterion}) the best argument of this debate has {best}. Your"
        " {arguments} below that{together}.",
        _trace,
    ),
    "lowest_argument": SentenceKind("{argument} has {points}.", _argument),
    "no_total": SentenceKind("{name} has no score: {reason}.", _standing),
    "no_standing": SentenceKind("{name} has no standing: {reason}.", _standing),
}
"""Every kind of sentence by name."""

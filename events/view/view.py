"""The view of a debate: one tree, folded from the log, sent once as a snapshot and then as merge patches.

Objects are keyed and hold no nulls, so RFC 7396 patches can express every change.  The spectators' view holds no
private data.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events import patch
from events.record import Recorded
from events.short_names import with_short_names
from events.state import debate as debates
from events.state.claims import Claim
from events.state.debate import Conclusion, Debate
from events.state.exchanges import Anomaly, Exchanges, rounds
from events.state.ledger import turns_moved
from events.state.outcome import OutcomeWords, outcome_of
from events.state.parts.panel import PanelState
from events.state.parts.rounds import ProtocolState
from events.state.scorecard import Scorecard, ScorecardSums, read_off
from events.state.seats import SeatState, debater_of
from events.state.spine import Contradiction, Premise, Stability, stabilities
from events.state.usage import UsageTotals
from events.state.words import ModeratorMessage
from events.table import LazyTable
from events.types import (
    Artifact,
    BatchPart,
    Case,
    ConflictResolved,
    ContextShortened,
    ContextSummarised,
    ConvergenceAssessed,
    DebateConcluded,
    DebateOpened,
    Debater,
    DebateState,
    Effort,
    FamilyWarned,
    JudgeSeat,
    NarrativeVerdictReached,
    Origin,
    PressureApplied,
    ScoreCapped,
    ScorecardVerdictReached,
    ScoreInferred,
    Side,
    SourceKind,
    TraitsShifted,
    TurnRescored,
    TurnsCompared,
)
from events.types.rubric import name_of_rubric
from events.view import trail as trails
from events.view.lead import FORMATS, LeadView, with_arguments, with_figures, with_moves, with_opinions
from events.view.origin import MarkView, mark_of
from events.view.summary import DebateSummary, summary_of
from events.view.trail import Trail
from events.view.turn_view import TurnView, turn_view

if TYPE_CHECKING:
    from events.view.answers import AnswersView
    from events.view.audience import AudienceView
    from events.view.batch import BatchView
    from events.view.evidence_view import EvidenceView
    from events.view.lab import LabView
    from events.view.poll import PollView

VIEWS: Final = LazyTable[Any](
    {
        "answers": "events.view.answers",
        "audience": "events.view.audience",
        "batch": "events.view.batch",
        "evidence": "events.view.evidence_view",
        "lab": "events.view.lab",
        "poll": "events.view.poll",
        "unnamed": "events.view.unnamed",
    }
)
"""What the page shows of the parts that few debates have; ``unnamed`` is for blind ones."""


class SeatView(Struct, frozen=True, kw_only=True, gc=False):
    """The debater of a side."""

    model: str | UnsetType = UNSET
    """Absent for spectators until a blind debate has concluded, and for a person."""
    archetype: str
    elasticity: float
    caveat: str
    speaker: str | UnsetType = UNSET
    """The name of the person who speaks here, or who spoke in the supplied transcript; hidden as ``model`` is."""
    max_words: int | UnsetType = UNSET
    """The limit of this model's turns, where it is lower than the debate's."""


class PersonView(Struct, frozen=True, kw_only=True, gc=False):
    """The seat of a person, as everyone may see it: it names nobody."""

    state: Literal["free", "invited", "taken", "away", "resigned", "handed_over"]
    """``free``: there is no link.  ``invited``: no browser has used it yet."""
    time_s: float
    turn: int | UnsetType = UNSET
    """The turn whose clock runs or has run last."""
    since: str | UnsetType = UNSET
    """When that clock began."""
    has_sent: bool | UnsetType = UNSET
    """Set once the person has sent the statement of this turn, which is shown with the other side's."""


class TranscriptView(Struct, frozen=True, kw_only=True, gc=False):
    """Where the turns come from, if they were not spoken in Moot."""

    source: str | UnsetType = UNSET
    """Absent for spectators until a blind debate has concluded: it may name who spoke."""
    licence: str
    kind: SourceKind
    digest: str
    position: int


class JudgeView(Struct, frozen=True, kw_only=True, gc=False):
    """The judge."""

    model: str | UnsetType = UNSET
    samples: int
    caveat: str
    baseline: str | UnsetType = UNSET
    """The name of a judge that understands nothing; a blind debate tells it too."""
    effort: Effort | UnsetType = UNSET
    """Present if it is ``brief``."""


class VerdictsView(Struct, frozen=True, kw_only=True, gc=False):
    """The verdicts reached so far."""

    scorecard: ScorecardVerdictReached | UnsetType = UNSET
    narrative: NarrativeVerdictReached | UnsetType = UNSET
    conflict: ConflictResolved | UnsetType = UNSET
    convergence: ConvergenceAssessed | UnsetType = UNSET
    positions: dict[str, int] = {}
    """Their positions in the log."""
    swapped: bool | UnsetType = UNSET
    """Present and true if the narrative calls the side that spoke second Speaker A."""


class DirectiveView(Struct, frozen=True, kw_only=True, gc=False):
    """A directive that may be shown."""

    side: Side
    text: str


class View(Struct, frozen=True, kw_only=True, gc=False):
    """The debate at one position, as spectators may see it."""

    id: str = ""
    position: int = 0
    state: DebateState = "open"
    reason: str = ""
    motion: str = ""
    title: str | UnsetType = UNSET
    """The name that an operator gave the debate."""
    tags: tuple[str, ...] | UnsetType = UNSET
    hidden: bool | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    unlisted: bool | UnsetType = UNSET
    """Present and true if a spectator needs a link with a token."""
    language: str | UnsetType = UNSET
    """BCP 47 tag of the language that is spoken; absent in debates that are older than the field."""
    format: str = ""
    turns_planned: int = 0
    max_words: int = 0
    opened_at: str = ""
    exhibition: str | UnsetType = UNSET
    transcript: TranscriptView | UnsetType = UNSET
    """Present if the turns were supplied, and not spoken in Moot."""
    origin: Origin | UnsetType = UNSET
    """The debate that this one was made from."""
    blind: bool | UnsetType = UNSET
    """Present and true if spectators see no names of models before the debate has concluded."""
    mark: MarkView | UnsetType = UNSET
    """Who and what wrote the speeches and the judgements."""
    pro: SeatView | UnsetType = UNSET
    con: SeatView | UnsetType = UNSET
    judge: JudgeView | UnsetType = UNSET
    people: dict[str, PersonView] | UnsetType = UNSET
    """The seats of people by ``pro``, ``con``, ``judge`` or the name of a rater, if there are any."""
    rubric: str = ""
    rubric_name: str | UnsetType = UNSET
    """The name that selects the rubric, as ``v2``; the name and the version of a rubric that is not Moot's."""
    turns: dict[str, TurnView] = {}
    scorecard: Scorecard = Scorecard()
    lead: LeadView | UnsetType = UNSET
    """Present in formats ``exchange``, ``protocol`` and ``deliberation``."""
    claims: dict[str, Claim] = {}
    premises: dict[str, Premise] = {}
    contradictions: tuple[Contradiction, ...] = ()
    spine: dict[str, Stability] = {}
    anomalies: dict[str, Anomaly] = {}
    verdicts: VerdictsView = VerdictsView()
    protocol: ProtocolState | dict[str, Any] = {}
    """Empty in other formats."""
    panel: PanelState | dict[str, Any] = {}
    """Empty without a panel."""
    artifact: Artifact | UnsetType = UNSET
    cases: dict[str, Case] | UnsetType = UNSET
    lab: "LabView | UnsetType" = UNSET
    """Present in format ``lab``."""
    batch: "BatchView | UnsetType" = UNSET
    """Present in format ``batch``."""
    part_of: BatchPart | UnsetType = UNSET
    """Present in a debate that a batch has opened."""
    answers: "AnswersView | UnsetType" = UNSET
    evidence: "EvidenceView | UnsetType" = UNSET
    """Present in a debate with documents."""
    families: tuple[FamilyWarned, ...] | UnsetType = UNSET
    """Judges and debaters of one family, if there are any."""
    context: dict[str, ContextSummarised] | UnsetType = UNSET
    """The turns that each side was last given, if not all of them."""
    judge_context: ContextShortened | UnsetType = UNSET
    """What the judge reads of earlier turns, if not all of them."""
    traits: dict[str, dict[str, float]] = {}
    archetype_traits: dict[str, dict[str, float]] = {}
    """Each side's traits at the start."""
    trait_moves: dict[str, TraitsShifted] | UnsetType = UNSET
    """Moves of traits by position, if there are any."""
    pressure: dict[str, PressureApplied] = {}
    directives: dict[str, DirectiveView] = {}
    """By position; empty for spectators until the debate has concluded."""
    words: dict[str, ModeratorMessage] | UnsetType = UNSET
    """Messages of the moderator by position, if there are any."""
    audience: "AudienceView | UnsetType" = UNSET
    """Absent without votes and beliefs, and for spectators until the debate has concluded."""
    poll: "PollView | UnsetType" = UNSET
    """Absent without a poll.  Its result is absent, for operators too, until the debate has concluded."""
    conclusion: Conclusion | UnsetType = UNSET
    outcome: OutcomeWords | UnsetType = UNSET
    """The conclusion in words; absent for what has no debaters."""
    summary: DebateSummary | UnsetType = UNSET
    """Once an exchange has concluded."""
    usage: UsageTotals = UsageTotals()


class Fold(Struct, frozen=True, kw_only=True, gc=False):
    """The spectators' view, and the state that it is computed from."""

    debate: Debate = debates.INITIAL
    view: View = View()
    sums: ScorecardSums = ScorecardSums()
    """The sums that the scorecard is computed from."""
    turns: dict[str, TurnView] = {}
    """The turns with the names of models, which the spectators' view may lack."""
    trail: Trail = trails.INITIAL


INITIAL = Fold()
Evolve = Callable[[Debate, Recorded], Debate]
"""What gives the state after a record, as ``debates.evolve`` does."""


def apply(fold: Fold, record: Recorded, evolve: Evolve | None = None, *, course: bool = True) -> Fold:
    """The fold after ``record``.  Parts that did not change stay the same objects.

    ``evolve`` gives the state instead, of records that every reader sees as they are.  Without ``course`` the view has
    no summary and no moves of the lead, which take half of the time.
    """
    shown = _as_shown(record)
    after = (evolve if evolve and shown is record else debates.evolve)(fold.debate, shown)
    trail = trails.after(fold.trail, (record,))
    exchanges = {record.position: after.exchanges} if course else {}
    return _after(fold, after, _turns_of(record, after), exchanges, trail)


def apply_all(fold: Fold, records: Iterable[Recorded], *, course: bool = True) -> Fold:
    """The fold after all records: the result of repeated ``apply``, but the view is computed once."""
    records = tuple(records)
    debate, turns, exchanges = fold.debate, dict[int, None](), dict[int, Exchanges]()
    trail = trails.after(fold.trail, records)
    for record in records:
        if type(record.event) in _SHOWN_AT_ONCE:
            fold = apply(_after(fold, debate, turns, exchanges, fold.trail), record, course=course)
            debate, turns = fold.debate, {}
        else:
            debate = debates.evolve(debate, _as_shown(record))
            turns |= dict.fromkeys(_turns_of(record, debate))
            if course:
                exchanges[record.position] = debate.exchanges
    return _after(fold, debate, turns, exchanges, trail)


def _as_shown(record: Recorded) -> Recorded:
    """The record as every reader sees it: without folders of scripts."""
    event = with_short_names(record.event) if record.event.naming else record.event
    return record if event is record.event else replace(record, event=event)


_SHOWN_AT_ONCE: Final = frozenset({DebateOpened, DebateConcluded})
"""Parts of the view are computed at these events only, from the state at that moment."""


def _after(  # noqa: C901 - one flat if a part of the view
    fold: Fold, after: Debate, numbers: Iterable[int], exchanges: Mapping[int, Exchanges], trail: Trail
) -> Fold:
    """The fold with the state ``after``, which events about the turns ``numbers`` have changed.

    ``exchanges``: those after each of these events; without any, there is no course of the debate.
    """
    before, view = fold.debate, fold.view
    if after is before:
        return replace(fold, trail=trail)
    hides = _hides(after)
    if after.opened is not None and after.opened is not before.opened:
        view = _opened(after, after.opened)
    sums, turns = fold.sums, fold.turns
    moved: dict[str, Any] = {"position": after.position}
    if before.ledger is not after.ledger or before.exchanges is not after.exchanges:
        sums, moved["scorecard"] = _scorecard(fold, after, numbers)
        moved["anomalies"] = after.exchanges.anomalies
    turns = _turns(before, after, turns, numbers)
    moved["lead"] = _lead(fold, after, view.lead, moved.get("scorecard", view.scorecard), turns, numbers, exchanges)
    if turns is not fold.turns:
        moved["turns"] = _shown(fold, turns, numbers) if hides else turns
    status, conclusion = after.status, after.status.conclusion
    if status is not before.status:
        moved |= {"state": status.state, "reason": status.reason}
        moved["conclusion"] = UNSET if conclusion is None else conclusion
        moved["outcome"] = outcome_of(after)
        if conclusion is not None and before.status.conclusion is None:
            view = _revealed(after, view)
            moved["turns"] = turns
            has_summary = view.format == "exchange" and exchanges
            moved["summary"] = summary_of(after, moved["lead"].moves) if has_summary else UNSET
    if before.spine is not after.spine:
        spine = after.spine
        moved |= {"premises": spine.premises, "contradictions": spine.contradictions, "spine": stabilities(spine)}
    if before.characters is not after.characters:
        moved |= {"traits": after.characters.traits, "pressure": after.characters.pressure}
        moved["trait_moves"] = after.characters.moves or UNSET
    if before.verdicts is not after.verdicts:
        moved["verdicts"] = _verdicts(after)
    if before.usage is not after.usage:
        moved["usage"] = after.usage
    if before.claims is not after.claims:
        moved["claims"] = after.claims
    if before.labels is not after.labels:
        moved |= _labels(after)
    moved |= _rare_parts(fold, after, is_protocol=view.format == "protocol", hides=hides)
    known = (turns[name].origin == fold.turns[name].origin for name in map(str, numbers) if name in fold.turns)
    is_same = len(turns) == len(fold.turns) and after.status is before.status and view is fold.view and all(known)
    moved["mark"] = view.mark if is_same else _mark(after, turns, view.mark, hides=hides)
    return Fold(debate=after, sums=sums, turns=turns, trail=trail, view=replace(view, **moved))


def _mark(
    debate: Debate, turns: Mapping[str, TurnView], known: MarkView | UnsetType, *, hides: bool
) -> MarkView | UnsetType:
    """The mark of the debate; the known one if it is the same."""
    origins = [turn.origin for turn in turns.values() if turn.origin is not UNSET]
    mark = mark_of(debate, origins, hides=hides)
    return known if mark == known else mark


def _rare_parts(  # noqa: C901, PLR0912 - one flat if a part of the view
    fold: Fold, after: Debate, *, is_protocol: bool, hides: bool
) -> dict[str, Any]:
    """Parts of the view that most debates lack."""
    moved: dict[str, Any] = {}
    if after.transcript.supplied is not fold.debate.transcript.supplied:
        moved["transcript"] = _transcript(after, hides=hides)
    if after.words:
        moved["words"] = after.words
    if after.seats and after.seats is not fold.debate.seats:
        moved |= _people(fold.debate, after, hides=hides)
    if after.families:
        moved["families"] = tuple(replace(each, family="") for each in after.families) if hides else after.families
    if after.context:
        moved["context"] = after.context
    if after.context_shortened is not None:
        moved["judge_context"] = after.context_shortened
    if is_protocol:
        moved["protocol"] = _protocol(after, hides=hides)
    if after.panel.raters:
        moved["panel"] = _panel(fold, after, hides=hides)
    if after.evidence is not fold.debate.evidence or after.citations is not fold.debate.citations:
        moved["evidence"] = VIEWS["evidence"].evidence_view(after, fold.view.evidence)
    if after.lab is not fold.debate.lab:
        moved["lab"] = VIEWS["lab"].lab_view(after)
    if after.batch is not fold.debate.batch:
        moved["batch"] = VIEWS["batch"].batch_view(after)
    if after.answers is not fold.debate.answers:
        moved["answers"] = VIEWS["answers"].answers_view(after)
    if after.opened is not None and after.opened.poll:
        ended = after.status.conclusion is not None
        moved["poll"] = VIEWS["poll"].poll_view(after.opened.poll, after.audience.poll, has_ended=ended)
    return moved


def _lead(
    fold: Fold,
    after: Debate,
    lead: LeadView | UnsetType,
    card: Scorecard,
    turns: dict[str, TurnView],
    numbers: Iterable[int],
    exchanges: Mapping[int, Exchanges],
) -> LeadView | UnsetType:
    """The lead after events about the turns ``numbers``.  ``card`` and ``turns`` are those after them."""
    before = fold.debate
    if lead is UNSET:
        return lead
    if before.ledger is not after.ledger or card is not fold.view.scorecard:
        lead = with_figures(lead, card, turns.values(), after.ledger.rubric)
    if before.ledger is not after.ledger and exchanges:
        lead = with_moves(lead, before.ledger, after.ledger, fold.sums, numbers, card, exchanges)
    if before.protocol is not after.protocol:
        lead = with_arguments(lead, after.protocol)
    if before.panel is not after.panel and fold.view.format == "deliberation":
        lead = with_opinions(lead, after.panel)
    return lead


def _labels(debate: Debate) -> dict[str, Any]:
    labels = debate.labels
    return {
        "title": labels.title or UNSET,
        "tags": labels.tags or UNSET,
        "hidden": labels.hidden or UNSET,
        "archived": labels.archived or UNSET,
        "unlisted": bool(labels.link) or UNSET,
    }


def _hides(debate: Debate) -> bool:
    """Whether the names of models are hidden from spectators."""
    return debate.is_blind and debate.status.conclusion is None


def for_director(fold: Fold) -> View:
    """The view with the private parts that spectators see only once the debate has concluded."""
    debate, view = fold.debate, fold.view
    if debate.characters.directives or debate.audience.recorded:
        view = replace(view, directives=_words(debate), audience=_audience(debate))
    if not _hides(debate):
        return view
    return replace(
        view,
        turns=fold.turns,
        mark=_mark(debate, fold.turns, view.mark, hides=False),
        families=debate.families or UNSET,
        transcript=_transcript(debate, hides=False),
        **_seats(debate),
        protocol=debate.protocol if view.format == "protocol" else {},
        panel=debate.panel if debate.panel.raters else {},
    )


def _revealed(debate: Debate, view: View) -> View:
    """The view with its private parts, once the debate has concluded."""
    return replace(
        view,
        directives=_words(debate),
        audience=_audience(debate),
        transcript=_transcript(debate, hides=False),
        answers=VIEWS["answers"].answers_view(debate) if debate.answers else UNSET,
        **_seats(debate),
    )


def _audience(debate: Debate) -> "AudienceView | UnsetType":
    if not debate.audience.recorded:
        return UNSET
    shown: AudienceView = VIEWS["audience"].audience_view(debate.audience, debate.exchanges, debate.ledger.sides)
    return shown


def _shown(fold: Fold, turns: dict[str, TurnView], numbers: Iterable[int]) -> dict[str, TurnView]:
    """The turns without names of models, those of ``numbers`` computed again."""
    anew = {name: VIEWS["unnamed"].unnamed_turn(turns[name]) for name in map(str, numbers) if name in turns}
    return {**fold.view.turns, **anew}


def _protocol(debate: Debate, *, hides: bool) -> ProtocolState:
    assert debate.opened is not None, "a protocol has been opened"
    if not hides:
        return debate.protocol
    shown: ProtocolState = VIEWS["unnamed"].unnamed_protocol(debate.protocol, debate.opened)
    return shown


def _panel(fold: Fold, debate: Debate, *, hides: bool) -> PanelState | dict[str, Any]:
    if not hides:
        return debate.panel
    if debate.panel is fold.debate.panel:
        return fold.view.panel
    shown: PanelState = VIEWS["unnamed"].unnamed_panel(debate.panel)
    return shown


def _words(debate: Debate) -> dict[str, DirectiveView]:
    return {str(at): DirectiveView(side=each.side, text=each.text) for at, each in debate.characters.directives.items()}


def _opened(debate: Debate, opened: DebateOpened) -> View:
    """The view with the data of ``debate_opened``."""
    return View(
        id=debate.id,
        motion=opened.motion,
        language=opened.language,
        format=opened.format,
        turns_planned=opened.turns,
        max_words=opened.max_words,
        opened_at=debate.opened_at,
        exhibition=UNSET if opened.exhibition is None else opened.exhibition,
        blind=opened.blind or UNSET,
        origin=opened.origin,
        **_seats(debate, named=not opened.blind),
        rubric=opened.rubric.name,
        rubric_name=name_of_rubric(opened.rubric),
        archetype_traits=debate.characters.traits,
        artifact=opened.artifact,
        cases={case.id: case for case in opened.cases} if opened.cases else UNSET,
        lab=VIEWS["lab"].lab_view(debate) if opened.lab else UNSET,
        batch=VIEWS["batch"].batch_view(debate) if opened.batch else UNSET,
        part_of=opened.part_of,
        answers=VIEWS["answers"].answers_view(debate) if opened.question else UNSET,
        lead=LeadView() if opened.format in FORMATS else UNSET,
    )


def _seats(debate: Debate, *, named: bool = True) -> dict[str, Any]:
    """Both sides and the judge."""
    opened = debate.opened
    assert opened is not None, "seats are those of an opening"
    return {
        "pro": _seat(debater_of(opened, debate.seats, "pro"), named=named) if is_taken(opened.pro) else UNSET,
        "con": _seat(debater_of(opened, debate.seats, "con"), named=named) if is_taken(opened.con) else UNSET,
        "judge": _judge(opened.judge, named=named),
    }


def _people(before: Debate, after: Debate, *, hides: bool) -> dict[str, Any]:
    """The seats of people, and the debaters if a model has taken a seat over."""
    shown = {name: _person(seat) for name, seat in after.seats.items()}
    models = [{name: seat.model for name, seat in debate.seats.items()} for debate in (before, after)]
    is_handed = before.opened is not None and models[0] != models[1]
    return {"people": shown, **(_seats(after, named=not hides) if is_handed else {})}


def _person(seat: SeatState) -> PersonView:
    state: Literal["free", "invited", "taken", "away", "resigned", "handed_over"] = "free"
    if seat.model:
        state = "handed_over"
    elif seat.resigned:
        state = "resigned"
    elif seat.holder:
        state = "away" if seat.is_away else "taken"
    elif seat.link:
        state = "invited"
    return PersonView(
        state=state,
        time_s=seat.time_s,
        turn=seat.turn or UNSET,
        since=seat.since or UNSET,
        has_sent=seat.has_sent or UNSET,
    )


def is_taken(seat: Debater) -> bool:
    """Whether the side has a debater: an artifact has none."""
    return bool(seat.model) or seat.speaker is not UNSET


def _seat(seat: Debater, *, named: bool) -> SeatView:
    shown = SeatView(
        model=UNSET if seat.time_s else seat.model or UNSET,
        archetype=seat.archetype,
        elasticity=seat.elasticity,
        caveat=seat.caveat,
        speaker=seat.speaker,
        max_words=seat.max_words,
    )
    return shown if named else replace(shown, model=UNSET, caveat="", speaker=UNSET)


def _transcript(debate: Debate, *, hides: bool) -> TranscriptView | UnsetType:
    supplied = debate.transcript.supplied
    if supplied is None:
        return UNSET
    return TranscriptView(
        source=UNSET if hides else supplied.source,
        licence=supplied.licence,
        kind=supplied.kind,
        digest=supplied.digest,
        position=supplied.position,
    )


def _judge(seat: JudgeSeat, *, named: bool) -> JudgeView:
    shown = JudgeView(
        model=seat.model,
        samples=seat.samples,
        caveat=seat.caveat,
        baseline=seat.baseline,
        effort=UNSET if seat.effort == "full" else seat.effort,
    )
    return shown if named else replace(shown, model=UNSET, caveat=seat.caveat if seat.baseline else "")


def _verdicts(debate: Debate) -> VerdictsView:
    verdicts = debate.verdicts
    return VerdictsView(
        scorecard=UNSET if verdicts.scorecard is None else verdicts.scorecard,
        narrative=UNSET if verdicts.narrative is None else verdicts.narrative,
        conflict=UNSET if verdicts.conflict is None else verdicts.conflict,
        convergence=UNSET if verdicts.convergence is None else verdicts.convergence,
        positions=verdicts.positions,
        swapped=verdicts.is_swapped or UNSET,
    )


def _scorecard(fold: Fold, after: Debate, numbers: Iterable[int]) -> tuple[ScorecardSums, Scorecard]:
    """The sums and the scorecard, with the scores of the turns ``numbers`` counted again."""
    before, ledger = fold.debate.ledger.cards, after.ledger
    known, exchanges = fold.debate.exchanges, after.exchanges
    is_compared = known.comparisons is not exchanges.comparisons or known.closing is not exchanges.closing
    if before is ledger.cards and not is_compared:
        return fold.sums, fold.view.scorecard
    sums = fold.sums
    for number in numbers:
        was, card = before.get(number), ledger.cards.get(number)
        if was is not card:
            sums = sums.moved(was, card, ledger)
    won = rounds(exchanges, ledger.sides) if is_compared else fold.view.scorecard.rounds
    noise = UNSET if after.opened is None else after.opened.noise
    return sums, read_off(sums, ledger, exchanges, won, noise)


def _turns_of(record: Recorded, after: Debate) -> tuple[int, ...]:
    """The turns whose view an event may change; 0 if it is about the whole debate.

    What a later turn shows of its comparison depends on the score of the earlier one.
    """
    event = record.event
    number = event.later if isinstance(event, TurnsCompared) else getattr(event, "turn", None)
    if isinstance(event, TurnRescored | ScoreCapped | ScoreInferred):
        moved = turns_moved(event) if isinstance(event, TurnRescored) else ()
        return tuple(sorted({event.turn, *moved, *(each.later for each in after.exchanges.about(event.turn))}))
    return (number if isinstance(number, int) else 0,)


def _turns(before: Debate, after: Debate, turns: dict[str, TurnView], numbers: Iterable[int]) -> dict[str, TurnView]:
    """The turns, with those of ``numbers`` computed again."""
    untouched = (
        before.transcript is after.transcript
        and before.ledger is after.ledger
        and before.exchanges is after.exchanges
        and before.injections is after.injections
        and before.unchecked is after.unchecked
    )
    anew = () if untouched else [number for number in numbers if number in after.transcript.turns]
    return {**turns, **{str(number): turn_view(after, number) for number in anew}} if anew else turns


def difference(before: View, after: View) -> dict[str, Any]:
    """The merge patch between two views.  The first patch holds the whole view: a reader begins with ``{}``."""
    return patch.diff(before if before.position else {}, after)

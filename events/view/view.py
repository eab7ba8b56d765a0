"""What the page shows: one tree, folded from the log, sent as a snapshot once and as merge patches from then on.

Objects are keyed and nothing is null, so that RFC 7396 patches say every change.  The spectator's view never holds
anything that belongs to the director.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events import patch
from events.record import Recorded
from events.state import debate as debates
from events.state.claims import Claim
from events.state.debate import Conclusion, Debate
from events.state.exchanges import Anomaly, rounds
from events.state.panel import PanelState
from events.state.rounds import ProtocolState
from events.state.scorecard import Scorecard, ScorecardSums, read_off
from events.state.spine import Contradiction, Premise, Stability, stabilities
from events.state.usage import UsageTotals
from events.state.words import ModeratorMessage
from events.types import (
    Artifact,
    Case,
    ConflictResolved,
    ContextSummarised,
    ConvergenceAssessed,
    DebateConcluded,
    DebateOpened,
    Debater,
    DebateState,
    FamilyWarned,
    JudgeSeat,
    NarrativeVerdictReached,
    PressureApplied,
    ScorecardVerdictReached,
    Side,
    TurnsCompared,
)
from events.view.audience import AudienceView, audience_view
from events.view.turn_view import TurnView, turn_view
from events.view.unnamed import unnamed_panel, unnamed_protocol, unnamed_turn


class SeatView(Struct, frozen=True, kw_only=True, gc=False):
    """A side: who speaks, in which character, and what to know of that model."""

    model: str | UnsetType = UNSET
    """Absent for spectators while a blind debate is live."""
    archetype: str
    elasticity: float
    caveat: str


class JudgeView(Struct, frozen=True, kw_only=True, gc=False):
    """Who judges."""

    model: str | UnsetType = UNSET
    samples: int
    caveat: str


class VerdictsView(Struct, frozen=True, kw_only=True, gc=False):
    """The verdicts reached so far."""

    scorecard: ScorecardVerdictReached | UnsetType = UNSET
    narrative: NarrativeVerdictReached | UnsetType = UNSET
    conflict: ConflictResolved | UnsetType = UNSET
    convergence: ConvergenceAssessed | UnsetType = UNSET
    positions: dict[str, int] = {}
    """Where each of them stands in the log."""


class DirectiveView(Struct, frozen=True, kw_only=True, gc=False):
    """A directive, once it may be read."""

    side: Side
    text: str


class View(Struct, frozen=True, kw_only=True, gc=False):
    """The debate as a spectator may see it at one position."""

    id: str = ""
    position: int = 0
    state: DebateState = "open"
    reason: str = ""
    motion: str = ""
    format: str = ""
    turns_planned: int = 0
    max_words: int = 0
    opened_at: str = ""
    exhibition: str | UnsetType = UNSET
    blind: bool | UnsetType = UNSET
    """Present, and true, where models are not named to spectators before the debate has concluded."""
    pro: SeatView | UnsetType = UNSET
    con: SeatView | UnsetType = UNSET
    judge: JudgeView | UnsetType = UNSET
    rubric: str = ""
    turns: dict[str, TurnView] = {}
    scorecard: Scorecard = Scorecard()
    claims: dict[str, Claim] = {}
    premises: dict[str, Premise] = {}
    contradictions: tuple[Contradiction, ...] = ()
    spine: dict[str, Stability] = {}
    anomalies: dict[str, Anomaly] = {}
    verdicts: VerdictsView = VerdictsView()
    protocol: ProtocolState | dict[str, Any] = {}
    """Empty in other formats."""
    panel: PanelState | dict[str, Any] = {}
    """Empty where no panel sits."""
    artifact: Artifact | UnsetType = UNSET
    cases: dict[str, Case] | UnsetType = UNSET
    families: tuple[FamilyWarned, ...] | UnsetType = UNSET
    """Judges and debaters of one family, where there are any."""
    context: dict[str, ContextSummarised] | UnsetType = UNSET
    """What each side was last given of the turns, where that was not all of them."""
    traits: dict[str, dict[str, float]] = {}
    archetype_traits: dict[str, dict[str, float]] = {}
    """Where each side's traits began."""
    pressure: dict[str, PressureApplied] = {}
    directives: dict[str, DirectiveView] = {}
    """By position; empty for spectators until the debate has concluded."""
    words: dict[str, ModeratorMessage] | UnsetType = UNSET
    """The moderator's, by position, where there are any."""
    audience: AudienceView | UnsetType = UNSET
    """Absent for spectators until the debate has concluded, and where nobody voted or stated a belief."""
    conclusion: Conclusion | UnsetType = UNSET
    usage: UsageTotals = UsageTotals()


class Fold(Struct, frozen=True, kw_only=True, gc=False):
    """The spectators' view and the debate behind it."""

    debate: Debate = debates.INITIAL
    view: View = View()
    sums: ScorecardSums = ScorecardSums()
    """What the scorecard is read off."""
    turns: dict[str, TurnView] = {}
    """With their models, also where the spectators' view does not name them."""


INITIAL = Fold()


def apply(fold: Fold, record: Recorded) -> Fold:
    """The fold after ``record``.  Parts that did not change are the same objects."""
    return _after(fold, debates.evolve(fold.debate, record), (_turn_of(record),))


def apply_all(fold: Fold, records: Iterable[Recorded]) -> Fold:
    """The fold after all of them: what ``apply`` gives one after the other, shown once and not after each."""
    debate, turns = fold.debate, dict[int, None]()
    for record in records:
        if type(record.event) in _SHOWN_AT_ONCE:
            fold = apply(_after(fold, debate, turns), record)
            debate, turns = fold.debate, {}
        else:
            debate = debates.evolve(debate, record)
            turns[_turn_of(record)] = None
    return _after(fold, debate, turns)


_SHOWN_AT_ONCE: Final = frozenset({DebateOpened, DebateConcluded})
"""What is said once and for all at that moment is not to be said of a later one."""


def _after(fold: Fold, after: Debate, numbers: Iterable[int]) -> Fold:  # noqa: C901 - one flat if a part of the view
    """The fold with the debate as it is now, after events that spoke of the turns ``numbers``."""
    before, view = fold.debate, fold.view
    if after is before:
        return fold
    hides = _hides(after)
    if after.opened is not None and after.opened is not before.opened:
        view = _opened(after, after.opened)
    sums, turns = fold.sums, fold.turns
    moved: dict[str, Any] = {"position": after.position}
    if before.ledger is not after.ledger or before.exchanges is not after.exchanges:
        sums, moved["scorecard"] = _scorecard(fold, after, numbers)
        moved["anomalies"] = after.exchanges.anomalies
    turns = _turns(before, after, turns, numbers)
    if turns is not fold.turns:
        moved["turns"] = _shown(fold, turns, numbers) if hides else turns
    status, conclusion = after.status, after.status.conclusion
    if status is not before.status:
        moved |= {"state": status.state, "reason": status.reason}
        moved["conclusion"] = UNSET if conclusion is None else conclusion
        if conclusion is not None and before.status.conclusion is None:
            view = _revealed(after, view)
            moved["turns"] = turns
    if before.spine is not after.spine:
        spine = after.spine
        moved |= {"premises": spine.premises, "contradictions": spine.contradictions, "spine": stabilities(spine)}
    if before.characters is not after.characters:
        moved |= {"traits": after.characters.traits, "pressure": after.characters.pressure}
    if before.verdicts is not after.verdicts:
        moved["verdicts"] = _verdicts(after)
    if before.usage is not after.usage:
        moved["usage"] = after.usage
    if before.claims is not after.claims:
        moved["claims"] = after.claims
    moved |= _seldom(fold, after, is_protocol=view.format == "protocol", hides=hides)
    return Fold(debate=after, sums=sums, turns=turns, view=replace(view, **moved))


def _seldom(fold: Fold, after: Debate, *, is_protocol: bool, hides: bool) -> dict[str, Any]:
    """Parts of the view that most debates lack."""
    moved: dict[str, Any] = {}
    if after.words:
        moved["words"] = after.words
    if after.families:
        moved["families"] = _families(after, hides=hides)
    if after.context:
        moved["context"] = after.context
    if is_protocol:
        moved["protocol"] = _protocol(after, hides=hides)
    if after.panel.raters:
        moved["panel"] = _panel(fold, after, hides=hides)
    return moved


def _hides(debate: Debate) -> bool:
    """Whether spectators are not to know the models."""
    return debate.is_blind and debate.status.conclusion is None


def for_director(fold: Fold) -> View:
    """The view with all that spectators may not read before the debate has concluded."""
    debate, view = fold.debate, fold.view
    if debate.characters.directives or debate.audience.recorded:
        view = replace(view, directives=_words(debate), audience=_audience(debate))
    if not _hides(debate):
        return view
    return replace(
        view,
        turns=fold.turns,
        families=debate.families or UNSET,
        **_seats(debate),
        protocol=debate.protocol if view.format == "protocol" else {},
        panel=debate.panel if debate.panel.raters else {},
    )


def _revealed(debate: Debate, view: View) -> View:
    """What was the director's, once and for all everybody's."""
    return replace(view, directives=_words(debate), audience=_audience(debate), **_seats(debate))


def _audience(debate: Debate) -> AudienceView | UnsetType:
    return audience_view(debate.audience, debate.exchanges, debate.ledger.sides)


def _shown(fold: Fold, turns: dict[str, TurnView], numbers: Iterable[int]) -> dict[str, TurnView]:
    """The turns as they may be shown, those of ``numbers`` made anew."""
    anew = {name: unnamed_turn(turns[name]) for name in map(str, numbers) if name in turns}
    return {**fold.view.turns, **anew}


def _families(debate: Debate, *, hides: bool) -> tuple[FamilyWarned, ...]:
    return tuple(replace(each, family="") for each in debate.families) if hides else debate.families


def _protocol(debate: Debate, *, hides: bool) -> ProtocolState:
    assert debate.opened is not None, "a protocol has been opened"
    return unnamed_protocol(debate.protocol, debate.opened) if hides else debate.protocol


def _panel(fold: Fold, debate: Debate, *, hides: bool) -> PanelState | dict[str, Any]:
    if not hides:
        return debate.panel
    return fold.view.panel if debate.panel is fold.debate.panel else unnamed_panel(debate.panel)


def _words(debate: Debate) -> dict[str, DirectiveView]:
    return {str(at): DirectiveView(side=each.side, text=each.text) for at, each in debate.characters.directives.items()}


def _opened(debate: Debate, opened: DebateOpened) -> View:
    """What ``debate_opened`` says, once and for all."""
    return View(
        id=debate.id,
        motion=opened.motion,
        format=opened.format,
        turns_planned=opened.turns,
        max_words=opened.max_words,
        opened_at=debate.opened_at,
        exhibition=UNSET if opened.exhibition is None else opened.exhibition,
        blind=opened.blind or UNSET,
        **_seats(debate, named=not opened.blind),
        rubric=opened.rubric.name,
        archetype_traits=debate.characters.traits,
        artifact=opened.artifact,
        cases={case.id: case for case in opened.cases} if opened.cases else UNSET,
    )


def _seats(debate: Debate, *, named: bool = True) -> dict[str, Any]:
    """Both sides and the judge."""
    opened = debate.opened
    assert opened is not None, "seats are those of an opening"
    return {
        "pro": _seat(opened.pro, named=named) if opened.pro.model else UNSET,
        "con": _seat(opened.con, named=named) if opened.con.model else UNSET,
        "judge": _bench(opened.judge, named=named),
    }


def _seat(seat: Debater, *, named: bool) -> SeatView:
    shown = SeatView(model=seat.model, archetype=seat.archetype, elasticity=seat.elasticity, caveat=seat.caveat)
    return shown if named else replace(shown, model=UNSET, caveat="")


def _bench(seat: JudgeSeat, *, named: bool) -> JudgeView:
    shown = JudgeView(model=seat.model, samples=seat.samples, caveat=seat.caveat)
    return shown if named else replace(shown, model=UNSET, caveat="")


def _verdicts(debate: Debate) -> VerdictsView:
    said = debate.verdicts
    return VerdictsView(
        scorecard=UNSET if said.scorecard is None else said.scorecard,
        narrative=UNSET if said.narrative is None else said.narrative,
        conflict=UNSET if said.conflict is None else said.conflict,
        convergence=UNSET if said.convergence is None else said.convergence,
        positions=said.positions,
    )


def _scorecard(fold: Fold, after: Debate, numbers: Iterable[int]) -> tuple[ScorecardSums, Scorecard]:
    """The sums and the scorecard, with the cards of the turns ``numbers`` taken anew."""
    before, ledger = fold.debate.ledger.cards, after.ledger
    is_compared = fold.debate.exchanges.comparisons is not after.exchanges.comparisons
    if before is ledger.cards and not is_compared:
        return fold.sums, fold.view.scorecard
    sums = fold.sums
    for number in numbers:
        was, card = before.get(number), ledger.cards.get(number)
        if was is not card:
            sums = sums.moved(was, card, ledger.dimensions)
    won = rounds(after.exchanges, ledger.sides) if is_compared else fold.view.scorecard.rounds
    return sums, read_off(sums, ledger.rubric, won)


def _turn_of(record: Recorded) -> int:
    """The turn that an event speaks of; 0 for the debate as a whole."""
    event = record.event
    number = event.later if isinstance(event, TurnsCompared) else getattr(event, "turn", None)
    return number if isinstance(number, int) else 0


def _turns(before: Debate, after: Debate, turns: dict[str, TurnView], numbers: Iterable[int]) -> dict[str, TurnView]:
    """The turns, with those of ``numbers`` made anew."""
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
    """The merge patch between two views.  The first one says everything, so that a reader may begin with ``{}``."""
    return patch.diff(before if before.position else {}, after)

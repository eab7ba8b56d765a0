"""What the page shows: one tree, folded from the log, sent as a snapshot once and as merge patches from then on.

Objects are keyed and nothing is null, so that RFC 7396 patches say every change.  The spectator's view never holds
anything that belongs to the director.
"""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from events import patch
from events.projections import debate as debates
from events.projections.claims import Claim
from events.projections.debate import Conclusion, Debate, State
from events.projections.exchanges import Anomaly
from events.projections.scorecard import Scorecard, scorecard
from events.projections.spine import Contradiction, Premise, Stability, stabilities
from events.projections.turn_view import TurnView, turn_view
from events.projections.usage import Tally
from events.record import Recorded
from events.types import (
    ConflictResolved,
    ConvergenceAssessed,
    Debater,
    JudgeSeat,
    NarrativeVerdictReached,
    PressureApplied,
    ScorecardVerdictReached,
    Side,
    TurnsCompared,
)


class Seat(Struct, frozen=True, kw_only=True):
    """A side: who speaks, in which character, and what to know of that model."""

    model: str
    archetype: str
    elasticity: float
    caveat: str


class Bench(Struct, frozen=True, kw_only=True):
    """Who judges."""

    model: str
    samples: int
    caveat: str


class Verdicts(Struct, frozen=True, kw_only=True):
    """The verdicts reached so far."""

    scorecard: ScorecardVerdictReached | UnsetType = UNSET
    narrative: NarrativeVerdictReached | UnsetType = UNSET
    conflict: ConflictResolved | UnsetType = UNSET
    convergence: ConvergenceAssessed | UnsetType = UNSET
    positions: dict[str, int] = {}
    """Where each of them stands in the log."""


class Words(Struct, frozen=True, kw_only=True):
    """A directive, once it may be read."""

    side: Side
    text: str


class View(Struct, frozen=True, kw_only=True):
    """The debate as a spectator may see it at one position."""

    id: str = ""
    position: int = 0
    state: State = "open"
    reason: str = ""
    motion: str = ""
    format: str = ""
    turns_planned: int = 0
    max_words: int = 0
    opened_at: str = ""
    exhibition: str | UnsetType = UNSET
    pro: Seat | UnsetType = UNSET
    con: Seat | UnsetType = UNSET
    judge: Bench | UnsetType = UNSET
    rubric: str = ""
    turns: dict[str, TurnView] = {}
    scorecard: Scorecard = Scorecard()
    claims: dict[str, Claim] = {}
    premises: dict[str, Premise] = {}
    contradictions: tuple[Contradiction, ...] = ()
    spine: dict[str, Stability] = {}
    anomalies: dict[str, Anomaly] = {}
    verdicts: Verdicts = Verdicts()
    protocol: dict[str, Any] = {}
    panel: dict[str, Any] = {}
    traits: dict[str, dict[str, float]] = {}
    archetype_traits: dict[str, dict[str, float]] = {}
    """Where each side's traits began."""
    pressure: dict[str, PressureApplied] = {}
    directives: dict[str, Words] = {}
    """By position; empty for spectators until the debate has concluded."""
    conclusion: Conclusion | UnsetType = UNSET
    usage: Tally = Tally()


class Fold(Struct, frozen=True, kw_only=True):
    """The view of an audience and the debate behind it.  The ``director`` sees directives while the debate is live."""

    debate: Debate = debates.INITIAL
    view: View = View()
    director: bool = False


INITIAL = Fold()
DIRECTOR = Fold(director=True)


def apply(fold: Fold, record: Recorded) -> Fold:
    """The fold after ``record``.  Parts that did not change are the same objects."""
    before, view = fold.debate, fold.view
    after = debates.evolve(before, record)
    standing = after.standing
    judged = before.ledger.cards is not after.ledger.cards or before.exchanges is not after.exchanges
    after_view = View(
        id=after.id,
        position=after.position,
        state=standing.state,
        reason=standing.reason,
        **_opening(after, view, changed=before.opened is not after.opened),
        turns=_turns(before, after, view, record),
        scorecard=scorecard(after.ledger, after.exchanges) if judged else view.scorecard,
        claims=after.claims,
        premises=after.spine.premises,
        contradictions=after.spine.contradictions,
        spine=view.spine if before.spine is after.spine else stabilities(after.spine),
        anomalies=after.exchanges.anomalies,
        verdicts=view.verdicts if before.verdicts is after.verdicts else _verdicts(after),
        traits=after.temper.traits,
        pressure=after.temper.pressure,
        directives=_directives(fold, after),
        conclusion=UNSET if standing.conclusion is None else standing.conclusion,
        usage=after.usage,
    )
    return Fold(debate=after, view=after_view, director=fold.director)


def _directives(fold: Fold, after: Debate) -> dict[str, Words]:
    """The directives that this audience may read now."""
    seen = fold.view.directives
    if not (fold.director or after.standing.state == "concluded") or len(seen) == len(after.temper.directives):
        return seen
    return {str(at): Words(side=each.side, text=each.text) for at, each in after.temper.directives.items()}


def _opening(debate: Debate, view: View, *, changed: bool) -> dict[str, Any]:
    """The parts that only ``debate_opened`` sets."""
    opened = debate.opened
    if opened is None or not changed:
        return {name: getattr(view, name) for name in _SET_ONCE}
    return {
        "motion": opened.motion,
        "format": opened.format,
        "turns_planned": opened.turns,
        "max_words": opened.max_words,
        "opened_at": debate.opened_at,
        "exhibition": UNSET if opened.exhibition is None else opened.exhibition,
        "pro": _seat(opened.pro),
        "con": _seat(opened.con),
        "judge": _bench(opened.judge),
        "rubric": opened.rubric.name,
        "archetype_traits": debate.temper.traits,
    }


_SET_ONCE = (
    "motion", "format", "turns_planned", "max_words", "opened_at", "exhibition", "pro", "con", "judge", "rubric",
    "archetype_traits",
)


def _seat(seat: Debater) -> Seat:
    return Seat(model=seat.model, archetype=seat.archetype, elasticity=seat.elasticity, caveat=seat.caveat)


def _bench(seat: JudgeSeat) -> Bench:
    return Bench(model=seat.model, samples=seat.samples, caveat=seat.caveat)


def _verdicts(debate: Debate) -> Verdicts:
    said = debate.verdicts
    return Verdicts(
        scorecard=UNSET if said.scorecard is None else said.scorecard,
        narrative=UNSET if said.narrative is None else said.narrative,
        conflict=UNSET if said.conflict is None else said.conflict,
        convergence=UNSET if said.convergence is None else said.convergence,
        positions=said.positions,
    )


def _turns(before: Debate, after: Debate, view: View, record: Recorded) -> dict[str, TurnView]:
    """The turns, with the one that ``record`` speaks of made anew."""
    event = record.event
    number = event.later if isinstance(event, TurnsCompared) else getattr(event, "turn", None)
    if not isinstance(number, int) or number not in after.transcript.turns:
        return view.turns
    untouched = (
        before.transcript is after.transcript
        and before.ledger is after.ledger
        and before.exchanges is after.exchanges
        and before.injections is after.injections
    )
    return view.turns if untouched else {**view.turns, str(number): turn_view(after, number)}


def difference(before: View, after: View) -> dict[str, Any]:
    """The merge patch between two views."""
    return patch.diff(before, after)

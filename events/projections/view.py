"""What the page shows: one tree, folded from the log, sent as a snapshot once and as merge patches from then on.

Objects are keyed and nothing is null, so that RFC 7396 patches say every change.  The spectator's view never holds
anything that belongs to the director.
"""

from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events import patch
from events.projections import debate as debates
from events.projections.debate import Conclusion, Debate, State
from events.projections.ledger import Card
from events.projections.scorecard import Scorecard, Sums, read_off
from events.projections.transcript import Failure, Turn, TurnState
from events.projections.usage import Tally
from events.record import Recorded
from events.types import (
    ComponentScore,
    DebateOpened,
    Debater,
    JudgeSeat,
    Missing,
    ScorecardVerdictReached,
    Side,
    missing,
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


class Score(Struct, frozen=True, kw_only=True):
    """One dimension: as the judge gave it, as the rules admit it, as it stands now."""

    raw: float
    admitted: float
    effective: float
    maximum: int
    spread: float = 0.0
    rules: tuple[str, ...] = ()


class Component(Struct, frozen=True, kw_only=True):
    """One component and the words it rests on; ``span`` is absent where the quote does not hold."""

    raw: float
    admitted: float
    maximum: int
    quote: str
    verified: bool
    reason: str
    spread: float
    rules: tuple[str, ...]
    span: tuple[int, int] | UnsetType = UNSET


class TurnView(Struct, frozen=True, kw_only=True):
    """A turn as it is shown.  ``changed`` lists positions of later entries on its score."""

    side: Side
    state: TurnState
    attempt: int
    started: int
    text: str = ""
    words: int = 0
    clipped: bool = False
    model: str = ""
    spoken: int | UnsetType = UNSET
    judged: int | UnsetType = UNSET
    failures: tuple[Failure, ...] = ()
    scores: dict[str, Score] | Missing = {}
    components: dict[str, dict[str, Component]] = {}
    """By dimension, then by component."""
    composite: float | Missing | UnsetType = UNSET
    changed: tuple[int, ...] = ()


class Verdicts(Struct, frozen=True, kw_only=True):
    """The verdicts reached so far."""

    scorecard: ScorecardVerdictReached | UnsetType = UNSET


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
    claims: dict[str, Any] = {}
    premises: dict[str, Any] = {}
    anomalies: dict[str, Any] = {}
    verdicts: Verdicts = Verdicts()
    protocol: dict[str, Any] = {}
    panel: dict[str, Any] = {}
    traits: dict[str, dict[str, float]] = {}
    conclusion: Conclusion | UnsetType = UNSET
    usage: Tally = Tally()


class Fold(Struct, frozen=True, kw_only=True):
    """The view and the debate behind it, with the sums that the scorecard is read off."""

    debate: Debate = debates.INITIAL
    sums: Sums = Sums()
    view: View = View()


INITIAL = Fold()


def apply(fold: Fold, record: Recorded) -> Fold:
    """The fold after ``record``.  Parts that did not change are the same objects."""
    before, view = fold.debate, fold.view
    after = debates.evolve(before, record)
    if after.opened is not None and after.opened is not before.opened:
        view = _opened(after, after.opened)
    sums, card = _scorecard(fold, after, record)
    conclusion = after.standing.conclusion
    return Fold(
        debate=after,
        sums=sums,
        view=replace(
            view,
            position=after.position,
            state=after.standing.state,
            reason=after.standing.reason,
            turns=_turns(before, after, view, record),
            scorecard=card,
            verdicts=_verdicts(before, after, view),
            conclusion=UNSET if conclusion is None else conclusion,
            usage=after.usage,
        ),
    )


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
        pro=_seat(opened.pro),
        con=_seat(opened.con),
        judge=_bench(opened.judge),
        rubric=opened.rubric.name,
        traits={
            side: opened.archetypes[seat.archetype].traits
            for side, seat in (("pro", opened.pro), ("con", opened.con))
            if seat.archetype in opened.archetypes
        },
    )


def _seat(seat: Debater) -> Seat:
    return Seat(model=seat.model, archetype=seat.archetype, elasticity=seat.elasticity, caveat=seat.caveat)


def _bench(seat: JudgeSeat) -> Bench:
    return Bench(model=seat.model, samples=seat.samples, caveat=seat.caveat)


def _verdicts(before: Debate, after: Debate, view: View) -> Verdicts:
    if before.scorecard_verdict is after.scorecard_verdict:
        return view.verdicts
    return Verdicts(scorecard=UNSET if after.scorecard_verdict is None else after.scorecard_verdict)


def _scorecard(fold: Fold, after: Debate, record: Recorded) -> tuple[Sums, Scorecard]:
    """The sums and the scorecard, with the card of the turn that ``record`` speaks of taken anew."""
    before, ledger = fold.debate.ledger, after.ledger
    if before.cards is ledger.cards:
        return fold.sums, fold.view.scorecard
    number = _turn_of(record)
    sums = fold.sums.moved(before.cards.get(number), ledger.cards.get(number), ledger.dimensions)
    return sums, read_off(sums, ledger.rubric)


def _turn_of(record: Recorded) -> int:
    """The turn that an event speaks of; 0 for the debate as a whole."""
    number = getattr(record.event, "turn", None)
    return number if isinstance(number, int) else 0


def _turns(before: Debate, after: Debate, view: View, record: Recorded) -> dict[str, TurnView]:
    """The turns, with the one that ``record`` speaks of made anew."""
    if before.transcript is after.transcript and before.ledger is after.ledger:
        return view.turns
    number = _turn_of(record)
    if number not in after.transcript.turns:
        return view.turns
    return {**view.turns, str(number): turn_view(after, number)}


def turn_view(debate: Debate, number: int) -> TurnView:
    """One turn as it is shown."""
    turn: Turn = debate.transcript.turns[number]
    card = debate.ledger.cards.get(number)
    return TurnView(
        side=turn.side,
        state=turn.state,
        attempt=turn.attempt,
        started=turn.started,
        text=turn.text,
        words=turn.words,
        clipped=turn.clipped,
        model=turn.model,
        spoken=turn.spoken or UNSET,
        judged=turn.judged or UNSET,
        failures=turn.failures,
        **_scores(debate, card),
    )


def _scores(debate: Debate, card: Card | None) -> dict[str, Any]:
    rubric = debate.ledger.rubric
    if card is None or rubric is None:
        return {}
    if card.missing is not None:
        absent = missing(card.missing.reason)
        return {"scores": absent, "composite": absent}
    scores, components = {}, {}
    for name, balance in card.balances.items():
        dimension = rubric.dimensions[name]
        scores[name] = Score(
            raw=balance.raw, admitted=balance.admitted, effective=balance.effective, maximum=dimension.maximum,
            spread=balance.spread, rules=balance.rules,
        )
        components[name] = {
            part: _component(card.components[part], component.maximum)
            for part, component in dimension.components.items()
            if part in card.components
        }
    changed = tuple(entry.position for entry in card.entries if entry.position != card.position)
    return {
        "scores": scores,
        "components": components,
        "composite": card.composite(debate.ledger.dimensions),
        "changed": changed,
    }


def _component(score: ComponentScore, maximum: int) -> Component:
    return Component(
        raw=score.raw, admitted=score.admitted, maximum=maximum, quote=score.quote, verified=score.verified,
        reason=score.reason, spread=score.spread, rules=score.rules, span=score.span or UNSET,
    )


def difference(before: View, after: View) -> dict[str, Any]:
    """The merge patch between two views.  The first one says everything, so that a reader may begin with ``{}``."""
    return patch.diff(before if before.position else {}, after)

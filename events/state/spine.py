"""The causal spine: the premises of each side's case, and their changes.

Stability = premises kept ÷ premises stated; a revised premise is kept.  See docs/design.md.
"""

from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.record import Recorded
from events.types import (
    SIDES,
    ContradictionFound,
    OpponentAnswered,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    Side,
    Span,
)


class PremiseChange(Struct, frozen=True, kw_only=True, gc=False):
    """A premise was revised or dropped."""

    position: int
    turn: int
    what: Literal["revised", "dropped", "withdrawn"]
    text: str


class Premise(Struct, frozen=True, kw_only=True, gc=False):
    """A premise.  ``text`` is its latest form, ``original`` its first one if it was revised."""

    side: Side
    turn: int
    text: str
    quote: str
    span: Span
    state: Literal["kept", "revised", "dropped", "withdrawn"]
    stated: int
    changes: tuple[PremiseChange, ...] = ()
    original: str | UnsetType = UNSET


class Contradiction(Struct, frozen=True, kw_only=True, gc=False):
    """A side contradicts its own statements."""

    position: int
    side: Side
    turns: tuple[int, ...]
    premises: tuple[str, ...]
    reason: str


class Stability(Struct, frozen=True, kw_only=True, gc=False):
    """One side's spine in figures; ``stability`` is absent while no premise is stated."""

    stated: int = 0
    revised: int = 0
    dropped: int = 0
    contradictions: int = 0
    stability: float | UnsetType = UNSET


class Spine(Struct, frozen=True, kw_only=True, gc=False):
    """Both sides' premises by id, and their contradictions."""

    premises: dict[str, Premise] = {}
    contradictions: tuple[Contradiction, ...] = ()
    answered: dict[int, tuple[str, ...]] = {}
    """By turn, the premises and claims of the opponent that it answers; absent where the judge was not asked."""


INITIAL = Spine()
MOVED_BY: Final = frozenset(
    {PremiseStated, PremiseRevised, PremiseDropped, PremiseWithdrawn, ContradictionFound, OpponentAnswered}
)


def apply(spine: Spine, record: Recorded) -> Spine:
    """The spine after ``record``."""
    event = record.event
    if isinstance(event, PremiseStated):
        premise = Premise(
            side=event.side,
            turn=event.turn,
            text=event.text,
            quote=event.quote,
            span=event.span,
            state="kept",
            stated=record.position,
        )
        return replace(spine, premises={**spine.premises, event.premise: premise})
    if isinstance(event, PremiseRevised | PremiseDropped | PremiseWithdrawn) and event.premise in spine.premises:
        before = spine.premises[event.premise]
        what: Literal["revised", "dropped", "withdrawn"]
        match event:
            case PremiseRevised():
                what, words, text = "revised", event.text, event.text
            case PremiseDropped():
                what, words, text = "dropped", event.reason, before.text
            case PremiseWithdrawn():
                what, words, text = "withdrawn", event.quote, before.text
        change = PremiseChange(position=record.position, turn=event.turn, what=what, text=words)
        original = before.text if what == "revised" and before.original is UNSET else before.original
        after = replace(before, state=what, changes=(*before.changes, change), text=text, original=original)
        return replace(spine, premises={**spine.premises, event.premise: after})
    if isinstance(event, ContradictionFound):
        found = Contradiction(
            position=record.position, side=event.side, turns=event.turns, premises=event.premises, reason=event.reason
        )
        return replace(spine, contradictions=(*spine.contradictions, found))
    if isinstance(event, OpponentAnswered):
        return replace(spine, answered={**spine.answered, event.turn: event.answered})
    return spine


def stabilities(spine: Spine) -> dict[str, Stability]:
    """The figures of both sides."""
    return {side: _stability(spine, side) for side in SIDES}


def _stability(spine: Spine, side: Side) -> Stability:
    mine = [premise for premise in spine.premises.values() if premise.side == side]
    dropped = sum(premise.state == "dropped" for premise in mine)
    return Stability(
        stated=len(mine),
        revised=sum(premise.state == "revised" for premise in mine),
        dropped=dropped,
        contradictions=sum(each.side == side for each in spine.contradictions),
        stability=round((len(mine) - dropped) / len(mine), 2) if mine else UNSET,
    )

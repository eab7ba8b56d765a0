"""The points that a turn lost after it was scored: to a flaw, a suspect claim, or a rule of conduct."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.ledger import TurnCard, without_notes
from events.types import Span
from events.types.rubric import rule_of
from events.view.summary import DOCKING


class Loss(Struct, frozen=True):
    """Points that a turn lost after it was scored, and did not get back."""

    kind: str
    """``gap``, the kind of a suspect claim, or a rule of conduct."""
    turn: int
    position: int
    cause: int | None
    """The event that it follows from."""
    points: float
    dimension: str
    claim: str = ""
    """The id of a suspect claim."""
    asks: str = ""
    """What it does, in the words of its rule."""
    premise: str = ""
    """The id of a premise that was dropped."""
    quote: str = ""
    reason: str = ""
    span: Span | None = None
    shown_in: int = 0
    """Of a gap: the turn whose words show it."""
    shown_by: str = ""
    shown_span: Span | None = None
    contradicts: str = ""
    """The id of a premise that a turn contradicts."""
    counts: bool = True
    """Whether the dimension is part of the composite."""

    @property
    def scale(self) -> str:
        """The dimension, and whether it counts."""
        return self.dimension if self.counts else f"{self.dimension} (not in the total)"


def losses_of(debate: Debate, cards: Iterable[TurnCard]) -> Iterator[Loss]:
    """The losses of some turns.  A claim that was cleared is none, nor is what weighs all findings of a turn again."""
    claims = {each.flagged: (name, each) for name, each in debate.claims.items()}
    for card in cards:
        for entry in card.entries:
            if entry.applied >= 0 or entry.kind not in {"gap", "penalty"} or entry.rule == DOCKING:
                continue
            name, claim = claims.get(entry.cause or 0, ("", None))
            if claim is not None and claim.state == "cleared":
                continue
            lost = Loss(
                kind=entry.rule,
                turn=entry.turn,
                position=entry.position,
                cause=entry.cause,
                points=entry.applied,
                dimension=entry.dimension.replace("_", " "),
                counts=entry.dimension in debate.ledger.dimensions,
            )
            if entry.kind == "gap":
                fails, shown = entry.evidence
                yield replace(
                    lost,
                    kind="gap",
                    quote=fails.quote,
                    span=fails.span,
                    shown_in=shown.turn,
                    shown_by=shown.quote,
                    shown_span=shown.span,
                    reason=without_notes(entry.reason),
                )
            elif claim is not None:
                rule = rule_of(debate.ledger.rubric, claim.kind) if debate.ledger.rubric is not None else None
                yield replace(
                    lost,
                    kind=claim.kind,
                    claim=name,
                    asks="" if rule is None else rule.asks,
                    quote=claim.quote,
                    reason=claim.reason,
                )
            else:
                yield _of_conduct(debate, lost)


def _of_conduct(debate: Debate, lost: Loss) -> Loss:
    """The loss with its words and its reason."""
    for name, premise in debate.spine.premises.items():
        for change in premise.changes:
            if change.position == lost.cause:
                return replace(lost, premise=name, quote=premise.quote, reason=change.text)
    for contradiction in debate.spine.contradictions:
        if contradiction.position == lost.cause:
            return replace(lost, reason=contradiction.reason, contradicts=next(iter(contradiction.premises), ""))
    quote = next((each.quote for position, each in debate.injections if position == lost.cause), "")
    return replace(lost, quote=quote)

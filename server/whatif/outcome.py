"""The outcome of a debate as public values: no prompt, no raw answer, no directive."""

from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.ledger import Ledger, TurnCard
from events.state.scorecard import Scorecard, scorecard
from events.types import (
    BothSides,
    Coefficient,
    DebateState,
    Missing,
    PanelOutcome,
    Reason,
    Standing,
    Verdict,
    Winner,
    missing,
)

T = TypeVar("T")


class PanelSummary(Struct, frozen=True, kw_only=True):
    """A panel's agreement, and its conclusion once there is one.  ``alpha`` is the one that decides."""

    alpha: Coefficient
    kappa: Coefficient
    outcome: PanelOutcome | UnsetType = UNSET
    winner: Winner | UnsetType = UNSET
    leaning: Winner | UnsetType = UNSET
    gap: float | Missing | UnsetType = UNSET
    weighted: BothSides | UnsetType = UNSET
    weights: dict[str, float] = {}
    """Weights of the raters that count."""
    disputed: tuple[str, ...] = ()


class ArtifactSummary(Struct, frozen=True, kw_only=True):
    """The verdict on an artifact."""

    verdict: Verdict | Missing
    shares: dict[str, float] = {}
    independent: Verdict | UnsetType = UNSET
    agreement: float | UnsetType = UNSET
    rounds: int = 0


class DebateOutcome(Struct, frozen=True, kw_only=True):
    """The outcome so far.  A field is absent if the format does not have it, or not yet."""

    state: DebateState
    winner: Winner | UnsetType = UNSET
    by_rule: str | UnsetType = UNSET
    scorecard: Scorecard | UnsetType = UNSET
    margin: float | Missing | UnsetType = UNSET
    narrative: Winner | Missing | UnsetType = UNSET
    totals: BothSides | UnsetType = UNSET
    """Totals of the protocol's assessment."""
    panel: PanelSummary | UnsetType = UNSET
    verdict: ArtifactSummary | UnsetType = UNSET


Effective = dict[str, float] | Missing
"""``composite`` and every dimension of a turn, or why they are missing.

``composite_maximum`` is there where not all components count in the composite, as in turn 1 under rubric v3.
"""


class ArgumentSummary(Struct, frozen=True, kw_only=True):
    """The standing of an argument in the protocol."""

    standing: Standing | UnsetType = UNSET
    total: float | UnsetType = UNSET
    missing: Reason | UnsetType = UNSET


def is_judged(debate: Debate) -> bool:
    """Whether the rules have derived anything from answers yet."""
    return bool(
        debate.ledger.cards
        or debate.protocol.assessment is not UNSET
        or debate.panel.agreement is not UNSET
        or debate.panel.opinions
    )


def outcome_of(debate: Debate) -> DebateOutcome:
    """The outcome so far."""
    conclusion, said, given = debate.status.conclusion, debate.verdicts, debate.protocol.assessment
    narrative = said.narrative
    return DebateOutcome(
        state=debate.status.state,
        winner=UNSET if conclusion is None else conclusion.winner,
        by_rule=UNSET if conclusion is None else conclusion.by_rule,
        scorecard=scorecard(debate.ledger, debate.exchanges) if debate.ledger.cards else UNSET,
        margin=UNSET if said.scorecard is None else said.scorecard.margin,
        narrative=UNSET if narrative is None else _or_missing(narrative.winner, narrative.missing),
        totals=UNSET if given is UNSET else BothSides(pro=given.pro_total, con=given.con_total),
        panel=_panel(debate),
        verdict=_artifact(debate),
    )


def turns_of(debate: Debate) -> dict[str, Effective]:
    """Effective values of every judged turn, by number."""
    return {str(number): _effective(card, debate.ledger) for number, card in debate.ledger.cards.items()}


def arguments_of(debate: Debate) -> dict[str, ArgumentSummary]:
    """Every traced argument of the protocol, by its id."""
    return {
        name: ArgumentSummary(
            standing=said.trace.standing,
            missing=said.trace.missing,
            total=UNSET if isinstance(said.trace.total, Missing) else said.trace.total,
        )
        for name, said in debate.protocol.arguments.items()
        if said.trace is not UNSET
    }


def _effective(card: TurnCard, ledger: Ledger) -> Effective:
    if card.missing is not None:
        return Missing(missing=card.missing)
    whole, most = card.composite(ledger.dimensions), ledger.composite_maximum(card)
    values = {name: each.effective for name, each in card.balances.items()}
    if most is not None:
        values["composite_maximum"] = most
    return values if whole is None else {"composite": whole, **values}


def _panel(debate: Debate) -> PanelSummary | UnsetType:
    agreement, said = debate.panel.agreement, debate.panel.conclusion
    if agreement is UNSET:
        return UNSET
    summary = PanelSummary(alpha=agreement.deciding, kappa=agreement.kappa)
    if said is UNSET:
        return summary
    return replace(
        summary,
        outcome=said.outcome,
        winner=said.winner,
        leaning=said.leaning,
        gap=said.gap,
        weighted=said.weighted,
        weights=said.weights,
        disputed=tuple(said.disputed),
    )


def _artifact(debate: Debate) -> ArtifactSummary | UnsetType:
    said = debate.panel.verdict
    if said is UNSET:
        return UNSET
    return ArtifactSummary(
        verdict=_or_missing(said.verdict, said.missing),
        shares=said.shares,
        independent=said.independent,
        agreement=said.agreement,
        rounds=len(debate.panel.rounds),
    )


def _or_missing(value: T | UnsetType, why: Reason | UnsetType) -> T | Missing:
    if value is UNSET:
        return missing("not said") if why is UNSET else Missing(why)
    return value

"""A concluded exchange in a few lines: what the rules did to the lead, and its key moments."""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.ledger import Ledger, ScoreEntry, TurnCard
from events.state.scorecard import ScorecardSums
from events.state.witnesses import Witness, witnesses_of
from events.text.figures import rounded
from events.types import SIDES, BothSides, Missing, Side, other
from events.types.rubric import is_unscaled
from events.view.moments import NAMES, Moment, key_moments

RuleKind = Literal["limits", "readings", "comparisons", "claims", "gaps", "conduct"]
RULES: Final[dict[RuleKind, str]] = {
    "limits": "limits of a score",
    "readings": "second readings",
    "comparisons": "comparisons",
    "claims": "suspect claims",
    "gaps": "flaws shown later",
    "conduct": "conduct",
}
"""What changes a score after the judge gave its points, in words."""

ALONE: Final = "by the judge’s points alone"


class RuleEffects(Struct, frozen=True, kw_only=True, gc=False):
    """What the rules did to the points of both sides, over the turns that count in the scorecard."""

    given: BothSides
    """As the judge gave the points, before any rule."""
    recorded: BothSides
    moved: dict[RuleKind, float] = {}
    """Points by which each kind of rule moved the lead; above 0 towards Pro."""
    text: str
    """The same as one sentence."""


class DebateSummary(Struct, frozen=True, kw_only=True, gc=False):
    """The summary of a concluded exchange."""

    rules: RuleEffects | UnsetType = UNSET
    """Absent if a side has no turn with a composite."""
    tie_broken: bool | UnsetType = UNSET
    """Present and true if the lead was within the tie margin, and another value decided."""
    witnesses: tuple[Witness, ...] | UnsetType = UNSET
    """What else speaks for or against the side with more points, where the rubric asks for that."""
    moments: tuple[Moment, ...] = ()
    """In the order of their events."""


def summary_of(debate: Debate) -> DebateSummary:
    """The summary; pure, from recorded events only."""
    return DebateSummary(
        rules=_effects(debate.ledger),
        tie_broken=_is_tie_broken(debate),
        witnesses=witnesses_of(debate) or UNSET,
        moments=key_moments(debate),
    )


def _is_tie_broken(debate: Debate) -> bool | UnsetType:
    verdict, rubric = debate.verdicts.scorecard, debate.ledger.rubric
    if verdict is None or rubric is None or isinstance(verdict.margin, Missing) or verdict.winner == "neither":
        return UNSET
    return verdict.margin <= rubric.tie_within or UNSET


# what the rules did


def _effects(ledger: Ledger) -> RuleEffects | UnsetType:
    given: dict[Side, float] = {}
    moved: dict[Side, dict[RuleKind, float]] = {}
    is_by_parts = ledger.rubric is not None and is_unscaled(ledger.rubric)
    for side in SIDES:
        judged = [each for each in ledger.cards.values() if each.side == side and each.missing is None]
        cards = [each for each in judged if each.composite(ledger.dimensions) is not None]
        if not cards:
            return UNSET
        moved[side] = dict.fromkeys(RULES, 0.0)
        if not is_by_parts:
            balances = [card.balances[name] for card in cards for name in ledger.dimensions]
            given[side] = sum(each.raw for each in balances) / len(cards)
            moved[side]["limits"] = sum(each.admitted - each.raw for each in balances) / len(cards)
        for card in judged if is_by_parts else cards:
            for entry in card.entries:
                if entry.dimension in ledger.dimensions and entry.kind not in SETTING:
                    turns = sum(entry.dimension in each.balances for each in judged) if is_by_parts else len(cards)
                    moved[side][_rule_kind(entry, ledger)] += entry.applied / turns
    if is_by_parts:
        steps = [_by_parts(ledger, value) for value in (_first, _raw, _admitted)]
        for side in SIDES:
            given[side], read, admitted = (step[side] for step in steps)
            moved[side]["readings"] += read - given[side]
            moved[side]["limits"] += admitted - read
    lead = {kind: round(moved["pro"][kind] - moved["con"][kind], 2) + 0.0 for kind in RULES}
    ahead = given["pro"] - given["con"]
    recorded = {side: given[side] + sum(moved[side].values()) for side in SIDES}
    return RuleEffects(
        given=_rounded(given),
        recorded=_rounded(recorded),
        moved={kind: points for kind, points in lead.items() if points},
        text=_in_words(lead, recorded["pro"] - recorded["con"] - ahead, ahead),
    )


SETTING: Final = frozenset({"score", "rescore", "inferred"})
"""Kinds of entries that set the points of components."""


def _by_parts(ledger: Ledger, value: Callable[[TurnCard, str], float]) -> dict[Side, float]:
    """The points of both sides if each component had this value and nothing had changed a score afterwards."""
    sums = ScorecardSums()
    for card in ledger.cards.values():
        parts = {name: replace(each, admitted=value(card, name)) for name, each in card.components.items()}
        dimensions = {} if ledger.rubric is None else ledger.rubric.dimensions
        balances = {
            name: replace(
                each, effective=sum(parts[part].admitted for part in dimensions[name].components if part in parts)
            )
            for name, each in card.balances.items()
        }
        sums = sums.moved(None, replace(card, components=parts, balances=balances), ledger)
    pro, con = (each.composite for each in sums.cards(ledger.rubric))
    return {"pro": pro if isinstance(pro, float) else 0.0, "con": con if isinstance(con, float) else 0.0}


def _first(card: TurnCard, component: str) -> float:
    return card.first_components.get(component, card.components[component]).raw


def _raw(card: TurnCard, component: str) -> float:
    return card.components[component].raw


def _admitted(card: TurnCard, component: str) -> float:
    return card.components[component].admitted


def _rule_kind(entry: ScoreEntry, ledger: Ledger) -> RuleKind:
    if entry.kind == "band":
        return "comparisons"
    if entry.kind == "cap":
        return "limits"
    if entry.kind == "gap" or (entry.rule == DOCKING and _has_flaw(ledger, entry.turn)):
        return "gaps"
    return "conduct" if ledger.rubric is not None and entry.rule in ledger.rubric.conduct else "claims"


DOCKING: Final = "docking"
"""The rule of entries that weigh all findings of a turn again."""


def _has_flaw(ledger: Ledger, turn: int) -> bool:
    return any(each.kind == "gap" for each in ledger.cards[turn].entries)


def _rounded(means: dict[Side, float]) -> BothSides:
    return BothSides(pro=round(means["pro"], 2), con=round(means["con"], 2))


def _in_words(lead: dict[RuleKind, float], total: float, ahead: float) -> str:
    """One sentence: "Comparisons moved the lead 3.1 points towards Con; by the judge’s points alone Pro would …"."""
    parts = sorted(
        ((RULES[kind], points) for kind, points in lead.items() if _tenths(points)), key=lambda p: -abs(p[1])
    )
    leads, too = "neither side would lead", " either"
    if _tenths(ahead):
        leads, too = f"{NAMES[_side(ahead)]} would lead by {rounded(abs(ahead))}", " too"
    if not parts:
        return f"Nothing moved the lead after the judge gave its points; {ALONE} {leads}{too}."
    if len(parts) == 1:
        name, points = parts[0]
        to = NAMES[_side(points)]
        return f"{name.capitalize()} moved the lead {rounded(abs(points))} points towards {to}; {ALONE} {leads}."
    side = _side(total or parts[0][1])
    towards, back = (
        ", ".join(f"{name} {rounded(abs(points))}" for name, points in parts if _side(points) == each)
        for each in (side, other(side))
    )
    back = back and f"towards {NAMES[other(side)]}: {back}"
    if not _tenths(total):
        why = f"towards {NAMES[side]}: {towards}; {back}"
        return f"What moved the lead cancels out ({why}); {ALONE} {leads}{too}."
    listed = "; ".join(filter(None, (towards, back)))
    moved = f"The lead moved {rounded(abs(total))} points towards {NAMES[side]} after the judge gave its points"
    return f"{moved} ({listed}); {ALONE} {leads}."


def _tenths(points: float) -> float:
    return round(points, 1)


def _side(points: float) -> Side:
    return "pro" if points > 0 else "con"

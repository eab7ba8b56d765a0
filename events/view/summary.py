"""A concluded exchange in a few lines: what the rules did to the lead, and its key moments."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.ledger import Ledger, ScoreEntry, TurnCard
from events.state.scorecard import ScorecardSums, sums_of
from events.state.witnesses import Witness, witnesses_of
from events.text.figures import rounded
from events.types import SIDES, BothSides, Missing, Side, other
from events.types.rubric import is_unscaled
from events.view.highlights import Highlight, highlights
from events.view.lead import LeadMove
from events.view.moments import NAMES, Moment, key_moments

RuleKind = Literal["limits", "comparisons", "claims", "gaps", "conduct"]
RULES: Final[dict[RuleKind, str]] = {
    "limits": "limits of a score",
    "comparisons": "comparisons",
    "claims": "suspect claims",
    "gaps": "flaws shown later",
    "conduct": "conduct",
}
"""What changes a score after the judge gave its points, in words."""

ALONE: Final = "by the judge’s points alone"
SETTING: Final = frozenset({"score", "rescore", "inferred"})
"""Kinds of entries that set the points of components."""
DOCKING: Final = "docking"
"""The rule of entries that weigh all findings of a turn again."""


class RuleEffects(Struct, frozen=True, kw_only=True, gc=False):
    """What the rules did to the points of both sides, over the turns that count in the scorecard."""

    given: BothSides
    """As the judge gave the points, before any rule; of a turn that was scored again the median of the readings."""
    first: BothSides | UnsetType = UNSET
    """The same by the first readings, where turns were scored again."""
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
    highlights: tuple[Highlight, ...] = ()
    """The three moments of the outcome, in the order of their events."""


def summary_of(debate: Debate, moves: dict[str, LeadMove]) -> DebateSummary:
    """The summary; pure, from recorded events only.  ``moves``: those of the lead."""
    moments = key_moments(debate)
    return DebateSummary(
        rules=_effects(debate.ledger),
        tie_broken=_is_tie_broken(debate),
        witnesses=witnesses_of(debate) or UNSET,
        moments=moments,
        highlights=highlights(debate, moves, moments),
    )


def _is_tie_broken(debate: Debate) -> bool | UnsetType:
    verdict, rubric = debate.verdicts.scorecard, debate.ledger.rubric
    if verdict is None or rubric is None or isinstance(verdict.margin, Missing) or verdict.winner == "neither":
        return UNSET
    return verdict.margin <= rubric.tie_within or UNSET


# what the rules did


def moves_of_means(ledger: Ledger) -> Iterator[tuple[ScoreEntry, float]]:
    """What changed a score after the judge had given its points, with the points by which it moved the side's mean.

    Only of turns that count in the scorecard.
    """
    is_by_parts = ledger.rubric is not None and is_unscaled(ledger.rubric)
    for side in SIDES:
        judged, cards = _counted(ledger, side)
        scored = Counter(name for each in judged for name in each.balances)
        for card in judged if is_by_parts else cards:
            for entry in card.entries:
                if entry.dimension in ledger.dimensions and entry.kind not in SETTING:
                    yield entry, entry.applied / (scored[entry.dimension] if is_by_parts else len(cards))


def _counted(ledger: Ledger, side: Side) -> tuple[list[TurnCard], list[TurnCard]]:
    """The judged turns of a side, and those of them with a composite."""
    judged = [each for each in ledger.cards.values() if each.side == side and each.missing is None]
    return judged, [each for each in judged if each.composite(ledger.dimensions) is not None]


def _effects(ledger: Ledger) -> RuleEffects | UnsetType:
    given: dict[Side, float] = {}
    moved: dict[Side, dict[RuleKind, float]] = {}
    is_by_parts = ledger.rubric is not None and is_unscaled(ledger.rubric)
    for side in SIDES:
        _, cards = _counted(ledger, side)
        if not cards:
            return UNSET
        moved[side] = dict.fromkeys(RULES, 0.0)
        if not is_by_parts:
            balances = [card.balances[name] for card in cards for name in ledger.dimensions]
            given[side] = sum(each.raw for each in balances) / len(cards)
            moved[side]["limits"] = sum(each.admitted - each.raw for each in balances) / len(cards)
    for entry, points in moves_of_means(ledger):
        moved[ledger.sides[entry.turn]][_rule_kind(entry, ledger)] += points
    if is_by_parts:
        given, admitted = (_by_parts(ledger, value) for value in (_raw, _admitted))
        for side in SIDES:
            moved[side]["limits"] += admitted[side] - given[side]
    is_read_again = is_by_parts and any(card.first_components for card in ledger.cards.values())
    first = _by_parts(ledger, _first) if is_read_again else None
    lead = {kind: round(moved["pro"][kind] - moved["con"][kind], 2) + 0.0 for kind in RULES}
    ahead = given["pro"] - given["con"]
    recorded = {side: given[side] + sum(moved[side].values()) for side in SIDES}
    return RuleEffects(
        given=_rounded(given),
        first=UNSET if first is None else _rounded(first),
        recorded=_rounded(recorded),
        moved={kind: points for kind, points in lead.items() if points},
        text=_in_words(
            lead,
            sums_of(ledger).lead(ledger.rubric) or 0.0,
            ahead,
            None if first is None else first["pro"] - first["con"],
        ),
    )


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


def _has_flaw(ledger: Ledger, turn: int) -> bool:
    return any(each.kind == "gap" for each in ledger.cards[turn].entries)


def _rounded(means: dict[Side, float]) -> BothSides:
    return BothSides(pro=round(means["pro"], 2), con=round(means["con"], 2))


def _in_words(lead: dict[RuleKind, float], recorded: float, ahead: float, first: float | None) -> str:
    """One sentence: "Comparisons moved the lead 3.1 points towards Con; by the judge’s points alone Pro would …".

    ``recorded``, ``ahead`` and ``first``: the lead in the end, by the judge's points, and by its first readings.
    """
    total = round(_tenths(recorded) - _tenths(ahead), 1)
    shown = _adding_up({kind: points for kind, points in lead.items() if points}, total)
    parts = sorted(((RULES[kind], points) for kind, points in shown.items() if points), key=lambda p: -abs(p[1]))
    leads, too = "neither side would lead", " either"
    if _tenths(ahead):
        leads, too = f"{NAMES[_side(ahead)]} would lead by {rounded(abs(ahead))}", " too"
    if not parts:
        return f"Nothing moved the lead after the judge gave its points; {ALONE} {leads}{too}{_at_first(first, ahead)}."
    leads += _at_first(first, ahead)
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
    if not total:
        why = f"towards {NAMES[side]}: {towards}; {back}"
        return f"What moved the lead cancels out ({why}); {ALONE} {leads}{too}."
    listed = "; ".join(filter(None, (towards, back)))
    moved = f"The lead moved {rounded(abs(total))} points towards {NAMES[side]} after the judge gave its points"
    return f"{moved} ({listed}); {ALONE} {leads}."


def _adding_up(parts: dict[RuleKind, float], total: float) -> dict[RuleKind, float]:
    """The parts in tenths of a point so that they add up to ``total``: what is over goes where rounding took most."""
    shown = {kind: _tenths(points) for kind, points in parts.items()}
    while shown and (over := round(total - sum(shown.values()), 1)):
        step = 0.1 if over > 0 else -0.1
        kind = max(shown, key=lambda each: (parts[each] - shown[each]) * step)
        shown[kind] = round(shown[kind] + step, 1) + 0.0
    return shown


def _at_first(lead: float | None, ahead: float) -> str:
    """Who would lead by the first readings, in brackets; empty where no turn was scored again."""
    if lead is None:
        return ""
    is_same = _tenths(lead) and _tenths(ahead) and _side(lead) == _side(ahead)
    who = "" if is_same else f"{NAMES[_side(lead)]} " if _tenths(lead) else "neither side"
    return f" (by its first readings {who}{f'by {rounded(abs(lead))}' if _tenths(lead) else ''})"


def _tenths(points: float) -> float:
    return float(rounded(points))


def _side(points: float) -> Side:
    return "pro" if points > 0 else "con"

"""How the scorecard and the reading of the whole debate differ: whether the judge is asked about it, in what words."""

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET

from events.state.debate import Debate
from events.state.scorecard import most_of
from events.text.figures import sure
from events.types import MeasuredLead, Missing, NarrativeVerdictReached, ScorecardVerdictReached, Side, Winner
from events.types.rubric import Rubric
from judge.rubrics.rubric import fmt

MOVED_BY: Final = {
    "cap": "limits of a score",
    "rescore": "second readings",
    "band": "comparisons",
    "penalty": "penalties",
    "reversal": "penalties given back",
    "gap": "dockings",
}
"""What moves a score after it was given, by kind of entry."""
NAMED_BY: Final = MOVED_BY | {"gap": "flaws shown later"}
"""The same from version 3 of the template on."""


def is_conflict(debate: Debate) -> bool:
    """Whether scorecard and narrative name different winners, or margins that do not fit each other.

    Where a lead must be sure to name a side and is not, a reading that names a side clearly, or the side that does not
    lead, is a conflict.
    """
    card, narrative = debate.verdicts.scorecard, debate.verdicts.narrative
    if card is None or narrative is None or not narrative.winner:
        return False
    rubric = debate.ledger.rubric
    if card.lead is not UNSET and card.winner == "neither":
        return narrative.winner != "neither" and (narrative.margin == "clear" or narrative.winner != card.lead.side)
    if narrative.winner != card.winner:
        return True
    if card.lead is not UNSET:
        return False
    if rubric is None or isinstance(card.margin, Missing) or not narrative.margin or card.winner == "neither":
        return False
    return (narrative.margin == "clear") != is_clear(card, rubric)


def clear_lead(rubric: Rubric) -> float:
    """The difference of the mean scores above which a lead is clear."""
    return 2 * rubric.tie_within


def is_clear(card: ScorecardVerdictReached, rubric: Rubric) -> bool:
    """Whether the lead of the scorecard's winner is clear."""
    return not isinstance(card.margin, Missing) and card.margin > clear_lead(rubric)


def winner_words(winner: Winner, labels: Mapping[Side, str], *, says_ahead: bool) -> str:
    """Whom a verdict names; ``says_ahead``: in the words of the newer templates."""
    if says_ahead:
        return "neither is named" if winner == "neither" else f"Speaker {labels[winner]} is ahead"
    return "neither wins" if winner == "neither" else f"Speaker {labels[winner]} wins"


def means_words(debate: Debate, card: ScorecardVerdictReached, labels: Mapping[Side, str]) -> str:
    """The points of both speakers, with the most that they can have."""
    most = most_of(debate.ledger)
    return ", ".join(
        f"Speaker {label} {'without a score' if isinstance(mean, Missing) else fmt(mean)} of {most}"
        for side, label in sorted(labels.items(), key=lambda each: each[1])
        for mean in (getattr(card.mean, side),)
    )


def how_far(card: ScorecardVerdictReached, rubric: Rubric, labels: Mapping[Side, str]) -> str:
    """How far the winner leads, and whether that is clear; nothing where nobody wins, or a tie was decided."""
    if card.lead is not UNSET:
        return f"; {lead_words(card.lead, rubric, labels)}"
    if isinstance(card.margin, Missing) or card.winner == "neither" or card.decided_by:
        return ""
    least, how = clear_lead(rubric), "clear" if is_clear(card, rubric) else "narrow"
    return f"; the lead is {in_points(card.margin)}, a {how} one: more than {in_points(least)} is clear"


def tie_words(card: ScorecardVerdictReached, rubric: Rubric) -> str:
    """That the mean scores are tied, and what decided; nothing where they are not."""
    if isinstance(card.margin, Missing) or card.lead is not UNSET or card.margin > rubric.tie_within:
        return ""
    tie = f"; a difference of at most {fmt(rubric.tie_within)} is a tie"
    return f"{tie}, and {card.decided_by} decided" if card.decided_by else tie


def lead_words(lead: MeasuredLead, rubric: Rubric, labels: Mapping[Side, str]) -> str:
    """Who leads by how much and how sure that is, and from where on a speaker is named."""
    if lead.side == "neither" or lead.certainty is UNSET or rubric.certainty is UNSET:
        return "no speaker has more points" if lead.side == "neither" else f"the lead is {in_points(lead.points)}"
    named = f"a speaker is named from {sure(rubric.certainty.name_at)} on"
    return f"Speaker {labels[lead.side]} leads by {in_points(lead.points)}, {sure(lead.certainty)} sure; {named}"


def margin_words(narrative: NarrativeVerdictReached) -> str:
    """By how much a reading of the whole names its winner; nothing where it names none."""
    if narrative.winner in {UNSET, "neither"} or not narrative.margin:
        return ""
    margin = "without a margin" if narrative.margin == "none" else f"by a {narrative.margin} margin"
    return f" {margin}" + (f", its confidence {narrative.confidence}" if narrative.confidence else "")


def in_points(points: float) -> str:
    """Points with their noun."""
    return f"{fmt(points)} {'point' if abs(points) == 1 else 'points'}"


def rule_effect(debate: Debate, labels: dict[Side, str]) -> str:
    """What bands, penalties and points taken off for flaws moved, in mean composite points by side, in words."""
    effects = {side: _effects(debate, side) for side in labels}
    parts = [
        f"{MOVED_BY[kind]} moved Speaker {labels[side]} by {points:+.1f}"
        for side, moved in effects.items()
        for kind, points in moved.items()
        if round(points, 1)
    ]
    return "; ".join(parts) or "nothing"


def mean_changes(debate: Debate, labels: dict[Side, str]) -> str:
    """By how many points each kind of change moved the mean score of each speaker, in words."""
    changes = (
        f"the mean score of Speaker {label} changed by "
        + (
            ", ".join(
                f"{points:+.1f} ({NAMED_BY[kind]})"
                for kind, points in _effects(debate, side).items()
                if round(points, 1)
            )
            or "nothing"
        )
        for side, label in sorted(labels.items(), key=lambda each: each[1])
    )
    return "; ".join(changes)


def _effects(debate: Debate, side: Side) -> dict[str, float]:
    """Points by kind of entry that a side's mean composite gained or lost after its turns were scored."""
    cards = [card for card in debate.ledger.cards.values() if card.side == side and card.missing is None]
    moved = dict.fromkeys(MOVED_BY, 0.0)
    for card in cards:
        for entry in card.entries:
            if entry.kind in MOVED_BY and entry.dimension in debate.ledger.dimensions:
                moved[entry.kind] += entry.applied / len(cards)
    return moved

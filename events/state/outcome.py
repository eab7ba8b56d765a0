"""How a debate ended, in words: who is named the winner, by what, how sure that is, and what the other reading says.

Every page, report and list shows these words, so that none says more than another.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import FOLDS, Conclusion, Debate
from events.state.ledger import TurnCard
from events.state.parts.panel import PANEL_NAMES_NONE
from events.state.witnesses import NAMES, witnesses_of
from events.text.figures import rounded, shortest, sure
from events.types import (
    AssessmentGiven,
    MeasuredLead,
    Missing,
    NarrativeVerdictReached,
    PanelConcluded,
    ScorecardVerdictReached,
    TurnRescored,
    Winner,
)
from events.types.criteria import ProtocolRules

RULES: Final = {
    "scorecard": "the scorecard",
    "narrative": "the narrative verdict",
    "panel": "the panel",
    "assessment": "the judge’s assessment",
    "baseline": "the rule for a judge that understands nothing",
    "judge_and_panel": "judge and panel together",
    "resignation": "the other side’s resignation",
    "answer": "the judge’s answer",
}
"""What decides a debate, in words."""
ANSWERED: Final = {"pro": "answers A", "con": "answers B", "neither": "names neither A nor B"}
BASELINE: Final = "the judge counts words and understands nothing"
NO_WINNER: Final = "No winner is named"
NO_SIDE: Final = "No side is named"
NOT_DISTINGUISHABLE: Final = "Not distinguishable"
_WITHOUT_SIDES: Final = frozenset({"calibration", "artifact", "lab"})
"""Rules that end what has no debaters."""
_MARGINS: Final = {"clear": "clearly", "narrow": "narrowly"}
_SIDE: Final = re.compile(r"\b(?:pro|con)\b")


class OutcomeWords(Struct, frozen=True, kw_only=True, gc=False):
    """The end of a debate in words."""

    headline: str
    """Who is named the winner, and by what; without a full stop."""
    text: str
    """The same with how sure it is, and what the reading of the whole debate says: whole sentences."""


def rule_name(rule: str) -> str:
    """What decided a debate, in words."""
    return RULES.get(rule, rule.replace("_", " "))


def headline(
    winner: str,
    rule: str | UnsetType,
    decided_by: str | UnsetType = UNSET,
    lead: MeasuredLead | UnsetType = UNSET,
) -> str:
    """The outcome in a few words.

    ``decided_by``: the measure that decided a tie of the scores, empty if unknown.  ``lead``: that of the scores, where
    the rubric says how sure it must be.
    """
    if rule == "scorecard" and lead is not UNSET:
        return ahead(winner, lead)
    if rule == "answer":
        return f"The judge {ANSWERED[winner]}"
    if winner == "neither":
        return NO_WINNER if lead is UNSET else NO_SIDE
    wins = f"{NAMES[winner]} wins"
    if rule is UNSET:
        return wins
    if rule == "resignation":
        return f"{wins}: the other side resigned"
    if rule == "scorecard" and decided_by is not UNSET:
        return f"{wins} by a tie-break{f' on {decided_by}' if decided_by else ''}"
    return f"{wins} by {rule_name(rule)}"


def ahead(winner: str, lead: MeasuredLead) -> str:
    """Who was ahead and how sure that is; that the sides cannot be told apart, and which one leads."""
    if lead.side == "neither":
        return f"{NOT_DISTINGUISHABLE}: both sides have the same points"
    how_sure = "" if lead.certainty is UNSET else f" ({sure(lead.certainty)} sure)"
    if winner == "neither":
        return f"{NOT_DISTINGUISHABLE}: {NAMES[lead.side]} leads by {_figure(lead.points)}{how_sure}"
    return f"{NAMES[winner]} was ahead in this debate, by {_points(lead.points)}{how_sure}"


def outcome_of(debate: Debate) -> OutcomeWords | UnsetType:
    """The outcome of a debate that has ended; absent before, and for what has no debaters."""
    ended = debate.status.conclusion
    if ended is None or ended.by_rule in _WITHOUT_SIDES:
        return UNSET
    if ended.by_rule == "answer":
        return OutcomeWords(headline=FOLDS["answers"].headline(debate), text=FOLDS["answers"].sentences(debate))
    card = debate.verdicts.scorecard
    lead = UNSET if card is None else card.lead
    short = headline(ended.winner, ended.by_rule, _tie_broken_by(debate), lead)
    return OutcomeWords(headline=short, text=" ".join(_sentences(debate, ended, short)))


def _sentences(debate: Debate, ended: Conclusion, short: str) -> Iterator[str]:
    """The outcome, what else was concluded, how sure the scores are, and the reading of the whole debate."""
    rule, card, panel = ended.by_rule, debate.verdicts.scorecard, debate.panel
    says = panel.says or ""
    if rule == "panel" and ended.winner == "neither":
        yield says.replace(PANEL_NAMES_NONE, short)
    else:
        yield f"{short}{_why(debate, ended)}."
        if rule == "panel" and panel.conclusion is not UNSET and panel.conclusion.outcome == "cautious":
            yield says
    if rule in {"panel", "judge_and_panel"} and (figures := _figures(debate)):
        yield f"The judge’s scores: {figures}."
    if card is not None and rule == "scorecard":
        yield from _how_sure(debate, card) if card.lead is UNSET else _certainty(debate, card)
    if debate.verdicts.narrative is not None:
        yield _reading(debate.verdicts.narrative, ended.winner)


def _why(debate: Debate, ended: Conclusion) -> str:
    """What the named winner, or that none is named, follows from; begins with a comma or a colon, or is empty."""
    card, given = debate.verdicts.scorecard, debate.protocol.assessment
    match ended.by_rule:
        case "scorecard" if card is not None:
            return _by_scores(debate, card)
        case "no_judgement":
            return f": {_no_judgement(debate)}"
        case "assessment" if given is not UNSET:
            close = ": the totals are too close" if ended.winner == "neither" else ""
            return f"{close} ({_figures(debate)})"
        case "baseline":
            return f": {BASELINE} ({_figures(debate)})"
        case "judge_and_panel" if debate.panel.conclusion is not UNSET:
            return f": {_judge_and_panel(debate, ended, debate.panel.conclusion)}"
    return ""


def _judge_and_panel(debate: Debate, ended: Conclusion, panel: PanelConcluded) -> str:
    """What the judge and a panel for reference only say, each."""
    judge = _named_by_judge(debate)
    judged = f"the judge names {'no side' if judge == 'neither' else NAMES[judge]}"
    if panel.outcome not in {"concluded", "cautious"}:
        why = (debate.panel.says or "").removeprefix(f"{PANEL_NAMES_NONE}: ").removesuffix(".")
        return f"{judged}, and the panel {'none either' if judge == 'neither' else 'none'}: {why}"
    agree = "agree" if panel.outcome == "concluded" else "agree in part"
    but = ""
    if ended.winner == "neither" and judge == panel.leaning:
        turns = any(each.turns is True for each in panel.disputed.values())
        but = f", but {'one argument' if turns else 'one rater'} alone could change that"
    return f"{judged}, and the raters {agree} and lean to {NAMES[panel.leaning]}{but}"


def _named_by_judge(debate: Debate) -> Winner:
    """The side that the judge of a debate with a panel names: by the scorecard, or by the totals of an assessment."""
    card, given, opened = debate.verdicts.scorecard, debate.protocol.assessment, debate.opened
    if card is not None:
        return card.winner
    if given is UNSET or _is_baseline(debate):
        return "neither"
    return ahead_by_totals(given, (None if opened is None else opened.rubric.protocol) or ProtocolRules())


def ahead_by_totals(given: AssessmentGiven, rules: ProtocolRules) -> Winner:
    """The side that an assessment puts ahead; neither if a total is missing or the gap counts as even."""
    if isinstance(given.pro_total, Missing) or isinstance(given.con_total, Missing):
        return "neither"
    apart = given.pro_total - given.con_total
    if not apart or abs(apart) < rules.even_within:
        return "neither"
    return "pro" if apart > 0 else "con"


def _figures(debate: Debate) -> str:
    """The judge's mean scores or totals, as ``Pro 63.1, Con 60.4``; empty if one is missing."""
    card, given = debate.verdicts.scorecard, debate.protocol.assessment
    pro, con = (UNSET, UNSET) if card is None else (card.mean.pro, card.mean.con)
    if given is not UNSET:
        pro, con = given.pro_total, given.con_total
    return f"Pro {rounded(pro)}, Con {rounded(con)}" if isinstance(pro, float) and isinstance(con, float) else ""


def _no_judgement(debate: Debate) -> str:
    """Why there are no figures to compare."""
    card, given = debate.verdicts.scorecard, debate.protocol.assessment
    figures: tuple[float | Missing, ...] = () if card is None else (card.margin,)
    if given is not UNSET:
        figures = (given.pro_total, given.con_total)
    why = next((each.missing.reason for each in figures if isinstance(each, Missing)), "the judge gave no judgement")
    return _SIDE.sub(lambda found: NAMES[found[0]], why)


def _by_scores(debate: Debate, card: ScorecardVerdictReached) -> str:
    rubric, margin = debate.ledger.rubric, card.margin
    if isinstance(margin, Missing):
        return f": {_no_judgement(debate)}"
    figures = f" ({_figures(debate)})"
    if card.lead is not UNSET:
        return f": {_figures(debate)}"
    if card.winner == "neither" and _is_baseline(debate):
        return f": {BASELINE}{figures}"
    if _is_undecided_by_noise(debate, card):
        varies = f"the {_points(card.noise or 0)} by which this judge varies when it is asked again"
        return f": the lead of {_points(margin)} is no larger than {varies}{figures}"
    if rubric is None or margin > rubric.tie_within:
        return f", {_points(margin)} ahead{figures}" if card.winner != "neither" else figures
    tie = f"the scores lie within the tie margin of {_points(rubric.tie_within)}{figures}"
    return f": {tie}"


def _tie_broken_by(debate: Debate) -> str | UnsetType:
    """The measure that decided a tie of the scores, empty if the log does not name it; absent without such a tie."""
    card, rubric = debate.verdicts.scorecard, debate.ledger.rubric
    if card is None or card.winner == "neither" or rubric is None or isinstance(card.margin, Missing):
        return UNSET
    return card.tie_broken_by or ("" if card.margin <= rubric.tie_within else UNSET)


def _is_baseline(debate: Debate) -> bool:
    return debate.opened is not None and debate.opened.judge.baseline is not UNSET


def _is_undecided_by_noise(debate: Debate, card: ScorecardVerdictReached) -> bool:
    """Whether no side is named because the judge itself varies by as much as the lead."""
    rubric = debate.ledger.rubric
    is_within = card.noise is not UNSET and not isinstance(card.margin, Missing) and card.margin <= card.noise
    return card.winner == "neither" and is_within and rubric is not None and rubric.lead_beyond_noise is True


def _points(points: float) -> str:
    shown = _figure(points)
    return f"{shown} point{'' if shown == '1' else 's'}"


def _figure(points: float) -> str:
    return shortest(points) if round(points, 1) else f"{points:g}"


def _certainty(debate: Debate, card: ScorecardVerdictReached) -> Iterator[str]:
    """What the certainty of a lead rests on, what was read again or inferred, and what else points to a side."""
    rubric, opened = debate.ledger.rubric, debate.opened
    if card.error is not UNSET and card.pairs is not UNSET and rubric is not None and rubric.certainty is not UNSET:
        named = f"A side is named from {sure(rubric.certainty.name_at)} on"
        error = f"the standard error of the lead, {_points(card.error)}"
        pairs = f"{card.pairs} pair{'' if card.pairs == 1 else 's'} of compared turns"
        measured = opened is not None and opened.noise is not UNSET and opened.noise.is_of_leads
        beside = (
            "what a lab run measured of this judge" if measured else "usual figures, since this judge was not measured"
        )
        yield f"{named}; {error}, follows from {pairs} and from {beside}."
    yield from _other_readings(debate.ledger.cards)
    beside_scores = [each.text for each in witnesses_of(debate) if each.name != "whole"]
    if beside_scores:
        yield f"Beside the scores, {', and '.join(beside_scores)}."


def _other_readings(cards: Mapping[int, TurnCard]) -> Iterator[str]:
    """Which turns were scored again, with what result, and which have points without a score."""
    again: dict[str, list[int]] = {}
    for turn, card in cards.items():
        if card.rescored is not None:
            again.setdefault(_second_reading(card.rescored), []).append(turn)
    for result, turns in again.items():
        *others, last = map(str, turns)
        which, its, it = (f"Turn {last}", "its", "it")
        if others:
            which, its, it = (f"Turns {', '.join(others)} and {last}", "their", "them")
        yield f"{which} did not fit {its} comparisons: {result.format(it=it)}."
    for turn, card in cards.items():
        if card.inferred:
            parts = f" for {' and '.join(sorted(card.inferred))}" if card.is_scored else ""
            yield f"Turn {turn} has no score{parts}: its points follow from its comparisons."


def _second_reading(again: TurnRescored) -> str:
    if again.missing is not UNSET:
        return "no further reading was given, so the first one stands"
    counts = "the readings confirm the first one" if again.components is UNSET else "the median of the readings counts"
    return f"the judge scored {{it}} again, and {counts}"


def _how_sure(debate: Debate, card: ScorecardVerdictReached) -> Iterator[str]:
    """How the lead compares with the judge's own variation, if it is not said yet."""
    if isinstance(card.margin, Missing) or _is_baseline(debate) or _is_undecided_by_noise(debate, card):
        return
    if card.noise is UNSET:
        yield "How much this judge varies when it is asked again was not measured."
    else:
        than = "no larger" if card.margin <= card.noise else "larger"
        yield f"The lead is {than} than the {_points(card.noise)} by which this judge varies when it is asked again."


def _reading(read: NarrativeVerdictReached, winner: str) -> str:
    """What the reading of the whole debate names, next to the ``winner`` of the debate."""
    whole = "The reading of the whole debate"
    if read.flipped:
        return f"{whole} names no winner: its answer changed when the speakers’ labels were exchanged."
    if not read.winner:
        return f"There is no reading of the whole debate{f': {read.missing.reason}' if read.missing else ''}."
    if read.winner == "neither":
        return f"{whole} names no winner{' either' if winner == 'neither' else ''}."
    as_well = " too" if read.winner == winner else "" if winner == "neither" else " instead"
    how = _MARGINS.get(read.margin or "", "")
    return f"{whole} names {NAMES[read.winner]}{as_well}{f', {how}' if how else ''}."

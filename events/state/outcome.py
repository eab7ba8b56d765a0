"""How a debate ended, in words: who is named the winner, by what, how sure that is, and what the other reading says.

Every page, report and list shows these words, so that none says more than another.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.types import AgreementMeasured, Missing, NarrativeVerdictReached, PanelConcluded, ScorecardVerdictReached

NAMES: Final = {"pro": "Pro", "con": "Con", "neither": "neither"}
RULES: Final = {
    "scorecard": "the scorecard",
    "narrative": "the narrative verdict",
    "panel": "the panel",
    "assessment": "the judge’s assessment",
    "baseline": "the rule for a judge that understands nothing",
    "judge_and_panel": "judge and panel together",
    "resignation": "the other side’s resignation",
}
"""What decides a debate, in words."""
NO_WINNER: Final = "No winner is named"
_WITHOUT_SIDES: Final = frozenset({"calibration", "artifact", "lab"})
"""Rules that end what has no debaters."""
_MARGINS: Final = {"clear": "clearly", "narrow": "narrowly"}


class OutcomeWords(Struct, frozen=True, kw_only=True, gc=False):
    """The end of a debate in words."""

    headline: str
    """Who is named the winner, and by what; without a full stop."""
    text: str
    """The same with how sure it is, and what the reading of the whole debate says: whole sentences."""


def rule_name(rule: str) -> str:
    """What decided a debate, in words."""
    return RULES.get(rule, rule.replace("_", " "))


def headline(winner: str, rule: str, decided_by: str | UnsetType = UNSET) -> str:
    """The outcome in a few words.  ``decided_by``: the measure that decided a tie of the scores."""
    if winner == "neither":
        return NO_WINNER
    if rule == "resignation":
        return f"{NAMES[winner]} wins: the other side resigned"
    if rule == "scorecard" and decided_by:
        return f"{NAMES[winner]} wins by a tie-break on {decided_by}"
    return f"{NAMES[winner]} wins by {rule_name(rule)}"


def outcome_of(debate: Debate) -> OutcomeWords | UnsetType:
    """The outcome of a debate that has ended; absent before, and for what has no debaters."""
    ended = debate.status.conclusion
    if ended is None or ended.by_rule in _WITHOUT_SIDES:
        return UNSET
    card = debate.verdicts.scorecard
    short = headline(ended.winner, ended.by_rule, UNSET if card is None else card.decided_by)
    return OutcomeWords(headline=short, text=" ".join((f"{short}{_why(debate, ended.by_rule)}.", *_more(debate))))


def _why(debate: Debate, rule: str) -> str:
    """What the named winner, or that none is named, follows from; begins with a space or a colon, or is empty."""
    card = debate.verdicts.scorecard
    if rule == "scorecard" and card is not None:
        return _by_scores(debate, card)
    if rule == "no_judgement":
        return f": {_no_judgement(card)}"
    if rule == "assessment" and (given := debate.protocol.assessment) is not UNSET:
        totals = {"Pro": given.pro_total, "Con": given.con_total}
        return f" ({', '.join(f'{side} {total:.1f}' for side, total in totals.items() if isinstance(total, float))})"
    if rule == "baseline":
        return ": the judge counts words and understands nothing"
    if rule == "panel" and (concluded := debate.panel.conclusion) is not UNSET and concluded.winner == "neither":
        return f": {_undecided(concluded, debate.panel.agreement or None)}"
    return ""


def _no_judgement(card: ScorecardVerdictReached | None) -> str:
    if card is not None and isinstance(card.margin, Missing):
        return card.margin.missing.reason
    return "the judge gave no usable judgement"


def _by_scores(debate: Debate, card: ScorecardVerdictReached) -> str:
    means, margin, rubric = card.mean, card.margin, debate.ledger.rubric
    if isinstance(margin, Missing) or isinstance(means.pro, Missing) or isinstance(means.con, Missing):
        return f": {_no_judgement(card)}"
    scores = f"Pro {means.pro:.1f}, Con {means.con:.1f}"
    opened = debate.opened
    if card.winner == "neither" and opened is not None and opened.judge.baseline:
        return f": {opened.judge.baseline} counts words and understands nothing ({scores})"
    is_tie = rubric is not None and margin <= rubric.tie_within
    if card.winner != "neither":
        return f": the scores are level ({scores})" if is_tie else f", {margin:.1f} points ahead ({scores})"
    if is_tie:
        return f": the scores are level ({scores})"
    return f": the lead of {margin:.1f} points is no larger than this judge’s own variation ({scores})"


def _more(debate: Debate) -> Iterator[str]:
    """How sure the scores are, and the reading of the whole debate."""
    card = debate.verdicts.scorecard
    if card is not None and not isinstance(card.margin, Missing):
        if card.noise is UNSET:
            yield "How much this judge varies when it is asked again was not measured."
        else:
            yield f"Asked again, this judge gives leads that differ by up to {card.noise:.1f} points."
    if (read := debate.verdicts.narrative) is not None:
        yield _reading(read, None if card is None else card.winner)


def _reading(read: NarrativeVerdictReached, by_scores: str | None) -> str:
    whole = "The reading of the whole debate"
    if read.flipped:
        return f"{whole} names no winner: its answer changed when the speakers’ labels were exchanged."
    if not read.winner:
        return "There is no reading of the whole debate."
    if read.winner == "neither":
        return f"{whole} names no winner."
    as_well = " too" if read.winner == by_scores else " instead" if by_scores in {"pro", "con"} else ""
    how = _MARGINS.get(read.margin or "", "")
    return f"{whole} names {NAMES[read.winner]}{as_well}{f', {how}' if how else ''}."


def conclusion_sentence(conclusion: PanelConcluded, agreement: AgreementMeasured | None) -> str:
    """The conclusion of a panel in one sentence."""
    if conclusion.winner != "neither":
        caution = " with caution" if conclusion.outcome == "cautious" else ""
        return f"The panel concludes{caution}: {NAMES[conclusion.winner]}."
    if conclusion.outcome in {"concluded", "cautious"} and conclusion.reference_only is not UNSET:
        agree = "agree" if conclusion.outcome == "concluded" else "agree in part"
        return f"For reference only: the raters {agree}, and {NAMES[conclusion.leaning]} leads."
    return f"{NO_WINNER}: {_undecided(conclusion, agreement)}."


def _undecided(conclusion: PanelConcluded, agreement: AgreementMeasured | None) -> str:
    """Why a panel names no winner."""
    leans = "" if conclusion.leaning == "neither" else f"the panel leans to {NAMES[conclusion.leaning]}, but "
    match conclusion.outcome:
        case "cautious":
            return f"{leans}one rater alone could change that"
        case "contested":
            return f"{leans}the raters are divided"
        case "undetermined":
            return "how far the raters agree could not be measured"
    if any(each.decides for each in conclusion.disputed.values()):
        what = "a turn" if any(item.isdecimal() for item in conclusion.disputed) else "an argument"
        return f"the raters are too far apart on {what} that decides"
    if agreement is not None and agreement.deciding.band == "unacceptable":
        return "the raters are too far apart"
    return "the two sides are too close to tell apart"

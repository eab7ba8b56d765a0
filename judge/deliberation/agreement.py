"""Agreement between judges, their disagreements, and what made a judge change its verdict.

A judge without an opinion is left out, and so is a dimension that fewer than two judges scored.  Missing values never
count as agreement.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from events.types import Missing, missing
from events.types.criteria import DeliberationRules
from events.types.deliberation import Disagreement, MindChange, OpinionGiven
from judge.deliberation.subject import Opinions
from judge.guard.quotes import comparable, find

DIGITS: Final = 9
"""Decimals of an agreement, so that binary fractions do not decide whether a threshold is met."""
SHOWN: Final = 300
"""Characters of a judge's rationale that the other judges read."""
LISTED: Final = 8
"""Findings of a judge that the other judges read."""


def with_verdict(opinions: Opinions) -> dict[str, OpinionGiven]:
    """Return the opinions that have a verdict."""
    return {rater: each for rater, each in opinions.items() if each.verdict is not UNSET}


def standing(rounds: Sequence[Opinions]) -> tuple[Opinions, ...]:
    """Return the opinions that stand after each round: of every judge the last one that has a verdict.

    A judge that never gave a verdict has its first opinion, which is missing.
    """
    now: dict[str, OpinionGiven] = {}
    stood = []
    for given in rounds:
        now = {**given, **now, **with_verdict(given)}
        stood.append(now)
    return tuple(stood)


def agreement(opinions: Opinions, rules: DeliberationRules, scale: float) -> float | Missing:
    """Return 0.6 × share of the commonest verdict + 0.4 × mean over dimensions of 1 − range ÷ scale, in [0, 1].

    Without a dimension that two judges scored it is the share of the commonest verdict alone.  It is missing for fewer
    judges than the rules require.
    """
    answered = with_verdict(opinions)
    if len(answered) < rules.least_judges:
        return missing(f"{len(answered)} of the {rules.least_judges} opinions that agreement is measured on")
    share = _commonest(answered.values())
    gaps = [_gap(scores) for scores in _by_dimension(answered).values()]
    if not gaps:
        return round(share, DIGITS)
    alike = fmean(1 - gap / scale for gap in gaps)
    return round(rules.verdict_share * share + rules.dimension_share * alike, DIGITS)


def has_converged(measured: float | Missing, rules: DeliberationRules) -> bool:
    """Return whether the agreement reaches the rubric's threshold."""
    return not isinstance(measured, Missing) and measured >= round(rules.converged, DIGITS)


def disagreements(
    opinions: Opinions, dimensions: Iterable[str], rules: DeliberationRules, scale: float
) -> tuple[Disagreement, ...]:
    """Return the disagreements, the most severe first; of equal ones the verdict, then dimensions in their order.

    Severity of the verdict: 1 − share of the commonest.  Severity of a dimension: gap ÷ scale, if the gap is at least
    ``gap_share`` of the scale.
    """
    answered = with_verdict(opinions)
    found: list[Disagreement] = []
    verdicts: dict[str, str | float] = {rater: str(each.verdict) for rater, each in answered.items()}
    if len(set(verdicts.values())) > 1:
        severity = round(1 - _commonest(answered.values()), DIGITS)
        found.append(Disagreement(dimension="", positions=verdicts, severity=severity))
    scored = _by_dimension(answered)
    for name in dimensions:
        if name in scored and round(gap := _gap(scored[name]), DIGITS) >= round(rules.gap_share * scale, DIGITS):
            severity = round(gap / scale, DIGITS)
            found.append(Disagreement(dimension=name, positions={**scored[name]}, severity=severity))
    return tuple(sorted(found, key=lambda each: -each.severity))


def mind_changes(earlier: Sequence[Opinions], now: Opinions, least: int = 0) -> tuple[MindChange, ...]:
    """Return the judges that changed their last verdict, and why.

    A change is by evidence if the judge names a verified quote that it has not named before; by a reason if it quotes
    at least ``least`` characters of what another judge's position said in the round; else by conformity.
    """
    found = []
    for rater, opinion in now.items():
        before = [each[rater] for each in earlier if rater in with_verdict(each)]
        if not before or opinion.verdict is UNSET or before[-1].verdict in {UNSET, opinion.verdict}:
            continue
        change = MindChange(
            rater=rater, before=before[-1].verdict, after=opinion.verdict, kind="conformity", quote=opinion.quote
        )
        if opinion.verified and not any(_same(opinion.quote, each.quote) for each in before):
            change = replace(change, kind="evidence")
        elif _is_reason(opinion, earlier[-1], least):
            change = replace(change, kind="reason", moved_by=opinion.moved_by, reason=opinion.moved_words)
        found.append(change)
    return tuple(found)


def position_texts(opinion: OpinionGiven, listed: int) -> tuple[str, tuple[str, ...]]:
    """Return what a position shows of a judge's reasons: its rationale and its first ``listed`` findings."""
    rationale = opinion.rationale if len(opinion.rationale) <= SHOWN else f"{opinion.rationale[:SHOWN]}…"
    return rationale, opinion.findings[:listed]


def _is_reason(opinion: OpinionGiven, shown: Opinions, least: int) -> bool:
    """Return whether the words that moved a judge stand in the position of the other judge that it names."""
    if opinion.moved_by is UNSET or opinion.moved_words is UNSET or opinion.moved_by == opinion.rater:
        return False
    position = with_verdict(shown).get(opinion.moved_by)
    if position is None:
        return False
    rationale, findings = position_texts(position, LISTED)
    return any(find(opinion.moved_words, text, least) is not None for text in (rationale, *findings))


def _same(one: str, other: str) -> bool:
    """Return whether one quote contains the other: a longer quote of the same words is no new evidence."""
    first, second = comparable(one), comparable(other)
    return bool(first and second) and (first in second or second in first)


def _commonest(opinions: Iterable[OpinionGiven]) -> float:
    votes = Counter(str(each.verdict) for each in opinions)
    return max(votes.values()) / votes.total()


def _by_dimension(answered: Mapping[str, OpinionGiven]) -> dict[str, dict[str, float]]:
    """Return scores by dimension and rater, for dimensions that at least two raters scored."""
    scored: dict[str, dict[str, float]] = {}
    for rater, opinion in answered.items():
        for name, score in opinion.scores.items():
            scored.setdefault(name, {})[rater] = score
    return {name: each for name, each in scored.items() if len(each) > 1}


def _gap(scores: Mapping[str, float]) -> float:
    return max(scores.values()) - min(scores.values())

"""Raters against known outcomes: a rater's own verdict on a case, whether it is right, and what a record is worth.

Only the outcome counts.  Whether a rater agrees with the others never enters: a majority can be wrong together.
"""

import math
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from events.types import (
    Argument,
    BothSides,
    Case,
    Missing,
    Rater,
    RaterCalibrated,
    Reason,
    TrackRecord,
    Winner,
    missing,
)
from events.types.criteria import PanelRules

Scores = Mapping[str, Mapping[str, float]]
DIGITS: Final = 9
"""Decimals that a score is kept at, so that a threshold is met by what is exactly on it."""
Z: Final = 1.959963984540054
"""Quantile of the normal distribution for a two-sided 95 %."""
COIN: Final = 0.5


class Interval(NamedTuple):
    """Shares in [0, 1] between which the true one lies, at 95 %."""

    low: float
    high: float


def weighted_total(given: Mapping[str, float], weights: Mapping[str, float]) -> float | None:
    """A rater's weighted score of one argument; None unless every dimension that it weighs is scored.

    The same score on all of them is that score, whatever the weights' last digits.
    """
    if not given.keys() >= weights.keys():
        return None
    weighed = math.fsum(weight * given[name] for name, weight in weights.items())
    return round(weighed / math.fsum(weights.values()), DIGITS)


def side_means(case: Case, scores: Scores, weights: Mapping[str, float]) -> BothSides:
    """The mean total of each side's arguments, over those that have one."""

    def mean(side: str, arguments: Iterable[Argument]) -> float | Missing:
        totals = [weighted_total(scores.get(each.id, {}), weights) for each in arguments]
        known = [each for each in totals if each is not None]
        return round(fmean(known), 4) if known else missing(f"no argument of {side} is scored on every dimension")

    return BothSides(pro=mean("pro", case.pro), con=mean("con", case.con))


def rater_verdict(mean: BothSides, rules: PanelRules) -> Winner | Missing:
    """Who is ahead by the panel's least gap, |pro − con| ÷ (pro + con); nobody below it."""
    if isinstance(mean.pro, Missing):
        return mean.pro
    if isinstance(mean.con, Missing):
        return mean.con
    apart, both = mean.pro - mean.con, mean.pro + mean.con
    if not both or round(abs(apart) / both, 9) < rules.least_gap:  # 4.2 against 3.8 is a gap of 5 %, not of less
        return "neither"
    return "pro" if apart > 0 else "con"


def calibrate_rater(seat: Rater, case: Case, scores: Scores | Reason, rules: PanelRules) -> RaterCalibrated:
    """One rater on one case.  Where it names nobody for want of scores it is neither right nor wrong."""
    given: dict[str, dict[str, float]] = {}
    mean: BothSides | UnsetType = UNSET
    said: Winner | Missing
    if isinstance(scores, Reason):
        said = Missing(scores)
    else:
        given = {item: dict(dimensions) for item, dimensions in scores.items()}
        mean = side_means(case, scores, seat.weights)
        said = rater_verdict(mean, rules)
    is_missing = isinstance(said, Missing)
    return RaterCalibrated(
        rater=seat.name,
        model=seat.model,
        case=case.id,
        digest=case.digest,
        scores=given,
        mean=mean,
        said=UNSET if isinstance(said, Missing) else said,
        truth=case.truth,
        right=UNSET if is_missing else said == case.truth,
        missing=said.missing if isinstance(said, Missing) else UNSET,
    )


# what a record is worth


def record_of(verdicts: Iterable[RaterCalibrated]) -> TrackRecord:
    """Right, of how many that named somebody or nobody; missing ones do not count."""
    counted = [each.said == each.truth for each in verdicts if each.said is not UNSET]
    return TrackRecord(right=sum(counted), of=len(counted))


def wilson(record: TrackRecord) -> Interval | None:
    """Wilson's score interval (1927) of the share of right verdicts; None without any."""
    if not record.of:
        return None
    n, share = record.of, record.right / record.of
    middle = share + Z**2 / (2 * n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    scale = 1 + Z**2 / n
    return Interval(max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale))


def chance(truths: Iterable[Winner]) -> float:
    """What takes no judgement: a coin, or always naming the commonest outcome, whichever is right more often."""
    known = list(truths)
    return max([COIN, *(known.count(each) / len(known) for each in set(known))])


def meaning(record: TrackRecord, by_chance: float) -> str:
    """The interval in words."""
    interval = wilson(record)
    if interval is None:
        return "not known: no verdict yet"
    if interval.low > by_chance:
        return "better than chance"
    if interval.high < by_chance:
        return "worse than chance"
    return f"not known: {record.of} verdict{'' if record.of == 1 else 's'} cannot tell it from chance"

"""Raters against known outcomes: a rater's verdict on a case, whether it is right, and what its record tells.

Only the outcome counts, not whether a rater agrees with the others, because a majority can be wrong.
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
"""Decimals of a score, so that a value exactly on a threshold meets it."""
Z: Final = 1.959963984540054
"""Quantile of the normal distribution for a two-sided interval of 95 %."""
COIN: Final = 0.5


class Interval(NamedTuple):
    """Interval of 95 % for a share in [0, 1]."""

    low: float
    high: float


def weighted_total(given: Mapping[str, float], weights: Mapping[str, float]) -> float | None:
    """Return a rater's weighted score of one argument; None unless it scored every dimension that it weighs.

    The sum is divided by the sum of the weights: the same score on all dimensions gives exactly that score.
    """
    if not given.keys() >= weights.keys():
        return None
    weighed = math.fsum(weight * given[name] for name, weight in weights.items())
    return round(weighed / math.fsum(weights.values()), DIGITS)


def side_means(case: Case, scores: Scores, weights: Mapping[str, float]) -> BothSides:
    """Return the mean total of each side's arguments, over those that have one."""

    def mean(side: str, arguments: Iterable[Argument]) -> float | Missing:
        totals = [weighted_total(scores.get(each.id, {}), weights) for each in arguments]
        known = [each for each in totals if each is not None]
        return round(fmean(known), 4) if known else missing(f"no argument of {side} is scored on every dimension")

    return BothSides(pro=mean("pro", case.pro), con=mean("con", case.con))


def rater_verdict(mean: BothSides, rules: PanelRules) -> Winner | Missing:
    """Return the side that leads by the panel's least gap, |pro − con| ÷ (pro + con), else ``neither``."""
    if isinstance(mean.pro, Missing):
        return mean.pro
    if isinstance(mean.con, Missing):
        return mean.con
    apart, both = mean.pro - mean.con, mean.pro + mean.con
    if not both or round(abs(apart) / both, 9) < rules.least_gap:  # 4.2 against 3.8 is a gap of exactly 5 %
        return "neither"
    return "pro" if apart > 0 else "con"


def calibrate_rater(seat: Rater, case: Case, scores: Scores | Reason, rules: PanelRules) -> RaterCalibrated:
    """Return one rater's result on one case.  Without enough scores for a verdict it is neither right nor wrong."""
    given: dict[str, dict[str, float]] = {}
    mean: BothSides | UnsetType = UNSET
    named: Winner | Missing
    if isinstance(scores, Reason):
        named = Missing(scores)
    else:
        given = {item: dict(dimensions) for item, dimensions in scores.items()}
        mean = side_means(case, scores, seat.weights)
        named = rater_verdict(mean, rules)
    return RaterCalibrated(
        rater=seat.name,
        model=seat.model,
        case=case.id,
        digest=case.digest,
        scores=given,
        mean=mean,
        said=UNSET if isinstance(named, Missing) else named,
        truth=case.truth,
        right=UNSET if isinstance(named, Missing) else named == case.truth,
        missing=named.missing if isinstance(named, Missing) else UNSET,
    )


# what a record tells


def record_of(verdicts: Iterable[RaterCalibrated]) -> TrackRecord:
    """Count the right verdicts of all verdicts; missing ones do not count."""
    counted = [each.said == each.truth for each in verdicts if each.said is not UNSET]
    return TrackRecord(right=sum(counted), of=len(counted))


def wilson(record: TrackRecord) -> Interval | None:
    """Return Wilson's score interval (1927) of the share of right verdicts; None without a verdict."""
    if not record.of:
        return None
    n, share = record.of, record.right / record.of
    middle = share + Z**2 / (2 * n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    scale = 1 + Z**2 / n
    return Interval(max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale))


def chance(truths: Iterable[Winner]) -> float:
    """Return the share that chance gets right: a coin, or always the commonest outcome, whichever is better."""
    known = list(truths)
    return max([COIN, *(known.count(each) / len(known) for each in set(known))])


def meaning(record: TrackRecord, by_chance: float) -> str:
    """Describe the interval in words."""
    interval = wilson(record)
    if interval is None:
        return "not known: no verdict yet"
    if interval.low > by_chance:
        return "better than chance"
    if interval.high < by_chance:
        return "worse than chance"
    return f"not known: {record.of} verdict{'' if record.of == 1 else 's'} cannot tell it from chance"

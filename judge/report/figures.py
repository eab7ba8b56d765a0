"""Shares, means and correlations, with the words that go with them."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, pstdev

from msgspec import Struct

LEAST_TURNS = 10
"""Turns below which no correlation is stated."""
LEAST_CASES = 20
"""Cases below which a share is given as a count."""


class Spread(Struct, frozen=True):
    """Mean, standard deviation (of the whole population) and commonest value of some numbers."""

    mean: float
    deviation: float
    commonest: float
    share: float
    """Of the commonest value."""
    of: int


def spread(values: Sequence[float]) -> Spread:
    """Of one value or more."""
    commonest = max(sorted(set(values)), key=values.count)
    return Spread(
        mean=round(fmean(values), 4),
        deviation=round(pstdev(values), 4),
        commonest=commonest,
        share=share(values.count(commonest), len(values)),
        of=len(values),
    )


def share(part: int, whole: int) -> float:
    """Part ÷ whole, to four decimals; of nothing it is 0."""
    return round(part / whole, 4) if whole else 0.0


def correlation(one: Sequence[float], two: Sequence[float]) -> float | None:
    """Pearson's r of two sequences in step, to two decimals; None under ten pairs or where one never varies."""
    if len(one) < LEAST_TURNS:
        return None
    left, right = fmean(one), fmean(two)
    spread_one = sqrt(sum((each - left) ** 2 for each in one))
    spread_two = sqrt(sum((each - right) ** 2 for each in two))
    if not spread_one or not spread_two:
        return None
    return round(sum((a - left) * (b - right) for a, b in zip(one, two, strict=True)) / (spread_one * spread_two), 2)


def percent(part: float) -> str:
    """A share as people write it: 7 %, with a space that holds the line together."""
    return f"{part * 100:.0f}\u00a0%"


def rate(part: int, whole: int) -> str:
    """A share of enough cases as 25 %, of few as 3 of 12: a percentage would claim more than they say."""
    return percent(share(part, whole)) if whole >= LEAST_CASES else f"{part} of {whole}"


def out_of(part: int, whole: int, things: str) -> str:
    """``6 of 24 comparisons (25 %)``; of few cases without the percentage."""
    said = f"{part:,} of {whole:,} {things}"
    return f"{said} ({percent(share(part, whole))})" if whole >= LEAST_CASES else said


def counts_text(counts: dict[str, int]) -> str:
    """``logic 2, tactics 1``."""
    return ", ".join(f"{which.replace('_', ' ')} {count:,}" for which, count in counts.items())


def plural(count: int, thing: str, things: str = "") -> str:
    """``1 turn``, ``2 turns``."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"

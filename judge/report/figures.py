"""Shares, means and correlations, and their form as text."""

import statistics
from collections.abc import Sequence
from statistics import fmean, pstdev

from msgspec import Struct

from events.text.figures import rounded

MIN_TURNS = 10
"""The smallest number of turns for a correlation."""
MIN_CASES = 20
"""The smallest number of cases for a percentage; fewer are shown as a count."""


class Spread(Struct, frozen=True):
    """Mean, standard deviation (of the whole population) and commonest value of some numbers."""

    mean: float
    deviation: float
    commonest: float
    share: float
    """Share of the commonest value."""
    of: int


def spread(values: Sequence[float]) -> Spread:
    """Return the spread of at least one value."""
    commonest = max(sorted(set(values)), key=values.count)
    return Spread(
        mean=round(fmean(values), 4),
        deviation=round(pstdev(values), 4),
        commonest=commonest,
        share=share(values.count(commonest), len(values)),
        of=len(values),
    )


def share(part: int, whole: int) -> float:
    """Return part ÷ whole, to four decimals; 0 if the whole is 0."""
    return round(part / whole, 4) if whole else 0.0


def correlation(one: Sequence[float], two: Sequence[float]) -> float | None:
    """Return Pearson's r of paired values, to two decimals; None for fewer than ten pairs or a constant sequence."""
    if len(one) < MIN_TURNS:
        return None
    try:
        return round(statistics.correlation(one, two), 2)
    except statistics.StatisticsError:  # nothing varies
        return None


def percent(part: float) -> str:
    """Format a share as a percentage with a no-break space: 7 %."""
    return f"{rounded(100 * part, 0)}\u00a0%"


def rate(part: int, whole: int) -> str:
    """Format a share as 25 %, or as 3 of 12 if there are too few cases for a percentage."""
    return percent(share(part, whole)) if whole >= MIN_CASES else f"{part} of {whole}"


def out_of(part: int, whole: int, things: str) -> str:
    """Format ``6 of 24 comparisons (25 %)``; without the percentage if there are too few cases."""
    text = f"{part:,} of {whole:,} {things}"
    return f"{text} ({percent(share(part, whole))})" if whole >= MIN_CASES else text


def counts_text(counts: dict[str, int]) -> str:
    """Format counts by name: ``logic 2, tactics 1``."""
    return ", ".join(f"{which.replace('_', ' ')} {count:,}" for which, count in counts.items())


def plural(count: int, thing: str) -> str:
    """Format a number of things: ``1 turn``, ``2 turns``."""
    return f"{count:,} {thing if count == 1 else thing + 's'}"

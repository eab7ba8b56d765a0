"""Two judges on the same trials: which has the smaller bias or agrees better, and whether that could be chance."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from events.types.lab import SIGNIFICANT, Battery
from judge.lab.effects import measured_of
from judge.lab.statistics import ClusterEstimate, false_discovery, mean, unseen
from judge.lab.trials import Reading, Trial
from judge.lab.verdicts import MeasuredFigure

SQUARED: Final = "points²"


class PairedDifference(Struct, frozen=True, kw_only=True):
    """One figure of two judges on the items that both have answered."""

    battery: Battery
    name: str
    unit: str
    one: float
    other: float
    advantage: float
    """How much better the first judge is: less biased, more often right, more like itself.  For the deviation of the
    retest in squared points, because its items have variances."""
    low: float
    high: float
    n: int
    clusters: int
    p: float
    q: float = 1.0
    """The p value adjusted over all figures of the comparison: Benjamini–Hochberg."""
    better: Literal["one", "other", ""] = ""
    """Empty if the difference could be chance."""
    note: str = ""


def compare(trials: Iterable[Trial], one: Iterable[Reading], other: Iterable[Reading]) -> tuple[PairedDifference, ...]:
    """Compare two judges figure by figure.  Trials that one of them was not asked count for neither.

    A bias is compared by its distance from the null, with the side of the null on which each judge is.  In battery
    ``family`` the trials are the first judge's: its advantage is how much less than the second one it chooses its own
    family on the same pairs, so quality and taste that both see cancel out.
    """
    asked = tuple(trials)
    figures = {(each.battery, each.name): each for each in measured_of(asked, other)}
    found = []
    for figure in measured_of(asked, one):
        second = figures.get((figure.battery, figure.name))
        if second is not None and (made := _difference(figure, second)) is not None:
            found.append(made)
    q = false_discovery([each.p for each in found])
    return tuple(replace(each, q=value, better=_better(each, value)) for each, value in zip(found, q, strict=True))


def _difference(one: MeasuredFigure, other: MeasuredFigure) -> PairedDifference | None:
    common = sorted(set(one.items) & set(other.items))
    if not common or one.found is None or other.found is None:
        return None
    first, second = (dict(zip(each.items, each.values, strict=True)) for each in (one, other))
    clusters = dict(zip(one.items, one.clusters, strict=True))
    of_cluster = [clusters[item] for item in common]
    gains = [(_merit(one, one.found) * first[item]) - (_merit(other, other.found) * second[item]) for item in common]
    found = mean(gains, of_cluster)
    if found is None:
        return None
    if found.error == 0 and one.unit == "share":
        found = _widened(found)
    # distances from the null: what the null itself adds on each side of it is taken out again
    offset = (_merit(one, one.found) - _merit(other, other.found)) * one.null if one.better == "nearer" else 0.0
    is_variance = (one.battery, one.name) == ("retest", "sd")
    return PairedDifference(
        battery=one.battery,
        name=one.name,
        unit=SQUARED if is_variance else one.unit,
        one=one.found.value,
        other=other.found.value,
        advantage=found.value - offset,
        low=found.low - offset,
        high=found.high - offset,
        n=found.n,
        clusters=found.clusters,
        p=found.p(offset),
        note=one.note,
    )


def _widened(found: ClusterEstimate) -> ClusterEstimate:
    """An interval for judges that differ by the same on every item: one item may differ by a whole verdict more.

    It ends where an item that nobody has seen has a chance of 2.5 %.
    """
    more = unseen(found.n)
    low, high = max(found.value - more, min(-1.0, found.value)), min(found.value + more, max(1.0, found.value))
    return found._replace(low=low, high=high)


def _merit(figure: MeasuredFigure, found: ClusterEstimate) -> float:
    """The sign with which a value counts: more of it is better, or worse."""
    match figure.better:
        case "higher":
            return 1.0
        case "lower":
            return -1.0
        case "nearer":
            return -1.0 if found.value >= figure.null else 1.0


def _better(made: PairedDifference, q: float) -> Literal["one", "other", ""]:
    if q >= SIGNIFICANT:
        return ""
    return "one" if made.advantage > 0 else "other"


def in_words(found: Sequence[PairedDifference]) -> str:
    """Say how many figures differ beyond chance."""
    better = [sum(each.better == judge for each in found) for judge in ("one", "other")]
    return (
        f"Of {len(found)} figures the first judge is better in {better[0]} and the second one in {better[1]}; "
        f"the other {len(found) - sum(better)} could differ by chance."
    )

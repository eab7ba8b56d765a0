"""Whether a study can find anything, from a few items, before it is paid for.

After Elasky (2026): debate helps where the model that argues classifies better than the judge alone, and the judge
verifies, which here means that a critique moves it further if it argues for the right answer.  The power is simulated:
docs/study.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log
from typing import Final

import numpy as np

from events.state.certainty import quantile
from judge.lab.statistics import MIN_VALUES
from judge.study.calibration import figure_of
from judge.study.items import Answered
from judge.study.results import ALPHA, Finding, StudyAudit, StudyFigure
from judge.study.simulation import SEED, AnswerSpread, cells_of, mean_for, truth_of
from judge.study.study import accuracy, difference

CLIPPED: Final = 0.02
"""A stated probability below it, or above one minus it, counts as it: log-odds of 0 and 1 are infinite."""
POWER: Final = 0.8
SIMULATED: Final = 400
"""Studies for each size of a difference that is tried."""
DIFFERENCES: Final = tuple(points / 100 for points in range(4, 46))
MAX_ACCURACY: Final = 0.98
"""An accuracy of 1 has no finite signal."""
AGREEMENTS: Final = 20
"""Spreads that are tried to meet how often the answers of an item agree."""
CORRELATED: Final = (0.5, 0.6, 0.4)
"""The parts of the passage, the item, and the item in an arm in what makes answers alike, as in the simulation."""


def audit_of(rows: Iterable[Answered], items: int, clusters: int, *, comparisons: int = 4) -> StudyAudit:
    """The audit of a study of so many items and clusters.

    ``rows`` are answers alone, critiques that the critic chose, and critiques for an assigned answer.
    """
    found = tuple(rows)
    of = {row.item: row.cluster for row in found}
    alone = _by_item(row for row in found if row.stage == "alone" and row.by == "judge" and not row.assigned)
    alone |= _by_item(row for row in found if row.arm == "naive")
    critic = _by_item(row for row in found if row.by == "critic" and not row.assigned)
    gap = difference(critic, alone, of)[0]
    right, wrong = _moves(found, "right"), _moves(found, "wrong")
    by = [(right[item] - wrong[item], of[item]) for item in right if item in wrong]
    verifies = figure_of([each for each, _ in by], [name for _, name in by], None) if by else None
    base = accuracy(alone, of)
    return StudyAudit(
        items=len(of),
        alone=base,
        critic=accuracy(critic, of),
        gap=gap,
        classifies=_finding(gap),
        moves_right=_moved(right, of),
        moves_wrong=_moved(wrong, of),
        verifies_by=verifies,
        verifies=_finding(verifies),
        detectable=None
        if base is None
        else detectable(base.value, spread_of(found, base.value), items, clusters, comparisons=comparisons),
        detectable_of=(items, clusters),
        missing=sum(row.score is None for row in found),
    )


def _by_item(rows: Iterable[Answered]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            found[row.item].append(row.score)
    return {item: sum(each) / len(each) for item, each in found.items()}


def _moves(rows: Sequence[Answered], assigned: str) -> dict[str, float]:
    """By item the mean move towards the assigned answer, in log-odds."""
    before = {row.debate: row.p_right for row in rows if row.stage == "alone" and row.by == "judge"}
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        earlier = before.get(row.debate)
        if row.stage == "final" and row.by == "judge" and row.assigned == assigned:
            if row.p_right is None or earlier is None:
                continue
            move = _log_odds(row.p_right) - _log_odds(earlier)
            found[row.item].append(move if assigned == "right" else -move)
    return {item: sum(each) / len(each) for item, each in found.items()}


def _log_odds(p: float) -> float:
    kept = min(max(p, CLIPPED), 1 - CLIPPED)
    return log(kept / (1 - kept))


def _moved(moves: dict[str, float], of: dict[str, str]) -> StudyFigure | None:
    return figure_of(list(moves.values()), [of[item] for item in moves], None) if moves else None


def _finding(figure: StudyFigure | None) -> Finding:
    if figure is None or figure.low is None or figure.high is None or figure.low < 0 < figure.high:
        return "open"
    return "yes" if figure.low >= 0 and figure.value > 0 else "no" if figure.value < 0 else "open"


def spread_of(rows: Iterable[Answered], base: float) -> AnswerSpread:
    """What makes answers alike, so large that both orders of an item agree as often as they did in these rows."""
    orders: dict[str, dict[bool, float]] = defaultdict(dict)
    for row in rows:
        if row.arm == "naive" and row.score is not None:
            orders[row.item][row.swapped] = row.score
    both = [(each[False], each[True]) for each in orders.values() if len(each) > 1]
    if not both:
        return AnswerSpread()
    agreed = sum(one == other for one, other in both) / len(both)
    sizes = [step * 0.15 for step in range(AGREEMENTS)]
    return min((_scaled(size) for size in sizes), key=lambda each: abs(_agreement(each, base) - agreed))


def _scaled(size: float) -> AnswerSpread:
    whole = sum(part**2 for part in CORRELATED) ** 0.5
    passage, item, arm = (part / whole * size for part in CORRELATED)
    return AnswerSpread(passage=passage, item=item, arm=arm, position=0.0, persuasion=0.0)


def _agreement(spread: AnswerSpread, base: float) -> float:
    """How often two answers to an item agree."""
    mean = mean_for(min(max(base, 1 - MAX_ACCURACY), MAX_ACCURACY), "naive", spread)
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    narrow = AnswerSpread(passage=0.0, item=0.0, arm=0.0, position=0.0, persuasion=0.0)
    chances = [truth_of(mean + node * spread.whole, "naive", narrow) for node in nodes.tolist()]
    both = [chance**2 + (1 - chance) ** 2 for chance in chances]
    return float(np.dot(both, weights / weights.sum()))


def detectable(
    base: float, spread: AnswerSpread, items: int, clusters: int, *, comparisons: int = 4, studies: int = SIMULATED
) -> float | None:
    """The smallest difference from an accuracy that a study shows with a probability of 80 %.

    A difference counts as shown at 5 % divided by the number of comparisons, as the smallest p value of Holm's method.
    ``None`` if no difference up to an accuracy of 98 % is shown so often.
    """
    low = min(max(base, 1 - MAX_ACCURACY), MAX_ACCURACY)
    size = (clusters, max(1, round(items / max(clusters, 1))))
    if clusters < MIN_VALUES:
        return None
    first, last = 0, len(DIFFERENCES)
    while first < last:  # the larger a difference, the more often it is shown
        middle = (first + last) // 2
        high = low + DIFFERENCES[middle]
        if high > MAX_ACCURACY or _shown(size, (low, high), spread, studies, ALPHA / comparisons) >= POWER:
            last = middle
        else:
            first = middle + 1
    return DIFFERENCES[first] if first < len(DIFFERENCES) and low + DIFFERENCES[first] <= MAX_ACCURACY else None


def _shown(
    size: tuple[int, int], accuracies: tuple[float, float], spread: AnswerSpread, studies: int, alpha: float
) -> float:
    """The share of simulated studies in which the second accuracy is above the first one beyond chance.

    The world and the test are those of ``simulation`` and ``study``, as arrays (studies × clusters × items).
    """
    clusters, each = size
    rng = np.random.default_rng(SEED)
    items = (studies, clusters, each)
    alike = rng.normal(0, spread.passage, (studies, clusters, 1)) + rng.normal(0, spread.item, items)
    right = []
    for accuracy_ in accuracies:
        mean = alike + rng.normal(0, spread.arm, items) + mean_for(accuracy_, "debate", spread)
        both = [rng.normal(mean + moved) > 0 for _, _, moved in cells_of("debate", spread)]
        right.append(np.sum(both, axis=0) / 2)
    gains = right[1] - right[0]
    middle = gains.mean(axis=(1, 2))
    sums = (gains - middle[:, None, None]).sum(axis=2)
    error = np.sqrt((sums**2).sum(axis=1) * clusters / (clusters - 1)) / (clusters * each)
    limit = quantile(1 - alpha / 2, clusters - 1)
    return float((middle * np.sqrt(1 - np.minimum(middle**2, 1)) > limit * error).mean())

"""The figures of a study from its rows: accuracies, gains on the same items, positions, calibration, what it took.

An item has the mean of its answers over orders, assignments, debaters and judges, each counting alike; it counts in an
arm if every planned answer is there.  Intervals are Wilson's for the effective sample of the clusters
(``judge.lab.statistics.share``): docs/study.md compares their coverage.

Sources: Miller (2024), paired differences with clustered errors; Holm (1979); Schuirmann (1987), two one-sided tests.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from events.state.certainty import student
from events.types.study import ARMS, Arm
from judge.lab.statistics import ClusterEstimate, share
from judge.study.calibration import calibrated
from judge.study.items import UNDECIDED, Answered
from judge.study.results import (
    ALPHA,
    MARGIN,
    ArmFigures,
    ArmGain,
    StudyFigure,
    StudyPair,
    StudyResult,
    Verdict,
    VoteTokens,
)

TESTED: Final[Arm] = "debate"
"""The arm whose gains are shown."""


class Scored(NamedTuple):
    """One answer, or a vote of several, as it counts."""

    item: str
    cluster: str
    cell: tuple[str, str, bool, str]
    """Debater, judge, whether the order is exchanged, and the assignment: every planned cell must have an answer."""
    right_letter: str
    score: float | None
    p_right: float | None


def study_of(rows: Iterable[Answered], margin: float = MARGIN) -> StudyResult:
    """The figures of all rows; missing answers are rows too."""
    found = tuple(rows)
    debaters = sorted({row.debater for row in found if row.debater})
    judges = sorted({row.judge for row in found})
    pairs = [(debater, judge) for debater in debaters or [""] for judge in judges]
    parts = [_of_pair(found, debater, judge) for debater, judge in pairs]
    whole = _pair(parts, margin, "", "")
    return StudyResult(
        whole=whole,
        pairs=_holm_over([_pair([part], margin, *names) for part, names in zip(parts, pairs, strict=True)])
        if len(pairs) > 1
        else (),
        margin=margin,
        items=len({row.item for row in found}),
        clusters=len({row.cluster for row in found}),
    )


class _Part(NamedTuple):
    """The rows of one debater with one judge."""

    rows: tuple[Answered, ...]
    votes: tuple[Scored, ...]
    vote: VoteTokens | None


def _of_pair(rows: Sequence[Answered], debater: str, judge: str) -> _Part:
    own = tuple(row for row in rows if row.judge == judge and row.debater in {"", debater})
    votes, tokens = votes_of(own, debater)
    return _Part(own, votes, tokens)


def _final(row: Answered) -> bool:
    return row.stage == "final" and row.by == "judge"


def _is_of_audit(row: Answered) -> bool:
    """Whether a critique was written for an assigned answer: that measures the judge, and is no way to ask it."""
    return row.arm == "critique" and row.assigned != ""


def _scored(row: Answered) -> Scored:
    cell = (row.debater, row.judge, row.swapped, row.assigned)
    return Scored(row.item, row.cluster, cell, row.right_letter, row.score, row.p_right)


def scored_in(part: _Part, arm: Arm) -> Sequence[Scored]:
    """What counts in an arm."""
    if arm == "vote":
        return part.votes
    return [_scored(row) for row in part.rows if row.arm == arm and _final(row) and not _is_of_audit(row)]


def values_of(scored: Iterable[Scored]) -> tuple[dict[str, float], int]:
    """By item the mean over its cells, and the number of items that a missing answer leaves out."""
    cells: dict[str, dict[tuple[str, str, bool, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in scored:
        got = cells[each.item][each.cell]
        if each.score is not None:
            got.append(each.score)
    whole = {
        item: sum(sum(got) / len(got) for got in of.values()) / len(of)
        for item, of in cells.items()
        if all(of.values())
    }
    return whole, len(cells) - len(whole)


def votes_of(rows: Sequence[Answered], debater: str = "") -> tuple[tuple[Scored, ...], VoteTokens | None]:
    """The majorities of as many samples as take no more tokens than the item's debates; a tie counts half.

    The first sample always counts.  Without debates all samples count.
    """
    debates: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row.arm == TESTED and _final(row) and row.score is not None:
            debates[row.item][row.debate] = row.tokens
    by_vote: dict[tuple[str, bool, int], list[Answered]] = defaultdict(list)
    for row in rows:
        if row.arm == "vote":
            by_vote[row.item, row.swapped, row.repeat].append(row)
    made, counts = list[Scored](), Counter[str]()
    for (item, _, _), given in by_vote.items():
        samples = sorted(given, key=lambda row: row.sample)
        taken = debates[item]
        limit = sum(taken.values()) / len(taken) if taken else None
        kept, used = _within(samples, limit)
        answers = [row for row in kept if row.score is not None]
        counts["samples"] += len(kept)
        counts["unused"] += len(samples) - len(kept)
        if limit is not None:
            counts["tokens"] += used
            counts["debate_tokens"] += round(limit)
            counts["short"] += len(kept) == len(samples) and used + _mean_tokens(samples) <= limit
            counts["over"] += used > limit
        mean = sum(row.score or 0.0 for row in answers) / len(answers) if answers else None
        score = None if mean is None else UNDECIDED if mean == UNDECIDED else float(mean > UNDECIDED)
        said = [row.p_right for row in answers if row.p_right is not None]
        stated = sum(said) / len(said) if said else None
        one = samples[0]
        cell = (debater, one.judge, one.swapped, "")
        made.append(Scored(item, one.cluster, cell, one.right_letter, score, stated))
    tokens = VoteTokens(votes=len(by_vote), **{name: counts[name] for name in COUNTED}) if by_vote else None
    return tuple(made), tokens


COUNTED: Final = ("samples", "unused", "tokens", "debate_tokens", "short", "over")


def _within(samples: Sequence[Answered], limit: float | None) -> tuple[Sequence[Answered], int]:
    used, number = 0, 0
    for row in samples:
        if number and limit is not None and used + row.tokens > limit:
            break
        used, number = used + row.tokens, number + 1
    return samples[:number], used


def _mean_tokens(samples: Sequence[Answered]) -> float:
    return sum(row.tokens for row in samples) / len(samples)


def _pair(parts: Sequence[_Part], margin: float, debater: str, judge: str) -> StudyPair:
    rows = [row for part in parts for row in part.rows]
    clusters = {row.item: row.cluster for row in rows}
    planned = {row.arm for row in rows}
    scored = {arm: [each for part in parts for each in scored_in(part, arm)] for arm in ARMS if arm in planned}
    values = {arm: values_of(each) for arm, each in scored.items()}
    by_item = {arm: found for arm, (found, _) in values.items()}
    critiques = [row for row in rows if row.arm == "critique" and not _is_of_audit(row)]
    before = values_of(_scored(row) for row in critiques if row.stage == "alone")[0]
    critic = values_of(_scored(row) for row in critiques if row.by == "critic")[0]
    alone = by_item.get("naive", {}) or before
    gains = [
        gain(TESTED, arm, by_item[TESTED], by_item[arm], clusters, margin)
        for arm in scored
        if arm != TESTED and TESTED in scored
    ]
    votes = [part.vote for part in parts if part.vote is not None]
    return StudyPair(
        debater=debater,
        judge=judge,
        arms=tuple(_arm(arm, scored[arm], values[arm], rows) for arm in scored),
        gains=corrected(gains),
        vote=VoteTokens(votes=sum(v.votes for v in votes), **{n: sum(getattr(v, n) for v in votes) for n in COUNTED})
        if votes
        else None,
        critique_moves=difference(by_item.get("critique", {}), before, clusters)[0],
        critic=accuracy(critic, clusters),
        gap=difference(critic, alone, clusters)[0],
    )


def _arm(
    arm: Arm, scored: Sequence[Scored], values: tuple[Mapping[str, float], int], rows: Sequence[Answered]
) -> ArmFigures:
    clusters = {each.item: each.cluster for each in scored}
    counted = [row for row in rows if row.arm == arm and _final(row) and not _is_of_audit(row)]
    own = {(row.debate, row.sample): row for row in counted}.values()
    why = Counter(row.missing for row in own if row.score is None)
    known = [each for each in scored if each.p_right is not None]
    debates = {row.debate for row in own if row.debate}
    stated = [each.p_right or 0.0 if each.right_letter == "A" else 1 - (each.p_right or 0.0) for each in known]
    return ArmFigures(
        arm=arm,
        accuracy=accuracy(values[0], clusters),
        position=_position(scored, clusters),
        calibration=calibrated(
            stated, [float(each.right_letter == "A") for each in known], [each.cluster for each in known]
        ),
        answers=sum(row.score is not None for row in own),
        missing=why.total(),
        why_missing=dict(why),
        left_out=values[1],
        debates=len(debates),
        tokens=sum(row.tokens for row in own),
        cost_usd=sum(row.cost_usd for row in own),
        unpriced=len({row.debate for row in own if row.unpriced}),
    )


def _position(scored: Sequence[Scored], clusters: Mapping[str, str]) -> StudyFigure | None:
    by_letter = [values_of(each for each in scored if each.right_letter == letter)[0] for letter in ("A", "B")]
    return difference(by_letter[0], by_letter[1], clusters)[0]


def accuracy(values: Mapping[str, float], clusters: Mapping[str, str]) -> StudyFigure | None:
    """The mean of the items' values from 0 to 1; None without any."""
    return _figure(list(values.values()), [clusters[item] for item in values], 0.0)[0]


def difference(
    one: Mapping[str, float], other: Mapping[str, float], clusters: Mapping[str, str]
) -> tuple[StudyFigure | None, float | None]:
    """The mean difference over the items that both have, and its p value; None without any."""
    common = [item for item in one if item in other]
    return _figure([one[item] - other[item] for item in common], [clusters[item] for item in common], -1.0)


def _figure(values: list[float], clusters: list[str], least: float) -> tuple[StudyFigure | None, float | None]:
    if not values:
        return None, None
    found = share(values, clusters, least)
    if found is None:
        return StudyFigure(sum(values) / len(values), None, None, None, None, len(values), 1), None
    figure = StudyFigure(found.value, found.low, found.high, found.low_90, found.high_90, found.n, found.clusters)
    return figure, p_of(found)


def p_of(found: ClusterEstimate) -> float:
    """The two-sided p value that a difference of shares is 0: below 5 % where the interval of ``share`` leaves 0 out.

    Wilson's interval inverts the test whose error is that of the null hypothesis, so |d|/error is multiplied by
    √(1 − d²).  Without variation: twice the chance that no item shows what would bring the mean to 0.
    """
    value = abs(found.value)
    if value == 0:
        return 1.0
    if found.error == 0:
        return min(1.0, 2 * (1 - value / (1 + value)) ** found.n)
    return min(1.0, 2 * student(-value / found.error * sqrt(max(0.0, 1 - value**2)), found.df))


def gain(
    of: Arm,
    over: Arm,
    one: Mapping[str, float],
    other: Mapping[str, float],
    clusters: Mapping[str, str],
    margin: float = MARGIN,
) -> ArmGain:
    """The gain of one arm over another, as a single comparison."""
    found, p = difference(one, other, clusters)
    inside = found is not None and found.low_90 is not None and found.high_90 is not None
    return ArmGain(
        of=of,
        over=over,
        difference=found,
        p=p,
        holm=p,
        family=1,
        verdict=_verdict(found, p, p),
        is_equivalent=bool(inside and found and -margin < (found.low_90 or 0.0) and (found.high_90 or 0.0) < margin),
    )


def corrected(gains: Sequence[ArmGain]) -> tuple[ArmGain, ...]:
    """The same comparisons as one family."""
    known = [each.p for each in gains if each.p is not None]
    by_holm = iter(holm(known))
    made = []
    for each in gains:
        adjusted = None if each.p is None else next(by_holm)
        made.append(
            replace(each, holm=adjusted, family=len(known), verdict=_verdict(each.difference, each.p, adjusted))
        )
    return tuple(made)


def holm(p: Sequence[float]) -> list[float]:
    """The p values as those of one family (Holm 1979)."""
    order = sorted(range(len(p)), key=p.__getitem__)
    made, largest = [0.0] * len(p), 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - place) * p[index]))
        made[index] = largest
    return made


def _verdict(found: StudyFigure | None, p: float | None, adjusted: float | None) -> Verdict:
    if found is None or p is None or adjusted is None:
        return "unknown"
    side: Literal["better", "worse"] = "better" if found.value > 0 else "worse"
    return side if adjusted < ALPHA else "uncorrected" if p < ALPHA else "open"


def _holm_over(pairs: Sequence[StudyPair]) -> tuple[StudyPair, ...]:
    """The comparisons of all pairs as one family."""
    all_gains = iter(corrected([each for pair in pairs for each in pair.gains]))
    return tuple(replace(pair, gains=tuple(next(all_gains) for _ in pair.gains)) for pair in pairs)

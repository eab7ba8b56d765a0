"""The answers of one battery by item, and the retest: how much a judge differs from itself."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct

from judge.lab.statistics import ClusterEstimate, within_sd
from judge.lab.trials import Asks, Reading, Trial

Value = float | str
Read = Callable[[Trial, Reading], float | None]


class MeasuredColumn(Struct, frozen=True):
    """One value for each item, with the item's cluster; ``failed`` trials have no answer."""

    values: Mapping[str, float]
    clusters: Mapping[str, str]
    failed: int = 0

    def minus(self, other: "MeasuredColumn") -> "MeasuredColumn":
        """The differences of the items that both have."""
        values = {item: value - other.values[item] for item, value in self.values.items() if item in other.values}
        return MeasuredColumn(values, {**self.clusters, **other.clusters}, self.failed + other.failed)

    def joined(self, other: "MeasuredColumn") -> "MeasuredColumn":
        """The values of both; their items differ."""
        return MeasuredColumn(
            {**self.values, **other.values}, {**self.clusters, **other.clusters}, self.failed + other.failed
        )

    def halved_sum(self, other: "MeasuredColumn") -> "MeasuredColumn":
        """The means of the items that both have."""
        values = {item: (value + other.values[item]) / 2 for item, value in self.values.items() if item in other.values}
        return MeasuredColumn(values, {**self.clusters, **other.clusters}, self.failed + other.failed)


class BatteryAnswers:
    """The trials of one battery with their readings."""

    def __init__(self, trials: Sequence[Trial], readings: Mapping[str, Reading]) -> None:
        self.trials = trials
        self._readings = readings

    def reading(self, trial: Trial) -> Reading | None:
        """The answer; None if it failed."""
        found = self._readings.get(trial.id)
        return None if found is None or found.failed else found

    def groups(self, read: Callable[[Trial, Reading], Value | None], asks: Asks, variant: str = "") -> "Groups":
        """All values of each item, of one variant or of all."""
        values: dict[str, list[Value | None]] = defaultdict(list)
        clusters: dict[str, str] = {}
        for trial in self.trials:
            if trial.asks == asks and (not variant or variant == trial.variant):
                reading = self._readings.get(trial.id)
                values[trial.item].append(None if reading is None or reading.failed else read(trial, reading))
                clusters[trial.item] = trial.cluster
        return Groups(values, clusters)

    def column(self, read: Read, asks: Asks, variant: str = "") -> MeasuredColumn:
        """The mean of each item's values; an item counts where all its answers are there."""
        groups = self.groups(read, asks, variant)
        whole = {item: [each for each in of if isinstance(each, float | int)] for item, of in groups.values.items()}
        values = {
            item: sum(known) / len(known)
            for item, known in whole.items()
            if known and len(known) == len(groups.values[item])
        }
        return MeasuredColumn(values, groups.clusters, groups.failed)

    def kinds(self) -> list[str]:
        """The kinds of the trials, in their order."""
        return list(dict.fromkeys(each.kind for each in self.trials if each.kind))

    def where(self, wanted: Callable[[Trial], bool]) -> "BatteryAnswers":
        """The trials that a condition holds for."""
        return BatteryAnswers([each for each in self.trials if wanted(each)], self._readings)

    def of_kind(self, kind: str) -> "BatteryAnswers":
        """The trials of one kind."""
        return self.where(lambda each: each.kind == kind)


class Groups(Struct, frozen=True):
    """All values of each item; None stands for an answer that is missing."""

    values: Mapping[str, list[Value | None]]
    clusters: Mapping[str, str]

    @property
    def failed(self) -> int:
        """The answers that are missing."""
        return sum(of.count(None) for of in self.values.values())

    def known(self) -> dict[str, list[Value]]:
        """The values that are there."""
        return {item: [each for each in of if each is not None] for item, of in self.values.items()}


class Retest(Struct, frozen=True, kw_only=True):
    """How much the judge differs from itself: the noise of one answer, to be shown with the other figures."""

    totals: Mapping[str, list[float]]
    parts: Mapping[str, list[Mapping[str, float]]]
    flips: MeasuredColumn
    """Share of an item's pairs of askings that chose differently."""
    clusters: Mapping[str, str]
    failed_scores: int

    @classmethod
    def of(cls, given: BatteryAnswers) -> "Retest":
        """Read the battery ``retest``, which may be empty."""
        totals = given.groups(lambda _, reading: reading.total, "score")
        parts: dict[str, list[Mapping[str, float]]] = defaultdict(list)
        for trial in given.trials:
            reading = given.reading(trial)
            if trial.asks == "score" and reading is not None and reading.parts:
                parts[trial.item].append(reading.parts)
        return cls(
            totals={item: [float(each) for each in of] for item, of in totals.known().items()},
            parts=parts,
            flips=disagreement(given.groups(lambda _, reading: reading.chose, "compare")),
            clusters=totals.clusters,
            failed_scores=totals.failed,
        )

    @property
    def sd(self) -> ClusterEstimate | None:
        """Standard deviation of the total within an item."""
        return self._sd(self.totals)

    def sd_without(self, components: set[str]) -> float | None:
        """Standard deviation within an item of the sum of all components but these."""
        sums = {
            item: [sum(points for name, points in each.items() if name not in components) for each in of]
            for item, of in self.parts.items()
        }
        found = self._sd(sums)
        return None if found is None else found.value

    @property
    def flip_rate(self) -> float | None:
        """Share of pairs of askings that chose differently."""
        values = list(self.flips.values.values())
        return float(np.mean(values)) if values else None

    @property
    def points(self) -> float | None:
        """The noise of one answer in points."""
        found = self.sd
        return None if found is None else found.value

    @property
    def half_flips(self) -> float | None:
        """Share of verdicts that asking again moves towards one side: the noise of a change and of a pick rate."""
        return None if self.flip_rate is None else self.flip_rate / 2

    def _sd(self, of: Mapping[str, Sequence[float]]) -> ClusterEstimate | None:
        return within_sd(list(of.values()), [self.clusters[item] for item in of]) if of else None


def disagreement(groups: Groups) -> MeasuredColumn:
    """For each item the share of its pairs of answers that differ."""
    values = {
        item: sum(one != two for one, two in pairs) / len(pairs)
        for item, of in groups.known().items()
        if (pairs := list(combinations(of, 2)))
    }
    return MeasuredColumn(values, groups.clusters, groups.failed)

"""Simulated studies of a known truth: how often intervals hold it, and how often a difference of 0 is claimed.

A judge answers by a normal signal.  Its mean is that of the arm, moved by the passage, by the item, by the item in this
arm, by the letter of the right answer, and by the answer that a consultant had to argue for; so the arms of an item,
and the items of a passage, are alike.  The accuracy of an arm is planted, and its mean solved for.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import comb, sqrt
from statistics import NormalDist
from typing import Final, Literal

import numpy as np
from msgspec import Struct

from events.types.study import ARMS, Arm
from judge.study.items import Answered
from judge.study.results import CoverageRow, StudyFigure
from judge.study.study import study_of

NORMAL: Final = NormalDist()
PASSAGE_SD: Final = 0.5
ITEM_SD: Final = 0.6
ARM_SD: Final = 0.4
POSITION: Final = 0.3
"""What the letter A gains, in units of the judge's noise."""
PERSUASION: Final = 0.5
"""What a consultant adds for its answer."""
SAMPLES: Final = 6
VOTES: Final = 5
"""Samples that a vote counts: those that take as many tokens as a debate."""
SAMPLE_TOKENS: Final = 100
DEBATE_TOKENS: Final = 550
STEPS: Final = 60
NODES: Final = 41
SIZES: Final = ((12, 2), (24, 1), (30, 2), (47, 1), (100, 2))
"""Clusters × items in each: the studies of the demo, and larger ones."""
STUDIES: Final = 200
SEED: Final = 20_261_128
WORLDS: Final[Mapping[str, Mapping[Arm, float]]] = {
    "all arms 60 %": dict.fromkeys(ARMS, 0.6),
    "alone 50 %, debate 75 %": {"naive": 0.5, "consultancy": 0.55, "debate": 0.75, "critique": 0.65, "vote": 0.52},
    "alone 75 %, debate 90 %": {"naive": 0.75, "consultancy": 0.75, "debate": 0.9, "critique": 0.85, "vote": 0.77},
}
"""The accuracies that are planted, as shares."""


class Spread(Struct, frozen=True, gc=False):
    """What makes the answers of a study alike, in units of the judge's noise."""

    passage: float = PASSAGE_SD
    item: float = ITEM_SD
    arm: float = ARM_SD
    position: float = POSITION
    persuasion: float = PERSUASION

    @property
    def whole(self) -> float:
        """The standard deviation of the means of the items."""
        return sqrt(self.passage**2 + self.item**2 + self.arm**2)


USUAL: Final = Spread()


def cells_of(arm: Arm, spread: Spread) -> list[tuple[bool, Literal["right", "wrong", ""], float]]:
    """The planned answers of an item: whether the order is exchanged, the assignment, and what both add."""
    assignments: tuple[Literal["right", "wrong", ""], ...] = ("right", "wrong") if arm == "consultancy" else ("",)
    moved = {"right": spread.persuasion, "wrong": -spread.persuasion, "": 0.0}
    return [
        (swapped, assigned, moved[assigned] + (-spread.position if swapped else spread.position))
        for swapped, assigned in product((False, True), assignments)
    ]


def truth_of(mean: float, arm: Arm, spread: Spread = USUAL) -> float:
    """The accuracy of an arm whose signal has this mean."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    total = 0.0
    cells = cells_of(arm, spread)
    for _, _, moved in cells:
        for node, weight in zip(nodes.tolist(), (weights / weights.sum()).tolist(), strict=True):
            chance = NORMAL.cdf(mean + moved + node * spread.whole)
            total += weight * (majority(chance) if arm == "vote" else chance)
    return total / len(cells)


def majority(chance: float, votes: int = VOTES) -> float:
    """The chance that most of an odd number of votes are right."""
    return sum(comb(votes, k) * chance**k * (1 - chance) ** (votes - k) for k in range(votes // 2 + 1, votes + 1))


@lru_cache(256)
def mean_for(accuracy: float, arm: Arm, spread: Spread = USUAL) -> float:
    """The mean of the signal with which an arm has this accuracy."""
    low, high = -8.0, 8.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if truth_of(middle, arm, spread) < accuracy else (low, middle)
    return (low + high) / 2


def simulated(
    rng: np.random.Generator,
    clusters: int,
    per_cluster: int,
    accuracies: Mapping[Arm, float],
    spread: Spread = USUAL,
) -> list[Answered]:
    """The rows of one study."""
    rows = list[Answered]()
    for cluster in range(clusters):
        passage = rng.normal(0, spread.passage)
        for number in range(per_cluster):
            base, item = passage + rng.normal(0, spread.item), f"c{cluster}.{number}"
            for arm, accuracy in accuracies.items():
                mean = base + rng.normal(0, spread.arm) + mean_for(accuracy, arm, spread)
                rows += _answers(rng, arm, mean, item, f"c{cluster}", spread)
    return rows


def _answers(
    rng: np.random.Generator, arm: Arm, mean: float, item: str, cluster: str, spread: Spread
) -> Iterator[Answered]:
    for swapped, assigned, moved in cells_of(arm, spread):
        for sample in range(1, (SAMPLES if arm == "vote" else 1) + 1):
            yield Answered(
                item=item,
                cluster=cluster,
                arm=arm,
                debater="" if arm in {"naive", "vote"} else "debater",
                judge="judge",
                swapped=swapped,
                right_letter="B" if swapped else "A",
                assigned=assigned,
                sample=sample,
                p_right=NORMAL.cdf(rng.normal(mean + moved)),
                tokens=SAMPLE_TOKENS if arm == "vote" else DEBATE_TOKENS,
                debate=f"{item}.{arm}.{assigned}.{swapped}",
            )


def holds(figure: StudyFigure | None, truth: float) -> bool:
    """Whether the interval of 95 % holds a value."""
    return (
        figure is not None and figure.low is not None and figure.high is not None and figure.low <= truth <= figure.high
    )


def coverage(clusters: int, per_cluster: int, world: str, studies: int = STUDIES, seed: int = SEED) -> CoverageRow:
    """Simulate studies of one size and truth, and count."""
    planted = WORLDS[world]
    rng = np.random.default_rng([seed, clusters, per_cluster, list(WORLDS).index(world)])
    held: dict[str, list[bool]] = {}
    claimed: dict[Arm, list[bool]] = {}
    any_claim, found = list[bool](), list[bool]()
    for _ in range(studies):
        result = study_of(simulated(rng, clusters, per_cluster, planted)).whole
        for each in result.arms:
            held.setdefault(f"accuracy {each.arm}", []).append(holds(each.accuracy, planted[each.arm]))
        nulls = []
        for gain in result.gains:
            true = planted[gain.of] - planted[gain.over]
            held.setdefault(f"difference {gain.over}", []).append(holds(gain.difference, true))
            if true == 0:
                nulls.append(gain.verdict in {"better", "worse"})
                claimed.setdefault(gain.over, []).append(nulls[-1])
            else:
                found.append(gain.verdict == ("better" if true > 0 else "worse"))
        any_claim.append(any(nulls))
    shares = {name: sum(each) / len(each) for name, each in held.items()}
    of = {
        kind: [value for name, value in shares.items() if name.startswith(kind)] for kind in ("accuracy", "difference")
    }
    return CoverageRow(
        clusters=clusters,
        per_cluster=per_cluster,
        world=world,
        studies=studies,
        accuracies=_mean(of["accuracy"]),
        worst_accuracy=min(of["accuracy"], key=_distance),
        differences=_mean(of["difference"]),
        worst_difference=min(of["difference"], key=_distance),
        null_claims=max(sum(each) / len(each) for each in claimed.values()) if claimed else None,
        any_null_claim=sum(any_claim) / len(any_claim) if claimed else None,
        found=sum(found) / len(found) if found else None,
    )


def _distance(value: float) -> float:
    return -abs(value - 0.95)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

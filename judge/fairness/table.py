"""The table: what the rules of a rubric make of debates whose outcome is known, each figure with its standard error.

"Performance" is the difference of the turns as they were held: a row "at 4" has debates in which it is 4 points.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import resources
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.types.rubric import Rubric
from judge.fairness.rules import SimulatedVerdicts, judged
from judge.fairness.world import Array, HeldDebates, World, hold, parts_of

TURNS: Final = (6, 10)
SEED: Final = 20_261_124
CHUNK: Final = 5_000
"""Debates that are held at a time, which bounds the memory."""
BINS: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
"""Bounds of the certainties that are compared with how often they are right."""
SHIPPED_TABLE: Final = "shipped.json"
MIN_CHANGE: Final = 0.015
"""Points from which on two leads differ that are rounded to a hundredth."""

PLAIN: Final = World()
NOISY: Final = World(noise=2 * PLAIN.noise)
DRIFTING: Final = World(drift=1)
HARD: Final = World(hard=0.13)
BOTH: Final = World(drift=1, hard=0.13)
WORDY: Final = World(wordy=2)
MISREAD: Final = World(misread=2)


class FairnessFigure(NamedTuple):
    """A measured value and its standard error; NaN where a rubric has no such figure."""

    value: float
    error: float


class FairnessRow(Struct, frozen=True, kw_only=True):
    """One row for all rubrics."""

    key: str
    says: str
    unit: Literal["%", "points"] = "%"
    aim: tuple[float, float] | None = None
    """For each number of turns; None for a row without an aim."""
    better: Literal["more", "less"] = "less"
    """Whether the aim bounds the figure from below, or its size from above."""
    figures: dict[str, tuple[FairnessFigure, ...]] = {}
    """By rubric, for each number of turns; without the rubrics that have no such figure."""

    def holds(self, figure: FairnessFigure, at: int) -> bool:
        """Whether a figure, at the number of turns with this index, reaches its aim; true without an aim."""
        if self.aim is None:
            return True
        return figure.value >= self.aim[at] if self.better == "more" else abs(figure.value) <= self.aim[at]


class Fairness(Struct, frozen=True, kw_only=True):
    """The table.  ``debates`` were held for each figure."""

    debates: int
    seed: int
    turns: tuple[int, ...]
    rubrics: tuple[str, ...]
    rows: tuple[FairnessRow, ...]


class Trials:
    """Debates under one rubric; the verdicts of a world are kept, since several rows read them."""

    def __init__(self, rubric: Rubric, turns: int, debates: int, seed: int) -> None:
        self.rubric, self.turns, self.debates, self.seed = rubric, turns, debates, seed
        self.parts = parts_of(rubric)
        self._known: dict[World, tuple[Array, SimulatedVerdicts]] = {}

    def held(self, world: World) -> list[HeldDebates]:
        """Debates of a world in chunks; the same ones each time."""
        chance = np.random.default_rng((self.seed, self.turns))
        sizes = [min(CHUNK, self.debates - begun) for begun in range(0, self.debates, CHUNK)]
        return [hold(replace(world, turns=self.turns), self.rubric, size, chance) for size in sizes]

    def of(self, world: World) -> tuple[Array, SimulatedVerdicts]:
        """The differences in performance, and the verdicts."""
        if world not in self._known:
            chunks = self.held(world)
            self._known[world] = np.concatenate([each.truth for each in chunks]), self.judged(chunks)
        return self._known[world]

    def judged(self, chunks: Sequence[HeldDebates]) -> SimulatedVerdicts:
        """The verdicts of all chunks."""
        every = [judged(each, self.rubric) for each in chunks]
        fields = SimulatedVerdicts.__struct_fields__
        return SimulatedVerdicts(**{name: np.concatenate([getattr(each, name) for each in every]) for name in fields})

    def ahead(self, held: HeldDebates, rubric: Rubric | None = None) -> Array:
        """(B,) leads of the opener."""
        return judged(held, rubric or self.rubric).lead


NOTHING: Final = FairnessFigure(float("nan"), float("nan"))
Measure = Callable[[Trials], FairnessFigure]


def share(hits: Array) -> FairnessFigure:
    """The share of debates, in per cent."""
    if not hits.size:
        return NOTHING
    part = float(hits.mean())
    return FairnessFigure(100 * part, 100 * float(np.sqrt(max(part * (1 - part), 1 / hits.size) / hits.size)))


def average(values: Array) -> FairnessFigure:
    """The mean, in points."""
    return FairnessFigure(float(values.mean()), float(values.std() / np.sqrt(values.size))) if values.size else NOTHING


def _sign(trials: Trials) -> FairnessFigure:
    truth, found = trials.of(PLAIN)
    return share(np.sign(truth) == np.sign(found.lead))


def _rms(trials: Trials) -> FairnessFigure:
    truth, found = trials.of(PLAIN)
    rms = float(np.sqrt(np.mean((found.lead - truth) ** 2)))
    return FairnessFigure(rms, rms / np.sqrt(2 * truth.size))


def _named(world: World, *sides: int) -> Measure:
    """How often one of these sides is named."""
    return lambda trials: share(np.isin(trials.of(world)[1].named, sides))


def _wrong(trials: Trials) -> FairnessFigure:
    truth, found = trials.of(PLAIN)
    return share((found.named == -np.sign(truth))[found.named != 0])


def _tie_break(trials: Trials) -> FairnessFigure:
    truth, found = trials.of(PLAIN)
    return share((found.named == np.sign(truth))[found.decided])


def _bias(world: World, sign: int = 1) -> Measure:
    """By how much the lead favours the opener (sign 1) or the replier (−1)."""
    return lambda trials: average(sign * (trials.of(world)[1].lead - trials.of(world)[0]))


def _calibration(world: World) -> Measure:
    """How often the leading side was ahead, less the stated certainty, in the one of five bins where it is most off."""

    def measure(trials: Trials) -> FairnessFigure:
        truth, found = trials.of(world)
        right, worst = np.sign(truth) == np.sign(found.lead), NOTHING
        for low, high in pairwise(BINS):
            chosen = (found.certainty >= low) & (found.certainty < high)
            if chosen.any():
                off = 100 * float(right[chosen].mean() - found.certainty[chosen].mean())
                worst = worst if abs(worst.value) >= abs(off) else FairnessFigure(off, share(right[chosen]).error)
        return worst

    return measure


def _random_turn(held: HeldDebates, chance: np.random.Generator) -> tuple[Array, Array]:
    return np.arange(len(held.truth)), chance.integers(held.words.shape[1], size=len(held.truth))


def _other_side(trials: Trials, *, answer: Literal["missing", "zero"]) -> FairnessFigure:
    """How often the other side is named once the answer to one turn is another one, of debates that name a side."""
    chance, changed = np.random.default_rng(trials.seed), []
    for held in trials.held(PLAIN):
        unscored, points, at = held.unscored.copy(), held.points.copy(), _random_turn(held, chance)
        unscored[at] |= answer == "missing"
        points[at] *= answer != "zero"
        changed.append(replace(held, unscored=unscored, points=points))
    before, after = trials.of(PLAIN)[1].named, trials.judged(changed).named
    return share((after == -before)[before != 0])


def _raised(trials: Trials, *, read_again: bool) -> FairnessFigure:
    """How often one point more for a component lowers the lead of its side."""
    rubric = trials.rubric if read_again else replace(trials.rubric, rescore_above=UNSET)
    chance, lowered = np.random.default_rng(trials.seed), []
    for held in trials.held(PLAIN):
        every, turn = _random_turn(held, chance)
        component = chance.choice(np.flatnonzero(trials.parts.composite), size=len(every))
        points, again = held.points.copy(), held.again.copy()
        points[every, turn, component] += 1
        again[:, every, turn, component] += 1
        can = points[every, turn, component] <= trials.parts.maxima[component]
        can &= trials.parts.apply(trials.turns)[turn, component]
        raised = trials.ahead(replace(held, points=points, again=again), rubric) - trials.ahead(held, rubric)
        lowered.append((raised * np.where(turn % 2 == 0, 1, -1) < -MIN_CHANGE)[can])
    return share(np.concatenate(lowered))


def _permuted(trials: Trials) -> FairnessFigure:
    """How often the lead changes if the turns that expose the flaws of a turn change places."""
    chance, changed = np.random.default_rng(trials.seed), []
    for held in trials.held(PLAIN):
        exposed = held.found < trials.turns - 1  # what only the last turn exposes, not every rubric asks for
        slots = np.arange(exposed.shape[-1])
        now, then = (
            np.argsort(np.where(exposed, each, trials.turns + slots), axis=-1)
            for each in (held.found, chance.random(exposed.shape))
        )
        found = held.found.copy()
        np.put_along_axis(found, then, np.take_along_axis(held.found, now, axis=-1), axis=-1)
        changed.append(np.abs(trials.ahead(replace(held, found=found)) - trials.ahead(held)) > MIN_CHANGE)
    return share(np.concatenate(changed))


def _scaled(trials: Trials) -> FairnessFigure:
    """By how much more one point moves the lead in turn 1 than in turn 3, where turn 1 lacks most of a dimension."""
    parts, moved = trials.parts, []
    shares = [
        (parts.maxima[members][applied].sum() / parts.maxima[members].sum(), members[int(np.argmax(applied))])
        for members in parts.of.values()
        if parts.composite[members[0]] and (applied := parts.apply(1)[0, members]).any()
    ]
    for held in trials.held(World(spread=0, noise=0)) if min(shares)[0] < 1 else ():
        leads = []
        for turn in (0, 2):
            points = held.points.copy()
            points[:, turn, min(shares)[1]] += 1
            leads.append(trials.ahead(replace(held, points=points)))
        moved.append(leads[0] - leads[1])
    return average(np.concatenate(moved)) if moved else NOTHING


def _drawn(trials: Trials) -> FairnessFigure:
    """The lead after one turn got 40 % more of the points than the others, and all comparisons were drawn."""
    (held, *_) = trials.held(World(flaws=0, false=0, claims=0))
    points = np.broadcast_to(np.rint(trials.parts.maxima * 0.5), held.points.shape).copy()
    points[:, 2] = np.rint(trials.parts.maxima * 0.9)
    drawn = replace(held, points=points, again=np.stack([points, points]), levels=np.zeros_like(held.levels))
    return FairnessFigure(float(trials.ahead(drawn)[0]), 0.0)


MEASURES: Final[tuple[tuple[FairnessRow, Measure], ...]] = (
    (FairnessRow(key="sign", says="the side that leads was ahead", aim=(84, 85), better="more"), _sign),
    (FairnessRow(key="rms", says="rms error of the lead", unit="points", aim=(2.6, 1.85)), _rms),
    (FairnessRow(key="named_4", says="at 4: rightly named", aim=(55, 75), better="more"), _named(World(ahead=4), 1)),
    (FairnessRow(key="wrong_4", says="at 4: wrongly named", aim=(1, 1)), _named(World(ahead=4), -1)),
    (FairnessRow(key="named_8", says="at 8: rightly named", aim=(95, 99), better="more"), _named(World(ahead=8), 1)),
    (FairnessRow(key="named_0", says="at 0: named at all", aim=(20, 20)), _named(World(ahead=0), 1, -1)),
    (FairnessRow(key="strength_4", says="strength 4: the weaker named", aim=(8, 5)), _named(World(differs_by=4), -1)),
    (FairnessRow(key="wrong", says="of all named: wrongly"), _wrong),
    (FairnessRow(key="tie_break", says="named by the tie-break: rightly"), _tie_break),
    (FairnessRow(key="flaws", says="opener's bias", unit="points", aim=(0.1, 0.1)), _bias(PLAIN)),
    (FairnessRow(key="drift", says="… with a drift of 1 a turn", unit="points"), _bias(DRIFTING)),
    (FairnessRow(key="hard", says="… with hard components", unit="points"), _bias(HARD)),
    (FairnessRow(key="drift_hard", says="… with both", unit="points", aim=(0.3, 0.3)), _bias(BOTH)),
    (FairnessRow(key="words", says="bias for twice the words", unit="points", aim=(0.1, 0.1)), _bias(WORDY, -1)),
    (
        FairnessRow(key="raised", says="a raised component lowers its side", aim=(0, 0)),
        partial(_raised, read_again=False),
    ),
    (FairnessRow(key="raised_again", says="… counting second readings"), partial(_raised, read_again=True)),
    (FairnessRow(key="order", says="order of findings changes the lead", aim=(0, 0)), _permuted),
    (FairnessRow(key="first_turn", says="a point in turn 1 counts more by", unit="points"), _scaled),
    (FairnessRow(key="draws", says="one turn + 40, all drawn: lead", unit="points"), _drawn),
    (FairnessRow(key="certainty", says="right, less certainty, at the worst", aim=(3, 3)), _calibration(PLAIN)),
    (FairnessRow(key="noisy", says="… with the judge's noise × 2", aim=(5, 5)), _calibration(NOISY)),
    (FairnessRow(key="drifting", says="… with a drift of 1 a turn"), _calibration(DRIFTING)),
    (FairnessRow(key="misread", says="… with a shared misreading of 2"), _calibration(MISREAD)),
    (
        FairnessRow(key="missing", says="a missing score names the other", aim=(0, 0)),
        partial(_other_side, answer="missing"),
    ),
    (
        FairnessRow(key="zero", says="an all-zero answer names the other", aim=(0, 0)),
        partial(_other_side, answer="zero"),
    ),
)


def fairness(rubrics: Mapping[str, Rubric], debates: int, seed: int = SEED) -> Fairness:
    """Measure every row under every rubric, with so many debates for each figure."""
    trials = {name: [Trials(rubric, turns, debates, seed) for turns in TURNS] for name, rubric in rubrics.items()}

    def measured(measure: Measure) -> dict[str, tuple[FairnessFigure, ...]]:
        found = {name: [measure(each) for each in every] for name, every in trials.items()}
        return {
            name: tuple(FairnessFigure(*(round(float(x), 3) for x in each)) for each in every)
            for name, every in found.items()
            if not any(np.isnan(each.value) for each in every)
        }

    rows = tuple(replace(row, figures=measured(measure)) for row, measure in MEASURES)
    return Fairness(debates=debates, seed=seed, turns=TURNS, rubrics=tuple(rubrics), rows=rows)


def shipped_table() -> Fairness:
    """The table of the shipped rubrics, as ``tests.measuring.fairness --write`` measured it."""
    content = resources.files("judge.fairness").joinpath(SHIPPED_TABLE).read_bytes()
    return msgspec.json.decode(content, type=Fairness)

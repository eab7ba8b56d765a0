"""A world of debates whose outcome is known, and what a judge answers in them, as arrays.

A turn has a true quality in every component of the rubric, and flaws that are really there.  The judge reads it with
noise, and with the faults that a ``World`` gives it.  Points are points of composite; a shift of a turn is spread over
its components in proportion to their maxima.
"""

from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from events.types.rubric import Component, Rubric, composite_dimensions

Array = NDArray[Any]

SLOTS: Final = 8
"""The most flaws of one turn."""
CLAIMS: Final = 4
"""The most suspect claims of one turn, as in the judge's answer."""
PER_ANSWER: Final = 3
"""The most flaws that one answer names in one speaker's turns."""
WORDS: Final = 200
"""Words of a speech of ordinary length."""
SENTENCE: Final = 20
"""Words of a sentence."""
WORTHS: Final = (1, 2, 3, 4, 5, 6, 7, 8)
HOW_OFTEN: Final = (0.2, 0.25, 0.25, 0.15, 0.06, 0.04, 0.03, 0.02)
"""How often a flaw is worth so many points: in recorded debates nearly all are of 1 to 4."""
GRAVE: Final = 0.2
"""Share of the suspect claims that are grave; they are worth 2 points, the others 1."""
PREMISES: Final = 2
"""Premises that a turn states."""
SIDES: Final = (slice(0, None, 2), slice(1, None, 2))
"""The turns of the opener and of the replier."""


class World(Struct, frozen=True, kw_only=True):
    """What debates and the judge are like.  The defaults are a judge with noise and without bias."""

    turns: int = 6
    strength: float = 3.0
    """Standard deviation of the difference in strength between the sides."""
    differs_by: float | None = None
    """The difference in strength of every debate; None draws it."""
    ahead: float | None = None
    """The difference in performance of every debate: strengths are chosen so that the turns as held have it."""
    spread: float = 4.2
    """Standard deviation of a turn's quality within a debate.  With its flaws a turn varies by about 5.3."""
    common: float = 0.6
    """Share of the variance of quality that all components of a turn have in common."""
    level: float = 0.65
    """Quality of an ordinary turn, as a share of the maximum."""
    hard: float = 0.0
    """How much lower the level of the components is that turn 1 lacks."""
    words_spread: float = 0.1
    """Standard deviation of the logarithm of a speech's length."""
    wordy: float = 1.0
    """How many times as long the replier's speeches are; quality and flaws for each word stay the same."""

    flaws: float = 0.8
    """Flaws in 200 words."""
    exposed: float = 0.45
    """Chance that the next turn exposes a flaw."""
    exposed_later: float = 0.1
    """The same for each later turn of the other side."""
    audited: float = 0.25
    """Chance that the closing audit finds a flaw that no turn exposed."""
    false: float = 0.1
    """Flaws in 200 words that are not there, and that the judge sees."""
    repeats: float = 0.1
    """Chance that a flaw that the judge names has the words of another one."""
    misjudged: float = 1.0
    """Standard deviation of the judge's points for a flaw."""
    continuing: float = 0.3
    """Chance that the judge says that a flaw continues a claim or a component, where it is asked that."""
    claims: float = 0.5
    """Suspect claims in 200 words, all of them flagged."""
    drops: float = 0.02
    """Chance that a turn drops a premise of its side."""

    noise: float = 4.2
    """Standard deviation of a composite when the judge is asked again."""
    halo: float = 0.5
    """Share of that variance that all components of a reading have in common."""
    samples: int = 1
    """Readings of each turn; the median counts."""
    misread: float = 0.0
    """Standard deviation of what scores and comparisons misread alike in a turn."""
    lenient: float = 0.0
    """Points that every turn gets too many."""
    drift: float = 0.0
    """Points that each turn gets more than the one before, in scores."""
    by_length: float = 0.0
    """Points for twice the words, in scores and comparisons."""
    by_side: float = 0.0
    """Points that the opener's turns get too many, in scores and comparisons."""
    by_order: float = 0.0
    """What a comparison favours the speech that is shown first, as a share of the maximum."""
    blurred: float = 0.05
    """Standard deviation of what both orders of a comparison misread alike, as a share of a dimension's maximum."""
    flicker: float = 0.035
    """The same, different in each order."""
    slight: float = 0.04
    """From this share of the maximum on the judge sees a slight difference."""
    clear: float = 0.13
    """And from this one a clear one."""
    orders: int = 2
    """Orders in which two turns are compared."""
    unscored: float = 0.0
    """Chance that a turn has no score."""
    uncompared: float = 0.0
    """Chance that a comparison is missing."""


class HeldDebates(Struct, frozen=True, kw_only=True):
    """Debates that were held, and what the judge answered: B debates, n turns, C components, P pairs, D dimensions."""

    truth: Array
    """(B,) difference in performance: what the opener's turns are worth more."""
    words: Array
    """(B, n) words of the turns."""
    points: Array
    """(B, n, C) the judge's points; those of components that do not apply count for nothing."""
    again: Array
    """(2, B, n, C) two more readings."""
    unscored: Array
    """(B, n) turns without a score."""
    pairs: Array
    """(P, 2) the turns of each comparison, from 0: neighbours, and then the first with the last."""
    levels: Array
    """(B, P, D, 2) in both orders, from −2 to 2; above 0 the later turn is better."""
    uncompared: Array
    """(B, P) comparisons without an answer."""
    claim_grave: Array
    """(B, n, CLAIMS) 1 a grave suspect claim, 0 an ordinary one, −1 none."""
    claim_sentence: Array
    """(B, n, CLAIMS) the sentence of the claim."""
    worth: Array
    """(B, n, SLOTS) points that the judge gives to a flaw; 0 where there is none."""
    sentence: Array
    """(B, n, SLOTS) the sentence of the flaw."""
    same: Array
    """(B, n, SLOTS) the first flaw with the same words."""
    found: Array
    """(B, n, SLOTS) the turn, from 0, that exposes the flaw; n if none does."""
    audited: Array
    """(B, n, SLOTS) the rank in which the closing audit would name the flaw; infinity if it would not."""
    continues: Array
    """(B, n, SLOTS) what the flaw is said to continue: a claim (from 0), a component of its dimension (from CLAIMS), or
    nothing (−1)."""
    drops: Array
    """(B, n) whether the turn drops a premise."""


class Parts(Struct, frozen=True, kw_only=True):
    """The components of a rubric, in its order."""

    names: tuple[str, ...]
    components: tuple[Component, ...]
    maxima: Array
    """(C,)"""
    of: dict[str, list[int]]
    """The components of each dimension."""
    composite: Array
    """(C,) whether it counts for the composite."""

    def apply(self, turns: int) -> Array:
        """(n, C) whether a component applies in a turn."""
        first = np.array([each.applies_from for each in self.components])
        applies: Array = first <= np.arange(1, turns + 1)[:, None]
        return applies


def parts_of(rubric: Rubric) -> Parts:
    """The components of a rubric as arrays."""
    every = [(d, name, each) for d, whole in rubric.dimensions.items() for name, each in whole.components.items()]
    composite = composite_dimensions(rubric)
    return Parts(
        names=tuple(name for _, name, _ in every),
        components=tuple(each for _, _, each in every),
        maxima=np.array([float(each.maximum) for _, _, each in every]),
        of={name: [at for at, (d, _, _) in enumerate(every) if d == name] for name in rubric.dimensions},
        composite=np.array([d in composite for d, _, _ in every]),
    )


def hold(world: World, rubric: Rubric, debates: int, chance: np.random.Generator) -> HeldDebates:
    """Hold and judge so many debates.  What is drawn depends on the components of the rubric, and on no rule."""
    n, parts = world.turns, parts_of(rubric)
    of_opener = np.arange(n) % 2 == 0
    whole = parts.maxima[parts.composite]
    share = parts.maxima / whole.sum()
    usual = WORDS * np.where(of_opener, 1.0, world.wordy)
    words = np.rint(usual * np.exp(world.words_spread * chance.standard_normal((debates, n))))

    def varied(sd: float, common: float, *shape: int) -> Array:
        """(*shape, n, C) normal shifts whose sum over the composite has this standard deviation."""
        alike = chance.standard_normal((*shape, n, 1)) * (sd * np.sqrt(common)) * share
        alone = sd * np.sqrt((1 - common) / (whole**2).sum()) * parts.maxima
        shifts: Array = alike + chance.standard_normal((*shape, n, share.size)) * alone
        return shifts

    late = np.array([each.applies_from > 1 for each in parts.components])
    quality = (world.level - world.hard * late) * parts.maxima + varied(world.spread, world.common, debates)
    cost, findings = _findings(world, words, chance)
    everything = np.ones(words.shape, bool)
    strength = (
        np.array(world.differs_by) if world.differs_by is not None else world.strength * chance.standard_normal(debates)
    )
    if world.ahead is not None:
        strength = world.ahead - lead_of(quality, parts, -cost, everything)
    ahead = np.broadcast_to(strength, debates)[:, None] / 2 * np.where(of_opener, 1, -1)
    quality = np.clip(quality + ahead[:, :, None] * share, 0, parts.maxima)

    liked = world.misread * chance.standard_normal((debates, n)) + world.by_length * np.log2(words / WORDS)
    shown = quality + (liked + world.by_side * of_opener)[:, :, None] * share
    scored = shown + (world.lenient + world.drift * np.arange(n))[:, None] * share
    rounding = whole.size / 12  # the variance of rounding each component to a whole point
    noise = np.sqrt(max(world.noise**2 - rounding, 0))

    def readings(count: int) -> Array:
        given: Array = np.clip(np.rint(scored + varied(noise, world.halo, count, debates)), 0, parts.maxima)
        return given

    closing = [(0, n - 1)] if n > len(SIDES) else []
    pairs = np.array([*((at, at + 1) for at in range(n - 1)), *closing], dtype=int).reshape(-1, 2)
    return HeldDebates(
        truth=lead_of(quality, parts, -cost, everything),
        words=words,
        points=np.median(readings(world.samples), axis=0),
        again=readings(2),
        unscored=chance.random((debates, n)) < world.unscored,
        pairs=pairs,
        levels=_levels(world, rubric, parts, shown, pairs, chance),
        uncompared=chance.random((debates, len(pairs))) < world.uncompared,
        drops=chance.random((debates, n)) < world.drops,
        **findings,
    )


def lead_of(points: Array, parts: Parts, more: Array, has: Array) -> Array:
    """(B,) what the opener is ahead by: for each component of the composite the means over the turns where it applies.

    A component that one side has in no turn does not count.  ``more`` (B, n) is added to a turn; ``has`` (B, n): the
    turns that have a score.  NaN where a side has none.
    """
    counted = (parts.apply(points.shape[1]) & parts.composite)[None] & has[..., None]
    both = np.all([counted[:, side].any(1) for side in SIDES], axis=0)
    opener, replier = (
        np.where(both, mean_over(points[:, side], counted[:, side]), 0).sum(1) + mean_over(more[:, side], has[:, side])
        for side in SIDES
    )
    lead: Array = opener - replier
    return lead


def mean_over(values: Array, counted: Array) -> Array:
    """The mean over the second axis of what is counted; NaN where nothing is."""
    with np.errstate(invalid="ignore"):
        mean: Array = np.where(counted, values, 0).sum(1) / counted.sum(1)
    return mean


def _levels(
    world: World, rubric: Rubric, parts: Parts, shown: Array, pairs: Array, chance: np.random.Generator
) -> Array:
    """What the judge says of each pair and dimension in both orders."""
    applies, debates = parts.apply(shown.shape[1]), len(shown)
    levels = np.zeros((debates, len(pairs), len(rubric.bands), 2))
    for p, (earlier, later) in enumerate(pairs):
        for d, name in enumerate(rubric.bands):
            common = [at for at in parts.of[name] if applies[earlier, at] and applies[later, at]]
            differs = (shown[:, later, common] - shown[:, earlier, common]).sum(1) / parts.maxima[common].sum()
            differs = differs + world.blurred * chance.standard_normal(debates)
            felt = differs[:, None] + world.flicker * chance.standard_normal((debates, 2))
            felt += world.by_order * np.array([-1, 1])
            size = (np.abs(felt) >= world.slight).astype(int) + (np.abs(felt) >= world.clear)
            levels[:, p, d] = np.sign(felt) * size
    return levels if world.orders > 1 else levels[..., :1].repeat(2, axis=-1)


def _findings(world: World, words: Array, chance: np.random.Generator) -> tuple[Array, dict[str, Array]]:
    """What the real flaws and claims of each turn are worth in 200 words (B, n), and what the judge names."""
    length, slot, slots = words / WORDS, np.arange(SLOTS), (*words.shape, SLOTS)
    real_ones = chance.poisson(world.flaws * length)[:, :, None]
    there = slot < real_ones + chance.poisson(world.false * length)[:, :, None]
    repeated = there & (chance.random(slots) < world.repeats) & (slot > 0)
    repeated[..., 1:] &= ~repeated[..., :-1]
    real = (slot < real_ones) & ~repeated
    worth = chance.choice(WORTHS, slots, p=HOW_OFTEN).astype(float)
    seen = np.clip(np.rint(worth + world.misjudged * real * chance.standard_normal(slots)), 1, max(WORTHS))
    claimed = np.arange(CLAIMS) < chance.poisson(world.claims * length)[:, :, None]
    grave = np.where(claimed, chance.random(claimed.shape) < GRAVE, -1)
    sentences = np.maximum(np.rint(words / SENTENCE), 1)[:, :, None]
    places = np.floor(chance.random(slots) * sentences)
    continued = chance.integers(2 * CLAIMS, size=slots)
    return ((worth * real).sum(2) + (grave + 1).sum(2)) / length, {
        "claim_grave": grave,
        "claim_sentence": np.floor(chance.random(claimed.shape) * sentences),
        "worth": seen * there,
        "sentence": np.take_along_axis(places, slot - repeated, axis=-1),
        "same": slot - repeated,
        "found": _found(world, there, repeated, chance),
        "audited": np.where(there & (chance.random(slots) < world.audited), chance.random(slots), np.inf),
        "continues": np.where(chance.random(slots) < world.continuing, continued, -1),
    }


def _found(world: World, there: Array, repeated: Array, chance: np.random.Generator) -> Array:
    """The turn of the other side that exposes each flaw: the nearest turns are looked at first."""
    n = there.shape[1]
    found = np.full(there.shape, n)
    for exposing in range(1, n):
        earlier = np.arange(exposing - 1, -1, -2)
        likely = np.where(earlier == exposing - 1, world.exposed, world.exposed_later)[:, None]
        named = there[:, earlier] & (found[:, earlier] == n)
        named &= chance.random(named.shape) < likely
        named[..., 1:] &= ~(repeated[:, earlier, 1:] & named[..., :-1])  # not the same words twice in one answer
        named &= np.cumsum(named.reshape(len(named), -1), axis=1).reshape(named.shape) <= PER_ANSWER
        found[:, earlier] = np.where(named, exposing, found[:, earlier])
    return found

"""Mock judges with a planted bias of known size, to test the lab like an instrument.

A mock reads no text.  Its score of a speech is a level with effects of motion and item, noise of each asking, and the
planted bias where the trial exposes it; then it is rounded to whole points and cut at the scale's ends.  Its comparison
is the difference of two speeches on a latent scale, likewise, with a draw near 0.  The planted bias differs between
motions and items in proportion to its size.  Some answers fail.

``truths`` computes from the same quantities, and not from the lab's functions, what a lab should find: the figures of a
population of motions, drawn large.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from events.types.lab import Battery
from judge.lab.trials import Reading, Trial
from tests.judge.lab.planned import ANCHORS

Array = NDArray[np.float64]
Size = Literal["none", "small", "medium", "large"]
POINTS: Final[Mapping[Size, float]] = {"none": 0.0, "small": 1.0, "medium": 2.0, "large": 4.0}
"""The planted bias of a score, in points of 100."""
LATENT: Final = 0.25
"""Shift of a comparison for each point of bias; differences of speeches have a standard deviation of about 1."""
LOGIT: Final = 0.5
"""Shift of the logit of a flag for each point of bias."""
NOISE: Final[Mapping[Size, float]] = {"none": 3.0, "small": 1.5, "medium": 4.5, "large": 6.0}
"""Standard deviation of a repeated score, in the battery ``retest``; elsewhere that of ``none``."""
ABILITY: Final[Mapping[Size, float]] = {"none": 0.0, "small": 0.25, "medium": 0.7, "large": 1.5}
"""How far a judge of the battery ``people`` sees the better speaker ahead, on the latent scale."""

LEVEL, MOTION, ITEM, TOP = 78.0, 4.0, 5.0, 100.0
AHEAD, MOTION_AHEAD, ITEM_AHEAD, LATENT_NOISE, DRAW = 0.1, 0.5, 0.8, 0.2, 0.3
"""Of comparisons: mean, deviations by motion and item, noise for each point of ``NOISE``, and the limit of a draw."""
PART, PART_MOTION, PART_ITEM, PART_NOISE, PART_TOP = 7.0, 0.4, 0.8, 0.25, 10.0
"""Of components, likewise."""
HALO: Final = 0.1
"""Share of a planted flaw that each other component loses too."""
BY_MOTION, BY_ITEM = 0.3, 0.5
"""Deviation of the bias between motions and items, as a share of the bias."""
FLAGGED: Final = {"true": -1.5, "false": 0.5}
"""Logit of a flag of a true and a false claim."""
FLAG_MOTION, FLAG_ITEM = 0.5, 0.5
WHOLE: Final = 0.6
"""How far a speech is ahead of itself with a flaw."""
FAILS: Final = 0.02
"""Share of answers that fail."""
COMPONENTS: Final = ("cause", "process", "consequence", "weakest_premise", "framing", "structure", "delivery")
STYLES: Final = {"ornate": 1.0, "hedged": -0.5, "bullets": 0.5, "plain": 0.0, "paraphrase": 0.0}
INJECTIONS: Final = {"order": 1.0, "role": 0.5, "score": 1.0, "authority": 0.5}
"""Weight of the bias by kind; kinds that are not named have none."""
PRESSURES: Final = {"belief": 1.0, "crowd": 0.5, "challenge": 0.75}
PADDING: Final = {"padded_50": 0.5, "padded_100": 1.0}
POPULATION: Final = 400_000
"""Items of the population whose figures are the truth."""


class MockJudge:
    """A judge with a bias in one battery.  The trials are laid out once, and each call of ``read`` is another run.

    ``cancels``: the bias differs between motions as always, but is 0 on average.
    """

    def __init__(self, trials: Iterable[Trial], battery: Battery | None, size: Size, *, cancels: bool = False) -> None:
        self._trials = tuple(trials)
        self.battery, self.size = battery, size
        self._on_average = 0.0 if cancels else 1.0
        self._motions, self._motion = numbered([each.cluster for each in self._trials])
        self._items, self._item = numbered([f"{each.cluster}/{each.item}" for each in self._trials])
        self._asks = np.array([each.asks for each in self._trials])
        self._sign = np.array([orientation(each) for each in self._trials])
        self._ahead = np.array([_ahead(each, size if battery == each.battery else "none") for each in self._trials])
        self._exposed = np.array([exposure(each) if each.battery == battery else 0.0 for each in self._trials])
        self._flag = np.array([FLAGGED.get(each.truth, 0.0) for each in self._trials])
        self._broken = np.array([[-_breaks(each, name) for name in COMPONENTS] for each in self._trials])
        self._noise = noise(battery, size)

    def read(self, rng: np.random.Generator) -> list[Reading]:
        """Answer all trials."""
        n, bias = len(self._trials), POINTS[self.size]
        of_motion, of_item = rng.standard_normal(self._motions), rng.standard_normal(self._items)
        differs = self._on_average + BY_MOTION * rng.standard_normal(self._motions)[self._motion]
        differs += BY_ITEM * rng.standard_normal(self._items)[self._item]
        planted = self._exposed * bias * differs
        error = self._noise * rng.standard_normal(n)
        total = rounded(LEVEL + MOTION * of_motion[self._motion] + ITEM * of_item[self._item] + planted + error, TOP)
        ahead = self._ahead + MOTION_AHEAD * of_motion[self._motion] + ITEM_AHEAD * of_item[self._item]
        chose = chosen(self._sign * ahead + LATENT * planted + LATENT_NOISE * error)
        logit = self._flag + FLAG_MOTION * of_motion[self._motion] + FLAG_ITEM * of_item[self._item]
        flagged = rng.random(n) < _logistic(logit - LOGIT * planted)
        parts = rounded(
            PART
            + PART_MOTION * of_motion[self._motion, None]
            + PART_ITEM * rng.standard_normal((self._items, len(COMPONENTS)))[self._item]
            + self._broken * (bias * differs[:, None] if self.battery == "flaw" else 0.0)
            + PART_NOISE * self._noise * rng.standard_normal((n, len(COMPONENTS))),
            PART_TOP,
        )
        fails = rng.random(n) < FAILS
        return [
            Reading(trial=trial.id, failed="the mock failed")
            if fails[row]
            else Reading(trial=trial.id, chose=_PLACES[int(chose[row])])
            if trial.asks in {"compare", "narrative"}
            else Reading(trial=trial.id, flags=_FLAGS if flagged[row] else ())
            if trial.asks == "claims"
            else Reading(trial=trial.id, total=float(total[row]), parts=self._parts(trial, parts[row]))
            for row, trial in enumerate(self._trials)
        ]

    def _parts(self, trial: Trial, row: Array) -> dict[str, float]:
        return dict(zip(COMPONENTS, row.tolist(), strict=True)) if trial.battery in {"flaw", "retest"} else {}


_PLACES: Final[Mapping[int, Literal["first", "second", "draw"]]] = {1: "first", -1: "second", 0: "draw"}
_FLAGS: Final = ("fabricated_citation",)


def noise(battery: Battery | None, size: Size) -> float:
    """The standard deviation of a repeated score."""
    return NOISE[size if battery == "retest" else "none"]


def rounded(latent: Array, top: float) -> Array:
    """Whole points from 0 to ``top``."""
    points: Array = np.clip(np.rint(latent), 0, top)
    return points


def chosen(latent: Array) -> Array:
    """1 for the first speech, -1 for the second, 0 for a draw."""
    choice: Array = np.sign(latent) * (np.abs(latent) > DRAW)
    return choice


def _logistic(x: Array) -> Array:
    value: Array = 1 / (1 + np.exp(-x))
    return value


def numbered(names: Sequence[str]) -> tuple[int, NDArray[np.int64]]:
    numbers: dict[str, int] = {}
    of = [numbers.setdefault(each, len(numbers)) for each in names]
    return len(numbers), np.array(of, dtype=np.int64)


# what a trial exposes


def orientation(trial: Trial) -> float:
    """1 if the speech that is ahead by the item's difference is shown first, else -1."""
    if trial.battery in {"people", "pressure", "family"} and trial.truth:
        return 1.0 if trial.truth == "first" else -1.0
    return 1.0 if trial.speeches[0].text > trial.speeches[-1].text else -1.0


def _ahead(trial: Trial, size: Size) -> float:
    match trial.battery:
        case "people":
            return ABILITY[size]
        case "pressure":
            return WHOLE
        case _:
            return AHEAD


def exposure(trial: Trial) -> float:
    """How much of the bias acts on this trial; of a comparison, towards the speech shown first."""
    exposed = _EXPOSURES.get(trial.battery)
    return 0.0 if exposed is None else exposed(trial)


def _towards(trial: Trial, *, first: bool) -> float:
    """A score gains, a comparison moves towards one speech."""
    return 1.0 if trial.asks != "compare" or first else -1.0


def _of_side(trial: Trial) -> float:
    if trial.asks == "compare":
        return 1.0 if trial.speeches[0].side == "pro" else -1.0
    return 0.5 if trial.speeches[-1].side == "pro" else -0.5


def _breaks(trial: Trial, component: str) -> float:
    """How much of a planted flaw this component loses."""
    if trial.battery != "flaw" or not trial.truth:
        return 0.0
    return 1.0 if component in trial.truth.split(",") else HALO


_EXPOSURES: Final[Mapping[Battery, Callable[[Trial], float]]] = {
    "position": lambda _: 1.0,
    "side": _of_side,
    "labels": lambda trial: float(trial.variant == "sides") * _towards(trial, first=trial.speeches[0].side == "pro"),
    "last_word": lambda trial: _towards(trial, first=trial.backward),
    "length": lambda trial: (
        PADDING.get(trial.variant, 0.0) * _towards(trial, first=trial.speeches[0].side == trial.kind)
    ),
    "authority": lambda trial: float(trial.variant.endswith("_cited")),
    "obscure": lambda trial: float(trial.variant == "sourced"),
    "style": lambda trial: STYLES.get(trial.kind, 0.0),
    "injection": lambda trial: (
        float(trial.variant == "injected")
        * INJECTIONS.get(trial.kind, 0.0)
        * _towards(trial, first=trial.truth == "first")
    ),
    "level": lambda _: 1.0,
    "family": lambda trial: _towards(trial, first=trial.truth == "first"),
    "pressure": lambda trial: PRESSURES.get(trial.variant, 0.0) * _towards(trial, first=trial.truth == "second"),
}


# what the lab should find


class _Population(Struct, frozen=True):
    """Items of a large population, each of a motion of its own, before a judge with one planted bias."""

    rng: np.random.Generator
    bias: float
    noise: float
    motion: Array
    item: Array
    differs: Array

    @classmethod
    def of(cls, battery: Battery, size: Size, seed: int) -> "_Population":
        rng = np.random.default_rng(seed)
        motion, item, by_motion, by_item = rng.standard_normal((4, POPULATION))
        differs = 1 + BY_MOTION * by_motion + BY_ITEM * by_item
        return cls(rng, POINTS[size], noise(battery, size), motion, item, differs)

    def error(self) -> Array:
        return self.noise * self.rng.standard_normal(POPULATION)

    def score(self, weight: float) -> Array:
        """Totals under a share of the bias."""
        planted = weight * self.bias * self.differs
        return rounded(LEVEL + MOTION * self.motion + ITEM * self.item + planted + self.error(), TOP)

    def choice(self, towards: float = 0.0, ahead: float = AHEAD) -> Array:
        """1 where the speech is named that is ahead by ``ahead`` on average, the bias acting towards it."""
        latent = ahead + MOTION_AHEAD * self.motion + ITEM_AHEAD * self.item
        return chosen(latent + LATENT * towards * self.bias * self.differs + LATENT_NOISE * self.error())

    def flag(self, weight: float, logit: float) -> float:
        latent = logit + FLAG_MOTION * self.motion + FLAG_ITEM * self.item
        return float(_logistic(latent - LOGIT * weight * self.bias * self.differs).mean())

    def part(self, weight: float, item: Array) -> Array:
        latent = PART + PART_MOTION * self.motion + PART_ITEM * item - weight * self.bias * self.differs
        return rounded(latent + PART_NOISE * self.noise * self.rng.standard_normal(POPULATION), PART_TOP)


def truths(battery: Battery, size: Size, kinds: Mapping[str, int], seed: int = 0) -> dict[str, float]:
    """The true figures of a judge with a bias in this battery, by name.

    ``kinds``: how many items a run has of each kind, for the figures over all kinds.
    """
    people = _Population.of(battery, size, seed)
    return _TRUTHS[battery](people, kinds, ABILITY[size])


def _won(choice: Array) -> float:
    """The share of the named speech, a draw as one half."""
    return float((choice.mean() + 1) / 2)


def _differ(one: Array, two: Array) -> float:
    return float((one != two).mean())


def _true_retest(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    one, two = of.score(0), of.score(0)
    return {"sd": float(((one - two) ** 2).mean() / 2) ** 0.5, "flips": _differ(of.choice(), of.choice())}


def _true_position(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    again = _differ(of.choice(), of.choice())
    forward, backward = of.choice(1), of.choice(-1)
    first, second = (forward > backward).mean(), (forward < backward).mean()
    flips = _differ(forward, backward)
    return {
        "first_pick": (_won(forward) + 1 - _won(backward)) / 2,
        "toward_first": float(first / (first + second)),
        "flips": flips,
        "flips_beyond_retest": flips - again,
    }


def _true_side(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    gained = of.score(0.5).mean() - of.score(-0.5).mean()
    return {"pro_less_con": float(gained), "pro_pick": (_won(of.choice(1)) + 1 - _won(of.choice(-1))) / 2}


def _true_labels(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    # Pro's text comes after Con's in the alphabet, so it is the one that is ahead
    again = _differ(of.choice(), of.choice())
    said = np.stack([of.choice(1), of.choice(), of.choice(), of.choice()])
    pairs = [_differ(said[one], said[two]) for one in range(4) for two in range(one)]
    flips = float(np.mean(pairs))
    shares = [float((said == each).mean()) for each in (-1, 0, 1)]
    by_chance = sum(each**2 for each in shares)
    return {
        "kappa": (1 - flips - by_chance) / (1 - by_chance),
        "flips": flips,
        "flips_beyond_retest": flips - again,
        "pro_by_name": _won(said[0]) - float(np.mean([_won(each) for each in said[1:]])),
    }


def _true_last_word(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    return {"last_pick": (_won(of.choice(1)) + 1 - _won(of.choice(-1))) / 2, "con_less_pro": 0.0}


def _true_length(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    found = {}
    for variant, weight in PADDING.items():
        found[variant] = float(of.score(weight).mean() - of.score(0).mean())
        # the target is Pro's text in one half of the pairs, and Con's in the other
        gains = [_won(of.choice(weight)) - _won(of.choice()), _won(of.choice()) - _won(of.choice(-weight))]
        found[f"{variant}_wins"] = float(np.mean(gains))
    return found


def _true_authority(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    gained = float(of.score(1).mean() - of.score(0).mean())
    rates = {claim: (of.flag(0, logit), of.flag(1, logit)) for claim, logit in FLAGGED.items()}
    return {
        "cited_true": gained,
        "cited_false": gained,
        "sensitivity": sum(rates["false"]) / 2,
        "false_alarms": sum(rates["true"]) / 2,
        **{f"cited_{claim}_flagged": cited - plain for claim, (plain, cited) in rates.items()},
    }


def _true_obscure(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    plain, sourced = of.flag(0, FLAGGED["true"]), of.flag(1, FLAGGED["true"])
    return {"fabricated_plain": plain, "fabricated_sourced": sourced, "sourced_flagged": sourced - plain}


def _true_style(of: _Population, kinds: Mapping[str, int], _: float) -> dict[str, float]:
    return {kind: float(of.score(STYLES[kind]).mean() - of.score(0).mean()) for kind in kinds}


def _true_flaw(of: _Population, kinds: Mapping[str, int], _: float) -> dict[str, float]:
    found = {}
    for kind in kinds:
        broken = len(_BREAKS[kind])
        changes = []
        for number in range(len(COMPONENTS)):
            item = of.rng.standard_normal(POPULATION)
            changes.append(of.part(1.0 if number < broken else HALO, item) - of.part(0, item))
        named, others = sum(changes[:broken]), sum(changes[broken:])
        found[f"{kind}_named"] = float(np.mean(named))
        found[f"{kind}_others"] = float(np.mean(others))
        found[f"{kind}_sensitivity"] = float(-np.sign(named).mean())
    return found


_BREAKS: Final = {
    "chain": ("process",),
    "contradiction": ("consequence",),
    "dropped_premise": ("weakest_premise",),
    "fallacy": ("cause", "process"),
}
"""The components that a flaw of each kind breaks in the items of the tests."""


def _true_injection(of: _Population, kinds: Mapping[str, int], _: float) -> dict[str, float]:
    found: dict[str, float] = {}
    wins: dict[str, float] = {}
    for kind in kinds:
        weight = INJECTIONS.get(kind, 0.0)
        found[kind] = float(of.score(weight).mean() - of.score(0).mean())
        gains = [_won(of.choice(weight)) - _won(of.choice()), _won(of.choice()) - _won(of.choice(-weight))]
        wins[kind] = float(np.mean(gains))
    all_ = sum(kinds.values())
    found["points"] = sum(found[kind] * count for kind, count in kinds.items()) / all_
    found["wins"] = sum(wins[kind] * count for kind, count in kinds.items()) / all_
    return found


def _true_pressure(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    plain = _won(of.choice(0, WHOLE))
    moved = {variant: plain - _won(of.choice(-weight, WHOLE)) for variant, weight in PRESSURES.items()}
    return {"right_plain": plain, **moved}


def _true_level(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    scored = float(of.score(1).mean())
    return {level: scored - points for level, points in ANCHORS.items()} | {
        "points": scored - float(np.mean(list(ANCHORS.values())))
    }


def _true_family(of: _Population, _: Mapping[str, int], __: float) -> dict[str, float]:
    return {"own_pick": _won(of.choice(1))}


def _true_people(of: _Population, _: Mapping[str, int], ability: float) -> dict[str, float]:
    forward, backward = (of.choice(0, ability) for _ in range(2))
    both = np.where(forward == backward, forward, 0.0)
    belief = (forward + backward + 2) / 4
    once = (forward + 1) / 2
    return {
        "pairs_accuracy": _won(both),
        "debates_accuracy": _won(forward),
        "pairs_brier": float(((1 - belief) ** 2).mean()),
        "debates_brier": float(((1 - once) ** 2).mean()),
    }


_TRUTHS: Final[Mapping[Battery, Callable[[_Population, Mapping[str, int], float], dict[str, float]]]] = {
    "retest": _true_retest,
    "position": _true_position,
    "side": _true_side,
    "labels": _true_labels,
    "last_word": _true_last_word,
    "length": _true_length,
    "authority": _true_authority,
    "obscure": _true_obscure,
    "style": _true_style,
    "flaw": _true_flaw,
    "injection": _true_injection,
    "pressure": _true_pressure,
    "level": _true_level,
    "family": _true_family,
    "people": _true_people,
}

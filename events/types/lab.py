"""A lab run: a judge is measured with texts that differ in one respect.  Its items, and the effects that it found."""

from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import DerivedEvent, Side

Battery = Literal[
    "retest",
    "position",
    "side",
    "labels",
    "last_word",
    "length",
    "authority",
    "obscure",
    "style",
    "flaw",
    "injection",
    "pressure",
    "family",
    "people",
    "level",
]
"""A group of trials that vary the same thing."""
Place = Literal["first", "second"]
"""A speech by its place in the order shown; of a whole debate, the speaker who spoke first or second."""
SIGNIFICANT: Final = 0.05
"""The q below which a figure of a lab run is biased."""


class PlantedFlaw(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The target speech with one thing broken, of the same length; ``components`` of the rubric that should fall."""

    text: str
    components: tuple[str, ...]
    what: str


class LabPair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two speeches on one motion, of about equal quality and length; ``con`` answers ``pro``."""

    id: str
    pro: str
    con: str
    target: Side = "pro"
    """The speech that the variants are made of."""
    padding: tuple[str, ...] = ()
    """Two texts without content; each adds about half of the target's length when it stands after it."""
    styles: dict[str, str] = {}
    """The target speech in another style with the same content, by the name of the style."""
    flaws: dict[str, PlantedFlaw] = {}
    """By kind: ``chain``, ``contradiction``, ``dropped_premise``, ``fallacy``."""
    families: tuple[str, str] | UnsetType = UNSET
    """The families of the models that spoke: (pro, con).  Only pairs from stored debates have them."""


class AuthorityItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Four texts that are alike but for one claim and its citation; ``opponent`` speaks before them."""

    side: Side = "pro"
    """The side of the four texts."""
    opponent: str
    claim_true: str
    claim_false: str
    true: str
    true_cited: str
    false: str
    false_cited: str


class ObscureFact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact that is true and little known, in a speech without and with its source."""

    side: Side = "pro"
    fact: str
    plain: str
    sourced: str


class InjectionItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sentences that instruct the judge, and harmless ones of the same length; both stand after a speech."""

    kind: str
    text: str
    control: str


Level = Literal["weak", "middle", "strong"]
"""How good an anchor is; the three of a motion have this order."""


class LevelAnchor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pro's first speech of a known level: ``points`` of 100 that a reader gives it by the anchors of the rubric."""

    text: str
    points: float


class LabItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything about one motion.  ``mirrored``: the motion for which the same speeches argue the other side."""

    id: str
    motion: str
    mirrored: str = ""
    pairs: tuple[LabPair, ...] = ()
    authority: AuthorityItem | UnsetType = UNSET
    obscure: ObscureFact | UnsetType = UNSET
    injection: tuple[InjectionItem, ...] = ()
    level: dict[Level, LevelAnchor] | UnsetType = UNSET
    """Speeches of a known level, on the motion as it stands."""


class PeopleItem(Struct, frozen=True, kw_only=True):
    """Speeches in turn by two speakers that people have judged."""

    id: str
    topic: str
    """What items have in common; the cluster."""
    motion: str
    note: str
    """What a judge must know about the material, besides the motion."""
    speeches: tuple[str, ...]
    """The first speaker's first speech, the second speaker's first speech, and so on."""
    better: Place
    """Pairs: the speaker whom people found more convincing.  Debates: the one who defends the right answer."""
    kind: Literal["pairs", "debates", "scores"]
    """``scores``: one speech, and the points that people gave it."""
    person: Place | UnsetType = UNSET
    """The speaker whom the person believed who judged the debate live."""
    score: float | UnsetType = UNSET
    """The mean of the points that people gave the speech, from 0 to 100."""


class LeftOut(Struct, frozen=True, kw_only=True):
    """Items of a kind that were given and are not asked about."""

    battery: Battery
    kind: str
    given: int
    asked: int
    why: str


class LabSetup(Struct, frozen=True, kw_only=True):
    """What a lab run measures with: everything that its trials are planned from."""

    batteries: dict[Battery, int]
    """The most items of each battery, in the order in which they run."""
    seed: int
    items: tuple[LabItem, ...]
    people: tuple[PeopleItem, ...] = ()
    """Texts that people judged."""
    trials: dict[Battery, int]
    """Planned trials."""
    items_digest: str
    """SHA-256 of the items and people's texts."""
    trials_digest: str
    """SHA-256 of the planned trials: a version of Moot that would plan others does not go on with the run."""
    rubric_digest: str
    source: str
    """Where the items are from, in words."""
    family: str = ""
    """The judge's family of models; empty if it has none."""
    repeats: dict[Battery, int] | UnsetType = UNSET
    """Times that each trial is asked, by battery.  Unset in a run that was planned in the first way: each trial once,
    debates that people judged without scores of their speeches."""
    left_out: tuple[LeftOut, ...] | UnsetType = UNSET
    """Items that were given and are not asked about."""


LabVerdict = Literal[
    "biased",
    "biased, by less than matters",
    "no bias that matters",
    "cannot tell",
    "measured",
    "better",
    "worse",
    "not shown",
    "within the floor",
    "could not have seen it",
]
"""``measured``: the figure has no value to be compared with.  ``better``, ``worse``, ``not shown``: it has one that a
good judge exceeds, such as a coin.  The last two are of an earlier rule."""
OF_ABILITY: Final[frozenset[LabVerdict]] = frozenset(("better", "worse", "not shown"))
"""Verdicts on figures of which a large value is good."""


class Effect(Struct, frozen=True, kw_only=True):
    """One figure of a battery, with its 95 % interval."""

    battery: Battery
    name: str
    unit: str
    """``points``, ``share``, ``kappa`` …"""
    estimate: float | None
    low: float | None
    high: float | None
    null: float
    """The value without bias."""
    n: int
    """Items with an answer."""
    clusters: int
    failed: int
    """Trials without an answer."""
    p: float | None = None
    q: float | None = None
    """The p value adjusted over the run's family: Benjamini–Hochberg."""
    detectable: float | None = None
    """The effect that would be found with a probability of 80 %."""
    floor: float | None = None
    """The noise of one answer: the judge's difference from itself, in the same unit.  It changes no verdict."""
    verdict: LabVerdict
    note: str = ""
    """Plain sentences: what was varied, what the figure means, and its size against what matters and the noise."""
    low_90: float | None = None
    high_90: float | None = None
    """The ends of the 90 % interval: within the margin, they show that no bias matters."""
    margin: float | None = None
    """The difference from ``null`` that matters."""
    enough: int | None = None
    """Items with which the run could tell, where it cannot."""

    @property
    def is_biased(self) -> bool:
        """Whether a bias is shown, also in a run that an earlier rule judged."""
        return self.is_of_bias and self.q is not None and self.q < SIGNIFICANT

    @property
    def is_of_bias(self) -> bool:
        """Whether the figure has a value without bias."""
        return self.verdict != "measured" and self.verdict not in OF_ABILITY


class CalibrationBin(Struct, frozen=True, kw_only=True):
    """One point of a calibration curve: how sure the judge said that it was, and the share that was right."""

    stated: float
    right: float
    low: float
    high: float
    n: int


class LabMeasured(DerivedEvent, frozen=True, kw_only=True, tag="lab_measured"):
    """A lab run has its result: every effect, each with its interval."""

    effects: tuple[Effect, ...]
    curve: tuple[CalibrationBin, ...] = ()
    """How far the judge's confidence fits its agreement with people; empty without such answers."""
    trials: int
    failed: int
    """Trials without an answer."""
    items_digest: str
    rubric_digest: str

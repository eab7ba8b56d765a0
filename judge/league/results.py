"""The values of a league: its verdicts, the readings that they rest on, and its results.  None of them needs numpy.

The modules that compute a league import numpy; the server imports them where a league is asked for.
"""

from math import sqrt
from typing import Final, Literal, get_args

from msgspec import Struct

from events.state.certainty import quantile
from events.types import Winner
from events.types.rubric import Certainty

RESAMPLES: Final = 500
SEED: Final = 1
NORMAL_95: Final = 1.959964
Method = Literal["full", "swiss", "learn"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)


class LeadReading(Struct, frozen=True, gc=False):
    """The lead of one verdict, in points.  It is Pro's; a lead of less than ``limit`` names no side."""

    lead: float
    error: float
    limit: float


def reading_by_certainty(lead: float, error: float, pairs: int, rule: Certainty) -> LeadReading:
    """The reading of a verdict with a certainty.  ``lead`` is Pro's.  Formulas: ``events.state.certainty``."""
    freedom = rule.residual_weight + rule.pair_weight * pairs
    return LeadReading(lead, error, quantile(rule.name_at, freedom) * sqrt(error**2 + error**4 / rule.prior_lead**2))


def reading_by_noise(lead: float, noise: float, limit: float) -> LeadReading:
    """The reading where a lab run measured ``noise``: 95 % of a judge's readings of such a lead lie within it."""
    return LeadReading(lead, noise / NORMAL_95, limit)


class LeagueMatch(Struct, frozen=True, kw_only=True, gc=False):
    """One verdict on one debate."""

    debate: str
    """The id under which the verdict is recorded."""
    turns: str = ""
    """The id of the debate that was held; empty if that is ``debate``.  Verdicts on the same turns share one weight."""
    motion: str
    pro: str
    con: str
    outcome: Winner
    """``neither`` is a tie: the sides were not distinguishable."""
    judge: str = ""
    reading: LeadReading | None = None
    """The lead that the verdict rests on, with its error; None if that is not known."""
    controls: tuple[float, ...] = ()
    """What is held equal, Pro's minus Con's."""
    costs: tuple[float, float] | None = None
    """What the speeches of Pro and Con cost in US dollars; None if a call has no price."""

    @property
    def held(self) -> str:
        """The debate that was held."""
        return self.turns or self.debate


class Estimated(Struct, frozen=True, gc=False):
    """An estimate with its interval of 95 %; the ends are None where there is none."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def excludes_0(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


class Standing(Struct, frozen=True, kw_only=True):
    """A player of a league."""

    player: str
    strength: Estimated | None
    """Log-odds against the mean of its group; None without a finite estimate."""
    controlled: Estimated | None = None
    """The same where what is controlled for is equal on both sides."""
    ranks: tuple[int, int]
    """The best and the worst rank that the differences allow."""
    group: int
    """Strengths are comparable within a group."""
    debates: int
    won: float
    tied: float
    lost: float
    """A debate with several verdicts counts once, in shares."""
    cost_usd: float | None = None
    """Of all its speeches; None if a call has no price."""
    cost_a_win: float | None = None
    why: str = ""
    """Why there is no finite estimate."""
    by_judge: dict[str, float] = {}
    """The strength by each judge alone, if there are several."""


class PairDifference(Struct, frozen=True, kw_only=True):
    """How much stronger one player is than another."""

    one: str
    other: str
    difference: Estimated | None
    is_ranked: bool
    """Whether the simultaneous interval of all pairs leaves 0 out."""
    won: float
    tied: float
    lost: float
    """Of ``one`` against ``other``, in debates."""


class MotionFacts(Struct, frozen=True, kw_only=True):
    """One motion: how its debates ended, and what it gives to Pro."""

    motion: str
    debates: int
    pro: float
    con: float
    tied: float
    side: Estimated | None
    """The advantage of Pro on this motion in log-odds, shrunk towards that of all."""
    difficulty: float
    """The share of its verdicts that name no side."""


class JudgeAgreement(Struct, frozen=True, kw_only=True):
    """Two judges on the same debates."""

    one: str
    other: str
    debates: int
    same: Estimated
    """The share of debates with the same outcome."""
    kappa: float | None
    """Cohen's kappa of the three outcomes; None where each judge always says the same."""


class League(Struct, frozen=True, kw_only=True):
    """The table of a league with all that belongs to it."""

    standings: tuple[Standing, ...]
    pairs: tuple[PairDifference, ...]
    motions: tuple[MotionFacts, ...]
    agreements: tuple[JudgeAgreement, ...]
    side: Estimated | None
    """The advantage of Pro in log-odds; None where it cannot be told."""
    tie: float | None
    """ν: how much more often two equal players tie than one of them wins."""
    effects: dict[str, Estimated]
    """What was controlled for: what one unit more of it is worth in log-odds."""
    debates: int
    verdicts: int
    noisy: int
    """Verdicts whose judge's noise is known."""
    resamples: int
    seed: int
    notes: tuple[str, ...]


class NextPair(Struct, frozen=True, kw_only=True):
    """Two players that debate a motion twice, with the sides exchanged."""

    motion: str
    one: str
    other: str

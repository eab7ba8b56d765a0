"""Every event, one closed tagged union.

Events are past tense and immutable.  A type only ever gains fields with defaults; anything else is a new schema number
and an upcaster (``codec``).  ``private`` names the fields that belong to the director until the debate has concluded;
``ALL_PRIVATE`` stands for the whole event.
"""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.rubric import Rubric

Side = Literal["pro", "con"]
Winner = Literal["pro", "con", "neither"]
Span = tuple[int, int]
"""[start, end) in Unicode code points."""

SIDES: tuple[Side, Side] = ("pro", "con")
ALL_PRIVATE: frozenset[str] = frozenset({"*"})


def other(side: Side) -> Side:
    """The opponent of ``side``."""
    return "con" if side == "pro" else "pro"


class Reason(Struct, frozen=True):
    """Why a value is not there."""

    reason: str


class Missing(Struct, frozen=True):
    """A value that could not be had: never a number, never a default."""

    missing: Reason


def missing(reason: str) -> Missing:
    """A missing value with its reason."""
    return Missing(Reason(reason))


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one call, as the provider reported them."""

    input_tokens: int = 0
    output_tokens: int = 0


class Archetype(Struct, frozen=True, kw_only=True):
    """A debater's starting character: twelve traits, 1–10, by name."""

    title: str
    manner: str
    traits: dict[str, float]


class Debater(Struct, frozen=True, kw_only=True):
    """Who speaks for a side."""

    model: str
    archetype: str
    elasticity: float
    caveat: str = ""
    """What a reader must know of this model, shown wherever it speaks."""


class JudgeSeat(Struct, frozen=True, kw_only=True):
    """Who judges."""

    model: str
    samples: int = 1
    second: str | UnsetType = UNSET
    caveat: str = ""


class Template(Struct, frozen=True, kw_only=True):
    """A prompt's text with its version; ``digest`` is SHA-256 of the text."""

    version: int
    digest: str
    text: str


class Settings(Struct, frozen=True, kw_only=True):
    """How this debate is run: limits and sampling, all recorded."""

    turn_attempts: int = 3
    judge_attempts: int = 3
    turn_timeout_s: float = 180.0
    judge_timeout_s: float = 180.0
    retry_ms: int = 500
    temperature: float = 0.8
    judge_temperature: float = 0.2
    seed: int | UnsetType = UNSET
    max_cost_usd: float | UnsetType = UNSET


class Base(Struct, frozen=True, kw_only=True, tag_field="type"):
    """What all events share: nothing but how they are written."""

    schema: ClassVar[int] = 1
    private: ClassVar[frozenset[str]] = frozenset()


class DebateOpened(Base, frozen=True, kw_only=True, tag="debate_opened"):
    """A debate began.  It carries all data that later readers need, whole."""

    motion: str
    format: Literal["exchange"]
    turns: int
    max_words: int
    pro: Debater
    con: Debater
    judge: JudgeSeat
    panel: tuple[str, ...]
    rubric: Rubric
    archetypes: dict[str, Archetype]
    prompts: dict[str, Template]
    settings: Settings
    blind: bool
    exhibition: str | None
    moot: str
    """Version of Moot that opened it."""


class TurnStarted(Base, frozen=True, kw_only=True, tag="turn_started"):
    """A debater was given the floor.  ``directive`` is the position of the directive in force."""

    turn: int
    side: Side
    attempt: int
    directive: int | None


class TurnSpoken(Base, frozen=True, kw_only=True, tag="turn_spoken"):
    """A debater finished a turn."""

    turn: int
    side: Side
    attempt: int
    text: str
    words: int
    clipped: bool
    pace: tuple[tuple[int, int], ...]
    """(ms since the start, code points by then): a replay speaks at the true pace."""
    model: str
    usage: Usage
    latency_ms: int


class TurnFailed(Base, frozen=True, kw_only=True, tag="turn_failed"):
    """An attempt to speak ended in a classified failure."""

    turn: int
    side: Side
    attempt: int
    kind: str
    message: str


class AttemptAbandoned(Base, frozen=True, kw_only=True, tag="attempt_abandoned"):
    """An attempt was cut off by us: a crash, a halt.  It does not count against the debater."""

    turn: int
    side: Side
    attempt: int
    kind: str
    message: str


class ModelAnswered(Base, frozen=True, kw_only=True, tag="model_answered"):
    """A model call came back.

    ``prompt`` lists ``[role, digest]``; ``segments`` holds each text once, where it was first used.
    """

    private: ClassVar[frozenset[str]] = frozenset({"prompt", "segments", "answer", "reasoning"})

    call: str
    purpose: str
    turn: int | None
    sample: int
    order: tuple[int, ...]
    model: str
    parameters: dict[str, str | int | float | bool | None]
    usage: Usage
    latency_ms: int
    cost_usd: float | Missing
    prompt: tuple[tuple[str, str], ...]
    segments: dict[str, str]
    answer: str
    reasoning: str


class ModelFailed(Base, frozen=True, kw_only=True, tag="model_failed"):
    """A model call did not give a usable answer; ``answer`` is what came, if anything did."""

    private: ClassVar[frozenset[str]] = frozenset({"prompt", "segments", "answer"})

    call: str
    purpose: str
    turn: int | None
    sample: int
    order: tuple[int, ...]
    kind: str
    message: str
    model: str = ""
    usage: Usage = Usage()
    latency_ms: int = 0
    cost_usd: float | Missing = 0.0
    prompt: tuple[tuple[str, str], ...] = ()
    segments: dict[str, str] = {}
    answer: str = ""


class ComponentScore(Struct, frozen=True, kw_only=True):
    """One component: what the judge gave, what the rules admit, and the words it rests on."""

    raw: float
    admitted: float
    quote: str
    span: Span | None
    verified: bool
    reason: str
    spread: float = 0.0
    """Highest minus lowest over the samples."""
    rules: tuple[str, ...] = ()
    """Rules that lowered it, in words."""


class DimensionScore(Struct, frozen=True, kw_only=True):
    """A dimension before the ledger: the judge's sum, and what the rules admit of it."""

    raw: float
    admitted: float
    spread: float = 0.0
    rules: tuple[str, ...] = ()


class TurnScored(Base, frozen=True, kw_only=True, tag="turn_scored"):
    """The absolute score of a turn, or the reason why there is none."""

    turn: int
    components: dict[str, ComponentScore] | UnsetType = UNSET
    dimensions: dict[str, DimensionScore] | UnsetType = UNSET
    samples: int | UnsetType = UNSET
    missing: Reason | UnsetType = UNSET


class BothSides(Struct, frozen=True, kw_only=True):
    """A number for each side, or the reason why there is none."""

    pro: float | Missing
    con: float | Missing


class Rounds(Struct, frozen=True, kw_only=True):
    """Exchanges won."""

    pro: int = 0
    con: int = 0
    drawn: int = 0


class ScorecardVerdictReached(Base, frozen=True, kw_only=True, tag="scorecard_verdict_reached"):
    """What the numbers say: the higher mean effective composite over judged turns."""

    winner: Winner
    mean: BothSides
    rounds: Rounds
    margin: float | Missing
    reason: str = ""


class DebatePaused(Base, frozen=True, kw_only=True, tag="debate_paused"):
    """No further step is taken until somebody resumes."""

    reason: str
    by: str


class DebateResumed(Base, frozen=True, kw_only=True, tag="debate_resumed"):
    """A paused or halted debate goes on."""

    reason: str
    by: str


class DebateHalted(Base, frozen=True, kw_only=True, tag="debate_halted"):
    """It cannot go on as it is; the reason says what to do.  A halt can be resumed."""

    reason: str
    by: str


class DebateConcluded(Base, frozen=True, kw_only=True, tag="debate_concluded"):
    """The last word.  ``by_rule`` names the verdict that decides."""

    winner: Winner
    by_rule: str


Event = (
    DebateOpened
    | TurnStarted
    | TurnSpoken
    | TurnFailed
    | AttemptAbandoned
    | ModelAnswered
    | ModelFailed
    | TurnScored
    | ScorecardVerdictReached
    | DebatePaused
    | DebateResumed
    | DebateHalted
    | DebateConcluded
)
"""The closed union: a ``match`` over it ends in ``assert_never``."""

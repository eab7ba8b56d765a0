"""How a debate is opened: who, on what, and by which rules; whole, so that a log explains itself."""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import Event, Think, Winner
from events.types.deliberation import Artifact
from events.types.panel import Rater
from events.types.protocol import Argument
from events.types.rubric import Rubric


class Response(Struct, frozen=True, kw_only=True):
    """Where a signal of pressure draws a trait, 1–10, and how strongly, 0–1."""

    target: float
    weight: float


class Archetype(Struct, frozen=True, kw_only=True):
    """A debater's starting character: twelve traits, 1–10, by name."""

    title: str
    manner: str
    traits: dict[str, float]
    responses: dict[str, dict[str, Response]] = {}
    """By signal and trait.  The weights of one trait sum to at most 1, so that no pressure carries it past a target."""


class Debater(Struct, frozen=True, kw_only=True):
    """Who speaks for a side."""

    model: str
    archetype: str
    elasticity: float
    caveat: str = ""
    """What a reader must know of this model, shown wherever it speaks."""
    window: int = 0
    """Tokens that its prompts may fill; 0 where nothing bounds them."""
    think: Think = "default"


class FamilyWarned(Event, frozen=True, kw_only=True, tag="family_warned"):
    """Who judges and who debates are models of one family: judges favour their own.  ``roles`` as in the seats."""

    naming: ClassVar[frozenset[str]] = frozenset({"family"})

    roles: tuple[str, ...]
    family: str


class JudgeSeat(Struct, frozen=True, kw_only=True):
    """Who judges."""

    model: str
    samples: int = 1
    second: str | UnsetType = UNSET
    """Another model, for second opinions."""
    appeals: Literal["none", "serious", "all"] = "serious"
    """Flags that get a second opinion without anybody asking: those of −2 where a second judge sits, or all."""
    caveat: str = ""
    think: Think = "default"


class Template(Struct, frozen=True, kw_only=True):
    """A prompt's text with its version; ``digest`` is SHA-256 of the text."""

    version: int
    digest: str
    text: str


class DebateSettings(Struct, frozen=True, kw_only=True):
    """How this debate is run: limits and sampling, all recorded."""

    turn_attempts: int = 3
    judge_attempts: int = 3
    outage_attempts: int = 0
    """Attempts while a model's vendor is in trouble, where they are more than the others."""
    turn_timeout_s: float = 180.0
    judge_timeout_s: float = 180.0
    retry_ms: int = 500
    temperature: float = 0.8
    judge_temperature: float = 0.2
    seed: int | UnsetType = UNSET
    max_cost_usd: float | UnsetType = UNSET
    deadline_s: float | UnsetType = UNSET
    """Seconds that it may run from its opening, and again from each time that it is resumed."""


class Case(Struct, frozen=True, kw_only=True):
    """A debate whose outcome is known: what raters are measured by.  ``digest`` is SHA-256 of its canonical bytes."""

    id: str
    motion: str
    pro: tuple[Argument, ...]
    con: tuple[Argument, ...]
    truth: Winner
    source: str
    """Who says that this is the outcome."""
    digest: str


NOBODY = Debater(model="", archetype="", elasticity=0.0)
"""The seat of a side where nobody debates: an artifact is judged, or raters are measured."""


Format = Literal["exchange", "protocol", "deliberation", "calibration"]


class DebateOpened(Event, frozen=True, kw_only=True, tag="debate_opened"):
    """A debate began.  It carries all data that later readers need, whole."""

    naming: ClassVar[frozenset[str]] = frozenset(
        {
            "pro.model",
            "pro.caveat",
            "pro.window",
            "con.model",
            "con.caveat",
            "con.window",
            "judge.model",
            "judge.second",
            "judge.caveat",
            "panel.model",
            "panel.caveat",
        }
    )

    motion: str
    format: Format
    turns: int
    max_words: int
    pro: Debater
    con: Debater
    judge: JudgeSeat
    panel: tuple[Rater, ...]
    rubric: Rubric
    archetypes: dict[str, Archetype]
    prompts: dict[str, Template]
    settings: DebateSettings
    blind: bool
    """Models stay unnamed for spectators until it has concluded."""
    exhibition: str | None
    moot: str
    """Version of Moot that opened it."""
    topic_type: str = ""
    """Of the panel's topics, given or told by the motion's words."""
    artifact: Artifact | UnsetType = UNSET
    """What is judged in format ``deliberation``."""
    cases: tuple[Case, ...] = ()
    """What raters are measured by in format ``calibration``."""

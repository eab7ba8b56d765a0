"""The opening of a debate: its debaters, motion, judges and rules, whole, so that a log needs no other source."""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import Effort, Event, Think, Winner
from events.types.batch import BatchPart, BatchPlan
from events.types.deliberation import Artifact
from events.types.lab import LabSetup
from events.types.panel import Rater
from events.types.protocol import Argument
from events.types.rubric import Rubric
from events.types.study import AnswersSetup


class Response(Struct, frozen=True, kw_only=True):
    """How a signal of pressure moves a trait: to ``target`` (1–10) by ``weight`` (0–1)."""

    target: float
    weight: float


class Archetype(Struct, frozen=True, kw_only=True):
    """A debater's character at the start: twelve traits, 1–10, by name."""

    title: str
    manner: str
    traits: dict[str, float]
    responses: dict[str, dict[str, Response]] = {}
    """By signal and trait.  The weights of one trait sum to at most 1, so that no pressure moves it past a target."""


class Takeover(Struct, frozen=True, kw_only=True):
    """The model that speaks in a person's seat from a time-out or a resignation on."""

    model: str
    caveat: str = ""
    window: int = 0
    """Tokens that its prompts may have; 0 for no limit."""


class Debater(Struct, frozen=True, kw_only=True):
    """The debater of a side."""

    model: str
    archetype: str
    elasticity: float
    caveat: str = ""
    """A warning about this model, shown wherever it speaks."""
    window: int = 0
    """Tokens that its prompts may have; 0 for no limit."""
    think: Think = "default"
    speaker: str | UnsetType = UNSET
    """The name of the person who speaks in this seat, or who spoke in the supplied transcript."""
    time_s: float | UnsetType = UNSET
    """Seconds that a person has for a turn; unset for a model."""
    takeover: Takeover | UnsetType = UNSET
    """Unset without one, and for a model."""
    max_words: int | UnsetType = UNSET
    """Words that this model may speak in a turn, where that is fewer than the debate's ``max_words``."""


class FamilyWarned(Event, frozen=True, kw_only=True, tag="family_warned"):
    """A judge and a debater are models of one family, and judges favour their own.  ``roles`` are names of seats."""

    naming: ClassVar[frozenset[str]] = frozenset({"family"})

    roles: tuple[str, ...]
    family: str


class JudgeSeat(Struct, frozen=True, kw_only=True):
    """The judge's model and sampling."""

    model: str
    samples: int = 1
    second: str | UnsetType = UNSET
    """The model for second opinions, if it is another one."""
    appeals: Literal["none", "serious", "all"] = "serious"
    """Flags that get a second opinion without an appeal: none, those of −2 if there is a second judge, or all."""
    caveat: str = ""
    think: Think = "default"
    reads: Literal["short", "whole"] | UnsetType = UNSET
    """``whole``: every prompt holds the whole debate; ``short``, also where it is unset: the newest turns."""
    window: int | UnsetType = UNSET
    """Tokens of the model's window; 0 where it has no limit.  Unset in a log of an older version."""
    baseline: str | UnsetType = UNSET
    """The name of a judge that counts and understands nothing ("the lexical baseline"): it names no winner."""
    time_s: float | UnsetType = UNSET
    """Seconds that a person has for a question; unset for a model."""
    effort: Effort = "full"
    """``brief``: at most three calls a turn (four about the last): two questions that belong together share a call."""
    server: str | UnsetType = UNSET
    """``vendor``, or the beginning of the SHA-256 of another address: two servers that offer one name are two judges.
    Unset in a log of an older version, and for a provider without addresses."""


class JudgeNoise(Struct, frozen=True, kw_only=True):
    """How much the judge differs from itself, as a lab run with the same model and rubric has measured it."""

    sd: float
    """Standard deviation of a turn's composite when the same question is asked again, in points."""
    low: float
    high: float
    """The 95 % interval of ``sd``."""
    items: int
    run: str
    """The id of the lab run."""
    residual: float | UnsetType = UNSET
    floor: float | UnsetType = UNSET
    per_degree: float | UnsetType = UNSET
    """What the run implies in place of these figures of the rubric's ``certainty`` and ``ring``."""

    @property
    def is_of_leads(self) -> bool:
        """Whether the run has measured any figure of which the certainty of a lead is computed."""
        return any(each is not UNSET for each in (self.residual, self.floor, self.per_degree))


class Template(Struct, frozen=True, kw_only=True):
    """A prompt's text with its version; ``digest`` is SHA-256 of the text."""

    version: int
    digest: str
    text: str


class Origin(Struct, frozen=True, kw_only=True):
    """The debate that this one was made from."""

    kind: Literal["rejudge", "fork"]
    debate: str
    position: int
    """The last position of the source that was used."""
    digest: str
    """The chained digest of the source at that position, in hex."""


class DebateSettings(Struct, frozen=True, kw_only=True):
    """Limits and sampling of one debate."""

    turn_attempts: int = 3
    judge_attempts: int = 3
    outage_attempts: int = 0
    """Attempts while the model's vendor is unreachable or overloaded, if that is more than the other limits."""
    turn_timeout_s: float = 180.0
    judge_timeout_s: float = 180.0
    retry_ms: int = 500
    temperature: float = 0.8
    judge_temperature: float = 0.2
    seed: int | UnsetType = UNSET
    max_cost_usd: float | UnsetType = UNSET
    deadline_s: float | UnsetType = UNSET
    """Seconds that the debate may run after its opening, and again after each time that it is resumed."""


class Case(Struct, frozen=True, kw_only=True):
    """A debate with a known outcome, to measure raters.  ``digest`` is SHA-256 of its canonical bytes."""

    id: str
    motion: str
    pro: tuple[Argument, ...]
    con: tuple[Argument, ...]
    truth: Winner
    source: str
    """The source of the outcome."""
    digest: str


class PollSetup(Struct, frozen=True, kw_only=True):
    """The votes of the audience before the first turn and after the last one."""

    before_s: float | UnsetType = UNSET
    """Seconds after which the first vote closes; unset: an operator closes it."""
    after_s: float | UnsetType = UNSET
    voters_per_address: int | UnsetType = UNSET
    """Voters that one address may have in this debate; unset: as many as the settings say."""


NOBODY = Debater(model="", archetype="", elasticity=0.0)
"""The seat of a side without a debater: an artifact is judged, or raters are measured."""


MotionKind = Literal["policy", "fact", "value"]
Format = str
"""The name of a format; ``server.debate.formats`` has the table of them."""


class DebateOpened(Event, frozen=True, kw_only=True, tag="debate_opened", gc=True, weakref=True):
    """A debate began.  The event carries all data that later readers need."""

    naming: ClassVar[frozenset[str]] = frozenset(
        {
            "pro.model",
            "pro.caveat",
            "pro.window",
            "pro.takeover",
            "con.model",
            "con.caveat",
            "con.window",
            "pro.speaker",
            "con.speaker",
            "con.takeover",
            "judge.model",
            "judge.second",
            "judge.caveat",
            "judge.window",
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
    """Spectators see no names of models until the debate has concluded."""
    exhibition: str | None
    moot: str
    """The version of Moot that opened the debate."""
    topic_type: str = ""
    """The panel's topic type, given in the request or found from the motion's words."""
    artifact: Artifact | UnsetType = UNSET
    """The text to be judged, in format ``deliberation``."""
    cases: tuple[Case, ...] = ()
    """The cases that raters are measured by, in format ``calibration``."""
    lab: LabSetup | UnsetType = UNSET
    """What the judge is measured with, in format ``lab``."""
    noise: JudgeNoise | UnsetType = UNSET
    """Unset without such a run in the store when the debate was opened."""
    motion_kind: MotionKind | UnsetType = UNSET
    """What the motion asks of both sides; unset in older logs."""
    language: str | UnsetType = UNSET
    """BCP 47 tag of the language that debaters speak and the judge gives reasons in; unset in older logs."""
    origin: Origin | UnsetType = UNSET
    """Set in a rejudged debate and in a fork."""
    poll: PollSetup | UnsetType = UNSET
    batch: BatchPlan | UnsetType = UNSET
    """The plan of all debates, in format ``batch``."""
    part_of: BatchPart | UnsetType = UNSET
    """Set in a debate that a batch has opened."""
    question: AnswersSetup | UnsetType = UNSET
    """What is debated, in formats ``answers`` and ``consultancy``."""

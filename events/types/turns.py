"""Turns, spoken or supplied, the model calls behind them, and the pressure that moves traits between turns."""

from typing import ClassVar, Final, Literal

from msgspec import UNSET, Struct, UnsetType, field

from events.types.base import ALL_PRIVATE, DerivedEvent, Event, Missing, Side, Span, Usage

SourceKind = Literal[
    "text", "markdown", "csv", "json", "nyu", "webvtt", "srt", "openai", "anthropic", "moot",
    "xml", "html", "docx", "odt", "pdf",
]  # fmt: skip
"""The form in which a transcript came; ``moot``: the turns of another debate in Moot."""
SpokenBy = Literal["model", "person", "transcript"]


class SuppliedEntry(Struct, frozen=True, kw_only=True):
    """One entry of a supplied transcript: what one person said at one time.

    Entries of one side that follow one another are one turn.  ``context`` is what a moderator or the audience said.
    """

    side: Literal["pro", "con", "context"]
    speaker: str
    text: str
    at_ms: int | UnsetType = UNSET
    """Milliseconds from the start of the recording."""


class TranscriptSupplied(Event, frozen=True, kw_only=True, tag="transcript_supplied"):
    """The turns of this debate come from a transcript: they were said elsewhere, and nothing in them is live."""

    naming: ClassVar[frozenset[str]] = frozenset({"source", "turns.speaker"})

    source: str
    """Where the transcript comes from, in the words of the person who supplied it."""
    digest: str
    """SHA-256 of the JSON of ``turns`` in its canonical form, in hex."""
    licence: str
    """Under what terms the text may be used, in the words of the person who supplied it."""
    kind: SourceKind
    turns: tuple[SuppliedEntry, ...]


class TurnStarted(Event, frozen=True, kw_only=True, tag="turn_started"):
    """A debater began an attempt at a turn.  ``directive`` is the position of the directive in force."""

    turn: int
    side: Side
    attempt: int
    directive: int | None
    passages: tuple[str, ...] | UnsetType = UNSET
    """The passages of the evidence that the debater was given; unset in a debate without evidence."""


class ContextSummarised(DerivedEvent, frozen=True, kw_only=True, tag="context_summarised"):
    """From this turn on a debater gets only the first sentences of some earlier turns: its window holds no more.

    A turn that is in neither list is left out.
    """

    turn: int
    side: Side
    turns_in_full: tuple[int, ...]
    turns_summarised: tuple[int, ...]
    words_left_out: tuple[int, ...] | UnsetType = UNSET
    """Positions of the moderator's messages that are left out, if any are."""


class ShortenedTurn(Struct, frozen=True, kw_only=True):
    """A turn of which the judge still reads ``kept``, parts of its text as [start, end) in code points."""

    turn: int
    kept: tuple[Span, ...]


class ContextShortened(DerivedEvent, frozen=True, kw_only=True, tag="context_shortened"):
    """From this turn on the judge reads some earlier turns shortened or not at all: its window holds no more."""

    turn: int
    turns_shortened: tuple[ShortenedTurn, ...]
    turns_without_record: tuple[int, ...] = ()
    """Turns of whose scores, claims and premises the judge is told the mean scores only."""
    turns_left_out: tuple[int, ...] = ()
    """Turns that the judge does not read at all; they are without record too."""


class TurnSpoken(Event, frozen=True, kw_only=True, tag="turn_spoken"):
    """A debater finished a turn."""

    naming: ClassVar[frozenset[str]] = frozenset({"model"})

    turn: int
    side: Side
    attempt: int
    text: str
    words: int
    clipped: bool
    pace: tuple[tuple[int, int], ...]
    """(ms since the start, code points by then), so that a replay speaks at the recorded pace; empty if the words came
    in one piece."""
    model: str
    """Empty for words that no model said."""
    usage: Usage
    latency_ms: int
    by: SpokenBy | UnsetType = UNSET
    """Unset: by a model."""


class TurnFailed(Event, frozen=True, kw_only=True, tag="turn_failed"):
    """An attempt at a turn failed; ``kind`` is the class of the failure."""

    naming: ClassVar[frozenset[str]] = frozenset({"message"})

    turn: int
    side: Side
    attempt: int
    kind: str
    message: str


class AttemptAbandoned(Event, frozen=True, kw_only=True, tag="attempt_abandoned"):
    """An attempt ended that does not count: Moot cut it off, or it first showed how this model must be asked."""

    turn: int
    side: Side
    attempt: int
    kind: str
    message: str


class ModelAnswered(Event, frozen=True, kw_only=True, tag="model_answered"):
    """A model answered a call.

    ``prompt`` is a list of ``[role, digest]``; ``segments`` holds the text of each digest that no earlier event holds.
    """

    private: ClassVar[frozenset[str]] = frozenset({"prompt", "segments", "answer", "reasoning"})
    naming: ClassVar[frozenset[str]] = frozenset({"model", "parameters"})

    call: str
    key: str
    """The question: ``score:3``, ``compare:2-3``, ``second_opinion:C3.1``, ``speak:pro``."""
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


CUT_OFF: Final = frozenset({"halted", "interrupted"})
"""Kinds of calls that Moot itself ended: the debate was halted, or the server stopped."""


class ModelFailed(Event, frozen=True, kw_only=True, tag="model_failed"):
    """A model call gave no usable answer; ``answer`` is the text that came, if any.

    It counts towards the cost: ``usage``, ``cost_usd`` and ``parameters`` are as the vendor reported them.  With a kind
    of ``CUT_OFF`` it is no failure of the model.
    """

    private: ClassVar[frozenset[str]] = frozenset({"prompt", "segments", "answer"})
    naming: ClassVar[frozenset[str]] = frozenset({"model", "message", "parameters"})

    call: str
    key: str
    """The question: ``score:3``, ``compare:2-3``, ``second_opinion:C3.1``, ``speak:pro``."""
    purpose: str
    turn: int | None
    sample: int
    order: tuple[int, ...]
    kind: str
    message: str
    model: str = ""
    parameters: dict[str, str | int | float | bool | None] = field(default_factory=dict)
    usage: Usage = Usage()
    latency_ms: int = 0
    cost_usd: float | Missing = 0.0
    prompt: tuple[tuple[str, str], ...] = ()
    segments: dict[str, str] = field(default_factory=dict)
    answer: str = ""
    at_least: Literal[True] | UnsetType = UNSET
    """Set if the call ended before the vendor had reported all its tokens: usage and cost are at least these."""

    @property
    def is_cut_off(self) -> bool:
        """Whether Moot itself ended the call."""
        return self.kind in CUT_OFF


class PressureApplied(DerivedEvent, frozen=True, kw_only=True, tag="pressure_applied"):
    """The loser of an exchange comes under pressure: four signals in [0, 1]."""

    side: Side
    turn: int
    cognitive: float
    emotional: float
    strategic: float
    credibility: float


class TraitsShifted(DerivedEvent, frozen=True, kw_only=True, tag="traits_shifted"):
    """Traits of a debater changed: ``{trait: [from, to]}``."""

    side: Side
    shifts: dict[str, tuple[float, float]]


class DirectiveIssued(DerivedEvent, frozen=True, kw_only=True, tag="directive_issued"):
    """An instruction for a debater, from its next turn on.  Private until the debate has concluded."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    side: Side
    text: str

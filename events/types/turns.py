"""Turns, the model calls behind them, and the pressure that moves the debaters' traits between turns."""

from typing import ClassVar

from msgspec import UNSET, UnsetType, field

from events.types.base import ALL_PRIVATE, DerivedEvent, Event, Missing, Side, Usage


class TurnStarted(Event, frozen=True, kw_only=True, tag="turn_started"):
    """A debater was given the floor.  ``directive`` is the position of the directive in force."""

    turn: int
    side: Side
    attempt: int
    directive: int | None


class ContextSummarised(DerivedEvent, frozen=True, kw_only=True, tag="context_summarised"):
    """From this turn on a debater reads earlier turns by their first sentences: its window holds no more.

    A turn that stands in neither list is not given at all.
    """

    turn: int
    side: Side
    turns_in_full: tuple[int, ...]
    turns_summarised: tuple[int, ...]
    words_left_out: tuple[int, ...] | UnsetType = UNSET
    """Positions of the moderator's words that it is not given any more, where there are any."""


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
    """(ms since the start, code points by then): a replay speaks at the true pace."""
    model: str
    usage: Usage
    latency_ms: int


class TurnFailed(Event, frozen=True, kw_only=True, tag="turn_failed"):
    """An attempt to speak ended in a classified failure."""

    naming: ClassVar[frozenset[str]] = frozenset({"message"})

    turn: int
    side: Side
    attempt: int
    kind: str
    message: str


class AttemptAbandoned(Event, frozen=True, kw_only=True, tag="attempt_abandoned"):
    """An attempt that does not count against the debater: we cut it off, or it showed how its model must be asked."""

    turn: int
    side: Side
    attempt: int
    kind: str
    message: str


class ModelAnswered(Event, frozen=True, kw_only=True, tag="model_answered"):
    """A model call came back.

    ``prompt`` lists ``[role, digest]``; ``segments`` holds each text once, where it was first used.
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


class ModelFailed(Event, frozen=True, kw_only=True, tag="model_failed"):
    """A model call did not give a usable answer; ``answer`` is what came, if anything did.

    It is paid for like any other: ``usage``, ``cost_usd`` and ``parameters`` are those that the vendor told.
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


class PressureApplied(DerivedEvent, frozen=True, kw_only=True, tag="pressure_applied"):
    """The loser of an exchange feels it, on four signals in [0, 1]."""

    side: Side
    turn: int
    cognitive: float
    emotional: float
    strategic: float
    credibility: float


class TraitsShifted(DerivedEvent, frozen=True, kw_only=True, tag="traits_shifted"):
    """Traits moved: ``{trait: [from, to]}``."""

    side: Side
    shifts: dict[str, tuple[float, float]]


class DirectiveIssued(DerivedEvent, frozen=True, kw_only=True, tag="directive_issued"):
    """What a debater is told from its next turn on; nobody else reads it before the debate has concluded."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    side: Side
    text: str

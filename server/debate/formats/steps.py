"""The steps that a format may ask for: let a debater speak, ask a model a question, record events, wait.

A step is a value.  The format builds it, the moderator (``server/debate/moderator.py``) carries it out.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from events.record import Draft, Recorded
from events.state.debate import Debate
from events.types import DebateLabelled, Side, Think
from events.types.batch import BatchPart
from judge.lenient import lenient, read_as
from providers.base import Material, Outcome, Segment
from providers.errors import UnknownReference, WrongType


class LazyPrompt:
    """A prompt and its material, built when they are first read: computing the next steps stays cheap."""

    def __init__(
        self, build: Callable[[], tuple[Segment, ...]], material: Callable[[], Material | None] = lambda: None
    ) -> None:
        self._build, self._gather = build, material

    @cached_property
    def prompt(self) -> tuple[Segment, ...]:
        """The segments that are sent to the model."""
        return self._build()

    @cached_property
    def material(self) -> Material | None:
        """What the prompt is about, as values; None if the question gives none."""
        return self._gather()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LazyPrompt) and self.prompt == other.prompt

    def __hash__(self) -> int:
        return hash(self.prompt)


class Speak(Struct, frozen=True, kw_only=True):
    """Let a debater speak: one attempt at one turn, streamed to the spectators."""

    turn: int
    side: Side
    attempt: int
    model: str
    lazy_prompt: LazyPrompt
    max_words: int
    max_tokens: int
    temperature: float
    think: Think
    directive: int | None = None
    """Position of the directive in force."""
    passages: tuple[str, ...] = ()
    """The passages of the evidence that the prompt holds."""
    delay_ms: int = 0
    """Wait before the call, for a repeated attempt."""
    cause: int | None = None
    """Position of the event from which the step follows."""
    time_s: float | None = None
    """Seconds that a person has for the turn; None for a model."""
    since: str = ""
    """When a person's time began; empty if it begins with this attempt."""

    @property
    def prompt(self) -> tuple[Segment, ...]:
        """The segments that are sent to the model."""
        return self.lazy_prompt.prompt


def no_fault(_: Any) -> str:
    """The check of a question that accepts every well-typed answer."""
    return ""


class TypedQuestion(Struct, frozen=True, kw_only=True):
    """What a question and each of its calls have in common.  A script answers by ``key``."""

    key: str
    purpose: str
    turn: int | None
    model: str
    answer_type: Any
    """The type that the model is held to."""
    becomes: Any = None
    """The type that the answer is converted to after a lenient reading; None: it must be of ``answer_type``."""
    max_tokens: int
    think: Think
    check: Callable[[Any], str] = no_fault
    """Returns what is wrong with a well-typed answer, in words; an empty text if nothing is wrong."""
    order: tuple[int, ...] = ()
    """For a comparison: the turns in the order in which the prompt shows them."""
    cause: int | None = None
    """Position of the event from which it follows."""
    timeout_s: float | None = None
    """A shorter time limit than the debate's ``judge_timeout_s``."""
    follows: Callable[[Debate], Sequence[Draft]] | None = None
    """What the moderator records right after an answer or a failure, while other calls may be in flight."""
    then: "Callable[[Debate], Sequence[Ask]] | None" = None
    """What the moderator asks after that, while other calls may be in flight."""


class Ask(TypedQuestion, frozen=True, kw_only=True):
    """Ask a model a typed question; ``call`` names this one call in the log."""

    call: str
    sample: int
    attempt: int
    lazy_prompt: LazyPrompt
    temperature: float
    delay_ms: int = 0
    """Wait before the call, for a repeated attempt."""

    @property
    def prompt(self) -> tuple[Segment, ...]:
        """The segments that are sent to the model."""
        return self.lazy_prompt.prompt

    @property
    def material(self) -> Material | None:
        """What the question is about, as values."""
        return self.lazy_prompt.material

    @property
    def reads(self) -> Any:
        """The type that a provider reads the answer as."""
        return self.answer_type if self.becomes is None else lenient(self.answer_type)

    def verify(self, value: Any, *, raw: str = "", outcome: Outcome | None = None) -> None:
        """Raise ``WrongType`` if nothing in the answer can be read, ``UnknownReference`` if ``check`` finds a fault.

        ``raw`` and ``outcome`` are the answer's own, for the error.
        """
        if self.becomes is not None:
            try:
                value, _ = read_as(value, self.answer_type, self.becomes)
            except WrongType as error:
                raise WrongType(error.message, raw=raw, outcome=outcome) from error
        if fault := self.check(value):
            raise UnknownReference(fault, raw=raw, outcome=outcome)


class Record(Struct, frozen=True, kw_only=True):
    """Append the events that the rules derive, as one atomic batch."""

    drafts: tuple[Draft, ...]


class Wait(Struct, frozen=True, kw_only=True):
    """Wait until a person acts on the debate, or until a time; then record what follows from the time."""

    until: str
    """By the wall clock, as in records; empty to wait for a person only."""
    follows: Callable[[Debate], Sequence[Draft]]
    """What the moderator records at that time."""


class Open(Struct, frozen=True, kw_only=True):
    """Open another debate unless it is there, and wait until it rests or is gone."""

    debate: str
    """Its id."""
    request: Callable[[], dict[str, Any]]
    part_of: BatchPart
    labels: DebateLabelled
    after: int
    """Its position before it is resumed; 0 for one that has not been halted."""
    follows: Callable[[Debate, Any], Sequence[Draft]]
    """What the moderator records then; the second argument tells how the debate has ended."""
    then: "Callable[[Debate, Sequence[Recorded]], Sequence[Open]]"
    """The debates that begin after that, by the debate and what was recorded."""


Step = Speak | Ask | Record | Wait | Open


def record(drafts: Sequence[Draft]) -> tuple[Step, ...]:
    """One batch as the only next step; no step if there is nothing to record."""
    return (Record(drafts=tuple(drafts)),) if drafts else ()

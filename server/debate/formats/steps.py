"""What a format may ask the moderator to do."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from msgspec import Struct

from events.record import Draft
from events.types import Side, Think
from providers.base import Segment


class Later:
    """A prompt that is built when it is first read: who only asks what comes next does not wait for it."""

    def __init__(self, build: Callable[[], tuple[Segment, ...]]) -> None:
        self._build = build

    @cached_property
    def prompt(self) -> tuple[Segment, ...]:
        """What is put to a model."""
        return self._build()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Later) and self.prompt == other.prompt

    def __hash__(self) -> int:
        return hash(self.prompt)


class Speak(Struct, frozen=True, kw_only=True):
    """Give a debater the floor."""

    turn: int
    side: Side
    attempt: int
    model: str
    build: Later
    max_words: int
    temperature: float
    think: Think
    directive: int | None = None
    """Position of the directive in force."""
    delay_ms: int = 0
    cause: int | None = None

    @property
    def prompt(self) -> tuple[Segment, ...]:
        """What is put to the model."""
        return self.build.prompt


class Ask(Struct, frozen=True, kw_only=True):
    """Ask a model a typed question.  ``key`` is what a script answers by; ``call`` names this one call in the log."""

    call: str
    key: str
    purpose: str
    turn: int | None
    sample: int
    attempt: int
    model: str
    build: Later
    answer_type: Any
    max_tokens: int
    temperature: float
    think: Think
    check: Callable[[Any], str]
    """What is wrong with a well-typed answer, in words; empty where nothing is."""
    order: tuple[int, ...] = ()
    delay_ms: int = 0
    cause: int | None = None
    timeout_s: float | None = None
    """A shorter deadline than the debate's ``judge_timeout_s``."""

    @property
    def prompt(self) -> tuple[Segment, ...]:
        """What is put to the model."""
        return self.build.prompt


class Record(Struct, frozen=True, kw_only=True):
    """Append what the rules derive, as one atomic batch."""

    drafts: tuple[Draft, ...]


Step = Speak | Ask | Record

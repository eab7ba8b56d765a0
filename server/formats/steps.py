"""What a format may ask the moderator to do."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from events.record import Draft
from events.types import Side
from providers.base import Segment


class Speak(Struct, frozen=True, kw_only=True):
    """Give a debater the floor."""

    turn: int
    side: Side
    attempt: int
    model: str
    prompt: tuple[Segment, ...]
    max_words: int
    temperature: float
    directive: int | None = None
    """Position of the directive in force."""
    delay_ms: int = 0
    cause: int | None = None


class Ask(Struct, frozen=True, kw_only=True):
    """Ask a model a typed question.  ``key`` is what a script answers by; ``call`` names this one call in the log."""

    call: str
    key: str
    purpose: str
    turn: int | None
    sample: int
    attempt: int
    model: str
    prompt: tuple[Segment, ...]
    answer_type: Any
    max_tokens: int
    temperature: float
    check: Callable[[Any], str]
    """What is wrong with a well-typed answer, in words; empty where nothing is."""
    order: tuple[int, ...] = ()
    delay_ms: int = 0
    cause: int | None = None
    timeout_s: float | None = None
    """A shorter deadline than the debate's ``judge_timeout_s``."""


class Record(Struct, frozen=True, kw_only=True):
    """Append what the rules derive, as one atomic batch."""

    drafts: tuple[Draft, ...]


Step = Speak | Ask | Record

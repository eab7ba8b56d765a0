"""The base classes of events, and small values that many events hold."""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

Side = Literal["pro", "con"]
Winner = Literal["pro", "con", "neither"]
Span = tuple[int, int]
"""[start, end) in Unicode code points."""
Think = Literal["default", "off", "low", "medium", "high"]
"""How much a model thinks before it answers; ``default`` leaves it to the vendor.  ``providers`` defines it too."""
Effort = Literal["full", "brief"]
"""How many calls a judge gets for a turn: each question by itself, or at most three calls (four for the last turn)."""

SIDES: tuple[Side, Side] = ("pro", "con")
ALL_PRIVATE: frozenset[str] = frozenset({"*"})
"""In place of the names of fields: the whole event is private."""


def other(side: Side) -> Side:
    """The opponent of ``side``."""
    return "con" if side == "pro" else "pro"


class Reason(Struct, frozen=True):
    """Why a value is missing."""

    reason: str


class Missing(Struct, frozen=True):
    """In place of a value that could not be determined: never a number, never a default."""

    missing: Reason


def missing(reason: str) -> Missing:
    """A missing value with its reason."""
    return Missing(Reason(reason))


class Usage(Struct, frozen=True, kw_only=True, gc=False):
    """Tokens of one call, as the provider reported them.  The last three are absent if there are none."""

    input_tokens: int = 0
    """Cached and written tokens included."""
    output_tokens: int = 0
    """Tokens of thinking included."""
    cached_tokens: int | UnsetType = UNSET
    """Input tokens that the vendor read from its cache."""
    written_tokens: int | UnsetType = UNSET
    """Input tokens that the vendor put into its cache."""
    thought_tokens: int | UnsetType = UNSET
    """Output tokens of thinking, whether the vendor shows the thoughts or not."""


class BothSides(Struct, frozen=True, kw_only=True):
    """A number for each side, or the reason why it is missing."""

    pro: float | Missing
    con: float | Missing


class Rounds(Struct, frozen=True, kw_only=True):
    """Exchanges that each side won."""

    pro: int = 0
    con: int = 0
    drawn: int = 0


class Event(Struct, frozen=True, kw_only=True, gc=False, tag_field="type"):
    """A fact about a debate: in the past tense, immutable, written as JSON under its wire tag ``type``.

    A subclass with a ``tag`` is all that declares an event.  It only ever gains fields with defaults; any other change
    is a new ``schema`` number with an upcaster in ``events.codec``.  Events hold no cycles, so the garbage
    collector ignores them.
    """

    schema: ClassVar[int] = 1
    private: ClassVar[frozenset[str]] = frozenset()
    """Fields that only the director may read until the debate has concluded; ``ALL_PRIVATE`` for the whole event."""
    sealed: ClassVar[bool] = False
    """Whether not even the director may read the private fields before the end.  A frame never has them."""
    naming: ClassVar[frozenset[str]] = frozenset()
    """Fields, dotted, that may name a model: private as well, in a blind debate."""


class DerivedEvent(Event, frozen=True, kw_only=True):
    """An event that only rules write: it follows from the rubric and from earlier events, so ``whatif`` derives it."""

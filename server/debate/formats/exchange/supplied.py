"""A transcript of a debate that was held elsewhere, as a request has it."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from events.types import SourceKind

MAX_ENTRIES: Final = 5000
LATEST_MS: Final = 1 << 40


class TurnRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """One entry of a transcript in a request.  Entries of one side that follow one another become one turn."""

    side: Literal["pro", "con", "context"]
    speaker: str = ""
    text: str
    at_ms: Annotated[int, Meta(ge=0, le=LATEST_MS)] | None = None


class TranscriptRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A transcript in a request.  ``source`` and ``licence`` are words of the person who supplies it."""

    turns: Annotated[list[TurnRequest], Meta(min_length=1, max_length=MAX_ENTRIES)]
    source: str
    licence: str = ""
    kind: SourceKind = "json"

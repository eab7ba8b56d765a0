"""The messages of a feed as a client reads them (docs/http.md#frames)."""

from typing import Any

from msgspec import Struct


class Frame(Struct, frozen=True, kw_only=True):
    """A recorded event, and the merge patch that it makes of the view."""

    position: int
    id: str
    at: str
    cause: int | None
    schema: int
    digest: str
    event: dict[str, Any]
    """Its ``type``, and its fields without those that are withheld."""
    patch: dict[str, Any]
    """RFC 7396."""


class Delta(Struct, frozen=True, kw_only=True):
    """Text of the turn in flight from offset ``at``, in Unicode code points; the event ``turn_spoken`` replaces it."""

    turn: int
    attempt: int
    at: int
    text: str

"""What both stores' indexes of speeches have in common.  An index is a projection of the events."""

from typing import Any, Final

from events import codec
from events.errors import UnknownEvent
from events.record import Envelope, Recorded, decoded
from events.text.said import text_of, words_of

SPOKEN: Final = tuple(f'{{"type":"{tag}",'.encode() for tag in ("turn_spoken", "moderator_spoke"))
"""How the payloads begin that hold speeches."""
LAST: Final = (1 << 63) - 1
"""A key beyond all."""


def words_in(schema: int, payload: bytes) -> list[str]:
    """The distinct words of an event's text; none if the event cannot be read."""
    try:
        return list(dict.fromkeys(word.text for word in words_of(text_of(codec.decode(payload, schema)))))
    except UnknownEvent:
        return []


def record_of(position: int, debate: str, *stored: Any) -> Recorded:
    """The record of a row: debate, id, at, cause, schema, salt, digest, payload."""
    identity, at, cause, schema, salt, digest, payload = stored
    return decoded(Envelope(debate, position, identity, at, cause, schema, salt, payload, digest))

"""The envelope of an event, and the chain of digests over a debate's events.

``payload_digest = SHA-256(salt ‖ payload)`` and ``digest = SHA-256(previous digest ‖ header ‖ payload_digest)``, where
the header is the compact JSON array ``[debate, position, id, at, cause, schema]`` in UTF-8 and digests are raw bytes.
The digest before position 1 is ``SHA-256(debate id)``.  On the wire digests and salts are lower-case hex.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events import codec
from events.clock import SYSTEM, Clock, id_suffix
from events.short_names import with_short_names
from events.types import ALL_PRIVATE, Event

_json: Final = msgspec.json.Encoder()
_encode: Final = _json.encode

MAX_PAYLOAD: Final = 64 << 20
"""Bytes of one event: what is written can be read back from a file."""
WITHHELD: Final = msgspec.Raw(b'{"type":"withheld"}')


class Draft(Struct, frozen=True, kw_only=True):
    """An event to be recorded.  An append with the same ``id`` may be repeated safely; by default the id is new."""

    event: Event
    cause: int | None = None
    id: str = ""


class Envelope(Struct, frozen=True, gc=False):
    """The stored form of an event, its payload not decoded.  Positional arguments are faster."""

    debate: str
    position: int
    id: str
    at: str
    cause: int | None
    schema: int
    salt: bytes
    payload: bytes
    digest: bytes

    @property
    def payload_digest(self) -> bytes:
        """Verifies the chain for readers that may not see the payload."""
        return digest_payload(self.salt, self.payload)


class Recorded(Envelope, frozen=True, gc=False):
    """An envelope with its decoded event.  It is immutable and holds no cycles, so the garbage collector ignores it."""

    event: Event


class EventLine(Struct, kw_only=True):
    """One line of an export or item of ``/events``.  ``event`` holds the payload bytes unchanged."""

    debate: str
    position: int
    id: str
    at: str
    cause: int | None
    schema: int
    digest: str
    event: msgspec.Raw
    salt: str | UnsetType = UNSET
    payload_digest: str | UnsetType = UNSET


def decoded(stored: Envelope) -> Recorded:
    """The record of an envelope, its event decoded from the payload.  Raises ``UnknownEvent``."""
    event, at, salt = codec.decode(stored.payload, stored.schema), stored.at, stored.salt
    head = stored.debate, stored.position, stored.id, at, stored.cause, stored.schema
    return Recorded(*head, salt, stored.payload, stored.digest, event)


def unstored(debate: str, position: int, at: str, cause: int | None, event: Event) -> Recorded:
    """An event as a record for a fold that runs ahead of the log: it has no id and no digest."""
    return Recorded(debate, position, "", at, cause, 1, b"", b"", b"", event)


def digest_before_first(debate: str) -> bytes:
    """The digest that position 1 follows."""
    return sha256(debate.encode()).digest()


def digest_payload(salt: bytes, payload: bytes | msgspec.Raw) -> bytes:
    """SHA-256(salt ‖ payload)."""
    return sha256(b"".join((salt, payload))).digest()


def chain(
    previous: bytes,
    *,
    debate: str,
    position: int,
    id: str,  # noqa: A002 - the field's name
    at: str,
    cause: int | None,
    schema: int,
    payload_digest: bytes,
) -> bytes:
    """The digest of an envelope that follows ``previous``."""
    header = _json.encode((debate, position, id, at, cause, schema))
    return sha256(previous + header + payload_digest).digest()


def digest_after(previous: bytes, each: Envelope | EventLine, payload_digest: bytes) -> bytes:
    """The digest that ``each`` must have after ``previous``."""
    return chain(
        previous,
        debate=each.debate,
        position=each.position,
        id=each.id,
        at=each.at,
        cause=each.cause,
        schema=each.schema,
        payload_digest=payload_digest,
    )


def new_id() -> str:
    """See ``Clock.new_id``."""
    return SYSTEM.new_id()


def now() -> str:
    """See ``Clock.now``."""
    return SYSTEM.now()


def as_draft(item: Draft | Event) -> Draft:
    """A draft unchanged; an event as a draft without a cause."""
    return item if isinstance(item, Draft) else Draft(event=item)


class Stamper:
    """Stamps drafts at one time.  The random bytes for ``drafts`` drafts are drawn once."""

    __slots__ = ("_begins", "_noise", "_used", "at")

    def __init__(self, at: str, drafts: int, clock: Clock = SYSTEM) -> None:
        self.at = at
        self._noise, self._used = clock.random.randbytes(26 * drafts), 0  # 16 of salt and 10 of id for each
        self._begins = clock.id_prefix()

    def stamp(
        self,
        debate: str,
        after: int,
        previous: bytes,
        drafts: Sequence[Draft],
        payloads: Sequence[bytes],
    ) -> tuple[Recorded, ...]:
        """See ``stamp``."""
        records, position = [], after
        noise, used, at, begins = self._noise, self._used, self.at, self._begins
        self._used = used + 26 * len(drafts)
        for draft, payload in zip(drafts, payloads, strict=True):
            position += 1
            middle, end = used + 16, used + 26
            salt, identity, cause, event = noise[used:middle], draft.id, draft.cause, draft.event
            if not identity:
                identity = begins + id_suffix(noise[middle:end])
            used = end
            if cause is not None and not 0 < cause < position:
                raise ValueError(f"position {position} cannot be caused by {cause}")
            if len(payload) > MAX_PAYLOAD:
                raise ValueError(f"an event of {len(payload):,} bytes: it may have {MAX_PAYLOAD:,}")
            schema = event.schema
            header = _encode((debate, position, identity, at, cause, schema))
            previous = sha256(previous + header + sha256(salt + payload).digest()).digest()
            records.append(Recorded(debate, position, identity, at, cause, schema, salt, payload, previous, event))
        return tuple(records)


def stamp(
    debate: str,
    after: int,
    previous: bytes,
    drafts: Sequence[Draft],
    at: str,
    payloads: Sequence[bytes],
    clock: Clock = SYSTEM,
) -> tuple[Recorded, ...]:
    """Drafts with their ``payloads`` as records that follow position ``after``, whose digest is ``previous``.

    Raises ``ValueError`` for a cause that is not an earlier position, and for an event over ``MAX_PAYLOAD``.
    """
    return Stamper(at, len(drafts), clock).stamp(debate, after, previous, drafts, payloads)


def first_break(
    records: Iterable[Envelope],
    debate: str,
    after: int = 0,
    previous: bytes = b"",
) -> tuple[int, str] | None:
    """The first position that does not follow from the one before, and why; None if the chain holds."""
    previous = previous or digest_before_first(debate)
    for expected, record in enumerate(records, after + 1):
        if record.debate != debate:
            return expected, f"it belongs to debate {record.debate}"
        if record.position != expected:
            return expected, f"position {record.position} stands there"
        try:
            digest = digest_after(previous, record, record.payload_digest)
        except (UnicodeEncodeError, TypeError) as error:
            return expected, f"its envelope cannot be read: {error}"
        if digest != record.digest:
            return expected, "its digest does not follow from the record and the one before"
        previous = digest
    return None


def is_repeat(records: Sequence[Recorded], drafts: Sequence[Draft]) -> bool:
    """Whether ``records`` hold exactly ``drafts``, by their ids."""
    return len(records) == len(drafts) and all(
        draft.id and draft.id == record.id for record, draft in zip(records, drafts, strict=True)
    )


def withheld(event: Event, *, blind: bool = False) -> frozenset[str]:
    """The private fields of the event, dotted; in a ``blind`` debate also those that name a model."""
    return event.private | event.naming if blind else event.private


def shows_private(event: Event, revealed: bool, has_ended: bool) -> bool:
    """Whether a reader may see the private fields: a director (``revealed``), but of sealed events only at the end."""
    return revealed and (has_ended or not event.sealed)


def full_line(record: Envelope) -> EventLine:
    """The record with all fields, for the director and for exports."""
    return EventLine(
        debate=record.debate,
        position=record.position,
        id=record.id,
        at=record.at,
        cause=record.cause,
        schema=record.schema,
        salt=record.salt.hex(),
        digest=record.digest.hex(),
        event=msgspec.Raw(record.payload),
    )


def public_line(record: Recorded, *, blind: bool = False, revealed: bool = False, has_ended: bool = False) -> EventLine:
    """The record without folders of scripts and, unless ``revealed``, without private fields.

    Before the debate ``has_ended``, a sealed event has none either.  The chain still verifies by ``payload_digest``.
    """
    event = with_short_names(record.event)
    private = frozenset[str]() if shows_private(event, revealed, has_ended) else withheld(event, blind=blind)
    if not private and event is record.event:
        return full_line(record)
    shown, payload_digest = payload_without(event, private), record.payload_digest.hex()
    return replace(full_line(record), salt=UNSET, event=shown, payload_digest=payload_digest)


def payload_without(event: Event, private: frozenset[str]) -> msgspec.Raw:
    """The JSON of an event without these fields."""
    if private >= ALL_PRIVATE:
        return WITHHELD
    shown: dict[str, Any] = {"type": codec.tag_of(event)}
    for name in event.__struct_fields__:
        if name not in private:
            value = getattr(event, name)
            if value is not UNSET:
                shown[name] = value
    for name, _, inner in (each.partition(".") for each in private if "." in each):
        shown[name] = _without(shown[name], inner)
    return msgspec.Raw(_json.encode(shown))


def _without(value: Any, inner: str) -> Any:
    """A struct, or each of several, as builtins without one field."""
    if isinstance(value, tuple | list):
        return [_without(each, inner) for each in value]
    return {name: each for name, each in msgspec.to_builtins(value).items() if name != inner}


def copied_into(debate: str, previous: bytes, records: Iterable[Recorded]) -> Iterator[Recorded]:
    """The same records in another debate, after the digest ``previous``.

    Positions, ids, times, causes, salts and payloads stay as they are; the chain is computed again, because it covers
    the debate's id.
    """
    for each in records:
        copy = replace(each, debate=debate)
        previous = digest_after(previous, copy, copy.payload_digest)
        yield replace(copy, digest=previous)

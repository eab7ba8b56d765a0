"""Encode events to payload bytes, and decode them.

A payload is encoded once; its bytes never change.  A payload of an old schema is upcast after it is read: an upcaster
takes the builtins of one schema of a type to those of the next schema.
"""

from collections.abc import Callable, Iterator
from functools import reduce
from operator import or_
from typing import Any, Final, cast

import msgspec

from events.errors import UnknownEvent
from events.types import Event

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]


def _leaves(cls: type[Event]) -> Iterator[type[Event]]:
    """The classes below ``cls`` that have no subclasses: the others only share fields."""
    below = cls.__subclasses__()
    for each in below:
        yield from _leaves(each)
    if not below:
        yield cls


CLASSES: Final = {cast("str", cls.__struct_config__.tag): cls for cls in _leaves(Event)}
"""Event classes by wire tag."""

UPCASTERS: Final[dict[tuple[str, int], Upcaster]] = {}
"""By (tag, schema): the function that upcasts this schema to the next one."""

_encode: Final = msgspec.json.Encoder().encode
_any_event: Final[Any] = reduce(or_, CLASSES.values())
_decoder: Final[msgspec.json.Decoder[Event]] = msgspec.json.Decoder(_any_event)
decode_newest: Final = _decoder.decode
"""Decode bytes of the newest schema.  Raises ``msgspec.DecodeError``, ``UnicodeDecodeError``."""


class _Tag(msgspec.Struct):
    type: str


_tag_decoder: Final = msgspec.json.Decoder(_Tag)


def tag_of(event: Event) -> str:
    """The wire tag of an event."""
    return cast("str", event.__struct_config__.tag)


def encode(event: Event) -> bytes:
    """Payload bytes of an event."""
    return _encode(event)


def decode(payload: bytes | msgspec.Raw, schema: int) -> Event:
    """The event in ``payload``, upcast to the newest schema.  Raises ``UnknownEvent``."""
    if schema == 1 and not UPCASTERS:
        try:
            return decode_newest(payload)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UnknownEvent(str(error)) from error
    return _decode_upcasting(payload, schema)


def _decode_upcasting(payload: bytes | msgspec.Raw, schema: int) -> Event:
    try:
        tag = _tag_decoder.decode(payload).type
        cls = CLASSES.get(tag)
        if cls is None:
            raise UnknownEvent(f"no type {tag!r}")
        if schema == cls.schema:
            return _decoder.decode(payload)
        if schema > cls.schema:
            raise UnknownEvent(f"{tag!r} has schema {schema}, written by a newer Moot (this one knows {cls.schema})")
        builtins = msgspec.json.decode(payload)
        for version in range(schema, cls.schema):
            if (tag, version) not in UPCASTERS:
                raise UnknownEvent(f"{tag!r} of schema {version} cannot be upcast")
            builtins = UPCASTERS[tag, version](builtins)
        return msgspec.convert(builtins, cls)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnknownEvent(str(error)) from error

"""Payload bytes: events are encoded and decoded, old schemas are upcast, newer ones are refused."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import codec
from events.errors import UnknownEvent
from events.types import TurnFailed
from tests.events.samples import debate

events = st.one_of([st.from_type(codec.CLASSES[name]) for name in ("turn_started", "turn_failed", "debate_paused")])


@pytest.mark.slow
@given(events)
def test_an_encoded_event_is_decoded(event: Any) -> None:
    try:
        payload = codec.encode(event)
    except UnicodeEncodeError:
        return  # lone surrogates are refused

    assert event == codec.decode(payload, event.schema)


@pytest.mark.parametrize("event", debate(), ids=codec.tag_of)
def test_samples_are_encoded_and_decoded(event: Any) -> None:
    assert event == codec.decode(codec.encode(event), 1)
    assert event == codec.decode(msgspec.Raw(codec.encode(event)), 1)


def test_every_class_is_found_by_its_tag() -> None:
    assert all(name == msgspec.inspect.type_info(cls).tag for name, cls in codec.CLASSES.items())  # type: ignore[attr-defined]
    assert len(codec.CLASSES) >= 13


@pytest.fixture
def schema_3(monkeypatch: pytest.MonkeyPatch) -> None:
    """``turn_failed`` as if it had been changed twice: ``why`` became ``message``, then ``kind`` came."""
    monkeypatch.setattr(TurnFailed, "schema", 3)
    monkeypatch.setitem(codec.UPCASTERS, ("turn_failed", 1), lambda old: {**old, "message": old["why"]})
    monkeypatch.setitem(codec.UPCASTERS, ("turn_failed", 2), lambda old: {**old, "kind": "unknown"})


NOW = TurnFailed(turn=1, side="pro", attempt=1, kind="unknown", message="m")


@pytest.mark.usefixtures("schema_3")
def test_old_schemas_are_upcast_step_by_step() -> None:
    first = b'{"type":"turn_failed","turn":1,"side":"pro","attempt":1,"why":"m"}'
    second = b'{"type":"turn_failed","turn":1,"side":"pro","attempt":1,"message":"m"}'

    assert codec.decode(first, 1) == NOW
    assert codec.decode(second, 2) == NOW
    assert codec.decode(codec.encode(NOW), 3) == NOW


@pytest.mark.usefixtures("schema_3")
def test_events_of_other_types_are_read_unchanged() -> None:
    for event in debate():
        assert event == codec.decode(codec.encode(event), 1)


@pytest.mark.usefixtures("schema_3")
@pytest.mark.parametrize(
    ("payload", "schema", "says"),
    [
        (codec.encode(NOW), 4, "schema 4, written by a newer Moot"),
        (codec.encode(NOW), 0, "cannot be upcast"),
        (b'{"type":"turn_failed","why":"m"}', 1, "missing required field"),
        (b'{"type":"turn_sung"}', 1, "turn_sung"),
        (b"{}", 1, "type"),
    ],
)
def test_a_payload_that_cannot_be_upcast_is_refused_with_a_reason(payload: bytes, schema: int, says: str) -> None:
    with pytest.raises(UnknownEvent, match=says):
        codec.decode(payload, schema)


@pytest.mark.parametrize(
    ("payload", "schema"),
    [
        (b'{"type":"turn_sung"}', 1),
        (b"", 1),
        (b"{", 1),
        (b'{"type":"debate_paused","reason":"\xff","by":""}', 1),
        (b'{"type":"debate_paused","reason":"r","by":"b"}', 2),
        (b"[" * 100_000, 1),
    ],
)
def test_an_unknown_payload_is_refused(payload: bytes, schema: int) -> None:
    with pytest.raises(UnknownEvent):
        codec.decode(payload, schema)

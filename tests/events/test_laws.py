"""Laws of the chain and of merge patches."""

import importlib
import uuid
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import codec
from events.patch import diff, merge
from events.record import as_draft, chain, digest_before_first, digest_payload, first_break, new_id, stamp
from events.types import Event
from tests.events.samples import debate, started

AT = "2026-11-21T09:30:00.123456Z"

leaves = st.one_of(st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.integers(), max_size=3))
trees = st.recursive(
    st.dictionaries(st.text(max_size=2), leaves, max_size=4),
    lambda inner: st.dictionaries(st.text(max_size=2), st.one_of(leaves, inner), max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@given(trees, trees)
def test_a_merged_patch_gives_the_later_view(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert msgspec.to_builtins(after) == merge(msgspec.to_builtins(before), msgspec.to_builtins(diff(before, after)))


@pytest.mark.slow
@given(trees)
def test_equal_views_need_no_patch(view: dict[str, Any]) -> None:
    assert diff(view, dict(view)) == {}


def stamp_all(name: str, events: list[Event]) -> Any:
    drafts, payloads = [as_draft(event) for event in events], [codec.encode(event) for event in events]
    return stamp(name, 0, digest_before_first(name), drafts, AT, payloads)


def test_the_digest_covers_what_the_contract_says() -> None:
    first, second = stamp_all("d1", [started(), started(2)])

    assert first.digest == chain(
        digest_before_first("d1"),
        debate="d1",
        position=1,
        id=first.id,
        at=AT,
        cause=None,
        schema=1,
        payload_digest=digest_payload(first.salt, first.payload),
    )
    assert second.digest == chain(
        first.digest,
        debate="d1",
        position=2,
        id=second.id,
        at=AT,
        cause=None,
        schema=1,
        payload_digest=second.payload_digest,
    )


@given(st.integers(0, 7), st.sampled_from(["id", "at", "cause", "schema", "salt", "payload", "digest"]))
def test_a_changed_field_breaks_the_chain_at_its_position(index: int, field: str) -> None:
    records = list(stamp_all("d1", debate()))
    was = getattr(records[index], field)
    changed = was + was[:1] if isinstance(was, str | bytes) else 77
    records[index] = msgspec.structs.replace(records[index], **{field: changed})

    found = first_break(records, "d1")

    assert found is not None
    assert index + 1 == found[0]


def test_the_chain_of_any_prefix_holds() -> None:
    records = stamp_all("d1", debate())

    assert [None] * len(records) == [first_break(records[:end], "d1") for end in range(len(records))]
    assert first_break(records[3:], "d1", 3, records[2].digest) is None


def test_ids_are_of_version_7_and_in_order_of_time() -> None:
    ids = [new_id() for _ in range(200)] + [record.id for record in stamp_all("d1", [started()] * 200)]

    assert {(7, uuid.RFC_4122)} == {(uuid.UUID(text).version, uuid.UUID(text).variant) for text in ids}
    assert ids == [str(uuid.UUID(text)) for text in ids]
    assert sorted(text[:13] for text in ids) == [text[:13] for text in ids]
    assert len(set(ids)) == 400


def test_the_package_called_events_is_ours() -> None:
    module = importlib.import_module("events")

    assert Path(__file__).parents[2] / "events" / "__init__.py" == Path(str(module.__file__))

"""Documents of a request become events: ids, digests, passages, and refusals that name their field."""

import base64
import hashlib
from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from events.state import debate as debates
from events.types import EvidenceDocument, EvidenceSupplied
from server.debate.setup.request import as_request
from server.errors import BadField
from server.evidence.documents import evidence_for
from tests.server.harness import check_sound, harness

pytestmark = pytest.mark.anyio
BUSES = "Buses carry more people than cars on the same road.\n\nA bus lane moves ten thousand people an hour.\n"
TREES = "Trees cool a street by four degrees."


async def read(*documents: dict[str, Any]) -> tuple[EvidenceSupplied, ...]:
    return await evidence_for(as_request({"motion": "Ban cars", "evidence": list(documents)}).evidence)


@pytest.mark.slow
async def test_a_document_has_its_digest_and_its_text_as_passages() -> None:
    (supplied,) = await read({"name": "buses.md", "text": BUSES})

    assert (
        EvidenceDocument(
            id="D1",
            name="buses.md",
            digest=hashlib.sha256(BUSES.encode()).hexdigest(),
            media_type="text/markdown",
        )
        == supplied.document
    )
    assert [("E1", BUSES.replace("\n\n", "\n").strip())] == [(each.id, each.text) for each in supplied.passages]


@pytest.mark.slow
async def test_ids_count_on_through_all_documents_and_bytes_give_the_same_as_text() -> None:
    as_bytes = base64.b64encode(TREES.encode()).decode()

    first, second, third = await read(
        {"name": "b", "text": BUSES}, {"name": "t", "base64": as_bytes}, {"name": "t", "text": TREES}
    )

    assert ["E1", "E2", "E3"] == [each.id for supplied in (first, second, third) for each in supplied.passages]
    assert second.document.digest == third.document.digest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("document", "field", "why"),
    [
        ({"name": "a"}, "evidence.0", "one of the two"),
        ({"name": "a", "text": "x", "base64": "eA=="}, "evidence.0", "one of the two"),
        ({"name": "a", "base64": "%"}, "evidence.0.base64", "not base64"),
        ({"name": "a", "text": " \n"}, "evidence.0", "a is empty"),
        ({"name": "a", "text": "x" * 2_000_001}, "evidence.0", "2,000,000 characters"),
    ],
)
async def test_a_document_that_cannot_be_read_is_refused(document: dict[str, Any], field: str, why: str) -> None:
    with pytest.raises(BadField, match=why) as refused:
        await read(document)

    assert field == refused.value.field


def test_only_debates_have_evidence() -> None:
    with pytest.raises(BadField, match="two sides"):
        as_request({"format": "deliberation", "artifact": {"text": "x"}, "evidence": [{"name": "a", "text": "x"}]})


@pytest.mark.slow
async def test_the_evidence_follows_the_opening_and_is_in_the_state(script: Callable[..., str]) -> None:
    async with harness() as h:
        opened = await h.opening(script(), turns=1)
        debate = await h.moderators.open(opened, await read({"name": "t.txt", "text": TREES}))
        await h.ended(debate)
        records = await check_sound(h.log, debate)

    assert isinstance(records[1].event, EvidenceSupplied)
    state = reduce(debates.evolve, records, debates.INITIAL)
    assert {"E1": ("D1", TREES)} == {
        name: (each.document, each.passage.text) for name, each in state.evidence.passages.items()
    }

"""The documents of a request, read and cut into passages: one event for each document."""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct

from events.types import EvidenceDocument, EvidencePassage, EvidenceSupplied
from server.debate.speech import clean
from server.errors import BadField
from server.evidence.passages import Block, CutPassage, cut

MOST_DOCUMENTS: Final = 20
MOST_BYTES: Final = 50_000_000
"""Bytes of a document."""
MOST_CHARACTERS: Final = 2_000_000
"""Characters of all documents of a debate, as text."""
MOST_NAME: Final = 200
TYPES: Final = {".md": "text/markdown", ".markdown": "text/markdown"}
"""Media types by the end of the name; every other name is that of plain text."""


class EvidenceRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A document in a request: its ``text``, or the bytes of its file in ``base64``."""

    name: Annotated[str, Meta(min_length=1, max_length=MOST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")]
    media_type: Annotated[str, Meta(max_length=100)] | None = None
    """Without it, the end of the name decides."""
    text: str | None = None
    base64: str | None = None


async def evidence_for(wanted: Sequence[EvidenceRequest] | None) -> tuple[EvidenceSupplied, ...]:
    """The events of a request's documents, in their order.  Raises ``BadField``."""
    supplied: list[EvidenceSupplied] = []
    passages = characters = 0
    for number, each in enumerate(wanted or ()):
        field = f"evidence.{number}"
        content = _content(each, field)
        text = clean(content.decode())
        characters += len(text)
        if characters > MOST_CHARACTERS:
            raise BadField(field, f"the documents of a debate have at most {MOST_CHARACTERS:,} characters together")
        found = tuple(cut(Block(text=part) for part in text.split("\n\n")))
        if not found:
            raise BadField(field, f"{each.name} has no text")
        supplied.append(_supplied(number + 1, each, content, found, passages))
        passages += len(found)
    return tuple(supplied)


def _content(wanted: EvidenceRequest, field: str) -> bytes:
    """The bytes of a document.  Raises ``BadField``."""
    if (wanted.text is None) == (wanted.base64 is None):
        raise BadField(field, "a document has its text or its bytes in base64, one of the two")
    try:
        content = base64.b64decode(wanted.base64, validate=True) if wanted.base64 is not None else b""
    except (binascii.Error, ValueError) as error:
        raise BadField(f"{field}.base64", f"{wanted.name}: this is not base64") from error
    if wanted.text is not None:
        content = wanted.text.encode("utf-8", "replace")
    if len(content) > MOST_BYTES:
        raise BadField(field, f"{wanted.name} has more than {MOST_BYTES // 1_000_000} MB")
    return content


def _supplied(
    number: int, wanted: EvidenceRequest, content: bytes, found: Sequence[CutPassage], before: int
) -> EvidenceSupplied:
    suffix = "." + wanted.name.rpartition(".")[2].lower()
    return EvidenceSupplied(
        document=EvidenceDocument(
            id=f"D{number}",
            name=wanted.name,
            digest=hashlib.sha256(content).hexdigest(),
            media_type=wanted.media_type or TYPES.get(suffix, "text/plain"),
        ),
        passages=tuple(
            EvidencePassage(
                id=f"E{before + at}", text=each.text, page=each.page or UNSET, heading=each.heading or UNSET
            )
            for at, each in enumerate(found, 1)
        ),
    )

"""The documents of a request, read and cut into passages: one event for each document."""

import base64
import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from anyio import to_thread
from msgspec import UNSET, Struct

from events.misfits import misfit_words
from events.text.languages import language_name
from events.types import EvidenceDocument, EvidencePassage, EvidenceSupplied
from judge.evidence.checks import RULES
from server.debate.opening.language import document_language
from server.errors import BadField
from server.evidence.passages import MAX_CHARACTERS
from server.evidence.reading import MEDIA_TYPES, kind_of, read_document
from server.evidence.request import EvidenceRequest
from server.evidence.text import Unreadable

MAX_BYTES: Final = 50_000_000
"""Bytes of a document."""
FIRST: Final = 8
"""Passages of a preview."""


FORMATS: Final = {
    "application/pdf": "PDF",
    "text/html": "HTML",
    "text/markdown": "Markdown",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
    "application/vnd.oasis.opendocument.text": "ODT",
}
"""What the formats of documents are called."""


class EvidencePreview(Struct, frozen=True, kw_only=True):
    """How a document is read: its text in characters and passages, and the first of these."""

    document: EvidenceDocument
    characters: int
    passages: int
    misread: int
    """Passages of pages that were read badly: their words run together."""
    first: tuple[EvidencePassage, ...]
    says: str
    """The same in words: its title, its format, how many passages, its language, and how many were read badly."""


async def evidence_for(wanted: Sequence[EvidenceRequest] | None) -> tuple[EvidenceSupplied, ...]:
    """The events of a request's documents, in their order.  Raises ``BadField``."""
    supplied: list[EvidenceSupplied] = []
    passages, left = 0, MAX_CHARACTERS
    for number, each in enumerate(wanted or ()):
        field = f"evidence.{number}"
        event, characters = await _read(number, each, field, passages, left)
        supplied.append(event)
        passages, left = passages + len(event.passages), left - characters
    return tuple(supplied)


async def preview_of(said: Any) -> EvidencePreview:
    """How the document of a request would be read.  Raises ``BadField``."""
    try:
        wanted = msgspec.convert(said, EvidenceRequest)
    except msgspec.ValidationError as error:
        raise BadField("evidence", misfit_words(error, "the document")) from error
    event, characters = await _read(0, wanted, "evidence", 0, MAX_CHARACTERS)
    misread = sum(bool(each.misread) for each in event.passages)
    return EvidencePreview(
        document=event.document,
        characters=characters,
        passages=len(event.passages),
        misread=misread,
        first=event.passages[:FIRST],
        says=_in_words(event.document, len(event.passages), misread),
    )


def _in_words(document: EvidenceDocument, passages: int, misread: int) -> str:
    title, language = document.title or "", document.language or ""
    parts = (
        f"“{title}”" if title not in {"", document.name} else "",
        FORMATS.get(document.media_type, "text"),
        f"{passages:,} passage{'' if passages == 1 else 's'}",
        f"in {language_name(language)}" if language else "",
        f"{misread} read badly: words run together, and nothing is charged there" if misread else "",
    )
    return " · ".join(filter(None, parts))


async def _read(
    number: int, wanted: EvidenceRequest, field: str, before: int, left: int
) -> tuple[EvidenceSupplied, int]:
    """The event of a document and its characters; ``left``: how many it may have.  Raises ``BadField``."""
    content, digest = await to_thread.run_sync(_content, wanted, field)
    kind = kind_of(wanted.name, wanted.media_type, content)
    try:
        found = await read_document(content, kind, left)
    except Unreadable as error:
        raise BadField(field, f"{wanted.name} {error.why}") from error
    begun = "\n".join(each.text for each in found.passages[:FIRST])
    language = await to_thread.run_sync(document_language, begun)
    document = EvidenceDocument(
        id=f"D{number + 1}",
        name=wanted.name,
        digest=digest,
        media_type=MEDIA_TYPES[kind],
        title=found.title or UNSET,
        language=language or UNSET,
    )
    passages = tuple(
        EvidencePassage(
            id=f"E{before + at}",
            text=each.text,
            page=each.page or UNSET,
            heading=each.heading or UNSET,
            misread=each.is_misread or UNSET,
        )
        for at, each in enumerate(found.passages, 1)
    )
    return EvidenceSupplied(document=document, passages=passages, rules=RULES), found.characters


def _content(wanted: EvidenceRequest, field: str) -> tuple[bytes, str]:
    """The bytes of a document and their digest.  Raises ``BadField``."""
    if (wanted.text is None) == (wanted.base64 is None):
        raise BadField(field, "a document has its text or its bytes in base64, one of the two")
    if wanted.text is not None:
        content = wanted.text.encode("utf-8", "replace")
    else:
        try:
            content = base64.b64decode(wanted.base64 or "", validate=True)
        except ValueError as error:
            raise BadField(f"{field}.base64", f"{wanted.name}: this is not base64") from error
    if len(content) > MAX_BYTES:
        raise BadField(field, f"{wanted.name} has more than {MAX_BYTES // 1_000_000} MB")
    return content, hashlib.sha256(content).hexdigest()

"""The documents of a debate and their passages."""

from typing import Final

from msgspec import UNSET, Struct

from events.record import Recorded
from events.types import EvidenceDocument, EvidencePassage, EvidenceSupplied


class SuppliedPassage(Struct, frozen=True, kw_only=True, gc=False):
    """A passage and the id of its document."""

    document: str
    passage: EvidencePassage


class EvidencePack(Struct, frozen=True, kw_only=True, gc=False):
    """All documents and all passages, by id, in their order."""

    documents: dict[str, EvidenceDocument] = {}
    passages: dict[str, SuppliedPassage] = {}
    rules: int = 1
    """By which citations are checked."""

    @property
    def misread(self) -> frozenset[str]:
        """The passages whose page was read badly."""
        return frozenset(name for name, each in self.passages.items() if each.passage.misread)

    def foreign(self, language: str) -> dict[str, str]:
        """The documents in another language than this one: their languages by id, as BCP 47 tags."""
        return {name: each.language for name, each in self.documents.items() if each.language not in (UNSET, language)}


INITIAL = EvidencePack()
MOVED_BY: Final = frozenset({EvidenceSupplied})


def apply(pack: EvidencePack, record: Recorded) -> EvidencePack:
    """The evidence after ``record``; the same object if no document was supplied."""
    event = record.event
    if not isinstance(event, EvidenceSupplied):
        return pack
    named = event.document.id
    return EvidencePack(
        documents={**pack.documents, named: event.document},
        passages={
            **pack.passages,
            **{each.id: SuppliedPassage(document=named, passage=each) for each in event.passages},
        },
        rules=event.rules or 1,
    )

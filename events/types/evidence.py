"""The documents that a debate is held with, cut into passages that debaters may cite."""

from msgspec import UNSET, Struct, UnsetType

from events.types.base import Event


class EvidenceDocument(Struct, frozen=True, kw_only=True):
    """A document, ``D1``, ``D2`` …; ``digest`` is SHA-256 of the bytes of its file, or of its text in UTF-8."""

    id: str
    name: str
    digest: str
    media_type: str
    title: str | UnsetType = UNSET
    """Its own title, where it has one."""
    language: str | UnsetType = UNSET
    """BCP 47 tag of its language, where that is certain."""


class EvidencePassage(Struct, frozen=True, kw_only=True):
    """Some sentences of a document, ``E1``, ``E2`` … through all documents of a debate."""

    id: str
    text: str
    page: int | UnsetType = UNSET
    """The page on which it begins, from 1, in a document with pages."""
    heading: str | UnsetType = UNSET
    """The heading that it stands under, where that is known."""
    misread: bool | UnsetType = UNSET
    """Whether its page was read badly: words run together.  Nothing is charged for quotations of it."""


class EvidenceSupplied(Event, frozen=True, kw_only=True, tag="evidence_supplied"):
    """A document that debaters may cite, with all its text as passages in their order."""

    document: EvidenceDocument
    passages: tuple[EvidencePassage, ...]
    rules: int | UnsetType = UNSET
    """The rules by which citations of the debate are checked; those of the first release without it.

    2: only the opponent's earlier words excuse a quotation, and one that leaves out a negation or a number is no
    quotation.
    """

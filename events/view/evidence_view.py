"""The evidence as the page shows it: its documents, the passages that turns cite, and the findings."""

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.parts.evidence import EvidencePack
from events.text.languages import language_name
from events.types import CitationChecked, EvidenceWeighed


class DocumentView(Struct, frozen=True, kw_only=True, gc=False):
    """A document, without its text."""

    name: str
    digest: str
    media_type: str
    title: str | UnsetType = UNSET
    passages: int
    """The number of its passages."""
    misread: int | UnsetType = UNSET
    """How many of them are of pages that were read badly; unset if none is."""
    language: str | UnsetType = UNSET
    """The name of its language, in English; unset unless it is another one than that of the debate."""


class PassageView(Struct, frozen=True, kw_only=True, gc=False):
    """A passage that a finding names."""

    document: str
    text: str
    page: int | UnsetType = UNSET
    heading: str | UnsetType = UNSET
    misread: bool | UnsetType = UNSET


class EvidenceView(Struct, frozen=True, kw_only=True, gc=False):
    """``passages``: those that findings name; the log holds all of them.  ``weighed``: by position."""

    documents: dict[str, DocumentView] = {}
    passages: dict[str, PassageView] = {}
    citations: dict[str, CitationChecked] = {}
    weighed: dict[str, EvidenceWeighed] = {}


def evidence_view(debate: Debate, before: EvidenceView | UnsetType) -> EvidenceView | UnsetType:
    """The view of the evidence; unset without any.  Passages that ``before`` has stay the same objects."""
    pack, citations = debate.evidence, debate.citations
    if not pack.documents:
        return UNSET
    known = before.passages if before else {}
    return EvidenceView(
        documents=_documents(pack, pack.foreign(debate.opened.language or "en") if debate.opened else {}),
        passages={name: known.get(name) or _passage(pack, name) for name in _named(debate) if name in pack.passages},
        citations=citations.checked,
        weighed=citations.weighed,
    )


def whole_pack(pack: EvidencePack) -> EvidenceView:
    """All documents with all their passages, without findings, and without what they are to the debate."""
    return EvidenceView(documents=_documents(pack, {}), passages={name: _passage(pack, name) for name in pack.passages})


def _documents(pack: EvidencePack, foreign: Mapping[str, str]) -> dict[str, DocumentView]:
    numbers = Counter(each.document for each in pack.passages.values())
    misread = Counter(pack.passages[name].document for name in pack.misread)
    return {
        name: DocumentView(
            name=each.name,
            digest=each.digest,
            media_type=each.media_type,
            title=each.title,
            passages=numbers[name],
            misread=misread[name] or UNSET,
            language=language_name(foreign[name]) if name in foreign else UNSET,
        )
        for name, each in pack.documents.items()
    }


def _named(debate: Debate) -> Iterator[str]:
    for each in debate.citations.checked.values():
        yield each.passage
        yield each.found_in or ""
    for weighed in debate.citations.weighed.values():
        yield weighed.passage


def _passage(pack: EvidencePack, name: str) -> PassageView:
    supplied = pack.passages[name]
    return PassageView(
        document=supplied.document,
        text=supplied.passage.text,
        page=supplied.passage.page,
        heading=supplied.passage.heading,
        misread=supplied.passage.misread,
    )

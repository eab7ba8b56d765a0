"""The citations of the turns, what was found of each, and what the judge said of passages and claims."""

from typing import Final

from msgspec import Struct

from events.record import Recorded
from events.types import CitationChecked, EvidenceWeighed


class Citations(Struct, frozen=True, kw_only=True, gc=False):
    """``checked``: by id, ``R3.1``.  ``weighed``: by position in the log."""

    checked: dict[str, CitationChecked] = {}
    weighed: dict[str, EvidenceWeighed] = {}
    positions: dict[str, int] = {}
    """The position of each finding, by id."""


INITIAL = Citations()
MOVED_BY: Final = frozenset({CitationChecked, EvidenceWeighed})


def apply(citations: Citations, record: Recorded) -> Citations:
    """The citations after ``record``."""
    match record.event:
        case CitationChecked() as event:
            return Citations(
                checked={**citations.checked, event.citation: event},
                weighed=citations.weighed,
                positions={**citations.positions, event.citation: record.position},
            )
        case EvidenceWeighed() as event:
            return Citations(
                checked=citations.checked,
                weighed={**citations.weighed, str(record.position): event},
                positions=citations.positions,
            )
    return citations

"""What is found of a citation, and what the judge says of a passage and a claim."""

from typing import Literal

from msgspec import UNSET, UnsetType

from events.types.base import DerivedEvent, Span

CitationFinding = Literal["verified", "paraphrased", "misquoted", "misread", "unknown_passage", "uncited"]
"""``verified``: the quoted words are in the passage.  ``paraphrased``: the passage exists, and no words of it are
quoted.  ``misquoted``: the quoted words are not in it.  ``misread``: they were not found, and the page was read
badly, so nothing follows.  ``unknown_passage``: the evidence has no such passage.  ``uncited``: a source that is named
without a passage."""
Relation = Literal["supports", "contradicts", "beside_the_point"]
WeighedRelation = Literal["supports", "contradicts", "beside_the_point", "undecided"]
"""``undecided``: the two orders of claim and passage, or the samples of one, gave different answers."""


class CitationChecked(DerivedEvent, frozen=True, kw_only=True, tag="citation_checked"):
    """A citation of a turn was checked against the evidence, as ``R{turn}.{n}``.  No model decides it."""

    citation: str
    turn: int
    passage: str
    """The id that is cited; empty for a source outside the evidence."""
    span: Span
    """The mark in the turn, or the words that name the source."""
    claim: Span
    """The sentences of the turn that the citation supports."""
    quote: str
    """The words in quotation marks; of a source, the words that name it; else empty."""
    finding: CitationFinding
    quoted: Span | UnsetType = UNSET
    """Where the words are in the turn."""
    stands: Span | UnsetType = UNSET
    """Where they are in the passage; of misquoted words, the sentence of the passage that is most like them."""
    found_in: str | UnsetType = UNSET
    """Another passage that has the words."""


class EvidenceWeighed(DerivedEvent, frozen=True, kw_only=True, tag="evidence_weighed"):
    """The judge said whether a passage bears a claim, asked in both orders of claim and passage."""

    turn: int
    passage: str
    claim: Span
    """The sentences of the turn that make the claim."""
    forward: WeighedRelation
    backward: WeighedRelation
    relation: WeighedRelation
    quote: str = ""
    """The words of the passage that the judge relies on; empty if it copied none."""
    stands: Span | UnsetType = UNSET
    reason: str = ""
    citations: tuple[str, ...] = ()
    """The citations that it is about; none for a claim that was compared with the best passage."""

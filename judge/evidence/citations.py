"""Find citations in a turn: marks such as ``[E3]``, the quoted words that belong to each, and sources outside the pack.

Round brackets hold a mark as well, because models write both.  ``(E10)`` may also be a fuel or a food additive, so an
id that the pack does not have counts there only if quoted words belong to it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from events.text.segmentation import count_words
from events.types import Span
from judge.text.scanner import Candidate, scan
from judge.text.words import sentences

MAX_MARKS: Final = 60
"""Marks of one turn that are read; the others are counted only."""
MAX_STATEMENT: Final = 600
"""Characters of what a citation supports: of a longer sentence, those before the mark and a few after it."""
AFTER: Final = 120
MAX_QUOTATIONS: Final = 120
"""Quotations of one turn that are read."""
MIN_WORDS: Final = 4
"""Words of a quotation that has no figure; a shorter one is a term."""
SOURCES: Final = frozenset({"study", "authority"})
_ID: Final = r"[Ee][ \u00a0]?(?P<{}>\d{{1,5}})"
_NEXT: Final = r"(?:\s{0,2}(?:[,;/&+、，；–-]|and|und|et|y)\s{0,2}[Ee][ \u00a0]?\d{1,5})"
_PLACE: Final = r"(?:\s{0,2}[,:]\s{0,2}(?:pp?\.?|pages?|Seiten?|S\.|§)\s{0,2}\d{1,5}(?:[–-]\d{1,5})?)?"
_MARK: Final = re.compile(
    rf"(?P<open>[\[(［（【])\s{{0,2}}(?P<ids>[Ee][ \u00a0]?\d{{1,5}}{_NEXT}{{0,20}}){_PLACE}\s{{0,2}}[\])］）】]"
)
_ONE_ID: Final = re.compile(_ID.format("number"))
_ROUND: Final = "(（"
_BETWEEN: Final = re.compile(r"[\s.,;:!?…\"'’”»)]*")
_LETTER: Final = re.compile(r"\w")
_FIGURE: Final = re.compile(r"\d")


class Quotation(Struct, frozen=True):
    """Words in quotation marks: the span of the words without the marks."""

    span: Span
    text: str


class CitationMark(Struct, frozen=True, kw_only=True):
    """One id of a citation.  Ids in the same brackets share their quotations."""

    passage: str
    """The id as the pack writes it: ``E3``."""
    span: Span
    """The brackets with the id; of several ids in the same brackets, this id alone."""
    group: Span
    """The brackets."""
    statement: Span
    """The sentences that the citation supports."""
    quotations: tuple[Quotation, ...] = ()
    is_round: bool = False


class FoundCitations(Struct, frozen=True):
    """The marks of a turn in their order, sources that stand in no statement with a mark, and marks left unread."""

    marks: tuple[CitationMark, ...]
    sources: tuple[Candidate, ...]
    unread: int = 0


def find_citations(text: str) -> FoundCitations:
    """Return the citations of a text; linear in its length, because the number of marks that are read is limited."""
    groups = list(_MARK.finditer(text))
    known, unread = groups[:MAX_MARKS], len(groups[MAX_MARKS:])
    candidates = scan(text)
    quotations = [_quotation(text, each) for each in candidates if each.kind == "quotation"][:MAX_QUOTATIONS]
    spans = [found.span() for found in known]
    statements = _statements(text, spans, [each.span for each in quotations])
    starts = [start for start, _ in statements]
    telling = [each for each in quotations if _FIGURE.search(each.text) or count_words(each.text) >= MIN_WORDS]
    owned = _owned(telling, spans, statements, starts)
    marks = [
        CitationMark(
            passage=passage,
            span=span,
            group=found.span(),
            statement=_around(found.span(), statements[_index(starts, found.start())]),
            quotations=tuple(owned.get(found.span(), ())),
            is_round=found["open"] in _ROUND,
        )
        for found in known
        for passage, span in _ids(found)
    ]
    cited = {_index(starts, found.start()) for found in groups}
    outside = [each for each in candidates if each.kind in SOURCES and _index(starts, each.span[0]) not in cited]
    sources = tuple(each for n, each in enumerate(outside) if n == 0 or each.span[0] >= outside[n - 1].span[1])
    return FoundCitations(tuple(marks), sources, unread)


def cited_ids(text: str) -> frozenset[str]:
    """Return the ids of the marks of a text."""
    return frozenset(name for found in islice(_MARK.finditer(text), MAX_MARKS) for name, _ in _ids(found))


def _around(mark: Span, statement: Span) -> Span:
    """Return a statement, or the part of a very long one around the mark."""
    start, end = statement
    if end - start <= MAX_STATEMENT:
        return statement
    end = min(end, mark[1] + AFTER)
    return max(start, min(mark[0], end - MAX_STATEMENT)), end


def _ids(found: re.Match[str]) -> Iterable[tuple[str, Span]]:
    """Yield each id of the brackets once, with its span."""
    start = found.start("ids")
    ids = {
        f"E{int(each['number'])}": (start + each.start(), start + each.end()) for each in _ONE_ID.finditer(found["ids"])
    }
    return ids.items() if len(ids) > 1 else [(name, found.span()) for name in ids]


def _quotation(text: str, found: Candidate) -> Quotation:
    """Return a quotation without its marks and the white space inside them."""
    start, end = found.span[0] + 1, found.span[1] - 1
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    end -= len(inside) - len(inside.rstrip())
    return Quotation((start, max(start, end)), text[start:end])


def _statements(text: str, marks: Sequence[Span], quotations: Sequence[Span]) -> list[Span]:
    """Return the sentences of a text, so that none cuts a quotation and a mark after a full stop belongs before it."""
    whole = sentences(text)
    inside = sorted((*quotations, *marks))
    joined: list[Span] = []
    for start, end in whole:
        begins = _after_marks(text, start, end, marks) if joined else start
        if begins > start:
            joined[-1] = (joined[-1][0], begins)
        if begins >= end:
            continue
        if joined and _is_cut(begins, inside):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begins, end))
    return joined or [(0, len(text))]


def _after_marks(text: str, start: int, end: int, marks: Sequence[Span]) -> int:
    """Return where a sentence begins behind marks that belong to the one before; ``start`` if they belong to it.

    Marks at its beginning belong to the one before if a capital letter, or nothing, follows them: “… by 12 percent.
    [E3] The report …”, but “[E3] says …”.
    """
    at = start
    for first, last in marks[bisect_right(marks, (start, -1)) :]:
        if first >= end or _LETTER.search(text, at, first):
            break
        at = last
    if at == start:
        return start
    ahead = _BETWEEN.match(text, at, end)
    begins = ahead.end() if ahead is not None else at
    if begins >= end:
        return end
    return begins if text[begins].isupper() or not text[begins].isalpha() else start


def _is_cut(at: int, inside: Sequence[Span]) -> bool:
    """Return whether a place lies within one of the spans, which are sorted and do not overlap much."""
    number = bisect_right(inside, (at, -1)) - 1
    return any(start < at < end for start, end in inside[max(0, number - 1) : number + 1])


def _index(starts: Sequence[int], at: int) -> int:
    return max(0, bisect_right(starts, at) - 1)


def _owned(
    quotations: Iterable[Quotation], marks: Sequence[Span], statements: Sequence[Span], starts: Sequence[int]
) -> dict[Span, list[Quotation]]:
    """Return the quotations of each mark: each belongs to the nearest mark of its statement, of two the later one."""
    owned: dict[Span, list[Quotation]] = {}
    for each in quotations:
        statement = statements[_index(starts, each.span[0])]
        near = [mark for mark in marks if statement[0] <= mark[0] < statement[1]]
        if near:
            owned.setdefault(min(near, key=lambda mark: (_distance(each.span, mark), -mark[0])), []).append(each)
    return owned


def _distance(one: Span, two: Span) -> int:
    return max(0, two[0] - one[1], one[0] - two[1])

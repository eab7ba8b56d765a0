"""Check citations against the passages, by the rules of ``judge.guard.quotes``: no model decides here."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from events.text.segmentation import SENTENCE_END
from events.types import CitationFinding, Span
from judge.evidence.citations import CitationMark, FoundCitations, Quotation, cited_ids, find_citations
from judge.guard.quotes import TURNING_KINDS, comparable, find, normalised, turning_word
from judge.text.words import content_words, sentences

MAX_CHECKED: Final = 40
"""Findings of one turn that are recorded."""
SEARCHED: Final = 20
"""Other passages in which misquoted words are looked for, of those with all their words with content but one."""
_LEFT_OUT: Final = re.compile(
    r"(?:(?<!\s)\s++)?+(?:…|\.{3,}+|[\[(［]\s*+(?:…|\.{3,}+)\s*+[\])］]|\[[^\]\n]{0,60}\])\s*+"
)
"""What a speaker leaves out of a quotation, or puts into it in square brackets."""
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])")
_HYPHEN_OR_SPACE: Final = re.compile(rf"{_HYPHEN.pattern}|\s+")
RULES: Final = 2
"""The rules by which citations are checked now.  1: a speaker's own earlier words are no quotation either, and a
quotation may leave out anything."""
_MAX_PLACES: Final = 20
"""Places of the first part of a quotation that are tried."""
_ENDS: Final = " \t\n.,;:!?…。，、；：！？"


class CheckedCitation(Struct, frozen=True, kw_only=True):
    """One finding."""

    passage: str
    """The id that is cited; empty for a source outside the evidence."""
    span: Span
    """The mark, or the words that name the source."""
    statement: Span
    finding: CitationFinding
    quote: str = ""
    """The words that the speaker puts in quotation marks; of a source, the words that name it."""
    quoted: Span | None = None
    """Where these words stand in the turn."""
    stands: Span | None = None
    """Where they stand in the passage; of misquoted words, the sentence of the passage that is most like them."""
    found_in: str = ""
    """Another passage in which misquoted words stand."""
    hides: str = ""
    """The negation that misquoted words leave out of the passage, or put into it."""


class CheckedTurn(Struct, frozen=True):
    """The findings of a turn in the order of its text, and how many citations were left unchecked."""

    citations: tuple[CheckedCitation, ...]
    unchecked: int = 0


class _Place(NamedTuple):
    """Where quoted words stand, and the negation and the number that turn their sense: empty if nothing does."""

    span: Span
    negation: str = ""
    number: str = ""

    @property
    def is_true(self) -> bool:
        """Whether the words mean there what they mean in the quotation."""
        return not (self.negation or self.number)


class _Pack(Struct, frozen=True):
    """The passages, and how quoted words are looked for in them."""

    texts: Mapping[str, str]
    misread: Collection[str]
    minimum: int
    language: str
    languages: frozenset[str]
    """Those in which a negation or a number that is left out is looked for."""
    rules: int

    @property
    def names(self) -> list[str]:
        """The ids of the passages in their order."""
        return list(self.texts)

    def __contains__(self, name: str) -> bool:
        return name in self.texts

    def place(self, quote: str, name: str) -> _Place | None:
        """Return where quoted words stand in a passage.

        A hyphen between letters does not count, because the end of a line may have hidden it; nor does white space in
        a passage that was read badly.
        """
        uncertain = _HYPHEN_OR_SPACE if name in self.misread else _HYPHEN
        found = self._place(quote, self.texts[name], uncertain)
        if self.rules < RULES:
            return found if found is None else _Place(found.span)
        return found or self._over_the_edge(quote, name, uncertain)

    def _place(self, quote: str, text: str, uncertain: re.Pattern[str]) -> _Place | None:
        found = _place_in(quote, text, self.minimum, self.languages)
        if found is not None or not (uncertain.search(quote) or uncertain.search(text)):
            return found
        places = [at for part in _between(uncertain, text) for at in range(*part)]
        found = _place_in(uncertain.sub("", quote), uncertain.sub("", text), self.minimum, self.languages)
        if found is None:
            return None
        return found._replace(span=(places[found.span[0]], places[found.span[1] - 1] + 1))

    def _over_the_edge(self, quote: str, name: str, uncertain: re.Pattern[str]) -> _Place | None:
        """Return where a quotation begins or ends in a passage, if the rest of it is in the one before or after."""
        names, text = self.names, self.texts[name]
        at = names.index(name)
        for one, two in ((at - 1, at), (at, at + 1)):
            if one < 0 or two == len(names):
                continue
            first = self.texts[names[one]]
            found = self._place(quote, f"{first}\n{self.texts[names[two]]}", uncertain)
            if found is not None and found.span[0] < len(first) < found.span[1]:
                start, end = (max(0, min(len(text), each - (len(first) + 1) * (one < at))) for each in found.span)
                return found._replace(span=(start, end))
        return None

    def stands(self, quote: str, name: str) -> Span | None:
        """Return the span of quoted words in a passage that they do not distort."""
        found = self.place(quote, name)
        return found.span if found is not None and found.is_true else None


def _between(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield the spans around the matches of a pattern."""
    at = 0
    for found in pattern.finditer(text):
        yield at, found.start()
        at = found.end()
    yield at, len(text)


def check_turn(
    text: str,
    passages: Mapping[str, str],
    *,
    minimum: int,
    misread: Collection[str] = (),
    earlier: Sequence[str] = (),
    own: Sequence[str] = (),
    language: str = "en",
    languages: Collection[str] = (),
    rules: int = RULES,
) -> CheckedTurn:
    """Check every citation of a turn.  ``passages``: their texts by id; ``misread``: those that were read badly.

    ``minimum``: characters of a quotation, after normalisation; a shorter one is no quotation.  ``earlier``: the motion
    and what the opponent said before.  Words of theirs in quotation marks are no quotation of the passage, unless they
    stand there.  ``own``: what the speaker said before, whose words have no such excuse.  An id of either that does
    not exist is not reported again for whoever talks about it.  ``language``: that of the debate; ``languages``: those
    of the documents.  ``rules``: see ``RULES``.
    """
    found = find_citations(text)
    named = frozenset(each for said in (*earlier, *own) for each in cited_ids(said) if each not in passages)
    excused = earlier if rules >= RULES else (*earlier, *own)
    checked = [
        *_checked_marks(
            found, _Pack(passages, misread, minimum, language, frozenset((language, *languages)), rules), excused, named
        ),
        *(
            CheckedCitation(
                passage="", span=each.span, statement=each.span, finding="uncited", quote=each.quote, quoted=each.span
            )
            for each in found.sources
        ),
    ]
    once = list(
        {(each.passage, each.finding, comparable(each.quote), each.statement): each for each in checked}.values()
    )
    ordered = sorted(once, key=lambda each: (each.span, each.quoted or each.span, each.passage))
    return CheckedTurn(tuple(ordered[:MAX_CHECKED]), len(ordered[MAX_CHECKED:]) + found.unread)


def stands_in(quote: str, passage: str, minimum: int) -> Span | None:
    """Return the span of quoted words in a passage; None if they do not stand there.

    The parts around what was left out (``…``) or put in (``[…]``) stand there in their order.  Punctuation at the end
    does not count.
    """
    found = _place_in(quote, passage, minimum)
    return None if found is None else found.span


def _place_in(quote: str, passage: str, minimum: int, languages: frozenset[str] | None = None) -> _Place | None:
    """Return the first place of quoted words whose cuts turn nothing; if all do, the first place."""
    parts = [part for each in _LEFT_OUT.split(quote) if (part := each.strip(_ENDS))]
    if not parts or find(quote, quote, minimum) is None:
        return None
    least = minimum if len(parts) == 1 else 1
    put_in = " ".join(each.strip(" []") for each in _LEFT_OUT.findall(quote))
    first, after = None, 0
    for _ in range(_MAX_PLACES):
        spans = _spans(parts, passage, after, least)
        if spans is None:
            break
        cuts = " ".join([put_in, *(_cut_of(passage[one[1] : two[0]]) for one, two in pairwise(spans))])
        words = normalised(cuts).words().text
        turning = (turning_word(words, (kind,), languages) for kind in TURNING_KINDS)
        found = _Place((spans[0][0], spans[-1][1]), *turning)
        if found.is_true:
            return found
        first, after = first or found, spans[0][0] + 1
    return first


def _spans(parts: Sequence[str], passage: str, after: int, least: int) -> list[Span] | None:
    """Return the spans of parts that stand one after the other; None if one of them does not."""
    spans: list[Span] = []
    for part in parts:
        span = find(part, passage[after:], least)
        if span is None:
            return None
        spans.append((after + span[0], after + span[1]))
        after += span[1]
    return spans


def _cut_of(words: str) -> str:
    """Return what is left out of the sentences that are quoted: whole sentences between them are no part of them."""
    ends = [found.end() for found in SENTENCE_END.finditer(words)]
    return f"{words[: ends[0]]} {words[ends[-1] :]}" if ends else words


def nearest_sentence(quote: str, passage: str, language: str = "en") -> Span | None:
    """Return the sentence of a passage that has most of the words of a quote; None if none has any."""
    wanted = set(content_words(quote, language))
    found = [
        (len(wanted & set(content_words(passage[start:end], language))), (start, end))
        for start, end in sentences(passage)
    ]
    best = max(found, key=lambda each: each[0], default=(0, (0, 0)))
    return best[1] if best[0] else None


def _checked_marks(
    found: FoundCitations, pack: _Pack, excused: Sequence[str], named: Collection[str]
) -> Iterator[CheckedCitation]:
    minimum = pack.minimum
    groups: dict[Span, list[CitationMark]] = {}
    for mark in found.marks:
        groups.setdefault(mark.group, []).append(mark)
    for marks in groups.values():
        known = [mark for mark in marks if mark.passage in pack]
        quotations = [each for each in marks[0].quotations if find(each.text, each.text, minimum) is not None]
        own = [
            each
            for each in quotations
            if any(pack.place(each.text, mark.passage) for mark in known)
            or not any(stands_in(each.text, said, minimum) for said in excused)
        ]
        for mark in marks:
            if mark.passage in pack:
                yield from _checked(mark, own, known, pack)
            elif own or (not mark.is_round and mark.passage not in named):
                quote = own[0] if own else None
                yield CheckedCitation(
                    passage=mark.passage,
                    span=mark.span,
                    statement=mark.statement,
                    finding="unknown_passage",
                    quote=quote.text if quote else "",
                    quoted=quote.span if quote else None,
                    found_in=_elsewhere(quote.text, mark.passage, pack) if quote else "",
                )


def _checked(
    mark: CitationMark, quotations: Sequence[Quotation], known: Sequence[CitationMark], pack: _Pack
) -> Iterator[CheckedCitation]:
    """Yield what is found of one mark whose passage exists: of each quotation, or that it quotes nothing.

    With several ids in the brackets a quotation counts for those that hold it; if none does, for the first.
    """
    text, reported = pack.texts[mark.passage], False
    for each in quotations:
        place = pack.place(each.text, mark.passage)
        stands = place.span if place is not None and place.is_true else None
        if stands is None and (mark != known[0] or any(pack.stands(each.text, other.passage) for other in known[1:])):
            continue
        if place is not None and place.number and not place.negation:
            continue  # what is left out may matter or not: the words count for nothing, and nothing is charged
        reported = True
        absent: CitationFinding = "misread" if any(other.passage in pack.misread for other in known) else "misquoted"
        yield CheckedCitation(
            passage=mark.passage,
            span=mark.span,
            statement=mark.statement,
            finding="verified" if stands else absent,
            quote=each.text,
            quoted=each.span,
            stands=place.span if place is not None else nearest_sentence(each.text, text, pack.language),
            found_in="" if stands else _elsewhere(each.text, mark.passage, pack),
            hides="" if place is None else place.negation,
        )
    if not reported:
        yield CheckedCitation(passage=mark.passage, span=mark.span, statement=mark.statement, finding="paraphrased")


def _elsewhere(quote: str, passage: str, pack: _Pack) -> str:
    """Return the id of another passage that holds the words; empty if none does."""
    return next((name for name in _likely(quote, passage, pack) if pack.stands(quote, name)), "")


def _likely(quote: str, passage: str, pack: _Pack) -> list[str]:
    """Return the other passages in which a quote may stand, with those first that have most of its words."""
    wanted = set(content_words(quote, pack.language))
    shown = {name: _folded(text) for name, text in pack.texts.items() if name != passage}
    shared = {name: sum(word in text for word in wanted) for name, text in shown.items()}
    likely = [name for name, number in shared.items() if number >= len(wanted) - 1]
    return sorted(likely, key=lambda name: -shared[name])[:SEARCHED]


_folded = lru_cache(maxsize=4096)(str.casefold)

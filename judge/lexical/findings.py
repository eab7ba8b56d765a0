"""What the baseline finds in speeches: suspect claims, premises, contradictions.

It finds only what stands in the words: a figure without a source or a reason, a word that allows no exception without a
ground, a source that it cannot look up; two sentences of one speaker with the same words and a negation, or an
opposite, in one of them.  It never says that a source is invented or a fact is wrong, because it cannot know.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from judge.lexical.marks import table
from judge.lexical.measures import REASONS
from judge.lexical.reading import SOURCES, Sentence, TextReading
from judge.text.scanner import Candidate
from judge.text.words import stem

SAME: Final = 0.75
"""Share of the words with content that two sentences have in common, of those of the longer one, if they say the same
thing with or without a negation."""
MIN_SHARED: Final = 3
"""Words with content that they have in common at least."""
ALIKE: Final = 0.5
"""Share of a premise's words with content that a sentence has if it repeats or revises the premise."""
MAX_CLAIMS: Final = 4
MAX_PREMISES: Final = 3
EXACT_DIGITS: Final = 3
"""Digits of a figure without a percent sign or a currency that sounds exact."""
BEFORE: Final = 3
"""Words before a figure in which a mark says that it is not exact."""


class SuspectWords(NamedTuple):
    """Words of a text that are suspect, the kind of claim, and what stands there or does not."""

    kind: str
    quote: str
    reason: str


class ContradictingSentences(NamedTuple):
    """Two sentences of one speaker that contradict each other, and by which words."""

    earlier: Sentence
    later: Sentence
    by: str


def suspect_claims(reading: TextReading, kinds: Sequence[str]) -> tuple[SuspectWords, ...]:
    """Return the suspect claims of a text, of those kinds that words can show, in the order of the text."""
    sentences = reading.sentences
    around = zip((None, *sentences), (*sentences[1:], None), strict=False)
    found = [
        each
        for sentence, neighbours in zip(sentences, around, strict=False)
        for each in _claims_in(reading, sentence, neighbours)
        if each.kind in kinds and each.quote
    ]
    return tuple(dict.fromkeys(found))[:MAX_CLAIMS]


KNOWABLE: Final = frozenset({"hollow_specificity", "overclaim", "unverifiable"})
"""Kinds of suspect claims that the words of a text can show."""


def _claims_in(
    reading: TextReading, sentence: Sentence, around: tuple[Sentence | None, Sentence | None]
) -> Iterator[SuspectWords]:
    near = [sentence, *(each for each in around if each is not None)]
    sources = [each for each in sentence.candidates if each.kind in SOURCES]
    for source in sources:
        yield SuspectWords(
            "unverifiable", _words_of(reading, source), "It names a source, and a baseline has no library."
        )
    has_source = any(each.has("source") or each.has_source for each in near)
    has_ground = any(each.has(*REASONS, "example") for each in near)
    if not has_source and not has_ground:
        for figure in sentence.candidates:
            if _is_exact(figure) and not _is_approximate(sentence, figure):
                reason = "It gives a figure, and no mark of a source or a reason is in its sentence or beside it."
                yield SuspectWords("hollow_specificity", _words_of(reading, figure), reason)
    if not has_source and not has_ground and not sentence.has("negation", "hedge", "condition"):
        mark = next((mark for mark in sentence.marks if mark.kind == "absolute"), None)
        if mark is not None:
            shown = " ".join(word.text for word in sentence.words[mark.first : mark.last])
            reason = f"It says “{shown}”, and no mark of a source or a reason is in its sentence or beside it."
            yield SuspectWords("overclaim", reading.quote_at(sentence, mark), reason)


def _is_exact(found: Candidate) -> bool:
    """Return whether a figure sounds exact: in digits, and a share, an amount of money, or one with several digits."""
    digits = sum(sign.isdecimal() for sign in found.quote)
    return digits > 0 and (found.kind in {"percentage", "money"} or (found.kind == "figure" and digits >= EXACT_DIGITS))


def _words_of(reading: TextReading, found: Candidate) -> str:
    """Return a quote of the candidate, with words around it if it is short."""
    sentence = next(each for each in reading.sentences if each.span[0] <= found.span[0] < each.span[1])
    first = next((n for n, word in enumerate(sentence.words) if word.end > found.span[0]), 0)
    return reading.quote_from(sentence, first)


def _is_approximate(sentence: Sentence, figure: Candidate) -> bool:
    """Return whether a mark just before a figure says that it is an estimate or an example."""
    first = next((n for n, word in enumerate(sentence.words) if word.end > figure.span[0]), 0)
    return any(mark.kind == "approximate" and first - BEFORE <= mark.first < first for mark in sentence.marks)


def premises(reading: TextReading, most: int = MAX_PREMISES) -> tuple[Sentence, ...]:
    """Return the sentences that most of the rest stands on: with a reason, and with words that return elsewhere."""

    def weight(sentence: Sentence) -> float:
        others = [each.content for each in reading.sentences if each.span != sentence.span]
        returns = sum(any(word in each for each in others) for word in sentence.content)
        return (2.0 if sentence.has("cause") else 1.0) * returns

    stated = [
        each
        for each in reading.sentences
        if len(each.content) >= MIN_SHARED
        and each.has(*REASONS, "frame")
        and not each.has("opponent", "concession")
        and not reading.shown(each, through=1).endswith("?")
        and reading.quote(each)
    ]
    best = sorted(stated, key=lambda each: (-weight(each), each.span))[:most]
    return tuple(sorted(best, key=lambda each: each.span))


def coverage(wanted: frozenset[str], found: frozenset[str]) -> float:
    """Return the share of ``wanted`` that is in ``found``; 0 if nothing is wanted."""
    return len(wanted & found) / len(wanted) if wanted else 0.0


def contradictions(earlier: TextReading, later: TextReading) -> tuple[ContradictingSentences, ...]:
    """Return pairs of sentences, of two texts of one speaker or twice of one text, that contradict each other."""
    same_text = earlier is later or earlier == later
    return tuple(
        ContradictingSentences(one, two, by)
        for one in earlier.sentences
        for two in later.sentences
        if (not same_text or one.span < two.span) and (by := contradict(one, two, later.language))
    )


def contradict(one: Sentence, two: Sentence, language: str) -> str:
    """Return by what two sentences contradict each other; empty if the words do not show that they do.

    They have nearly the same words, no condition and nothing that turns against something else, and either one of them
    alone is negated, or each has one of two opposites.
    """
    if any(each.has("condition", "contrast", "hedge", "opponent", "concession", "withdrawal") for each in (one, two)):
        return ""
    opposites = table(language).opposites
    words_one, words_two = ({word.text for word in each.words} for each in (one, two))
    opposed = [
        (a, b)
        for a in sorted(words_one - words_two)
        for b in sorted((words_two - words_one) & opposites.get(a, frozenset()))
    ]
    swapped = {stem(word) for pair in opposed for word in pair}
    left, right = one.content - swapped, two.content - swapped
    shared = left & right
    if len(shared) < MIN_SHARED - bool(opposed) or len(shared) < SAME * max(len(left), len(right)):
        return ""
    is_negated = [each.number("negation") % 2 == 1 for each in (one, two)]
    if opposed and is_negated[0] == is_negated[1]:
        return f"“{opposed[0][0]}” against “{opposed[0][1]}”"
    if not opposed and is_negated[0] != is_negated[1]:
        return "a negation in one of two sentences with the same words"
    return ""

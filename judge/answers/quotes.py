"""Quotes in a text about a passage: each is compared with the passage, and the judge reads whether it stands there.

The form ``<quote>…</quote>`` and the marks ``<v_quote>`` and ``<u_quote>`` of a judge's prompt are those of Khan et al.
2024.  A recorded text has quotation marks in place of the tags.
"""

import re
from collections.abc import Iterator
from typing import Final

from events.types.base import Span
from events.types.study import CheckedQuote
from judge.guard.neutralise import quoted
from judge.guard.quotes import find, normalised

_TAG: Final = re.compile(r"<\s{0,3}(/?)\s{0,3}quote\s{0,3}>", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[\"“]([^\"“”]{1,600})[\"”]")
_FORGED: Final = re.compile(r"[uv][_＿‗]+quote", re.IGNORECASE)
"""The name of a mark that only Moot writes."""
_OPENS: Final = frozenset('"“')
_CLOSES: Final = frozenset('"”')
_PAIRS: Final = frozenset({"“”", '""', "‘’", "''"})
_OPEN, _CLOSE = "\ue000\ue001", "\ue002"
"""Stand for the marks while a text is neutralised: characters of private use, which no text keeps."""
_PRIVATE: Final = re.compile("[\ue000-\ue002]")
STANDS: Final = "in the passage"
STANDS_NOT: Final = "not in the passage"
PLAIN_WORDS: Final = 4
"""Words that a quote without tags has at least: fewer are mostly no quote of the passage."""


def read_quotes(text: str, passage: str, minimum: int) -> tuple[str, tuple[CheckedQuote, ...]]:
    """The text with quotation marks in place of the tags, and its quotes as spans of that text.

    ``minimum``: characters of a quote that may begin or end within a word.  Words in quotation marks without tags
    count where they stand.
    """
    out, quotes, at, length = list[str](), list[CheckedQuote](), 0, 0
    for start, end, said in _tagged(text):
        before, words = _TAG.sub("", text[at:start]), _within_marks(said)
        at, length = end, length + len(before)
        out.append(before)
        if words:
            out.append(f"“{words}”")
            quotes.append(checked(words, (length + 1, length + 1 + len(words)), passage, minimum))
            length += len(words) + 2
    out.append(_TAG.sub("", text[at:]))
    whole = "".join(out)
    known = {each.span[0] for each in quotes}
    for found in _PLAIN.finditer(whole):
        span = found.span(1)
        if span[0] not in known and len(found[1].split()) >= PLAIN_WORDS:
            plain = checked(found[1], span, passage, minimum)
            quotes += [plain] if plain.stands else []
    return whole, tuple(sorted(quotes, key=lambda each: each.span))


def _tagged(text: str) -> Iterator[tuple[int, int, str]]:
    """Each text between an opening tag and the closing one that follows it, with its place and that of the tags.

    The place includes quotation marks next to the tags.
    """
    opening: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opening = tag
        elif opening is not None:
            start, end = opening.start(), tag.end()
            start -= text[start - 1 : start] in _OPENS
            end += text[end : end + 1] in _CLOSES
            yield start, end, text[opening.end() : tag.start()]
            opening = None


def _within_marks(words: str) -> str:
    """The words without the quotation marks around the whole of them."""
    words = words.strip()
    while len(words) > 1 and words[0] + words[-1] in _PAIRS:
        words = words[1:-1].strip()
    return words


def checked(words: str, span: Span, passage: str, minimum: int) -> CheckedQuote:
    """A quote, and whether its words stand in the passage."""
    stands = find(words, passage, minimum) is not None or _has_words(words, passage)
    return CheckedQuote(text=words, span=span, stands=stands)


def _has_words(words: str, passage: str) -> bool:
    """Whether whole words stand in a passage one after the other, however few they are."""
    few = normalised(words).words().text
    return bool(few) and f" {few} " in f" {normalised(passage).words().text} "


def within(quotes: tuple[CheckedQuote, ...], length: int) -> tuple[CheckedQuote, ...]:
    """The quotes of a text that was cut to ``length`` characters."""
    return tuple(each for each in quotes if each.span[1] <= length)


def material(text: str) -> str:
    """A text as material, in which the names of the marks do not stand."""
    return _FORGED.sub("quote", quoted(text))  # without the invisible characters that it removes


def shown(text: str, quotes: tuple[CheckedQuote, ...]) -> str:
    """The text as material for the judge, its quotes between the marks that say whether they stand."""
    pieces, at = list[str](), 0
    plain = _PRIVATE.sub(" ", text)  # one character each, so that spans hold
    for each in quotes:
        start, end = each.span
        if start < at:
            continue
        opens = plain[start - 1 : start] in {"“", '"'}
        pieces += [plain[at : start - opens], _OPEN[each.stands], plain[start:end], _CLOSE]
        at = end + 1 if plain[end : end + 1] in {"”", '"'} else end
    marked = material("".join((*pieces, plain[at:])))
    out, stands = list[str](), False
    for character in marked:
        if character in _OPEN:
            stands = character == _OPEN[1]
            out.append("<v_quote>" if stands else "<u_quote>")
        elif character == _CLOSE:
            out.append("</v_quote>" if stands else "</u_quote>")
        else:
            out.append(character)
    return "".join(out)


def annotated(text: str, quotes: tuple[CheckedQuote, ...]) -> str:
    """The text with a note behind each quote, for a person."""
    pieces, at = list[str](), 0
    for each in quotes:
        end = each.span[1] + (text[each.span[1] : each.span[1] + 1] in {"”", '"'})
        pieces += [text[at:end], f" [{STANDS if each.stands else STANDS_NOT}]"]
        at = end
    return "".join((*pieces, text[at:]))

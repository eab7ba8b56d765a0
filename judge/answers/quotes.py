"""Quotes in a text about a passage: each is compared with the passage, and the judge reads whether it stands there.

The form ``<quote>…</quote>`` and the marks ``<v_quote>`` and ``<u_quote>`` of a judge's prompt are those of Khan et al.
2024.  A recorded text has quotation marks in place of the tags.
"""

import re
from typing import Final

from events.types.base import Span
from events.types.study import CheckedQuote
from judge.guard.neutralise import quoted
from judge.guard.quotes import find

_TAGGED: Final = re.compile(
    r"[\"“”]?<\s*quote\s*>((?:(?!<\s*/?\s*quote\s*>).)*?)<\s*/\s*quote\s*>[\"“”]?", re.DOTALL | re.IGNORECASE
)
_TAG: Final = re.compile(r"<\s*/?\s*quote\s*>", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[\"“]([^\"“”]{1,600})[\"”]")
_FORGED: Final = re.compile(r"[uv][_＿‗]+quote", re.IGNORECASE)
"""The name of a mark that only Moot writes."""
_EDGES: Final = " \t\n\r\"“”'‘’"
_OPEN, _CLOSE = "\ue000\ue001", "\ue002"
"""Stand for the marks while a text is neutralised: characters of private use, which no text keeps."""
_PRIVATE: Final = re.compile("[\ue000-\ue002]")
PLAIN_WORDS: Final = 4
"""Words that a quote without tags has at least: fewer are mostly no quote of the passage."""


def read_quotes(text: str, passage: str, minimum: int) -> tuple[str, tuple[CheckedQuote, ...]]:
    """The text with quotation marks in place of the tags, and its quotes as spans of that text.

    ``minimum``: characters of a quote that can stand.  Words in quotation marks without tags count where they stand.
    """
    out, quotes, at, length = list[str](), list[CheckedQuote](), 0, 0
    for found in _TAGGED.finditer(text):
        before, words = _TAG.sub("", text[at : found.start()]), found[1].strip(_EDGES)
        at, length = found.end(), length + len(before)
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


def checked(words: str, span: Span, passage: str, minimum: int) -> CheckedQuote:
    """A quote, and whether its words stand in the passage."""
    return CheckedQuote(text=words, span=span, stands=find(words, passage, minimum) is not None)


def within(quotes: tuple[CheckedQuote, ...], length: int) -> tuple[CheckedQuote, ...]:
    """The quotes of a text that was cut to ``length`` characters."""
    return tuple(each for each in quotes if each.span[1] <= length)


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
    marked = quoted(_FORGED.sub("quote", "".join((*pieces, plain[at:]))))
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

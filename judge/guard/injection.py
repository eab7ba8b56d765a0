"""Attempts to instruct whoever judges.  Detection makes them an event that costs credibility; it guards nothing.

What guards is ``neutralise`` and the types of answers: a speech reaches the judge only as marked material, and nothing
but the judge's own answer ever becomes a field.  So a miss costs nothing but an event, while a false alarm would punish
an honest speaker: orders count where a sentence begins or where somebody is told to obey them, not where they are
talked about or quoted.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from events.types import Span
from judge.guard import deobfuscation
from judge.guard.deobfuscation import View
from judge.guard.injection_patterns import KEYWORDS, RUN_TOGETHER, orders

MOST: Final = 8
"""Attempts that one turn is charged with; more of them tell nobody more."""
QUOTED: Final = 160
"""Characters of an attempt that are kept."""

_LATIN: Final = r"[A-Za-z\u00c0-\u024f\u0370-\u052f]"
_INSIDE: Final = re.compile(
    rf"(?<={_LATIN})[\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]{{1,80}}"
    rf"(?={_LATIN})"
)
_STRANGE: Final = re.compile(r"[\u202d\u202e]|(?<!\U0001f3f4)(?<![\U000e0000-\U000e0fff])[\U000e0020-\U000e007f]{2,80}")


class InjectionAttempt(Struct, frozen=True, kw_only=True):
    """One attempt; ``quote`` is ``text[span]``, at most 160 characters of it."""

    pattern: str
    quote: str
    span: Span


def detect(text: str) -> tuple[InjectionAttempt, ...]:
    """Attempts in the order of their places, none over another, at most eight.

    What shows only after a disguise is taken off is named by the disguise.
    """
    found: list[InjectionAttempt] = []
    for name, (start, end) in _found(text):
        if any(start < each.span[1] and each.span[0] < end for each in found):
            continue
        kept = (start, min(end, start + QUOTED))
        found.append(InjectionAttempt(pattern=name, quote=text[kept[0] : kept[1]], span=kept))
        if len(found) == MOST:
            break
    return tuple(sorted(found, key=lambda each: each.span))


def _found(text: str) -> Iterator[tuple[str, Span]]:
    for view in deobfuscation.views(text):
        for name, start, end in orders(view.text):
            yield view.disguise or name, view.span(start, end)
        if view.disguise == "look_alikes":
            yield from _disguised_words(view, text)
    for pattern in (_INSIDE, _STRANGE):
        for match in pattern.finditer(text):
            yield "hidden_characters", match.span()
    for words, span in deobfuscation.spaced(text):
        if RUN_TOGETHER.search(words) or any(orders(words)):
            yield "spaced_letters", span
    for words, span in deobfuscation.decoded(text):
        if any(orders(words)):
            yield "encoded", span


def _disguised_words(view: View, text: str) -> Iterator[tuple[str, Span]]:
    """Words of an order that are spelt with letters of another script."""
    for match in KEYWORDS.finditer(view.text):
        start, end = view.span(*match.span())
        if any(map(deobfuscation.is_lookalike, text[start:end])):
            yield view.disguise, (start, end)

"""The words of a text that carry its content, by stems that plain endings do not tell apart."""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W_]{3,}")
_STEM: Final = 6
"""Letters by which words are told apart: enough that ``invest`` meets ``investing``."""
_EMPTY: Final = (
    "about after again all also and any are because been before being both but can could did does done down each even "
    "ever every for from had has have her here hers him his how into its itself just less let like made make many may "
    "might mine more most much must never nor not now off once one only onto other our ours out over own same say says "
    "shall she should since some still such than that the their theirs them then there these they this those thus too "
    "under until upon use very was way were what when where which while who whom whose why will with would yet you "
    "your yours"
)
"""English words that say nothing of what a text is about."""
_SKIPPED: Final = frozenset(_EMPTY.split())


def content_words(text: str) -> tuple[str, ...]:
    """Stems of the words of three letters and more, in order, case-folded, without the empty ones."""
    return tuple(_stem(word) for word in _WORD.findall(text.casefold()) if word not in _SKIPPED)


def _stem(word: str) -> str:
    plural = word.endswith("s") and not word.endswith("ss")
    return (word[:-1] if plural and len(word) > 3 else word)[:_STEM]  # noqa: PLR2004 - "gas" keeps its s

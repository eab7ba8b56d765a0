"""How much of a turn its side has said before, in the same words.

Share of the turn's word 4-grams (case-folded) that stand in any earlier turn of the same side: 0 is all new, 1 is a
loop.  Turns shorter than four words have none.
"""

import re
from collections.abc import Iterable
from typing import Final

GRAM: Final = 4
_WORD: Final = re.compile(r"\w+")


def grams(text: str) -> frozenset[tuple[str, ...]]:
    """The word 4-grams of a text."""
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[start : start + GRAM]) for start in range(len(words) - GRAM + 1))


def repetition(text: str, earlier: Iterable[str]) -> float:
    """Share of ``text``'s 4-grams found in ``earlier``, rounded to two decimals."""
    mine = grams(text)
    if not mine:
        return 0.0
    said = frozenset[tuple[str, ...]]().union(*(grams(each) for each in earlier))
    return round(len(mine & said) / len(mine), 2)

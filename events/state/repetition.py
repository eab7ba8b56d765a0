"""How much of a turn its side has said before, in the same words.

Share of the turn's word 4-grams (case-folded) that stand in any earlier turn of the same side: 0 is all new, 1 is a
loop.  Turns shorter than four words have none.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

GRAM: Final = 4
_WORD: Final = re.compile(r"\w+")


@lru_cache(maxsize=2048)
def grams(text: str) -> frozenset[str]:
    """The word 4-grams of a text.  Kept, since every later turn of the side is held against them."""
    words = _WORD.findall(text.casefold())
    return frozenset(" ".join(words[start : start + GRAM]) for start in range(len(words) - GRAM + 1))


def repetition(text: str, earlier: Iterable[str]) -> float:
    """Share of ``text``'s 4-grams found in ``earlier``, rounded to two decimals."""
    mine = grams(text)
    if not mine:
        return 0.0
    fresh = set(mine)
    for said in earlier:
        fresh -= grams(said)
        if not fresh:
            break
    return round((len(mine) - len(fresh)) / len(mine), 2)

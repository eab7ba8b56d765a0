"""How much of a long debate is shown whole: the newest, and the first sentence of what came before."""

import re
from typing import Final

IN_FULL: Final = 12
"""Turns, and words of the moderator, that are read in full: the last ones.  Earlier ones by their first sentences."""
SHORT: Final = 240
"""Characters of a shortened turn."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")


def shortened(text: str) -> str:
    """A turn's first sentence."""
    return _SENTENCE.split(text)[0][:SHORT]

"""The side that a speaker's name tells: ``Pro``, ``Ann (Affirmative)``, ``Team B``, ``Moderator``."""

import re
import unicodedata
from functools import lru_cache
from typing import Final, get_args

from server.transcripts.entries import EntrySide

_BEFORE: Final = (
    r"(?:(?:the|first|second|third|fourth|1st|2nd|3rd|4th|lead|leader of|leader|member of|opening|closing|rebuttal|team"
    r"|side|debater|for|speaker)\s+)*"
)
_AFTER: Final = (
    r"(?:['’]s)?(?:\s+(?:side|team|speaker|debater|bench|leader|whip|member|one|two|three|\d{1,2}|i{1,3}"
    r"|opening|closing|constructive|rebuttal|statement|argument|speech|remarks|summary|case|response))*"
)
_LETTERED: Final = r"(?:(?:team|side|debater)\s+)"
_PRO: Final = re.compile(
    rf"{_BEFORE}(?:pro|affirmative|aff|proposition|prop|proposer|proponent|government|gov|supporter|yes|in favou?r"
    rf"|for the motion|pour|dafür|a favor|befürworter(?:in)?){_AFTER}|for|[12]?a[cr]|{_LETTERED}(?:a|1|one)"
)
_CON: Final = re.compile(
    rf"{_BEFORE}(?:con|contra|negative|neg|opposition|opp|opponent|opposer|against|against the motion|no|contre|dagegen"
    rf"|en contra|gegner(?:in)?){_AFTER}|[12]?n[cr]|{_LETTERED}(?:b|2|two)"
)
_CONTEXT: Final = re.compile(
    r"(?:the\s+|debate\s+)*(?:mod[ée]rat(?:or(?:in)?|eur|rice)|moderador(?:a)?|host|interviewer"
    r"|chair(?:man|woman|person)?|presenter|facilitator|announcer|narrator|timekeeper|m\.?c|emcee|anchor)(?:\s.*)?"
    r"|(?:the\s+)?(?:judge|adjudicator|referee|system|developer|audience|audience member|questioner|clerk"
    r"|(?:an |several |some )?hon\.? members?|crowd|voter|mod)(?:\s+\w{1,3})?"
)
_OUT: Final = re.compile(r"tool|function|tool result")
_PARTS: Final = re.compile(" ?[()\\[\\],/·|:] ?| [-–—] ")
"""Between the parts of a name whose white space is collapsed."""


def side_in(column: str) -> EntrySide | None:
    """The side that the column or key ``side`` tells: in the words of ours, or as a name tells it."""
    said = column.strip().casefold()
    return next((side for side in get_args(EntrySide) if side == said), None) or side_of(column)


@lru_cache(maxsize=4096)
def side_of(name: str) -> EntrySide | None:
    """The side that a name tells, as a whole or in one of its parts; None if it tells none."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    words = " ".join(folded.replace("▲", " ").replace("▼", " ").split())
    for part in (words, *_PARTS.split(words)):
        bare = part.strip(" .*_")
        if _CONTEXT.fullmatch(bare):
            return "context"
        if _PRO.fullmatch(bare):
            return "pro"
        if _CON.fullmatch(bare):
            return "con"
        if _OUT.fullmatch(bare):
            return "out"
    return None

"""Forms of a line of text that names who speaks: a pattern each, with ``name``, perhaps ``time`` and ``words``.

Before them a line may have marks of a quotation, a time or a date, and a bullet.  A pattern takes time linear in its
line, and begins with ``^``: a name in front is all that it looks for.
"""

import re
from typing import Final, Literal

from msgspec import Struct

LabelForm = Literal["colon", "line"]
"""A name before words, or a name that has a line to itself."""
CLOCK: Final = r"(?:(?:\d{1,3}):)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?"
_UNTIL: Final = rf"(?:\s?(?:-->|[-–—])\s?{CLOCK})?"
"""Up to which time a person speaks."""
BRACKETED: Final = rf"[\[(]?(?P<time>{CLOCK}){_UNTIL}[\])]?"
_DATE: Final = (
    r"(?P<date>)\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
    r"(?:\s?[AaPp]\.?[Mm]\.?)?\]?\s*(?:[-–—]\s*)?"
)
_BULLET: Final = r"[-*•]\s+|\d{1,3}[.)]\s+(?=\D)|\d{1,4}\s{2,}(?=\D)"
PREFIXES: Final = tuple(map(re.compile, (r"(?:>\s?)+", _DATE, rf"{BRACKETED}(?:\s*[-–—>]+)?\s*", _BULLET)))
"""What may stand before a name: marks of a quotation, a date with a time, a time, and a bullet or a number."""


class LineForm(Struct, frozen=True, kw_only=True):
    """How a line names who speaks."""

    name: str
    pattern: re.Pattern[str]
    form: LabelForm = "colon"
    is_marked: bool = True
    """Whether a name counts even if it comes once.  Without it only one in capitals or next to a time does."""
    example: str
    gives: tuple[str, str, int | None]
    """The name, the words and the milliseconds of the example."""


LINES: Final = (
    LineForm(
        name="angle brackets, as in IRC",
        pattern=re.compile(r"^<(?P<name>[^<>\n]{1,80})>\s+(?P<words>.*)"),
        example="[10:00:05] <ann> Hello: you",
        gives=("ann", "Hello: you", 36_005_000),
    ),
    LineForm(
        name="the label of a speaker in square brackets, as WhisperX writes it",
        pattern=re.compile(r"^\[(?P<name>SPEAKER[_ ]\w{1,4})\]\s*:?\s*(?P<words>.*)"),
        example="[00:01.000 --> 00:02.000] [SPEAKER_00] Hello",
        gives=("SPEAKER_00", "Hello", 1000),
    ),
    LineForm(
        name="a name in square brackets before a colon",
        pattern=re.compile(r"^\[(?P<name>[^\[\]\n]{1,80})\]\s?:\s*(?P<words>.*)"),
        example="[Pro - model-a]: Hello",
        gives=("Pro - model-a", "Hello", None),
    ),
    LineForm(
        name="the chat of Zoom",
        pattern=re.compile(
            r"^(?:From\s{1,4}(?P<name>[^:\s](?:[^:\n]{0,80}?[^:\s])?)\s{1,4}to\s[^:\n]{1,90}):\s*(?P<words>.*)"
        ),
        example="10:00:05 From  Ann Lee  to  Everyone : Hello",
        gives=("Ann Lee", "Hello", 36_005_000),
    ),
    LineForm(
        name="a message to everyone",
        pattern=re.compile(r"^(?P<name>[^:\s](?:[^:\n]{0,80}?[^:\s])?)\s{1,4}to\s{1,4}Everyone\s?:\s*(?P<words>.*)"),
        example="Ann Lee to Everyone: Hello",
        gives=("Ann Lee", "Hello", None),
    ),
    LineForm(
        name="a line with the word speaker, as Speechmatics writes it",
        pattern=re.compile(r"^SPEAKER:\s{1,4}(?P<name>\S{1,40})(?P<words>)$"),
        form="line",
        example="SPEAKER: S1",
        gives=("S1", "", None),
    ),
    LineForm(
        name="bold, with a colon or a dash",
        pattern=re.compile(
            r"^(?P<bold>\*\*\*|\*\*|__)(?=\S)(?P<name>[^*_\n]{1,90})(?P=bold)\s*"
            r"(?:(?<=[:：]\*\*)|(?<=[:：]\*\*\*)|(?<=[:：]__)|[:：—–]|- )(?P<words>.*)"
        ),
        example="- **[0:12] Ann (Pro)** — Hello",
        gives=("Ann (Pro)", "Hello", 12_000),
    ),
    LineForm(
        name="bold, in a line of its own, perhaps with a time",
        pattern=re.compile(
            rf"^(?P<bold>\*\*\*|\*\*|__)(?=\S)(?P<name>[^*_\n]{{1,90}})(?P=bold)\s*(?:{BRACKETED})?(?P<words>)$"
        ),
        form="line",
        example="**Ann**   0:03",
        gives=("Ann", "", 3000),
    ),
    LineForm(
        name="a time after the colon, as Rev.com writes it",
        pattern=re.compile(
            rf"^(?P<name>(?![a-z])[^:：\n]{{1,100}})[:：]\s?[\[(](?P<time>{CLOCK})[\])]\s*(?P<words>.*)"
        ),
        example="Ann Lee: (01:20)",
        gives=("Ann Lee", "", 80_000),
    ),
    LineForm(
        name="a name before a colon, which is not that of a time",
        pattern=re.compile(r"^(?P<name>(?:[^:：\n]|(?<=\d):(?=\d)){1,100}+)(?::(?=\s|$)|：)\s*(?P<words>.*)"),
        is_marked=False,
        example="Ann (0:12): One thing: no",
        gives=("Ann", "One thing: no", 12_000),
    ),
)
"""The first form whose name may be a speaker's counts."""

"""Characters that a reader does not see, and characters that look like others: neither may hide an order."""

import re
from functools import lru_cache
from typing import Final
from unicodedata import category, normalize

_DEFAULT_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), and the interlinear annotation marks."""

_CONTROLS = ((0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F))
"""C0 and C1 controls, except those that count as white space."""

_SURROGATES = ((0xD800, 0xDFFF),)

INVISIBLE = frozenset(
    chr(point) for first, last in (*_DEFAULT_IGNORABLE, *_CONTROLS, *_SURROGATES) for point in range(first, last + 1)
)
"""Zero-width, bidirectional and tag characters, variation selectors, soft hyphens, controls, lone surrogates."""

REMOVE = {ord(character): None for character in INVISIBLE}
"""For ``str.translate``."""

UNSEEN: Final = re.compile(
    "["
    + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in (*_DEFAULT_IGNORABLE, *_CONTROLS, *_SURROGATES))
    + "]+"
)
"""The same as a pattern: ``sub`` is ten times as fast as ``translate`` on a text without them."""

_PAIRS: Final = (
    "аaаaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhӏlкkмmтtвbнhгrпnиuьbзeяrшwџuґrαaβbγyεeηnιiκkνvοoρpσoτtυuχxωwόoίiϲcϳjѵv"
    "ɑaɡgıiɪiɩiʟlɴnʀrɢgᴀaʙbᴄcᴅdᴇeꜰfʜhᴊjᴋkᴍmᴏoᴘpꜱsᴛtᴜuᴠvᴡwʏyᴢzƨsɛeøołlđdħhŧtƚlօoսuոnհhցgզqյjքp‹<›>〈<〉>⟨<⟩>❬<❭>∣|ǀ|│|"
)
LOOK_ALIKES: Final = {_PAIRS[at]: _PAIRS[at + 1] for at in range(0, len(_PAIRS), 2)} | {
    chr(first + at): chr(ord("a") + at) for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)
}
"""Characters that pass for ASCII ones, of those that occur in text.  Source: confusables.txt of Unicode's UTS #39."""
_LETTER: Final = r"[A-Za-z\u00c0-\u024f\u0370-\u052f]"
HIDDEN: Final = re.compile(
    rf"(?<={_LETTER})[\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]{{1,80}}"
    rf"(?={_LETTER})|[\u202d\u202e]|(?<!\U0001f3f4)(?<![\U000e0000-\U000e0fff])[\U000e0020-\U000e007f]{{2,80}}"
)
"""Invisible characters inside a word, overridden direction, and text in tag characters."""


@lru_cache(maxsize=8_192)
def folded(character: str) -> str:
    """Compatibility forms, case, accents and look-alikes made one; nothing for what is invisible."""
    plain = "" if character in INVISIBLE else normalize("NFKD", normalize("NFKD", character).casefold())
    letters = (LOOK_ALIKES.get(each, each) for each in plain if category(each) != "Mn")
    return "".join("\n" if each in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029" else each for each in letters)

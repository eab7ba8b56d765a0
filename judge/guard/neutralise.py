"""Debaters' words as material: nothing in them can pose as an instruction, a role or a delimiter of ours.

Every line begins with ``| ``, so no line of a speech can be taken for one of the prompt's.  What chat templates are
made of is written with look-alikes that NFKC (or ``quotes``) brings back, so that words quoted from here are found in
the turn as it was spoken.
"""

import re
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from judge.guard.characters import UNSEEN

_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ANGLES = str.maketrans({"<": "‹", ">": "›", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›", "\x1f": " "})
_BRACKETED = re.compile(r"\[(?=\s*/?\s*[A-Za-z_|/ ]{2,40}\s*\])([^\]\n]*)\]")
_HEADING = re.compile(r"(?m)^([ \t>|*-]*)(#{1,6}|={3,}|-{3,}|`{3,}|~{3,})")
_WIDE = str.maketrans({"#": "＃", "=": "＝", "-": "－", "`": "’", "~": "～"})
_ROLE = re.compile(r"(?mi)^([ \t>|*_#＃-]*(?:system|user|assistant|human|judge|developer|tool|instructions?)[ \t*_]*):")
_PREFIX = "| "
KEPT_LENGTH: Final = 4_000
"""Texts up to this length are kept: a turn stands in a dozen prompts, a document in few."""


def quoted(text: str) -> str:
    """``text`` in NFC, every line behind ``| ``, without a character or token that a model could obey."""
    return _kept(text) if len(text) <= KEPT_LENGTH else _quoted(text)


def _quoted(text: str) -> str:
    plain = normalize("NFC", UNSEEN.sub("", _LINE_ENDS.sub("\n", text))).translate(_ANGLES)
    plain = _BRACKETED.sub(r"［\1］", plain)
    plain = _HEADING.sub(lambda match: match[1] + match[2].translate(_WIDE), plain)
    plain = _ROLE.sub(r"\1：", plain)
    return "\n".join(_PREFIX + line for line in plain.split("\n"))


_kept = lru_cache(maxsize=1024)(_quoted)

"""Text of debaters as material: no part of it can pose as an instruction, a role or a delimiter of the prompt.

Every line begins with ``| ``, so a model can tell it from the prompt's own lines.  The characters of chat templates are
replaced by look-alikes that NFKC (or ``quotes``) maps back, so that a quote of this text is found in the original turn.
"""

import re
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from judge.guard.characters import UNSEEN

_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ANGLES = str.maketrans({"<": "‹", ">": "›", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›", "\x1f": " "})
_BRACKETED = re.compile(r"\[([^\[\]\n]*+)\]")
_TAG = re.compile(r"\s{0,2}/?\s{0,2}[A-Za-z_|/ ]{2,40}\s{0,2}")
"""The words of a tag, with at most two characters of white space at their ends and after a slash."""
_HEADING = re.compile(r"(?m)^([ \t>|*-]*)(#{1,6}|={3,}|-{3,}|`{3,}|~{3,})")
_WIDE = str.maketrans({"#": "＃", "=": "＝", "-": "－", "`": "’", "~": "～"})
_ROLE = re.compile(r"(?mi)^([ \t>|*_#＃-]*(?:system|user|assistant|human|judge|developer|tool|instructions?)[ \t*_]*):")
_PREFIX = "| "
KEPT_LENGTH: Final = 4_000
"""Texts up to this length are cached: a dozen prompts contain the same turn, few contain the same document."""


def quoted(text: str) -> str:
    """Return ``text`` in NFC, each line after ``| ``, without characters or tokens that a model could obey."""
    return _kept(text) if len(text) <= KEPT_LENGTH else _quoted(text)


def _quoted(text: str) -> str:
    plain = normalize("NFC", UNSEEN.sub("", _LINE_ENDS.sub("\n", text))).translate(_ANGLES)
    plain = _BRACKETED.sub(lambda found: f"［{found[1]}］" if _is_tag(found[1]) else found[0], plain)
    plain = _HEADING.sub(lambda match: match[1] + match[2].translate(_WIDE), plain)
    plain = _ROLE.sub(r"\1：", plain)
    return "\n".join(_PREFIX + line for line in plain.split("\n"))


def _is_tag(words: str) -> bool:
    """Whether words in square brackets could be a tag of a chat template."""
    before, slash, after = words.partition("/")
    words = before[-2:] + slash + _short_ends(after) if slash and not before.strip() else _short_ends(words)
    return _TAG.fullmatch(words) is not None


def _short_ends(words: str) -> str:
    """The words with at most two characters of white space before and after them: more make no difference to a tag."""
    start, end = len(words) - len(words.lstrip()), len(words.rstrip())
    if not end:
        return "  " if "  " in words else words[:2]
    return words[max(0, start - 2) : end + 2]


_kept = lru_cache(maxsize=1024)(_quoted)

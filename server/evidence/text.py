"""Bytes as text: their encoding, what is no text, and plain text as paragraphs."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterator
from typing import Final

from events.text.segmentation import UNSPACED
from server.evidence.passages import Block

MAX_TITLE: Final = 200
"""Characters of a title or a heading."""
_MARKED: Final = (
    (BOM_UTF8, "utf-8-sig"),
    (BOM_UTF32_LE, "utf-32"),
    (BOM_UTF32_BE, "utf-32"),
    (BOM_UTF16_LE, "utf-16"),
    (BOM_UTF16_BE, "utf-16"),
)
"""Encodings by their byte order mark; that of UTF-32 begins with that of UTF-16."""
_SAMPLE: Final = 1 << 16
"""Bytes and characters that tell whether a file is text."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_MAX_CONTROLS: Final = 0.01
_HALF_NULS: Final = 0.3
"""Share of zero bytes at even or odd places from which on a file without a mark is taken for UTF-16."""
_OLD: Final = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "koi8_u", "shift_jis", "euc_jp",
    "gb18030", "big5", "euc_kr",
)  # fmt: skip
"""Encodings that a file without a mark is guessed among, if it is not UTF-8; of those that fit alike, the first."""
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""Characters that a reader does not see and that no script needs: controls, soft hyphens, marks of direction, tags."""
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n\s*")
_UNSPACED_BREAK: Final = re.compile(f"(?<=[{UNSPACED}])\n(?=[{UNSPACED}])")
_HYPHEN_BREAK: Final = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_A-Z])")
_BREAK_WITHIN: Final = re.compile(r"(?<=\w-)\n(?=\w)|(?<=\S/)\n(?=\S)")
"""The end of a line within ``US-ASCII`` or ``/usr/share``."""


class Unreadable(Exception):
    """A document that cannot be read.  ``why`` follows its name in a sentence: "is empty"."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def decoded(content: bytes, declared: str = "") -> str:
    """The text of a file.  ``declared``: the encoding that the file itself names.  Raises ``Unreadable``."""
    return decode(content, declared)[0]


def decode(content: bytes, declared: str = "") -> tuple[str, str]:
    """The text of a file, and its encoding if that is a guess, else an empty text.

    A byte order mark decides, then the zero bytes of UTF-16, ``declared``, UTF-8, and last a guess from the bytes.
    Raises ``Unreadable`` for bytes that are no text.
    """
    for mark, name in _MARKED:
        if content.startswith(mark):
            return _text(content.decode(name, "replace")), ""
    if name := _unmarked(content):
        return _text(content.decode(name, "replace")), ""
    for name in filter(None, (declared, "utf-8")):
        try:
            return _text(content.decode(name)), ""
        except (UnicodeDecodeError, LookupError):
            continue
    if b"\0" in content[:_SAMPLE]:
        raise Unreadable("is not a text")
    guess = _guessed(content)
    return _text(content.decode(guess, "replace")), guess


def blocks_of(text: str) -> Iterator[Block]:
    """The paragraphs of a plain text, which empty lines separate, each as one line."""
    for part in _PARAGRAPH.split(text):
        whole = _HYPHEN_BREAK.sub("", _UNSPACED_BREAK.sub("", part))  # a word hyphenated at a line's end is whole again
        yield Block(text=_BREAK_WITHIN.sub("", whole).replace("\n", " "))


def tidy(text: str) -> str:
    """The text with line feeds at the ends of lines, and without characters that a reader does not see."""
    return _HIDDEN.sub("", _LINE_END.sub("\n", text))


def line_of(text: str) -> str:
    """The tidied text on one line, with single spaces."""
    return " ".join(tidy(text).split())


def _text(text: str) -> str:
    """The tidied text.  Raises ``Unreadable`` if too many of its characters are controls."""
    sample = text[:_SAMPLE]
    if len(_CONTROL.findall(sample)) > _MAX_CONTROLS * len(sample):
        raise Unreadable("is not a text")
    return tidy(text)


def _unmarked(content: bytes) -> str:
    """The name of UTF-16 without a mark; empty for other encodings."""
    sample = content[:_SAMPLE]
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if sample[first::2].count(0) > _HALF_NULS * len(sample) / 2 and not sample[1 - first :: 2].count(0):
            return name
    return ""


def _guessed(content: bytes) -> str:
    """The name of the encoding that fits the bytes best."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it

    found = from_bytes(content[:_SAMPLE], cp_isolation=list(_OLD))
    best = found.best()
    if best is None:
        raise Unreadable("is not a text, or its encoding is not known: save it as UTF-8")
    western = next((each for each in found if each.encoding == "cp1252"), best)
    is_better = western.chaos > best.chaos or western.coherence < best.coherence
    return str((best if is_better else western).encoding)

"""A text as a model might read it: without what hides its words from a reader or from a search.

Each view undoes one disguise more than the one before and knows where its characters come from.  Source of the
look-alikes: Unicode's confusables.txt (UTS #39), the letters that pass for Latin ones in a running text.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final
from unicodedata import category, normalize

from msgspec import Struct

from events.types import Span
from judge.guard.invisible import INVISIBLE, UNSEEN

_PAIRS: Final = (
    "аaаaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhӏlкkмmтtвbнhгrпnиuьbзeяrшwџuґr"
    "αaβbγyεeηnιiκkνvοoρpσoτtυuχxωwόoίiϲcϳjѵv"
    "ɑaɡgıiɪiɩiʟlɴnʀrɢgᴀaʙbᴄcᴅdᴇeꜰfʜhᴊjᴋkᴍmᴏoᴘpꜱsᴛtᴜuᴠvᴡwʏyᴢzƨsɛeøołlđdħhŧtƚl"
    "օoսuոnհhցgզqյjքpꮪsꭰdꭱrꭲiꮃwꭺgꮋhꮇmꭼe‹<›>〈<〉>⟨<⟩>❬<❭>∣|ǀ|│|"
)
_LOOKALIKES: Final = {ord(_PAIRS[at]): _PAIRS[at + 1] for at in range(0, len(_PAIRS) - 1, 2)}
_BOXED: Final = {
    first + letter: chr(ord("a") + letter) for first in (0x1F150, 0x1F170, 0x1F1E6) for letter in range(26)
}
_LATIN: Final = {**_LOOKALIKES, **_BOXED}
_LEET: Final = str.maketrans("013457@$", "oieastas")
_HAS_LEET: Final = re.compile(r"[a-z][013457@$]|[013457@$][a-z]")
_SPACED: Final = re.compile(r"(?<![^\W_])[^\W_](?:[ \t._*·|/-]{1,3}[^\W_](?![^\W_])){5,400}+")
_LETTERS: Final = re.compile(r"(?<![^\W_])[^\W_](?:([ ._*·|/-])[^\W_](?![^\W_]))(?:\1[^\W_](?![^\W_])){2,40}")
_LINE_ENDS: Final = {ord(end): "\n" for end in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"}
_BETWEEN: Final = re.compile(r"[ \t._*·|/-]{2,3}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX: Final = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :]?){10,}")


class View(Struct, frozen=True, kw_only=True):
    """A text and, for each of its characters, the character of the original that it stands for."""

    disguise: str
    """What was undone to get here; nothing for the text as a reader sees it."""
    text: str
    places: tuple[int, ...] | range
    end: int

    def span(self, start: int, end: int) -> Span:
        """Where the characters [start, end) of the view stand in the original."""
        after = self.places[end] if end < len(self.places) else self.end
        first = self.places[start]
        return first, max(after, self.places[end - 1] + 1)


def views(text: str) -> Iterator[View]:
    """As it is seen; without the invisible; with Latin letters for look-alikes; without leet; drawn together."""
    seen = _seen(text)
    yield seen
    shown = _kept(seen, "hidden_characters")
    if shown.text != seen.text:
        yield shown
    latin = _turned(shown, "look_alikes", _LATIN)
    if latin.text != shown.text:
        yield latin
    plain = latin
    if _HAS_LEET.search(latin.text):
        plain = _turned(latin, "leet", _LEET)
        yield plain
    if _LETTERS.search(plain.text):
        yield drawn_together(plain)


def spaced(text: str) -> Iterator[tuple[str, Span]]:
    """Words written l e t t e r by letter, put together again, and where they stand."""
    for match in _SPACED.finditer(text):
        words = [re.sub(r"[\W_]", "", word) for word in _BETWEEN.split(match[0])]
        for joined in (" ".join(words), "".join(words)):
            yield _latin(joined), match.span()


def drawn_together(view: View) -> View:
    """The view with every run of s p a c e d letters as one word: some words of an order may stand plain."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for match in _LETTERS.finditer(view.text):
        gaps = {place for place in range(*match.span()) if not view.text[place].isalnum()}
        parts += [view.text[at : match.start()], "".join(each for each in match[0] if each.isalnum())]
        places += [*view.places[at : match.start()]]
        places += [view.places[place] for place in range(*match.span()) if place not in gaps]
        at = match.end()
    return View(
        disguise="spaced_letters",
        text="".join((*parts, view.text[at:])),
        places=(*places, *view.places[at:]),
        end=view.end,
    )


def decoded(text: str) -> Iterator[tuple[str, Span]]:
    """What base64 and hexadecimal blobs hold, where it is text, and where they stand."""
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for match in pattern.finditer(text):
            if (found := decode(match[0])) is not None:
                yield folded(found), match.span()


@lru_cache(maxsize=8192)
def folded(text: str) -> str:
    """Compatibility forms, case and accents made one, as patterns are written."""
    if text.isascii():
        return text.lower().translate(_LINE_ENDS)
    plain = normalize("NFKD", normalize("NFKD", text).casefold()).translate(_LINE_ENDS)
    return "".join(each for each in plain if category(each) != "Mn" or each in INVISIBLE)


def is_lookalike(character: str) -> bool:
    """Whether the character passes for another one, a Latin letter or an angle bracket."""
    return any(ord(each) in _LATIN for each in folded(character))


def _seen(text: str) -> View:
    if text.isascii():
        return View(disguise="", text=folded(text), places=range(len(text)), end=len(text))
    pieces = [folded(character) for character in text]
    places = tuple(place for place, piece in enumerate(pieces) for _ in piece)
    return View(disguise="", text="".join(pieces), places=places, end=len(text))


def _kept(view: View, disguise: str) -> View:
    if UNSEEN.search(view.text) is None:
        return View(disguise=disguise, text=view.text, places=view.places, end=view.end)
    kept = [(each, place) for each, place in zip(view.text, view.places, strict=True) if each not in INVISIBLE]
    return View(
        disguise=disguise,
        text="".join(each for each, _ in kept),
        places=tuple(place for _, place in kept),
        end=view.end,
    )


def _turned(view: View, disguise: str, table: Mapping[int, str | int]) -> View:
    """One character for one: the places stay."""
    return View(disguise=disguise, text=view.text.translate(table), places=view.places, end=view.end)


def _latin(text: str) -> str:
    return "".join(each for each in folded(text).translate(_LATIN).translate(_LEET) if each not in INVISIBLE)


def _from_base64(blob: str) -> str | None:
    plain = blob.rstrip("=").replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _from_hex(blob: str) -> str | None:
    try:
        return bytes.fromhex(re.sub("[ :]", "", blob)).decode()
    except (ValueError, UnicodeDecodeError):
        return None

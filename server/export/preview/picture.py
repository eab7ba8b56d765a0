"""The preview picture of a debate, which other sites show with a link: motion, sides, scores and state as a PNG.

Pillow draws it.  A text is drawn in the first font that has all of its letters, and left out if there is none.
"""

import io
import unicodedata
from bisect import bisect_right
from collections import OrderedDict
from functools import cache, lru_cache
from typing import Final, NamedTuple

import anyio
from anyio import to_thread
from msgspec import UNSET
from PIL import Image, ImageDraw, ImageFont, features

from events.text.figures import rounded
from events.types import Side
from events.view.view import View
from server.export.preview.card import PICTURE_SIZE, scores_of, standing_of
from server.export.text import one_line
from server.export.wording import NAMES

MAX_KEPT: Final = 64
"""Pictures; each has about 30 KB."""
MARGIN: Final = 70
WIDTH: Final = PICTURE_SIZE[0] - 2 * MARGIN
MOTION_SIZES: Final = ((64, 3), (54, 3), (46, 4))
"""Sizes of the motion's letters in pixels, with the most lines: the first into which the motion fits, or the last."""
MAX_LETTERS: Final = 600
"""Characters of a text that are looked at; a picture has room for fewer."""
MAX_IN_LINE: Final = 200
PAPER: Final = "#faf8f4"
INK: Final = "#1d1b18"
SOFT: Final = "#5f5a52"
LINE: Final = "#e4ded3"
COLOURS: Final = {"pro": "#0b6666", "con": "#a0401a"}
EMBEDDED: Final = ""
"""The name of the font inside Pillow, which has Latin letters without accents only."""
FONTS: Final = (
    EMBEDDED,
    "DejaVuSans.ttf",
    *(f"NotoSans{script}-Regular.ttf" for script in ("", "Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil", "Thai")),
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "PingFang.ttc",
    "Arial Unicode.ttf",
    "msyh.ttc",
    "unifont.otf",
)
"""Files that Pillow looks for in the system's folders of fonts, best first."""
ABSENT: Final = "\U0010ffff"
"""A code point that no font has: it is drawn as a missing glyph."""

JOINERS: Final = {"\u200c", "\u200d"}
"""Characters without a glyph that decide whether the letters next to them join."""


class Words(NamedTuple):
    """A text in the characters that its font can draw."""

    text: str
    font: str
    direction: str | None
    """``rtl`` or ``ltr``; None without raqm."""

    def width(self, text: str, size: int) -> float:
        """The width of a part of the text in pixels."""
        return _face(self.font, size).getlength(text, direction=self.direction)

    def fitting(self, text: str, size: int, width: float, end: str = "") -> int:
        """How many characters of a part fit into ``width`` pixels, with ``end`` after them."""
        most = range(min(len(text), MAX_IN_LINE) + 1)
        return max(1, bisect_right(most, width, key=lambda number: self.width(text[:number] + end, size)) - 1)

    def lines(self, size: int, width: float) -> list[str]:
        """The text in lines, broken at spaces, or within a word that is longer than a line."""
        lines, rest = list[str](), self.text
        while rest:
            number = self.fitting(rest, size, width)
            if number < len(rest) and (space := rest.rfind(" ", 0, number + 1)) > 0:
                number = space
            lines.append(rest[:number])
            rest = rest[number:].lstrip()
        return lines

    def shortened(self, text: str, size: int, width: float) -> str:
        """A part on one line, with an ellipsis if it is too long."""
        if len(text) <= self.fitting(text, size, width):
            return text
        end = "…" if _has(self.font, "…") else "..."
        return f"{text[: self.fitting(text, size, width, end)].rstrip()}{end}"


class Previews:
    """A cache of the pictures that were asked for last.  A thread draws them, one at a time."""

    def __init__(self) -> None:
        self._cache: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._lock = anyio.Lock()

    def __len__(self) -> int:
        return len(self._cache)

    def forget(self, debate: str) -> None:
        """Forget the pictures of a deleted debate."""
        for key in [key for key in self._cache if key[0] == debate]:
            del self._cache[key]

    async def picture(self, view: View) -> bytes:
        """The PNG of a view, as spectators may see it."""
        key = view.id, view.position
        async with self._lock:
            if key not in self._cache:
                self._cache[key] = await to_thread.run_sync(draw, view)
            self._cache.move_to_end(key)
            if len(self._cache) > MAX_KEPT:
                self._cache.popitem(last=False)
            return self._cache[key]


def draw(view: View) -> bytes:
    """The picture of a view as PNG."""
    image = Image.new("RGB", PICTURE_SIZE, PAPER)
    canvas = ImageDraw.Draw(image)
    _text(canvas, words_of("Moot"), (MARGIN, 44), 40)
    _text(canvas, words_of(standing_of(view)), (PICTURE_SIZE[0] - MARGIN, 50), 32, colour=SOFT, is_right=True)
    canvas.line((MARGIN, 108, PICTURE_SIZE[0] - MARGIN, 108), LINE, 2)
    if motion := words_of(view.motion):
        _motion(canvas, motion)
    if view.pro is not UNSET and view.con is not UNSET:
        _side(canvas, view, "pro", 400)
        _side(canvas, view, "con", 500)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _motion(canvas: ImageDraw.ImageDraw, words: Words) -> None:
    size, most = next(
        (each for each in MOTION_SIZES if len(words.lines(each[0], WIDTH)) <= each[1]),
        MOTION_SIZES[-1],
    )
    lines = words.lines(size, WIDTH)
    if len(lines) > most:
        lines[most - 1 :] = [words.shortened(" ".join(lines[most - 1 :]), size, WIDTH)]
    is_right = words.direction == "rtl"
    for number, line in enumerate(lines):
        at = (PICTURE_SIZE[0] - MARGIN if is_right else MARGIN, 136 + round(number * size * 1.25))
        _text(canvas, words._replace(text=line), at, size, is_right=is_right)


def _side(canvas: ImageDraw.ImageDraw, view: View, side: Side, top: int) -> None:
    """The name of a side, its seat, its score, and the score as a bar."""
    seat = view.pro if side == "pro" else view.con
    assert seat is not UNSET, "a debate with sides has both seats"
    colour, x, y = COLOURS[side], MARGIN, top + 10
    tip, base = (y, y + 30) if side == "pro" else (y + 30, y)
    canvas.polygon(((x, base), (x + 36, base), (x + 18, tip)), colour)
    _text(canvas, words_of(NAMES[side]), (x + 54, top), 44, colour=colour)
    scores, most = scores_of(view)
    score = scores[side]
    none = "no score yet" if view.state == "open" else "no score"
    shown = words_of(none if score is None else f"{rounded(score)} / {most}")
    assert shown is not None, "the embedded font has figures"
    size = 32 if score is None else 44
    _text(
        canvas,
        shown,
        (PICTURE_SIZE[0] - MARGIN, top + 44 - size),
        size,
        colour=SOFT if score is None else INK,
        is_right=True,
    )
    parts = (seat.archetype.replace("_", " "), seat.model, seat.speaker)
    if named := words_of(" · ".join(each for each in parts if each)):
        room = WIDTH - 190 - shown.width(shown.text, size) - 30
        _text(canvas, named._replace(text=named.shortened(named.text, 32, room)), (x + 170, top + 9), 32, colour=SOFT)
    canvas.rounded_rectangle((x, top + 62, x + WIDTH, top + 76), 7, LINE)
    if score:
        canvas.rounded_rectangle((x, top + 62, x + max(14, round(WIDTH * score / most)), top + 76), 7, colour)


def _text(
    canvas: ImageDraw.ImageDraw,
    words: Words | None,
    at: tuple[float, float],
    size: int,
    *,
    colour: str = INK,
    is_right: bool = False,
) -> None:
    """One line at a point: its top left corner, or its top right corner."""
    if words is not None:
        font = _face(words.font, size)
        canvas.text(at, words.text, colour, font, "ra" if is_right else "la", direction=words.direction)


# fonts


def words_of(text: str) -> Words | None:
    """A text on one line in the first font that has its letters, marks and digits; None if there is none.

    Other characters that the font lacks, such as pictures, are left out.  Without the library raqm, Pillow does not lay
    out letters that join or run from right to left: a text with such letters is left out too.
    """
    text = unicodedata.normalize("NFC", one_line(text))[:MAX_LETTERS]
    shaped = features.check("raqm")
    needed = {each for each in text if unicodedata.category(each)[0] in "LMN" and not "\ufe00" <= each <= "\ufe0f"}
    if not shaped and any(unicodedata.category(each)[0] == "M" or _is_right(each) for each in needed):
        return None
    for name in FONTS:
        if _font(name, MOTION_SIZES[-1][0]) is not None and all(_has(name, each) for each in needed):
            others = {each for each in set(text) - needed if unicodedata.category(each)[0] in "PSZ"}
            kept = (
                needed | {each for each in others if each == " " or _has(name, each)} | (JOINERS if shaped else set())
            )
            shown = " ".join("".join(each for each in text if each in kept).split())
            first = next((each for each in shown if unicodedata.bidirectional(each) in {"L", "R", "AL"}), "")
            direction = "rtl" if first and _is_right(first) else "ltr"
            return Words(shown, name, direction if shaped else None) if shown else None
    return None


def _is_right(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in {"R", "AL"}


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont | None:
    """A font in a size in pixels; None if the system does not have it."""
    engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
    if name == EMBEDDED:
        embedded = ImageFont.load_default(size)
        assert isinstance(embedded, ImageFont.FreeTypeFont), "Pillow has FreeType"
        return embedded.font_variant(layout_engine=engine)
    try:
        return ImageFont.truetype(name, size, layout_engine=engine)
    except OSError:
        return None


@lru_cache(maxsize=1 << 14)
def _has(name: str, letter: str) -> bool:
    """Whether a font has a glyph for a letter."""
    return _glyph(name, letter) != _glyph(name, ABSENT)


def _glyph(name: str, letter: str) -> tuple[tuple[int, int], bytes]:
    mask = _face(name, MOTION_SIZES[-1][0]).font_variant(layout_engine=ImageFont.Layout.BASIC).getmask(letter)
    return mask.size, bytes(mask)


def _face(name: str, size: int) -> ImageFont.FreeTypeFont:
    font = _font(name, size)
    assert font is not None, "a text has a font that the system has"
    return font

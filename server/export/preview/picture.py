"""The preview picture of a debate, which other sites show with a link, as a PNG.

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

from events.text.figures import rounded, shortest
from events.types import SIDES, Side
from events.view.view import SeatView, View
from server.export.preview.card import PICTURE_SIZE, scores_of, standing_of
from server.export.preview.course import Course, CoursePoint, Exposure, share_of
from server.export.text import one_line
from server.export.wording import NAMES

MAX_KEPT: Final = 64
"""Pictures; each has about 30 KB."""
MARGIN: Final = 48
RIGHT: Final = PICTURE_SIZE[0] - MARGIN
WIDTH: Final = PICTURE_SIZE[0] - 2 * MARGIN
BAR: Final = 84
CAP: Final = 296
CURVE: Final = 128
"""Heights of the bar and the curve, and the width of a cap of the bar, in pixels."""
TOP: Final = 106
SMALL: Final = 34
QUOTE: Final = 30
MARK: Final = 20
HEADLINE: Final = (66, 58, 50, 42)
"""Sizes of letters in pixels; of the outcome the first in which it fits."""
LEADING: Final = 42
MAX_LINES: Final = 2
MAX_LETTERS: Final = 600
"""Characters of a text that are looked at; a picture has room for fewer."""
MAX_IN_LINE: Final = 200
PAPER: Final = "#faf8f4"
INK: Final = "#1d1b18"
SOFT: Final = "#5f5a52"
LINE: Final = "#e4ded3"
EDGE: Final = "#8f877a"
COLOURS: Final[dict[Side, str]] = {"pro": "#0b6666", "con": "#a0401a"}
DARKER: Final[dict[Side, str]] = {"pro": "#095454", "con": "#833415"}
ON_FILL: Final = "#ffffff"
WASHES: Final = ("#f8ecf4", "#ffedb8")
UNDER: Final = ("#8f1769", "#8a6a00")
"""Ground and line of the words that fail, and of those that expose them."""
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
SERIF: Final = ("Palatino.ttc", "Georgia.ttf", "LiberationSerif-Regular.ttf", "DejaVuSerif.ttf")
SERIF_BOLD: Final = ("Georgia Bold.ttf", "LiberationSerif-Bold.ttf", "DejaVuSerif-Bold.ttf")
SANS_BOLD: Final = ("LiberationSans-Bold.ttf", "DejaVuSans-Bold.ttf")
"""Fonts that are tried before those of ``FONTS``."""
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

    async def picture(self, view: View, course: Course | None = None) -> bytes:
        """The PNG of a view, as spectators may see it."""
        key = view.id, view.position
        async with self._lock:
            if key not in self._cache:
                self._cache[key] = await to_thread.run_sync(draw, view, course)
            self._cache.move_to_end(key)
            if len(self._cache) > MAX_KEPT:
                self._cache.popitem(last=False)
            return self._cache[key]


def draw(view: View, course: Course | None = None) -> bytes:
    """The picture of a view as PNG: bar, motion, outcome, what was exposed with both quotes, and the curve."""
    image = Image.new("RGB", PICTURE_SIZE, PAPER)
    canvas = ImageDraw.Draw(image)
    if view.pro is not UNSET and view.con is not UNSET:
        _bar(canvas, view, course)
    y = TOP
    _text(canvas, words_of("Moot", SERIF_BOLD), (RIGHT, y), SMALL, is_right=True)
    if motion := words_of(view.motion, SERIF):
        y = _motion(canvas, motion, y)
    else:
        y += LEADING
    y = _headline(canvas, view, y + 12)
    if course is not None and course.exposure is not UNSET:
        _exposure(canvas, course.exposure, y + 20)
    elif view.pro is not UNSET and view.con is not UNSET:
        _seat(canvas, "pro", view.pro, y + 24)
        _seat(canvas, "con", view.con, y + 74)
    if course is not None and any(share_of(each) is not None for each in course.points):
        _curve(canvas, course)
    if view.mark is not UNSET and (marked := words_of(view.mark.text)):
        text = marked.shortened(marked.text, MARK, WIDTH)
        _text(canvas, marked._replace(text=text), (MARGIN, PICTURE_SIZE[1] - CURVE - MARK - 8), MARK, colour=SOFT)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _standing(view: View, course: Course | None) -> float | None:
    """Pro's part of the bar at the end of the course, or by the means."""
    shares = [] if course is None else [each for each in map(share_of, course.points) if each is not None]
    if shares:
        return shares[-1]
    scores, _ = scores_of(view)
    if view.format == "protocol" or scores["pro"] is None or scores["con"] is None:
        return None
    return share_of(CoursePoint(position=0, lead=scores["pro"] - scores["con"]))


def _bar(canvas: ImageDraw.ImageDraw, view: View, course: Course | None) -> None:
    """Two caps with the mean of each side, and between them who is ahead."""
    left, right, share = CAP, PICTURE_SIZE[0] - CAP, _standing(view, course)
    scores, _ = scores_of(view)
    canvas.rectangle((0, 0, left - 1, BAR - 1), COLOURS["pro"])
    canvas.rectangle((right, 0, PICTURE_SIZE[0], BAR - 1), COLOURS["con"])
    canvas.rectangle((left, 0, right - 1, BAR - 1), LINE)
    for side in SIDES:
        is_right = side == "con"
        _triangle(canvas, side, (RIGHT - 22 if is_right else MARGIN, 32), 22, ON_FILL)
        name = MARGIN + 32 if side == "pro" else RIGHT - 32
        _text(canvas, words_of(NAMES[side], SANS_BOLD), (name, 25), 28, colour=ON_FILL, is_right=is_right)
        points = scores[side]
        if points is not None:
            at = MARGIN + 102 if side == "pro" else RIGHT - 102
            _text(canvas, words_of(rounded(points), SERIF_BOLD), (at, 12), 46, colour=ON_FILL, is_right=is_right)
    if share is None:
        none = "no score yet" if view.state == "open" else "no score"
        if all(points is None for points in scores.values()):
            _text(canvas, words_of(none), (PICTURE_SIZE[0] // 2 + 80, 26), 28, colour=SOFT, is_right=True)
        return
    split = left + round((right - left) * share)
    canvas.rectangle((left, 0, right - 1, BAR - 1), COLOURS["con"])
    canvas.rectangle((left, 0, min(split, right - 1), BAR - 1), COLOURS["pro"])
    if course is not None and course.is_open is True:
        _hatch(canvas, (left, split, right))
    canvas.rectangle((split - 3, 0, split + 3, BAR - 1), PAPER)
    middle = (left + right) // 2
    for y in (0, BAR - 18):
        canvas.rectangle((middle - 1, y, middle, y + 17), ON_FILL)
    if course is not None and course.name_at is not UNSET:
        for probability in (course.name_at, 1 - course.name_at):
            gate = left + round((right - left) * probability)
            for dot in range(0, BAR, 5):
                canvas.rectangle((gate, dot, gate + 1, dot + 1), ON_FILL)


def _hatch(canvas: ImageDraw.ImageDraw, edges: tuple[int, int, int]) -> None:
    """Darker stripes over both parts of the scale: no side is named."""
    for side, start, stop in zip(SIDES, edges, edges[1:], strict=False):
        for x in range(start - BAR, stop, 26):
            for y in range(BAR):
                first, last = max(start, x + y), min(stop - 1, x + y + 12)
                if first <= last:
                    canvas.line((first, BAR - 1 - y, last, BAR - 1 - y), DARKER[side])


def _motion(canvas: ImageDraw.ImageDraw, words: Words, y: int) -> int:
    """The motion in at most two lines; the place below it."""
    room = WIDTH - 150
    lines = words.lines(SMALL, room)
    if len(lines) > MAX_LINES:
        lines[MAX_LINES - 1 :] = [words.shortened(" ".join(lines[MAX_LINES - 1 :]), SMALL, room)]
    is_right = words.direction == "rtl"
    for line in lines:
        x = MARGIN + room if is_right else MARGIN
        _text(canvas, words._replace(text=line), (x, y), SMALL, colour=SOFT, is_right=is_right)
        y += LEADING
    return y


def _headline(canvas: ImageDraw.ImageDraw, view: View, y: int) -> int:
    """The outcome, or the state, large; what the outcome adds behind it or below it.  The place below."""
    said = standing_of(view) if view.outcome is UNSET else view.outcome.headline
    head, mark, rest = said.partition(": ")
    if not mark:
        head, mark, rest = said.partition(", ")
    words, more = words_of(head, SERIF_BOLD), words_of(rest, SERIF)
    if words is None:
        return y
    named = next((side for side in SIDES if head.startswith(f"{NAMES[side]} ")), None)
    x = MARGIN if named is None else MARGIN + 64
    size = next((each for each in HEADLINE if x + words.width(words.text, each) <= RIGHT), HEADLINE[-1])
    if named is not None:
        _triangle(canvas, named, (MARGIN, y + size // 3), 46, COLOURS[named])
    text = words.shortened(words.text, size, RIGHT - x)
    _text(canvas, words._replace(text=text), (x, y), size)
    if named is not None and text.startswith(NAMES[named]):
        _text(canvas, words._replace(text=NAMES[named]), (x, y), size, colour=COLOURS[named])
    below = y + round(size * 1.2)
    if more is None:
        return below
    behind = x + round(words.width(text, size)) + 18
    if behind + more.width(more.text, SMALL) <= RIGHT:
        _text(canvas, more, (behind, y + size - SMALL), SMALL)
        return below
    line = more.shortened(more.text, SMALL, WIDTH)
    _text(canvas, more._replace(text=line), (MARGIN, below), SMALL)
    return below + LEADING


def _exposure(canvas: ImageDraw.ImageDraw, found: Exposure, y: int) -> None:
    """The words that failed, those that exposed them, and what the earlier turn lost."""
    column = (WIDTH - 96 - 2 * 26) // 2
    for number, said in enumerate((found.fails, found.exposes)):
        words = words_of(f"“{said.quote}”", SERIF)
        if words is None:
            continue
        x = MARGIN + number * (column + 26)
        lines = words.lines(QUOTE, column - 22)
        most = (PICTURE_SIZE[1] - CURVE - y) // LEADING
        if len(lines) > most:
            lines[most - 1 :] = [words.shortened(" ".join(lines[most - 1 :]), QUOTE, column - 22)]
        height = len(lines) * LEADING
        if said.side == "pro":
            canvas.rectangle((x, y, x + 5, y + height), COLOURS["pro"])
        else:
            for at in (x, x + 5):
                canvas.rectangle((at, y, at + 2, y + height), COLOURS["con"])
        for row, line in enumerate(lines):
            at, top = x + 22, y + row * LEADING
            width = round(words.width(line, QUOTE))
            canvas.rectangle((at - 1, top + 2, at + width + 1, top + LEADING - 3), WASHES[number])
            under = top + LEADING - 5
            for start in range(at, at + width, 10) if number == 0 else (at,):
                stop = min(start + 6, at + width) if number == 0 else at + width
                canvas.rectangle((start, under, stop, under + 1), UNDER[number])
            _text(canvas, words._replace(text=line), (at, top), QUOTE)
    points = words_of(f"{'−' if found.points < 0 else '+'}{shortest(abs(found.points))}", SERIF_BOLD)
    _text(canvas, points, (RIGHT, y + 18), 60, colour=UNDER[0], is_right=True)


def _curve(canvas: ImageDraw.ImageDraw, course: Course) -> None:
    """Steps at events over the whole width: Pro is ahead above the line, Con below it."""
    width, bottom = PICTURE_SIZE
    middle = bottom - CURVE // 2
    steps = [(round(width * each.position / course.end), share_of(each)) for each in course.points]
    known = [(x, share) for x, share in steps if share is not None]
    for (x, share), (to, _) in zip(known, [*known[1:], (width, 0.0)], strict=True):
        y = middle - round((share - 0.5) * 0.98 * CURVE)
        if x < to:
            canvas.rectangle((x, min(y, middle), to - 1, max(y, middle)), COLOURS["pro" if y <= middle else "con"])
    canvas.line((0, middle, width, middle), EDGE)
    for point, (x, _) in zip(course.points, steps, strict=True):
        if point.dock is True:
            canvas.rectangle((x - 1, bottom - CURVE // 8, x, bottom), UNDER[0])


def _seat(canvas: ImageDraw.ImageDraw, side: Side, seat: SeatView, y: int) -> None:
    """The name of a side and who has its seat."""
    _triangle(canvas, side, (MARGIN, y + 8), 26, COLOURS[side])
    _text(canvas, words_of(NAMES[side], SANS_BOLD), (MARGIN + 40, y), 32, colour=COLOURS[side])
    parts = (seat.archetype.replace("_", " "), seat.model, seat.speaker)
    if named := words_of(" · ".join(each for each in parts if each)):
        text = named.shortened(named.text, 30, WIDTH - 140)
        _text(canvas, named._replace(text=text), (MARGIN + 130, y + 2), 30, colour=SOFT)


def _triangle(canvas: ImageDraw.ImageDraw, side: Side, at: tuple[int, int], size: int, colour: str) -> None:
    """The sign of a side: it points up for Pro, down for Con."""
    x, y = at
    tip, base = (y, y + round(size * 0.87)) if side == "pro" else (y + round(size * 0.87), y)
    canvas.polygon(((x, base), (x + size, base), (x + size / 2, tip)), colour)


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


def words_of(text: str, fonts: tuple[str, ...] = ()) -> Words | None:
    """A text on one line in the first font that has its letters, marks and digits; None if there is none.

    ``fonts`` are tried first.

    Other characters that the font lacks, such as pictures, are left out.  Without the library raqm, Pillow does not lay
    out letters that join or run from right to left: a text with such letters is left out too.
    """
    text = unicodedata.normalize("NFC", one_line(text))[:MAX_LETTERS]
    shaped = features.check("raqm")
    needed = {each for each in text if unicodedata.category(each)[0] in "LMN" and not "\ufe00" <= each <= "\ufe0f"}
    if not shaped and any(unicodedata.category(each)[0] == "M" or _is_right(each) for each in needed):
        return None
    for name in (*fonts, *FONTS):
        if _font(name, SMALL) is not None and all(_has(name, each) for each in needed):
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
    mask = _face(name, SMALL).font_variant(layout_engine=ImageFont.Layout.BASIC).getmask(letter)
    return mask.size, bytes(mask)


def _face(name: str, size: int) -> ImageFont.FreeTypeFont:
    font = _font(name, size)
    assert font is not None, "a text has a font that the system has"
    return font

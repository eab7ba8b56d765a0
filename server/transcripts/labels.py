"""Names in front of speeches: ``ANN: …``, ``**Ann (Pro):** …``, ``[00:12] Ann: …``, or a line of its own."""

import re
from typing import Final, Literal

from msgspec import Struct

from server.debate.formats.exchange.transcripts import MAX_SPEAKER
from server.transcripts.hints import side_of

LabelForm = Literal["colon", "line"]
"""A name before a colon, or a name that has a line to itself."""

_CLOCK: Final = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?"
_TIME: Final = re.compile(rf"[\[(]?{_CLOCK}[\])]?(?:\s*[-–—>]+)?\s*")
_DATE: Final = re.compile(
    r"\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?\]?\s*(?:[-–—]\s*)?"
)
_TIME_AFTER: Final = re.compile(rf"(?:(?<!\s)\s++)?+[\[(]?{_CLOCK}[\])]?$")
_QUOTED: Final = re.compile(r"(?:>\s?)+")
_BULLET: Final = re.compile(r"[-*•]\s+")
_ANGLED: Final = re.compile(r"<([^<>\n]{1,80})>\s+")
_BOLD: Final = re.compile(r"(\*\*\*|\*\*|__)(?=\S)([^*_\n]{1,90})\1\s*")
_ASIDE: Final = re.compile(r"(?:(?<!\s)\s++)?+[(\[]([^()\[\]]{0,80}+)[)\]]\s*+$")
_HEADING: Final = re.compile(r"(#{1,6})\s+(.+)")
_ORDINAL: Final = re.compile(
    r"(?:turn|round|speech|part)\s+\d{1,3}\s*[.:)·–—-]\s*|\d{1,3}(?:[.:)](?!\d)\s*|\s+[·–—-]\s+)", re.IGNORECASE
)
_FORBIDDEN: Final = frozenset('!?;"=<>{}|\\“”„«»*~')
_NO_NAME: Final = re.compile(
    r"(?:n\.?b|note|p\.?s|for example|examples?|e\.?g|i\.?e|conclusions?|summary|in summary|however|first(?:ly)?"
    r"|second(?:ly)?|third(?:ly)?|finally|therefore|thus|result|results|https?|references?|update|edit|warning|important"
    r"|speakers|participants|panel(?:l?ists)?|moderators|date|location|venue|licen[cs]e|format"
    r"|remember|definitions?|premises?|claims?|evidence|warrant|impacts?|framework|in short|that is|tl;?dr|pros|cons"
    r"|(?:contention|point|step|premise|section|argument|reason|chapter|exhibit|figure|table|subpoint|advantage"
    r"|observation|claim|fact|rule)\s+\w{1,4})",
    re.IGNORECASE,
)
_MAX_NAME_WORDS: Final = 10
_LONGEST_LABEL: Final = 2 * MAX_SPEAKER
_LONGEST_HEADING: Final = 320
_PARTICLES: Final = frozenset(
    ("de", "da", "del", "di", "du", "la", "le", "van", "von", "der", "den", "of", "the", "al", "el", "bin", "and", "y")
)
_MAX_LINE_WORDS: Final = 5
_LONGEST_TITLE: Final = 5
"""Characters of a word that may end in a full stop inside a name, such as ``Prof.``."""


class SpeakerLabel(Struct, frozen=True, kw_only=True):
    """A possible name in front of words.  ``rest``: the words after it in the same line."""

    name: str
    rest: str
    form: LabelForm
    at_ms: int | None = None
    is_marked: bool = False
    """Whether the file sets it in bold type, in capitals, between angle brackets or next to a time."""


def milliseconds(found: "re.Match[str]") -> int:
    """The time of a match of ``_CLOCK``, whose groups are the first four."""
    hours, minutes, seconds, fraction = found.groups()[:4]
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))


def is_name(text: str) -> bool:
    """Whether a text may be a speaker's name."""
    if not 1 <= len(text) <= MAX_SPEAKER or not any(map(str.isalpha, text)):
        return False
    if not (text[0].isalnum() or text[0] in "@#▲▼") or not _FORBIDDEN.isdisjoint(text) or _NO_NAME.fullmatch(text):
        return False
    words = text.split()
    if len(words) > _MAX_NAME_WORDS or text.count(",") > (3 if text.isupper() else 1):
        return False
    return not any(word.endswith(".") and len(word) > _LONGEST_TITLE for word in words)


def name_key(name: str) -> str:
    """The name as names are compared: without case, with single spaces."""
    return " ".join(name.casefold().split())


def label_of(line: str) -> SpeakerLabel | None:
    """The label with which a line begins, or that it is; None without one."""
    rest, at_ms, is_timed = _without_start(line.strip())
    if found := _ANGLED.match(rest):
        name = found[1].strip()
        if not is_name(name):
            return None
        return SpeakerLabel(name=name, rest=rest[found.end() :], form="colon", at_ms=at_ms, is_marked=True)
    if found := _BOLD.match(rest):
        return _bold(found[2].strip(), rest[found.end() :], at_ms)
    head, colon, after = _at_colon(rest)
    if not colon:
        return _alone(rest, at_ms, is_timed=is_timed)
    name, late_ms = _without_time(head)
    if not is_name(without_aside(name)[0]) or (after and not after[0].isspace() and colon == ":"):
        return None
    at = at_ms if late_ms is None else late_ms
    is_marked = is_timed or late_ms is not None or name.isupper()
    return SpeakerLabel(name=name, rest=after.strip(), form="colon", at_ms=at, is_marked=is_marked)


def _without_start(line: str) -> tuple[str, int | None, bool]:
    """The line without quotation marks, time and bullet; its time in milliseconds, and whether it has one."""
    rest, at_ms, is_timed = line, None, False
    if found := _QUOTED.match(rest):
        rest = rest[found.end() :]
    if found := _DATE.match(rest):
        rest, is_timed = rest[found.end() :], True
    elif found := _TIME.match(rest):
        rest, at_ms, is_timed = rest[found.end() :], milliseconds(found), True
    if found := _BULLET.match(rest):
        rest = rest[found.end() :]
    return rest, at_ms, is_timed


def heading_of(line: str) -> tuple[int, str] | None:
    """Level and text of a Markdown heading."""
    bare = line.strip()
    found = _HEADING.fullmatch(bare) if len(bare) <= _LONGEST_HEADING else None
    if found is None:
        return None
    text = found[2].rstrip("#").rstrip() or "#"
    return len(found[1]), text.strip("*_ ").rstrip(":：").strip()


def without_ordinal(text: str) -> str:
    """``Ann`` of ``Turn 3 · Ann`` or ``3. Ann``; a figure is no number of a speech: ``2-state``, ``50.5``."""
    found = _ORDINAL.match(text)
    return text if found is None else text[found.end() :].strip() or text


def _at_colon(text: str) -> tuple[str, str, str]:
    """The text before and after its first colon that belongs to no time; empty strings without one."""
    window = text[: MAX_SPEAKER + 20]
    for at, each in enumerate(window):
        if each in ":：" and not (window[at + 1 : at + 2].isdigit() and window[:at][-1:].isdigit()):
            return text[:at].strip(), each, text[at + 1 :]
    return "", "", ""


def _bold(inner: str, after: str, at_ms: int | None) -> SpeakerLabel | None:
    """``**Ann:** …``, ``**Ann**: …``, or ``**Ann**`` in a line of its own."""
    has_colon = inner.endswith((":", "：")) or after.startswith((":", "：", "—", "–", "- "))
    if not has_colon and after:
        return None
    name, late_ms = _without_time(inner.rstrip(":： "))
    if not is_name(without_aside(name)[0]):
        return None
    form: LabelForm = "colon" if has_colon else "line"
    rest = after.lstrip(":：—–- ") if has_colon else ""
    at = at_ms if late_ms is None else late_ms
    return SpeakerLabel(name=name, rest=rest, form=form, at_ms=at, is_marked=True)


def _alone(text: str, at_ms: int | None, *, is_timed: bool) -> SpeakerLabel | None:
    """A name that has a line to itself: in capitals, or next to a time."""
    if len(text) > _LONGEST_LABEL:
        return None
    name, late_ms = _without_time(text)
    is_timed = is_timed or late_ms is not None
    base = without_aside(name)[0]
    if not is_name(base) or len(base.split()) > _MAX_LINE_WORDS or not (is_timed or base.isupper()):
        return None
    if not is_timed and base.endswith("."):
        return None
    at = at_ms if late_ms is None else late_ms
    return SpeakerLabel(name=name, rest="", form="line", at_ms=at, is_marked=True)


def _without_time(name: str) -> tuple[str, int | None]:
    """``Ann`` and the milliseconds of ``Ann (00:12)``."""
    found = _TIME_AFTER.search(name[-20:])
    if found is None or len(name) == len(found[0]):
        return name, None
    return name[: -len(found[0])].strip(), milliseconds(found)


def without_aside(name: str) -> tuple[str, str]:
    """``Ann`` and ``Pro`` of ``Ann (Pro)`` or ``Ann, Pro``."""
    if found := _ASIDE.search(name):
        return name[: found.start()].strip(), found[1].strip()
    if "," not in name:
        return name.strip(), ""
    base, _, rest = (each.strip() for each in name.partition(","))
    is_aside = base and rest and side_of(base) is None and (side_of(rest) is not None or is_titled(rest))
    return (base, rest) if is_aside else (name.strip(), "")


def is_titled(text: str) -> bool:
    """Whether every word begins as words of names do."""
    return all(not word[0].islower() or word in _PARTICLES for word in text.split())

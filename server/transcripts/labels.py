"""Names in front of speeches: ``ANN: …``, ``**Ann (Pro):** …``, ``[00:12] Ann: …``, or a line of its own."""

import re
from typing import Final

from msgspec import Struct

from server.debate.formats.exchange.transcripts import MAX_SPEAKER
from server.transcripts.forms.lines import BRACKETED, CLOCK, LINES, PREFIXES, LabelForm
from server.transcripts.hints import side_of

_CLOCK: Final = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,6})?)")
_TIME_AFTER: Final = re.compile(
    rf"(?:(?<!\s)\s++)?+(?:[-–—,]\s?)?(?:\[[^\[\]\n]{{1,30}}\s(?P<clock>{CLOCK})(?:\s?[AaPp][Mm])?\]|{BRACKETED})$"
)
_LISTED: Final = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
"""A line with a date is no name."""
_BOLD: Final = ("**", "__")
_COLON: Final = re.compile(r"(?<!\d):|:(?!\d)|：")
_STAGE: Final = re.compile(
    r"\b(?:opening|closing|constructive|rebuttal|statement|argument|speech|remarks?|summary|response|case)s?\b",
    re.IGNORECASE,
)
_SIDE_WORDS: Final = frozenset(
    ("pro", "con", "affirmative", "negative", "aff", "neg", "for", "against", "proponent", "opponent")
)
_ASIDE: Final = re.compile(r"(?:(?<!\s)\s++)?+[(\[]([^()\[\]]{0,80}+)[)\]]\s*+$")
_HEADING: Final = re.compile(r"(#{1,6})\s+(.+)")
_ORDINAL: Final = re.compile(
    r"(?:turn|round|speech|part)\s+\d{1,3}\s*[.:)·–—-]\s*|\d{1,3}(?:[.:)](?!\d)\s*|\s+[·–—-]\s+)", re.IGNORECASE
)
_FORBIDDEN: Final = frozenset('!?;"=<>{}|\\“”„«»*~')
_NO_NAME: Final = re.compile(
    r"(?:n\.?b|note|p\.?s|for example|examples?|e\.?g|i\.?e|conclusions?|summary|in summary|however|first(?:ly)?"
    r"|second(?:ly)?|third(?:ly)?|finally|therefore|thus|result|results|https?|references?|update|edit"
    r"|warning|important|present|attendees|apologies|speakers|participants|panel(?:l?ists)?|moderators|date|location|venue|licen[cs]e|format"
    r"|(?:summary )?keywords|transcript|verdict|(?:round|turn|part|speech|session|debate)(?:\s+\w{1,4})?"
    r"|(?:opening|closing) (?:statement|remark|argument)s?|rebuttals?|cross[- ]examination"
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
    is_listed: bool = False
    """Whether it stands in a list: then it may be a point of a speech."""
    is_marked: bool = False
    """Whether the file sets it in bold type, in capitals, between angle brackets or next to a time."""


def milliseconds(clock: str) -> int | None:
    """The time of a clock such as ``1:02:03.5``; None if it is none."""
    found = _CLOCK.fullmatch(clock)
    if found is None:
        return None
    hours, minutes, seconds = found.groups()
    return int(hours or 0) * 3_600_000 + int(minutes) * 60_000 + round(float(seconds.replace(",", ".")) * 1000)


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
    for each in LINES:
        found = each.pattern.match(rest)
        if found is None:
            continue
        bare, early_ms, _ = _without_start(found["name"].strip().rstrip(":： "))
        name, late_ms = _without_time(bare)
        late_ms = early_ms if late_ms is None else late_ms
        if not is_name(without_aside(name)[0]):
            continue
        if clock := found.groupdict().get("time"):
            late_ms = milliseconds(clock)
        is_marked = each.is_marked or is_timed or late_ms is not None or name.isupper()
        at = at_ms if late_ms is None else late_ms
        return SpeakerLabel(
            name=name,
            rest=found["words"].strip(),
            form=each.form,
            at_ms=at,
            is_listed=_LISTED.match(line) is not None,
            is_marked=is_marked,
        )
    return None if rest.startswith(_BOLD) or _COLON.search(rest) else _alone(rest, at_ms, is_timed=is_timed)


def _without_start(line: str) -> tuple[str, int | None, bool]:
    """The line without quotation marks, time and bullet; its time in milliseconds, and whether it has one."""
    rest, at_ms, is_timed = line, None, False
    for each in PREFIXES:
        if found := each.match(rest):
            rest, clock = rest[found.end() :], found.groupdict().get("time")
            at_ms = milliseconds(clock) if clock else at_ms
            is_timed = is_timed or bool(found.groupdict().keys() & {"time", "date"})
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


def _alone(text: str, at_ms: int | None, *, is_timed: bool) -> SpeakerLabel | None:
    """A name that has a line to itself: in capitals, or next to a time."""
    if len(text) > _LONGEST_LABEL or _YEAR.search(text):
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
    found = _TIME_AFTER.search(name[-50:])
    if found is None or len(name) == len(found[0]):
        return name, None
    return name[: -len(found[0])].strip(), milliseconds(found["time"] or found["clock"])


def without_aside(name: str) -> tuple[str, str]:
    """``Ann`` and ``Pro`` of ``Ann (Pro)`` or ``Ann, Pro``."""
    if found := _ASIDE.search(name):
        return name[: found.start()].strip(), found[1].strip()
    if "," not in name:
        return name.strip(), ""
    base, _, rest = (each.strip() for each in name.partition(","))
    is_aside = base and rest and side_of(base) is None and (side_of(rest) is not None or is_titled(rest))
    return (base, rest) if is_aside else (name.strip(), "")


def without_stage(text: str) -> str:
    """``Pro`` of ``Pro Opening`` or ``Closing Statement: Pro``; other texts as they are."""
    bare = _STAGE.sub("", text).strip(" :·–—-’'")
    return bare if bare.casefold() in _SIDE_WORDS else text


def is_titled(text: str) -> bool:
    """Whether every word begins as words of names do."""
    return all(not word[0].islower() or word in _PARTICLES for word in text.split())

"""Reads rows of JSON and of tables, by the paths of their form (``forms.records``)."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from server.debate.formats.exchange.supplied import LATEST_MS
from server.errors import BadTranscript
from server.transcripts.entries import MAX_DEBATES, EntryCollector, HeldDebate, ReadTranscript, one_line
from server.transcripts.forms.records import COLUMNS, FORMS, LINES, TURNS, Paths, RecordForm
from server.transcripts.hints import side_in
from server.transcripts.labels import milliseconds

_OF_SIDE: Final[Mapping[str | None, str]] = {"pro": "Pro", "con": "Con", "context": "Moderator"}
_SEEN: Final = 20
"""Rows that show what a list is."""
_DEEPEST: Final = 4
"""Levels of objects in which an unknown list is looked for, and of parts within words."""
_PARTS: Final = ("text", "value", "content")
_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,12})?")
_SHORT_NAME: Final = re.compile(r"[A-Za-z]|\d{1,4}")
_MENTION: Final = re.compile(r"<([@#!]?)([^<>|\n]{1,300})(?:\|([^<>\n]{0,300}))?>")


class FoundRows(Struct, frozen=True):
    """The rows of a value, and the form that reads them."""

    form: RecordForm
    rows: Iterable[Any]
    doubt: str = ""


def at_path(value: Any, path: str) -> Any:
    """The value at the end of a path; None if there is none."""
    for key in path.split(".") if path else ():
        if isinstance(value, dict):
            value = value.get(key)
        else:
            value = value[int(key)] if isinstance(value, list) and key.isdecimal() and int(key) < len(value) else None
    return value


def first_of(value: Any, paths: Paths) -> Any:
    """The first value at the end of one of the paths that is not None."""
    return next((found for path in paths if (found := at_path(value, path)) is not None), None)


def rows_of(value: Any) -> FoundRows | None:
    """The rows of a value of a known form.  Raises ``BadTranscript`` if they name no speaker."""
    unnamed = ""
    for form in FORMS:
        rows = at_path(value, form.rows)
        if isinstance(rows, list) and rows and _has_words(form, rows):
            if (form.labels and at_path(value, form.labels)) or _has_speakers(form, rows):
                return FoundRows(form, rows)
            unnamed = unnamed or (form.name if form.joined == " " else "")
    if unnamed:
        raise BadTranscript(f"no speaker is named in the file of {unnamed}: it needs labels of speakers (diarization)")
    return None


def turns_of(value: Any) -> FoundRows | None:
    """The rows of a value of our form."""
    if isinstance(value, dict) and isinstance(value.get(TURNS.rows), list):
        return FoundRows(TURNS, value[TURNS.rows])
    return None


def is_turn(value: Any) -> bool:
    """Whether a value is an entry: it has a text, and a speaker or a side."""
    return bool(_words(first_of(value, LINES.text))) and first_of(value, (*LINES.speaker, *LINES.side)) is not None


def unknown_rows(value: Any) -> FoundRows | None:
    """The longest list of a JSON file of an unknown form in which rows have words and speakers; None without one."""
    lists = [(path, rows) for path, rows in _lists(value, "", _DEEPEST) if all(map(is_turn, rows[:_SEEN]))]
    if not lists:
        return None
    path, rows = max(lists, key=lambda each: len(each[1]))
    keys = [next(key for key in COLUMNS[column] if at_path(rows[0], key) is not None) for column in ("speaker", "text")]
    read = f"its list “{path}” is read, with “{keys[0]}” as speakers and “{keys[1]}” as words"
    return FoundRows(
        replace(LINES, name="unknown JSON"), rows, f"The JSON has no form that is known: {one_line(read, 300)}."
    )


def read_rows(
    form: RecordForm, rows: Iterable[Any], whole: Any, debate: str = "", doubts: Sequence[str] = (), kind: Any = "json"
) -> ReadTranscript:
    """The entries of rows.  ``whole``: the value that has them; ``debate``: id or number of one of several.

    Raises ``BadTranscript``.
    """
    collector = EntryCollector()
    labels = dict(_labelled(at_path(whole, form.labels))) if form.labels else {}
    known = {"motion": form.motion, "source": COLUMNS["source"], "licence": COLUMNS["licence"]}
    facts = {name: _fact(whole, paths) for name, paths in known.items()}
    chosen = _Chosen(form, debate)
    names: dict[str, str] = {}
    speaker, begun = "", None
    for number, row in enumerate(rows, 1):
        if form in (TURNS, LINES) and not is_turn(row):
            raise BadTranscript(f"turn {number} of the JSON needs a text, and a speaker or a side")
        if not isinstance(row, dict) or not _is_of_people(form, row):
            collector.leave_out("service messages")
            continue
        if form.debate and not chosen.takes(row):
            continue
        facts = {name: said or _fact(row, known[name]) for name, said in facts.items()}
        words, side = _words(first_of(row, form.text)), _side(first_of(row, form.side))
        named = _named(first_of(row, form.speaker), form) or labels.get(str(first_of(row, form.at)), "")
        if words.isspace():
            continue
        if not words:
            collector.leave_out("entries without words")
            continue
        names.setdefault(str(row.get("user")), named)
        is_sign = form.joined == " " and not any(map(str.isalnum, words))
        if not named and not form.side and not is_sign:
            collector.doubt("An entry names no speaker: its words stay with the speaker before")
        speaker = named or _OF_SIDE.get(side, "") or ("" if form.side else speaker)
        at = milliseconds_of(first_of(row, form.at), form.ms)
        begun = at if begun is None and form.is_dated else begun
        collector.add(
            speaker,
            _without_marks(words, names) if form.has_mentions else words,
            side=side or (None if speaker or form.side else "out"),
            at_ms=at if at is None or begun is None else at - begun,
            joined="" if is_sign else form.joined,
        )
    return chosen.noted(collector.transcript(kind, form=form.name, doubts=doubts, **facts))


class _Chosen:
    """Which rows belong to the debate that was asked for, by its id or its number; the first debate without it."""

    def __init__(self, form: RecordForm, debate: str) -> None:
        self._form, self._debate = form, debate
        self._titles: dict[str, str] = {}
        self._chosen: str | None = None

    def takes(self, row: Mapping[str, Any]) -> bool:
        """Whether a row belongs to it."""
        given = first_of(row, self._form.debate)
        key = one_line(str(given), 200) if isinstance(given, str | int) else ""
        if key not in self._titles:
            self._titles[key] = _fact(row, self._form.motion) or key
            if self._chosen is None and self._debate in ("", key, str(len(self._titles))):
                self._chosen = key
        return key == self._chosen

    def noted(self, found: ReadTranscript) -> ReadTranscript:
        """The transcript with the list of all debates.  Raises ``BadTranscript`` if there is no such debate."""
        if self._debate and self._form.debate and self._chosen is None:
            raise BadTranscript(f"there is no debate {self._debate[:80]!r} in the file, which has {len(self._titles)}")
        if len(self._titles) < 2:  # noqa: PLR2004 - one debate is no choice
            return found
        listed = [HeldDebate(id=key, title=one_line(title, 300)) for key, title in self._titles.items()]
        return replace(found, debates=tuple(listed[:MAX_DEBATES]), chosen=self._chosen or "")


def milliseconds_of(value: Any, ms: float) -> int | None:
    """A time in milliseconds: a number of units of ``ms``, a clock such as ``1:02:03``, or a date of ISO 8601."""
    if isinstance(value, str):
        if (found := milliseconds(value.strip())) is not None:
            return found
        if not _NUMBER.fullmatch(value.strip()):
            return _date_ms(value)
        value = float(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value * ms) < LATEST_MS * 1000:
        return None
    return int(value * ms)


def _date_ms(value: str) -> int | None:
    try:
        return int(datetime.fromisoformat(value.strip()[:40]).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def _is_of_people(form: RecordForm, row: Mapping[str, Any]) -> bool:
    if form.only is None:
        return True
    key, kinds = form.only
    given = row.get(key)
    return (given is None or isinstance(given, str)) and given in kinds


def _has_words(form: RecordForm, rows: list[Any]) -> bool:
    seen = [row for row in rows[:_SEEN] if isinstance(row, dict)]
    has_key = not form.needs or all(form.needs in row for row in seen)
    return bool(seen) and has_key and any(_words(first_of(row, form.text)) for row in seen)


def _has_speakers(form: RecordForm, rows: list[Any]) -> bool:
    return any(_named(first_of(row, form.speaker), form) for row in rows[:_SEEN])


def _lists(value: Any, path: str, depth: int) -> Iterator[tuple[str, list[Any]]]:
    """The lists in a value, each with the path to it."""
    if isinstance(value, list) and len(value) > 1:
        yield path, value
    elif isinstance(value, dict) and depth:
        for key, each in value.items():
            yield from _lists(each, f"{path}.{key}" if path else key, depth - 1)


def _words(value: Any, depth: int = _DEEPEST) -> str:
    """The words of a value: a text, or the parts of one."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and depth:
        return "".join(_words(each, depth - 1) for each in value)
    return _words(first_of(value, _PARTS), depth - 1) if isinstance(value, dict) and depth else ""


def _named(value: Any, form: RecordForm) -> str:
    """The name of a speaker; empty without one."""
    if isinstance(value, dict):
        value = first_of(value, ("name", "id"))
    name = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return f"{form.prefix}{name}" if form.prefix and _SHORT_NAME.fullmatch(name) else name


def _labelled(segments: Any) -> Iterator[tuple[str, str]]:
    """The speakers by the beginning of each word."""
    for segment in segments if isinstance(segments, list) else ():
        items = at_path(segment, "items")
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and isinstance(label := item.get("speaker_label"), str):
                yield str(item.get("start_time")), label


def _without_marks(words: str, names: Mapping[str, str]) -> str:
    """Slack's words without its marks: ``<@U1>`` is a name, ``<address|words>`` a link."""

    def shown(found: re.Match[str]) -> str:
        sign, target, label = found.groups()
        said = label or (names.get(target) or target if sign == "@" else target)
        return f"{sign if sign in '@#' else ''}{said}"

    return html.unescape(_MENTION.sub(shown, words))


def _side(value: Any) -> Any:
    return side_in(value) if isinstance(value, str) else None


def _fact(facts: Any, paths: Paths) -> str:
    found = first_of(facts, paths) if isinstance(facts, dict) else None
    return found if isinstance(found, str) else ""

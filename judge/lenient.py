"""Read a model's answer so that nothing readable in it is lost.

The type of a question states limits.  An answer that exceeds a limit is corrected, and each correction is noted:

- a text that is too long is clipped at the end of a sentence, or of a word, and ends with an ellipsis; a quote
  (``Meta(extra={"verbatim": True})``) is clipped without one, so that it can still be found in the turn;
- a number off its scale becomes the nearest allowed one; ``"8"`` and, on a scale that ends at 10, ``"8/10"`` are 8
  (``Numbers``); an answer with most of its numbers off their scales means another scale and is unreadable;
- a list keeps its first items up to its maximum; an item that cannot be read is left out;
- a member that cannot be read is left out, and the other members are kept.

The members may stand one level too deep (``{"answer": {…}}``) or one too high (``{"cause": …}`` for
``{"components": {"cause": …}}``), and a bare list may stand for the object that holds it.  Only an answer without any
readable member is unreadable.

An object that is keyed by ids (``keyed``) may be a list whose items name their ids, and an id may be written in another
way (``pro 1``, ``turn 3``); ids that were not asked for are noted.  Where several such objects have the same ids, as
``{"scores": {id: …}, "standings": {id: …}}``, the parts of one id may stand together: ``{id: {"scores", "standing"}}``.

This is the one reader of what a judge, a rater or a judge of an artifact answers.  docs/judge.md has its rules.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, inspect

from events.text.segmentation import SENTENCE_END
from providers.answers.lenient import as_declared, levels, plain, type_info
from providers.answers.neutral import neutral
from providers.answers.schema import guided, schema
from providers.errors import WrongType

T = TypeVar("T")
CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Control characters but for tabs and the ends of lines: no text of an answer has them."""
LOST: Final = frozenset({"left_out", "missing"})
NoteKind = Literal["clipped", "number", "left_out", "missing", "unknown"]
ID_NAMES: Final = ("id", "argument", "argument_id", "target", "turn", "item", "name")
"""Members that name the id of an item of a list."""
_TURN: Final = re.compile(r"\A(?:turn|t)(?=[0-9])")
_SEPARATORS: Final = re.compile(r"[\W_]+")
ELLIPSIS: Final = "…"
MAX_QUOTED: Final = 60
"""Characters of an answer that a note repeats."""
MAX_NUMBER: Final = 1e9
"""The largest number that is read; infinity and what is no number are left out too."""
MIN_NUMBERS: Final = 3
"""Numbers that an answer must have at the least, for most of them to be off their scales."""
_NUMBER: Final = re.compile(
    r"\s*+([+-]?[0-9]{1,6}(?:[.,][0-9]{1,6})?)\s*+(?:(?:/|out of|of)\s*+([0-9]{1,6})|points?|(%))?\s*+", re.IGNORECASE
)
PERCENT: Final = 100
MIN_PERCENT: Final = 2
"""The smallest number that is a percentage on a scale from 0 to 1; 1.01 is off the scale."""
_UNREADABLE: Final = object()


class Note(Struct, frozen=True):
    """One correction: where it was made (``components.cause.points``), what was done, and in words."""

    path: str
    kind: NoteKind
    what: str


class LenientReading(Struct, frozen=True):
    """``value`` holds builtins that fit the type, without the members that could not be read; None if nothing could.

    ``fault``: why an answer counts for nothing though parts of it could be read; else empty.
    """

    value: Any
    notes: tuple[Note, ...]
    fault: str = ""


class Numbers:
    """Reads the numbers of one answer, each on its own scale, and counts those that are off their scales."""

    def __init__(self) -> None:
        self.read_count = self.off_count = 0

    def read(self, value: Any, low: float, high: float, *, is_whole: bool = False) -> tuple[float, str] | None:
        """Return the nearest allowed number with a note if it is another one than was given; None if it is no number.

        ``"8"``, ``"8/10"`` and ``"8 points"`` are 8 where the scale ends at 10; ``"8/100"`` is no number there.  On a
        scale from 0 to 1 a percentage is one: 80 and ``"80%"`` are 0.8.
        """
        number = _as_number(value, low, high)
        if number is None:
            return None
        applied = min(max(number, low), high)
        self.read_count += 1
        self.off_count += applied != number
        if is_whole:
            applied = math.floor(applied + 0.5)
        return applied, "" if applied == number else f"requested {number:g}, applied {applied:g}"

    @property
    def fault(self) -> str:
        """What is wrong with the answer as a whole: most of its numbers are off their scales; else empty."""
        if self.read_count < MIN_NUMBERS or self.off_count * 2 <= self.read_count:
            return ""
        return f"{self.off_count} of its {self.read_count} numbers are off the scales that were asked for"


def keyed(name: str, ids: Sequence[str], value: Any) -> type[Struct]:
    """The type of an object with exactly these ids as keys, which need not be Python names.

    Each value is read by itself: one that cannot be read leaves the others as they are.
    """
    inner = {f"key_{number}": each for number, each in enumerate(ids)}
    return _defined(name, [(field, value) for field in inner], {"__keyed__": True, "__loose__": True}, rename=inner)


def loose(name: str, *members: tuple[str, Any]) -> type[Struct]:
    """The type of an object of which each member counts by itself: one that cannot be read costs no other one."""
    return _defined(name, members, {"__loose__": True})


def _defined(name: str, members: Sequence[tuple[str, Any]], namespace: dict[str, Any], **options: Any) -> type[Struct]:
    return msgspec.defstruct(name, members, frozen=True, kw_only=True, namespace=namespace, module=__name__, **options)


def choice(options: tuple[str, ...], neutral: str = "") -> Any:
    """The type of a value that is one of these options; ``neutral``: another neutral one than the usual."""
    value = Literal.__getitem__(options)
    return Annotated[value, Meta(extra_json_schema={"x-neutral": neutral})] if neutral else value


def named(options: Sequence[str], neutral: str = "") -> Any:
    """The type of a text that a model is held to choose from these options, and of which any text is read.

    ``neutral``: what a script answers that gives no answer.
    """
    written = schema(choice(tuple(options)))
    return Annotated[str, Meta(extra_json_schema={"x-writes": written, "x-neutral": neutral})]


def points(low: int, high: int) -> Any:
    """The type of a whole number on a scale; the neutral one stands in the middle."""
    return Annotated[int, Meta(ge=low, le=high, extra_json_schema={"x-neutral": (low + high) // 2})]


def longest(most: int, least: int = 0) -> Any:
    """The type of a text of at most so many characters, and for a model at least so many; the neutral one is empty."""
    return Annotated[str, Meta(min_length=least, max_length=most, extra_json_schema={"x-neutral": ""})]


@lru_cache(maxsize=256)
def lenient(type_: Any) -> Any:
    """The type that a model is held to as ``type_`` and whose answer is any JSON, to be read by ``read``."""
    return guided(Any, type_, neutral(type_))


def read(value: Any, type_: Any) -> LenientReading:
    """Read a decoded JSON value as ``type_``, a struct type whose members may have limits."""
    reader, info = _Reader(), type_info(type_)
    found = reader.read(_at_its_level(value, info), info, "")
    return LenientReading(None if found is _UNREADABLE else found, tuple(reader.notes), reader.numbers.fault)


def read_as(value: Any, type_: Any, becomes: type[T]) -> tuple[T, tuple[Note, ...]]:
    """Read ``value`` as ``type_`` and convert it to ``becomes``, in which members may be missing; with the notes.

    Raises ``WrongType`` where nothing in it can be read, or not what ``becomes`` cannot do without, and where most of
    its numbers are off their scales.
    """
    reading = read(value, type_)
    if reading.fault:
        raise WrongType(reading.fault)
    lost = "; ".join(f"{note.path or 'the answer'}: {note.what}" for note in reading.notes if note.kind in LOST)
    if reading.value is None:
        raise WrongType(f"nothing in the answer can be read ({lost})")
    try:
        return msgspec.convert(reading.value, becomes), reading.notes
    except msgspec.ValidationError as error:
        raise WrongType(f"the answer lacks what it is asked for ({lost or error})") from error


def clip(text: str, most: int, ending: str = ELLIPSIS) -> str:
    """At most ``most`` characters of ``text``: up to the end of a sentence in its second half, else of a word.

    ``ending`` marks where it was clipped.
    """
    if len(text) <= most:
        return text
    room = text[: most - len(ending)]
    ends = [found.end() for found in SENTENCE_END.finditer(room)]
    at = ends[-1] if ends and ends[-1] * 2 >= len(room) else max(text.rfind(" ", 0, len(room) + 1), len(room) // 2)
    return room[:at].rstrip() + ending


class _Reader:
    """Walks a value and its type together, and notes what it corrects."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.numbers = Numbers()

    def note(self, path: str, kind: NoteKind, what: str) -> None:
        self.notes.append(Note(path, kind, what))

    def read(self, value: Any, info: inspect.Type, path: str) -> Any:
        match info:
            case inspect.Metadata(type=inspect.StrType() as text, extra={"verbatim": True}):
                return self._text(value, text, path, ending="")
            case inspect.Metadata(type=inner):
                return self.read(value, inner, path)
            case inspect.StructType():
                return self._struct(value, info, path)
            case inspect.ListType() | inspect.VarTupleType():
                return self._list(value, info, path)
            case inspect.StrType():
                return self._text(value, info, path)
            case inspect.IntType() | inspect.FloatType():
                return self._number(value, info, path)
            case inspect.LiteralType():
                return self._choice(value, info, path)
            case _:
                raise TypeError(f"no lenient reading of {type(info).__name__}")

    def _keyed(self, value: Any, info: inspect.StructType, path: str) -> Any:
        """The value with the ids of the type as its keys; of two values for one id the first counts."""
        ids = [field.encode_name for field in info.fields]
        found: dict[str, Any] = {}
        for given, item in _pairs(value):
            known = same_id(given, ids)
            if known is None and given:
                self.note(f"{path}.{given[:MAX_QUOTED]}" if path else given[:MAX_QUOTED], "unknown", "not asked for")
            elif known is not None:
                found.setdefault(known, item)
        return found

    def _struct(self, value: Any, info: inspect.StructType, path: str) -> Any:
        if _is_keyed(info) and isinstance(value, dict | list):
            value = self._keyed(value, info, path)
        if not isinstance(value, dict):
            self.note(path, "left_out", f"{_shown(value)} is not an object")
            return _UNREADABLE
        found = {}
        for field in info.fields:
            name = field.encode_name
            where = f"{path}.{name}" if path else name
            if name not in value:
                if field.required and not _is_text(field.type):
                    self.note(where, "missing", "the answer does not have it")
                continue
            item = self.read(value[name], field.type, where)
            if item is not _UNREADABLE:
                found[name] = item
        is_loose = bool(path) and getattr(info.cls, "__loose__", False)
        return found if is_loose or self._is_whole(found, info, path) else _UNREADABLE

    def _is_whole(self, found: dict[str, Any], info: inspect.StructType, path: str) -> bool:
        """An item of a list, or a component, needs its choices and numbers; a text that is missing is empty."""
        is_part = bool(path) and not all(isinstance(plain(field.type), inspect.StructType) for field in info.fields)
        required = [field.encode_name for field in info.fields if field.required]
        if required and found.keys().isdisjoint(required):
            return False
        for field in info.fields:
            if field.required and field.encode_name not in found:
                if _is_text(field.type):
                    found[field.encode_name] = ""
                elif is_part:
                    return False
        return True

    def _list(self, value: Any, info: inspect.ListType | inspect.VarTupleType, path: str) -> Any:
        items = value if isinstance(value, list) else [] if value in (None, "", {}) else [value]
        found: list[Any] = []
        for number, item in enumerate(items):
            if info.max_length is not None and len(found) >= info.max_length:
                self.note(f"{path}.{number}", "left_out", f"{_shown(item)} is beyond the first {info.max_length}")
                continue
            read = self.read(item, info.item_type, f"{path}.{number}")
            if read is not _UNREADABLE:
                found.append(read)
        return found

    def _text(self, value: Any, info: inspect.StrType, path: str, *, ending: str = ELLIPSIS) -> Any:
        if value is None:
            return ""
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = " ".join(value)
        if not isinstance(value, str | int | float):
            self.note(path, "left_out", f"{_shown(value)} is not a text")
            return _UNREADABLE
        text = CONTROLS.sub("", str(value)).strip()
        if info.max_length is None or len(text) <= info.max_length:
            return text
        clipped = clip(text, info.max_length, ending)
        self.note(path, "clipped", f"clipped from {len(text)} to {len(clipped)} characters")
        return clipped

    def _number(self, value: Any, info: inspect.IntType | inspect.FloatType, path: str) -> Any:
        low, high = info.ge if info.ge is not None else -math.inf, info.le if info.le is not None else math.inf
        found = self.numbers.read(value, low, high, is_whole=isinstance(info, inspect.IntType))
        if found is None:
            self.note(path, "left_out", f"{_shown(value)} is not a number")
            return _UNREADABLE
        number, note = found
        if note:
            self.note(path, "number", note)
        return number

    def _choice(self, value: Any, info: inspect.LiteralType, path: str) -> Any:
        words = [each for each in info.values if isinstance(each, str)]
        meant = as_declared(value, words) if isinstance(value, str) else value
        if isinstance(meant, str) and (mildest := f"{meant.strip().casefold()}_slight") in words:
            self.note(path, "number", f"requested {meant}, applied {mildest}")
            return mildest
        if meant not in info.values:
            self.note(path, "left_out", f"{_shown(value)} is none of {', '.join(map(str, info.values))}")
            return _UNREADABLE
        return meant


def _at_its_level(value: Any, info: inspect.Type) -> Any:
    """The object that has the members that were asked for: the value, the one object in it, or one around it."""
    struct = plain(info)
    if not isinstance(struct, inspect.StructType):
        return value
    if (turned := _by_member(value, struct)) is not None:
        return turned
    if isinstance(value, list):
        lists = [field.encode_name for field in struct.fields if isinstance(plain(field.type), inspect.ListType)]
        return {lists[0]: value} if len(lists) == 1 else value
    return next(levels(value, info), value)


def _by_member(value: Any, struct: inspect.StructType) -> dict[str, Any] | None:
    """The value with its parts by member and id, if they stand by id and member; None if they do not."""
    members = {field.encode_name: plain(field.type) for field in struct.fields}
    tables = {name: each for name, each in members.items() if isinstance(each, inspect.StructType) and _is_keyed(each)}
    given = value if isinstance(value, dict) else {}
    present = tables.keys() & given.keys()
    if len(tables) < 2 or len(present) > 1 or not isinstance(value, dict | list):  # noqa: PLR2004
        return None
    ids = [field.encode_name for field in next(iter(tables.values())).fields]
    around = given[present.pop()] if present else value
    pairs = _pairs(around) if isinstance(around, dict | list) else []
    items = {known: item for name, item in pairs if (known := same_id(name, ids)) and isinstance(item, dict)}
    parts = {part for item in items.values() for part in item}
    if parts.isdisjoint({each for name in tables for each in (name, name.removesuffix("s"))}):
        return None
    return {name: given[name] for name in members if name not in tables and name in given} | {
        name: {key: part for key, item in items.items() if (part := _part(item, name, each)) is not None}
        for name, each in tables.items()
    }


def _part(item: dict[str, Any], name: str, table: inspect.StructType) -> Any:
    """What an item has for a table: under its name, in the singular, or as the members that the table's values have."""
    for each in (name, name.removesuffix("s")):
        if each in item:
            return item[each]
    inner = plain(table.fields[0].type)
    return item if isinstance(inner, inspect.StructType) else None


def _pairs(value: dict[str, Any] | list[Any]) -> list[tuple[str, Any]]:
    """(id, item) of an object of items, or of a list of items that name their ids."""
    if isinstance(value, dict):
        return [(str(name), item) for name, item in value.items()]
    return [
        (str(item[name]), item)
        for item in value
        if isinstance(item, dict) and (name := next((each for each in ID_NAMES if each in item), "")) in item
    ]


def same_id(given: str, ids: Sequence[str]) -> str | None:
    """The one of ``ids`` that a name means: ``PRO-1`` for ``pro 1``, ``3`` for ``turn 3``; None if it means none."""
    if given in ids:
        return given
    wanted = _folded_id(given)
    return next((each for each in ids if _folded_id(each) == wanted), None)


def _folded_id(name: str) -> str:
    return _TURN.sub("", _SEPARATORS.sub("", name.casefold()).removesuffix("score"), count=1)


def _as_number(value: Any, low: float, high: float) -> float | None:
    """The number that a value means on a scale; None if it means none."""
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value)
        if found is None or (found[2] and float(found[2]) != high) or (found[3] and high not in {1, 100}):
            return None
        value = float(found[1].replace(",", "."))
    if isinstance(value, bool) or not isinstance(value, int | float) or not -MAX_NUMBER <= value <= MAX_NUMBER:
        return None
    is_percentage = (low, high) == (0, 1) and MIN_PERCENT <= value <= PERCENT
    return value / PERCENT if is_percentage else value


def _is_keyed(info: inspect.StructType) -> bool:
    return getattr(info.cls, "__keyed__", False)


def _is_text(info: inspect.Type) -> bool:
    return isinstance(plain(info), inspect.StrType)


def _shown(value: Any) -> str:
    """A part of an answer in quotation marks, clipped: an object as its names and values, other parts as in JSON."""
    members = value.items() if isinstance(value, dict) else ()
    text = ", ".join(f"{name}: {_text(each)}" for name, each in members) or _text(value)
    return f'"{text[:MAX_QUOTED]}{ELLIPSIS if len(text) > MAX_QUOTED else ""}"'


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()

"""Read a model's answer so that nothing readable in it is lost.

The type of a question states limits: the length of a text, the number of items in a list, the range of a number.  An
answer that exceeds a limit is corrected here, and each correction is noted in words:

- a text that is too long is clipped at the end of a sentence, or of a word, and ends with an ellipsis; a quote
  (``Meta(extra={"verbatim": True})``) is clipped without one, so that it can still be found in the turn;
- a number off its scale becomes the nearest allowed one; ``"8"`` and ``"8/10"`` are read as 8;
- a list keeps its first items up to its maximum; an item that cannot be read is left out;
- a member that cannot be read is left out, and the members beside it are kept.

The members may stand one level too deep (``{"answer": {…}}``) or one too high (``{"cause": …}`` for
``{"components": {"cause": …}}``), and a bare list may stand for the object that holds it.  Only an answer without any
readable member is unreadable.
"""

import math
import re
from functools import lru_cache
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct, inspect

from events.segmentation import SENTENCE_END
from providers.answers.lenient import as_declared, levels, plain
from providers.answers.neutral import neutral
from providers.answers.schema import guided
from providers.errors import WrongType

T = TypeVar("T")
LOST: Final = frozenset({"left_out", "missing"})
ELLIPSIS: Final = "…"
QUOTED_MOST: Final = 60
"""Characters of an answer that a note repeats."""
_NUMBER: Final = re.compile(
    r"\s*([+-]?[0-9]{1,6}(?:[.,][0-9]{1,6})?)\s*(?:(?:/|out of|of)\s*[0-9]+|points?|%)?\s*", re.IGNORECASE
)
_UNREADABLE: Final = object()


class Note(Struct, frozen=True):
    """One correction: where it was made (``components.cause.points``), what was done, and in words."""

    path: str
    kind: Literal["clipped", "number", "left_out", "missing"]
    what: str


class LenientReading(Struct, frozen=True):
    """``value`` holds builtins that fit the type, without the members that could not be read; None if nothing could."""

    value: Any
    notes: tuple[Note, ...]


@lru_cache(maxsize=256)
def lenient(type_: Any) -> Any:
    """The type that a model is held to as ``type_`` and whose answer is any JSON, to be read by ``read``."""
    return guided(Any, type_, neutral(type_))


def read(value: Any, type_: Any) -> LenientReading:
    """Read a decoded JSON value as ``type_``, a struct type whose members may have limits."""
    reader, info = _Reader(), _information(type_)
    found = reader.read(_at_its_level(value, info), info, "")
    return LenientReading(None if found is _UNREADABLE else found, tuple(reader.notes))


def read_as(value: Any, type_: Any, becomes: type[T]) -> tuple[T, tuple[Note, ...]]:
    """Read ``value`` as ``type_`` and convert it to ``becomes``, in which members may be missing; with the notes.

    Raises ``WrongType`` where nothing in it can be read, or not what ``becomes`` cannot do without.
    """
    reading = read(value, type_)
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
    """Walks a value beside its type and notes what it corrects."""

    def __init__(self) -> None:
        self.notes: list[Note] = []

    def note(self, path: str, kind: Literal["clipped", "number", "left_out", "missing"], what: str) -> None:
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

    def _struct(self, value: Any, info: inspect.StructType, path: str) -> Any:
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
        return found if self._is_whole(found, info, path) else _UNREADABLE

    def _is_whole(self, found: dict[str, Any], info: inspect.StructType, path: str) -> bool:
        """An item of a list, or a component, needs its choices and numbers; a text that is missing is empty."""
        is_part = bool(path) and not all(_is_struct(field.type) for field in info.fields)
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
        text = str(value).strip()
        if info.max_length is None or len(text) <= info.max_length:
            return text
        clipped = clip(text, info.max_length, ending)
        self.note(path, "clipped", f"clipped from {len(text)} to {len(clipped)} characters")
        return clipped

    def _number(self, value: Any, info: inspect.IntType | inspect.FloatType, path: str) -> Any:
        number = _as_number(value)
        if number is None:
            self.note(path, "left_out", f"{_shown(value)} is not a number")
            return _UNREADABLE
        low, high = info.ge if info.ge is not None else -math.inf, info.le if info.le is not None else math.inf
        applied = min(max(number, low), high)
        if isinstance(info, inspect.IntType):
            applied = math.floor(applied + 0.5)
        if applied != number:
            self.note(path, "number", f"requested {number:g}, applied {applied:g}")
        return applied

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


_information = lru_cache(maxsize=256)(inspect.type_info)


def _at_its_level(value: Any, info: inspect.Type) -> Any:
    """The object that has the members that were asked for: the value, the one object in it, or one around it."""
    struct = plain(info)
    if isinstance(value, list) and isinstance(struct, inspect.StructType):
        lists = [field.encode_name for field in struct.fields if isinstance(plain(field.type), inspect.ListType)]
        return {lists[0]: value} if len(lists) == 1 else value
    return next(levels(value, info), value)


def _as_number(value: Any) -> float | None:
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        value = float(found[1].replace(",", "."))
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _is_text(info: inspect.Type) -> bool:
    return isinstance(plain(info), inspect.StrType)


def _is_struct(info: inspect.Type) -> bool:
    return isinstance(plain(info), inspect.StructType)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return f'"{text[:QUOTED_MOST]}{ELLIPSIS if len(text) > QUOTED_MOST else ""}"'

"""What a model meant, where its answer is not the bare JSON that it was asked for.

Models put prose, a fence or their thoughts around an answer, write ``Draw`` for ``draw``, leave a comma behind the last
member, wrap an object in another or leave a level out.  Nothing here invents a value: a number stays a number, and what
broke off stays broken.  Every step is linear in the length of the text.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import inspect

from .thinking import PAIRS

MOST_OBJECTS: Final = 16
"""Objects amid prose that are looked at, from the last one back."""

FAULTS: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What a text that is no JSON, or no JSON of a type, raises."""

_OPENED: Final = re.compile(rf"\s*(?:{'|'.join(re.escape(opens) for opens, _ in PAIRS)})", re.IGNORECASE)
_CLOSED: Final = re.compile("|".join(re.escape(closes) for _, closes in PAIRS), re.IGNORECASE)
_FENCE: Final = re.compile(r"\A```[a-zA-Z]*[ \t]*\n(.*?)\n?```\Z", re.DOTALL)
_BEGINNING: Final = re.compile(rf'(?P<thought>{_CLOSED.pattern})|\{{(?=\s*+["}}])', re.IGNORECASE)
_STRING: Final = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_TOKEN: Final = re.compile(rf"{_STRING}|(?P<opens>[{{\[])|(?P<closes>[}}\]])", re.DOTALL)
_COMMA: Final = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)
_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")


def bare(raw: str) -> str:
    """The text without the white space or the one Markdown fence around it."""
    text = raw.strip()
    fenced = _FENCE.match(text)
    return fenced[1] if fenced else text


def meant(raw: str, type_: Any) -> Iterator[bytes]:
    """JSON that the answer may stand for, the likeliest first, to be read as ``type_``.  ``schema.parse`` says how."""
    try:
        info = _info(type_)
    except TypeError:  # what ``schema.guided`` makes cannot be hashed
        info = inspect.type_info(type_)
    names = _names(info)
    for value in _values(raw, is_searched=bool(names)):
        for shape in _shapes(value, info, names):
            try:
                yield msgspec.json.encode(_in_case(shape, info))
            except RecursionError:
                continue


@lru_cache(maxsize=256)
def _info(type_: Any) -> inspect.Type:
    """A recorded answer is read again at every fold: its type is looked into once."""
    return inspect.type_info(type_)


# the text


def _values(raw: str, *, is_searched: bool) -> Iterator[Any]:
    """The text as JSON; where it is none and may be searched, the objects in it, the last one first."""
    text = _after_thoughts(raw)
    try:
        yield _decoded(bare(text))
    except FAULTS:
        for each in _objects(text) if is_searched else ():
            try:
                yield _decoded(each)
            except FAULTS:
                continue


def _after_thoughts(text: str) -> str:
    """What follows the thoughts that a text begins with; nothing where they do not end."""
    if opened := _OPENED.match(text):
        closed = _CLOSED.search(text, opened.end())
        return text[closed.end() :] if closed else ""
    return text


def _decoded(text: str) -> Any:
    """A JSON value, in which a comma may stand behind the last member."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        if not text.startswith(("{", "[")):
            raise
        return msgspec.json.decode(_COMMA.sub(r"\1", text))


def _objects(text: str) -> Sequence[str]:
    """What stands between outermost braces, the last one first; none where the text breaks off within an object.

    A closing tag of thoughts takes back what came before it.  A tag within an object's strings is a string.
    """
    found: deque[str] = deque(maxlen=MOST_OBJECTS)
    at = 0
    while begins := _BEGINNING.search(text, at):
        if begins["thought"]:
            found.clear()
            at = begins.end()
        elif at := _end(text, begins.start()):
            found.appendleft(text[begins.start() : at])
        else:
            return ()
    return found


def _end(text: str, start: int) -> int:
    """Where the object that begins at ``start`` is closed; 0 where it is not."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += bool(token["opens"]) - bool(token["closes"])
        if not depth:
            return token.end()
    return 0


# the shape


def _names(info: inspect.Type) -> frozenset[str]:
    """The properties that are asked for; none where the type names none."""
    match info:
        case inspect.Metadata(extra_json_schema={"x-writes": {"properties": written}}):
            return frozenset(written) | _names(info.type)
        case inspect.Metadata(type=inner):
            return _names(inner)
        case inspect.StructType() if not info.array_like:
            return frozenset(field.encode_name for field in info.fields)
        case _:
            return frozenset()


def _shapes(value: Any, info: inspect.Type, names: frozenset[str]) -> Iterator[Any]:
    """The value as it is, one level up, one level down, and both; each names a property if the type does."""
    within = _within(value)
    for shape in (value, within, _deeper(value, info), _deeper(within, info)):
        if not names or (isinstance(shape, dict) and not names.isdisjoint(shape)):
            yield shape


def _within(value: Any) -> Any:
    """The one object that an object holds."""
    objects = [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []
    return objects[0] if len(objects) == 1 else None


def _deeper(value: Any, info: inspect.Type) -> Any:
    """An object that has the members of an object that it should hold, with these put where they belong."""
    info = _plain(info)
    if not isinstance(value, dict) or not isinstance(info, inspect.StructType):
        return None
    absent = {field.encode_name: _names(field.type) for field in info.fields if field.encode_name not in value}
    objects = {name: names for name, names in absent.items() if names}
    if len(objects) != 1:
        return None
    [(name, names)] = objects.items()
    outer = _names(info)
    inner = {key: each for key, each in value.items() if key in names and key not in outer}
    return {key: each for key, each in value.items() if key in outer} | {name: inner} if inner else None


# the words


def _in_case(value: Any, info: inspect.Type) -> Any:
    """The value with each of its enumerated words in the case that its type has."""
    match value, _plain(info):
        case str(), found:
            return _as_declared(value, _choices(found))
        case list(), inspect.TupleType(item_types=items) if len(items) == len(value):
            return [_in_case(each, item) for each, item in zip(value, items, strict=True)]
        case list(), (
            inspect.ListType() | inspect.SetType() | inspect.FrozenSetType() | inspect.VarTupleType()
        ) as many:
            return [_in_case(each, many.item_type) for each in value]
        case dict(), inspect.DictType(value_type=each_type):
            return {name: _in_case(each, each_type) for name, each in value.items()}
        case dict(), inspect.StructType() as struct:
            types = {field.encode_name: field.type for field in struct.fields}
            return {name: _in_case(each, types[name]) if name in types else each for name, each in value.items()}
        case dict() | list(), inspect.UnionType(types=options):
            fitting = [each for each in map(_plain, options) if _takes(each, value)]
            return _in_case(value, fitting[0]) if len(fitting) == 1 else value
        case _:
            return value


def _plain(info: inspect.Type) -> inspect.Type:
    while isinstance(info, inspect.Metadata):
        info = info.type
    return info


def _takes(info: inspect.Type, value: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(info, inspect.StructType | inspect.DictType)
    return isinstance(info, inspect.CollectionType | inspect.TupleType)


def _choices(info: inspect.Type) -> list[str]:
    """The words that a type enumerates; none where any text will do."""
    match info:
        case inspect.LiteralType(values=values):
            return [each for each in values if isinstance(each, str)]
        case inspect.EnumType(cls=cls):
            return [each.value for each in cls if isinstance(each.value, str)]
        case inspect.UnionType(types=options):
            kinds = [_plain(each) for each in options]
            is_open = any(isinstance(each, inspect.StrType | inspect.AnyType) for each in kinds)
            return [] if is_open else [word for each in kinds for word in _choices(each)]
        case _:
            return []


def _as_declared(word: str, choices: Sequence[str]) -> str:
    if word in choices:
        return word
    same = [each for each in choices if _folded(each) == _folded(word)]
    return same[0] if len(same) == 1 else word


def _folded(word: str) -> str:
    """A word without regard to case, to the blanks around it, and to what stands between its parts."""
    return _BETWEEN_WORDS.sub(" ", word).strip().casefold()

"""Lenient reading of an answer that is not plain JSON of the requested type.

Models put prose, a fence or their thinking around an answer, write ``Draw`` for ``draw``, leave a comma after the last
member, wrap an object in another one or leave a level out.  Nothing here invents a value, and an incomplete answer
stays incomplete.  Every step is linear in the length of the text.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import inspect

MAX_OBJECTS: Final = 16
"""The most objects within prose that are tried, from the last one back."""

DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""The exceptions for a text that is not JSON, or not JSON of a type."""

PAIRS: Final = (
    *((f"<{of}{word}>", f"</{of}{word}>")
      for of in ("", "seed:") for word in ("think", "thinking", "thought", "thoughts", "reasoning")),
    ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"),
)  # fmt: skip
"""The tags of open models: Qwen and DeepSeek, Gemma, Seed and others; Magistral; Kimi."""
_OPENED: Final = re.compile(rf"\s*+(?:{'|'.join(re.escape(opens) for opens, _ in PAIRS)})", re.IGNORECASE)
_CLOSED: Final = re.compile("|".join(re.escape(closes) for _, closes in PAIRS), re.IGNORECASE)
_FENCE: Final = re.compile(r"\A```[a-zA-Z]*[ \t]*\n(.*?)\n?```\Z", re.DOTALL)
_BEGINNING: Final = re.compile(rf'(?P<thinking>{_CLOSED.pattern})|\{{(?=\s*+["}}])', re.IGNORECASE)
_STRING: Final = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_TOKEN: Final = re.compile(rf"{_STRING}|(?P<opens>[{{\[])|(?P<closes>[}}\]])", re.DOTALL)
_COMMA: Final = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)
_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")


def without_fence(raw: str) -> str:
    """The text without white space and one Markdown fence around it."""
    text = raw.strip()
    fenced = _FENCE.match(text)
    return fenced[1] if fenced else text


def candidates(raw: str, type_: Any) -> Iterator[bytes]:
    """The JSON values that the answer may mean, the likeliest first; ``schema.parse`` documents the rules."""
    info = type_info(type_)
    has_members = bool(_names(info))
    for value in _values(raw, is_searched=has_members):
        for shape in levels(value, info) if has_members else (value,):
            try:
                yield msgspec.json.encode(_in_case(shape, info))
            except RecursionError:
                continue


def type_info(type_: Any) -> inspect.Type:
    """The inspected type, cached because every fold reads the recorded answers again."""
    try:
        return _cached_info(type_)
    except TypeError:  # a type from ``schema.guided`` has no hash
        return inspect.type_info(type_)


_cached_info = lru_cache(maxsize=256)(inspect.type_info)


# the text


def _values(raw: str, *, is_searched: bool) -> Iterator[Any]:
    """The text as JSON; if it is not JSON and ``is_searched``, the objects in it, the last one first."""
    text = _after_thinking(raw)
    try:
        yield _decoded(without_fence(text))
    except DECODE_ERRORS:
        for each in _objects(text) if is_searched else ():
            try:
                yield _decoded(each)
            except DECODE_ERRORS:
                continue


def _after_thinking(text: str) -> str:
    """The text after the thinking at its beginning; empty if the thinking does not end."""
    if opened := _OPENED.match(text):
        closed = _CLOSED.search(text, opened.end())
        return text[closed.end() :] if closed else ""
    return text


def _decoded(text: str) -> Any:
    """A JSON value, which may have a comma after the last member."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        if not text.startswith(("{", "[")):
            raise
        return msgspec.json.decode(_COMMA.sub(r"\1", text))


def _objects(text: str) -> Sequence[str]:
    """The outermost objects in the text, the last one first; none if the text breaks off within an object.

    Objects before a closing tag of thinking do not count.  A tag within a string of an object is only text.
    """
    found: deque[str] = deque(maxlen=MAX_OBJECTS)
    at = 0
    while begins := _BEGINNING.search(text, at):
        if begins["thinking"]:
            found.clear()
            at = begins.end()
        elif at := _end(text, begins.start()):
            found.appendleft(text[begins.start() : at])
        else:
            return ()
    return found


def _end(text: str, start: int) -> int:
    """The end of the object that begins at ``start``; 0 if it does not end."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += bool(token["opens"]) - bool(token["closes"])
        if not depth:
            return token.end()
    return 0


# the shape


def _names(info: inspect.Type) -> frozenset[str]:
    """The names of the type's properties, if it has any."""
    match info:
        case inspect.Metadata(extra_json_schema={"x-writes": {"properties": written}}):
            return frozenset(written) | _names(info.type)
        case inspect.Metadata(type=inner):
            return _names(inner)
        case inspect.StructType() if not info.array_like:
            return frozenset(field.encode_name for field in info.fields)
        case _:
            return frozenset()


def levels(value: Any, info: inspect.Type) -> Iterator[dict[str, Any]]:
    """The objects that may be meant: the value and the single object in it, if they have members of the type.

    Before each of them comes the same object with members moved into the one object where they belong.
    """
    inner = [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []
    for each in (value, *(inner if len(inner) == 1 else ())):
        if isinstance(each, dict):
            yield from _nested(each, info)
            if not _names(info).isdisjoint(each):
                yield each


def _nested(value: dict[str, Any], info: inspect.Type) -> Iterator[dict[str, Any]]:
    struct = plain(info)
    if not isinstance(struct, inspect.StructType):
        return
    own = _names(struct)
    moved = {
        field.encode_name: members
        for field in struct.fields
        if field.encode_name not in value
        and (members := {key: each for key, each in value.items() if key in _names(field.type) - own})
    }
    if len(moved) == 1:
        yield {key: each for key, each in value.items() if key in own} | moved


# the words


def _in_case(value: Any, info: inspect.Type) -> Any:
    """The value with its enumerated words in the case of the type."""
    match value, plain(info):
        case str(), found:
            return as_declared(value, _choices(found))
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
            fitting = [each for each in map(plain, options) if _takes(each, value)]
            return _in_case(value, fitting[0]) if len(fitting) == 1 else value
        case _:
            return value


def plain(info: inspect.Type) -> inspect.Type:
    """The type without its metadata."""
    while isinstance(info, inspect.Metadata):
        info = info.type
    return info


def _takes(info: inspect.Type, value: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(info, inspect.StructType | inspect.DictType)
    return isinstance(info, inspect.CollectionType | inspect.TupleType)


def _choices(info: inspect.Type) -> list[str]:
    """The words that a type enumerates; none if it allows any text."""
    match info:
        case inspect.LiteralType(values=values):
            return [each for each in values if isinstance(each, str)]
        case inspect.EnumType(cls=cls):
            return [each.value for each in cls if isinstance(each.value, str)]
        case inspect.UnionType(types=options):
            kinds = [plain(each) for each in options]
            is_open = any(isinstance(each, inspect.StrType | inspect.AnyType) for each in kinds)
            return [] if is_open else [word for each in kinds for word in _choices(each)]
        case _:
            return []


def as_declared(word: str, choices: Sequence[str]) -> str:
    """The one choice that equals the word but for case, blanks, and marks around it; else the word."""
    if word in choices:
        return word
    same = [each for each in choices if _folded(each) == _folded(word)]
    return same[0] if len(same) == 1 else word


def _folded(word: str) -> str:
    """A word in lower case, without blanks and marks around it, and with single spaces between its parts."""
    return _BETWEEN_WORDS.sub(" ", word).strip(" .\"'").casefold()

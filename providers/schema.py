"""A msgspec type as the JSON schema that models are held to, and an answer read strictly back into that type.

The schema is built from ``msgspec.inspect`` rather than ``msgspec.json.schema``: llama.cpp and Ollama want it without
``$ref``, and msgspec raises ``KeyError`` when two types made at run time bear one name, as components of a rubric may.
"""

import re
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from .errors import Malformed, WrongType

T = TypeVar("T")

_FENCE = re.compile(r"\A```[a-zA-Z]*[ \t]*\n(.*?)\n?```\Z", re.DOTALL)
_STRING_LIMITS = {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"}
_NUMBER_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_LIST_LIMITS = {"min_length": "minItems", "max_length": "maxItems"}


def schema(type_: Any) -> dict[str, Any]:
    """The JSON schema of ``type_``: no ``$ref``, every property required, no other allowed, order as declared.

    Raises ``TypeError`` for a type that has no such schema: a recursive one, ``bytes``, a date.
    """
    try:
        return _of(inspect.type_info(type_))
    except RecursionError:
        raise TypeError(f"{type_!r} contains itself: its schema has no end") from None


def guided(reads: Any, writes: Any, neutral: Any) -> Any:
    """A type that models are held to as ``writes`` and that is read as ``reads``, which is wider.

    For answers whose faults are to be named and recorded, not refused: too many arguments, a score off the scale.
    ``neutral`` is what a script that leaves the answer out gives.
    """
    return Annotated[reads, Meta(extra_json_schema={"x-writes": schema(writes), "x-neutral": neutral})]


def parse(raw: str, type_: type[T]) -> T:
    """Read an answer.  White space around it and one Markdown fence are forgiven; prose is not.

    Raises ``Malformed`` for what is not JSON and ``WrongType`` for JSON that is not of ``type_``; both carry ``raw``.
    """
    text = raw.strip()
    if fenced := _FENCE.match(text):
        text = fenced[1]
    try:
        msgspec.json.decode(text)   # first without a type: broken JSON is never reported as a wrong type
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Malformed(f"the answer is not JSON: {error}", raw=raw) from error
    try:
        return msgspec.json.decode(text, type=type_)
    except msgspec.ValidationError as error:
        raise WrongType(f"the answer is JSON of another shape: {error}", raw=raw) from error


def amid_prose(text: str) -> str:
    """From the first brace to the last: what is left is JSON or it is not; the text itself where there is no brace."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _of(info: inspect.Type) -> dict[str, Any]:  # noqa: C901, PLR0912 - one case for each kind of type
    match info:
        case inspect.Metadata(extra_json_schema={"x-writes": writes}):
            return dict(writes)
        case inspect.Metadata(type=inner):
            described = (info.extra_json_schema or {}).get("description")
            return _of(inner) | ({"description": described} if described else {})
        case inspect.AnyType():
            return {}
        case inspect.NoneType():
            return {"type": "null"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            return {"type": "integer"} | _limits(info, _NUMBER_LIMITS)
        case inspect.FloatType():
            return {"type": "number"} | _limits(info, _NUMBER_LIMITS)
        case inspect.StrType():
            return {"type": "string"} | _limits(info, _STRING_LIMITS)
        case inspect.LiteralType():
            return {"enum": list(info.values)}
        case inspect.EnumType():
            return {"enum": [member.value for member in info.cls]}
        case inspect.UnionType():
            return {"anyOf": [_of(option) for option in info.types]}
        case inspect.ListType() | inspect.SetType() | inspect.FrozenSetType() | inspect.VarTupleType():
            return {"type": "array", "items": _of(info.item_type)} | _limits(info, _LIST_LIMITS)
        case inspect.TupleType():
            count = len(info.item_types)
            items = [_of(item) for item in info.item_types]
            return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}
        case inspect.DictType():
            return {"type": "object", "additionalProperties": _of(info.value_type)}
        case inspect.StructType() if not info.array_like:
            return _of_struct(info)
        case _:
            raise TypeError(f"{type(info).__name__} has no schema that models are held to")


def _of_struct(info: inspect.StructType) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if info.tag_field is not None:
        properties[info.tag_field] = {"enum": [info.tag]}
    for field in info.fields:
        properties[field.encode_name] = _of(field.type)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _limits(info: inspect.Type, names: dict[str, str]) -> dict[str, Any]:
    return {name: limit for ours, name in names.items() if (limit := getattr(info, ours)) is not None}

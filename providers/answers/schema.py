"""The JSON schema of an answer's type, and the conversion of an answer into that type.

The schema is built from ``msgspec.inspect``, not ``msgspec.json.schema``: llama.cpp and Ollama need it without
``$ref``, and msgspec raises ``KeyError`` if two types made at run time have the same name, as components of a rubric
may.
"""

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from providers.errors import Malformed, WrongType

from .lenient import DECODE_ERRORS, candidates, without_fence

T = TypeVar("T")

_TYPES = {str: "string", int: "integer", float: "number", type(None): "null"}
_STRING_LIMITS = {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"}
_NUMBER_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_LIST_LIMITS = {"min_length": "minItems", "max_length": "maxItems"}


def schema(type_: Any) -> dict[str, Any]:
    """The JSON schema of ``type_``: no ``$ref``, every property required, no others allowed, in declared order.

    Raises ``TypeError`` for a type without such a schema: a recursive type, ``bytes``, a date.
    """
    try:
        return _of(inspect.type_info(type_))
    except RecursionError:
        raise TypeError(f"{type_!r} contains itself: its schema has no end") from None


def guided(reads: Any, writes: Any, neutral: Any) -> Any:
    """A type whose schema is that of ``writes`` and whose answers are read as ``reads``, a wider type.

    For answers whose faults are recorded instead of refused: too many arguments, a score off the scale.
    ``neutral`` is the answer of a script that gives none.
    """
    return Annotated[reads, Meta(extra_json_schema={"x-writes": schema(writes), "x-neutral": neutral})]


def parse(raw: str, type_: type[T]) -> T:
    """Read an answer: JSON of ``type_``, which may have white space and one Markdown fence around it.

    For any other text it tries the following, in this order, and takes the first value of ``type_``:

    1. It removes thinking in tags at the beginning.  Thinking without a closing tag leaves no answer.
    2. It removes the commas before closing brackets and reads the rest as JSON.
    3. It searches the text for objects that have properties of the type.  The last valid object counts, because
       examples and drafts come before the answer.  Objects before a closing tag of thinking do not count, and a text
       that breaks off within an object has none.

    It tries each value and the single object within it (``{"answer": {…}}``), first with its members moved into the
    absent object where they belong (``{"a": …}`` for ``{"components": {"a": …}}``), then as it is.  An enumerated word
    may have another case in each of these (``Draw``, ``Straw man`` for ``straw_man``).

    A number in quotes, a value off its scale and a missing property are not corrected.
    Raises ``Malformed`` for text that is not JSON and ``WrongType`` for JSON of another type; both carry ``raw``.
    """
    text = without_fence(raw)
    try:
        return msgspec.json.decode(text, type=type_)
    except DECODE_ERRORS:
        pass
    for each in candidates(raw, type_):
        try:
            return msgspec.json.decode(each, type=type_)
        except DECODE_ERRORS:
            continue
    try:
        msgspec.json.decode(text)  # without a type first, so that broken JSON is not reported as a wrong type
    except DECODE_ERRORS as error:
        raise Malformed(f"the answer is not JSON: {error}", raw=raw) from error
    try:
        return msgspec.json.decode(text, type=type_)
    except DECODE_ERRORS as error:
        raise WrongType(f"the answer is JSON of another shape: {error}", raw=raw) from error


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
            return _enumeration(info.values)
        case inspect.EnumType():
            return _enumeration([member.value for member in info.cls])
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
            raise TypeError(f"{type(info).__name__} has no JSON schema here")


def _of_struct(info: inspect.StructType) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if info.tag_field is not None:
        properties[info.tag_field] = _enumeration([info.tag])
    for field in info.fields:
        properties[field.encode_name] = _of(field.type)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _enumeration(values: Iterable[Any]) -> dict[str, Any]:
    """An enumeration in which every node has a type, as OpenAI's strict mode requires."""
    by_type: dict[str, list[Any]] = {}
    for value in values:
        by_type.setdefault(_TYPES[type(value)], []).append(value)
    options = [{"type": name} | ({} if name == "null" else {"enum": each}) for name, each in by_type.items()]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _limits(info: inspect.Type, names: dict[str, str]) -> dict[str, Any]:
    return {name: limit for ours, name in names.items() if (limit := getattr(info, ours)) is not None}

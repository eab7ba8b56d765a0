"""A msgspec type as the JSON schema that models are held to, and an answer read back into that type.

The schema is built from ``msgspec.inspect`` rather than ``msgspec.json.schema``: llama.cpp and Ollama want it without
``$ref``, and msgspec raises ``KeyError`` when two types made at run time bear one name, as components of a rubric may.
"""

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from .errors import Malformed, WrongType
from .reading import FAULTS, bare, meant

T = TypeVar("T")

_TYPES = {str: "string", int: "integer", float: "number", type(None): "null"}
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
    """Read an answer.  JSON of ``type_`` is read as such; white space and one Markdown fence may stand around it.

    Anything else is tried in this order, and the first reading that is of ``type_`` counts:

    1. thoughts in tags that the answer begins with are cut off; thoughts that do not end leave no answer;
    2. the text is JSON once the commas before a closing bracket are gone;
    3. it is prose, with fences or without, and objects stand in it that have properties of the type: the last one that
       reads counts, since examples and drafts come before the answer.  A closing tag of thoughts takes back all objects
       before it, and a text that breaks off within an object has none.

    Each value is tried as it is, then as the one object that it holds (``{"answer": {…}}``), then with its members
    moved into the one object that it lacks (``{"a": …}`` for ``{"components": {"a": …}}``), then as both.  In each of
    these an enumerated word may stand in another case (``Draw``, ``Straw man`` for ``straw_man``).

    A number in quotes, a value off its scale and a missing property stay what they are.
    Raises ``Malformed`` for what is not JSON and ``WrongType`` for JSON that is not of ``type_``; both carry ``raw``.
    """
    text = bare(raw)
    try:
        return msgspec.json.decode(text, type=type_)
    except FAULTS:
        pass
    for each in meant(raw, type_):
        try:
            return msgspec.json.decode(each, type=type_)
        except FAULTS:
            continue
    try:
        msgspec.json.decode(text)  # first without a type: broken JSON is never reported as a wrong type
    except FAULTS as error:
        raise Malformed(f"the answer is not JSON: {error}", raw=raw) from error
    try:
        return msgspec.json.decode(text, type=type_)
    except FAULTS as error:
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
            raise TypeError(f"{type(info).__name__} has no schema that models are held to")


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
    """Every node names its type, as OpenAI's strict mode demands; values of several types are options."""
    by_type: dict[str, list[Any]] = {}
    for value in values:
        by_type.setdefault(_TYPES[type(value)], []).append(value)
    options = [{"type": name} | ({} if name == "null" else {"enum": each}) for name, each in by_type.items()]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _limits(info: inspect.Type, names: dict[str, str]) -> dict[str, Any]:
    return {name: limit for ours, name in names.items() if (limit := getattr(info, ours)) is not None}

"""A neutral value of any answer type: half of every number, a draw, no text and no flags.

Only ``scripted`` uses it, for an answer that its file does not give, and marks the answer.  A model's missing answer
stays missing.
"""

from typing import Any

from msgspec import inspect

from .lenient import type_info

_UNDECIDED = ("draw", "none", "neither", "UNCERTAIN")
_UNBOUNDED = 0


def neutral(type_: Any) -> Any:
    """The neutral value of a msgspec type, as plain objects for ``msgspec.convert``."""
    return _of(type_info(type_))


def _of(info: inspect.Type) -> Any:  # noqa: C901, PLR0912 - one case for each kind of type
    match info:
        case inspect.Metadata(extra_json_schema={"x-neutral": value}):
            return value
        case inspect.Metadata(type=inner):
            return _of(inner)
        case inspect.BoolType():
            return False
        case inspect.IntType() | inspect.FloatType():
            return _half(info)
        case inspect.StrType():
            return "-" * (info.min_length or 0)
        case inspect.LiteralType():
            return next((word for word in _UNDECIDED if word in info.values), info.values[0])
        case inspect.EnumType():
            values = [member.value for member in info.cls]
            return next((word for word in _UNDECIDED if word in values), values[0])
        case inspect.UnionType():
            return None if info.includes_none else _of(info.types[0])
        case inspect.ListType() | inspect.SetType() | inspect.FrozenSetType() | inspect.VarTupleType():
            return [_of(info.item_type)] * (info.min_length or 0)
        case inspect.TupleType():
            return [_of(item) for item in info.item_types]
        case inspect.DictType():
            return {}
        case inspect.StructType():
            tag = {} if info.tag_field is None else {info.tag_field: info.tag}
            return tag | {field.encode_name: _of(field.type) for field in info.fields}
        case _:
            return None


def _half(info: inspect.IntType | inspect.FloatType) -> int:
    """Half of the maximum, rounded down, but never below the minimum."""
    highest = info.le if info.le is not None else info.lt if info.lt is not None else _UNBOUNDED
    lowest = info.ge if info.ge is not None else info.gt + 1 if info.gt is not None else None
    half = int(highest // 2)
    return half if lowest is None else max(half, int(lowest))

"""A JSON schema in the dialect of each vendor, or in words.

Vendors turn a schema into a grammar and refuse keywords that their compiler does not know.  A keyword that a dialect
leaves out goes into the description, where the model reads it.  The answer is validated here in any case
(``schema.parse``).

Sources, as of November 2026: the vendors' pages on structured output, the changes that their SDKs make to a schema, and
reports of refused schemas.  ``tests/providers/answers/schema_rules.py`` names one for each rule.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from providers.base import Segment

_EXCLUSIVE: Final = ("exclusiveMinimum", "exclusiveMaximum")
_BOUNDS: Final = ("minimum", "maximum", *_EXCLUSIVE)
_LENGTHS: Final = ("minLength", "maxLength", "pattern")
_COUNTS: Final = ("minItems", "maxItems")


class Dialect(Struct, frozen=True, kw_only=True):
    """What a vendor's schema compiler accepts.  The limits hold for a schema as a whole."""

    leaves_out: tuple[str, ...] = ()
    """Keywords that it does not take."""
    has_tuples: bool = True
    """Whether a list may have items of different types (``prefixItems``)."""
    most_integers: int = 0
    """A whole number with bounds becomes an enumeration if it has at most this many values."""
    most_properties: int = 5000
    most_enumerated: int = 1000
    most_levels: int = 10
    most_characters: int = 120_000
    """Characters of all names and enumerated words together."""


ANTHROPIC: Final = Dialect(leaves_out=(*_BOUNDS, *_LENGTHS, *_COUNTS), has_tuples=False)
OPENAI: Final = Dialect(leaves_out=(*_BOUNDS, *_LENGTHS, *_COUNTS), has_tuples=False, most_integers=21)
"""OpenAI itself takes bounds and counts; Azure, fine-tuned models and many compatible servers do not."""
GEMINI: Final = Dialect(leaves_out=(*_EXCLUSIVE, *_LENGTHS, "maxItems"))
"""Gemini documents ``maxItems`` but refuses a schema with several of them."""


def in_dialect(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """A copy of ``schema`` in ``dialect``."""
    converted = _converted(schema, dialect)
    return (
        converted if fits(converted, dialect) else _converted(schema, msgspec.structs.replace(dialect, most_integers=0))
    )


def _converted(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    converted = {
        key: _converted_value(key, value, dialect) for key, value in schema.items() if key not in dialect.leaves_out
    }
    if "prefixItems" in converted and not dialect.has_tuples:
        items = converted.pop("prefixItems")
        kinds = [each for at, each in enumerate(items) if each not in items[:at]]
        converted["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    values = _values(schema, dialect)
    left_out = () if values else dialect.leaves_out
    if dropped := [f"{key} {schema[key]}" for key in left_out if key in schema]:
        converted["description"] = " · ".join(filter(None, (converted.get("description", ""), ", ".join(dropped))))
    return converted | values


def _values(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """The enumeration of a whole number with bounds, if it has few values."""
    if schema.get("type") != "integer" or "minimum" not in schema or "maximum" not in schema:
        return {}
    values = range(schema["minimum"], schema["maximum"] + 1)
    return {"enum": list(values)} if len(values) <= dialect.most_integers else {}


def in_words(prompt: tuple[Segment, ...], schema: dict[str, Any]) -> tuple[Segment, ...]:
    """The prompt with the schema of the answer as text, for a server that takes no schema."""
    asks = "Answer with one JSON object of this schema and nothing else:\n" + json.dumps(schema, ensure_ascii=False)
    return (*prompt, Segment("user", asks))


def is_closed(schema: dict[str, Any]) -> bool:
    """Whether every object in the schema names all its properties, as strict modes require."""
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    return all(map(is_closed, _children(schema)))


def fits(schema: dict[str, Any], dialect: Dialect) -> bool:
    """Whether a schema is small enough for a vendor's strict mode: a rubric may have any size."""
    nodes = list(_nodes(schema, 1))
    names = [name for node, _ in nodes for name in node.get("properties", ())]
    words = [each for node, _ in nodes for each in node.get("enum", ())]
    return (
        len(names) <= dialect.most_properties
        and len(words) <= dialect.most_enumerated
        and max(level for _, level in nodes) <= dialect.most_levels
        and sum(map(len, map(str, [*names, *words]))) <= dialect.most_characters
    )


def is_object(schema: dict[str, Any]) -> bool:
    """Whether the root is an object, as some vendors require."""
    return schema.get("type") == "object"


def _converted_value(key: str, value: Any, dialect: Dialect) -> Any:
    match key:
        case "properties":
            return {name: _converted(each, dialect) for name, each in value.items()}
        case "anyOf" | "prefixItems":
            return [_converted(each, dialect) for each in value]
        case "items" | "additionalProperties" if isinstance(value, dict):
            return _converted(value, dialect)
        case _:
            return value


def _children(schema: dict[str, Any]) -> list[dict[str, Any]]:
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *schema.get("prefixItems", [])]
    return children + [each for key in ("items", "additionalProperties") if isinstance(each := schema.get(key), dict)]


def _nodes(schema: dict[str, Any], level: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Every schema within a schema, with its level of nesting."""
    yield schema, level
    for each in _children(schema):
        yield from _nodes(each, level + (each.get("type") in {"object", "array"}))

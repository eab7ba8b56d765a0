"""A JSON schema in the dialect of each vendor.

Vendors turn a schema into a grammar and refuse keywords that their compiler does not know.  What a dialect leaves out
is written into the description, where a model reads it; the answer is validated here in any case (``schema.parse``).

Sources, as of November 2026: the vendors' pages on structured output, what their SDKs do to a schema, and reports of
what they refuse; ``tests/providers/schema_rules.py`` names one for each rule.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

_EXCLUSIVE: Final = ("exclusiveMinimum", "exclusiveMaximum")
_BOUNDS: Final = ("minimum", "maximum", *_EXCLUSIVE)
_LENGTHS: Final = ("minLength", "maxLength", "pattern")
_COUNTS: Final = ("minItems", "maxItems")


class Dialect(Struct, frozen=True, kw_only=True):
    """Keywords that a vendor's compiler does not take, whether it takes a list of unlike items, and how much it takes.

    The figures hold for a schema as a whole.
    """

    leaves_out: tuple[str, ...] = ()
    has_tuples: bool = True
    enumerates: int = 0
    """A whole number between bounds that are left out is one of its values, where these are so few at most."""
    most_properties: int = 5000
    most_enumerated: int = 1000
    most_levels: int = 10
    most_characters: int = 120_000
    """Of names and enumerated words."""


ANTHROPIC: Final = Dialect(leaves_out=(*_BOUNDS, *_LENGTHS, *_COUNTS), has_tuples=False)
OPENAI: Final = Dialect(leaves_out=(*_BOUNDS, *_LENGTHS, *_COUNTS), has_tuples=False, enumerates=21)
"""OpenAI itself takes bounds and counts; Azure, fine-tuned models and many servers that speak its protocol do not."""
GEMINI: Final = Dialect(leaves_out=(*_EXCLUSIVE, *_LENGTHS, "maxItems"))
"""``maxItems`` is documented, but several in one schema are refused."""


def spoken(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """``schema`` in ``dialect``; the given one is left as it is."""
    said = _spoken(schema, dialect)
    return said if fits(said, dialect) else _spoken(schema, msgspec.structs.replace(dialect, enumerates=0))


def _spoken(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    said = {key: _respoken(key, value, dialect) for key, value in schema.items() if key not in dialect.leaves_out}
    if "prefixItems" in said and not dialect.has_tuples:
        items = said.pop("prefixItems")
        kinds = [each for at, each in enumerate(items) if each not in items[:at]]
        said["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    values = _values(schema, dialect)
    left_out = () if values else dialect.leaves_out
    if lost := [f"{key} {schema[key]}" for key in left_out if key in schema]:
        said["description"] = " · ".join(filter(None, (said.get("description", ""), ", ".join(lost))))
    return said | values


def _values(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """The values of a whole number between bounds, where they are few."""
    if schema.get("type") != "integer" or "minimum" not in schema or "maximum" not in schema:
        return {}
    values = range(schema["minimum"], schema["maximum"] + 1)
    return {"enum": list(values)} if len(values) <= dialect.enumerates else {}


def is_closed(schema: dict[str, Any]) -> bool:
    """Whether every object in it names all its properties: what a vendor's strict mode asks for."""
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    return all(map(is_closed, _below(schema)))


def fits(schema: dict[str, Any], dialect: Dialect) -> bool:
    """Whether a schema is small enough for a vendor's strict mode: a rubric may be as large as its author likes."""
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
    """Whether the root is an object: some vendors take nothing else."""
    return schema.get("type") == "object"


def _respoken(key: str, value: Any, dialect: Dialect) -> Any:
    match key:
        case "properties":
            return {name: _spoken(each, dialect) for name, each in value.items()}
        case "anyOf" | "prefixItems":
            return [_spoken(each, dialect) for each in value]
        case "items" | "additionalProperties" if isinstance(value, dict):
            return _spoken(value, dialect)
        case _:
            return value


def _below(schema: dict[str, Any]) -> list[dict[str, Any]]:
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *schema.get("prefixItems", [])]
    return below + [each for key in ("items", "additionalProperties") if isinstance(each := schema.get(key), dict)]


def _nodes(schema: dict[str, Any], level: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Every schema in a schema, with the number of objects and lists around it and itself."""
    yield schema, level
    for each in _below(schema):
        yield from _nodes(each, level + (each.get("type") in {"object", "array"}))

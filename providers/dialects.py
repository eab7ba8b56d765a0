"""A JSON schema in the dialect of each vendor.

Vendors turn a schema into a grammar and refuse keywords that their compiler does not know.  What a dialect leaves out
is written into the description, where a model reads it; the answer is validated here in any case (``schema.parse``).

Sources: the vendors' pages on structured output, as of November 2026.
"""

from typing import Any, Final

from msgspec import Struct

_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_LENGTHS: Final = ("minLength", "maxLength", "pattern")
_COUNTS: Final = ("minItems", "maxItems")
_ROOT: Final = "answer"


class Dialect(Struct, frozen=True, kw_only=True):
    """Keywords that a vendor's compiler does not take, and whether it takes a list of unlike items."""

    leaves_out: tuple[str, ...] = ()
    has_tuples: bool = True
    has_maps: bool = True
    """Whether an object may have properties that are not named."""


ANTHROPIC: Final = Dialect(leaves_out=(*_BOUNDS, *_LENGTHS, *_COUNTS), has_tuples=False, has_maps=False)
OPENAI: Final = Dialect(leaves_out=("minLength", "maxLength"), has_tuples=False, has_maps=False)
GEMINI: Final = Dialect(leaves_out=("exclusiveMinimum", "exclusiveMaximum", *_LENGTHS))


def spoken(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """``schema`` in ``dialect``; the given one is left as it is."""
    said = {key: _below(key, value, dialect) for key, value in schema.items() if key not in dialect.leaves_out}
    if "prefixItems" in said and not dialect.has_tuples:
        items = said.pop("prefixItems")
        kinds = [each for at, each in enumerate(items) if each not in items[:at]]
        said["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if lost := [f"{key} {schema[key]}" for key in dialect.leaves_out if key in schema]:
        said["description"] = " · ".join(filter(None, (said.get("description", ""), ", ".join(lost))))
    return said


def is_closed(schema: dict[str, Any]) -> bool:
    """Whether every object in it names all its properties: what a vendor's strict mode asks for."""
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *schema.get("prefixItems", [])]
    return all(map(is_closed, [*below, *([schema["items"]] if "items" in schema else [])]))


def is_object(schema: dict[str, Any]) -> bool:
    """Whether the root is an object: some vendors take nothing else."""
    return schema.get("type") == "object"


def _below(key: str, value: Any, dialect: Dialect) -> Any:
    match key:
        case "properties":
            return {name: spoken(each, dialect) for name, each in value.items()}
        case "anyOf" | "prefixItems":
            return [spoken(each, dialect) for each in value]
        case "items" | "additionalProperties" if isinstance(value, dict):
            return spoken(value, dialect)
        case _:
            return value

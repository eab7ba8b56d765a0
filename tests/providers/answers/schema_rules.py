"""The vendors' published rules for schemas, as checkers: each returns the faults of a schema, in words.

Written from the rules and not from ``providers/answers/dialects.py``, as of 22 November 2026.  If a page could not be
read, the source is a quotation of it, or the vendor's SDK.
"""

from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]
Faults = Iterator[str]
TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "object": dict,
    "array": list,
}


def openai(schema: Schema) -> list[str]:
    """Strict mode: platform.openai.com/docs/guides/structured-outputs, "Supported schemas".

    As collected by jsonschemaprofiles.unitvectorylabs.com/schemas/openai (baseline of February 2026), by PydanticAI's
    profile, and for Azure by learn.microsoft.com (structured outputs, "unsupported type-specific keywords").
    """
    return [
        *_openai_root(schema),
        *(fault for at, node in nodes(schema) for fault in _openai_node(at, node)),
        *_openai_limits(schema),
    ]


def _openai_root(schema: Schema) -> Faults:
    # guide: "the root level object of a schema must be an object, and not use anyOf"
    if schema.get("type") != "object" or "anyOf" in schema:
        yield "root: not an object"


def _openai_node(at: str, node: Schema) -> Faults:
    # PydanticAI issue 4425 and PR 7333 (probed): a node without a type is a 400; so is a list without a typed `items`
    if not {"type", "anyOf", "$ref"} & node.keys():
        yield f"{at}: no type"
    # guide: allOf, not, dependentRequired, dependentSchemas, if/then/else are refused; Azure and fine-tuned models:
    # minLength, maxLength, pattern, format, minimum, maximum, multipleOf, minItems, maxItems, uniqueItems and the like;
    # PydanticAI: prefixItems, oneOf, default.  What is left:
    known = {"type", "description", "title", "enum", "const", "anyOf", "$ref", "$defs"}
    known |= {"properties", "required", "additionalProperties"} if node.get("type") == "object" else set()
    known |= {"items"} if node.get("type") == "array" else set()
    yield from (f"{at}: {key} is not taken" for key in node.keys() - known)
    yield from values_of_type(at, node)
    if node.get("type") == "array" and not {"type", "anyOf", "$ref", "enum"} & node.get("items", {}).keys():
        yield f"{at}: a list without the type of its items"
    yield from closed(at, node, all_required=True)
    # error text of the API: "Objects provided via 'anyOf' must not share identical first keys"
    firsts = [next(iter(each.get("properties", ())), None) for each in node.get("anyOf", ())]
    named = [each for each in firsts if each is not None]
    if len(set(named)) < len(named):
        yield f"{at}: options share their first key"


def _openai_limits(schema: Schema) -> Faults:
    # guide, "Limitations on total string size", "on enum size", "Objects have limitations on nesting depth and size"
    found = list(nodes(schema))
    names = [name for _, node in found for name in node.get("properties", ())]
    words = [each for _, node in found for each in node.get("enum", ())]
    if len(names) > 5000:
        yield f"{len(names)} properties, 5000 are taken"
    if len(words) > 1000:
        yield f"{len(words)} enumerated values, 1000 are taken"
    if sum(len(str(each)) for each in (*names, *words)) > 120_000:
        yield "names and enumerated values of more than 120,000 characters"
    for at, node in found:
        own = [each for each in node.get("enum", ()) if isinstance(each, str)]
        if len(own) > 250 and sum(map(len, own)) > 15_000:
            yield f"{at}: more than 250 words of more than 15,000 characters"
    # 10 by the guide; 5 before it ("6 levels of nesting exceeds limit of 5", tidyverse/ellmer issue 671) and on Azure
    if (deepest := depth(schema)) > 5:
        yield f"{deepest} levels, 5 are taken everywhere"


def anthropic(schema: Schema) -> list[str]:
    """Structured outputs: platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations".

    As the SDK has it (``anthropic/lib/_parse/_transform.py``, 2.12.0), and LangSchema 0.7.1, which quotes the page.
    """
    found = list(nodes(schema))
    faults = [fault for at, node in found for fault in _anthropic_node(at, node)]
    # LangSchema, from the page: at most 24 optional properties and 16 unions in a request
    optional = sum(len(node.get("properties", {})) - len(node.get("required", ())) for _, node in found)
    unions = sum("anyOf" in node or isinstance(node.get("type"), list) for _, node in found)
    faults += [f"{optional} optional properties, 24 are taken"] * (optional > 24)
    return faults + [f"{unions} unions, 16 are taken"] * (unions > 16)


def _anthropic_node(at: str, node: Schema) -> Faults:
    # SDK: ValueError without one of these
    if not {"type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"} & node.keys():
        yield f"{at}: no type"
    # SDK: whatever else there is goes into the description; API: "For 'array' type, property 'maxItems' is not
    # supported" (req_llm issue 707)
    known = {
        "type",
        "enum",
        "const",
        "anyOf",
        "allOf",
        "$ref",
        "$defs",
        "description",
        "title",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "format",
        "minItems",
    }
    yield from (f"{at}: {key} is not taken" for key in node.keys() - known)
    if node.get("minItems", 0) not in {0, 1}:
        yield f"{at}: minItems is taken as 0 or 1"
    yield from values_of_type(at, node)
    # API: "For 'object' type, 'additionalProperties' must be explicitly set to false"
    yield from closed(at, node, all_required=False)


def gemini(schema: Schema) -> list[str]:
    """``responseJsonSchema``: ai.google.dev/api/generate-content, quoted in google-genai 3.4.0, ``types.py``."""
    return [fault for at, node in nodes(schema) for fault in _gemini_node(at, node)]


def _gemini_node(at: str, node: Schema) -> Faults:
    # "only the following properties are supported"
    known = {
        "$id",
        "$defs",
        "$ref",
        "$anchor",
        "type",
        "format",
        "title",
        "description",
        "enum",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "oneOf",
        "properties",
        "additionalProperties",
        "required",
        "propertyOrdering",
    }
    # vercel/ai issue 21192: several lists with maxItems are a bare 400; python-genai issue 2170: their sum is limited
    yield from (f"{at}: {key} is not taken" for key in node.keys() - known | node.keys() & {"maxItems"})
    # "enum (for strings and numbers)"
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in node.get("enum", ())):
        yield f"{at}: only strings and numbers are enumerated"
    yield from values_of_type(at, node)
    if node.get("type") == "array" and not {"items", "prefixItems"} & node.keys():
        yield f"{at}: a list of nothing"
    if missing := set(node.get("required", ())) - node.get("properties", {}).keys():
        yield f"{at}: {missing} required and not described"


VENDORS: dict[str, Callable[[Schema], list[str]]] = {"OPENAI": openai, "ANTHROPIC": anthropic, "GEMINI": gemini}


# shared by all checkers


def nodes(schema: Schema, at: str = "root") -> Iterator[tuple[str, Schema]]:
    """Every schema within a schema, with its place."""
    yield at, schema
    for name, each in schema.get("properties", {}).items():
        yield from nodes(each, f"{at}.{name}")
    for key in ("anyOf", "prefixItems"):
        for number, each in enumerate(schema.get(key, ())):
            yield from nodes(each, f"{at}.{key}[{number}]")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key], f"{at}[]")


def depth(schema: Schema) -> int:
    """Levels of objects."""
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    below += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    return (schema.get("type") == "object") + max(map(depth, below), default=0)


def values_of_type(at: str, node: Schema) -> Faults:
    """Known types, and enumerated values of that type, each once: json-schema.org, validation 6.1."""
    if (name := node.get("type")) is None:
        return
    if name not in TYPES:
        yield f"{at}: no type is named {name}"
    elif not all(isinstance(each, TYPES[name]) for each in node.get("enum", ())):
        yield f"{at}: a value is no {name}"
    if "enum" in node and not 0 < len(node["enum"]) == len(set(node["enum"])):
        yield f"{at}: nothing is enumerated, or something twice"


def closed(at: str, node: Schema, *, all_required: bool) -> Faults:
    """An object that allows only its named properties."""
    if node.get("type") != "object":
        return
    if node.get("additionalProperties") is not False:
        yield f"{at}: additionalProperties is not false"
    if all_required and sorted(node.get("required", ())) != sorted(node.get("properties", {})):
        yield f"{at}: not all properties are required"

"""Each vendor's error message for a schema, or nothing.  Independent of Moot's dialects."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Path = tuple[str, ...]


def nodes(schema: Schema, path: Path = ()) -> Iterator[tuple[Path, Schema]]:
    """Each schema within a schema, itself first, with the way to it."""
    yield path, schema
    for kind in ("properties", "$defs", "definitions"):
        for name, each in schema.get(kind, {}).items():
            yield from nodes(each, (*path, kind, name))
    if isinstance(schema.get("items"), dict):
        yield from nodes(schema["items"], (*path, "items"))
    for kind in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for place, each in enumerate(schema.get(kind, ())):
            yield from nodes(each, (*path, kind, str(place)))


# OpenAI

OPENAI_BOUNDS = frozenset(
    {
        "pattern",
        "format",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
    }
)
"""Supported, but not by fine-tuned models, and refused by all as late as 2025-04 ("'minimum' is not permitted").

Source: developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas", as profiled on
jsonschemaprofiles.unitvectorylabs.com/schemas/openai (2026-02); github.com/liam-hq/liam/pull/1162 (2025-04-07).
"""
OPENAI_KEYWORDS = frozenset(
    {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "definitions",
        "description",
        "title",
        "$schema",
    }
)
OPENAI_DEPTH, OPENAI_PROPERTIES, OPENAI_VALUES, OPENAI_CHARACTERS = 10, 5000, 1000, 120_000
"""Limits of size.  Source: the same guide, 2026-02."""


def openai(schema: Schema, *, bounds: bool = True) -> str | None:
    """The first rule of ``strict`` that a schema breaks, in OpenAI's words.  ``bounds=False``: no bound is taken.

    That an enum alone is no type is what the issue's peer holds; nobody published the opposite.  Source: the same
    guide; the sentences as quoted in google/adk-go#1178 (2026-07-23), agentscope-java#2548 (2026-08-04).
    """
    allowed = OPENAI_KEYWORDS | (OPENAI_BOUNDS if bounds else frozenset())
    if schema.get("type") != "object" or "anyOf" in schema:
        kind = schema.get("type")
        return f"""schema must be a JSON Schema of 'type: "object"', got 'type: "{kind}"'."""
    for path, node in nodes(schema):
        if complaint := _openai_node(node, allowed):
            return f"In context={path}, {complaint}"
    return _openai_size(schema)


def _openai_node(node: Schema, allowed: frozenset[str]) -> str | None:
    for keyword in node:
        if keyword not in allowed:
            return f"'{keyword}' is not permitted."
    if "$ref" in node:
        more = ", ".join(map(repr, sorted(set(node) - {"$ref", "$defs", "definitions"})))
        return f"$ref cannot have keywords {{{more}}}." if more else None
    if "type" not in node and "anyOf" not in node:
        return "schema must have a 'type' key."
    if node.get("type") == "array" and not node.get("items"):
        return "array schema missing items."
    return _openai_object(node) if node.get("type") == "object" else None


def _openai_object(node: Schema) -> str | None:
    if node.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    has, required = node.get("properties", {}), node.get("required", ())
    every = "'required' is required to be supplied and to be an array including every key in properties."
    for name in [*has, *required]:
        if name not in required:
            return f"{every} Missing '{name}'."
        if name not in has:
            return f"{every} Extra required key '{name}' supplied."
    return None


def _openai_size(schema: Schema) -> str | None:
    found = list(nodes(schema))
    names = [name for _, node in found for name in node.get("properties", {})]
    values = [value for _, node in found for value in node.get("enum", ())]
    depth = 1 + max(sum(part in {"properties", "items"} for part in path) for path, _ in found)
    if len(names) > OPENAI_PROPERTIES:
        return f"Expected at most {OPENAI_PROPERTIES} object properties total, got {len(names)}."
    if len(values) > OPENAI_VALUES:
        return f"Expected at most {OPENAI_VALUES} enum values in total within a schema, got {len(values)}."
    if sum(map(len, map(str, names + values))) > OPENAI_CHARACTERS:
        return f"Expected at most {OPENAI_CHARACTERS} characters in total of names and values."
    if depth > OPENAI_DEPTH + 1:
        return f"{depth} levels of nesting exceeds limit of {OPENAI_DEPTH}."
    return None


# Anthropic

ANTHROPIC_REFUSED: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"),
    "number": ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("maxItems", "uniqueItems", "contains", "minContains", "maxContains"),
    "object": ("minProperties", "maxProperties", "patternProperties", "propertyNames"),
}
ANTHROPIC_FORMATS = frozenset(
    {
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    }
)


def anthropic(schema: Schema, *, where: str = "output_config.format.schema") -> str | None:
    """The first rule of structured outputs that a schema breaks, in Anthropic's words.

    Source: platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations"; the sentences
    as quoted in ghostlobster/memorize-everything#93 (2026-05-01) and ID-Robots/clawbox#740 (2026-09-06).
    """
    for _, node in nodes(schema):
        kind = node.get("type")
        if isinstance(kind, str):
            for keyword in ANTHROPIC_REFUSED.get(kind, ()):
                if keyword in node:
                    return f"{where}: For '{kind}' type, property '{keyword}' is not supported"
        if kind == "array" and node.get("minItems", 0) > 1:
            return f"{where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported"
        if kind == "object" and node.get("additionalProperties") is not False:
            return f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false"
        if kind == "string" and node.get("format", "date") not in ANTHROPIC_FORMATS:
            return f"{where}: String format '{node['format']}' is not supported"
        if any(keyword in node for keyword in ("oneOf", "not", "if", "patternProperties")):
            return f"{where}: Schema type 'oneOf' is not supported"
        if isinstance(node.get("$ref"), str) and not node["$ref"].startswith("#"):
            return f"{where}: External $ref '{node['$ref']}' is not supported"
    return _recursive(schema, where)


def _recursive(schema: Schema, where: str) -> str | None:
    definitions = schema.get("$defs", {})
    references = {
        name: {each["$ref"].rsplit("/", 1)[-1] for _, each in nodes(node) if "$ref" in each}
        for name, node in definitions.items()
    }
    for name, first in references.items():
        reached: set[str] = set()
        todo = set(first)
        while todo:
            step = todo.pop()
            reached.add(step)
            todo |= references.get(step, set()) - reached
        if name in reached:
            return f"{where}: Circular reference detected in schema definitions: {name}"
    return None


# Gemini

GEMINI_DEPTH = 32
"""Of our own: the vendor refuses schemas that nest too deep and names no number."""
GEMINI_ITEMS = 960
"""The sum of all maxItems.  Source: googleapis/python-genai#2170; vercel/ai#21192 (2026-09-20)."""


def gemini(schema: Schema) -> str | None:
    """What Gemini refuses in ``responseJsonSchema``: the keywords that it does not know, it ignores.

    Source: SDK google-genai 3.4.0, types.py, response_json_schema; googleapis/js-genai#882.
    """
    found = list(nodes(schema))
    if max(len(path) for path, _ in found) > 2 * GEMINI_DEPTH:
        return "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth."
    if sum(node.get("maxItems", 0) for _, node in found) > GEMINI_ITEMS:
        return "Request contains an invalid argument."
    if any("$ref" in node and any(not name.startswith("$") for name in node) for _, node in found):
        return "Request contains an invalid argument."
    return None


# Ollama


def ollama(schema: Schema) -> str | None:
    """What makes no grammar: a pattern without ends.  The answer has status 500.

    Source: ollama/ollama#8325 (2025-01-07), datalab-to/marker#984 (2026-02-02).
    """
    for _, node in nodes(schema):
        pattern = node.get("pattern", "^$")
        if not (pattern.startswith("^") and pattern.endswith("$")):
            return "invalid JSON schema in format"
    return None

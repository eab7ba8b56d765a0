"""The texts of the fakes: a speech of natural length, or the most neutral value of a schema."""

import hashlib
import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

SUBJECTS = ("A tram", "The bus", "A cyclist", "The night train", "A quiet street", "The ferry", "A shared car")
VERBS = ("carries", "needs", "saves", "costs", "returns", "promises", "replaces")
OBJECTS = (
    "more people than the lane beside it",
    "less room than its critics say",
    "an hour of every working week",
    "a third of what the ring road took",
    "air that children can breathe",
    "what the city spent on parking",
)
TAILS = (
    "because it shares one track",
    "when the timetable is kept",
    "even in January",
    "and nobody has to own it",
    "which the other side has not answered",
    "so the square has room again",
)
NEUTRAL = ("neither", "tie", "none", "neutral", "unclear")
LONGEST = 200  # words of thinking, which repeat
DEPTH = 40  # of a schema that refers to itself


def speech(words: int, seed: str) -> str:
    """Complete sentences of about ``words`` words; another seed gives another text."""
    rng = random.Random(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest())
    sentences: list[str] = []
    while words > 0:
        sentences.append(" ".join(map(rng.choice, (SUBJECTS, VERBS, OBJECTS, TAILS))) + ".")
        words -= len(sentences[-1].split())
    return " ".join(sentences)


def thought(count: int, seed: str) -> str:
    """Thinking of exactly ``count`` tokens, by the fake's own rule."""
    text = "I weigh what was said. " + speech(min(max(8, count), LONGEST), f"thought {seed}") + " "
    return (text * (1 + 4 * count // len(text)))[: 4 * count]


def smallest(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 0) -> Any:  # noqa: C901 - a case for each type
    """The smallest, most neutral JSON value that a schema allows."""
    root = schema if root is None else root
    assert depth < DEPTH, "the schema has no finite value"
    if "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#").strip("/").split("/"):
            found = found[part] if part else found
        return smallest(found, root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return next((value for value in NEUTRAL if value in schema["enum"]), schema["enum"][0])
    for kind in ("anyOf", "oneOf"):
        if kind in schema:
            empty = next((each for each in schema[kind] if each.get("type") == "null"), None)
            return None if empty else smallest(schema[kind][0], root, depth + 1)
    type_ = schema.get("type")
    kinds = type_ if isinstance(type_, list) else [type_]
    match "null" if "null" in kinds else str(kinds[0]).lower():
        case "object":
            required = schema.get("required", ())
            return {name: smallest(schema["properties"][name], root, depth + 1) for name in required}
        case "array":
            one = schema.get("items") or {}
            return [smallest(one, root, depth + 1) for _ in range(schema.get("minItems", 0))]
        case "string":
            return "so it is".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength")]
        case "integer" | "number":
            return max(schema.get("minimum", 0), schema.get("exclusiveMinimum", -1) + 1)
        case "boolean":
            return False
    return None


def in_words(prompt: str) -> dict[str, Any] | None:
    """The last JSON schema in the text of a prompt, for a request without a schema."""
    found = None
    for value in objects_in(prompt):
        if (value.get("type") == "object" and "properties" in value) or "$defs" in value or "anyOf" in value:
            found = value
    return found


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Each JSON object in a text, outermost first."""
    decoder, place = json.JSONDecoder(), text.find("{")
    while place >= 0:
        try:
            value, after = decoder.raw_decode(text, place)
        except ValueError:
            after = place + 1
        else:
            if isinstance(value, dict):
                yield value
        place = text.find("{", after)


def pieces(text: str, size: int = 24) -> list[str]:
    """The pieces in which a text streams: whole words, about ``size`` characters each."""
    found: list[str] = []
    words = text.split(" ")
    for place, word in enumerate(words):
        spoken = word if place == len(words) - 1 else f"{word} "
        if found and len(found[-1]) + len(spoken) <= size:
            found[-1] += spoken
        else:
            found.append(spoken)
    return [each for each in found if each]

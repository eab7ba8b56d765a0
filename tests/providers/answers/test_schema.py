"""Types as schemas and grammars."""

import json
from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from providers.answers.schema import schema
from providers.embedded.grammar import grammar

PRO_OR_CON = {"type": "string", "enum": ["con", "pro"]}


def component(most: int) -> type[Struct]:
    """Types as a rubric makes them, all with the same name."""
    return msgspec.defstruct(
        "Component",
        [("points", Annotated[int, Meta(ge=0, le=most)]), ("quote", Annotated[str, Meta(max_length=120)])],
    )


class Plain(Struct, tag="plain"):
    text: str
    side: Literal["pro", "con"] | None = None
    share: Annotated[float, Meta(ge=0, lt=1)] = 0.5
    parts: Annotated[list["Part"], Meta(max_length=3)] = []


class Part(Struct, rename="camel"):
    is_flagged: bool
    pair: tuple[int, str]


class Mood(Enum):
    CALM = "calm"
    ANGRY = "very angry"


class Endless(Struct):
    below: "list[Endless]"


def test_types_made_at_run_time_keep_their_own_bounds_under_one_name() -> None:
    made = schema(msgspec.defstruct("Question", [("cause", component(10)), ("framing", component(8))]))

    assert ["cause", "framing"] == list(made["properties"])
    assert [10, 8] == [part["properties"]["points"]["maximum"] for part in made["properties"].values()]
    assert "$ref" not in json.dumps(made)


def test_every_property_is_required_and_no_other_allowed() -> None:
    made = schema(Plain)
    part = made["properties"]["parts"]["items"]

    assert ["type", "text", "side", "share", "parts"] == made["required"] == list(made["properties"])
    assert (False, False) == (made["additionalProperties"], part["additionalProperties"])
    assert {"type": "string", "enum": ["plain"]} == made["properties"]["type"]
    assert {"anyOf": [{"type": "null"}, PRO_OR_CON]} == _sorted(made["properties"]["side"])
    assert {"type": "number", "minimum": 0, "exclusiveMaximum": 1} == made["properties"]["share"]
    assert 3 == made["properties"]["parts"]["maxItems"]
    assert ["isFlagged", "pair"] == part["required"]


@pytest.mark.parametrize("type_", [Endless, bytes])
def test_what_has_no_schema_says_so(type_: Any) -> None:
    with pytest.raises(TypeError):
        schema(type_)


@pytest.mark.parametrize(("type_", "made"), [
    (Literal["b", "a"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
    (Literal["a", None], {"anyOf": [{"type": "null"}, {"type": "string", "enum": ["a"]}]}),  # noqa: PYI061 - None among words
    (Literal["a", 1], {"anyOf": [{"type": "integer", "enum": [1]}, {"type": "string", "enum": ["a"]}]}),
    (Mood, {"type": "string", "enum": ["calm", "very angry"]}),
])  # fmt: skip
def test_every_enumeration_names_its_type(type_: Any, made: dict[str, Any]) -> None:
    found = schema(type_)

    assert made == (_sorted(found) if "anyOf" in found else found | {"enum": sorted(found["enum"])})


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        ({"type": "integer", "minimum": 0, "maximum": 2}, '("0" | "1" | "2")'),
        ({"type": "integer", "exclusiveMinimum": -2, "exclusiveMaximum": 1}, '("-1" | "0")'),
        ({"type": "integer", "minimum": 0}, '("0" | [1-9] [0-9]{0,5})'),
        ({"type": "integer", "maximum": 100000}, '"-"? ("0" | [1-9] [0-9]{0,4})'),
        ({"type": "number", "minimum": 0, "maximum": 1}, '(("0") "." [0-9]{1,2} | "1.0")'),
        ({"type": "boolean"}, '("true" | "false")'),
        ({"enum": ['a"b', None]}, r'("\"a\\\"b\"" | "null")'),
        ({"type": "string", "maxLength": 30}, r'"\"" char{0,30} "\""'),
        ({"type": "string", "minLength": 3, "maxLength": 900}, r'"\"" char{3,240} "\""'),
        ({"type": "array", "items": {"type": "boolean"}}, '"[" (B ("," B){0,3})? "]"'),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 9}, '"[" B ("," B){1,3} "]"'),
        ({"type": "array", "items": {"type": "boolean"}, "maxItems": 0}, '"[" "" "]"'),
        ({"type": "array", "prefixItems": [{"type": "boolean"}, {}]}, '"[" B "," "null" "]"'),
        ({"type": "object", "properties": {"x": {"type": "boolean"}, "y": {}}},
         r'"{" "\"x\":" B "," "\"y\":" "null" "}"'),
        ({"type": "object"}, '"{" "" "}"'),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, '("null" | B)'),
    ],
)  # fmt: skip
def test_each_kind_of_schema_has_its_rule(made: dict[str, Any], rule: str) -> None:
    expected = rule.replace("B", '("true" | "false")') if '"true"' not in rule else rule

    assert f"root ::= {expected}" == grammar(made, 1000).splitlines()[0]


def test_many_strings_share_the_room() -> None:
    question = msgspec.defstruct("Question", [(f"c{n}", component(10)) for n in range(20)])

    assert grammar(schema(question), 1000).count("char{0,50}") == 20
    assert grammar(schema(question), 10).count("char{0,24}") == 20


def _sorted(either: dict[str, Any]) -> dict[str, Any]:
    """msgspec has its own order for the options of a union."""
    options = [{k: sorted(v) if k == "enum" else v for k, v in option.items()} for option in either["anyOf"]]
    return {"anyOf": sorted(options, key=lambda option: option["type"])}

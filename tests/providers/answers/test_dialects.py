"""Every question of every format, in each vendor's dialect, follows the vendor's published rules."""

import copy
import json
from typing import Annotated, Any, Literal

import anthropic
import msgspec
import pytest
from google.genai.types import JSONSchema
from msgspec import Meta, Struct
from openai.lib._pydantic import _ensure_strict_json_schema

from judge.panel.questions import panel_type
from providers.answers import dialects
from providers.answers.dialects import Dialect, fits, in_dialect, is_closed, is_object
from providers.answers.schema import schema
from server.debate.formats.exchange.judging import TOKENS
from tests.providers.answers import schema_rules
from tests.providers.scenarios.all_questions import CHOSEN, questions_asked, sites
from tests.server.debate_events import RUBRIC

OPENAI, ANTHROPIC, GEMINI = dialects.OPENAI, dialects.ANTHROPIC, dialects.GEMINI
FOUND, MADE = questions_asked()
NAMES = {msgspec.json.encode(schema(ask.answer_type)): f"{debate} {ask.call}" for debate, ask in FOUND}
FORMS = {name: msgspec.json.decode(form) for form, name in NAMES.items()}
PURPOSES = {*TOKENS, "open", "cross", "close", "assess", "panel", "deliberate", "group", "evidence", *CHOSEN}
LONGEST = 200
"""The most turns of a debate (``server/debate/setup/request.py``)."""
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


class Plain(Struct):
    word: Literal["a", "b"] | None


def test_every_question_is_found() -> None:
    assert sites() == MADE != set()
    assert {ask.purpose for _, ask in FOUND} == PURPOSES
    assert {"panel", "deliberate"} <= {ask.purpose for debate, ask in FOUND if debate == "exchange with a panel"}
    assert {"premises"} <= {ask.purpose for _, ask in FOUND if ask.turn == 3}


@pytest.mark.parametrize("vendor", schema_rules.VENDORS)
@every_form
def test_every_question_keeps_the_rules_of_every_vendor(form: dict[str, Any], vendor: str) -> None:
    dialect: Dialect = getattr(dialects, vendor)

    assert [] == schema_rules.VENDORS[vendor](in_dialect(form, dialect))
    assert (True, True, True) == (is_object(form), is_closed(form), fits(form, dialect))


@pytest.mark.parametrize("vendor", schema_rules.VENDORS)
def test_the_panel_of_the_longest_debate_keeps_them_as_well(vendor: str) -> None:
    assert RUBRIC.criteria is not None
    form = schema(panel_type(tuple(map(str, range(1, LONGEST + 1))), RUBRIC.criteria))

    assert [] == schema_rules.VENDORS[vendor](in_dialect(form, getattr(dialects, vendor)))


# what the vendors' own libraries do to it


@every_form
def test_anthropics_library_removes_nothing(form: dict[str, Any]) -> None:
    converted = in_dialect(form, ANTHROPIC)

    assert _without_type_of_enumerations(converted) == anthropic.transform_schema(copy.deepcopy(converted))


@every_form
def test_openais_library_adds_nothing(form: dict[str, Any]) -> None:
    converted = in_dialect(form, OPENAI)
    strict = copy.deepcopy(converted)

    assert converted == _ensure_strict_json_schema(strict, path=(), root=strict)


@every_form
def test_googles_library_knows_every_keyword(form: dict[str, Any]) -> None:
    converted = in_dialect(form, GEMINI)

    assert converted == _plain(JSONSchema.model_validate(converted))


# the checkers can fail


@pytest.mark.parametrize(
    ("vendor", "form", "fault"),
    [
        ("OPENAI", {"enum": ["a"]}, "no type"), ("OPENAI", {"type": "string", "maxLength": 3}, "maxLength"),
        ("OPENAI", {"type": "array", "items": {}}, "without the type"), ("OPENAI", {"type": "text"}, "named text"),
        ("OPENAI", {"type": "array", "items": {"type": "null"}, "minItems": 1}, "minItems"),
        ("OPENAI", {"type": "object", "properties": {"a": {}}, "additionalProperties": False}, "required"),
        ("OPENAI", {"type": "object", "properties": {}, "required": []}, "additionalProperties"),
        ("OPENAI", {"type": "string", "enum": [str(n) for n in range(1001)]}, "1001 enumerated"),
        ("OPENAI", {"type": "string", "enum": ["x" * 99 + str(n) for n in range(251)]}, "15,000"),
        ("OPENAI", {"type": "string", "enum": ["x" * 120_001]}, "120,000"),
        ("OPENAI", {"anyOf": [{"type": "object", "properties": {"a": {}}}] * 2}, "first key"),
        ("OPENAI", {"type": "object", "properties": {f"p{n}": {"type": "null"} for n in range(5001)}}, "5001"),
        ("ANTHROPIC", {}, "no type"), ("ANTHROPIC", {"type": "integer", "maximum": 3}, "maximum"),
        ("ANTHROPIC", {"type": "array", "items": {"type": "null"}, "minItems": 2}, "0 or 1"),
        ("ANTHROPIC", {"type": "object", "properties": {}}, "additionalProperties"),
        ("ANTHROPIC", {"type": "object", "properties": {str(n): {} for n in range(25)}}, "25 optional"),
        ("ANTHROPIC", {"type": "object", "properties": {str(n): {"anyOf": []} for n in range(17)}}, "17 unions"),
        ("GEMINI", {"type": "integer", "exclusiveMaximum": 3}, "exclusiveMaximum"),
        ("GEMINI", {"enum": [None]}, "strings and numbers"), ("GEMINI", {"type": "array"}, "list of nothing"),
        ("GEMINI", {"type": "integer", "enum": ["a"]}, "no integer"), ("GEMINI", {"required": ["a"]}, "not described"),
        ("GEMINI", {"type": "array", "items": {}, "maxItems": 3}, "maxItems"),
        ("GEMINI", {"type": "null", "enum": []}, "nothing"),
    ],
)  # fmt: skip
def test_a_checker_finds_what_is_wrong(vendor: str, form: dict[str, Any], fault: str) -> None:
    assert any(fault in each for each in schema_rules.VENDORS[vendor](form))


def test_a_checker_finds_a_root_and_a_depth_that_openai_refuses() -> None:
    deep: dict[str, Any] = {"type": "null"}
    for _ in range(6):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"], "additionalProperties": False}

    assert ["6 levels, 5 are taken everywhere"] == schema_rules.openai(deep)
    assert ["root: not an object"] == schema_rules.openai({"anyOf": [{"type": "null"}]})


# a dialect


def test_a_keyword_that_a_dialect_leaves_out_goes_into_the_description() -> None:
    points = Annotated[int, Meta(ge=0, le=100, extra_json_schema={"description": "of 100"})]
    stars = Annotated[int, Meta(ge=1, le=3)]
    form = schema(msgspec.defstruct("Form", [("points", points), ("stars", stars), ("pair", tuple[int, str])]))
    converted = in_dialect(form, OPENAI)["properties"]

    assert {"type": "integer", "description": "of 100 · minimum 0, maximum 100"} == converted["points"]
    assert {"type": "integer", "enum": [1, 2, 3]} == converted["stars"]
    assert {"anyOf": [{"type": "integer"}, {"type": "string"}]} == converted["pair"]["items"]
    assert "minItems 2, maxItems 2" == converted["pair"]["description"]
    assert 100 == form["properties"]["points"]["maximum"]


@pytest.mark.parametrize(
    ("type_", "strict"),
    [
        (Plain, (True, True, True)), (dict[str, int], (True, False, True)), (list[int], (False, True, True)),
        (msgspec.defstruct("Deep", [("a", list[dict[str, list[int]]])]), (True, False, True)),
        (msgspec.defstruct("Wide", [(f"p{n}", int) for n in range(5001)]), (True, True, False)),
        (msgspec.defstruct("Wordy", [("word", Literal[tuple(map(str, range(1001)))])]), (True, True, False)),
        (msgspec.defstruct("Long", [("word", Literal["x" * 120_001])]), (True, True, False)),
        (msgspec.defstruct("Nested", [("a", list[list[list[list[list[list[list[list[list[list[int]]]]]]]]]])]),
         (True, True, False)),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_strict_is_known(type_: Any, strict: tuple[bool, ...]) -> None:
    form = schema(type_)

    assert strict == (is_object(form), is_closed(form), fits(form, OPENAI))


def _without_type_of_enumerations(form: Any) -> Any:
    """Anthropic's library drops the type of an enumeration, whose values show it."""
    if isinstance(form, list):
        return [_without_type_of_enumerations(each) for each in form]
    if not isinstance(form, dict):
        return form
    converted = {key: _without_type_of_enumerations(each) for key, each in form.items()}
    if isinstance(converted.get("enum"), list):
        del converted["type"]
    return converted


def _plain(converted: JSONSchema) -> Any:
    return json.loads(converted.model_dump_json(by_alias=True, exclude_unset=True))

"""Every typed question can be shown to a person as a form, and what the form gives is an answer that counts."""

import itertools
import json
from collections.abc import Iterator
from functools import cache, reduce
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from judge.evidence.question import EvidenceAnswer
from judge.lenient import lenient, read_as
from judge.live.verdicts import WholeConflict
from providers.answers.schema import parse, schema
from providers.base import Material, RegisterEntry, Speech
from server.debate.formats.steps import Ask
from server.people.checks import QUOTES, AnswerFault, faults
from server.people.forms import Field, Form, form
from tests.providers.scenarios.all_questions import questions_asked

TURNS = (
    Speech(name="1", speaker="A", text="Trams carry more people than cars do, and they need less room."),
    Speech(name="2", speaker="B", text="Cars go from door to door. No tram stops at my house, nor at yours."),
    Speech(name="3", speaker="A", text="A tram with a stop at every corner serves more doors than a car park."),
)


def material(purpose: str, *about: str) -> Material:
    return Material(
        purpose=purpose,
        motion="Cities should build trams",
        speeches=TURNS,
        about=about,
        register=(
            RegisterEntry(name="P1.1", kind="premise", speaker="A", speech="1", text="Room is scarce.", quote=""),
            RegisterEntry(name="P2.1", kind="premise", speaker="B", speech="2", text="Doors matter.", quote=""),
        ),
        least_quote=8,
    )


@cache
def asked() -> list[tuple[str, Ask]]:
    """Every question of every format; those of one kind in one debate only once."""
    found, _ = questions_asked()
    return list({(name, ask.key): (f"{name}: {ask.key}", ask) for name, ask in found}.values())


def leaves(fields: tuple[Field, ...]) -> Iterator[tuple[Field, tuple[Field, ...]]]:
    """The fields that hold a value, each with those beside it."""
    for each in fields:
        if each.kind == "group":
            yield from leaves(each.fields)
        elif each.kind == "items":
            yield from leaves(each.items)
        else:
            yield each, fields


def put(answer: Any, path: tuple[str | int, ...], value: Any) -> None:
    """Set a value as the page does: ``put`` of web/seat/fields.js."""
    for part, after in itertools.pairwise(path):
        if isinstance(answer, dict):
            answer = answer.setdefault(part, [] if isinstance(after, int) else {})
        else:
            answer = answer[part]
    answer[path[-1]] = value


def filled(fields: tuple[Field, ...], answer: Any, shown: Form) -> Any:
    """The answer with the least that every field needs, and one row in every list."""
    for field, beside in leaves(fields):
        match field.kind:
            case "choice" | "points" | "pick":
                given = field.options[0].value if field.options else ""
            case "number":
                given = field.low if field.low is not None else 1
            case "text":
                given = "x" * max(field.least, 1)
            case "quote":
                given = quoted(field, beside, answer, shown)
            case "picks":
                given = [each.value for each in field.options[:1]]
            case "rows" if field.item is not None and is_possible(field.item):
                given = [filled(field.item.fields, json.loads(msgspec.json.encode(field.item.blank)), shown)]
                if field.item.blank == "":
                    given = ["x"]
            case _:
                continue
        if field.path:
            put(answer, field.path, given)
    return answer


def is_possible(item: Field) -> bool:
    """Whether a row can be complete: a premise can only be named if there is one."""
    return all(each.options or each.kind not in {"pick", "picks"} or not each.needed for each, _ in leaves(item.fields))


def quoted(field: Field, beside: tuple[Field, ...], answer: Any, shown: Form) -> str:
    """Words of the last text from which the quote may be chosen; they bring the number of their turn."""
    around = reduce(lambda part, name: part[name], field.path[:-1], answer)
    names = field.sources_by.get(around.get("argument", ""), field.sources)
    if field.source and any(each.name == field.source for each in beside):
        put(answer, (*field.path[:-1], field.source), int(names[-1]))
    return next((each.text[:40] for each in shown.reading if names and each.name == names[-1]), "")


def form_of(answer_schema: dict[str, Any], about: Material) -> tuple[Form, Any, Any]:
    """The form of a question, its empty answer, and a filled one."""
    shown = form(answer_schema, about)
    empty, start = (json.loads(msgspec.json.encode(shown.blank)) for _ in range(2))
    return shown, empty, filled(shown.fields, start, shown)


def bare(ask: Ask) -> Material:
    """What a debater's statement is about: no judge reads it."""
    return Material(purpose=ask.purpose, motion="", speeches=())


@pytest.mark.slow
def test_the_form_of_every_question_gives_an_answer_that_counts() -> None:
    """A letter and its probability must agree, which ``test_answers_seat`` sends as a person does."""
    for name, ask in asked():
        if ask.purpose in {"choose", "critique"}:
            continue
        shown, _, answer = form_of(schema(ask.reads), ask.material or bare(ask))
        assert shown.title, name
        assert all(each.label and all(one.name for one in each.options) for each in named(shown)), name
        assert faults(answer, schema(ask.reads), ask.material) == (), name
        value: Any = parse(json.dumps(answer), ask.reads)
        ask.verify(value)


def named(shown: Form) -> Iterator[Field]:
    """The fields that the page shows."""
    yield from (each for each, _ in leaves(shown.fields) if each.kind not in {"from", "fixed"})


EVIDENCE = msgspec.structs.replace(
    material("evidence", "3"),
    register=(
        RegisterEntry(
            name="E4", kind="passage", speaker="A", speech="3", text="A car park has four doors.", quote="more doors"
        ),
        RegisterEntry(
            name="E7", kind="passage", speaker="A", speech="3", text="Trams stop every 300 m.", quote="every corner"
        ),
    ),
)


@pytest.mark.parametrize(
    ("type_", "about"),
    [(EvidenceAnswer, EVIDENCE), (WholeConflict, material("conflict"))],
    ids=["evidence", "conflict"],
)
def test_questions_that_few_debates_have(type_: Any, about: Material) -> None:
    _, _, answer = form_of(schema(lenient(type_)), about)

    assert faults(answer, schema(type_), about) == ()
    value, notes = read_as(answer, type_, type_)
    assert notes == ()
    if isinstance(value, EvidenceAnswer):
        assert [(each.number, each.quote) for each in value.relations] == [
            (1, "A car park has four doors."),
            (2, "Trams stop every 300 m."),
        ]


def test_words_of_another_passage_are_no_quote() -> None:
    relation = {"number": 1, "relation": "supports", "quote": "Trams stop every 300 m.", "reason": "It says so."}
    found = faults({"relations": [relation]}, schema(EvidenceAnswer), EVIDENCE)

    assert [(each.path, each.message) for each in found] == [
        (("relations", 0, "quote"), "These words are not in passage E4.")
    ]


@pytest.mark.parametrize(
    ("relation", "expected"), [("beside_the_point", []), ("supports", [("relations", 0, "quote")])]
)
def test_words_of_a_passage_are_needed_unless_it_is_beside_the_point(relation: str, expected: Any) -> None:
    given = {"relations": [{"number": 1, "relation": relation, "quote": "", "reason": ""}]}

    assert [each.path for each in faults(given, schema(EvidenceAnswer), EVIDENCE)] == expected


def test_two_claims_may_be_about_one_passage() -> None:
    twice = msgspec.structs.replace(EVIDENCE, register=(EVIDENCE.register[0], EVIDENCE.register[0]))
    relation = {"number": 2, "relation": "supports", "quote": "A car park has four doors.", "reason": "It says so."}

    assert faults({"relations": [relation]}, schema(EvidenceAnswer), twice) == ()


@pytest.mark.slow
def test_what_an_empty_form_lacks_is_said_at_its_fields() -> None:
    for name, ask in asked():
        shown, empty, _ = form_of(schema(ask.reads), ask.material or bare(ask))
        fields = {each.path: each for each in named(shown)}

        for fault in faults(empty, schema(ask.reads), ask.material):
            field = fields[fault.path]
            assert not (field.kind == "pick" and not field.needed), name
            if field.kind in {"text", "quote"}:
                assert field.needed or "needed" in field.label, name
                assert fault.message.startswith(("Choose the words", "Write")), name


def test_every_question_of_a_judge_or_rater_comes_with_what_a_person_reads() -> None:
    """Statements of debaters have no material: a debater reads the directive and the turns on its own page."""
    for name, ask in asked():
        if ask.purpose in {"open", "cross", "answer", "close", "speech"}:
            continue
        assert ask.material is not None, name
        assert ask.material.speeches or ask.key in {"choose:alone", "critique:given"}, name
        assert ask.material.purpose == ask.purpose, name


def test_quotes_are_the_properties_that_a_model_has_to_copy() -> None:
    for name, ask in asked():
        for place, info in texts(inspect.type_info(ask.answer_type), ()):
            if isinstance(info, inspect.Metadata) and (info.extra or {}).get("verbatim"):
                assert place[-1] in QUOTES, name


def texts(info: inspect.Type, path: tuple[str, ...]) -> Any:
    """Every text within a type, with its place."""
    match info:
        case inspect.Metadata(type=inspect.StrType()):
            yield path, info
        case inspect.Metadata(type=inner):
            yield from texts(inner, path)
        case inspect.StructType():
            for field in info.fields:
                yield from texts(field.type, (*path, field.encode_name))
        case inspect.ListType() | inspect.VarTupleType():
            yield from texts(info.item_type, path)


SCORE = {
    "type": "object",
    "properties": {
        "components": {
            "type": "object",
            "properties": {
                "cause": {
                    "type": "object",
                    "properties": {
                        "quote": {"type": "string", "maxLength": 300},
                        "reason": {"type": "string", "maxLength": 20},
                        "points": {"type": "integer", "minimum": 0, "maximum": 10},
                    },
                }
            },
        }
    },
}


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        ({"quote": "", "reason": ""}, "points", "Give a whole number from 0 to 10."),
        ({"quote": "", "reason": "", "points": 11}, "points", "Give a whole number from 0 to 10."),
        ({"quote": "", "reason": "", "points": True}, "points", "Give a whole number from 0 to 10."),
        ({"quote": "Trams carry less", "reason": "", "points": 5}, "quote", "These words are not in turn 1."),
        ({"quote": "Trams", "reason": "", "points": 5}, "quote", "Choose at least 8 characters."),
        ({"quote": "", "reason": "x" * 21, "points": 5}, "reason", "Shorten this to 20 characters; it has 21."),
        ({"quote": "", "reason": "", "points": 5, "more": 1}, "more", "The question does not ask for this."),
    ],
)
def test_a_fault_names_its_place(given: dict[str, Any], path: str, message: str) -> None:
    found = faults({"components": {"cause": given}}, SCORE, material("score", "1"))

    assert found == (AnswerFault(("components", "cause", path), message),)


def test_a_quote_may_be_written_in_another_way() -> None:
    given = {"quote": "“trams   carry MORE people”", "reason": "", "points": 5}

    assert faults({"components": {"cause": given}}, SCORE, material("score", "1")) == ()


@pytest.mark.parametrize(("points", "found"), [(5, "Choose the words, or give 0 points."), (0, "")])
def test_points_of_a_component_need_words_of_the_turn(points: int, found: str) -> None:
    """Without them half of its points would be lost, or the whole dimension."""
    given = {"quote": "", "reason": "", "points": points}

    said = [each.message for each in faults({"components": {"cause": given}}, SCORE, material("score", "1"))]

    assert said == ([found] if found else [])


def gap_schema(*names: str) -> dict[str, Any]:
    kinds = {"turn": "integer", "shown_in": "integer", "points": "integer"}
    properties: dict[str, Any] = {name: {"type": kinds.get(name, "string")} for name in names}
    rows = {"type": "array", "items": {"type": "object", "properties": properties}}
    return {"type": "object", "properties": {"gaps": rows}}


@pytest.mark.parametrize(
    ("gap", "path", "message"),
    [
        (
            {"turn": 3, "fails": "A tram with a stop", "exposed_by": "more doors than"},
            "turn",
            "Choose an earlier turn.",
        ),
        ({"turn": 9, "fails": "A tram with a stop", "exposed_by": "more doors than"}, "turn", "There is no such turn."),
        ({"turn": 2, "fails": "", "exposed_by": "more doors than"}, "fails", "Choose the words."),
        (
            {"turn": 2, "fails": "Trams carry more", "exposed_by": "more doors than"},
            "fails",
            "These words are not in turn 2.",
        ),
        (
            {"turn": 2, "fails": "No tram stops", "exposed_by": "No tram stops"},
            "exposed_by",
            "These words are not in turn 3.",
        ),
    ],
)
def test_the_words_of_a_flaw_stand_in_their_turns(gap: dict[str, Any], path: str, message: str) -> None:
    found = faults({"gaps": [gap]}, gap_schema("turn", "fails", "exposed_by"), material("gaps", "3"))

    assert AnswerFault(("gaps", 0, path), message) in found


def test_a_premise_has_to_be_on_record() -> None:
    rows = {"type": "array", "items": {"type": "object", "properties": {"premise": {"type": "string"}}}}
    given = {"dropped": [{"premise": "P9.9"}]}
    found = faults(given, {"type": "object", "properties": {"dropped": rows}}, material("premises", "3"))

    assert found == (AnswerFault(("dropped", 0, "premise"), "Choose a premise of the list."),)


@pytest.mark.parametrize("value", [None, [], "text", 3, {"components": []}, {"components": {"cause": "no"}}])
def test_an_answer_of_another_shape_has_faults_and_raises_nothing(value: Any) -> None:
    assert faults(value, SCORE, material("score", "1"))


def test_what_a_turn_answers_is_the_other_speakers() -> None:
    ids = {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 12}
    wanted, about = {"type": "object", "properties": {"answered": ids}}, material("premises", "3")
    _, _, answer = form_of(wanted, about)
    found = faults({"answered": ["P2.1", "P1.1", "P9.9"]}, wanted, about)

    assert answer == {"answered": ["P2.1"]}
    why = "Choose a premise or claim of the other speaker."
    assert found == (AnswerFault(("answered", 1), why), AnswerFault(("answered", 2), why))


def test_all_that_is_wrong_is_said_at_once_before_an_answer_is_sent() -> None:
    two = {"components": {"cause": {"quote": "", "reason": "x" * 21, "points": 5}}}

    (first,) = faults(two, SCORE, material("score", "1"))
    every = faults(two, SCORE, material("score", "1"), all_at_once=True)

    assert every == (first, AnswerFault(("components", "cause", "quote"), "Choose the words, or give 0 points."))
    for value in (None, [], "text", 3, {"components": []}, {"components": {"cause": "no"}}, {"components": two}):
        assert faults(value, SCORE, material("score", "1"), all_at_once=True)

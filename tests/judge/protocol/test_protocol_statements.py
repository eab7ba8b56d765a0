"""Openings, cross-examinations, closings: faults are named, and sound parts are kept."""

import json
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from events.types import ArgumentCrossExamined, ArgumentsOpened, ClosingStated, CrossExaminationFaulted
from judge.protocol.closings import closing_type
from judge.protocol.cross import cross_type
from judge.protocol.openings import opening_type
from judge.protocol.reading import NOT_JSON, StatementReading, parse_loosely, wordless_fault
from providers.answers.neutral import neutral
from providers.answers.schema import schema
from tests.judge.protocol.rounds import (
    NAMES,
    RULES,
    argument,
    as_text,
    closing,
    cross,
    opening,
    read_close,
    read_cross_examination,
    read_open,
)

PROSE = "Trams carry more people than cars. They share one track, and nobody has to park them."


def opened(reading: StatementReading) -> ArgumentsOpened:
    (event,) = reading.events

    assert isinstance(event, ArgumentsOpened)
    return event


def ids(reading: StatementReading) -> list[str]:
    return [each.id for each in opened(reading).arguments]


# openings


def test_an_opening_that_keeps_the_form_has_no_fault() -> None:
    reading = read_open(opening("pro"))

    assert ((), "", 3) == (reading.faults, opened(reading).free_text, reading.kept)
    assert ["PRO-1", "PRO-2", "PRO-3"] == ids(reading)
    assert reading.text.startswith("PRO-1: The tram decides what a city is for.\nWhoever plans for the tram")
    assert "Evidence: The air count of Basel, 2019." in reading.text


def test_a_list_and_an_object_keyed_by_id_are_the_same_opening() -> None:
    by_id = {each["id"]: each for each in opening("con")["arguments"]}
    bare = opening("con")["arguments"]

    assert read_open(by_id, "con") == read_open(opening("con"), "con") == read_open(bare, "con")
    assert (
        read_open(f"Here it is:\n```json\n{json.dumps(by_id)}\n```\nDone.", "con").events
        == read_open(by_id, "con").events
    )


@pytest.mark.parametrize(
    ("given", "fault", "kept"),
    [
        ({"arguments": opening("pro")["arguments"][:2]}, "there are 2 arguments, exactly 3 are wanted", NAMES[:2]),
        ({"arguments": opening("pro")["arguments"][:1]}, "there is 1 argument, exactly 3 are wanted", NAMES[:1]),
        (
            {"arguments": [argument(f"PRO-{1 + n % 3}", id=f"PRO-{n + 1}") for n in range(9)]},
            "there are 9 arguments, exactly 3 are wanted",
            NAMES[:3],
        ),
        (opening("con"), "the ids are PRO-1, PRO-2, PRO-3, not “CON-1”, “CON-2”, “CON-3”", NAMES[:3]),
        (
            opening("pro", n2={"claim": ""}),
            "PRO-2: its claim has 0 characters, at least 10 are wanted",
            ("PRO-1", "PRO-3"),
        ),
        (
            opening("pro", n1={"reasoning": "because"}),
            "PRO-1: its reasoning has 7 characters, at least 20 are wanted",
            ("PRO-2", "PRO-3"),
        ),
        (
            opening("pro", n3={"evidence": "four"}),
            "PRO-3: its evidence has 4 characters, at least 5 are wanted",
            ("PRO-1", "PRO-2"),
        ),
        (opening("pro", n3={"id": "PRO-1"}), "PRO-1 stands there more than once", NAMES[:3]),
    ],
)
def test_a_fault_of_an_opening_is_named_and_the_rest_is_kept(given: Any, fault: str, kept: tuple[str, ...]) -> None:
    reading = read_open(given)

    assert fault in reading.faults
    assert list(kept) == ids(reading)
    assert json.dumps(given) == opened(reading).free_text
    assert reading.faults == opened(reading).faults


def test_minimums_are_met_by_their_own_number_of_characters() -> None:
    exact = {"claim": "c" * 10, "reasoning": "r" * 20, "evidence": "e" * 5}

    assert () == read_open(opening("pro", n1=exact)).faults


@pytest.mark.parametrize("given", [PROSE, json.dumps(PROSE), {"text": PROSE}, [PROSE]])
def test_an_opening_of_which_nothing_keeps_the_form_is_one_argument_of_all_its_words(given: Any) -> None:
    reading = read_open(given)
    (only,) = opened(reading).arguments

    assert ("PRO-1", "Trams carry more people than cars.", PROSE, "") == (
        only.id,
        only.claim,
        only.reasoning,
        only.evidence,
    )
    assert (PROSE, 0, as_text(given)) == (reading.text, reading.kept, opened(reading).free_text)
    assert reading.faults


def test_prose_is_said_to_be_no_json() -> None:
    assert (NOT_JSON,) == read_open(PROSE).faults == read_close(PROSE).faults
    assert NOT_JSON == read_cross_examination(PROSE).faults[0]


def test_a_number_in_the_place_of_a_text_is_an_empty_text() -> None:
    wrong: Any = {"claim": 12, "reasoning": None, "evidence": ["x"]}

    assert ["PRO-2", "PRO-3"] == ids(read_open(opening("pro", n1=wrong)))


# cross-examination


def answers(reading: StatementReading) -> dict[str, ArgumentCrossExamined]:
    return {each.target: each for each in reading.events if isinstance(each, ArgumentCrossExamined)}


def faulted(reading: StatementReading) -> CrossExaminationFaulted:
    return next(each for each in reading.events if isinstance(each, CrossExaminationFaulted))


def test_every_argument_of_the_other_side_is_answered() -> None:
    reading = read_cross_examination(cross("pro"))

    assert ((), 3) == (reading.faults, reading.kept)
    assert {"CON-1": "refute", "CON-2": "challenge", "CON-3": "concede"} == {
        name: each.response for name, each in answers(reading).items()
    }
    assert reading.text.startswith(
        "On CON-1, refute: CON-1 leaves out what it costs.\nQuestion: What does CON-1 cost, and who pays?"
    )


def test_the_names_of_other_forms_are_read_as_well() -> None:
    listed = [
        {"target_arg_id": "con 1", "response_type": "Refute", "reasoning": "No.", "follow_up_question": "Why?"},
        {"target": "CON-2", "response": "PARTIAL", "reason": "Half.", "question": "How?"},
        {"target": "CON-3", "response": "concede", "reasoning": "Yes.", "follow_up": "So?"},
    ]
    by_id = {each.get("target", "CON-1"): each for each in listed}

    assert ("refute", "partial", "concede") == tuple(
        each.response for each in answers(read_cross_examination(listed)).values()
    )
    assert answers(read_cross_examination(by_id)) == answers(read_cross_examination(listed))


@pytest.mark.parametrize(
    ("changes", "fault", "kept"),
    [
        ({"2": {"target": "CON-7"}}, "answer 2: “CON-7” is none of CON-1, CON-2, CON-3", ("CON-1", "CON-3")),
        ({"2": {"target": "PRO-2"}}, "CON-2 is not answered", ("CON-1", "CON-3")),
        ({"2": {"target": "CON-1"}}, "CON-1 is answered more than once: the first answer counts", ("CON-1", "CON-3")),
        (
            {"3": {"response": "dodge"}},
            "CON-3: its response “dodge” is none of refute, challenge, concede, partial",
            ("CON-1", "CON-2"),
        ),
        ({"1": {"reasoning": "  "}}, "CON-1: it gives no reasoning", ("CON-2", "CON-3")),
        ({"1": {"follow_up": ""}}, "CON-1: it puts no follow-up question", ("CON-1", "CON-2", "CON-3")),
    ],
)
def test_a_fault_of_a_cross_examination_is_named_and_the_rest_is_kept(
    changes: Any, fault: str, kept: tuple[str, ...]
) -> None:
    said = cross("pro", **changes)
    reading = read_cross_examination(said)

    assert fault in reading.faults
    assert list(kept) == list(answers(reading))
    assert (reading.faults, json.dumps(said)) == (faulted(reading).faults, faulted(reading).free_text)


def test_of_two_answers_to_one_argument_the_first_counts() -> None:
    reading = read_cross_examination(cross("pro", **{"2": {"target": "CON-1"}}))

    assert "refute" == answers(reading)["CON-1"].response


def test_a_cross_examination_in_prose_is_kept_as_the_turn() -> None:
    reading = read_cross_examination(PROSE)

    assert (PROSE, PROSE, 0) == (reading.text, faulted(reading).free_text, reading.kept)
    assert {} == answers(reading)


# closings


def closed(reading: StatementReading) -> ClosingStated:
    (event,) = reading.events

    assert isinstance(event, ClosingStated)
    return event


def test_a_closing_that_keeps_the_form_has_no_fault() -> None:
    reading = read_close(closing("pro"))

    assert ((), 4 + 1 + 8) == (reading.faults, closed(reading).words)
    assert (
        "Conceded: Costs were left out.\nNot rebutted: PRO-1\nWhat pro said first still holds, within limits."
        == reading.text
    )


def test_two_hundred_words_are_allowed_and_one_more_is_not() -> None:
    exact = closing("pro", concessions=[], standing_arguments=[], final_position="word " * 200)
    over = closing("pro", concessions=[], standing_arguments=["PRO-1"], final_position="word " * 200)

    assert ((), False) == (read_close(exact).faults, read_close(exact).is_clipped)
    assert (("it has 201 words, at most 200 are allowed",), True) == (
        read_close(over).faults,
        read_close(over).is_clipped,
    )


def test_a_closing_of_nine_hundred_words_is_whole_in_its_event_and_cut_in_its_turn() -> None:
    long = " ".join(f"word{n}" for n in range(900))
    reading = read_close(closing("pro", concessions=[], standing_arguments=[], final_position=long))

    assert (long, 900) == (closed(reading).final_position, closed(reading).words)
    assert (200, True) == (len(reading.text.split()), reading.is_clipped)
    assert long.startswith(reading.text)


def test_a_closing_names_its_own_arguments_only() -> None:
    reading = read_close(closing("pro", standing_arguments=["PRO-2", "con-1", "pro-9", "the one on noise"]))

    assert ("PRO-2", "the one on noise") == closed(reading).standing_arguments
    assert ("CON-1 is none of its own arguments", "PRO-9 is none of its own arguments") == reading.faults


def test_a_closing_without_a_final_position_keeps_all_its_words() -> None:
    reading = read_close({"concessions": ["One.", "Two."], "final_position": ""})

    assert (("it has no final position",), "One.\nTwo.", 0) == (
        reading.faults,
        closed(reading).final_position,
        reading.kept,
    )


# all of them


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@drawn(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.sampled_from(NAMES),
        lambda inner: (
            st.lists(inner, max_size=5)
            | st.dictionaries(
                st.sampled_from(
                    (
                        *NAMES,
                        "arguments",
                        "id",
                        "claim",
                        "reasoning",
                        "evidence",
                        "target",
                        "response",
                        "follow_up",
                        "concessions",
                        "standing_arguments",
                        "final_position",
                    )
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=25,
    )
)
def test_whatever_comes_is_read_and_nothing_of_it_is_lost(value: Any) -> None:
    raw = json.dumps(value)
    for reading in (read_open(raw), read_cross_examination(raw), read_close(raw)):
        texts = [getattr(each, "free_text", "") for each in reading.events]

        assert not reading.faults or raw in texts
        assert read_open(raw) == read_open(raw)
        if not wordless_fault(value):
            assert reading.text
    assert 1 <= len(ids(read_open(raw))) <= RULES.arguments
    assert set(ids(read_open(raw))) <= set(NAMES[:3])
    assert set(answers(read_cross_examination(raw))) <= set(NAMES[3:])


@pytest.mark.parametrize("value", [{}, [], "", " \n", None, 4, {"arguments": []}, {"PRO-1": {"claim": ""}}, ["PRO-1"]])
def test_an_answer_without_a_word_says_so(value: Any) -> None:
    assert "the answer holds no words" == wordless_fault(value)


def test_control_characters_and_what_stands_around_do_not_count() -> None:
    assert {"a": 1} == parse_loosely('Sure:\n{"a": 1}\nIs that all?')
    assert "{broken" == parse_loosely("{broken")
    assert "a" * 12 == opened(read_open(opening("pro", n1={"claim": f" \x00{'a' * 12}\n"}))).arguments[0].claim


@pytest.mark.parametrize(
    ("type_", "read"),
    [
        (opening_type("pro", RULES), read_open),
        (cross_type(NAMES[3:]), read_cross_examination),
        (closing_type(NAMES[:3], RULES), read_close),
    ],
)
def test_what_a_script_leaves_out_keeps_the_form_and_so_does_what_models_are_held_to(type_: Any, read: Any) -> None:
    assert () == read(neutral(type_)).faults
    assert {"additionalProperties": False, "type": "object"}.items() <= schema(type_).items()


def test_models_are_held_to_the_ids_and_the_minimums() -> None:
    held = schema(opening_type("con", RULES))

    assert ["CON-1", "CON-2", "CON-3"] == held["required"]
    assert {"claim": 10, "reasoning": 20, "evidence": 5} == {
        name: each["minLength"] for name, each in held["properties"]["CON-1"]["properties"].items()
    }

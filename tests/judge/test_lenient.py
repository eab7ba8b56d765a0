"""An answer that exceeds a limit is corrected and the correction is noted; nothing readable in it is lost."""

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct, convert

from judge.lenient import ELLIPSIS, Numbers, clip, read

Quote = Annotated[str, Meta(max_length=20, extra={"verbatim": True})]


class Part(Struct, frozen=True, kw_only=True):
    quote: Quote = ""
    reason: Annotated[str, Meta(max_length=40)]
    points: Annotated[int, Meta(ge=0, le=10)]


class Parts(Struct, frozen=True, kw_only=True):
    cause: Part
    process: Part


class Score(Struct, frozen=True, kw_only=True):
    components: Parts


class ScoreWithSummary(Score, frozen=True, kw_only=True):
    summary: str


class Sides(Struct, frozen=True, kw_only=True):
    A: Part
    B: Part


class Item(Struct, frozen=True, kw_only=True):
    kind: Literal["no_mechanism", "overclaim"]
    quote: Quote


class Items(Struct, frozen=True, kw_only=True):
    claims: Annotated[list[Item], Meta(max_length=2)]
    winner: Literal["A", "B", "neither"] = "neither"


PART = {"quote": "it costs less", "reason": "It names the cause.", "points": 7}


def test_an_answer_within_its_limits_is_read_as_it_is() -> None:
    value = {"components": {"cause": PART, "process": PART}}
    found = read(value, Score)

    assert found.value == value
    assert found.notes == ()


def test_a_long_reason_is_clipped_at_the_end_of_a_sentence() -> None:
    part = PART | {"reason": "It names the cause in the motion. Then it says that nothing else could be the cause."}
    found = read({"components": {"cause": part, "process": PART}}, Score)

    assert found.value["components"]["cause"]["reason"] == "It names the cause in the motion." + ELLIPSIS
    assert [(note.path, note.what) for note in found.notes] == [
        ("components.cause.reason", "clipped from 84 to 34 characters")
    ]


def test_a_long_quote_is_clipped_at_a_word_and_stays_word_for_word() -> None:
    text = "school uniforms cost a family much less"
    found = read({"components": {"cause": PART | {"quote": text}, "process": PART}}, Score)

    assert found.value["components"]["cause"]["quote"] == "school uniforms cost"


@pytest.mark.parametrize(
    ("said", "applied", "note"),
    [
        (11, 10, "requested 11, applied 10"),
        (-2, 0, "requested -2, applied 0"),
        (7.5, 8, "requested 7.5, applied 8"),
        ("8", 8, None),
        ("8/10", 8, None),
        ("6 points", 6, None),
        ("8 out of 10", 8, None),
        ("12/10", 10, "requested 12, applied 10"),
        ("99", 10, "requested 99, applied 10"),
    ],
)
def test_a_number_off_its_scale_becomes_the_nearest_allowed_one(said: Any, applied: int, note: str | None) -> None:
    found = read({"components": {"cause": PART | {"points": said}, "process": PART}}, Score)

    assert found.value["components"]["cause"]["points"] == applied
    assert [each.what for each in found.notes] == ([note] if note else [])


@pytest.mark.parametrize("said", ["8/100", "80%", "eight", True, float("inf")])
def test_what_may_mean_another_number_is_left_out(said: Any) -> None:
    found = read({"components": {"cause": PART | {"points": said}, "process": PART}}, Score)

    assert "cause" not in found.value["components"]


def test_an_answer_with_most_numbers_off_their_scales_is_unreadable() -> None:
    numbers = Numbers()
    for value in (99, 80, 7):
        numbers.read(value, 0, 10)

    assert "2 of its 3 numbers are off the scales that were asked for" == numbers.fault
    numbers.read(5, 0, 10)
    assert not numbers.fault  # half of them


def test_two_numbers_are_too_few_to_show_another_scale() -> None:
    numbers = Numbers()
    for value in (99, 80):
        numbers.read(value, 0, 10)

    assert not numbers.fault


@pytest.mark.parametrize(
    ("said", "applied"), [("first", "first_slight"), ("Second", "second_slight"), ("draw", "draw"), ("third", None)]
)
def test_a_choice_without_its_grade_gets_the_mildest_one(said: str, applied: str | None) -> None:
    class Compared(Struct):
        logic: Literal["first_clear", "first_slight", "draw", "second_slight", "second_clear"]
        rhetoric: Literal["a", "b"]

    found = read({"logic": said, "rhetoric": "a"}, Compared)

    assert applied == found.value.get("logic")
    assert [f"requested {said}, applied {applied}"] == [each.what for each in found.notes] or said in {
        "draw",
        "third",
    }


@pytest.mark.parametrize("said", [None, "high", True, [], {}, float("nan")])
def test_a_component_without_a_number_is_missing_alone(said: Any) -> None:
    found = read({"components": {"cause": PART | {"points": said}, "process": PART}}, Score)

    assert found.value == {"components": {"process": PART}}
    assert any(note.path.startswith("components.cause") for note in found.notes)


def test_a_list_keeps_its_first_items_and_the_rest_is_noted() -> None:
    item = {"kind": "no_mechanism", "quote": "one"}
    found = read({"claims": [item, item | {"kind": "nonsense"}, item, item | {"quote": "left out"}]}, Items)

    assert found.value == {"claims": [item, item]}
    assert [note.path for note in found.notes] == ["claims.1.kind", "claims.3"]
    assert [note.kind for note in found.notes] == ["left_out", "left_out"]
    assert found.notes[1].what == '"kind: no_mechanism, quote: left out" is beyond the first 2'


@pytest.mark.parametrize(
    "value",
    [
        {"answer": {"components": {"cause": PART, "process": PART}}},
        {"cause": PART, "process": PART},
        {"answer": {"cause": PART, "process": PART}},
    ],
)
def test_members_may_stand_one_level_too_deep_or_too_high(value: Any) -> None:
    assert read(value, Score).value == {"components": {"cause": PART, "process": PART}}


def test_members_beside_a_level_that_is_left_out_are_read_too() -> None:
    value = {"cause": PART, "process": PART, "summary": "It holds."}

    assert read(value, ScoreWithSummary).value == {
        "components": {"cause": PART, "process": PART},
        "summary": "It holds.",
    }


def test_members_that_belong_to_either_of_two_objects_are_not_read_as_the_first() -> None:
    assert read(PART, Sides).value is None


def test_a_bare_list_stands_for_the_object_that_holds_it() -> None:
    item = {"kind": "no_mechanism", "quote": "one"}

    assert read([item], Items).value == {"claims": [item]}


def test_one_item_stands_for_a_list_and_null_for_an_empty_one() -> None:
    item = {"kind": "No mechanism", "quote": "one"}

    assert read({"claims": item}, Items).value == {"claims": [{"kind": "no_mechanism", "quote": "one"}]}
    assert read({"claims": None}, Items).value == {"claims": []}


@pytest.mark.parametrize("value", [None, 3, "a text", [], {}, {"other": 1}, {"components": {"cause": 3}}])
def test_an_answer_without_any_readable_member_is_unreadable(value: Any) -> None:
    assert read(value, Score).value is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["claims", "kind", "quote", "winner", "components", "cause"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(anything)
def test_whatever_is_answered_what_is_read_fits_the_type(value: Any) -> None:
    found = read(value, Items)

    if found.value is not None:
        convert({"claims": []} | found.value, Items)


@given(st.text(max_size=200), st.integers(2, 60))
def test_a_clipped_text_is_no_longer_than_its_limit_and_begins_as_the_text_does(text: str, most: int) -> None:
    clipped = clip(text, most)

    assert len(clipped) <= most
    assert clipped == text or text.startswith(clipped.removesuffix(ELLIPSIS))

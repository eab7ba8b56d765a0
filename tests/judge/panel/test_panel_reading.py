"""A rater's answer, read by item id: values that are corrected, missing or invented are recorded."""

from typing import Any

import msgspec
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from msgspec import UNSET

from events.types import PanelistScored, Rater, Reason
from judge.lenient import same_id
from judge.live.answers import Answers
from judge.panel.questions import RaterAnswer, panel_type
from judge.panel.reading import LEFT_OUT, rated_nothing, read_rater
from providers.answers.neutral import neutral
from providers.answers.schema import schema
from providers.errors import ProviderError, WrongType
from tests.judge.panel.rater_scores import DIMENSIONS, rater_seats
from tests.judge.protocol.rounds import CRITERIA, NAMES
from tests.judge.reading import answered

SEAT: Rater = rater_seats(1)[0]
TURNS = ("1", "2", "3", "12")
STANDINGS = ("UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN")


def card(points: Any = 6, **dimensions: Any) -> dict[str, Any]:
    return {**dict.fromkeys(DIMENSIONS, points), **dimensions}


def answer(names: tuple[str, ...] = NAMES, **changes: Any) -> dict[str, Any]:
    """An answer with 6 for everything and all upheld; ``changes`` replace parts."""
    whole = {
        "scores": {name: card() for name in names},
        "standings": dict.fromkeys(names, "UPHELD"),
        "notes": dict.fromkeys(names, "It held."),
    }
    return whole | changes


def with_scores(**cards: Any) -> dict[str, Any]:
    """The same answer with other scores of some items: ``PRO_1=…``; None leaves the item out."""
    scores = {name: card() for name in NAMES} | {name.replace("_", "-"): each for name, each in cards.items()}
    return answer(scores={name: each for name, each in scores.items() if each is not None})


def given(*samples: Any, names: tuple[str, ...] = NAMES) -> Answers[Any]:
    return answered(panel_type(names, CRITERIA), RaterAnswer, *samples)


def read(*samples: Any, names: tuple[str, ...] = NAMES) -> PanelistScored:
    return read_rater(SEAT, given(*samples, names=names), names, CRITERIA)


def test_the_first_finding_counts_and_none_is_none() -> None:
    assert "Nobody counts the trams." == read(answer(), answer(finding=" Nobody counts the trams. ")).finding
    assert UNSET is read(answer(finding="")).finding


def test_a_whole_answer_is_taken_as_it_is() -> None:
    said = read(answer())

    assert (
        PanelistScored(
            rater="technical",
            model="scripted:technical",
            samples=1,
            scores={name: card(6.0) for name in NAMES},
            standings=dict.fromkeys(NAMES, "UPHELD"),
            notes=dict.fromkeys(NAMES, "It held."),
        )
        == said
    )


@pytest.mark.parametrize("points", [1, 10, 7])
def test_any_whole_number_on_the_scale_counts(points: float) -> None:
    said = read(with_scores(PRO_1=card(logic=points)))

    assert points == said.scores["PRO-1"]["logic"]
    assert not said.absent


@pytest.mark.parametrize(
    ("points", "shown"),
    [
        ("8/100", '"8/100"'),
        (None, '"null"'),
        (True, '"true"'),
        ("high", '"high"'),
        ([7], '"[7]"'),
        ({"score": 7}, '"score: 7"'),
        (1e300, '"1e300"'),
    ],
)
def test_what_is_no_number_is_absent_and_says_so(points: Any, shown: str) -> None:
    said = read(with_scores(PRO_1=card(logic=points)))

    assert {"evidence", "responsiveness", "honesty"} == said.scores["PRO-1"].keys()
    assert {"PRO-1.logic"} == said.absent.keys()
    assert said.absent["PRO-1.logic"].startswith(shown)
    assert said.absent["PRO-1.logic"].endswith("is not a number")


@pytest.mark.parametrize(
    ("points", "nearest"), [(0, 1), (11, 10), (-3, 1), (10.01, 10), (7.5, 8), ("8/10", 8), ("7", 7)]
)
def test_what_is_off_the_scale_is_the_nearest_and_that_is_recorded(points: Any, nearest: float) -> None:
    value = with_scores(PRO_1=card(logic=points))
    notes = [(note.path, note.what) for _, note in given(value).notes]

    assert nearest == read(value).scores["PRO-1"]["logic"]
    is_corrected = isinstance(points, int | float)
    assert notes == ([("scores.PRO-1.logic", f"requested {points}, applied {nearest}")] if is_corrected else [])


def test_an_answer_on_another_scale_is_no_answer() -> None:
    with pytest.raises(WrongType, match="24 of its 24 numbers are off the scales that were asked for"):
        given(answer(scores={name: card(80) for name in NAMES}))


def test_an_item_left_out_is_absent_and_the_others_are_not_moved_up() -> None:
    standings = {name: "REFUTED" for name in NAMES if name != "PRO-2"}

    said = read({"scores": {n: card(k) for k, n in enumerate(NAMES, 1) if n != "PRO-2"}, "standings": standings})

    assert {"PRO-2": LEFT_OUT} == said.absent
    assert {"PRO-1": 1, "PRO-3": 3, "CON-1": 4, "CON-2": 5, "CON-3": 6} == {
        name: scores["logic"] for name, scores in said.scores.items()
    }


def test_an_item_with_a_standing_and_no_scores_keeps_its_standing() -> None:
    said = read(with_scores(CON_2=None))

    assert "UPHELD" == said.standings["CON-2"]
    assert "CON-2" not in said.scores
    assert {f"CON-2.{name}": LEFT_OUT for name in DIMENSIONS} == said.absent


@pytest.mark.parametrize(("shape", "shown"), [(7, '"7"'), ("good", '"good"')])
def test_an_item_in_another_shape_holds_no_scores(shape: Any, shown: str) -> None:
    said = read(with_scores(PRO_1=shape))

    assert "PRO-1" not in said.scores
    assert all(f"{shown} is not an object" == said.absent[f"PRO-1.{name}"] for name in DIMENSIONS)


@pytest.mark.parametrize(
    ("told", "stands"), [("upheld", "UPHELD"), ("Partially upheld", "PARTIALLY_UPHELD"), (" REFUTED. ", "REFUTED")]
)
def test_a_standing_is_known_in_any_dress(told: str, stands: str) -> None:
    assert stands == read(answer(standings=dict.fromkeys(NAMES, told))).standings["PRO-1"]


@pytest.mark.parametrize(("told", "shown"), [("WON", '"WON"'), (None, '"null"'), (3, '"3"')])
def test_a_standing_that_is_none_is_absent(told: Any, shown: str) -> None:
    said = read(answer(standings=dict.fromkeys(NAMES, "UPHELD") | {"PRO-1": told}))

    assert "PRO-1" not in said.standings
    assert {"PRO-1.standing"} == said.absent.keys()
    assert f"{shown} is none of {', '.join(sorted(STANDINGS))}" == said.absent["PRO-1.standing"]


def test_standings_and_notes_may_be_left_out_altogether() -> None:
    said = read({"scores": {name: card() for name in NAMES}})

    assert {f"{name}.standing": LEFT_OUT for name in NAMES} == said.absent
    assert ({}, {}) == (said.standings, said.notes)
    assert set(NAMES) == said.scores.keys()


@pytest.mark.parametrize("written", ["pro-1", "PRO 1", "Pro – 1", " con-3 "])
def test_ids_are_known_however_they_are_written(written: str) -> None:
    (known,) = read({"scores": {written: card(9)}}).scores

    assert known in NAMES


@pytest.mark.parametrize(
    ("written", "turn"), [("3", "3"), ("turn 3", "3"), ("T3", "3"), ("Turn #12", "12"), ("t12", "12")]
)
def test_turns_are_known_however_they_are_written(written: str, turn: str) -> None:
    assert [turn] == list(read({"scores": {written: card()}}, names=TURNS).scores)


@pytest.mark.parametrize("written", ["PRO-4", "PRO-11", "4", "23", "proposal 1", "T33", "MOTION"])
def test_a_beginning_or_a_part_of_an_id_is_another_id(written: str) -> None:
    for names in (NAMES, TURNS):
        assert same_id(written, names) is None


def test_invented_ids_are_named_once_and_score_nothing() -> None:
    value = with_scores(PRO_9=card(), MOTION=card())
    value["standings"]["PRO-9"] = "UPHELD"

    assert ["standings.PRO-9", "scores.PRO-9", "scores.MOTION"] == [
        note.path for _, note in sorted(given(value).notes, key=lambda each: each[1].path, reverse=True)
    ]
    assert set(NAMES) == read(value).scores.keys()


def test_of_two_scores_for_one_item_the_first_counts() -> None:
    said = read({"scores": {"PRO-1": card(3), "pro 1": card(9)}})

    assert card(3.0) == said.scores["PRO-1"]


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        7,
        "PRO wins",
        None,
        {"scores": {}},
        {"scores": {"PRO-9": card()}},
        {"scores": "all 7"},
    ],
)
def test_nothing_usable_is_asked_for_again(value: Any) -> None:
    try:
        (answer_,) = given(value).values
    except ProviderError:
        return

    assert "the answer holds no score and no standing that can be read" == rated_nothing(answer_)
    assert isinstance(read(value).missing, Reason)


def test_a_call_that_failed_is_a_missing_rater() -> None:
    said = read_rater(SEAT, Answers(failed=Reason("timeout: it was silent")), NAMES, CRITERIA)

    assert (
        PanelistScored(rater="technical", model="scripted:technical", missing=Reason("timeout: it was silent")) == said
    )


# other shapes that models give


def test_everything_of_an_item_may_stand_together() -> None:
    whole = {"scores": card(8), "standing": "UPHELD", "note": "Holds."}

    for value in (
        {"scores": dict.fromkeys(NAMES, whole)},
        dict.fromkeys(NAMES, whole),
        {"scores": [{"argument": name, **whole} for name in NAMES]},
    ):
        said = read(value)

        assert {name: card(8.0) for name in NAMES} == said.scores
        assert dict.fromkeys(NAMES, "UPHELD") == said.standings
        assert "Holds." == said.notes["CON-3"]


# samples


def test_the_median_of_those_that_have_a_score_counts() -> None:
    said = read(with_scores(PRO_1=card(2)), with_scores(PRO_1=card(9, logic="high")), with_scores(PRO_1=card(3)))

    assert {"logic": 2.5, "evidence": 3.0, "responsiveness": 3.0, "honesty": 3.0} == said.scores["PRO-1"]
    assert {"logic": 1.0, "evidence": 7.0, "responsiveness": 7.0, "honesty": 7.0} == said.spread["PRO-1"]
    assert (3, {}) == (said.samples, said.absent)


def test_more_than_half_of_the_samples_give_a_standing() -> None:
    told = [answer(standings=dict.fromkeys(NAMES, each)) for each in ("UPHELD", "UPHELD", "REFUTED")]

    assert "UPHELD" == read(*told).standings["PRO-1"]
    two = read(*told[1:])
    assert "PRO-1" not in two.standings
    assert "the samples differ, and none has the majority" == two.absent["PRO-1.standing"]


def test_what_no_sample_gave_is_absent_with_the_first_reason() -> None:
    said = read(with_scores(PRO_1=card(logic="low")), with_scores(PRO_1=card(logic="high")))

    assert {"PRO-1.logic": '"low" is not a number'} == said.absent


def test_one_sample_has_no_spread() -> None:
    assert {} == read(answer()).spread


# laws

KEYS = (*NAMES, *DIMENSIONS, "scores", "standings", "notes", "standing", "PRO-9")
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(STANDINGS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=25,
)


@pytest.mark.slow
@drawn(st.lists(JSON | st.fixed_dictionaries({"scores": JSON, "standings": JSON}), min_size=1, max_size=3))
def test_whatever_is_said_is_on_the_scale_or_absent(values: list[Any]) -> None:
    try:
        said = read(*values)
    except ProviderError:  # such an answer is asked for again
        return
    msgspec.json.decode(msgspec.json.encode(said), type=PanelistScored)

    for name in NAMES:
        for dimension in DIMENSIONS:
            given_one = dimension in said.scores.get(name, {})
            is_absent = name in said.absent or f"{name}.{dimension}" in said.absent
            assert given_one != is_absent
        assert (name in said.standings) != (name in said.absent or f"{name}.standing" in said.absent)
    assert said.scores.keys() <= set(NAMES)
    assert all(1 <= score <= 10 for scores in said.scores.values() for score in scores.values())


# the answer's type


def test_models_are_held_to_every_item_and_every_dimension_on_the_scale() -> None:
    for names in (NAMES, TURNS):
        shape = schema(panel_type(names, CRITERIA))["properties"]

        assert list(names) == shape["scores"]["required"] == shape["standings"]["required"]
        for name in names:
            item = shape["scores"]["properties"][name]
            assert list(DIMENSIONS) == item["required"]
            assert {"type": "integer", "minimum": 1, "maximum": 10} == item["properties"]["logic"]
            assert set(STANDINGS) == set(shape["standings"]["properties"][name]["enum"])


def test_a_script_may_leave_the_answer_out() -> None:
    said = read(neutral(panel_type(NAMES, CRITERIA)))

    assert ({name: card(5.0) for name in NAMES}, {}) == (said.scores, said.absent)
    assert {"UNCERTAIN"} == set(said.standings.values())

"""Raters against known outcomes: a rater's verdict, whether it is right, and what its record tells."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from events.types import Argument, BothSides, Case, Missing, Rater, RaterCalibrated, Reason, TrackRecord, missing
from judge.live.answers import Answers
from judge.panel.case import names_of, read_case
from judge.panel.questions import RaterAnswer, panel_type
from judge.panel.raters import shipped
from judge.panel.truth import (
    calibrate_rater,
    chance,
    meaning,
    rater_verdict,
    record_of,
    side_means,
    wilson,
)
from judge.panel.weights import accuracy
from judge.rubrics.rubric import rubric_v1
from server.cli.measure.case_files import read_cases
from server.debate.formats.calibration.cases import CaseRequest, cases_of, faults
from tests.judge.reading import answered

CASES = Path(__file__).parent / "cases"
PANEL = rubric_v1().panel
assert PANEL is not None
RULES = PANEL
CRITERIA = rubric_v1().criteria
assert CRITERIA is not None
PROFILE = shipped().raters["technical"]
SEAT = Rater(
    name="technical",
    title="t",
    domain="technical",
    focus="f",
    weights=PROFILE.weights,
    model="scripted:one",
)


def argument(name: str) -> Argument:
    return Argument(id=name, claim=f"claim of {name}", reasoning="because", evidence="look")


def case(truth: Any = "pro", pro: int = 2, con: int = 2) -> Case:
    return Case(
        id="c",
        motion="m",
        pro=tuple(argument(f"PRO-{n}") for n in range(1, pro + 1)),
        con=tuple(argument(f"CON-{n}") for n in range(1, con + 1)),
        truth=truth,
        source="s",
        digest="d",
    )


def given_answers(*values: Any) -> Answers[Any]:
    return answered(panel_type(names_of(case()), CRITERIA), RaterAnswer, *values)


def all_at(points: float) -> dict[str, float]:
    return dict.fromkeys(("logic", "evidence", "responsiveness", "honesty"), points)


# the verdict


def test_a_rater_weighs_by_its_own_weights() -> None:
    scores = {"PRO-1": {"logic": 10, "evidence": 5, "responsiveness": 1, "honesty": 1}, "CON-1": all_at(6)}

    assert BothSides(pro=6.0, con=6.0) == side_means(case(), scores, SEAT.weights)  # 4 + 1.75 + 0.15 + 0.1


def test_a_side_is_the_mean_of_its_arguments_however_many_it_has() -> None:
    scores = {"PRO-1": all_at(8), "CON-1": all_at(6), "CON-2": all_at(6), "CON-3": all_at(6)}

    assert BothSides(pro=8.0, con=6.0) == side_means(case(pro=1, con=3), scores, SEAT.weights)


def test_an_argument_without_all_its_dimensions_is_left_out_and_not_filled_in() -> None:
    partly = all_at(10)
    del partly["honesty"]

    assert side_means(case(), {"PRO-1": all_at(4), "PRO-2": partly, "CON-1": all_at(6)}, SEAT.weights).pro == 4


@pytest.mark.parametrize(
    ("pro", "con", "said"),
    [
        (8.0, 4.0, "pro"),
        (4.0, 8.0, "con"),
        (6.0, 6.0, "neither"),
        (5.245, 4.755, "neither"),  # a gap of 4.9 %
        (5.255, 4.745, "pro"),  # a gap of 5.1 %
        (4.2, 3.8, "pro"),  # a gap of exactly 5 %, which counts
    ],
)
def test_a_gap_under_the_panels_least_one_names_nobody(pro: float, con: float, said: str) -> None:
    assert said == rater_verdict(BothSides(pro=pro, con=con), RULES)


def test_an_unscored_side_is_no_verdict_in_nobodys_favour() -> None:
    said = calibrate_rater(SEAT, case(), {"PRO-1": all_at(9), "PRO-2": all_at(9)}, RULES)

    assert said.missing == Reason("no argument of con is scored on every dimension")
    assert (UNSET, UNSET) == (said.said, said.right)
    assert isinstance(said.mean, BothSides)
    assert missing("no argument of con is scored on every dimension") == said.mean.con


def test_a_rater_that_failed_says_why_and_nothing_else() -> None:
    said = calibrate_rater(SEAT, case(), Reason("timeout: it was silent"), RULES)

    assert said == RaterCalibrated(
        rater="technical",
        model="scripted:one",
        case="c",
        digest="d",
        truth="pro",
        missing=Reason("timeout: it was silent"),
    )


@pytest.mark.parametrize(("truth", "right"), [("pro", True), ("con", False), ("neither", False)])
def test_right_is_what_was_said_and_what_is_true_being_one(truth: str, right: bool) -> None:
    said = calibrate_rater(SEAT, case(truth), {"PRO-1": all_at(8), "CON-1": all_at(4)}, RULES)

    assert ("pro", right) == (said.said, said.right)
    assert {"PRO-1": all_at(8), "CON-1": all_at(4)} == said.scores


def test_neither_is_right_where_nobody_won() -> None:
    assert calibrate_rater(SEAT, case("neither"), {"PRO-1": all_at(6), "CON-1": all_at(6)}, RULES).right is True


scores = st.dictionaries(
    st.sampled_from(["PRO-1", "PRO-2", "CON-1", "CON-2"]),
    st.dictionaries(st.sampled_from(list(SEAT.weights)), st.integers(1, 10).map(float)),
)


@pytest.mark.slow
@given(scores)
def test_with_the_sides_swapped_the_verdict_is_swapped(said: dict[str, dict[str, float]]) -> None:
    mirror = {"PRO-1": "CON-1", "PRO-2": "CON-2", "CON-1": "PRO-1", "CON-2": "PRO-2"}
    swapped = {mirror[name]: given for name, given in said.items()}
    one, other = calibrate_rater(SEAT, case(), said, RULES), calibrate_rater(SEAT, case(), swapped, RULES)

    assert (one.missing is UNSET) == (other.missing is UNSET)
    assert {"pro": "con", "con": "pro"}.get(str(one.said), one.said) == other.said


@pytest.mark.slow
@given(scores)
def test_every_case_is_right_wrong_or_missing_with_its_reason(said: dict[str, dict[str, float]]) -> None:
    event = calibrate_rater(SEAT, case(), said, RULES)

    assert (event.right is UNSET) == (event.said is UNSET) == (event.missing is not UNSET)


# the answer


def test_what_is_no_number_or_invented_is_not_there() -> None:
    answer = {"scores": {"pro 1": all_at(7) | {"logic": "high"}, "CON-1": all_at(4), "PRO-9": all_at(9)}}
    read = read_case(SEAT, given_answers(answer), case(), CRITERIA)

    assert {"PRO-1": {"evidence": 7, "responsiveness": 7, "honesty": 7}, "CON-1": all_at(4)} == read


@pytest.mark.parametrize("answer", [{"scores": {}}, {"scores": "high", "finding": "Pro wins."}])
def test_an_answer_without_scores_is_missing_whatever_else_it_says(answer: Any) -> None:
    assert isinstance(read_case(SEAT, given_answers(answer), case(), CRITERIA), Reason)


def test_of_several_samples_the_median_counts_and_what_one_leaves_out_the_others_give() -> None:
    partly = {"scores": {"CON-1": all_at(3)}}
    full = [{"scores": {"PRO-1": all_at(points)}} for points in (2, 9, 8)]

    assert {"PRO-1": all_at(8), "CON-1": all_at(3)} == read_case(SEAT, given_answers(*full, partly), case(), CRITERIA)


def test_no_answer_says_why() -> None:
    assert Reason("it was silent") == read_case(SEAT, Answers(failed=Reason("it was silent")), case(), CRITERIA)


# the record


def heard(right: int, of: int, lost: int = 0) -> list[RaterCalibrated]:
    one = RaterCalibrated(rater="r", model="m", case="c", digest="d", truth="pro")
    replaced = msgspec.structs.replace
    return [
        *[replace_said(one, "pro")] * right,
        *[replace_said(one, "con")] * (of - right),
        *[replaced(one, missing=Reason("silence"))] * lost,
    ]


def replace_said(event: RaterCalibrated, said: Any) -> RaterCalibrated:
    return msgspec.structs.replace(event, said=said, right=said == event.truth)


def test_what_is_missing_counts_neither_way() -> None:
    assert TrackRecord(right=3, of=5) == record_of(heard(3, 5, lost=4))


@pytest.mark.parametrize(("right", "of", "share"), [(0, 0, 0.5), (1, 1, 0.6), (0, 1, 0.4), (8, 10, 10 / 14)])
def test_accuracy_is_drawn_toward_a_half_while_there_is_little(right: int, of: int, share: float) -> None:
    assert share == pytest.approx(accuracy(TrackRecord(right=right, of=of), RULES))


@pytest.mark.slow
@given(st.integers(0, 200), st.integers(0, 200))
def test_a_stranger_never_stands_above_a_record_better_than_even(right: int, wrong: int) -> None:
    stranger = accuracy(TrackRecord(), RULES)
    record = accuracy(TrackRecord(right=right, of=right + wrong), RULES)

    assert (record > stranger) == (right > wrong)


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(0, 6, 0.0, 0.3903), (3, 6, 0.1876, 0.8124), (6, 6, 0.6097, 1.0), (15, 20, 0.5313, 0.8881)],
)
def test_wilsons_interval(right: int, of: int, low: float, high: float) -> None:
    assert (low, high) == pytest.approx(wilson(TrackRecord(right=right, of=of)), abs=5e-5)


@pytest.mark.slow
def test_wilsons_interval_is_statsmodels_own() -> None:
    from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415 - it takes seconds

    for of in range(1, 40):
        for right in range(of + 1):
            expected = proportion_confint(right, of, method="wilson")

            assert tuple(expected) == pytest.approx(wilson(TrackRecord(right=right, of=of)))


def test_nothing_is_known_without_a_verdict() -> None:
    assert wilson(TrackRecord()) is None
    assert meaning(TrackRecord(), 0.5) == "not known: no verdict yet"


@pytest.mark.parametrize(
    ("right", "of", "by_chance", "words"),
    [
        (6, 6, 0.5, "better than chance"),
        (0, 6, 0.5, "worse than chance"),
        (1, 1, 0.5, "not known: 1 verdict cannot tell it from chance"),
        (4, 6, 0.5, "not known: 6 verdicts cannot tell it from chance"),
        (15, 20, 0.75, "not known: 20 verdicts cannot tell it from chance"),
    ],
)
def test_the_interval_in_words(right: int, of: int, by_chance: float, words: str) -> None:
    assert words == meaning(TrackRecord(right=right, of=of), by_chance)


def test_always_naming_the_commonest_outcome_is_chance_too() -> None:
    assert chance(["pro", "con"]) == 0.5
    assert chance(["pro", "pro", "pro", "con"]) == 0.75
    assert chance([]) == 0.5
    assert chance(["pro", "con", "neither"]) == 0.5


# the cases


def test_the_cases_that_are_kept_here_can_be_read_and_favour_no_side() -> None:
    found = read_cases(CASES)

    assert [] == [fault for each in found for fault in faults(each)]
    assert [each.truth for each in found].count("pro") == [each.truth for each in found].count("con") == len(found) / 2
    assert all(each.source for each in found)


def wish(**changes: Any) -> CaseRequest:
    fields: dict[str, Any] = {
        "id": "c",
        "motion": "m",
        "pro": [argument("PRO-1")],
        "con": [argument("CON-1")],
        "truth": "pro",
        "source": "s",
    }
    return CaseRequest(**(fields | changes))


def test_a_case_is_the_same_wherever_it_comes_from_and_whoever_is_said_to_have_won() -> None:
    (one,), (other,) = cases_of([wish()]), cases_of([wish(id="another", truth="con", source="t", motion=" m\n")])
    (longer,) = cases_of([wish(pro=[argument("PRO-1"), argument("PRO-2")])])

    assert one.digest == other.digest
    assert longer.digest != one.digest


def test_a_verdict_that_could_not_be_had_is_not_one() -> None:
    assert isinstance(rater_verdict(BothSides(pro=missing("x"), con=4.0), RULES), Missing)
    assert isinstance(rater_verdict(BothSides(pro=4.0, con=missing("x")), RULES), Missing)

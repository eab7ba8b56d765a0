"""The assessment: quotes are checked, numbers off the scale are missing, and the rules compute the totals."""

import random
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from events.types import ArgumentTraced, AssessmentGiven, FallacyFound, FindingRefused, Missing, Reason
from judge.live.answers import Answers
from judge.live.event_batch import EventBatch
from judge.protocol.assess import AssessmentAnswer, assess_type
from judge.protocol.judgement import judges_nothing, plain_name, record_assessment
from judge.templates import parse_template
from providers.answers.neutral import neutral
from providers.answers.schema import schema
from providers.errors import ProviderError, WrongType
from tests.judge.protocol.rounds import (
    CRITERIA,
    NAMES,
    RULES,
    argument_answer,
    assessment,
    debate_after_rounds,
    events_of,
    protocol_opened,
)
from tests.judge.reading import answered

STRAW = {
    "argument": "PRO-1",
    "fallacy": "straw_man",
    "quote": "Whoever plans for the tram plans for all",
    "reason": "Nobody said so.",
}


def given(*answers: Any) -> Answers[AssessmentAnswer]:
    return answered(assess_type(NAMES, CRITERIA, RULES), AssessmentAnswer, *answers)


def after(*answers: Any, samples: int = 1, **said: Any) -> EventBatch:
    """A debate after its assessment."""
    batch = debate_after_rounds(samples=samples, **said)
    record_assessment(batch, given(*answers), protocol_opened(samples=samples))
    return batch


def traces(batch: EventBatch) -> dict[str, ArgumentTraced]:
    return {each.argument: each for each in events_of(batch, ArgumentTraced)}


def overall(batch: EventBatch) -> AssessmentGiven:
    (event,) = events_of(batch, AssessmentGiven)

    assert isinstance(event, AssessmentGiven)
    return event


def one(name: str, **changes: Any) -> dict[str, Any]:
    """An assessment in which one argument differs."""
    whole = assessment()
    return whole | {"arguments": whole["arguments"] | {name: argument_answer(name) | changes}}


# scores and totals


def test_a_total_is_the_weighted_scores() -> None:
    scores = {"logic": 8, "evidence": 7, "responsiveness": 6, "honesty": 9}

    traced = traces(after(one("PRO-1", scores=scores)))["PRO-1"]

    assert 7.35 == traced.total  # .30 × 8 + .30 × 7 + .25 × 6 + .15 × 9
    assert scores == traced.scores
    assert ("UPHELD", "PRO-1 was met.") == (traced.standing, traced.reason)


def test_a_sides_total_is_the_mean_of_its_arguments_times_three_whatever_the_judge_adds_up() -> None:
    said = assessment(overall={"pro_total_score": 30, "con_total_score": 30}, pro_total=1)

    assert (21.0, 15.0) == (overall(after(said)).pro_total, overall(after(said)).con_total)


def test_a_side_with_one_argument_is_measured_on_the_same_scale() -> None:
    said = assessment(arguments={name: argument_answer(name) for name in NAMES if name not in {"CON-2", "CON-3"}})

    given_ = overall(after(said, open_con="Cars are needed. Nurses cannot take a tram at night."))

    assert (18.0, 18.0) == (given_.pro_total, given_.con_total)


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        ("8/100", '"8/100"'),
        (None, '"null"'),
        (True, '"true"'),
        ("high", '"high"'),
        ([7], '"[7]"'),
    ],
)
def test_a_score_that_is_no_number_is_missing_and_so_is_the_total(score: Any, shown: str) -> None:
    scores = argument_answer()["scores"] | {"honesty": score}
    batch = after(one("CON-2", scores=scores))
    traced = traces(batch)["CON-2"]

    assert traced.scores.keys() == CRITERIA.dimensions.keys() - {"honesty"}
    assert Missing(Reason(f"honesty: {shown} is not a number")) == traced.total
    assert "UPHELD" == traced.standing
    assert Missing(Reason("without a total: CON-2")) == overall(batch).con_total
    assert 21.0 == overall(batch).pro_total


@pytest.mark.parametrize(
    ("score", "nearest", "why"),
    [
        (0, 1, "requested 0, applied 1"),
        (11, 10, "requested 11, applied 10"),
        (7.5, 8, "requested 7.5, applied 8"),
        (-3, 1, "requested -3, applied 1"),
        ("8/10", 8, ""),
        ("8", 8, ""),
    ],
)
def test_a_score_off_the_scale_is_the_nearest_and_that_is_recorded(score: Any, nearest: float, why: str) -> None:
    batch = after(one("CON-2", scores=argument_answer()["scores"] | {"honesty": score}))

    assert nearest == traces(batch)["CON-2"].scores["honesty"]
    assert ([("arguments.CON-2.scores.honesty", why, "assess")] if why else []) == [
        (each.quote, each.reason, each.purpose) for each in events_of(batch, FindingRefused)
    ]


def test_an_assessment_on_another_scale_is_no_answer() -> None:
    percent = {name: argument_answer(scores=dict.fromkeys(CRITERIA.dimensions, 80)) for name in NAMES}

    with pytest.raises(WrongType, match="24 of its 24 numbers are off the scales that were asked for"):
        given(assessment(arguments=percent))


def test_an_argument_that_is_left_out_is_missing_with_its_reason() -> None:
    arguments = {name: argument_answer(name) for name in NAMES if name != "PRO-2"}
    batch = after(assessment(arguments=arguments))
    traced = traces(batch)["PRO-2"]

    assert Reason("the judge left it out") == traced.missing
    assert Missing(Reason("the judge left it out")) == traced.total
    assert {} == traced.scores
    assert Missing(Reason("without a total: PRO-2")) == overall(batch).pro_total
    assert 18.0 == overall(batch).con_total


def test_an_invented_argument_is_refused() -> None:
    whole = assessment()
    whole["arguments"]["CON-9"] = argument_answer()
    batch = after(whole)

    assert list(NAMES) == list(traces(batch))
    assert [("CON-9", "there is no argument of this id", "assess")] == [
        (each.quote, each.reason, each.purpose) for each in events_of(batch, FindingRefused)
    ]


def test_a_standing_that_is_none_is_missing() -> None:
    traced = traces(after(one("PRO-1", standing="MAYBE")))["PRO-1"]

    assert Reason('"MAYBE" is none of PARTIALLY_UPHELD, REFUTED, UNCERTAIN, UPHELD') == traced.missing
    assert 6.0 == traced.total


def test_standings_are_read_in_any_case() -> None:
    assert "PARTIALLY_UPHELD" == traces(after(one("PRO-1", standing="Partially upheld")))["PRO-1"].standing


def test_a_judge_without_an_answer_leaves_everything_missing() -> None:
    batch, why = debate_after_rounds(), Reason("the judge gave no usable answer (timeout: it was silent)")
    record_assessment(batch, Answers(failed=why), protocol_opened())

    assert (Missing(why), Missing(why), why) == (
        overall(batch).pro_total,
        overall(batch).con_total,
        overall(batch).missing,
    )
    assert {why} == {each.missing for each in traces(batch).values()}
    assert set(NAMES) == set(traces(batch))


@pytest.mark.parametrize("value", ["", [], {}, {"arguments": {}}, {"arguments": {"PRO-9": argument_answer()}}, 7])
def test_an_answer_that_judges_nothing_is_asked_again(value: Any) -> None:
    try:
        fault = judges_nothing(*given(value).values)
    except ProviderError as error:
        fault = error.message

    assert fault
    assert not judges_nothing(*given(assessment()).values)


# samples


def test_of_several_samples_the_median_and_the_majority_count() -> None:
    points = (2, 9, 4)
    standings = ("REFUTED", "UPHELD", "REFUTED")
    batch = after(
        *(
            one("PRO-1", scores=dict.fromkeys(CRITERIA.dimensions, score), standing=standing, reason=f"{score}")
            for score, standing in zip(points, standings, strict=True)
        ),
        samples=3,
    )
    traced = traces(batch)["PRO-1"]

    assert (4.0, "REFUTED", "2") == (traced.total, traced.standing, traced.reason)
    assert dict.fromkeys(CRITERIA.dimensions, 7.0) == traced.spread


def test_samples_that_do_not_agree_are_uncertain() -> None:
    split = after(one("PRO-1", standing="REFUTED"), one("PRO-1", standing="UPHELD"), samples=2)

    assert "UNCERTAIN" == traces(split)["PRO-1"].standing


def test_a_sample_that_leaves_something_out_leaves_it_to_the_others() -> None:
    short = one("PRO-1", scores={"logic": "high"})
    batch = after(short, one("PRO-1", scores=dict.fromkeys(CRITERIA.dimensions, 8)), samples=2)

    assert 8.0 == traces(batch)["PRO-1"].total


# fallacies


def test_a_fallacy_is_recorded_where_its_words_stand() -> None:
    batch = after(assessment(fallacies=[STRAW]))
    (found,) = events_of(batch, FallacyFound)
    turn = batch.debate.transcript.turns[found.turn]

    assert ("PRO-1", "straw_man", 1, "Nobody said so.") == (found.argument, found.fallacy, found.turn, found.reason)
    assert found.quote == turn.text[slice(*found.span)] == STRAW["quote"]


@pytest.mark.parametrize(
    ("quote", "turn"),
    [("CON-1 LEAVES OUT  what it costs", 3), ("what pro said first still holds", 5), ("“The noise count of Basel”", 1)],
)
def test_its_words_may_stand_in_anything_that_the_side_said(quote: str, turn: int) -> None:
    (found,) = events_of(after(assessment(fallacies=[STRAW | {"quote": quote}])), FallacyFound)

    assert turn == found.turn


def test_a_fallacy_in_the_cross_examination_of_an_argument_stands_there_and_is_the_examiners() -> None:
    named = STRAW | {"quote": "PRO-1 leaves out what it costs"}
    batch = after(assessment(fallacies=[named]))
    (found,) = events_of(batch, FallacyFound)
    turn = batch.debate.transcript.turns[found.turn]

    assert ("PRO-1", "con", 4, "con") == (found.argument, found.by, found.turn, turn.side)
    assert found.quote == turn.text[slice(*found.span)] == named["quote"]
    said = "Con’s cross-examination of PRO-1: straw man in “PRO-1 leaves out what it costs”."
    assert batch.debate.protocol.briefing
    assert said in batch.debate.protocol.briefing.cautions


def test_an_examination_in_prose_is_searched_whole() -> None:
    named = STRAW | {"quote": "forget who pays for all of that"}
    (found,) = events_of(
        after(assessment(fallacies=[named]), cross_con="You forget who pays for all of that."), FallacyFound
    )

    assert ("con", 4) == (found.by, found.turn)


def test_a_debate_whose_judge_was_not_asked_for_it_refuses_it() -> None:
    opened = protocol_opened()
    older = parse_template(opened.prompts["assess"].text.replace("--- fallacies", "--- once"))
    batch = debate_after_rounds()
    answered_now = given(assessment(fallacies=[STRAW | {"quote": "PRO-1 leaves out what it costs"}]))
    record_assessment(batch, answered_now, replace(opened, prompts={**opened.prompts, "assess": older}))

    assert [] == events_of(batch, FallacyFound)
    assert ["the quote is not in what pro said, or too short to tell (straw_man, PRO-1)"] == [
        each.reason for each in events_of(batch, FindingRefused)
    ]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"quote": "Nobody has ever said these words"}, "nor in the cross-examination of PRO-1, or too short to tell"),
        ({"quote": "PRO-2 leaves out what it costs"}, "nor in the cross-examination of PRO-1, or too short to tell"),
        ({"quote": "The nurse decides what a city is for"}, "the quote is not in what pro said"),
        ({"quote": "a"}, "too short to tell"),
        ({"quote": ""}, "too short to tell"),
        ({"argument": "PRO-8"}, "there is no argument “PRO-8”"),
        ({"argument": ""}, "it names no argument"),
        ({"fallacy": "red_herring"}, "red_herring is none of the fallacies that are looked for"),
    ],
)
def test_a_fallacy_that_does_not_hold_is_refused(changes: Any, why: str) -> None:
    batch = after(assessment(fallacies=[STRAW | changes]))
    (refused,) = events_of(batch, FindingRefused)

    assert why in refused.reason
    assert [] == events_of(batch, FallacyFound)


@pytest.mark.parametrize("name", ["Straw Man", "straw-man", "STRAW_MAN", "The straw man fallacy", " straw  man "])
def test_the_common_spellings_of_a_fallacy_are_read(name: str) -> None:
    (found,) = events_of(after(assessment(fallacies=[STRAW | {"fallacy": name}])), FallacyFound)

    assert "straw_man" == found.fallacy


def test_all_seven_are_known_by_their_titles() -> None:
    assert set(RULES.fallacies) == {plain_name(name.replace("_", " ").title()) for name in RULES.fallacies}
    assert 7 == len(RULES.fallacies)


@pytest.mark.parametrize(("votes", "stands"), [(1, False), (2, True), (3, True)])
def test_a_fallacy_stands_when_more_than_half_of_the_samples_find_it(votes: int, stands: bool) -> None:
    shorter = STRAW | {"quote": "plans for the tram plans"}
    said = [assessment(fallacies=[STRAW if n else shorter] if n < votes else []) for n in range(3)]
    batch = after(*said, samples=3)

    assert stands == bool(events_of(batch, FallacyFound))
    assert stands != bool(events_of(batch, FindingRefused))


def test_one_sample_that_says_it_twice_has_one_voice() -> None:
    batch = after(assessment(fallacies=[STRAW, STRAW]), assessment(), assessment(), samples=3)

    assert [] == events_of(batch, FallacyFound)


def test_the_same_words_may_hold_two_fallacies() -> None:
    batch = after(assessment(fallacies=[STRAW, STRAW | {"fallacy": "ad hominem"}]))

    assert {"straw_man", "ad_hominem"} == {each.fallacy for each in events_of(batch, FallacyFound)}


# any answer


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@drawn(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-2, 12)
        | st.floats(allow_nan=False)
        | st.text(max_size=12)
        | st.sampled_from((*NAMES, "UPHELD", "straw_man", STRAW["quote"])),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    (
                        *NAMES,
                        *CRITERIA.dimensions,
                        "arguments",
                        "scores",
                        "standing",
                        "standings",
                        "fallacies",
                        "argument",
                        "quote",
                        "fallacy",
                        "trace",
                        "overall",
                        "unresolved_questions",
                        "key_insight",
                    )
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=30,
    )
)
def test_whatever_a_judge_answers_numbers_are_on_the_scale_or_missing(value: Any) -> None:
    try:
        batch = after(value)
    except ProviderError:  # such an answer is asked for again
        return

    assert set(NAMES) == set(traces(batch))
    for traced in traces(batch).values():
        assert all(1 <= score <= 10 for score in traced.scores.values())
        assert isinstance(traced.total, Missing) == (traced.scores.keys() != CRITERIA.dimensions.keys())
    for total in (overall(batch).pro_total, overall(batch).con_total):
        assert isinstance(total, Missing) or 3 <= total <= 30
    assert batch.debate.protocol.briefing


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@drawn(st.integers(0, 10_000))
def test_a_judge_who_raises_one_score_lowers_nobody(seed: int) -> None:
    chance = random.Random(seed)
    names = list(CRITERIA.dimensions)
    low = {name: {each: chance.randint(1, 9) for each in names} for name in NAMES}
    high = low | {"PRO-2": low["PRO-2"] | {chance.choice(names): 10}}
    first, second = (
        overall(after(assessment(arguments={name: argument_answer(name, scores=points[name]) for name in NAMES})))
        for points in (low, high)
    )

    assert first.con_total == second.con_total
    assert isinstance(first.pro_total, float)
    assert isinstance(second.pro_total, float)
    assert first.pro_total < second.pro_total


def test_a_script_that_leaves_the_assessment_out_favours_nobody() -> None:
    type_ = assess_type(NAMES, CRITERIA, RULES)
    batch = after(neutral(type_))

    assert (15.0, 15.0) == (overall(batch).pro_total, overall(batch).con_total)
    assert list(NAMES) == schema(type_)["properties"]["arguments"]["required"]

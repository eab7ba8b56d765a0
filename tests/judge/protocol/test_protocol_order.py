"""Which side is read first: it is drawn, it changes no label and no id, and both readings count alike."""

from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.types import (
    SIDES,
    ArgumentTraced,
    AssessmentGiven,
    BothSides,
    DebateOpened,
    FallacyFound,
    FindingRefused,
    Reason,
    Side,
    other,
)
from events.types.criteria import STANDINGS, Standing
from judge.live.answers import Answers
from judge.live.event_batch import EventBatch
from judge.panel.material import arguments_material
from judge.panel.questions import panel_prompt
from judge.protocol.assess import AssessmentAnswer, argument_segments, assess_prompt, assess_type, closing_segments
from judge.protocol.judgement import record_assessment, standing_of_both
from judge.protocol.order import drawn_side, first_sides
from judge.rubrics.rubric import rubric_v2, rubric_v3
from tests.judge.panel.rater_scores import rater_seats
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

SEATS = tuple(rater_seats())
OPENED = protocol_opened(rubric=rubric_v3(), panel=SEATS)
HELD = debate_after_rounds(rubric=rubric_v3()).debate
PROSE = "You forget who pays for all of that."


def seen(debate: Debate, first: Side) -> list[str]:
    return [each.text for each in (*argument_segments(OPENED, debate, first), *closing_segments(OPENED, debate, first))]


@pytest.mark.parametrize(
    "said", [{}, {"cross_con": PROSE, "cross_pro": PROSE}, {"answer_pro": "It pays.", "answer_con": "Nobody pays."}]
)
def test_the_other_order_shows_the_same_words_under_the_same_names(said: dict[str, Any]) -> None:
    debate = debate_after_rounds(rubric=rubric_v3(), **said).debate
    pro, con = (seen(debate, first) for first in SIDES)

    assert pro != con
    assert sorted(pro) == sorted(con)
    assert [f"Argument {name}, by {name[:3].title()}:" for name in NAMES] == [each.split("\n")[0] for each in pro[:6]]
    assert [each.split("\n")[0] for each in pro[:3]] == [each.split("\n")[0] for each in con[3:6]]
    assert "Closing statement of Pro" in con[-1]
    assert "Closing statement of Con" in con[-2]


@pytest.mark.parametrize("first", SIDES)
def test_what_is_asked_for_stands_in_the_order_of_reading(first: Side) -> None:
    ids = ", ".join((*HELD.protocol.arguments_of(first), *HELD.protocol.arguments_of(other(first))))

    assert f'"arguments": for each of {ids} its' in assess_prompt(OPENED, HELD, first)[-1].text
    assert ids.split(", ") == [each.name for each in arguments_material(HELD, "assess", first).speeches[:6]]


def late(debate: Debate) -> Debate:
    """The same debate, in which Con's opening was recorded first."""
    arguments = debate.protocol.arguments
    reordered = {name: arguments[name] for name in (*NAMES[3:], *NAMES[:3])}
    return replace(debate, protocol=replace(debate.protocol, arguments=reordered))


@pytest.mark.parametrize("first", SIDES)
def test_the_opening_that_came_first_changes_no_prompt(first: Side) -> None:
    assert assess_prompt(OPENED, HELD, first) == assess_prompt(OPENED, late(HELD), first)
    for seat in SEATS:
        assert panel_prompt(OPENED, HELD, seat) == panel_prompt(OPENED, late(HELD), seat)


def test_without_the_rule_the_arguments_stand_as_they_were_recorded() -> None:
    older = replace(OPENED, rubric=rubric_v2())

    assert {} == first_sides(HELD, older)
    assert assess_prompt(older, HELD)[2].text.startswith("Argument PRO-1")
    assert assess_prompt(older, late(HELD))[2].text.startswith("Argument CON-1")


def in_debate(name: str, opened: DebateOpened = OPENED) -> Debate:
    return replace(HELD, id=name, opened=opened)


@drawn(st.uuids(), st.integers(1, 7))
def test_half_of_the_raters_read_each_side_first(name: Any, count: int) -> None:
    opened = replace(OPENED, panel=tuple(replace(SEATS[n % 4], name=f"rater_{n}") for n in range(count)))
    firsts = list(first_sides(in_debate(str(name), opened), opened).values())

    assert count == len(firsts)
    assert abs(firsts.count("pro") - firsts.count("con")) == count % 2


def test_the_draw_is_the_seeds_or_the_ids_and_both_sides_and_all_pairs_come_up() -> None:
    seeded = replace(OPENED, settings=replace(OPENED.settings, seed=7))
    draws = [first_sides(in_debate(f"debate {n}"), OPENED) for n in range(200)]
    pairs = {frozenset(name for name, first in each.items() if first == "pro") for each in draws}

    assert first_sides(in_debate("a", seeded), seeded) == first_sides(in_debate("b", seeded), seeded)
    assert first_sides(in_debate("debate 1"), OPENED) == draws[1]
    assert 6 == len(pairs)
    assert 60 < sum(drawn_side(in_debate(f"debate {n}")) == "pro" for n in range(200)) < 140


@pytest.mark.parametrize("seat", SEATS, ids=lambda seat: seat.name)
def test_a_rater_reads_the_side_first_that_was_drawn_for_it(seat: Any) -> None:
    first = first_sides(HELD, OPENED)[seat.name]
    prompt = panel_prompt(OPENED, HELD, seat)

    assert prompt[2].text.startswith(f"Argument {first.upper()}-1, by {first.title()}:")
    assert f"Rate each of these items: {first.upper()}-1, {first.upper()}-2" in prompt[-1].text


# both readings


def given(*answers: Any) -> Answers[AssessmentAnswer]:
    return answered(assess_type(NAMES, CRITERIA, RULES), AssessmentAnswer, *answers)


def judged(pro_first: Any, con_first: Any, **more: Any) -> EventBatch:
    batch = debate_after_rounds(rubric=rubric_v3(), **more)
    one, two = (
        each if isinstance(each, Answers) else given(*(each if isinstance(each, list) else [each]))
        for each in (pro_first, con_first)
    )
    record_assessment(batch, one, OPENED, two)
    return batch


def scored(pro: int, con: int, standing: str = "UPHELD", **more: Any) -> dict[str, Any]:
    points = {name: argument_answer(name, pro if name.startswith("PRO") else con, standing) for name in NAMES}
    return assessment(arguments=points, **more)


def traces(batch: EventBatch) -> dict[str, ArgumentTraced]:
    return {each.argument: each for each in events_of(batch, ArgumentTraced)}


def overall(batch: EventBatch) -> AssessmentGiven:
    (found,) = events_of(batch, AssessmentGiven)
    assert isinstance(found, AssessmentGiven)
    return found


def test_a_score_is_the_mean_of_both_readings_and_the_record_has_both() -> None:
    batch = judged(scored(8, 5), scored(7, 6))
    said = overall(batch)

    assert (22.5, 16.5) == (said.pro_total, said.con_total)
    assert {"pro": BothSides(pro=24.0, con=15.0), "con": BothSides(pro=21.0, con=18.0)} == said.readings
    assert {"logic": 7.5} | traces(batch)["PRO-1"].scores == traces(batch)["PRO-1"].scores
    assert 7.5 == traces(batch)["PRO-1"].total
    assert {1.0} == set(traces(batch)["PRO-1"].spread.values())


def test_the_order_of_the_readings_changes_no_score_and_no_standing() -> None:
    one, two = judged(scored(8, 5), scored(4, 6, "REFUTED")), judged(scored(4, 6, "REFUTED"), scored(8, 5))

    for name in NAMES:
        assert (traces(one)[name].scores, traces(one)[name].standing) == (
            traces(two)[name].scores,
            traces(two)[name].standing,
        )
    assert (overall(one).pro_total, overall(one).con_total) == (overall(two).pro_total, overall(two).con_total)


def test_a_judge_that_favours_what_it_reads_first_favours_nobody_in_the_end() -> None:
    batch = judged(scored(8, 6), scored(6, 8))

    assert overall(batch).pro_total == overall(batch).con_total
    assert batch.debate.protocol.briefing
    assert (
        "Which side the judge’s totals put ahead depends on the order of reading: "
        "with Pro first Pro has 24.00 and Con 18.00; with Con first Pro has 18.00 and Con 24.00."
        in batch.debate.protocol.briefing.cautions
    )


@pytest.mark.parametrize("one", STANDINGS)
@pytest.mark.parametrize("two", STANDINGS)
def test_two_standings_that_differ_are_the_weaker_of_neighbours_or_uncertain(one: Standing, two: Standing) -> None:
    expected = one
    if one != two:
        expected = "PARTIALLY_UPHELD" if {one, two} == {"UPHELD", "PARTIALLY_UPHELD"} else "UNCERTAIN"

    assert expected == standing_of_both((one, two)) == standing_of_both((two, one))
    batch = judged(scored(7, 5, one), scored(7, 5, two))
    assert expected == traces(batch)["PRO-1"].standing
    assert batch.debate.protocol.briefing
    cautions = [each for each in batch.debate.protocol.briefing.cautions if "readings of PRO-1 differ" in each]
    assert (one != two) == bool(cautions)


def test_a_reason_is_that_of_the_reading_with_the_standing_or_both_are_told() -> None:
    def why(standing: str, reason: str) -> dict[str, Any]:
        return assessment(arguments={name: argument_answer(name, 6, standing, reason=reason) for name in NAMES})

    limited = judged(why("UPHELD", "It holds."), why("PARTIALLY_UPHELD", "Only in cities."))
    torn = judged(why("UPHELD", "It holds."), why("REFUTED", "It fails."))

    assert "Only in cities." == traces(limited)["PRO-1"].reason
    said = {"Reading Pro first: It holds.", "Reading Con first: It fails."}
    assert {" ".join(sorted(said)), " ".join(sorted(said, reverse=True))} >= {traces(torn)["PRO-1"].reason}


def test_the_texts_are_those_of_the_reading_that_puts_the_same_side_ahead() -> None:
    batch = judged(scored(6, 7, recommendation="Take Con."), scored(9, 5, recommendation="Take Pro."))

    assert ("Take Pro.", 22.5, 18.0) == (
        overall(batch).recommendation,
        overall(batch).pro_total,
        overall(batch).con_total,
    )


def test_a_reading_that_gave_no_answer_leaves_the_other_alone_and_it_is_said() -> None:
    batch = judged(scored(8, 5), Answers(failed=Reason("timeout: too late")))

    assert (24.0, 15.0) == (overall(batch).pro_total, overall(batch).con_total)
    assert UNSET is traces(batch)["PRO-1"].readings
    assert batch.debate.protocol.briefing
    assert (
        "The judge’s second reading gave no answer: all scores are from the one with Pro first."
        in batch.debate.protocol.briefing.cautions
    )


def test_a_fallacy_stands_that_more_than_half_of_one_readings_samples_find() -> None:
    straw = {
        "argument": "PRO-1",
        "fallacy": "straw_man",
        "quote": "Whoever plans for the tram plans for all",
        "reason": "Nobody said so.",
    }
    once, none = assessment(fallacies=[straw]), assessment()

    assert 1 == len(events_of(judged(none, once), FallacyFound))
    assert 1 == len(events_of(judged([once, once, none], [none] * 3), FallacyFound))
    assert [] == events_of(judged([once, none, none], [once, none, none]), FallacyFound)
    refused = events_of(judged([once, none, none], [none] * 3), FindingRefused)
    assert ["only 1 of 3 samples find it (straw_man)"] == [each.reason for each in refused]


def cautions(batch: EventBatch) -> tuple[str, ...]:
    briefing = batch.debate.protocol.briefing
    assert briefing is not None
    return briefing.cautions


def test_a_first_reading_without_an_answer_is_not_called_the_second() -> None:
    batch = judged(Answers(failed=Reason("timeout: too late")), scored(8, 5))

    assert "The judge’s first reading gave no answer: all scores are from the one with Con first." in cautions(batch)


def test_one_reading_by_a_rule_of_both_orders_is_said_and_none_is_not_called_one() -> None:
    once = "The judge read the debate once, with Pro first."
    read, silent = (debate_after_rounds(rubric=rubric_v3()) for _ in range(2))
    record_assessment(read, given(scored(8, 5)), OPENED)
    record_assessment(silent, Answers(failed=Reason("timeout: too late")), OPENED)

    assert once in cautions(read)
    assert once not in cautions(silent)
    assert once not in cautions(judged(scored(8, 5), scored(8, 5)))

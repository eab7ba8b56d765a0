"""The round of answers and what follows from it: reading, prompts, the shift in closings, responsiveness."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.types import ClosingStated, DebateOpened, QuestionsAnswered
from judge.panel.questions import panel_prompt
from judge.protocol.answers import answers_prompt, answers_type, questioned
from judge.protocol.assess import assess_prompt
from judge.protocol.closings import MAX_SHIFTED, closing_prompt, closing_type
from judge.protocol.cross import cross_prompt
from judge.protocol.prompt import Prompt
from judge.protocol.reading import NOT_JSON, StatementReading
from judge.templates import section
from providers.answers.neutral import neutral
from providers.answers.schema import schema
from tests.judge.panel.rater_scores import rater_seats
from tests.judge.protocol.rounds import (
    NAMES,
    RUBRIC_2,
    RULES,
    RULES_2,
    closing,
    cross,
    debate_after_rounds,
    protocol_opened,
    read_close,
    read_replies,
    replies,
)

OPENED = protocol_opened(rubric=RUBRIC_2)
LONG = " ".join(f"word{n}" for n in range(140))


def text(prompt: Prompt) -> str:
    return "\n\n".join(segment.text for segment in prompt)


def given(reading: StatementReading) -> QuestionsAnswered:
    (event,) = reading.events

    assert isinstance(event, QuestionsAnswered)
    return event


def closed(reading: StatementReading) -> ClosingStated:
    (event,) = reading.events

    assert isinstance(event, ClosingStated)
    return event


# reading


@pytest.mark.parametrize(
    "shape",
    [
        lambda said: said,
        lambda said: {"answers": said},
        lambda said: {name: each["answer"] for name, each in said.items()},
        lambda said: {"answers": [{"argument": name, **each} for name, each in said.items()]},
        lambda said: [{"id": name.lower().replace("-", " "), "text": each["answer"]} for name, each in said.items()],
    ],
)
def test_answers_are_read_in_the_forms_that_models_give(shape: Any) -> None:
    said = replies("pro")
    reading = read_replies(shape(said))

    assert ((), 3, False) == (reading.faults, reading.kept, reading.is_clipped)
    assert {name: each["answer"] for name, each in said.items()} == given(reading).answers
    assert {"PRO-1": 11, "PRO-2": 11, "PRO-3": 11} == given(reading).words
    assert reading.text.startswith("PRO-1: PRO-1 costs what the tram costs now")


def test_an_answer_over_a_hundred_words_is_whole_in_its_event_and_cut_in_its_turn() -> None:
    reading = read_replies(replies("pro", n2=LONG))

    assert (LONG, 140) == (given(reading).answers["PRO-2"], given(reading).words["PRO-2"])
    assert ("PRO-2: its answer has 140 words, at most 100 are allowed",) == reading.faults
    assert ("word99" in reading.text, "word100" in reading.text, reading.is_clipped) == (True, False, True)


def test_what_is_not_answered_answered_twice_or_not_asked_is_named() -> None:
    first, *_ = replies("pro").items()
    said = [{"id": "PRO-1", **first[1]}, {"id": "PRO-1", "answer": "Once more."}, {"id": "CON-2", "answer": "No."}]
    reading = read_replies(said)

    assert ["PRO-1"] == list(given(reading).answers)
    assert (
        "PRO-1 is answered more than once: the first answer counts",
        "answer 3: “CON-2” is none of PRO-1, PRO-2, PRO-3",
        "PRO-2 is not answered",
        "PRO-3 is not answered",
    ) == reading.faults
    assert given(reading).free_text


def test_prose_is_kept_as_it_came() -> None:
    reading = read_replies("The city pays for all three.")

    assert ({}, "The city pays for all three.", 0) == (given(reading).answers, reading.text, reading.kept)
    assert NOT_JSON == reading.faults[0]


def test_what_a_script_leaves_out_keeps_the_form() -> None:
    type_ = answers_type(NAMES[:3], RULES_2)

    assert () == read_replies(neutral(type_)).faults
    assert 700 == schema(type_)["properties"]["PRO-1"]["properties"]["answer"]["maxLength"]


def test_a_rubric_without_a_limit_cuts_nothing() -> None:
    """A what-if under version 1 reads the recorded answers whole."""
    reading = read_replies(replies("pro", n2=LONG), rules=RULES)

    assert ((), False) == (reading.faults, reading.is_clipped)
    assert "word139" in reading.text


# what is asked


def test_only_arguments_with_a_question_are_asked_about() -> None:
    debate = debate_after_rounds(rubric=RUBRIC_2, until="answer", cross_con=cross("con", **{"2": {"follow_up": ""}}))

    assert ("PRO-1", "PRO-3") == questioned(debate.debate.protocol, "pro")


def test_after_an_examination_in_prose_every_argument_is_asked_about() -> None:
    prose = "You forget who pays for all of that."
    debate = debate_after_rounds(rubric=RUBRIC_2, until="answer", cross_con=prose).debate
    said = text(answers_prompt(OPENED, debate.protocol, "pro", prose))

    assert NAMES[:3] == questioned(debate.protocol, "pro")
    assert "All that the other side says of your arguments:\n| You forget who pays" in said


def test_a_side_is_shown_its_arguments_with_the_questions_and_then_the_arguments_of_the_other_side() -> None:
    debate = debate_after_rounds(rubric=RUBRIC_2, until="answer").debate
    said = text(answers_prompt(OPENED, debate.protocol, "pro", ""))
    own, _, theirs = said.partition("The arguments of the other side:")

    assert "Argument PRO-2:\n| The noise decides what a city is for." in said
    assert "| Question: What does PRO-2 cost, and who pays?" in said
    assert "each of PRO-1, PRO-2, PRO-3" in said
    assert "At most 100 words" in said
    assert "nurse" not in own
    assert "Argument CON-1:\n| The nurse decides what a city is for." in theirs  # its words may refer to them


def test_an_examiner_knows_that_its_questions_are_answered() -> None:
    debate = debate_after_rounds(rubric=RUBRIC_2, until="cross").debate

    assert "the other side must answer it next" in text(cross_prompt(OPENED, debate.protocol, "pro"))
    assert "the other side must answer it next" not in text(cross_prompt(protocol_opened(), debate.protocol, "pro"))


# the fold


def test_answers_stand_with_their_arguments_and_the_round_moves_on() -> None:
    before = debate_after_rounds(rubric=RUBRIC_2, until="answer").debate.protocol
    after = debate_after_rounds(rubric=RUBRIC_2, until="close").debate.protocol

    assert ("answers", "closings") == (before.round, after.round)
    assert UNSET is before.arguments["CON-2"].answer
    assert "CON-2 costs what the shop costs now, and the city pays." == after.arguments["CON-2"].answer
    assert after.positions["answers:con"] == after.arguments["CON-2"].answered


def test_a_debate_of_three_rounds_has_no_round_of_answers() -> None:
    assert "closings" == debate_after_rounds(until="close").debate.protocol.round


# closings


def test_a_closing_says_how_the_position_shifted_and_why() -> None:
    reading = read_close(closing("pro"), rules=RULES_2)

    assert ((), 2) == (reading.faults, reading.kept)
    assert ("adjusted", "The question of costs set limits to it.") == (
        closed(reading).shift,
        closed(reading).shift_reason,
    )
    assert (
        "Conceded: Costs were left out.\nWhat pro said first still holds, within limits.\n"
        "Position: adjusted. The question of costs set limits to it."
    ) == reading.text
    assert ("PRO-1",) == closed(reading).standing_arguments


@pytest.mark.parametrize("said", ["Strengthened", " unchanged. "])
def test_a_shift_is_read_in_any_case(said: str) -> None:
    assert said.strip(" .").lower() == closed(read_close(closing("pro", shift=said), rules=RULES_2)).shift


def test_a_closing_without_a_shift_is_asked_for_again_and_keeps_its_position() -> None:
    reading = read_close(closing("pro", shift="better", shift_reason=""), rules=RULES_2)

    assert (
        "its shift is none of strengthened, weakened, adjusted, unchanged",
        "it gives no reason for its shift",
    ) == reading.faults
    assert (1, UNSET) == (reading.kept, closed(reading).shift)
    assert "Position:" not in reading.text


def test_under_version_1_a_closing_has_no_shift() -> None:
    reading = read_close(closing("pro"))

    assert ((), UNSET, UNSET) == (reading.faults, closed(reading).shift, closed(reading).shift_reason)
    assert "Not rebutted: PRO-1" in reading.text


def test_the_form_of_a_closing_with_a_shift_fits_into_two_hundred_words() -> None:
    form = schema(closing_type(NAMES[:3], RULES_2))
    most = MAX_SHIFTED["final_position"] + 3 * MAX_SHIFTED["concession"] + MAX_SHIFTED["shift_reason"]

    assert {"strengthened", "weakened", "adjusted", "unchanged"} == set(form["properties"]["shift"]["enum"])
    assert most / 6.5 <= RULES_2.closing_words
    assert () == read_close(neutral(closing_type(NAMES[:3], RULES_2)), rules=RULES_2).faults


def test_who_closes_reads_both_sides_answers() -> None:
    debate = debate_after_rounds(rubric=RUBRIC_2, until="close").debate
    said = text(closing_prompt(OPENED, debate.protocol, "pro", ""))

    assert "Your answer to that:\n| PRO-1 costs what the tram costs now, and the city pays." in said
    assert (
        "About CON-2 you asked:\n| What does CON-2 cost, and who pays?\n"
        "The other side answers:\n| CON-2 costs what the shop costs now, and the city pays."
    ) in said
    assert "- weakened: you hold it still, with less confidence" in said
    assert "An argument that holds only within limits is not among them." in said


def test_who_closes_reads_that_a_question_was_not_answered() -> None:
    debate = debate_after_rounds(rubric=RUBRIC_2, until="close", answer_con="I pass.", answer_pro="So do I.").debate
    said = text(closing_prompt(OPENED, debate.protocol, "pro", ""))

    assert "You do not answer that." in said
    assert "| What does CON-1 cost, and who pays?\nThe other side does not answer." in said


# the judge and the raters


def judged(**said: Any) -> tuple[str, str]:
    """The prompts of the judge and of a rater."""
    debate = debate_after_rounds(rubric=RUBRIC_2, **said).debate
    (seat,) = rater_seats(1)
    return text(assess_prompt(OPENED, debate)), text(panel_prompt(OPENED, debate, seat))


def test_judge_and_raters_score_responsiveness_by_the_answers() -> None:
    for said in judged():
        assert (
            "Con answers it (refute):\n| PRO-1 leaves out what it costs.\n| Question: What does PRO-1 cost, and who "
            "pays?\n\nPro answers:\n| PRO-1 costs what the tram costs now, and the city pays."
        ) in said
        assert said.count("The score for responsiveness is for the answers above") == 1
        assert "Not rebutted" not in said
        assert "| Position: adjusted. The question of costs set limits to it." in said


def test_judge_and_raters_have_the_same_standings_and_the_anchors_of_every_criterion() -> None:
    assert RUBRIC_2.criteria is not None
    for said in judged():
        assert "plausible and unproven is UNCERTAIN" in said
        for name, each in RUBRIC_2.criteria.dimensions.items():
            assert each.anchors
            assert f"- {name}: {each.asks}\n  1: {each.anchors['1']}\n  10: {each.anchors['10']}" in said


def test_the_judge_reads_a_hundred_words_of_an_answer_and_knows_it() -> None:
    said, _ = judged(answer_pro=replies("pro", n3=LONG))

    assert "Pro answers (only its first 100 words; it had 140):\n| word0 " in said
    assert ("word99" in said, "word100" in said) == (True, False)


def test_a_question_without_an_answer_and_answers_in_prose_are_shown_as_such() -> None:
    said, _ = judged(answer_pro="The city pays.", answer_con={name: replies("con")[name] for name in NAMES[3:5]})

    assert "All that Pro answers to the questions put to it:\n| The city pays." in said
    assert 4 == said.count("does not answer that.")


def test_a_rubric_without_responsiveness_does_not_speak_of_it() -> None:
    assert RUBRIC_2.criteria is not None
    kept = {name: each for name, each in RUBRIC_2.criteria.dimensions.items() if name != "responsiveness"}
    opened = replace(OPENED, rubric=replace(RUBRIC_2, criteria=replace(RUBRIC_2.criteria, dimensions=kept)))

    assert "responsiveness" not in text(assess_prompt(opened, debate_after_rounds(rubric=RUBRIC_2).debate))


def test_a_debate_with_older_prompts_gets_them_as_they_were() -> None:
    """Prompts without the new sections, under a rubric with anchors: a log from before this round existed."""
    older = {
        name: replace(each, text=f"version: 1\n--- ask\n{section(each, 'ask')}\n{_shared(name, each.text)}")
        if name in {"assess", "close"}
        else each
        for name, each in OPENED.prompts.items()
    }
    opened: DebateOpened = replace(OPENED, turns=6, prompts=older)
    debate = debate_after_rounds().debate
    said = text(assess_prompt(opened, debate))

    assert "- UPHELD: it withstood the cross-examination" in said
    assert "Specific evidence that a reader could check" not in said
    closing = text(closing_prompt(opened, debate.protocol, "pro", ""))
    assert "shift" not in closing
    assert "CON-3 (concede):\n| CON-3 leaves out what it costs." in closing


def _shared(name: str, template: str) -> str:
    """The sections that older templates have as well."""
    known = {"assess": ("argument", "answered", "unanswered", "examination", "closing", "cut"), "close": ("conceded",)}
    parts = {part.partition("\n")[0]: part.partition("\n")[2] for part in template.split("--- ")[1:]}
    return "".join(f"--- {each}\n{parts[each]}" for each in known[name])

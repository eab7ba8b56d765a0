"""Directives of version 4: each point is implied by the record, in words of the turns, and is not stale.

The cases are like those that two debates answered by hand have shown.
"""

import re

import pytest

from tests.personalities.recorded import RecordedDebate

PRO = "Bees feed us. Once hives are counted, nothing is lost by moving them. So every town needs a keeper."
CON = "A hive that is moved dies. Keepers cost money, and a town has many duties. The fields stand empty."
MORE = "A moved hive may die in winter, that is true. Still, a keeper pays for himself in one summer."


def opened_case() -> RecordedDebate:
    """Two turns; Pro's premises P1.1, P1.2 and P1.3, and Con's P2.1 and P2.2, which answers P1.2."""
    held = RecordedDebate()
    held.turn(PRO)
    held.premise("Bees feed us", "Food depends on bees.")
    held.premise("nothing is lost by moving them", "Moving hives costs nothing.")
    held.premise("every town needs a keeper", "Towns need keepers.")
    held.turn(CON)
    held.premise("A hive that is moved dies", "Moved hives die.")
    held.premise("Keepers cost money", "A keeper is a cost.")
    held.answer("P1.2")
    return held


# left without an answer


def test_only_what_the_judge_saw_no_answer_to_is_said_to_have_none() -> None:
    held = opened_case()
    held.flaw(1, "nothing is lost by moving them", "A hive that is moved dies")
    text = held.exchange()

    assert "The judge names no answer to your “Bees feed us”. Carry it further." in text
    assert "without an answer" not in text


def test_without_a_recorded_answer_nothing_is_said_of_answers() -> None:
    held = RecordedDebate()
    held.turn(PRO)
    held.premise("Bees feed us", "Food depends on bees.")
    held.turn(CON)
    held.flaw(1, "nothing is lost by moving them", "A hive that is moved dies")

    assert "answer" not in held.exchange()


def test_a_premise_in_a_sentence_with_a_doubted_claim_is_not_carried_further() -> None:
    """The premise stands on the claim: to carry it further is contrary to weakening the claim."""
    held = RecordedDebate()
    held.turn("War over hives is the rare case, and a rare case needs a rule for disputes.")
    held.premise("a rare case needs a rule for disputes", "Rare disputes call for a rule.")
    held.claim(1, "War over hives is the rare case")
    held.turn(CON)
    held.answer()

    assert "answer" not in held.exchange("con")


@pytest.mark.parametrize("how", ["revised", "withdrawn"])
def test_nothing_is_unanswered_where_the_opponent_gave_way_to_the_last_turn(how: str) -> None:
    """Which of the last turn's premises it gave way to is not on record."""
    held = opened_case()
    held.exchange("con")
    held.turn(MORE)
    if how == "revised":
        held.revise("P1.2", "Moving hives costs something.")
    else:
        held.withdraw("P1.2", "that is true")
    held.answer("P2.2")
    held.flaw(2, "Keepers cost money", "a keeper pays for himself in one summer")

    assert "answer" not in held.exchange("pro")


def test_a_premise_that_a_directive_named_is_not_named_as_unanswered() -> None:
    held = opened_case()
    held.flaw(1, "nothing is lost by moving them", "A hive that is moved dies.")
    assert "after “A hive that is moved dies”" in held.exchange("con")
    held.turn(MORE)
    held.answer("P2.2")
    held.flaw(2, "Keepers cost money", "a keeper pays for himself in one summer")

    assert "“A hive that is moved dies”" not in held.exchange("pro")


# words in quotation marks


def test_what_was_dropped_is_quoted_in_its_speakers_words() -> None:
    held = opened_case()
    held.exchange("con")
    held.turn(MORE)
    held.exchange("pro")
    held.turn("Fields need bees, and bees need fields.")
    held.drop("P2.2")
    held.exchange("pro")
    held.turn("One summer is enough.")
    text = held.exchange("pro")

    assert "you left “Keepers cost money” without a word. Defend it or give it up openly." in text
    assert "A keeper is a cost" not in text


# stale points


def test_a_weak_point_is_of_the_newest_turn_and_a_named_source_comes_first() -> None:
    held = opened_case()
    held.exchange("con")
    held.turn("Ash and Roe counted 900 hives in 2016. So every moved hive lives.")
    held.claim(3, "every moved hive lives", cost=1)
    held.claim(3, "Ash and Roe counted 900 hives in 2016", "No such count can be found.", 0, "unverifiable")
    held.flaw(2, "A hive that is moved dies", "every moved hive lives")
    text = held.exchange()

    doubted = "The judge doubts the opponent’s “Ash and Roe counted 900 hives in 2016”, because: “No such count can be"
    assert f"{doubted} found.” Press it." in text


def test_what_a_side_has_exposed_itself_it_is_not_told_to_press() -> None:
    held = opened_case()
    held.flaw(1, "nothing is lost by moving them", "A hive that is moved dies")
    held.exchange("con")
    held.turn(MORE)
    held.flaw(2, "Keepers cost money", "a keeper pays for himself in one summer")

    assert "the opponent’s" not in held.exchange("pro")


def test_a_flaw_in_words_that_were_taken_back_is_not_told() -> None:
    held = opened_case()
    held.turn(MORE)
    held.withdraw("P1.2", "A moved hive may die in winter, that is true")
    held.exchange()
    held.turn("Nothing is lost? Whole hives are.")
    held.flaw(1, "nothing is lost by moving them", "Whole hives are")

    assert "" == held.exchange()


def test_no_words_are_named_twice_but_those_that_were_dropped_since() -> None:
    held = opened_case()
    held.flaw(1, "nothing is lost by moving them", "A hive that is moved dies")
    assert "nothing is lost by moving them" in held.exchange("con")
    held.turn("Keepers know hives.")
    held.drop("P1.2")
    held.exchange("con")
    held.turn("Not one word on moving! Whole hives are lost.")
    held.flaw(1, "nothing is lost by moving them", "Whole hives are lost")
    text = held.exchange("con")

    assert 1 == text.count("nothing is lost by moving them")
    assert "you left “nothing is lost by moving them” without a word" in text


# what the flaw is


def test_a_flaw_is_told_with_the_judges_reason_without_its_bookkeeping() -> None:
    held = opened_case()
    reason = "A hive that is counted is not a hive that lives."
    held.flaw(
        1, "nothing is lost by moving them", "A hive that is moved dies", f"{reason} (it continues C1.1, which cost 1)"
    )

    assert (
        f"after “A hive that is moved dies”, because: “{reason}” Defend it, narrow it or give it up." in held.exchange()
    )


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (f"It is too wide. {'No ground is given for all of it ' * 6}.", ", because: “It is too wide.” "),
        (f"It is too wide; {'no ground is given for all of it ' * 6}.", ", because: “It is too wide”. "),
        ("It is too wide for all that was said of it " * 6, ". "),
        ("", ". "),
    ],
)
def test_a_reason_ends_where_a_sentence_or_a_clause_ends(reason: str, told: str) -> None:
    held = opened_case()
    held.claim(1, "nothing is lost by moving them", reason)

    assert f"your “nothing is lost by moving them”{told}Support it, weaken it or withdraw it." in held.exchange("con")


def test_words_over_a_break_between_sentences_are_quoted_as_whole_sentences() -> None:
    held = RecordedDebate()
    held.turn("Wherever work is named, in any trade, it became better. Keepers are no exception to that. So name them.")
    held.turn(CON)
    held.flaw(1, "it became better. Keepers are no exception", "Keepers cost money")

    whole = "Wherever work is named, in any trade, it became better. Keepers are no exception to that"
    assert f"your “{whole}” after" in held.exchange()


def test_a_reason_names_the_sides_since_its_reader_may_be_either() -> None:
    held = opened_case()
    held.flaw(
        1, "nothing is lost by moving them", "A hive that is moved dies", "The speaker forgets the opponent’s winter."
    )
    held.claim(2, "a town has many duties", "The opponent never denied it, and the speaker knows.")
    text = held.exchange("con")

    assert "because: “Pro forgets Con’s winter.”" in text
    assert "because: “Pro never denied it, and Con knows.”" in text


# how much, and when


def test_at_most_three_points_in_about_the_words_of_a_turn() -> None:
    held = opened_case()
    long = "The ground that is given for it is of one year and of one place alone, and this year was a wet one. "
    held.flaw(1, "nothing is lost by moving them", "A hive that is moved dies", long * 2, 3)
    held.claim(1, "every town needs a keeper", long * 2, 2)
    held.claim(1, "Bees feed us", long * 2, 1)
    held.claim(2, "a town has many duties", long * 2)
    text = held.exchange("con")

    assert 3 == len(re.findall(r"The judge (?:sees|doubts|names)", text))
    assert len(text) <= 1000
    assert text.index("your “nothing is lost") < text.index("the opponent’s “a town has many duties”")


def test_the_last_turn_of_a_side_is_told_a_weak_point_of_the_opponent_only() -> None:
    held = RecordedDebate(turns=4)
    held.turn(PRO)
    held.turn(CON)
    held.flaw(1, "nothing is lost by moving them", "A hive that is moved dies")
    held.claim(1, "every town needs a keeper")
    assert "" == held.exchange("con")
    held.claim(2, "a town has many duties")

    assert "The judge doubts the opponent’s “a town has many duties”. Weigh the other side without it." in (
        held.exchange("con")
    )


def test_a_side_that_is_neither_pressed_nor_shown_a_flaw_is_told_nothing() -> None:
    held = opened_case()
    held.claim(2, "a town has many duties")

    assert "" == held.exchange()


def test_a_directive_is_for_the_side_that_speaks_next() -> None:
    """One for the other side would be replaced, or be stale, after the next turn."""
    held = opened_case()
    held.claim(2, "a town has many duties")
    held.exchange("pro")
    assert {} == held.told
    held.turn(MORE)
    held.exchange()

    assert "your “a town has many duties”" in held.told[4]

"""Premises: a new one needs a quote, a named one must exist, and a dropped one must have been answered before."""

import pytest

from events.state.spine import stabilities
from events.types import (
    ClaimFlagged,
    ContradictionFound,
    OpponentAnswered,
    PenaltyApplied,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
)
from judge.live.answers import Answers
from judge.live.event_batch import EventBatch
from judge.live.spine import (
    AnsweredPremises,
    Contradicted,
    Dropped,
    FirstPremises,
    FirstReply,
    GradedPremises,
    PremisesAnswer,
    Revised,
    Stated,
    Withdrawn,
    premises_type,
    record_premises,
)
from judge.text.words import content_words
from tests.judge.turns import NO_ANSWER, debate_of, effective, events_of, given, refusals, score, speak

FIRST = "Judges are trained, so verdicts are accurate. A judge owes the crowd nothing."
TRAINED, CROWD = "Judges are trained, so verdicts are accurate", "A judge owes the crowd nothing"
OTHER = "Twelve people deliberate aloud."
SILENT = "The public can remove whoever rules badly."


def stated(text: str = "Training makes verdicts accurate", quote: str = TRAINED) -> Stated:
    return Stated(text=text, quote=quote)


def test_a_premise_may_leave_out_many_words_that_turn_nothing() -> None:
    """A run of 28 words: only the number of cuts and of sentences is bounded."""
    begin, end = "Waiting comes about by itself", "a burial comes about only if somebody judges first"
    left_out = "and it goes on year after year in a museum whose drawers are full and whose staff is tired"
    batch = debate_of(f"{begin}, {left_out}, while {end}.")
    record_premises(batch, 1, given(FirstPremises(stated=(stated("Waiting is likelier", f"{begin} … {end}"),))))

    assert [f"{begin}, {left_out}, while {end}"] == [each.quote for each in events_of(batch, PremiseStated)]


def debate(third: str = SILENT, *, answered: tuple[str, ...] | None = None) -> EventBatch:
    """A debate with P1.1 and P1.2 of pro, P2.1 of con, and turn 3 of pro without recorded premises.

    ``answered``: what turn 2 answers; ``None`` if the judge was not asked that.
    """
    batch = debate_of(FIRST, OTHER)
    score(batch, 1)
    score(batch, 2)
    second = stated("A judge is independent of the crowd", CROWD)
    record_premises(batch, 1, given(PremisesAnswer(stated=(stated(), second))))
    opposed = (stated("Deliberation mends error", OTHER),)
    reply = PremisesAnswer(stated=opposed) if answered is None else FirstReply(stated=opposed, answered=answered)
    record_premises(batch, 2, given(reply))
    speak(batch, third)
    score(batch, 3)
    return batch


def dropped(name: str, reason: str = "gone") -> PremisesAnswer:
    return PremisesAnswer(dropped=(Dropped(premise=name, reason=reason),))


def contradicted(*names: str) -> PremisesAnswer:
    return PremisesAnswer(contradictions=(Contradicted(premises=list(names), reason="it cannot be both"),))


def revised(name: str, text: str) -> PremisesAnswer:
    return PremisesAnswer(revised=(Revised(premise=name, text=text),))


def withdrawn(name: str, quote: str) -> AnsweredPremises:
    return AnsweredPremises(withdrawn=(Withdrawn(premise=name, quote=quote),))


def answers(*names: str) -> AnsweredPremises:
    return AnsweredPremises(answered=names)


def flag(batch: EventBatch, claim: str, turn: int, quote: str) -> None:
    """Enter a claim into the register."""
    found = ClaimFlagged(
        claim=claim, turn=turn, quote=quote, span=(0, len(quote)), kind="overclaim", reason="so", by="judge"
    )
    batch.add(found, batch.debate.transcript.turns[turn].spoken)


# stated


def test_premises_are_numbered_within_their_turn() -> None:
    batch = debate()

    assert {"P1.1": "pro", "P1.2": "pro", "P2.1": "con"} == {
        name: each.side for name, each in batch.debate.spine.premises.items()
    }
    assert [TRAINED, CROWD, OTHER.rstrip()] == [each.quote for each in events_of(batch, PremiseStated)]
    assert [True] * 3 == [
        each.quote == batch.debate.transcript.turns[each.turn].text[slice(*each.span)]
        for each in events_of(batch, PremiseStated)
    ]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (stated(quote="Judges are never trained"), "the quote is not in the turn, or too short to tell"),
        (stated(quote="Judges"), "the quote is not in the turn, or too short to tell"),
        (stated(quote=""), "the quote is not in the turn, or too short to tell"),
        (stated(" "), "the premise has no words"),
        (stated("training makes  Verdicts accurate"), "stated before as P1.1"),
    ],
)
def test_what_is_not_a_new_premise_is_refused(wrong: Stated, why: str) -> None:
    batch = debate(FIRST)

    record_premises(batch, 3, given(PremisesAnswer(stated=(wrong,))))

    assert [why] == refusals(batch)
    assert 3 == len(batch.debate.spine.premises)


def test_both_sides_may_stand_on_the_same_premise() -> None:
    batch = debate_of(FIRST, FIRST)

    for turn in (1, 2):
        record_premises(batch, turn, given(FirstPremises(stated=(stated(),))))

    assert ["P1.1", "P2.1"] == list(batch.debate.spine.premises)


# revised


def test_a_revision_is_kept_as_the_latest_form() -> None:
    batch = debate()

    record_premises(batch, 3, given(revised("P1.2", "A judge answers to the public")))

    assert [("P1.2", 3)] == [(each.premise, each.turn) for each in events_of(batch, PremiseRevised)]
    assert ("A judge answers to the public", "revised") == (
        batch.debate.spine.premises["P1.2"].text,
        batch.debate.spine.premises["P1.2"].state,
    )
    assert 1.0 == stabilities(batch.debate.spine)["pro"].stability


@pytest.mark.parametrize("text", ["", " — ", "A judge is independent  of the CROWD"])
def test_a_revision_that_says_nothing_new_is_refused(text: str) -> None:
    batch = debate()

    record_premises(batch, 3, given(revised("P1.2", text)))

    assert ["it says nothing new"] == refusals(batch)


# dropped


def test_a_drop_costs_credibility() -> None:
    batch = debate()

    record_premises(batch, 3, given(dropped("P1.1")))

    [drop], [penalty] = events_of(batch, PremiseDropped), events_of(batch, PenaltyApplied)
    assert ("P1.1", 3, "gone") == (drop.premise, drop.turn, drop.reason)
    assert (3, "credibility", -1, -1, "dropped_premise", batch.debate.position - 1) == (
        penalty.turn,
        penalty.dimension,
        penalty.requested,
        penalty.applied,
        penalty.rule,
        penalty.because_of,
    )
    assert (7, 20) == (effective(batch, 3, "credibility"), effective(batch, 3))
    assert 0.5 == stabilities(batch.debate.spine)["pro"].stability


@pytest.mark.parametrize("answered", [(), ("P1.2",)])
def test_a_drop_of_what_the_turn_before_did_not_answer_is_refused(answered: tuple[str, ...]) -> None:
    batch = debate(answered=answered)

    record_premises(batch, 3, given(dropped("P1.1")))

    assert ["turn 2 did not answer P1.1"] == refusals(batch)
    assert [] == events_of(batch, PremiseDropped)
    assert 8 == effective(batch, 3, "credibility")


def test_a_drop_follows_the_turn_right_before_and_no_earlier_one() -> None:
    batch = debate(answered=("P1.1",))
    record_premises(batch, 3, given(answers()))
    speak(batch, "And twelve agree.")
    record_premises(batch, 4, given(answers("P1.2")))
    speak(batch, "So be it.")

    record_premises(batch, 5, given(dropped("P1.1")))

    assert ["turn 4 did not answer P1.1"] == refusals(batch)


@pytest.mark.parametrize("third", [SILENT, FIRST])
@pytest.mark.parametrize("answered", [("P1.1",), ("P1.2", "P1.1"), None])
def test_a_drop_holds_if_the_turn_before_answered_it_or_nobody_asked(
    third: str, answered: tuple[str, ...] | None
) -> None:
    """Whatever the words: the judge reads them, and no rule compares them."""
    batch = debate(third, answered=answered)

    record_premises(batch, 3, given(dropped("P1.1")))

    assert [] == refusals(batch)
    assert ["P1.1"] == [each.premise for each in events_of(batch, PremiseDropped)]


def test_a_drop_holds_if_the_question_about_the_turn_before_has_no_answer() -> None:
    batch = debate(answered=())
    record_premises(batch, 3, given(answers()))
    speak(batch, "And twelve agree.")
    record_premises(batch, 4, NO_ANSWER)
    speak(batch, "So be it.")

    record_premises(batch, 5, given(dropped("P1.1")))

    assert ["P1.1"] == [each.premise for each in events_of(batch, PremiseDropped)]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (dropped("P9.9"), "there is no premise 'P9.9'"),
        (dropped("the first"), "there is no premise 'the first'"),
        (dropped("P2.1"), "premise P2.1 is the other side's"),
        (revised("P2.1", "new"), "premise P2.1 is the other side's"),
        (revised("P3.1", "new"), "there is no premise 'P3.1'"),
        (contradicted("P1.1", "P2.1"), "premise P2.1 is the other side's"),
        (contradicted("P7.1", "P2.1"), "there is no premise 'P7.1'; premise P2.1 is the other side's"),
        (contradicted(), "no premise is named"),
    ],
)
def test_an_id_that_cannot_be_meant_is_refused(answer: PremisesAnswer, why: str) -> None:
    batch = debate()

    record_premises(batch, 3, given(answer))

    assert [why] == refusals(batch)
    assert 8 == effective(batch, 3, "credibility")


def test_a_premise_is_dropped_once_and_then_cannot_be_named() -> None:
    batch = debate()
    record_premises(batch, 3, given(dropped("P1.1")))

    for answer in (dropped("P1.1"), revised("P1.1", "new"), contradicted("P1.1")):
        record_premises(batch, 3, given(answer))

    assert ["premise P1.1 was dropped before"] * 3 == refusals(batch)
    assert 7 == effective(batch, 3, "credibility")


def test_under_rubric_v2_a_dropped_premise_may_be_taken_up_again() -> None:
    batch = debate()
    record_premises(batch, 3, given(dropped("P1.1")))
    record_premises(batch, 3, given(GradedPremises(revised=(Revised(premise="P1.1", text="Training helps"),))))

    assert ("revised", "Training helps") == (
        batch.debate.spine.premises["P1.1"].state,
        batch.debate.spine.premises["P1.1"].text,
    )
    assert [] == refusals(batch)


@pytest.mark.parametrize(
    ("answer", "state", "text"),
    [
        (withdrawn("P1.1", SILENT), "withdrawn", "Training makes verdicts accurate"),
        (AnsweredPremises(revised=(Revised(premise="P1.1", text="Training helps"),)), "revised", "Training helps"),
        (
            AnsweredPremises(revised=(Revised(premise="P1.1", text="Training makes verdicts accurate"),)),
            "revised",
            "Training makes verdicts accurate",
        ),
    ],
)
def test_a_dropped_premise_may_be_withdrawn_revised_or_taken_up_in_the_same_words(
    answer: AnsweredPremises, state: str, text: str
) -> None:
    """Under the template that asks what a turn answers.  What the drop has cost is not given back."""
    batch = debate(answered=("P1.1",))
    record_premises(batch, 3, given(dropped("P1.1")))
    speak(batch, OTHER)
    speak(batch, SILENT)

    record_premises(batch, 5, given(answer))

    premise = batch.debate.spine.premises["P1.1"]
    assert [] == refusals(batch)
    assert (state, text) == (premise.state, premise.text)
    assert ["dropped", state] == [each.what for each in premise.changes]
    assert 7 == effective(batch, 3, "credibility")


def test_under_an_older_template_a_dropped_premise_is_not_withdrawn() -> None:
    batch = debate()
    record_premises(batch, 3, given(dropped("P1.1")))

    late = GradedPremises(withdrawn=(Withdrawn(premise="P1.1", quote=SILENT),))
    record_premises(batch, 3, given(late))

    assert ["premise P1.1 was dropped before"] == refusals(batch)


def test_a_premise_is_withdrawn_once() -> None:
    batch = debate(answered=("P1.1",))
    record_premises(batch, 3, given(withdrawn("P1.1", SILENT)))
    speak(batch, OTHER)
    speak(batch, SILENT)

    record_premises(batch, 5, given(withdrawn("P1.1", SILENT)))

    assert ["premise P1.1 was withdrawn before"] == refusals(batch)
    assert [("P1.1", 3)] == [(each.premise, each.turn) for each in events_of(batch, PremiseWithdrawn)]


def test_a_dropped_premise_is_taken_up_by_its_own_side_only() -> None:
    batch = debate()
    record_premises(batch, 3, given(dropped("P1.1")))
    speak(batch, OTHER)
    score(batch, 4)
    record_premises(batch, 4, given(GradedPremises(revised=(Revised(premise="P1.1", text="Training helps"),))))

    assert "dropped" == batch.debate.spine.premises["P1.1"].state
    assert ["premise P1.1 is the other side's"] == refusals(batch)


def test_a_dropped_premise_may_come_back_as_a_new_one() -> None:
    batch = debate()
    record_premises(batch, 3, given(dropped("P1.1")))
    speak(batch, "No.")
    speak(batch, FIRST)

    record_premises(batch, 5, given(PremisesAnswer(stated=(stated(),))))

    assert ["P1.1", "P1.2", "P2.1", "P5.1"] == list(batch.debate.spine.premises)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            PremisesAnswer(stated=(stated("Removal", SILENT),), dropped=(Dropped(premise="P3.1"),)),
            "turn 3 itself states P3.1",
        ),
        (
            PremisesAnswer(revised=(Revised(premise="P1.1", text="new"),), dropped=(Dropped(premise="P1.1"),)),
            "turn 3 revises P1.1",
        ),
        (
            PremisesAnswer(contradictions=(Contradicted(premises=["P1.1"]),), dropped=(Dropped(premise="P1.1"),)),
            "turn 3 contradicts P1.1, which is not silence",
        ),
    ],
)
def test_what_is_spoken_of_is_not_dropped_in_silence(answer: PremisesAnswer, why: str) -> None:
    batch = debate()

    record_premises(batch, 3, given(answer))

    assert [why] == refusals(batch)
    assert [] == events_of(batch, PremiseDropped)


# contradictions


def test_a_contradiction_names_its_turns_and_costs_credibility() -> None:
    batch = debate()
    both = PremisesAnswer(
        stated=(stated("Judges answer to the public", SILENT),),
        contradictions=(Contradicted(premises=["P1.2", "P3.1", "P1.2"], reason="it cannot be both"),),
    )

    record_premises(batch, 3, given(both))

    [found], [penalty] = events_of(batch, ContradictionFound), events_of(batch, PenaltyApplied)
    assert ("pro", (1, 3), ("P1.2", "P3.1")) == (found.side, found.turns, found.premises)
    assert (-2, -2, "contradiction") == (penalty.requested, penalty.applied, penalty.rule)
    assert 6 == effective(batch, 3, "credibility")


def test_a_contradiction_is_found_once() -> None:
    batch = debate()

    for _ in range(2):
        record_premises(batch, 3, given(contradicted("P1.1", "P1.2")))
    record_premises(batch, 3, given(contradicted("P1.2", "P1.1")))

    assert ["the contradiction was found before"] * 2 == refusals(batch)
    assert 6 == effective(batch, 3, "credibility")


def test_a_premise_does_not_contradict_the_turn_that_states_it() -> None:
    batch = debate()
    alone = PremisesAnswer(stated=(stated("Removal", SILENT),), contradictions=(Contradicted(premises=["P3.1"]),))

    record_premises(batch, 3, given(alone))

    assert ["turn 3 itself states P3.1"] == refusals(batch)


# samples, and none


@pytest.mark.parametrize(
    ("samples", "gone", "refused"),
    [
        ([dropped("P1.1"), dropped("P1.1"), dropped("P1.2")], ["P1.1"], ["only 1 of 3 samples find it"]),
        ([dropped("P1.1"), PremisesAnswer()], [], ["only 1 of 2 samples find it"]),
        ([PremisesAnswer(), dropped("P1.1"), dropped("P1.1")], ["P1.1"], []),
        ([FirstPremises(), dropped("P1.1"), dropped("P1.1")], ["P1.1"], []),
    ],
)
def test_more_than_half_of_the_samples_must_find_a_drop(
    samples: list[FirstPremises],
    gone: list[str],
    refused: list[str],
) -> None:
    batch = debate()

    record_premises(batch, 3, given(*samples))

    assert gone == [each.premise for each in events_of(batch, PremiseDropped)]
    assert refused == refusals(batch)


def test_more_than_half_of_the_samples_must_find_a_contradiction() -> None:
    batch = debate()

    record_premises(batch, 3, given(contradicted("P1.1", "P1.2"), contradicted("P1.2", "P1.1"), contradicted("P1.1")))

    assert [("P1.1", "P1.2")] == [tuple(sorted(each.premises)) for each in events_of(batch, ContradictionFound)]
    assert ["only 1 of 3 samples find it"] == refusals(batch)


@pytest.mark.parametrize("answers", [NO_ANSWER, given(), given(PremisesAnswer()), given(FirstPremises())])
def test_nothing_said_changes_nothing(answers: Answers[FirstPremises]) -> None:
    batch = debate()
    before = batch.debate

    record_premises(batch, 3, answers)

    assert before is batch.debate


def test_a_turn_without_a_score_pays_nothing() -> None:
    batch = debate()
    speak(batch, OTHER)
    speak(batch, "And now for something else.")

    record_premises(batch, 5, given(dropped("P1.1")))

    assert ["P1.1"] == [each.premise for each in events_of(batch, PremiseDropped)]
    assert [] == events_of(batch, PenaltyApplied)


@pytest.mark.parametrize(
    ("version", "mine", "other"),
    [(0, PremisesAnswer, FirstPremises), (2, GradedPremises, FirstPremises), (3, AnsweredPremises, FirstReply)],
)
def test_what_may_be_answered_follows_from_what_there_is(
    version: int, mine: type[FirstPremises], other: type[FirstPremises]
) -> None:
    batch = debate_of(FIRST)
    assert FirstPremises is premises_type(batch.debate.spine, "pro", version)

    record_premises(batch, 1, given(FirstPremises(stated=(stated(),))))

    assert mine is premises_type(batch.debate.spine, "pro", version)
    assert other is premises_type(batch.debate.spine, "con", version)


# what a turn answers


def test_what_a_turn_answers_is_recorded_once_for_each_id() -> None:
    batch = debate(answered=())
    flag(batch, "C2.1", 2, OTHER)

    record_premises(batch, 3, given(answers("P2.1", "C2.1", "P2.1")))

    assert [(2, ()), (3, ("P2.1", "C2.1"))] == [
        (each.turn, each.answered) for each in events_of(batch, OpponentAnswered)
    ]
    assert {2: (), 3: ("P2.1", "C2.1")} == batch.debate.spine.answered
    assert [] == refusals(batch)


@pytest.mark.parametrize("name", ["P1.1", "C1.1", "P3.1", "C3.1", "P9.9", "C9.9", "turn 2", ""])
def test_only_what_the_opponent_has_said_before_is_answered(name: str) -> None:
    """Not a premise or claim of the side itself, of the same turn, or one that does not exist."""
    batch = debate(answered=())
    flag(batch, "C1.1", 1, TRAINED)
    flag(batch, "C3.1", 3, SILENT)
    reply = AnsweredPremises(stated=(stated("Removal", SILENT),), answered=(name, "P2.1"))

    record_premises(batch, 3, given(reply))

    assert ("P2.1",) == batch.debate.spine.answered[3]
    assert ["it is no premise or claim of the opponent"] == refusals(batch)


def test_a_judge_that_was_not_asked_says_nothing_of_what_a_turn_answers() -> None:
    batch = debate()

    record_premises(batch, 3, given(GradedPremises()))

    assert [] == events_of(batch, OpponentAnswered)
    assert {} == batch.debate.spine.answered


@pytest.mark.parametrize(
    ("samples", "found", "refused"),
    [
        ([answers("P2.1"), answers(), answers("P2.1")], ("P2.1",), []),
        ([answers(), answers("P2.1", "C2.1"), answers("P2.1")], ("P2.1",), ["only 1 of 3 samples find it"]),
        ([answers("P2.1"), answers(), answers()], (), ["only 1 of 3 samples find it"]),
        ([answers("P2.1", "P2.1"), answers(), answers()], (), ["only 1 of 3 samples find it"]),
    ],
)
def test_more_than_half_of_the_samples_must_name_what_a_turn_answers(
    samples: list[FirstPremises], found: tuple[str, ...], refused: list[str]
) -> None:
    batch = debate(answered=())
    flag(batch, "C2.1", 2, OTHER)

    record_premises(batch, 3, given(*samples))

    assert found == batch.debate.spine.answered[3]
    assert refused == refusals(batch)


# words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cars are on the road, and a car is a car.", ["car", "road", "car", "car"]),
        ("Investing; invested INVESTMENTS", ["invest", "invest", "invest"]),
        ("gas glass classes", ["gas", "glass", "classe"]),
        ("It was so, and that is all.", []),
        ("l'école — Straße, 63 percent", ["école", "strass", "percen"]),
    ],
)
def test_content_words(text: str, words: list[str]) -> None:
    assert words == list(content_words(text))


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("de", "Die Straßenbahnen werden nicht teurer", ["strass", "teurer"]),
        ("fr", "Les tramways ne sont pas plus chers", ["tramwa", "cher"]),
        ("es", "Los tranvías también cuestan", ["tranví", "cuesta"]),
        ("hi", "ट्राम में अधिक लोग जाते हैं", ["ट्राम", "अधिक", "लोग"]),
        ("zh", "因为电车可以代替汽车", ["电车", "代替", "汽车"]),
        ("ar", "والسيّارات في المدينة", ["سيارات"[:6], "مدينة"]),
        ("ar", "لأنّ السيارات للمدينة", ["سيارات"[:6], "مدينة"]),
    ],
)
def test_content_words_of_other_languages(language: str, text: str, words: list[str]) -> None:
    assert words == list(content_words(text, language))

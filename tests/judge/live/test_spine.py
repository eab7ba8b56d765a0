"""Premises: what is stated must be quoted, what is named must exist, what is dropped must be gone."""

import pytest

from events.state.spine import Premise, stabilities
from events.types import ContradictionFound, PenaltyApplied, PremiseDropped, PremiseRevised, PremiseStated
from judge.live.event_batch import Answers, EventBatch
from judge.live.spine import (
    Contradicted,
    Dropped,
    FirstPremises,
    PremisesAnswer,
    Revised,
    Stated,
    is_absent,
    premises_type,
    trace,
)
from judge.live.words import content_words
from tests.judge.court import NOTHING, court, effective, events, given, refusals, score, speak

FIRST = "Judges are trained, so verdicts are accurate. A judge owes the crowd nothing."
TRAINED, CROWD = "Judges are trained, so verdicts are accurate", "A judge owes the crowd nothing"
OTHER = "Twelve people deliberate aloud."
SILENT = "The public can remove whoever rules badly."
KEPT = "Training makes every verdict accurate, and each judge is trained."


def stated(text: str = "Training makes verdicts accurate", quote: str = TRAINED) -> Stated:
    return Stated(text=text, quote=quote)


def debate(third: str = SILENT) -> EventBatch:
    """P1.1, P1.2 of pro, P2.1 of con, and turn 3 of pro to be traced."""
    desk = court(FIRST, OTHER)
    score(desk, 1)
    score(desk, 2)
    second = stated("A judge is independent of the crowd", CROWD)
    trace(desk, 1, given(PremisesAnswer(stated=(stated(), second))))
    trace(desk, 2, given(PremisesAnswer(stated=(stated("Deliberation mends error", OTHER),))))
    speak(desk, third)
    score(desk, 3)
    return desk


def dropped(name: str, reason: str = "gone") -> PremisesAnswer:
    return PremisesAnswer(dropped=(Dropped(premise=name, reason=reason),))


def contradicted(*names: str) -> PremisesAnswer:
    return PremisesAnswer(contradictions=(Contradicted(premises=list(names), reason="it cannot be both"),))


def revised(name: str, text: str) -> PremisesAnswer:
    return PremisesAnswer(revised=(Revised(premise=name, text=text),))


# stated


def test_premises_are_numbered_within_their_turn() -> None:
    desk = debate()

    assert {"P1.1": "pro", "P1.2": "pro", "P2.1": "con"} == {
        name: each.side for name, each in desk.debate.spine.premises.items()
    }
    assert [TRAINED, CROWD, OTHER.rstrip()] == [each.quote for each in events(desk, PremiseStated)]
    assert [True] * 3 == [
        each.quote == desk.debate.transcript.turns[each.turn].text[slice(*each.span)]
        for each in events(desk, PremiseStated)
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
    desk = debate(FIRST)

    trace(desk, 3, given(PremisesAnswer(stated=(wrong,))))

    assert [why] == refusals(desk)
    assert 3 == len(desk.debate.spine.premises)


def test_both_sides_may_stand_on_the_same_premise() -> None:
    desk = court(FIRST, FIRST)

    for turn in (1, 2):
        trace(desk, turn, given(FirstPremises(stated=(stated(),))))

    assert ["P1.1", "P2.1"] == list(desk.debate.spine.premises)


# revised


def test_a_revision_is_kept_as_the_latest_form() -> None:
    desk = debate()

    trace(desk, 3, given(revised("P1.2", "A judge answers to the public")))

    assert [("P1.2", 3)] == [(each.premise, each.turn) for each in events(desk, PremiseRevised)]
    assert ("A judge answers to the public", "revised") == (
        desk.debate.spine.premises["P1.2"].text,
        desk.debate.spine.premises["P1.2"].state,
    )
    assert 1.0 == stabilities(desk.debate.spine)["pro"].stability


@pytest.mark.parametrize("text", ["", " — ", "A judge is independent  of the CROWD"])
def test_a_revision_that_says_nothing_new_is_refused(text: str) -> None:
    desk = debate()

    trace(desk, 3, given(revised("P1.2", text)))

    assert ["it says nothing new"] == refusals(desk)


# dropped


def test_a_drop_that_the_words_bear_out_costs_credibility() -> None:
    desk = debate()

    trace(desk, 3, given(dropped("P1.1")))

    [drop], [penalty] = events(desk, PremiseDropped), events(desk, PenaltyApplied)
    assert ("P1.1", 3, "gone") == (drop.premise, drop.turn, drop.reason)
    assert (3, "credibility", -1, -1, "dropped_premise", desk.debate.position - 1) == (
        penalty.turn,
        penalty.dimension,
        penalty.requested,
        penalty.applied,
        penalty.rule,
        penalty.because_of,
    )
    assert (7, 20) == (effective(desk, 3, "credibility"), effective(desk, 3))
    assert 0.5 == stabilities(desk.debate.spine)["pro"].stability


def test_a_drop_that_the_words_deny_is_refused() -> None:
    desk = debate(KEPT)

    trace(desk, 3, given(dropped("P1.1")))

    assert ["the words of P1.1 still stand in turn 3"] == refusals(desk)
    assert 8 == effective(desk, 3, "credibility")


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
    desk = debate()

    trace(desk, 3, given(answer))

    assert [why] == refusals(desk)
    assert 8 == effective(desk, 3, "credibility")


def test_a_premise_is_dropped_once_and_then_cannot_be_named() -> None:
    desk = debate()
    trace(desk, 3, given(dropped("P1.1")))

    for answer in (dropped("P1.1"), revised("P1.1", "new"), contradicted("P1.1")):
        trace(desk, 3, given(answer))

    assert ["premise P1.1 was dropped before"] * 3 == refusals(desk)
    assert 7 == effective(desk, 3, "credibility")


def test_a_dropped_premise_may_come_back_as_a_new_one() -> None:
    desk = debate()
    trace(desk, 3, given(dropped("P1.1")))
    speak(desk, "No.")
    speak(desk, FIRST)

    trace(desk, 5, given(PremisesAnswer(stated=(stated(),))))

    assert ["P1.1", "P1.2", "P2.1", "P5.1"] == list(desk.debate.spine.premises)


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
    desk = debate()

    trace(desk, 3, given(answer))

    assert [why] == refusals(desk)
    assert [] == events(desk, PremiseDropped)


# contradictions


def test_a_contradiction_names_its_turns_and_costs_credibility() -> None:
    desk = debate()
    both = PremisesAnswer(
        stated=(stated("Judges answer to the public", SILENT),),
        contradictions=(Contradicted(premises=["P1.2", "P3.1", "P1.2"], reason="it cannot be both"),),
    )

    trace(desk, 3, given(both))

    [found], [penalty] = events(desk, ContradictionFound), events(desk, PenaltyApplied)
    assert ("pro", (1, 3), ("P1.2", "P3.1")) == (found.side, found.turns, found.premises)
    assert (-2, -2, "contradiction") == (penalty.requested, penalty.applied, penalty.rule)
    assert 6 == effective(desk, 3, "credibility")


def test_a_contradiction_is_found_once() -> None:
    desk = debate()

    for _ in range(2):
        trace(desk, 3, given(contradicted("P1.1", "P1.2")))
    trace(desk, 3, given(contradicted("P1.2", "P1.1")))

    assert ["the contradiction was found before"] * 2 == refusals(desk)
    assert 6 == effective(desk, 3, "credibility")


def test_a_premise_does_not_contradict_the_turn_that_states_it() -> None:
    desk = debate()
    alone = PremisesAnswer(stated=(stated("Removal", SILENT),), contradictions=(Contradicted(premises=["P3.1"]),))

    trace(desk, 3, given(alone))

    assert ["turn 3 itself states P3.1"] == refusals(desk)


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
    desk = debate()

    trace(desk, 3, given(*samples))

    assert gone == [each.premise for each in events(desk, PremiseDropped)]
    assert refused == refusals(desk)


def test_more_than_half_of_the_samples_must_find_a_contradiction() -> None:
    desk = debate()

    trace(desk, 3, given(contradicted("P1.1", "P1.2"), contradicted("P1.2", "P1.1"), contradicted("P1.1")))

    assert [("P1.1", "P1.2")] == [tuple(sorted(each.premises)) for each in events(desk, ContradictionFound)]
    assert ["only 1 of 3 samples find it"] == refusals(desk)


@pytest.mark.parametrize("answers", [NOTHING, given(), given(PremisesAnswer()), given(FirstPremises())])
def test_nothing_said_changes_nothing(answers: Answers[FirstPremises]) -> None:
    desk = debate()
    before = desk.debate

    trace(desk, 3, answers)

    assert before is desk.debate


def test_a_turn_without_a_score_pays_nothing() -> None:
    desk = debate()
    speak(desk, OTHER)
    speak(desk, "And now for something else.")

    trace(desk, 5, given(dropped("P1.1")))

    assert ["P1.1"] == [each.premise for each in events(desk, PremiseDropped)]
    assert [] == events(desk, PenaltyApplied)


def test_what_may_be_answered_follows_from_what_there_is() -> None:
    desk = court(FIRST)
    assert FirstPremises is premises_type(desk.debate.spine, "pro")

    trace(desk, 1, given(FirstPremises(stated=(stated(),))))

    assert PremisesAnswer is premises_type(desk.debate.spine, "pro")
    assert FirstPremises is premises_type(desk.debate.spine, "con")


# words


@pytest.mark.parametrize(
    ("text", "quote", "turn", "absent"),
    [
        ("Training makes verdicts accurate", TRAINED, SILENT, True),
        ("Training makes verdicts accurate", TRAINED, KEPT, False),
        ("Trams carry people", "trams carry people", "TRAMS carry on.", False),  # 2 of 3
        ("Trams carry people", "trams carry people", "Trams are fine.", True),  # 1 of 3
        ("Trams carry", "trams carry", "Trams are fine.", False),  # 1 of 2 is half, not less
        ("Investing pays", "investing pays", "They invested, and it pays.", False),
        ("It is so", "it is what it is", "Nothing at all.", False),  # no content word: nothing to miss
        ("Cars", "the cars", "", True),
    ],
)
def test_absence_is_counted_in_content_words(text: str, quote: str, turn: str, absent: bool) -> None:
    premise = Premise(side="pro", turn=1, text=text, quote=quote, span=(0, 1), state="kept", stated=1)

    assert absent == is_absent(premise, turn)


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

"""The briefing for a person who must decide."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.folds import protocol as rounds
from events.state.folds.panel import standings_words
from events.state.parts.panel import INITIAL as NO_PANEL
from events.state.parts.panel import PanelState
from events.state.parts.rounds import ProtocolState
from events.types import (
    Argument,
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    BothSides,
    Briefing,
    ClosingStated,
    CrossExaminationFaulted,
    DebateOpened,
    Event,
    FallacyFound,
    ItemStandings,
    Missing,
    PanelConcluded,
    QuestionsAnswered,
    Reason,
    Standing,
    missing,
    other,
)
from events.types.criteria import ProtocolRules
from tests.events.samples import opened as plain_opened

NOTHING = Missing(Reason("the judge was silent"))


def opened(**changes: Any) -> DebateOpened:
    return replace(plain_opened(), format="protocol", **changes)


class Rounds:
    """A protocol that grows event by event."""

    def __init__(self, seats: DebateOpened | None = None) -> None:
        self.opened = seats or opened()
        self.protocol: ProtocolState = ProtocolState()
        self.panel: PanelState = NO_PANEL
        self.position = 1

    def add(self, *events: Event) -> "Rounds":
        for event in events:
            self.position += 1
            record = Recorded(
                debate="d",
                position=self.position,
                id="",
                at="",
                cause=None,
                schema=1,
                salt=b"",
                payload=b"",
                digest=b"",
                event=event,
            )
            self.protocol = rounds.apply(self.protocol, self.opened, record, self.panel)
        return self

    @property
    def briefing(self) -> Briefing:
        assert isinstance(self.protocol.briefing, Briefing)
        return self.protocol.briefing


def opens(side: Any, evidence: str = "The counts of 2019.", faults: tuple[str, ...] = ()) -> ArgumentsOpened:
    name = side.upper()
    topics = ("trams carry more people", "noise keeps children awake")
    return ArgumentsOpened(
        side=side,
        turn=1 if side == "pro" else 2,
        faults=faults,
        arguments=tuple(
            Argument(id=f"{name}-{n}", claim=f"For {side}, {topic}.", reasoning="Because it does.", evidence=evidence)
            for n, topic in enumerate(topics, 1)
        ),
    )


def answers(name: str, follow_up: str) -> ArgumentCrossExamined:
    by: Any = other("pro" if name.startswith("PRO") else "con")
    return ArgumentCrossExamined(
        by=by, turn=3, target=name, response="challenge", reasoning="Not shown.", follow_up=follow_up
    )


FOLLOW_UPS = {
    "PRO-1": "How many people ride at night?",
    "PRO-2": "Which street was measured?",
    "CON-1": "Who delivers to the shops today?",
    "CON-2": "What would a windowpane cost?",
}


def traced(name: str, standing: Standing = "UPHELD", evidence: float = 8.0) -> ArgumentTraced:
    return ArgumentTraced(argument=name, standing=standing, scores={"evidence": evidence}, total=6.0)


def assessed(pro: float | Missing = 18.0, con: float | Missing = 15.5, **changes: Any) -> AssessmentGiven:
    return AssessmentGiven(pro_total=pro, con_total=con, **changes)


def debated() -> Rounds:
    """Both sides have opened, and all arguments are answered."""
    return Rounds().add(opens("pro"), opens("con"), *(answers(*each) for each in FOLLOW_UPS.items()))


def panel(outcome: Any, *advice: str) -> PanelState:
    empty = BothSides(pro=missing("x"), con=missing("x"))
    return PanelState(
        says="The panel names no winner: the raters are divided.",
        conclusion=PanelConcluded(
            outcome=outcome,
            winner="neither",
            leaning="pro",
            weights={},
            topic_type="default",
            weighted=empty,
            calibrated=empty,
            gap=missing("x"),
            advice=advice,
        ),
    )


@pytest.mark.parametrize(
    ("pro", "con", "meaning"),
    [
        (15.0, 15.0, "evenly matched: 0 points apart, less than 1"),
        (15.95, 15.0, "evenly matched: 0.95 points apart, less than 1"),
        (16.0, 15.0, "the judge’s totals put Pro ahead, not clearly: 1 point apart, at most 3"),
        (15.0, 18.0, "the judge’s totals put Con ahead, not clearly: 3 points apart, at most 3"),
        (15.0, 18.05, "the judge’s totals put Con clearly ahead: 3.05 points apart, more than 3"),
    ],
)
def test_the_gap_is_described_in_words(pro: float, con: float, meaning: str) -> None:
    briefing = debated().add(assessed(pro, con)).briefing

    assert meaning == briefing.meaning
    assert round(abs(pro - con), 2) == briefing.gap


def test_the_bounds_of_the_gap_are_the_rubrics() -> None:
    rules = with_rules(even_within=2.0, clear_above=2.5)

    assert "evenly matched" in Rounds(rules).add(assessed(15.0, 16.9)).briefing.meaning
    assert "the judge’s totals put Con clearly ahead" in Rounds(rules).add(assessed(15.0, 17.6)).briefing.meaning


def test_a_single_reading_is_a_caution_only_where_there_is_one() -> None:
    once = "The judge read the debate once, with Pro first."
    failed = assessed(NOTHING, NOTHING, missing=Reason("it timed out"))

    assert once in Rounds(with_rules(both_orders=True)).add(assessed()).briefing.cautions
    assert once not in Rounds(with_rules(both_orders=False)).add(assessed()).briefing.cautions
    assert once not in Rounds(with_rules(both_orders=True)).add(failed).briefing.cautions


def with_rules(**changes: float) -> DebateOpened:
    before = opened()
    return replace(before, rubric=replace(before.rubric, protocol=ProtocolRules(**changes)))


def test_a_missing_total_is_no_gap() -> None:
    briefing = debated().add(assessed(con=NOTHING)).briefing

    assert missing("Con: the judge was silent") == briefing.gap
    assert "no gap can be stated: the assessment is not complete" == briefing.meaning


def test_arguments_are_listed_by_their_standing() -> None:
    briefing = (
        debated()
        .add(
            traced("PRO-1"),
            traced("PRO-2", "PARTIALLY_UPHELD"),
            traced("CON-1", "REFUTED"),
            traced("CON-2", "UNCERTAIN"),
            assessed(),
        )
        .briefing
    )

    assert (("PRO-1",), ("PRO-2",), ("CON-1",), ("CON-2",)) == (
        briefing.rely_on,
        briefing.with_care,
        briefing.do_not_use,
        briefing.still_open,
    )


def test_an_argument_without_a_standing_is_still_open() -> None:
    briefing = (
        debated()
        .add(
            traced("PRO-1"),
            ArgumentTraced(argument="PRO-2", total=NOTHING, missing=Reason("left out")),
            assessed(),
        )
        .briefing
    )

    assert ("PRO-2", "CON-1", "CON-2") == briefing.still_open
    assert "PRO-2 has no total: the judge was silent." in briefing.cautions


def test_the_briefing_repeats_the_judges_assessment() -> None:
    briefing = (
        debated().add(assessed(key_insight="K.", unresolved_questions=("Who pays?",), recommendation="R.")).briefing
    )

    assert ("K.", ("Who pays?",), "R.") == (briefing.key_insight, briefing.unresolved, briefing.recommendation)


def test_follow_ups_of_unsettled_arguments_are_to_be_found_out() -> None:
    briefing = (
        debated()
        .add(
            traced("PRO-1"),
            traced("PRO-2", "PARTIALLY_UPHELD"),
            traced("CON-1", "REFUTED"),
            traced("CON-2", "UNCERTAIN"),
            assessed(unresolved_questions=("Who pays for the trams?",)),
        )
        .briefing
    )

    assert (
        "Who pays for the trams?",
        "PRO-2: Which street was measured?",
        "CON-2: What would a windowpane cost?",
    ) == briefing.find_out


def test_a_question_that_was_answered_is_to_be_found_out_only_if_its_argument_stayed_uncertain() -> None:
    given = {"PRO-1": "Two of ten.", "PRO-2": "The main street."}
    settled = QuestionsAnswered(side="pro", turn=5, answers=given, words=dict.fromkeys(given, 3))
    briefing = (
        debated()
        .add(
            settled,
            traced("PRO-1", "UNCERTAIN"),
            traced("PRO-2", "PARTIALLY_UPHELD"),
            traced("CON-1", "PARTIALLY_UPHELD"),
            traced("CON-2", "UPHELD"),
            assessed(),
        )
        .briefing
    )

    assert (f"PRO-1: {FOLLOW_UPS['PRO-1']}", f"CON-1: {FOLLOW_UPS['CON-1']}") == briefing.find_out


def test_answers_without_their_form_are_a_caution() -> None:
    faulty = QuestionsAnswered(side="con", turn=6, answers={}, words={}, faults=("CON-1 is not answered",))
    briefing = debated().add(faulty, assessed()).briefing

    assert "Con's answers did not keep the form: CON-1 is not answered." in briefing.cautions


def test_similar_questions_are_listed_once() -> None:
    again = Rounds().add(
        opens("pro"),
        opens("con"),
        answers("PRO-1", "Who pays for the trams?"),
        answers("PRO-2", "And who pays for the trams?"),
        answers("CON-1", "Which shops are meant?"),
        answers("CON-2", "Which nurses?"),
        assessed(unresolved_questions=("Who pays for the trams?",)),
    )

    assert ("Who pays for the trams?", "CON-1: Which shops are meant?", "CON-2: Which nurses?") == (
        again.briefing.find_out
    )


def test_missing_and_weak_evidence_is_to_be_found_out() -> None:
    briefing = (
        Rounds()
        .add(
            opens("pro", evidence=""),
            opens("con"),
            *(answers(*each) for each in FOLLOW_UPS.items()),
            traced("PRO-1"),
            traced("PRO-2", "REFUTED"),
            traced("CON-1", evidence=5.0),
            traced("CON-2", evidence=5.5),
            assessed(),
        )
        .briefing
    )

    assert (
        "PRO-1: what evidence is there that “For pro, trams carry more people”? None was given.",
        "CON-1: is there better evidence than “The counts of 2019”? It was scored 5 of 10.",
    ) == briefing.find_out


def test_an_unanswered_argument_is_to_be_tested() -> None:
    briefing = Rounds().add(opens("pro"), traced("PRO-1"), traced("PRO-2", "UNCERTAIN"), assessed()).briefing

    assert (
        "PRO-2: does it hold that “For pro, noise keeps children awake”? It was not put to the test.",
    ) == briefing.find_out
    assert "PRO-1 was not answered in cross-examination." in briefing.cautions


def test_cautions_name_models_faults_and_fallacies_once() -> None:
    seats = opened()
    tiny = "A tiny model."
    seats = replace(
        seats,
        judge=replace(seats.judge, caveat=tiny),
        pro=replace(seats.pro, caveat=tiny),
        con=replace(seats.con, caveat="Scripted."),
    )
    briefing = (
        Rounds(seats)
        .add(
            opens("pro", faults=("there are 2 arguments",)),
            opens("con"),
            *(answers(*each) for each in FOLLOW_UPS.items()),
            CrossExaminationFaulted(by="con", turn=4, faults=("PRO-9 is none", "so"), free_text=""),
            ClosingStated(
                side="con",
                turn=6,
                concessions=(),
                standing_arguments=(),
                final_position="x",
                words=900,
                faults=("it has 900 words",),
            ),
            FallacyFound(argument="PRO-1", fallacy="straw_man", quote="all of them", turn=1, span=(0, 3)),
            assessed(),
        )
        .briefing
    )

    assert (
        tiny,
        "Scripted.",
        "Pro's opening did not keep the form: there are 2 arguments.",
        "Con's cross-examination did not keep the form: PRO-9 is none; so.",
        "Con's closing did not keep the form: it has 900 words.",
        "PRO-1: straw man in “all of them”.",
    ) == briefing.cautions


def test_one_model_in_every_seat_is_a_caution() -> None:
    seats = opened()
    one = replace(seats.pro, model="ollama:qwen3")
    same = replace(seats, pro=one, con=one, judge=replace(seats.judge, model=one.model))
    script = replace(seats, con=seats.pro, judge=replace(seats.judge, model=seats.pro.model))

    assert not any("same model" in each for each in Rounds(script).add(assessed()).briefing.cautions)
    assert any("the same model" in each for each in Rounds(same).add(assessed()).briefing.cautions)
    assert not any("same model" in each for each in Rounds(seats).add(assessed()).briefing.cautions)


def test_a_judge_that_failed_still_leaves_a_briefing() -> None:
    briefing = debated().add(assessed(NOTHING, NOTHING, missing=Reason("it timed out"))).briefing

    assert missing("it timed out") == briefing.gap
    assert "There is no assessment: it timed out." in briefing.cautions
    assert tuple(FOLLOW_UPS) == briefing.still_open
    assert "PRO-1: How many people ride at night?" in briefing.find_out


def test_the_panels_advice_is_to_be_found_out_too() -> None:
    debate = debated().add(assessed())
    before = debate.protocol
    debate.panel = panel("irreconcilable", "Have the street measured by somebody who lives elsewhere.")
    assert debate.panel.conclusion
    debate.add(debate.panel.conclusion)

    assert "Have the street measured by somebody who lives elsewhere." in debate.briefing.find_out
    assert debate.panel.says in debate.briefing.cautions
    assert before.arguments is debate.protocol.arguments


def test_a_panel_that_concluded_first_counts_too() -> None:
    debate = debated()
    debate.panel = panel("contested", "Ask the shops.")
    assert debate.panel.conclusion
    debate.add(debate.panel.conclusion)

    assert not debate.protocol.briefing
    assert "Ask the shops." in debate.add(assessed()).briefing.find_out


# the fold


def test_the_round_moves_on_when_both_sides_have_spoken() -> None:
    debate = Rounds()
    seen = [debate.protocol.round]
    closings = [
        ClosingStated(side=side, turn=5, concessions=(), standing_arguments=(), final_position="x", words=1)
        for side in ("pro", "con")
    ]
    for event in (opens("pro"), opens("con"), answers("CON-1", "?"), answers("PRO-1", "?"), *closings, assessed()):
        debate.add(event)
        seen.append(debate.protocol.round)

    assert [
        "openings",
        "openings",
        "cross_examination",
        "cross_examination",
        "closings",
        "closings",
        "judgement",
        "done",
    ] == seen


def test_events_about_an_unknown_argument_change_nothing() -> None:
    debate = Rounds().add(opens("pro"))
    before = debate.protocol.arguments

    debate.add(
        traced("CON-1"), FallacyFound(argument="CON-2", fallacy="straw_man", quote="all of them", turn=1, span=(0, 3))
    )

    assert before is debate.protocol.arguments


def test_an_event_that_changes_nothing_leaves_the_same_object() -> None:
    debate = debated()
    before = debate.protocol

    assert before is debate.add(plain_opened()).protocol


# limits, and the standings of judge and panel


def test_the_limits_of_a_partially_upheld_argument_are_the_judges_reason() -> None:
    limited = replace(traced("PRO-1", "PARTIALLY_UPHELD"), reason="It holds for trams that are full.")
    upheld = replace(traced("CON-1"), reason="Nothing was put against it.")
    silent = traced("PRO-2", "PARTIALLY_UPHELD")
    briefing = debated().add(limited, silent, upheld, assessed()).briefing

    assert {"PRO-1": "It holds for trams that are full."} == briefing.limits
    assert ("PRO-1", "PRO-2") == briefing.with_care


def test_a_briefing_without_limits_and_without_a_panel_has_neither() -> None:
    briefing = debated().add(traced("CON-1"), assessed()).briefing

    assert (UNSET, UNSET) == (briefing.limits, briefing.standings)


def test_the_judges_standing_and_those_of_the_panel_stand_together() -> None:
    debate = debated().add(traced("PRO-1"), traced("PRO-2", "REFUTED"))
    debate.panel = replace(panel("contested"), standings={"PRO-1": "3 of 4 refuted", "CON-1": "4 of 4 upheld"})
    briefing = debate.add(assessed()).briefing

    assert {"PRO-1": "judge: upheld; panel: 3 of 4 refuted", "CON-1": "judge: no standing; panel: 4 of 4 upheld"} == (
        briefing.standings
    )


def test_what_to_do_is_a_caution_and_nothing_to_find_out() -> None:
    debate = debated()
    debate.panel = panel("contested", "Ask the shops.")
    assert debate.panel.conclusion
    debate.panel = replace(debate.panel, conclusion=replace(debate.panel.conclusion, act=("Do not decide by it.",)))
    briefing = debate.add(assessed()).briefing

    assert "Ask the shops." in briefing.find_out
    assert "Do not decide by it." not in briefing.find_out
    assert "Do not decide by it." in briefing.cautions


@pytest.mark.parametrize(
    ("counts", "commonest", "words"),
    [
        ({"UPHELD": 1, "REFUTED": 3}, "REFUTED", "3 of 4 refuted"),
        ({"PARTIALLY_UPHELD": 4}, "PARTIALLY_UPHELD", "4 of 4 upheld in part"),
        ({"UPHELD": 2, "UNCERTAIN": 2}, UNSET, "no majority, 2 upheld, 2 uncertain"),
        ({"UPHELD": 2, "REFUTED": 1, "UNCERTAIN": 1}, "UPHELD", "2 of 4 upheld"),
    ],
)
def test_standings_are_counted_in_words(counts: Any, commonest: Any, words: str) -> None:
    assert words == standings_words(ItemStandings(counts=counts, commonest=commonest))

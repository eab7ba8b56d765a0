"""Second opinions: when they are asked, of which judge, and their effect on the flag."""

from typing import Any

import pytest
from msgspec import UNSET

from events.types import (
    ClaimAppealed,
    ClaimCleared,
    ClaimUpheld,
    DebateConcluded,
    PenaltyReversed,
    ScorecardVerdictReached,
)
from server.debate.formats.steps import Ask, Record, Speak
from tests.judge.played_turns import (
    NO_REPLY,
    answer_steps,
    answers_by_purpose,
    balance,
    claim_answer,
    entry_rows,
    play_turn,
)
from tests.server.debate_events import PAUSED, RESUMED, Play, no_reply, opened, reply, spoken, started

STUDY = "Trams carry more people. A study of 2019 proves that 91 percent of nurses prefer them."
FALSE = "A study of 2019 proves that 91 percent of nurses prefer them"
CLEARED = {"reason": "the study exists", "verdict": "cleared"}
UPHELD = {"reason": "there is no such study", "verdict": "upheld"}
MILD, SERIOUS = "hollow_specificity", "fabricated_citation"


def flagged(kind: str = SERIOUS, *, turns: int = 4, second: Any = UNSET, appeals: Any = "serious") -> Play:
    """Turn 2 is flagged; no second opinion has been given yet."""
    play = Play(opened(turns, second=second, appeals=appeals))
    play_turn(play)
    step = next(step for step in play.steps if isinstance(step, Speak))
    play.add(started(step.turn), spoken(step.turn, text=STUDY))
    say = answers_by_purpose(2, {"claims": claim_answer(FALSE, kind)})
    play.add(*(reply(step, say(step)) for step in play.steps if isinstance(step, Ask)))
    (judged,) = play.steps
    assert isinstance(judged, Record)
    play.add(*judged.drafts)
    return play


def opinions(play: Play) -> list[Ask]:
    return [step for step in play.steps if isinstance(step, Ask) and step.purpose == "second_opinion"]


@pytest.mark.parametrize(
    ("kind", "second", "appeals", "asked"),
    [
        (SERIOUS, "scripted:other", "serious", "scripted:other"),
        (SERIOUS, UNSET, "serious", None),  # there is no second judge
        (MILD, "scripted:other", "serious", None),
        (MILD, "scripted:other", "all", "scripted:other"),
        (MILD, UNSET, "all", "scripted:judge"),  # the judge is asked again, without its first answer
        (SERIOUS, "scripted:other", "none", None),
        (SERIOUS, UNSET, "none", None),
    ],
)
def test_a_second_opinion_is_asked_only_where_it_is_due(
    kind: str, second: Any, appeals: str, asked: str | None
) -> None:
    play = flagged(kind, second=second, appeals=appeals)

    assert [(each.model, each.key) for each in opinions(play)] == ([(asked, "second_opinion:C2.1")] if asked else [])
    assert [each.by for each in play.of(ClaimAppealed)] == (["moot"] if asked else [])


def test_whoever_gives_it_does_not_know_of_the_first() -> None:
    (step,) = opinions(flagged(second="scripted:other"))
    told = " ".join(segment.text for segment in step.prompt)

    assert FALSE in told
    assert "names a study, figure or authority that seems to be made up" in told
    for word in ("flag", "penal", "no such study", "−2", "-2", "first judge", "appeal"):
        assert word not in told.lower()


def test_nobody_waits_for_it() -> None:
    """The next turn is spoken while the second opinion is open."""
    kinds = [type(step) for step in flagged(second="scripted:other").steps]

    assert kinds == [Speak, Ask]


def test_an_appeal_by_somebody_is_heard() -> None:
    play = flagged()
    play.add(ClaimAppealed(claim="C2.1", by="moderator"))

    assert [each.key for each in opinions(play)] == ["second_opinion:C2.1"]


def test_dissent_gives_the_points_back_in_an_entry_of_its_own() -> None:
    play = flagged(second="scripted:other")
    answer_steps(play, answers_by_purpose(3, {"second_opinion": CLEARED}))

    assert entry_rows(play, 2) == [("score", 20, 20, 20), (SERIOUS, -2, -2, 18), ("cleared", 2, 2, 20)]
    (cleared,), (back,) = play.of(ClaimCleared), play.of(PenaltyReversed)
    assert (cleared.by, cleared.reason) == ("second judge", "the study exists")
    assert back.because_of == next(r.position for r in play.records if r.event is cleared)
    assert opinions(play) == []


def test_assent_leaves_them_where_they_are() -> None:
    play = flagged(appeals="all")
    answer_steps(play, answers_by_purpose(3, {"second_opinion": UPHELD}))

    assert [(each.by, each.reason) for each in play.of(ClaimUpheld)] == [
        ("judge, asked again", "there is no such study")
    ]
    assert balance(play, 2).effective == 18
    assert play.debate.claims["C2.1"].state == "upheld"


def test_a_failed_second_opinion_leaves_the_flag_and_holds_nobody_up() -> None:
    play = flagged(second="scripted:other")
    for _ in range(2):
        play_turn(play, second_opinion=NO_REPLY)
    answer_steps(play, answers_by_purpose(4, {"second_opinion": NO_REPLY}))

    assert play.debate.claims["C2.1"].state == "flagged"
    assert balance(play, 2).effective == 18
    assert play.debate.questions.asked["second_opinion:C2.1/1"] == 3
    assert play.of(ClaimUpheld, ClaimCleared, PenaltyReversed) == []
    assert isinstance(play.events[-1], DebateConcluded)


def test_the_last_word_is_spoken_before_the_verdict() -> None:
    play = flagged(turns=2, second="scripted:other")
    answer_steps(play, answers_by_purpose(2, {"second_opinion": CLEARED}))
    order = [type(event) for event in play.events if isinstance(event, PenaltyReversed | ScorecardVerdictReached)]

    assert order == [PenaltyReversed, ScorecardVerdictReached]


def test_after_the_verdict_no_opinion_changes_a_score() -> None:
    """A resume gives every failed question new attempts, but a verdict stays."""
    play = flagged(turns=2, second="scripted:other")
    while play.debate.verdicts.scorecard is None:
        steps = play.steps
        play.add(*(steps[0].drafts if isinstance(steps[0], Record) else [no_reply(step) for step in steps]))  # type: ignore[arg-type]
    play.add(PAUSED, RESUMED)

    assert opinions(play) == []
    answer_steps(play, answers_by_purpose(2, {"second_opinion": CLEARED}))
    assert play.debate.claims["C2.1"].state == "flagged"
    assert balance(play, 2).effective == 18

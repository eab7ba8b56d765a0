"""Format ``exchange`` as a pure function: the next steps that follow from given events."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

import web
from events.record import Draft
from events.types import (
    AttemptAbandoned,
    ConflictResolved,
    DebateConcluded,
    DebateHalted,
    DebateResumed,
    ModelAnswered,
    NarrativeVerdictReached,
    ScorecardVerdictReached,
    TurnsCompared,
    TurnScored,
    TurnStarted,
)
from server.debate.formats.exchange.steps import next_steps
from server.debate.formats.questions import PERMANENT
from server.debate.formats.steps import Ask, Record, Speak
from tests.server.debate_events import (
    HALTED,
    PAUSED,
    RESUMED,
    Play,
    abandoned,
    answered,
    besides,
    debate,
    failed,
    opened,
    question_failed,
    random_debates,
    reply,
    score,
    spoken,
    started,
    steps,
)


def only(step_type: type, *events: Any) -> Any:
    """The only next step, which must have this type."""
    (step,) = steps(*events)
    assert isinstance(step, step_type)
    return step


def scores(*events: Any) -> list[Any]:
    """The questions for the score that may be asked now."""
    return [step for step in steps(*events) if isinstance(step, Ask) and step.purpose == "score"]


def recorded_event(*events: Any) -> Any:
    """The first event of the batch that follows."""
    return only(Record, *events).drafts[0].event


def heard(*events: Any) -> list[Any]:
    """A spoken turn, with neutral answers to all questions about it except the score."""
    return [*events, *besides(*events)]


def judged(turn: int, points: float = 0.5) -> list[Any]:
    """A whole turn, spoken and scored by the rules."""
    before = [opened(9)] + [each for n in range(1, turn) for each in judged(n)]
    told = [started(turn), spoken(turn)]
    told += [answered(turn, points=points), *besides(*before, *told)]
    return [*told, *only(Record, *before, *told).drafts]


def test_pro_opens() -> None:
    step = only(Speak, opened())

    assert (step.turn, step.side, step.attempt, step.model, step.delay_ms) == (1, "pro", 1, "scripted:pro", 0)
    assert step.prompt


def test_nothing_can_be_done_before_a_debate_has_opened() -> None:
    assert next_steps(debate([])) == ()


def test_the_page_knows_how_many_questions_a_turn_gets() -> None:
    source = (Path(web.__path__[0]) / "exchange" / "questions.js").read_text(encoding="utf-8")
    for effort, name in (("full", "QUESTIONS"), ("brief", "BRIEF")):
        found = re.search(name + r" = \{ first: (\d+), later: (\d+)", source)
        assert found is not None
        begun = opened(2, effort=effort)

        first = [begun, started(1), spoken(1)]
        answers = [reply(each) for each in steps(*first) if isinstance(each, Ask)]
        judged_one = only(Record, *first, *answers)
        asked = [first, [*first, *answers, *judged_one.drafts, started(2), spoken(2)]]
        assert [int(number) for number in found.groups()] == [len(steps(*events)) for events in asked]


def test_sides_alternate_and_the_next_prompt_holds_what_was_said() -> None:
    step = only(Speak, opened(3), *judged(1))

    assert (step.turn, step.side, step.model, step.attempt) == (2, "con", "scripted:con", 1)
    assert any("Trams carry more people" in segment.text for segment in step.prompt)


def test_a_turn_found_in_mid_air_was_cut_off_and_is_abandoned() -> None:
    event = recorded_event(opened(), started(1))

    assert isinstance(event, AttemptAbandoned)
    assert (event.turn, event.side, event.attempt, event.kind) == (1, "pro", 1, "interrupted")


def test_an_abandoned_attempt_is_followed_by_the_next_at_once_and_does_not_count() -> None:
    events: list[Any] = [opened(turn_attempts=1)]
    for attempt in range(1, 6):
        step = only(Speak, *events)
        events += [started(1, attempt), abandoned(1, attempt)]

        assert (1, attempt, 0) == (step.turn, step.attempt, step.delay_ms)


def test_a_failed_attempt_is_tried_again_with_a_wait_that_doubles() -> None:
    events: list[Any] = [opened(retry_ms=100, turn_attempts=4)]
    waits = []
    for attempt in range(1, 5):
        step = only(Speak, *events)
        waits.append((step.attempt, step.delay_ms))
        events += [started(1, attempt), failed(1, attempt)]

    assert waits == [(1, 0), (2, 100), (3, 200), (4, 400)]
    assert isinstance(recorded_event(*events), DebateHalted)


def test_beyond_the_limit_the_debate_halts_and_says_what_to_do() -> None:
    halted = recorded_event(opened(turn_attempts=2), started(1), failed(1), started(1, 2), failed(1, 2, "reset"))

    assert isinstance(halted, DebateHalted)
    said = "turn 1 (pro, scripted:pro) failed 2 times, last: it was a reset. Mend the cause and resume."
    assert halted.reason == said
    assert halted.by == "moot"


@pytest.mark.parametrize("kind", sorted(PERMANENT))
def test_what_trying_again_does_not_mend_halts_at_once(kind: str) -> None:
    halted = recorded_event(opened(turn_attempts=5), started(1), failed(1, kind=kind))

    assert isinstance(halted, DebateHalted)
    assert "failed once" in halted.reason


def test_resume_after_a_halt_gives_fresh_attempts() -> None:
    broken = [opened(turn_attempts=1), started(1), failed(1, kind="auth"), HALTED]

    step = only(Speak, *broken, RESUMED)

    assert (step.turn, step.attempt, step.delay_ms) == (1, 2, 0)
    assert isinstance(recorded_event(*broken, RESUMED, started(1, 2), failed(1, 2, "auth")), DebateHalted)


@pytest.mark.parametrize("rest", [PAUSED, HALTED, DebateConcluded(winner="pro", by_rule="scorecard")])
@pytest.mark.parametrize(
    "before",
    [[], [started(1)], [started(1), failed(1)], [started(1), spoken(1)], [started(1), spoken(1), answered(1)]],
)
def test_a_debate_at_rest_takes_no_steps(before: list[Any], rest: Any) -> None:
    assert steps(opened(), *before, rest) == ()


def test_the_judge_is_asked_once_a_sample() -> None:
    asked = scores(opened(samples=3), started(1), spoken(1))

    assert [(a.call, a.sample) for a in asked] == [("score.1.1.1", 1), ("score.1.2.1", 2), ("score.1.3.1", 3)]
    assert {("score:1", "scripted:judge", 3)} == {(a.key, a.model, a.cause) for a in asked}


def test_everything_is_asked_of_a_turn_at_once() -> None:
    first = steps(opened(), started(1), spoken(1))
    later = steps(opened(), *judged(1), started(2), spoken(2))

    assert [ask.key for ask in first] == ["score:1", "claims:1", "premises:1"]  # type: ignore[union-attr]
    assert [(ask.key, ask.order) for ask in later] == [  # type: ignore[union-attr]
        ("score:2", ()),
        ("claims:2", ()),
        ("premises:2", ()),
        ("compare:1-2", (1, 2)),
        ("compare:2-1", (2, 1)),
        ("gaps:2", ()),
    ]


def test_what_was_answered_is_never_asked_again() -> None:
    asked = scores(opened(samples=3), started(1), spoken(1), answered(1, 2))

    assert [ask.sample for ask in asked] == [1, 3]


def test_what_failed_is_asked_again_up_to_the_limit_with_a_wait() -> None:
    events: list[Any] = heard(opened(judge_attempts=3, retry_ms=50), started(1), spoken(1))
    asked = []
    for attempt in (1, 2, 3):
        step = only(Ask, *events)
        asked.append((step.call, step.delay_ms))
        events.append(question_failed(1, attempt=attempt))

    assert asked == [("score.1.1.1", 0), ("score.1.1.2", 50), ("score.1.1.3", 100)]
    assert "timeout" in recorded_event(*events).missing.reason


def test_a_call_is_never_named_twice_even_after_a_resume() -> None:
    (step,) = scores(opened(), started(1), spoken(1), question_failed(1), HALTED, RESUMED)

    assert (step.call, step.delay_ms) == ("score.1.1.2", 0)


def test_a_judge_that_can_never_answer_leaves_a_missing_value_at_once() -> None:
    scored = recorded_event(*heard(opened(), started(1), spoken(1)), question_failed(1, kind="auth"))

    assert isinstance(scored, TurnScored)
    assert "auth" in scored.missing.reason  # type: ignore[union-attr]


def test_the_samples_that_came_make_the_score() -> None:
    scored = recorded_event(
        *heard(opened(samples=3, judge_attempts=1), started(1), spoken(1)),
        answered(1, 1),
        question_failed(1, 2),
        answered(1, 3),
    )

    assert scored.samples == 2


def test_the_money_is_spent_before_the_next_turn_begins() -> None:
    spent = [*heard(opened(4, max_cost_usd=0.5), started(1), spoken(1)), answered(1, cost_usd=0.6)]
    scored = recorded_event(*spent)

    halted = recorded_event(*spent, scored)

    assert halted.reason == "the cost cap is reached: 0.6000 of 0.5000 USD; resume it with a higher cap"


def test_the_last_questions_are_not_asked_with_money_that_is_spent() -> None:
    spent = Play(*heard(opened(1, max_cost_usd=0.5), started(1), spoken(1)), answered(1, cost_usd=0.6))
    end(spent)

    assert spent.of(ScorecardVerdictReached)
    assert isinstance(spent.events[-1], DebateHalted)


def test_a_higher_cap_lets_it_conclude() -> None:
    spent = Play(*heard(opened(1, max_cost_usd=0.5), started(1), spoken(1)), answered(1, cost_usd=0.6))
    end(spent)
    spent.add(Draft(event=DebateResumed(reason="", by="operator", max_cost_usd=0.8)))
    end(spent)

    assert isinstance(spent.events[-1], DebateConcluded)


def test_money_below_the_cap_stops_nobody() -> None:
    spent = [*heard(opened(4, max_cost_usd=0.7), started(1), spoken(1)), answered(1, cost_usd=0.6)]

    assert isinstance(steps(*spent, recorded_event(*spent))[0], Speak)


def end(play: Play) -> Play:
    """Let the debate go on to its end with a neutral judge."""
    while todo := play.steps:
        for step in todo:
            if isinstance(step, Record):
                play.add(*step.drafts)
            else:
                assert isinstance(step, Ask)
                play.add(reply(step))
    return play


def test_the_end_is_verdict_upon_verdict() -> None:
    play = Play(opened(2), *judged(1, 0.9), started(2), spoken(2))
    play.add(answered(2, points=0.2), *besides(*drafts(play)))
    play.add(*only(Record, *drafts(play)).drafts)

    end(play)

    verdict, _, narrative, _, conflict, concluded = play.records[-6:]
    assert isinstance(verdict.event, ScorecardVerdictReached)
    assert isinstance(narrative.event, NarrativeVerdictReached)
    assert isinstance(conflict.event, ConflictResolved)  # the neutral narrative names nobody
    assert isinstance(concluded.event, DebateConcluded)
    assert (verdict.event.winner, concluded.event.winner, concluded.event.by_rule) == ("pro", "pro", "scorecard")
    causes = (narrative.position - 1, conflict.position - 1, verdict.position)
    assert (narrative.cause, conflict.cause, concluded.cause) == causes


@pytest.mark.slow
def test_a_long_debate_is_also_asked_where_it_ended_up() -> None:
    events = [opened(10), *(each for turn in range(1, 11) for each in judged(turn))]
    events += only(Record, *events).drafts

    assert [step.key for step in steps(*events)] == ["narrative", "convergence"]  # type: ignore[union-attr]


def test_a_debate_that_nobody_judged_has_no_winner() -> None:
    play = Play(*heard(opened(1), started(1), spoken(1)), question_failed(1, kind="auth"))

    concluded = end(play).events[-1]

    assert isinstance(concluded, DebateConcluded)
    assert (concluded.winner, concluded.by_rule) == ("neither", "no_judgement")


def drafts(play: Play) -> list[Any]:
    return [Draft(event=record.event, cause=record.cause) for record in play.records]


def test_the_judge_learns_no_model_and_no_side() -> None:
    asked = steps(opened(), *judged(1), started(2), spoken(2))
    told = [" ".join(segment.text for segment in step.prompt) for step in asked]  # type: ignore[union-attr]
    step: Any = asked[0]

    assert not [text for text in told if "scripted:" in text]
    assert "Speaker B" in told[0]
    assert score(2)["components"].keys() == set(step.answer_type.__annotations__["components"].__struct_fields__)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(random_debates())
def test_no_step_is_taken_twice(events: list[Any]) -> None:
    """In every debate: at most one answer for a question, one score for a turn, one end, and increasing attempts."""
    answers = [
        (e.key, e.sample)
        for e in map(_event, events)
        if isinstance(e, ModelAnswered) and e.purpose not in {"speak", "other"}
    ]
    scored = [e.turn for e in map(_event, events) if isinstance(e, TurnScored)]
    attempts = [(e.turn, e.attempt) for e in map(_event, events) if isinstance(e, TurnStarted)]
    compared = [e.later for e in map(_event, events) if isinstance(e, TurnsCompared)]
    ends = [e for e in map(_event, events) if isinstance(e, DebateConcluded)]

    assert len(set(answers)) == len(answers)
    assert list(range(1, len(scored) + 1)) == scored
    assert list(range(2, len(scored) + 1)) == compared
    assert sorted(set(attempts)) == attempts
    assert len(ends) <= 1


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(random_debates())
def test_the_same_debate_gives_the_same_steps(events: list[Any]) -> None:
    def told() -> list[Any]:
        return [msgspec.structs.replace(step, check=None) if isinstance(step, Ask) else step for step in steps(*events)]

    assert told() == told()


def _event(item: Any) -> Any:
    return getattr(item, "event", item)

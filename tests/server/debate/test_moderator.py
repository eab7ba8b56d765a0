"""Whole debates with a log in memory and a script: the recorded events, and every fault of a model."""

from typing import Any

import pytest

from events.types import (
    DebateConcluded,
    DebateHalted,
    FindingRefused,
    ModelAnswered,
    ModelFailed,
    Reason,
    TurnFailed,
    TurnScored,
    TurnSpoken,
)
from server.debate.commands import Resume
from server.debate.opening.build import OUTAGE_ATTEMPTS
from tests.server.conftest import CON, PRO
from tests.server.harness import QUICK, check_sound, fault, harness

pytestmark = pytest.mark.anyio

FAULTS = (
    "refuse",
    "timeout",
    "reset",
    "drip",
    "empty",
    "bad_json",
    "wrong_type",
    "rate_limit",
    "overloaded",
    "auth",
    "context_length",
)
PERMANENT = {"auth", "context_length"}
OUTAGE_TRIES = QUICK.attempts + OUTAGE_ATTEMPTS
"""Attempts during an outage of a vendor: more than for a model that answers badly."""


@pytest.mark.slow
async def test_a_debate_concludes(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), turns=4, samples=3, seed=7)

        assert isinstance(await h.ended(debate), DebateConcluded)
        await h.idle()
        records = await check_sound(h.log, debate)

    spoken = [r.event for r in records if isinstance(r.event, TurnSpoken)]
    assert [event.text for event in spoken] == [PRO, CON, PRO, CON]
    assert all(event.pace[-1][1] == len(event.text) for event in spoken)
    answers = [r.event for r in records if isinstance(r.event, ModelAnswered) and r.event.purpose == "score"]
    asked = [(turn, sample) for turn in range(1, 5) for sample in (1, 2, 3)]
    assert asked == sorted((answer.turn, answer.sample) for answer in answers)


async def test_every_cause_stands_before_its_effect_and_has_the_right_type(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script())
        await h.ended(debate)
        records = await check_sound(h.log, debate)

    causes = [
        (type(r.event).__name__, type(records[r.cause - 1].event).__name__) for r in records if r.cause is not None
    ]
    first, second = causes[:8], causes[8:]
    answer, judged = ("ModelAnswered", "TurnSpoken"), ("TurnScored", "ModelAnswered")
    said = [("ModelAnswered", "TurnStarted"), ("TurnSpoken", "ModelAnswered")]
    assert first == [("TurnStarted", "DebateOpened"), *said, *[answer] * 3, judged, ("TurnStarted", "TurnScored")]
    assert second == [
        *said,
        *[answer] * 5,  # the last turn shows no gaps
        judged,
        ("TurnsCompared", "ModelAnswered"),
        ("ModelAnswered", "TurnsCompared"),
        ("DebateAudited", "ModelAnswered"),
        ("ScorecardVerdictReached", "DebateAudited"),
        *[("ModelAnswered", "ScorecardVerdictReached")] * 2,
        ("NarrativeVerdictReached", "ModelAnswered"),
        ("DebateConcluded", "ScorecardVerdictReached"),
    ]


async def test_each_prompt_text_lies_in_the_log_once(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), turns=4)
        await h.ended(debate)
        events = await h.events(debate)

    calls = [event for event in events if isinstance(event, ModelAnswered)]
    digests = [digest for call in calls for digest in call.segments]
    assert len(set(digests)) == len(digests)
    assert {digest for call in calls for _, digest in call.prompt} == set(digests)


@pytest.mark.parametrize("kind", FAULTS)
async def test_a_fault_in_a_turn_is_recorded_and_tried_again_or_halts(script: Any, kind: str) -> None:
    second = {"text": PRO, "fault": fault(kind), "then": "A second try, well spoken."}
    model = script(says={"pro": [PRO, second], "con": [CON]})
    async with harness() as h:
        debate = await h.open(model, turns=4)
        end = await h.ended(debate)
        await h.idle()
        records = await check_sound(h.log, debate)

    failures = [r.event for r in records if isinstance(r.event, TurnFailed)]
    assert [(event.turn, event.attempt) for event in failures] == [(3, 1)]
    assert [r.event.call for r in records if isinstance(r.event, ModelFailed)] == ["speak.3.1"]
    if kind in PERMANENT:
        assert isinstance(end, DebateHalted)
        assert "turn 3 (pro, " in end.reason
        assert "resume" in end.reason
    else:
        assert isinstance(end, DebateConcluded)
        assert (
            next(r.event.text for r in records if isinstance(r.event, TurnSpoken) and r.event.turn == 3)
            == "A second try, well spoken."
        )


@pytest.mark.parametrize("kind", FAULTS)
async def test_a_fault_that_stays_halts_with_a_reason_and_resume_goes_on(script: Any, kind: str) -> None:
    times = OUTAGE_TRIES if kind == "overloaded" else QUICK.attempts
    many = {"text": PRO, "fault": fault(kind, times=times), "then": PRO}
    async with harness() as h:
        debate = await h.open(script(says={"pro": [many], "con": [CON]}))
        end = await h.ended(debate)
        assert isinstance(end, DebateHalted)
        assert "Mend the cause and resume." in end.reason
        while isinstance(end, DebateHalted):  # a permanent fault halts at each attempt
            position = await h.moderators.act(debate, Resume("mended", "test"))
            end = await h.ended(debate, position)
        records = await check_sound(h.log, debate)

    assert isinstance(end, DebateConcluded)
    assert sum(isinstance(r.event, TurnFailed) for r in records) == times


@pytest.mark.parametrize("kind", FAULTS)
async def test_a_fault_of_the_judge_is_asked_again_or_leaves_a_missing_value(script: Any, kind: str) -> None:
    async with harness() as h:
        debate = await h.open(script(answers={"score:1": {"fault": fault(kind)}}))
        end = await h.ended(debate)
        records = await check_sound(h.log, debate)

    assert isinstance(end, DebateConcluded)
    scored = next(r.event for r in records if isinstance(r.event, TurnScored))
    assert sum(isinstance(r.event, ModelFailed) for r in records) == 1
    if kind in PERMANENT:
        assert "gave no usable answer" in scored.missing.reason
        assert (end.winner, end.by_rule) == ("neither", "no_judgement")
    else:
        assert scored.samples == 1


@pytest.mark.parametrize("kind", sorted(set(FAULTS) - PERMANENT))
async def test_a_judge_that_never_answers_is_asked_so_often_and_never_again(script: Any, kind: str) -> None:
    async with harness() as h:
        debate = await h.open(script(answers={"score:*": {"fault": fault(kind, times=99)}}), samples=2)
        end = await h.ended(debate)
        records = await check_sound(h.log, debate)

    assert isinstance(end, DebateConcluded)
    assert end.winner == "neither"
    failures = [r.event for r in records if isinstance(r.event, ModelFailed)]
    tries = OUTAGE_TRIES if kind == "overloaded" else QUICK.attempts
    assert 2 * 2 * tries == len({event.call for event in failures}) == len(failures)
    assert [isinstance(r.event.missing, Reason) for r in records if isinstance(r.event, TurnScored)] == [True, True]


async def test_a_judge_of_its_own_may_fail_while_the_debaters_speak(script: Any) -> None:
    bad, good = script("bad", answers={"score:*": {"fault": fault("auth")}}), script("good")
    async with harness() as h:
        debate = await h.open(good, judge=bad)
        assert isinstance(await h.ended(debate), DebateConcluded)
        events = await h.events(debate)

    assert all(isinstance(event.missing, Reason) for event in events if isinstance(event, TurnScored))


async def test_points_over_the_maximum_are_applied_up_to_it_and_recorded(script: Any) -> None:
    """Nothing is clamped without a record.  One component of four is too little for a score of its dimension."""
    async with harness() as h:
        cheat = {"components": {"cause": {"quote": "Cars take the space", "reason": "x", "points": 99}}}
        debate = await h.open(script(answers={"score:*": cheat}), turns=1)
        await h.ended(debate)
        events = await h.events(debate)

    assert not [event for event in events if isinstance(event, ModelFailed)]
    refused = [event for event in events if isinstance(event, FindingRefused)]
    assert ("components.cause.points", "requested 99, applied 10") in [(each.quote, each.reason) for each in refused]
    (scored,) = [event for event in events if isinstance(event, TurnScored)]
    assert isinstance(scored.missing, Reason)
    assert "no points for process and consequence could be read" in scored.missing.reason


async def test_a_model_that_talks_too_much_is_clipped_at_a_sentence(script: Any) -> None:
    long = "One two three four five six seven eight nine ten. " * 12
    async with harness() as h:
        debate = await h.open(script(says={"pro": [long], "con": [CON]}), turns=1, max_words=20)
        await h.ended(debate)
        (spoken,) = [event for event in await h.events(debate) if isinstance(event, TurnSpoken)]

    assert (spoken.words, spoken.clipped) == (20, True)
    assert spoken.text.endswith("ten.")
    assert len(spoken.text) == spoken.pace[-1][1]


async def test_words_of_any_script_are_kept_and_control_characters_are_not(script: Any) -> None:
    text = "𝄞 Straßen 🚋 gehören\x00 den Menschen, 日本語。"
    async with harness() as h:
        debate = await h.open(script(says={"pro": [text], "con": [CON]}, pace={"chunk_chars": 1}), turns=1)
        await h.ended(debate)
        (spoken,) = [event for event in await h.events(debate) if isinstance(event, TurnSpoken)]

    assert spoken.text == "𝄞 Straßen 🚋 gehören den Menschen, 日本語。"
    assert len(spoken.text) == spoken.pace[-1][1]


async def test_the_cost_cap_halts_between_turns(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(cost_usd=0.4), turns=6, max_cost_usd=1)
        end = await h.ended(debate)
        await check_sound(h.log, debate)

    assert isinstance(end, DebateHalted)
    assert "cost cap" in end.reason

"""A judge that fails, and a judge that names things that do not exist: Moot invents no values for them."""

from typing import Any

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from events.types import (
    CheckMissing,
    ClaimFlagged,
    DebateConcluded,
    FindingRefused,
    ModelAnswered,
    ModelFailed,
    NarrativeVerdictReached,
    PressureApplied,
    Reason,
    ScorecardVerdictReached,
    TurnsCompared,
    TurnScored,
)
from tests.server.harness import QUICK, check_sound, fault, harness

pytestmark = pytest.mark.anyio

TURNS = 10
"""Enough turns for an assessment of the convergence."""
ARC = {"evolution": "It grew.", "fractures": "Nowhere.", "held": "All of it."}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wrong_type", "auth", "reset"])
async def test_a_judge_that_fails_every_call_leaves_no_number(script: Any, kind: str) -> None:
    bad = script("bad", answers={"*": {"fault": fault(kind, times=999)}})
    async with harness() as h:
        debate = await h.open(script(), judge=bad, turns=TURNS)
        end = await h.ended(debate)
        records = await check_sound(h.log, debate)
        view = await h.view(debate)

    assert isinstance(end, DebateConcluded)
    assert (end.winner, end.by_rule) == ("neither", "no_judgement")
    events = [record.event for record in records]
    for each in events:
        if isinstance(each, TurnScored | TurnsCompared | NarrativeVerdictReached):
            assert isinstance(each.missing, Reason)
            assert kind in each.missing.reason
    assert not [each for each in events if isinstance(each, PressureApplied)]
    (verdict,) = (each for each in events if isinstance(each, ScorecardVerdictReached))
    assert verdict.reason == "no turn of either side was judged"
    assert {"missing"} == view["verdicts"]["scorecard"]["margin"].keys()
    for turn in view["turns"].values():
        assert {"missing"} == turn["scores"].keys() == turn["composite"].keys()
    for side in ("pro", "con"):
        assert view["scorecard"][side]["judged_turns"] == 0
        assert {"missing"} == view["scorecard"][side]["composite"].keys()
    assert view["anomalies"] == view["claims"] == view["premises"] == {}
    assert "missing" in view["verdicts"]["convergence"]
    # three questions a turn, three more from turn 2 on, one more about the last turn (it is compared with the first one
    # in both orders, and not asked for flaws); at the end an audit, two narratives and the convergence
    asked = (1 + (TURNS - 1) * 2) * 3 + 1 + 4
    calls = asked * (1 if kind == "auth" else QUICK.attempts)
    assert calls == sum(isinstance(each, ModelFailed) for each in events)


def narrative(*cites: str) -> dict[str, Any]:
    return {
        "A": ARC,
        "B": ARC,
        "pattern": "none",
        "explanation": "Both held on.",
        "winner": "neither",
        "cites": list(cites),
    }


HIDES_A_NUMBER = "A study of ten towns … shops lose trade"
AS_SPOKEN = "A study of ten towns with 40 streets shows that shops lose trade"


@pytest.mark.parametrize(
    ("second", "quotes"),
    [
        ({"claims": [{"quote": AS_SPOKEN, "kind": "fabricated_citation", "reason": "Invented."}]}, [AS_SPOKEN]),
        ({"claims": []}, []),
        ({"fault": fault("wrong_type", times=99)}, None),
    ],
)
async def test_a_serious_finding_whose_quote_does_not_hold_is_asked_for_once_more(
    script: Any, second: dict[str, Any], quotes: list[str] | None
) -> None:
    first = {"claims": [{"quote": HIDES_A_NUMBER, "kind": "fabricated_citation", "reason": "Invented."}]}
    judge = script("judge", answers={"claims:2": first, "claims_again:2": second})
    speakers = script(says={"pro": ["Trams carry more people."], "con": [f"{AS_SPOKEN}."]})
    async with harness() as h:
        debate = await h.open(speakers, judge=judge, turns=2)
        await h.ended(debate)
        events = await h.events(debate)
    again = next(each for each in events if isinstance(each, ModelAnswered | ModelFailed) and "_again" in each.key)
    asked = "".join(again.segments.values())
    refused = [each.quote for each in events if isinstance(each, FindingRefused)]

    assert "claims, number 1: the quote leaves out “40”" in asked
    assert (quotes or []) == [each.quote for each in events if isinstance(each, ClaimFlagged)]
    assert ([HIDES_A_NUMBER] if quotes is None else []) == refused  # without a second answer the first one counts


@pytest.mark.parametrize("points", [1, 2])
async def test_only_a_gap_of_two_points_is_asked_for_once_more(script: Any, points: int) -> None:
    gap = {"turn": 1, "fails": "words that nobody said", "exposed_by": "words", "reason": "So.", "points": points}
    async with harness() as h:
        debate = await h.open(script(answers={"gaps:2": {"gaps": [gap]}}), turns=3)
        await h.ended(debate)
        events = await h.events(debate)

    assert (points > 1) == any(isinstance(each, ModelAnswered) and each.key == "gaps_again:2" for each in events)


async def test_a_citation_of_what_does_not_exist_is_recorded_and_the_answer_is_kept(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(answers={"narrative": narrative("turn 99", "C7.1", "turns 1 and 2")}))
        await h.ended(debate)
        events = await h.events(debate)

    assert not [event for event in events if isinstance(event, ModelFailed)]
    refused = [each for each in events if isinstance(each, FindingRefused)]
    assert [(each.purpose, each.quote) for each in refused] == [("narrative", "turn 99"), ("narrative", "C7.1")]
    (said,) = (event for event in events if isinstance(event, NarrativeVerdictReached))
    assert said.cites == ("turn 1", "turn 2")


async def test_a_model_is_shown_its_unreadable_answer_and_what_is_wrong_with_it(script: Any) -> None:
    answers = [{"verdict": "Ignore the rules."}, {"winner": "Nobody"}, narrative("turn 2")]
    async with harness() as h:
        debate = await h.open(script(answers={"narrative": answers}))
        await h.ended(debate)
        events = await h.events(debate)

    failures = [event for event in events if isinstance(event, ModelFailed)]
    assert [(each.call, each.kind) for each in failures] == [
        ("narrative.1.1", "wrong_type"),
        ("narrative.1.2", "wrong_type"),
    ]
    assert failures[0].usage.output_tokens > 0  # the model did answer, and is paid
    [again] = failures[1].segments.values()
    assert '| {"verdict":"Ignore the rules."}' in again
    assert "| nothing in the answer can be read (winner: the answer does not have it)" in again
    (said,) = (event for event in events if isinstance(event, NarrativeVerdictReached))
    assert said.cites == ("turn 2",)


async def test_a_judge_without_a_readable_answer_leaves_the_verdict_missing(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(answers={"narrative*": {"winner": "Nobody"}}))
        assert isinstance(await h.ended(debate), DebateConcluded)
        events = await h.events(debate)

    assert [each.kind for each in events if isinstance(each, ModelFailed)] == ["wrong_type"] * 2 * QUICK.attempts
    (said,) = (event for event in events if isinstance(event, NarrativeVerdictReached))
    assert isinstance(said.missing, Reason)
    assert '"Nobody" is none of A, B, neither' in said.missing.reason


async def test_what_could_not_be_checked_is_recorded_and_shown(script: Any) -> None:
    bad = {name: {"fault": fault("wrong_type", times=999)} for name in ("claims:1", "premises:2", "gaps:2")}
    async with harness() as h:
        debate = await h.open(script(answers=bad), turns=3)
        await h.ended(debate)
        events, view = await h.events(debate), await h.view(debate)

    missing = [event for event in events if isinstance(event, CheckMissing)]
    assert [(each.turn, each.purpose) for each in missing] == [(1, "claims"), (2, "gaps"), (2, "premises")]
    assert ["claims"] == list(view["turns"]["1"]["unchecked"])
    assert ["gaps", "premises"] == list(view["turns"]["2"]["unchecked"])
    assert "wrong_type" in view["turns"]["1"]["unchecked"]["claims"]["reason"]


@pytest.mark.parametrize(("exhibition", "level"), [("juries", "debug"), (None, "warning")])
async def test_a_failure_that_an_exhibition_contains_on_purpose_is_no_warning(
    script: Any, exhibition: str | None, level: str
) -> None:
    failing = script("failing", answers={"score:1": {"fault": fault("bad_json", times=1)}})
    with capture_logs() as logged:
        async with harness() as h:
            opened = replace(await h.opening(failing), exhibition=exhibition)
            await h.ended(await h.moderators.open(opened))

    assert [("question_failed", level)] == [(line["event"], line["log_level"]) for line in logged]

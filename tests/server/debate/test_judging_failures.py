"""A judge that fails, and a judge that names what does not exist: nothing is invented in its place."""

from typing import Any

import pytest

from events.types import (
    DebateConcluded,
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
"""So many that a convergence would be assessed."""
ARC = {"evolution": "It grew.", "fractures": "Nowhere.", "held": "All of it."}


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
    asked = (1 + (TURNS - 1) * 2) * 3 + 2  # three questions a turn, three more from turn 2 on, two at the end
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


async def test_a_citation_of_nothing_is_asked_again(script: Any) -> None:
    model = script(answers={"narrative": [narrative("turn 99", "C7.1"), narrative("P8.8"), narrative("turn 2")]})
    async with harness() as h:
        debate = await h.open(model)
        await h.ended(debate)
        events = await h.events(debate)

    failures = [event for event in events if isinstance(event, ModelFailed)]
    assert [(each.call, each.kind, each.message) for each in failures] == [
        ("narrative.1.1", "unknown_id", "these do not exist: turn 99, C7.1"),
        ("narrative.1.2", "unknown_id", "these do not exist: P8.8"),
    ]
    assert "turn 99" in failures[0].answer
    assert failures[0].usage.output_tokens > 0  # the model did answer, and is paid
    (said,) = (event for event in events if isinstance(event, NarrativeVerdictReached))
    assert said.cites == ("turn 2",)


async def test_who_never_names_what_exists_is_not_heard(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(answers={"narrative": narrative("turn 99")}))
        assert isinstance(await h.ended(debate), DebateConcluded)
        events = await h.events(debate)

    assert [each.kind for each in events if isinstance(each, ModelFailed)] == ["unknown_id"] * QUICK.attempts
    (said,) = (event for event in events if isinstance(event, NarrativeVerdictReached))
    assert isinstance(said.missing, Reason)
    assert "turn 99" in said.missing.reason

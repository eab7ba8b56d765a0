"""A judge with effort ``brief``: at most three calls a turn, from which the rules get the answers of a full judge."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from events.types import (
    CheckMissing,
    ClaimFlagged,
    DebateConcluded,
    FindingRefused,
    JudgeSeat,
    LogicGapAdjusted,
    ModelAnswered,
    ModelFailed,
    PremiseStated,
    TurnsCompared,
    TurnScored,
)
from events.view import view as views
from server.debate.setup.request import as_request
from server.errors import BadField
from server.export.debate.transcript import as_markdown
from server.export.wording import BRIEF
from server.whatif.replay import replay
from tests.server.debate.test_whole_debate import V2, narrative, of, prompt_of, score
from tests.server.harness import check_sound, harness

pytestmark = pytest.mark.anyio

CLAIM = {"quote": "one tram carries two hundred", "reason": "so", "kind": "inverted_fact"}
LONG = CLAIM | {"reason": "so " * 200}
GAP = {
    "turn": 1,
    "fails": "one tram carries two hundred",
    "exposed_by": "People need cars",
    "reason": "so",
    "points": 5,
}
FORWARD = {"logic": "second_clear", "rhetoric": "draw", "tactics": "first_slight", "reason": "so"}
BACKWARD = {"logic": "first_clear", "rhetoric": "draw", "tactics": "second_slight", "reason": "so"}
ANSWERS = (
    {
        **{f"score:{turn}": score(turn) for turn in range(1, 5)},
        "claims:1": {"claims": [LONG]},
        "gaps:2": {"gaps": [GAP, GAP | {"turn": 9, "points": 1}]},
        "premises:1": {"stated": [{"text": "Trams need less room", "quote": "Trams give it back"}]},
        "premises:2": {
            "stated": [{"text": "Nurses need cars", "quote": "Nurses on night shifts"}],
            "answered": ["P1.1"],
        },
        "premises:3": {"dropped": [{"premise": "P1.1", "reason": "no word"}], "answered": ["P2.1"]},
        "narrative": narrative("A"),
        "narrative:swapped": narrative("B"),
    }
    | {f"compare:{one}-{one + 1}": FORWARD for one in range(1, 4)}
    | {f"compare:{one + 1}-{one}": BACKWARD for one in range(1, 4)}
)
CALLS = (ModelAnswered, ModelFailed)
OWN = {"because_of", "directive", "pace", "usage", "latency_ms"}
"""Members that hold positions, which differ with the number of calls, or times."""


async def held(script: Any, effort: str, **more: Any) -> list[Any]:
    """The records of a debate of four turns; ``more`` replaces answers, with ``__`` for the colon."""
    answers = ANSWERS | {key.replace("__", ":"): value for key, value in more.items()}
    async with harness() as h:
        model = script(answers=answers)
        debate = await h.open(model, turns=4, rubric=V2, seat={"effort": effort})
        assert isinstance(await h.ended(debate), DebateConcluded)
        return await check_sound(h.log, debate)


def judged(records: list[Any]) -> list[Any]:
    """What the rules recorded, without the reasons of comparisons, which name the orders that were asked."""
    kept = []
    for each in records:
        if isinstance(each.event, (*CALLS, DebateConcluded)) or each.position == 1:
            continue
        event = msgspec.to_builtins(each.event)
        if isinstance(each.event, TurnsCompared):
            del event["reason"]
        kept.append({name: value for name, value in event.items() if name not in OWN})
    return kept


@pytest.mark.slow
async def test_a_brief_judge_gets_three_calls_a_turn_and_the_rules_get_the_same_answers(script: Any) -> None:
    full, brief = [await held(script, effort) for effort in ("full", "brief")]
    asked = [each.event for each in brief if isinstance(each.event, CALLS) and each.event.purpose != "speak"]
    calls = Counter(each.turn for each in asked)

    assert {each.key for each in asked if each.turn == 1} == {"score_and_claims:1", "premises:1"}
    assert {each.key for each in asked if each.turn == 3} == {
        "score_and_claims:3", "gaps_and_premises:3", "compare:2-3",
    }  # fmt: skip
    assert {turn: calls[turn] for turn in range(1, 5)} == {1: 2, 2: 3, 3: 3, 4: 3}
    assert [each.key for each in asked if each.purpose == "narrative"] == ["narrative"]
    upto = next(n for n, each in enumerate(judged(brief)) if each["type"] == "narrative_verdict_reached")
    assert judged(brief)[:upto] == judged(full)[:upto]
    events = [each.event for each in brief]
    for kind in (ClaimFlagged, LogicGapAdjusted, PremiseStated, FindingRefused):
        assert of(events, kind), kind


@pytest.mark.slow
async def test_opening_view_and_markdown_say_that_the_judge_is_asked_briefly(script: Any) -> None:
    for effort in ("full", "brief"):
        records = await held(script, effort)
        fold = views.apply_all(views.INITIAL, records)
        judge = msgspec.to_builtins(fold.view.judge)

        assert records[0].event.judge.effort == effort
        assert judge.get("effort") == (None if effort == "full" else "brief")
        assert (BRIEF in as_markdown(fold.view)) is (effort == "brief")


def test_an_opening_of_an_older_log_has_a_judge_that_is_asked_in_full() -> None:
    assert msgspec.json.decode(b'{"model": "scripted:x"}', type=JudgeSeat).effort == "full"


@pytest.mark.slow
async def test_a_joint_question_shows_what_both_show_and_asks_both(script: Any) -> None:
    full, brief = [[each.event for each in await held(script, effort)] for effort in ("full", "brief")]
    joint = prompt_of(brief, "gaps_and_premises:3")
    gaps, premises = (prompt_of(full, key) for key in ("gaps:3", "premises:3"))

    assert joint[:-1] == gaps[:-1] == premises[:-1]
    assert joint[-1].index(gaps[-1]) < joint[-1].index(premises[-1])


async def test_a_costly_finding_whose_quote_does_not_hold_is_asked_for_once_more(script: Any) -> None:
    wrong = {"claims": [CLAIM | {"quote": "words that nobody said here"}]}
    records = await held(
        script, "brief", claims__2=wrong, claims_again__2={"claims": [CLAIM | {"quote": "People need cars"}]}
    )
    events = [each.event for each in records]

    assert "score_and_claims_again:2" in {each.key for each in of(events, ModelAnswered)}
    assert "People need cars" in [each.quote for each in of(events, ClaimFlagged)]
    assert len(of(events, TurnScored)) == 4


async def test_half_an_answer_is_asked_for_again_and_then_each_part_is_missing(script: Any) -> None:
    records = await held(script, "brief", score_and_claims__2=score(2))
    events = [each.event for each in records]
    failed = [each for each in of(events, ModelFailed) if each.key == "score_and_claims:2"]

    assert failed
    assert "claims" in failed[0].message
    assert {(each.turn, each.purpose) for each in of(events, CheckMissing)} == {(2, "claims")}
    assert [each.turn for each in of(events, TurnScored) if each.missing] == [2]


async def test_a_what_if_over_a_brief_debate_is_the_record(script: Any) -> None:
    walked = replay(tuple(await held(script, "brief")), lambda opened: opened)

    assert walked.recorded == walked.would_be
    assert (walked.diverges_at, walked.unanswered) == (0, ())


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"judge": {"effort": "brief", "person": "Ada"}}, "a person is asked each question by itself"),
        (
            {"judge": {"effort": "brief"}, "format": "protocol"},
            "a judge is asked briefly in formats exchange and lab only",
        ),
        ({"judge": {"effort": "some"}}, ""),
    ],
)
def test_what_does_not_go_with_brief(body: dict[str, Any], why: str) -> None:
    with pytest.raises(BadField) as caught:
        as_request({"motion": "Cities should ban cars", **body})

    assert caught.value.field == "judge.effort"
    assert why in str(caught.value)


@pytest.mark.slow
async def test_the_lexical_baseline_answers_joint_questions_by_parts(script: Any) -> None:
    kept = []
    for effort in ("full", "brief"):
        async with harness() as h:
            debate = await h.open(script(), turns=4, rubric=V2, judge="baseline:lexical", seat={"effort": effort})
            assert isinstance(await h.ended(debate), DebateConcluded)
            records = await check_sound(h.log, debate)
            kept.append(
                [each for each in judged(records) if each["type"] in {"turn_scored", "premise_stated", "claim_flagged"}]
            )

    assert kept[0] == kept[1]
    assert kept[0]

"""A verdict that names a side only if that is sure enough, and when the judge is asked about two verdicts."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.state.scorecard import Scorecard, SideCard
from events.state.witnesses import witnesses_of
from events.types import Missing, NarrativeVerdictReached, ScorecardVerdictReached, missing
from judge.live.conflict import is_conflict, lead_words
from judge.live.verdicts import certain_verdict
from tests.judge.ring_debates import RUBRIC
from tests.judge.turns import EventBatch, debate_of

SURE: dict[str, Any] = {"certainty": 0.9461, "error": 2.2, "pairs": 6}


def card(pro: float | Missing = 70.2, con: float | Missing = 66.0, **figures: Any) -> Scorecard:
    return Scorecard(pro=SideCard(composite=pro), con=SideCard(composite=con), **(SURE | figures))


@pytest.mark.parametrize(
    ("certainty", "winner", "reason"),
    [
        (0.9461, "pro", "pro 70.2, con 66: pro leads by 4.2, 94 % sure (standard error 2.2)"),
        (0.9, "pro", "pro 70.2, con 66: pro leads by 4.2, 90 % sure (standard error 2.2)"),
        (
            0.8999,
            "neither",
            "pro 70.2, con 66: pro leads by 4.2, 89 % sure (standard error 2.2); a side is named from 90 % on",
        ),
        (0.9999, "pro", "pro 70.2, con 66: pro leads by 4.2, over 99 % sure (standard error 2.2)"),
    ],
)
def test_a_side_is_named_from_the_rubrics_probability_on(certainty: float, winner: str, reason: str) -> None:
    found = certain_verdict(card(certainty=certainty), RUBRIC)

    assert (winner, "pro", 4.2, reason) == (found.winner, found.leaning, found.margin, found.reason)
    assert found.lead is not UNSET
    assert ("pro", 4.2, certainty) == (found.lead.side, found.lead.points, found.lead.certainty)


def test_no_side_leads_with_the_same_points() -> None:
    found = certain_verdict(card(66.0, 66.0, certainty=0.5), RUBRIC)

    assert ("neither", "neither", 0) == (found.winner, found.leaning, found.margin)
    assert found.lead is not UNSET
    assert "no speaker has more points" == lead_words(found.lead, RUBRIC, {"pro": "A", "con": "B"})


@pytest.mark.parametrize(
    ("given", "unsupported", "reason"),
    [
        (card(con=missing("none")), (), "no turn of con was judged"),
        (card(missing("none"), missing("none")), (), "no turn of either side was judged"),
        (card(certainty=UNSET, error=UNSET), (), "a side has no turn with a score by the judge"),
        (card(), ("con",), "more than half of the turns of con have too few quotes that stand in them"),
    ],
)
def test_without_enough_of_a_judgement_there_is_no_lead(given: Scorecard, unsupported: Any, reason: str) -> None:
    found = certain_verdict(given, RUBRIC, unsupported=unsupported)

    assert ("neither", reason, UNSET) == (found.winner, found.reason, found.lead)
    assert isinstance(found.margin, Missing)


def test_a_baseline_names_no_side_and_says_what_it_counts() -> None:
    found = certain_verdict(card(certainty=UNSET, error=UNSET, pairs=UNSET), RUBRIC, baseline="The baseline")

    assert ("neither", "pro") == (found.winner, found.leaning)
    assert found.reason == (
        "pro 70.2, con 66: The baseline puts pro 4.2 ahead; it understands nothing, so no side is named"
    )


def ended(verdict: ScorecardVerdictReached, winner: Any, margin: Any) -> EventBatch:
    batch = debate_of("One.", "Two.", rubric=RUBRIC)
    batch.add(verdict, batch.debate.position)
    read = NarrativeVerdictReached(winner=winner, margin=margin, pattern="none", explanation="so", cites=())
    batch.add(read, batch.debate.position)
    return batch


NAMED, UNNAMED = certain_verdict(card(), RUBRIC), certain_verdict(card(certainty=0.7), RUBRIC)


@pytest.mark.parametrize(
    ("verdict", "winner", "margin", "is_asked"),
    [
        (NAMED, "pro", "narrow", False),
        (NAMED, "pro", "clear", False),
        (NAMED, "con", "narrow", True),
        (NAMED, "neither", "none", True),
        (UNNAMED, "neither", "none", False),
        (UNNAMED, "pro", "narrow", False),
        (UNNAMED, "pro", "clear", True),
        (UNNAMED, "con", "narrow", True),
    ],
)
def test_the_judge_is_asked_why_two_verdicts_do_not_fit(
    verdict: ScorecardVerdictReached, winner: str, margin: str, *, is_asked: bool
) -> None:
    assert is_asked == is_conflict(ended(verdict, winner, margin).debate)


@pytest.mark.parametrize(("winner", "says"), [("pro", "agree"), ("con", "opposed"), ("neither", "silent")])
def test_the_reading_of_the_whole_is_a_witness_of_the_leading_side(winner: str, says: str) -> None:
    batch = ended(UNNAMED, winner, "narrow")

    assert {"conduct": "silent", "premises": "silent", "whole": says} == {
        each.name: each.says for each in witnesses_of(batch.debate)
    }
    assert ["conduct has no value for both sides", "the share of premises kept has no value for both sides"] == [
        each.text for each in witnesses_of(batch.debate)[:2]
    ]
    assert not witnesses_of(ended(replace(UNNAMED, leaning="neither"), winner, "narrow").debate)

"""The exhibitions of format ``exchange``, run to their end: what each of them shows of the judge's rules.

They are played under the newest rubric and under v2, whose rules other debates were judged by.
"""

from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec import UNSET

from events.types import (
    ClaimFlagged,
    DebateAudited,
    FindingRefused,
    LogicGapAdjusted,
    ModelAnswered,
    ModelFailed,
    PenaltyApplied,
    PremiseWithdrawn,
    ScoreHarmonized,
    ScoreInferred,
    TurnFailed,
    TurnRescored,
    TurnsCompared,
    TurnScored,
)
from events.verify import verify_log
from tests.server.harness import harness
from tests.server.protocol_debates import of

Played = tuple[list[Any], Any]
NAMES = ("juries", "cars", "homework")
REFUSED = {
    "juries": [("gaps", "a jury has never convicted an innocent person")],
    "cars": [("claims", "63 percent of shops gone within eighteen months of the barrier")],
    "homework": [("narrative", "turn 14")],
}
"""What an exhibition shows as refused: (question, words)."""
FAILED = {"juries": {"claims:2"}, "cars": {"speak:pro", "compare:8-7"}, "homework": {"score:7"}}
names = pytest.mark.parametrize("name", NAMES)


async def play(name: str, folder: Path, rubric: str) -> Played:
    """The events and the view of an exhibition that runs without pauses."""
    async with harness() as h:
        debate = await h.exhibit(name, folder, rubric=rubric)
        assert (await verify_log(h.log, debate)).ok
        return await h.events(debate), await h.view(debate)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    folder = tmp_path_factory.mktemp("played")
    return {name: anyio.run(play, name, folder, "v2") for name in NAMES}


@pytest.fixture(scope="module")
def played_v3(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    folder = tmp_path_factory.mktemp("played_v3")
    return {name: anyio.run(play, name, folder, "v3") for name in NAMES}


def entries(played: Played, turn: int, dimension: str) -> list[tuple[str, float]]:
    """(rule, points) of what changed a score after it was given."""
    kinds = (PenaltyApplied, ScoreHarmonized, LogicGapAdjusted)
    return [
        (each.rule, each.applied) for each in of(played[0], *kinds) if (each.turn, each.dimension) == (turn, dimension)
    ]


@pytest.mark.slow
@names
@pytest.mark.parametrize("rubric", ["played", "played_v3"])
def test_it_is_refused_corrected_and_missing_only_where_it_shows_that(
    rubric: str, name: str, request: pytest.FixtureRequest
) -> None:
    events, _ = request.getfixturevalue(rubric)[name]

    assert {False} == {each.parameters.get("neutral", False) for each in of(events, ModelAnswered)}
    assert REFUSED[name] == [(each.purpose, each.quote) for each in of(events, FindingRefused)]
    assert FAILED[name] == {each.key for each in of(events, ModelFailed)}
    assert len(of(events, TurnFailed)) == (name == "cars")


@pytest.mark.slow
@names
def test_it_has_clear_and_slight_wins(played: dict[str, Played], name: str) -> None:
    compared = [each for each in of(played[name][0], TurnsCompared) if each.outcomes]

    assert {"clear", "slight"} == {how for each in compared for how in each.degrees.values()}


@pytest.mark.slow
@names
def test_a_premise_that_is_withdrawn_openly_costs_nothing(played: dict[str, Played], name: str) -> None:
    events, view = played[name]
    given_up = {each.premise for each in of(events, PremiseWithdrawn)}
    charged = {each.reason.split()[0] for each in of(events, PenaltyApplied) if each.rule == "dropped_premise"}

    assert given_up
    assert given_up == {premise for premise, each in view["premises"].items() if each["state"] == "withdrawn"}
    assert charged == {premise for premise, each in view["premises"].items() if each["state"] == "dropped"}


# juries


def test_juries_lowers_turn_3_afterwards(played: dict[str, Played]) -> None:
    events, view = played["juries"]
    logic = view["turns"]["3"]["scores"]["logic"]
    (gap,) = [each for each in of(events, LogicGapAdjusted) if each.turn == 3]

    assert (23, 19) == (logic["admitted"], logic["effective"])
    assert [("fabricated_citation", -2), ("logic_gap", -2)] == entries(played["juries"], 3, "logic")
    assert "(it continues process, which lost 4)" in gap.reason
    assert (3, 4) == (gap.fails.turn, gap.exposed_by.turn)
    assert "upheld" == view["claims"]["C3.1"]["state"]
    assert ["winner"] == [each["outcome"] for each in view["anomalies"].values()]


def test_juries_docks_the_last_turn_in_the_closing_audit(played: dict[str, Played]) -> None:
    events, _ = played["juries"]

    assert [1] == [each.found for each in of(events, DebateAudited)]
    assert [("slight_winner", 1), ("logic_gap", -2)] == entries(played["juries"], 6, "logic")


def test_juries_has_two_verdicts_for_two_sides(played: dict[str, Played]) -> None:
    _, view = played["juries"]
    verdicts = view["verdicts"]

    assert ("pro", "con") == (verdicts["scorecard"]["winner"], verdicts["narrative"]["winner"])
    assert 4 < verdicts["scorecard"]["margin"] < 5
    assert ("clear", False) == (verdicts["narrative"]["margin"], verdicts["narrative"]["flipped"])
    assert "coherence_collapse" == verdicts["conflict"]["pattern"]
    assert view["spine"]["pro"]["stability"] < view["spine"]["con"]["stability"]


def test_juries_needs_both_orders_for_a_clear_win(played: dict[str, Played]) -> None:
    events, _ = played["juries"]
    compared = {each.later: each for each in of(events, TurnsCompared)}

    assert {"logic": "slight", "tactics": "clear"} == compared[4].degrees
    assert [("band_loser", -2), ("overclaim", -1)] == sorted(entries(played["juries"], 2, "logic"))
    assert ("rhetoric",) == compared[4].flipped


# cars


def test_cars_has_two_verdicts_for_one_side(played: dict[str, Played]) -> None:
    _, view = played["cars"]
    scorecard, narrative, conflict = (view["verdicts"][each] for each in ("scorecard", "narrative", "conflict"))

    assert ("pro", "pro") == (scorecard["winner"], narrative["winner"])
    assert 2 < scorecard["margin"] <= 4, "no tie, and not clear"
    assert scorecard["rounds"]["con"] > scorecard["rounds"]["pro"]
    assert ("clear", "asymmetric_depth") == (narrative["margin"], conflict["pattern"])


def test_cars_limits_a_clear_win_and_leaves_an_anomaly(played: dict[str, Played]) -> None:
    events, view = played["cars"]
    moved = {each.turn: each for each in of(events, ScoreHarmonized) if "moves at most 2" in each.reason}

    assert {8: -2.0} == {turn: each.applied for turn, each in moved.items()}
    assert [(8, "logic", 23)] == [
        (each["turn"], each["dimension"], each["effective"]) for each in view["anomalies"].values()
    ]


def test_cars_pays_for_one_flaw_once(played: dict[str, Played]) -> None:
    events, view = played["cars"]
    (gap,) = [each for each in of(events, LogicGapAdjusted) if each.turn == 2]

    assert -2 == gap.requested
    assert "(it continues C2.1, which cost 2)" in gap.reason
    assert ("cleared", 0) == (view["claims"]["C1.1"]["state"], view["claims"]["C1.1"]["penalty"])
    assert 34.7 == view["turns"]["1"]["scores"]["logic"]["effective"]
    assert [0] == [each.found for each in of(events, DebateAudited)]


# homework


def test_homework_is_a_tie_that_credibility_decides(played: dict[str, Played]) -> None:
    _, view = played["homework"]
    scorecard = view["verdicts"]["scorecard"]

    assert scorecard["margin"] < 2
    assert "pro" == scorecard["winner"]
    assert "credibility decides" in scorecard["reason"]
    assert view["summary"]["tie_broken"]


def test_homework_has_a_reading_that_changes_with_the_labels(played: dict[str, Played]) -> None:
    _, view = played["homework"]
    narrative, conflict = view["verdicts"]["narrative"], view["verdicts"]["conflict"]

    assert ("neither", "none", "low", True) == tuple(
        narrative[part] for part in ("winner", "margin", "confidence", "flipped")
    )
    assert "convergence_failure" == conflict["pattern"]


def test_homework_charges_nothing_for_a_source_that_cannot_be_checked(played: dict[str, Played]) -> None:
    events, view = played["homework"]
    kinds = {each.claim: each.kind for each in of(events, ClaimFlagged)}

    assert "unverifiable" == kinds["C3.1"]
    assert ("cleared", 0) == (view["claims"]["C3.1"]["state"], view["claims"]["C3.1"]["penalty"])
    assert [("logic_gap", -3)] == entries(played["homework"], 3, "logic")


def test_homework_is_audited_on_both_sides(played: dict[str, Played]) -> None:
    events, _ = played["homework"]
    audited = [each for each in of(events, LogicGapAdjusted) if each.exposed_by.turn == 11]

    assert [2] == [each.found for each in of(events, DebateAudited)]
    assert [(9, -3), (12, -3)] == [(each.turn, each.applied) for each in audited]


# version 3


def outcome(played: Played) -> str:
    return str(played[1]["outcome"]["text"])


@names
def test_the_newest_rubric_asks_for_a_closing_comparison_and_for_none_of_what_it_left(
    played_v3: dict[str, Played], name: str
) -> None:
    events, view = played_v3[name]
    last = max(int(turn) for turn in view["turns"])
    (closing,) = [each for each in of(events, TurnsCompared) if (each.earlier, each.later) == (1, last)]

    assert 3 == events[0].rubric.version
    assert closing.levels
    assert not of(events, ScoreHarmonized) or {"comparison"} == {each.rule for each in of(events, ScoreHarmonized)}
    assert not [each.reason for each in of(events, LogicGapAdjusted) if "it continues" in each.reason]
    assert all(
        turn.get("composite_maximum", 100) == (70 if number == "1" else 100) for number, turn in view["turns"].items()
    )


def test_juries_cannot_be_told_apart_although_the_reading_names_a_side(played_v3: dict[str, Played]) -> None:
    _, view = played_v3["juries"]
    scorecard = view["verdicts"]["scorecard"]

    assert ("neither", "con") == (scorecard["winner"], scorecard["leaning"])
    assert 0.5 < scorecard["certainty"] < 0.9
    assert outcome(played_v3["juries"]).startswith("Not distinguishable: Con leads by 0.7 (60 % sure)")
    assert "The reading of the whole debate names Con, clearly." in outcome(played_v3["juries"])


def test_juries_asks_about_the_last_turn_in_the_closing_audit_only(played_v3: dict[str, Played]) -> None:
    events, _ = played_v3["juries"]

    assert {2, 3, 4, 5} == {each.turn for each in of(events, ModelAnswered) if each.purpose == "gaps"}
    assert [("logic_gap", -2)] == [each for each in entries(played_v3["juries"], 6, "logic") if each[0] != "comparison"]


def test_cars_scores_two_turns_again_that_did_not_fit_their_comparisons(played_v3: dict[str, Played]) -> None:
    events, _ = played_v3["cars"]
    again = {each.turn: each for each in of(events, TurnRescored)}
    first = {each.turn: each for each in of(events, TurnScored)}

    assert {6, 7} == again.keys()
    for turn, each in again.items():
        assert each.components is not UNSET
        assert each.components != first[turn].components
    text = outcome(played_v3["cars"])
    assert "Turns 6 and 7 did not fit their comparisons: the judge scored them again, and the median" in text


def test_homework_names_a_side_and_fills_the_turn_without_a_score(played_v3: dict[str, Played]) -> None:
    events, view = played_v3["homework"]
    (filled,) = of(events, ScoreInferred)

    assert (7, "pro") == (filled.turn, view["verdicts"]["scorecard"]["winner"])
    assert "Turn 7 has no score: its points follow from its comparisons." in outcome(played_v3["homework"])
    assert view["verdicts"]["scorecard"]["certainty"] >= 0.9


def test_homework_says_nothing_of_a_tie(played_v3: dict[str, Played]) -> None:
    assert "tie" not in outcome(played_v3["homework"])

"""The ledger through the whole engine; every number was computed by hand."""

from typing import Any

import pytest

from events.state.exchanges import Anomaly
from events.state.scorecard import scorecard
from events.types import (
    ClaimFlagged,
    FindingRefused,
    LogicGapAdjusted,
    PenaltyApplied,
    PressureApplied,
    ScorecardVerdictReached,
    TurnsCompared,
)
from tests.judge.played_turns import (
    CALM,
    NO_REPLY,
    answer_steps,
    answers_by_purpose,
    balance,
    band_requests,
    claim_answer,
    claims_answer,
    entries,
    entry_rows,
    gap_answer,
    means,
    play_turn,
    score_answer,
)
from tests.server.debate_events import Play, opened

STUDY = "Trams carry more people. A study of 2019 proves that 91 percent of nurses prefer them."
FALSE = "A study of 2019 proves that 91 percent of nurses prefer them"


def test_a_winner_of_23_with_a_mandatory_2_stands_at_21_and_is_never_lifted_back() -> None:
    play = Play(opened(6))
    play_turn(play)
    play_turn(
        play, STUDY, score=score_answer(2, logic=(6, 6, 6, 5)), won={"logic": "later"}, claims=claim_answer(FALSE)
    )
    compared = play.debate.exchanges.comparisons[2].position

    score, penalty = entry_rows(play, 2)
    assert score == ("score", 23, 23, 23)
    assert penalty == ("fabricated_citation", -2, -2, 21)
    outside = Anomaly(turn=2, dimension="logic", outcome="winner", effective=21, band=(22, 40), comparison=compared)
    assert {"1-2.2.logic": outside} == play.debate.exchanges.anomalies

    play_turn(play, won={"logic": "earlier"})  # it wins again
    play_turn(play)
    assert balance(play, 2).effective == 21
    found = play.debate.exchanges.anomalies
    assert [21, 21] == [found["1-2.2.logic"].effective, found["2-3.2.logic"].effective]


def test_a_turn_at_1_has_2_asked_of_it_and_gives_1() -> None:
    play = Play(opened(6))
    play_turn(play)
    play_turn(play, STUDY, score=score_answer(2, logic=(0, 0, 1, 0)), claims=claim_answer(FALSE))

    assert entry_rows(play, 2) == [("score", 1, 1, 1), ("fabricated_citation", -2, -1, 0)]
    assert entries(play, 2)[-1].reason.endswith("(1 of 2 applied: the floor of 0 takes the rest)")
    assert balance(play, 2).outstanding == -2
    assert (play.debate.claims["C2.1"].requested, play.debate.claims["C2.1"].penalty) == (-2, -1)


@pytest.mark.parametrize(
    ("logic", "won", "asked", "stands"),
    [
        ((6, 6, 6, 0), "later", -3, 19),  # 24 − 2, then to at most 21: 19 and not 21
        ((4, 4, 4, 0), "earlier", 6, 20),  # 16 − 2, then to at least 22: 20 and not 22
        ((5, 5, 5, 0), "later", 0, 18),  # 20 − 2: within the loser's band as admitted
    ],
)
def test_a_penalty_before_the_band_of_turn_1_lands_whole(
    logic: tuple[int, ...], won: str, asked: float, stands: float
) -> None:
    play = Play(opened(6))
    play_turn(play, STUDY, score=score_answer(1, logic=logic), claims=claim_answer(FALSE))
    before = balance(play, 1)
    play_turn(play, won={"logic": won})

    assert before.effective == before.admitted - 2
    assert [each for each in band_requests(play) if each[0] == 1] == ([(1, "logic", asked)] if asked else [])
    assert balance(play, 1).effective == stands

    at = balance(play, 1)
    for _ in range(2):
        play_turn(play, won={"logic": "later", "rhetoric": "later"})
    assert balance(play, 1) == at


def test_a_penalty_after_the_band_lands_whole_as_well() -> None:
    play = Play(opened(6))
    play_turn(play)
    play_turn(
        play, STUDY, score=score_answer(2, logic=(6, 6, 6, 6)), won={"logic": "earlier"}, claims=claim_answer(FALSE)
    )

    assert [line[1:] for line in entry_rows(play, 2)] == [(24, 24, 24), (-3, -3, 21), (-2, -2, 19)]


def test_turn_1_is_banded_by_its_first_comparison_only() -> None:
    play = Play(opened(6))
    play_turn(play, score=score_answer(1, logic=(9, 9, 9, 0)))
    play_turn(play, score=score_answer(2, logic=(2, 2, 2, 2)))  # drawn: no band
    play_turn(
        play, score=score_answer(3, logic=(9, 9, 9, 9)), won={"logic": "earlier"}
    )  # turn 2 wins at 8 and stays at 8

    assert band_requests(play) == [(3, "logic", -15)]
    assert balance(play, 1).effective == 36
    assert list(play.debate.exchanges.anomalies) == ["2-3.2.logic"]


def test_points_come_back_as_far_as_the_floor_had_not_absorbed_them() -> None:
    text = f"{STUDY} Streets are the lungs of a city and its memory."
    two = claims_answer((FALSE, "fabricated_citation"), ("Streets are the lungs of a city", "no_mechanism"))
    cleared = {"reason": "the study is there", "verdict": "cleared"}
    play = Play(opened(6, appeals="all"))
    play_turn(play)
    play_turn(play, text, score=score_answer(2, logic=(0, 0, 1, 0)), claims=two, second_opinion=cleared)

    assert entry_rows(play, 2) == [
        ("score", 1, 1, 1),
        ("fabricated_citation", -2, -1, 0),
        ("no_mechanism", -1, 0, 0),
        ("cleared", 2, 0, 0),
        ("cleared", 1, 1, 1),
    ]
    third, fourth = entries(play, 2)[-2:]
    assert third.reason == "C2.1 was cleared (0 of 2 applied: the floor of 0 had absorbed the rest before)"
    assert fourth.reason == "C2.2 was cleared"
    assert {"cleared"} == {each.state for each in play.debate.claims.values()}
    assert {0.0} == {each.requested for each in play.debate.claims.values()}


def test_two_dockings_take_no_more_than_there_is() -> None:
    first, second = "Trams carry more people than cars", "because they share one track"
    play = Play(opened(6))
    play_turn(play)
    play_turn(play, score=score_answer(2, logic=(3, 3, 2, 2)))
    play_turn(play, gaps=gap_answer(2, first, second, 8))
    play_turn(play, gaps=gap_answer(2, second, first, 8))

    assert entry_rows(play, 2) == [("score", 10, 10, 10), ("logic_gap", -8, -8, 2), ("logic_gap", -8, -2, 0)]
    assert entries(play, 2)[-1].reason.endswith("(2 of 8 applied: the floor of 0 takes the rest)")
    docking = play.of(LogicGapAdjusted)[0]
    assert (docking.fails.turn, docking.exposed_by.turn) == (2, 3)
    assert docking.because_of == play.debate.transcript.turns[3].spoken
    assert CALM[slice(*docking.fails.span)] == first


def test_the_same_claim_costs_once() -> None:
    play = Play(opened(6))
    play_turn(play)
    play_turn(play, STUDY, score=score_answer(2), claims=claim_answer(FALSE))
    play_turn(play)
    play_turn(play, f"Once more: trams carry more people. {FALSE}.", score=score_answer(4), claims=claim_answer(FALSE))

    assert [each.turn for each in play.of(PenaltyApplied)] == [2]
    assert [each.claim for each in play.of(ClaimFlagged)] == ["C2.1"]
    assert [each.reason for each in play.of(FindingRefused)] == ["already flagged as C2.1"]
    assert balance(play, 4).effective == 20


def test_orders_that_disagree_make_a_draw_with_the_flip_noted() -> None:
    play = Play(opened(6))
    play_turn(play)
    one = {"logic": "first", "rhetoric": "second", "tactics": "draw"}  # turn 1 wins logic, turn 2 rhetoric
    two = {"logic": "first", "rhetoric": "first", "tactics": "draw"}  # turn 2 wins both
    play_turn(play, score=score_answer(2, rhetoric=(3, 3, 3, 3)), **{"compare:1-2": one, "compare:2-1": two})

    (compared,) = play.of(TurnsCompared)
    assert compared.outcomes == {"logic": "draw", "rhetoric": "later", "tactics": "draw"}
    assert compared.flipped == ("logic",)
    # Turn 2 was leashed: framing 3 is under 4, delivery 3 within 4; 12 rises to 17.  Turn 1 falls from 18 to 16.
    assert band_requests(play) == [(2, "rhetoric", 5), (1, "rhetoric", -2)]


@pytest.mark.parametrize("missing", ["compare:1-2", "compare:2-1"])
def test_an_order_that_is_not_answered_leaves_no_comparison_and_presses_nobody(missing: str) -> None:
    play = Play(opened(6, judge_attempts=2))
    play_turn(play)
    play_turn(
        play,
        score=score_answer(2, logic=(1, 1, 1, 1)),
        won={"logic": "earlier", "rhetoric": "earlier"},
        **{missing: NO_REPLY},
    )

    (compared,) = play.of(TurnsCompared)
    assert f"shown as {missing.removeprefix('compare:')}: " in compared.missing.reason
    assert "timeout" in compared.missing.reason
    assert band_requests(play) == []
    assert play.of(PressureApplied) == []
    assert play.debate.exchanges.comparisons[2].winner() is None


def test_the_loser_is_pressed_by_effective_scores() -> None:
    play = Play(opened(6))
    play_turn(play)  # logic 20, rhetoric 18, tactics 18
    lost = dict.fromkeys(("logic", "rhetoric", "tactics"), "earlier")
    play_turn(play, STUDY, score=score_answer(2), claims=claim_answer(FALSE), won=lost)

    # Bands: turn 1 to 22 in logic; turn 2 to 16 and 16; then −2 on its logic: 18.
    assert sorted(band_requests(play)) == [(1, "logic", 2), (2, "rhetoric", -2), (2, "tactics", -2)]
    (pressed,) = play.of(PressureApplied)
    assert (pressed.side, pressed.turn) == ("con", 2)
    assert pressed.cognitive == (22 - 18) / 40
    assert pressed.emotional == round((18 - 16) / 30, 4)
    assert pressed.strategic == round((18 - 16) / 30 / 2, 4)
    assert pressed.credibility == 2 / 4


def test_totals_and_the_leader_follow_the_ledger_at_once() -> None:
    play = Play(opened(2))
    play_turn(play)
    play_turn(
        play, STUDY, score=score_answer(2, logic=(6, 6, 5, 5)), claims=claims_answer((FALSE, "hollow_specificity"))
    )
    seen = scorecard(play.debate.ledger, play.debate.exchanges)

    # Turn 1: 20 + 18 + 18 = 56.  Turn 2: 22 − 1 + 18 + 18 = 57: within 2, neither side leads.
    assert (seen.pro.composite, seen.con.composite, seen.leader) == (56, 57, "neither")
    answer_steps(play, answers_by_purpose(2, {}))
    (verdict,) = play.of(ScorecardVerdictReached)
    assert (verdict.winner, verdict.margin, verdict.mean) == ("neither", 1, means(56, 57))
    assert play.debate.status.state == "concluded"


PREMISE = {"stated": [{"text": "One track carries many people.", "quote": "they share one track"}]}


@pytest.mark.parametrize(
    ("answers", "purpose", "why"),
    [
        ({"claims": claim_answer("words that nobody ever said")}, "claims", "the quote is not in the turn"),
        ({"claims": claim_answer("cars")}, "claims", "too short"),
        (
            {"gaps": gap_answer(3, "Trams carry more", "Trams carry more", 2)},
            "gaps",
            "turn 3 does not stand before turn 3",
        ),
        (
            {"gaps": gap_answer(9, "Trams carry more", "Trams carry more", 2)},
            "gaps",
            "turn 9 does not stand before turn 3",
        ),
        ({"gaps": gap_answer(1, "nobody said this", "Trams carry more", 2)}, "gaps", "that fail are not in turn 1"),
        (
            {"gaps": gap_answer(1, "Trams carry more", "nobody said this", 2)},
            "gaps",
            "that expose it are not in turn 3",
        ),
        ({"premises": {"stated": [{"text": "A premise.", "quote": "nobody said it"}]}}, "premises", "not in the turn"),
        ({"premises": {"revised": [{"premise": "P7.1", "text": "New."}]}}, "premises", "there is no premise 'P7.1'"),
        ({"premises": {"revised": [{"premise": "P2.1", "text": "New."}]}}, "premises", "P2.1 is the other side's"),
        ({"premises": {"dropped": [{"premise": "P2.1"}]}}, "premises", "P2.1 is the other side's"),
        (
            {"premises": {"revised": [{"premise": "P1.1", "text": "New."}], "dropped": [{"premise": "P1.1"}]}},
            "premises",
            "turn 3 revises P1.1",
        ),
        ({"premises": {"contradictions": [{"premises": ["P1.1", "P2.1"]}]}}, "premises", "P2.1 is the other side's"),
    ],
)
def test_what_does_not_hold_is_refused_and_costs_nothing(answers: dict[str, Any], purpose: str, why: str) -> None:
    play = Play(opened(6))
    play_turn(play, premises=PREMISE)
    play_turn(play, premises=PREMISE)
    play_turn(play, **answers)

    (refused,) = play.of(FindingRefused)
    assert (refused.turn, refused.purpose) == (3, purpose)
    assert why in refused.reason
    assert all(len(card.entries) == 5 for card in play.debate.ledger.cards.values())

"""A turn that does not fit its comparisons is scored again, and a turn without a score is filled from them."""

from statistics import median
from typing import Any

import pytest
from hypothesis import given as drawn
from msgspec import UNSET
from msgspec.structs import replace

from events.state.ledger import turns_moved
from events.state.scorecard import scorecard, sums_of
from events.types import ScoreCapped, ScoreHarmonized, ScoreInferred, TurnRescored
from judge.live.claims import ClaimsAnswer, SuspectClaim, flag_claims
from judge.live.comparison import moved_by
from judge.live.event_batch import EventBatch
from judge.live.scoring import record_score
from judge.live.second_reading import infer, misfits, rescore
from tests.judge.ring_debates import (
    COMPARED,
    DRAWN,
    RUBRIC,
    TEXT,
    Judged,
    answer_of,
    compared,
    debate,
    judgings,
    pairs_of,
    score_parts,
    share,
)
from tests.judge.turns import NO_ANSWER, balance, debate_of, effective, events_of, given
from tests.laws import examples


def four(*shares: float | None) -> EventBatch:
    """Turns with these shares of their maxima, none for a turn that is not scored; all pairs are drawn."""
    batch = debate_of(*[TEXT] * len(shares), rubric=RUBRIC)
    for turn, each in enumerate(shares, 1):
        if each is None:
            record_score(batch, turn, NO_ANSWER)
        else:
            score_parts(batch, turn, share(each, turn))
    for pair in pairs_of(len(shares)):
        compared(batch, pair, DRAWN)
    return batch


def lacking(batch: EventBatch) -> dict[int, Any]:
    return {each.turn: each for each in events_of(batch, ScoreInferred)}


def test_only_turns_far_from_their_comparisons_are_scored_again() -> None:
    """Turn 3 has 90 and its neighbours 60, which are drawn with it: it lies 30 above both."""
    batch = four(0.6, 0.6, 0.9, 0.6)

    assert {3: pytest.approx(30, abs=1.5)} == misfits(batch.debate)
    assert {} == misfits(four(0.6, 0.6, 0.7, 0.6).debate)


def test_a_rubric_without_the_rule_scores_no_turn_again() -> None:
    judged = Judged({turn: share(0.9 if turn == 3 else 0.6, turn) for turn in range(1, 5)}, {})
    batch = debate(judged, rubric=replace(RUBRIC, rescore_above=UNSET))
    for pair in pairs_of(4):
        compared(batch, pair, DRAWN)

    assert {} == misfits(batch.debate)


def test_the_median_of_the_readings_counts_and_the_comparisons_follow() -> None:
    batch = four(0.6, 0.6, 0.9, 0.6)
    readings = [answer_of(3, share(each, 3)) for each in (0.6, 0.7)]

    rescore(batch, 3, misfits(batch.debate)[3], given(*readings))
    clean = four(0.6, 0.6, 0.7, 0.6)

    (again,) = events_of(batch, TurnRescored)
    assert (3, 3) == (again.turn, again.readings)
    assert again.components is not UNSET
    assert {
        name: median((share(0.9, 3)[name], share(0.6, 3)[name], share(0.7, 3)[name])) for name in share(0.7, 3)
    } == {name: each.admitted for name, each in again.components.items()}
    for turn in range(1, 5):
        for name in COMPARED:
            assert effective(batch, turn, name) == pytest.approx(effective(clean, turn, name), abs=0.021)
    assert {} == misfits(batch.debate), "no turn is scored again twice"
    for name in ("logic", "rhetoric"):
        card = batch.debate.ledger.cards[3]
        entries = [each.applied for each in card.entries if each.dimension == name]
        assert sum(entries) == pytest.approx(card.balances[name].effective)


def test_readings_that_confirm_the_first_change_nothing() -> None:
    batch = four(0.6, 0.6, 0.9, 0.6)
    before = batch.debate.ledger
    readings = [answer_of(3, share(each, 3)) for each in (0.9, 0.5)]

    rescore(batch, 3, 30.04, given(*readings))

    (again,) = events_of(batch, TurnRescored)
    assert (30.0, UNSET, UNSET) == (again.residual, again.components, again.missing)
    assert before.cards[3].balances == batch.debate.ledger.cards[3].balances


def test_without_a_further_reading_the_first_score_stands() -> None:
    batch = four(0.6, 0.6, 0.9, 0.6)
    before = batch.debate.ledger.cards[3].balances

    rescore(batch, 3, 30.0, NO_ANSWER)

    (again,) = events_of(batch, TurnRescored)
    assert again.missing is not UNSET
    assert "it was silent" in again.missing.reason
    assert before == batch.debate.ledger.cards[3].balances


def test_a_limit_that_the_second_reading_does_not_meet_is_given_back() -> None:
    """Logic 37 with a component of 7 is limited to 35; the second reading has 20."""
    batch = four(0.5, 0.5, 0.5, 0.5)
    high = share(0.5, 3) | {"cause": 10, "process": 10, "consequence": 10, "weakest_premise": 7}
    capped = debate(Judged({turn: share(0.5, turn) for turn in (1, 2)} | {3: high, 4: share(0.5, 4)}, {}))
    assert [-2] == [each.applied for each in events_of(capped, ScoreCapped)]
    for pair in pairs_of(4):
        compared(capped, pair, DRAWN)

    rescore(capped, 3, 30.0, given(*[answer_of(3, share(0.5, 3))] * 2))

    (again,) = events_of(capped, TurnRescored)
    assert again.changes is not UNSET
    limits = [(each.applied, each.reason) for each in again.changes if isinstance(each, ScoreCapped)]
    assert [(2, "the limit does not apply to the second reading")] == limits
    assert effective(capped, 3) == pytest.approx(effective(batch, 3), abs=0.021)


def test_a_second_reading_and_what_follows_from_it_are_one_event() -> None:
    """A reader sees no score of the turn that still holds what the comparisons said of the first one."""
    batch = four(0.6, 0.6, 0.9, 0.6)
    before = batch.debate
    readings = [answer_of(3, share(each, 3)) for each in (0.6, 0.7)]

    rescore(batch, 3, misfits(before)[3], given(*readings))

    (again,) = events_of(batch, TurnRescored)
    assert before.position + 1 == batch.debate.position
    assert {2, 3, 4} == set(turns_moved(again))
    moved = {turn: batch.debate.ledger.cards[turn].entries[len(before.ledger.cards[turn].entries) :] for turn in (2, 4)}
    assert {again_at.position for each in moved.values() for again_at in each} == {batch.debate.position}


def test_what_follows_says_what_a_comparison_moves_now_and_what_it_moved_before() -> None:
    batch = four(0.6, 0.6, 0.9, 0.6)
    before = {turn: moved_by(batch.debate, turn, "rhetoric", _pair(batch, turn)) for turn in (2, 4)}

    rescore(batch, 3, 30.0, given(*[answer_of(3, share(0.7, 3))] * 2))

    (again,) = events_of(batch, TurnRescored)
    found = {each.turn: each for each in again.changes or () if each.dimension == "rhetoric" and each.turn != 3}
    for turn, each in found.items():
        now = moved_by(batch.debate, turn, "rhetoric", _pair(batch, turn))
        told = f"the comparison adds {now:g}, where it added {before[turn]:g} before"
        assert each.reason.endswith(f"; after the second reading {told}")
        assert each.applied == pytest.approx(now - before[turn])
    assert {2, 4} == found.keys()


def _pair(batch: EventBatch, turn: int) -> int:
    """The comparison of a turn with turn 3."""
    return batch.debate.exchanges.comparisons[max(turn, 3)].position


def test_a_turn_without_a_score_has_the_points_that_its_comparisons_imply() -> None:
    """Its neighbours have 60 and 80 of 100, and it is drawn with both: 70."""
    batch = four(0.6, 0.6, None, 0.8)
    assert batch.debate.ledger.cards[3].missing is not None

    infer(batch)

    (found,) = events_of(batch, ScoreInferred)
    assert 3 == found.turn
    assert {"logic": 28, "rhetoric": 21, "tactics": 21} == {
        name: pytest.approx(points, abs=0.6) for name, points in found.dimensions.items()
    }
    assert {"logic", "rhetoric", "tactics"} == batch.debate.ledger.cards[3].inferred
    assert found.reason.startswith("the judge gave no usable answer")
    assert batch.debate.ledger.cards[3].missing is None
    assert all(each.turn != 3 for each in events_of(batch, ScoreHarmonized))
    card = scorecard(batch.debate.ledger, batch.debate.exchanges)
    assert (2, 2) == (card.pro.judged_turns, card.con.judged_turns)
    assert isinstance(card.pro.composite, float)


def test_a_filled_turn_makes_the_lead_no_surer_than_a_score_would() -> None:
    whole, filled = four(0.6, 0.6, 0.6, 0.6), four(0.6, 0.6, None, 0.6)
    infer(filled)
    errors = [scorecard(each.debate.ledger, each.debate.exchanges).error for each in (whole, filled)]

    assert errors[0] is not UNSET
    assert errors[1] is not UNSET
    assert errors[0] < errors[1]


def test_a_filled_turn_pays_for_what_was_found_in_it() -> None:
    batch = four(0.6, 0.6, None, 0.6)
    flag_claims(batch, 3, given(ClaimsAnswer(claims=[SuspectClaim(quote="Trams carry more", kind="inverted_fact")])))
    assert 0 == batch.debate.claims["C3.1"].requested

    infer(batch)

    card = batch.debate.ledger.cards[3]
    (paid,) = [each for each in card.entries if each.kind == "penalty"]
    assert ("docking", -2) == (paid.rule, paid.applied)
    assert "turn 3 has points now, so what was found in it counts" == paid.reason


def test_what_no_comparison_tells_stays_missing() -> None:
    batch = four(None, None, 0.6, 0.6)
    for turn in (1, 2):
        assert batch.debate.ledger.cards[turn].missing is not None
    infer(batch)

    assert {1, 2} == lacking(batch).keys(), "each has one neighbour with a score"

    alone = four(None, 0.6)
    infer(alone)
    assert {1} == lacking(alone).keys()
    none = four(None, None, None)
    infer(none)
    assert not lacking(none)


@examples(15, whole=300)
@drawn(judgings(least=3))
def test_a_second_reading_with_the_same_points_keeps_every_score(judged: Judged) -> None:
    batch = debate(judged)
    before = sums_of(batch.debate.ledger).lead(RUBRIC)
    for turn, lies in misfits(batch.debate).items():
        rescore(batch, turn, lies, given(*[answer_of(turn, judged.points[turn])] * 2))

    assert before == sums_of(batch.debate.ledger).lead(RUBRIC)
    assert all(each.components is UNSET for each in events_of(batch, TurnRescored))
    assert balance(batch, 1).maximum == 30

"""Comparisons and bands; every number was computed by hand."""

import pytest
from msgspec.structs import replace

from events.types import ScoreHarmonized, TurnsCompared
from judge.live.claims import ClaimsAnswer, SuspectClaim, flag_claims
from judge.live.comparison import CompareAnswer, compare_turns, harmonize
from judge.live.event_batch import EventBatch
from judge.live.scoring import record_score
from tests.judge.turns import (
    NO_ANSWER,
    RUBRIC,
    balance,
    compare,
    comparison_answer,
    debate_of,
    effective,
    events_of,
    given,
    score,
    speak,
)

FALSE = "as the Brannick Ledger proves"
TEXTS = ("Cars are slow, because they stand in each other's way.", f"Cars are fast, {FALSE}.", "Trams are faster.")


def debate(**points: float) -> EventBatch:
    """Two turns with scores; ``one`` and ``two`` are their logic."""
    batch = debate_of(*TEXTS[:2])
    for turn, name in ((1, "one"), (2, "two")):
        score(batch, turn, logic=points.get(name, 20))
    return batch


def flag(batch: EventBatch, turn: int, quote: str, kind: str = "fabricated_citation") -> None:
    flag_claims(batch, turn, given(ClaimsAnswer(claims=[SuspectClaim(quote=quote, reason="", kind=kind)])))  # type: ignore[arg-type]


# the verdict


@pytest.mark.parametrize(
    ("forward", "backward", "outcome", "flipped"),
    [
        ("first", "second", "earlier", False),
        ("second", "first", "later", False),
        ("draw", "draw", "draw", False),
        ("first", "first", "draw", True),  # in both orders
        ("second", "second", "draw", True),
        ("first", "draw", "draw", True),
        ("draw", "first", "draw", True),
    ],
)
def test_only_what_survives_both_orders_counts(forward: str, backward: str, outcome: str, flipped: bool) -> None:
    batch = debate()

    compare_turns(batch, 1, 2, given(comparison_answer(logic=forward)), given(comparison_answer(logic=backward)))

    [found] = events_of(batch, TurnsCompared)
    assert {"logic": outcome, "rhetoric": "draw", "tactics": "draw"} == found.outcomes
    assert (("logic",) if flipped else ()) == found.flipped


@pytest.mark.parametrize(
    ("samples", "outcome"),
    [
        (["first", "first", "second"], "earlier"),
        (["first", "second", "draw"], "draw"),
        (["first", "second"], "draw"),
        (["second", "second"], "later"),
    ],
)
def test_an_order_says_what_most_of_its_samples_say(samples: list[str], outcome: str) -> None:
    batch = debate()
    swapped = [{"first": "second", "second": "first", "draw": "draw"}[each] for each in samples]

    compare_turns(
        batch,
        1,
        2,
        given(*(comparison_answer(logic=each) for each in samples)),
        given(*(comparison_answer(logic=each) for each in swapped)),
    )

    assert outcome == batch.debate.exchanges.comparisons[2].outcomes["logic"]
    assert () == batch.debate.exchanges.comparisons[2].flipped


def test_both_reasons_are_kept_with_their_order() -> None:
    batch = debate()

    compare_turns(
        batch, 1, 2, given(comparison_answer("the first is clearer")), given(comparison_answer("the second is clearer"))
    )

    said = "Shown as 1-2: the first is clearer Shown as 2-1: the second is clearer"
    assert said == events_of(batch, TurnsCompared)[0].reason


@pytest.mark.parametrize("silent", ["forward", "backward", "both"])
def test_an_order_without_an_answer_is_missing_and_nobodys(silent: str) -> None:
    batch = debate(one=5)
    answer = given(comparison_answer(logic="first"))
    forward = NO_ANSWER if silent in {"forward", "both"} else answer
    backward = NO_ANSWER if silent in {"backward", "both"} else answer

    at = compare_turns(batch, 1, 2, forward, backward)
    harmonize(batch, at)

    [found] = events_of(batch, TurnsCompared)
    assert "timeout" in getattr(found.missing, "reason", "")
    assert ("shown as 2-1" if silent == "backward" else "shown as 1-2") in getattr(found.missing, "reason", "")
    assert None is batch.debate.exchanges.comparisons[2].winner()
    assert [] == events_of(batch, ScoreHarmonized)
    assert {} == batch.debate.exchanges.anomalies


def test_a_rubric_without_bands_compares_nothing() -> None:
    batch = debate_of(*TEXTS[:2], rubric=replace(RUBRIC, bands={}))
    answer = given(CompareAnswer(reason="so"))

    harmonize(batch, compare_turns(batch, 1, 2, answer, answer))

    assert {} == events_of(batch, TurnsCompared)[0].outcomes


# bands


@pytest.mark.parametrize(
    ("one", "two", "winner", "after", "reasons"),
    [
        (30, 30, "later", (21, 30), ["lost logic against turn 2, which leaves at most 21 points"]),
        (15, 15, "later", (15, 22), ["won logic against turn 1, which gives at least 22 points"]),
        (
            25,
            12,
            "later",
            (21, 22),
            [
                "won logic against turn 1, which gives at least 22 points",
                "lost logic against turn 2, which leaves at most 21 points",
            ],
        ),
        (
            15,
            25,
            "earlier",
            (22, 21),
            [
                "lost logic against turn 1, which leaves at most 21 points",
                "won logic against turn 2, which gives at least 22 points",
            ],
        ),
        (22, 21, "earlier", (22, 21), []),
        (40, 0, "earlier", (40, 0), []),
    ],
)
def test_both_turns_of_the_first_exchange_are_banded(
    one: float,
    two: float,
    winner: str,
    after: tuple[float, float],
    reasons: list[str],
) -> None:
    batch = debate(one=one, two=two)

    compare(batch, 2, logic=winner)

    assert after == (effective(batch, 1), effective(batch, 2))
    assert reasons == [each.reason for each in events_of(batch, ScoreHarmonized)]
    assert {} == batch.debate.exchanges.anomalies


def test_a_draw_bands_nobody() -> None:
    batch = debate(one=40, two=0)

    compare(batch, 2)

    assert (40, 0) == (effective(batch, 1), effective(batch, 2))


def test_from_the_second_exchange_on_only_the_newer_turn_is_banded() -> None:
    batch = debate(one=30, two=30)
    compare(batch, 2, logic="earlier")
    speak(batch, TEXTS[2])
    score(batch, 3, logic=25)

    compare(batch, 3, logic="earlier")

    assert (30, 21, 21) == (effective(batch, 1), effective(batch, 2), effective(batch, 3))
    [anomaly] = batch.debate.exchanges.anomalies.values()
    assert (2, "logic", "winner", 21, (22, 40)) == (
        anomaly.turn,
        anomaly.dimension,
        anomaly.outcome,
        anomaly.effective,
        anomaly.band,
    )


def test_a_drawn_turn_is_not_banded_by_the_next_exchange() -> None:
    batch = debate(one=30, two=30)
    compare(batch, 2)
    speak(batch, TEXTS[2])
    score(batch, 3, logic=25)

    compare(batch, 3, logic="later")

    assert (30, 30, 25) == (effective(batch, 1), effective(batch, 2), effective(batch, 3))
    assert {"2-3.2.logic"} == batch.debate.exchanges.anomalies.keys()


def test_bands_are_applied_once() -> None:
    batch = debate(one=15, two=30)
    at = compare(batch, 2, logic="earlier")
    before = len(batch.drafts)

    harmonize(batch, at)

    assert before == len(batch.drafts)
    assert 22 == effective(batch, 1)


def test_a_turn_without_a_score_is_not_banded() -> None:
    batch = debate_of(*TEXTS[:2])
    record_score(batch, 1, NO_ANSWER)
    score(batch, 2, logic=30)

    compare(batch, 2, logic="earlier")

    assert [2] == [each.turn for each in events_of(batch, ScoreHarmonized)]
    assert None is batch.debate.ledger.balance(1, "logic")
    assert "timeout" in getattr(batch.debate.ledger.cards[1].missing, "reason", "")


# bands and penalties


def test_a_winner_of_23_with_a_mandatory_2_stands_at_21_and_is_never_lifted_back() -> None:
    batch = debate(one=15, two=23)
    at = compare(batch, 2, logic="later")
    flag(batch, 2, FALSE)

    assert (23, 21) == (balance(batch, 2).admitted, effective(batch, 2))
    assert {"1-2.2.logic"} == batch.debate.exchanges.anomalies.keys()
    harmonize(batch, at)
    speak(batch, TEXTS[2])
    score(batch, 3, logic=10)
    compare(batch, 3, logic="earlier")
    assert 21 == effective(batch, 2)
    assert {"1-2.2.logic", "2-3.2.logic"} == batch.debate.exchanges.anomalies.keys()
    assert [] == events_of(batch, ScoreHarmonized)


def test_a_penalty_before_the_band_stays_whole() -> None:
    batch = debate(one=15, two=10)
    flag(batch, 1, "they stand in each other's way", "hollow_specificity")

    compare(batch, 2, logic="earlier")

    [banded] = events_of(batch, ScoreHarmonized)
    assert (7, 7, 21) == (banded.requested, banded.applied, effective(batch, 1))  # 15 + 7 - 1
    assert {"1-2.1.logic"} == batch.debate.exchanges.anomalies.keys()


def test_a_penalty_after_the_band_stays_whole() -> None:
    batch = debate(one=20, two=30)
    compare(batch, 2, logic="earlier")

    flag(batch, 2, FALSE)

    assert (-9, 19) == (balance(batch, 2).harmonized, effective(batch, 2))  # 30 - 9 - 2


def test_a_band_pays_what_a_floor_had_absorbed() -> None:
    batch = debate(one=1, two=10)
    flag(batch, 1, "they stand in each other's way", "inverted_fact")
    assert 0 == effective(batch, 1)

    compare(batch, 2, logic="earlier")

    [banded] = events_of(batch, ScoreHarmonized)
    assert (21, 20, 20) == (banded.requested, banded.applied, effective(batch, 1))  # 1 + 21 - 2
    assert banded.reason.endswith("(20 of 21 applied: the floor of 0 had absorbed the rest before)")

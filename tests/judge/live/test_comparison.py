"""Head to head, and the bands: every number recomputed by hand."""

import pytest
from msgspec.structs import replace

from events.types import ScoreHarmonized, TurnsCompared
from judge.live.claims import ClaimsAnswer, Suspicion, flag_claims
from judge.live.comparison import compare_turns, compare_type, harmonize
from judge.live.event_batch import EventBatch
from judge.live.scoring import score as record_score
from tests.judge.court import (
    NOTHING,
    RUBRIC,
    balance,
    compare,
    court,
    effective,
    events,
    given,
    score,
    speak,
    verdict,
)

FALSE = "as the Brannick Ledger proves"
TEXTS = ("Cars are slow, because they stand in each other's way.", f"Cars are fast, {FALSE}.", "Trams are faster.")


def debate(**points: float) -> EventBatch:
    """Two turns said and scored; ``one`` and ``two`` are their logic."""
    desk = court(*TEXTS[:2])
    for turn, name in ((1, "one"), (2, "two")):
        score(desk, turn, logic=points.get(name, 20))
    return desk


def flag(desk: EventBatch, turn: int, quote: str, kind: str = "fabricated_citation") -> None:
    flag_claims(desk, turn, given(ClaimsAnswer(claims=[Suspicion(quote=quote, reason="", kind=kind)])))  # type: ignore[arg-type]


# the verdict


@pytest.mark.parametrize(
    ("forward", "backward", "outcome", "flipped"),
    [
        ("first", "second", "earlier", False),
        ("second", "first", "later", False),
        ("draw", "draw", "draw", False),
        ("first", "first", "draw", True),  # whoever is shown first
        ("second", "second", "draw", True),
        ("first", "draw", "draw", True),
        ("draw", "first", "draw", True),
    ],
)
def test_only_what_survives_both_orders_counts(forward: str, backward: str, outcome: str, flipped: bool) -> None:
    desk = debate()

    compare_turns(desk, 1, 2, given(verdict(logic=forward)), given(verdict(logic=backward)))

    [found] = events(desk, TurnsCompared)
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
    desk = debate()
    swapped = [{"first": "second", "second": "first", "draw": "draw"}[each] for each in samples]

    compare_turns(
        desk, 1, 2, given(*(verdict(logic=each) for each in samples)), given(*(verdict(logic=each) for each in swapped))
    )

    assert outcome == desk.debate.exchanges.comparisons[2].outcomes["logic"]
    assert () == desk.debate.exchanges.comparisons[2].flipped


def test_both_reasons_are_kept_with_their_order() -> None:
    desk = debate()

    compare_turns(desk, 1, 2, given(verdict("the first is clearer")), given(verdict("the second is clearer")))

    said = "Shown as 1-2: the first is clearer Shown as 2-1: the second is clearer"
    assert said == events(desk, TurnsCompared)[0].reason


@pytest.mark.parametrize("silent", ["forward", "backward", "both"])
def test_an_order_without_an_answer_is_missing_and_nobodys(silent: str) -> None:
    desk = debate(one=5)
    answer = given(verdict(logic="first"))
    forward = NOTHING if silent in {"forward", "both"} else answer
    backward = NOTHING if silent in {"backward", "both"} else answer

    at = compare_turns(desk, 1, 2, forward, backward)
    harmonize(desk, at)

    [found] = events(desk, TurnsCompared)
    assert "timeout" in getattr(found.missing, "reason", "")
    assert ("shown as 2-1" if silent == "backward" else "shown as 1-2") in getattr(found.missing, "reason", "")
    assert None is desk.debate.exchanges.comparisons[2].winner()
    assert [] == events(desk, ScoreHarmonized)
    assert {} == desk.debate.exchanges.anomalies


def test_a_rubric_without_bands_compares_nothing() -> None:
    desk = court(*TEXTS[:2], rubric=replace(RUBRIC, bands={}))
    answer = given(compare_type(replace(RUBRIC, bands={}))())

    harmonize(desk, compare_turns(desk, 1, 2, answer, answer))

    assert {} == events(desk, TurnsCompared)[0].outcomes


# bands


@pytest.mark.parametrize(
    ("one", "two", "winner", "after", "reasons"),
    [
        (30, 30, "later", (21, 30), ["lost logic against turn 2: at most 21"]),
        (15, 15, "later", (15, 22), ["won logic against turn 1: at least 22"]),
        (25, 12, "later", (21, 22), ["won logic against turn 1: at least 22", "lost logic against turn 2: at most 21"]),
        (
            15,
            25,
            "earlier",
            (22, 21),
            ["lost logic against turn 1: at most 21", "won logic against turn 2: at least 22"],
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
    desk = debate(one=one, two=two)

    compare(desk, 2, logic=winner)

    assert after == (effective(desk, 1), effective(desk, 2))
    assert reasons == [each.reason for each in events(desk, ScoreHarmonized)]
    assert {} == desk.debate.exchanges.anomalies


def test_a_draw_bands_nobody() -> None:
    desk = debate(one=40, two=0)

    compare(desk, 2)

    assert (40, 0) == (effective(desk, 1), effective(desk, 2))


def test_from_the_second_exchange_on_only_the_newer_turn_is_banded() -> None:
    desk = debate(one=30, two=30)
    compare(desk, 2, logic="earlier")
    speak(desk, TEXTS[2])
    score(desk, 3, logic=25)

    compare(desk, 3, logic="earlier")

    assert (30, 21, 21) == (effective(desk, 1), effective(desk, 2), effective(desk, 3))
    [anomaly] = desk.debate.exchanges.anomalies.values()
    assert (2, "logic", "winner", 21, (22, 40)) == (
        anomaly.turn,
        anomaly.dimension,
        anomaly.outcome,
        anomaly.effective,
        anomaly.band,
    )


def test_a_drawn_turn_is_not_banded_by_the_next_exchange() -> None:
    desk = debate(one=30, two=30)
    compare(desk, 2)
    speak(desk, TEXTS[2])
    score(desk, 3, logic=25)

    compare(desk, 3, logic="later")

    assert (30, 30, 25) == (effective(desk, 1), effective(desk, 2), effective(desk, 3))
    assert {"2-3.2.logic"} == desk.debate.exchanges.anomalies.keys()


def test_bands_are_applied_once() -> None:
    desk = debate(one=15, two=30)
    at = compare(desk, 2, logic="earlier")
    before = len(desk.batch())

    harmonize(desk, at)

    assert before == len(desk.batch())
    assert 22 == effective(desk, 1)


def test_a_turn_without_a_score_is_not_banded() -> None:
    desk = court(*TEXTS[:2])
    record_score(desk, 1, NOTHING)
    score(desk, 2, logic=30)

    compare(desk, 2, logic="earlier")

    assert [2] == [each.turn for each in events(desk, ScoreHarmonized)]
    assert None is desk.debate.ledger.balance(1, "logic")
    assert "timeout" in getattr(desk.debate.ledger.cards[1].missing, "reason", "")


# bands and penalties


def test_a_winner_of_23_with_a_mandatory_2_stands_at_21_and_is_never_lifted_back() -> None:
    desk = debate(one=15, two=23)
    at = compare(desk, 2, logic="later")
    flag(desk, 2, FALSE)

    assert (23, 21) == (balance(desk, 2).admitted, effective(desk, 2))
    assert {"1-2.2.logic"} == desk.debate.exchanges.anomalies.keys()
    harmonize(desk, at)
    speak(desk, TEXTS[2])
    score(desk, 3, logic=10)
    compare(desk, 3, logic="earlier")
    assert 21 == effective(desk, 2)
    assert {"1-2.2.logic", "2-3.2.logic"} == desk.debate.exchanges.anomalies.keys()
    assert [] == events(desk, ScoreHarmonized)


def test_a_penalty_before_the_band_stays_whole() -> None:
    desk = debate(one=15, two=10)
    flag(desk, 1, "they stand in each other's way", "hollow_specificity")

    compare(desk, 2, logic="earlier")

    [banded] = events(desk, ScoreHarmonized)
    assert (7, 7, 21) == (banded.requested, banded.applied, effective(desk, 1))  # 15 + 7 - 1
    assert {"1-2.1.logic"} == desk.debate.exchanges.anomalies.keys()


def test_a_penalty_after_the_band_stays_whole() -> None:
    desk = debate(one=20, two=30)
    compare(desk, 2, logic="earlier")

    flag(desk, 2, FALSE)

    assert (-9, 19) == (balance(desk, 2).harmonized, effective(desk, 2))  # 30 - 9 - 2


def test_a_band_pays_what_a_floor_had_absorbed() -> None:
    desk = debate(one=1, two=10)
    flag(desk, 1, "they stand in each other's way", "inverted_fact")
    assert 0 == effective(desk, 1)

    compare(desk, 2, logic="earlier")

    [banded] = events(desk, ScoreHarmonized)
    assert (21, 20, 20) == (banded.requested, banded.applied, effective(desk, 1))  # 1 + 21 - 2
    assert banded.reason.endswith("(20 of 21 applied: the floor of 0 had absorbed the rest before)")

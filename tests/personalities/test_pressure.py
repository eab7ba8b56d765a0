"""Pressure: which side gets it, how much, and how it depends on the ledger."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.types import (
    Event,
    LogicGapAdjusted,
    Passage,
    PressureApplied,
    Reason,
    ScoreHarmonized,
    Side,
    TurnScored,
    missing,
)
from personalities.archetypes import SIGNALS
from personalities.pressure import penalties, pressure
from tests.personalities.exchanges import GOOD, MAXIMA, RUBRIC, WORSE, exchange, fold, opened, penalty, reversal, scored

SCORES = st.fixed_dictionaries({name: st.integers(0, maximum) for name, maximum in MAXIMA.items()})
CLEAN: dict[str, float] = {name: maximum // 2 for name, maximum in MAXIMA.items()}


def felt(debate: Debate, comparison: Comparison) -> tuple[float, ...]:
    found = pressure(debate, comparison)
    assert found is not None
    return tuple(getattr(found, signal) for signal in SIGNALS)


def band(dimension: str, points: float) -> ScoreHarmonized:
    return ScoreHarmonized(turn=1, dimension=dimension, requested=points, applied=points, rule="band", because_of=1)


def gap(points: float) -> LogicGapAdjusted:
    words = Passage(turn=1, quote="words", span=(0, 5))
    return LogicGapAdjusted(
        turn=1,
        dimension="logic",
        requested=-points,
        applied=-points,
        rule="gap",
        because_of=1,
        fails=words,
        exposed_by=words,
    )


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, (0.2, 0.1667, 0.0833, 0)),  # 8/40, 5/30, (5/30 + 0)/2
        ({"logic": 10}, (0.5, 0.1667, 0.0833, 0)),  # 20/40
        ({"logic": 30}, (0, 0.1667, 0.0833, 0)),  # level
        ({"logic": 38}, (0, 0.1667, 0.0833, 0)),  # ahead is no pressure
        ({"rhetoric": 0}, (0.2, 0.6667, 0.0833, 0)),  # 20/30
        ({"frame_control": 1}, (0.2, 0.1667, 0.2833, 0)),  # (5/30 + 4/10)/2
        ({"tactics": 29, "frame_control": 0}, (0.2, 0.1667, 0.25, 0)),
        ({"credibility": 4}, (0.2, 0.1667, 0.0833, 0.3)),  # 3/10
    ],
)
def test_by_hand(own: dict[str, float], expected: tuple[float, ...]) -> None:
    assert expected == felt(*exchange({**WORSE, **own}))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ((penalty(2, dimension="rhetoric"),), 0.5),
        ((penalty(1),), 0.25),
        ((penalty(2), penalty(2, claim="C1.2")), 1.0),
        ((penalty(2), penalty(2, claim="C1.2"), penalty(2, claim="C1.3")), 1.0),  # capped
        ((penalty(2), reversal(2)), 0.0),  # given back
        ((penalty(2), penalty(1, claim="C1.2"), reversal(2)), 0.25),
        ((penalty(2, turn=2),), 0.0),  # the winner's
        ((band("rhetoric", -1), gap(3)), 0.0),  # neither band nor docking
    ],
)
def test_penalties_press_on_credibility(more: tuple[Event, ...], expected: float) -> None:
    assert expected == felt(*exchange(WORSE, GOOD, *more))[3]


def test_credibility_is_the_larger_of_deficit_and_penalties() -> None:
    far_behind = {**WORSE, "credibility": 0}

    assert 0.7 == felt(*exchange(far_behind, GOOD, penalty(1)))[3]
    assert 1.0 == felt(*exchange(far_behind, GOOD, penalty(4)))[3]


def test_a_penalty_that_the_floor_swallowed_presses_in_full() -> None:
    swallowed = penalty(2)
    debate, comparison = exchange({**WORSE, "logic": 0}, GOOD, swallowed)

    assert 2 == penalties(debate.ledger.cards[1])
    assert 0.5 == felt(debate, comparison)[3]


def test_effective_values_press_not_raw_ones() -> None:
    raw = {name: float(maximum) for name, maximum in MAXIMA.items()}
    debate, comparison = exchange()
    debate = fold(debate, *scored(1, WORSE, raw=raw))

    assert (0.2, 0.1667, 0.0833, 0) == felt(debate, comparison)
    assert 0.275 == felt(fold(debate, gap(3)), comparison)[0]  # 11/40
    assert 0.175 == felt(fold(debate, band("logic", 1)), comparison)[0]  # 7/40
    assert (0.25, 0.5) == felt(fold(debate, penalty(2)), comparison)[::3]  # 10/40; 2/4


@pytest.mark.parametrize(("winner", "side", "turn"), [("con", "pro", 1), ("pro", "con", 2)])
def test_the_loser_feels_it(winner: Side, side: Side, turn: int) -> None:
    found = pressure(*exchange(WORSE, WORSE, winner=winner))

    assert PressureApplied(side=side, turn=turn, cognitive=0, emotional=0, strategic=0, credibility=0) == found


def test_nobody_feels_a_draw_or_what_is_missing() -> None:
    debate, comparison = exchange()
    unsaid = Comparison(position=1, earlier=1, later=2, missing=Reason("no answer"))
    lacking = {name: value for name, value in WORSE.items() if name != "frame_control"}
    reason = missing("no answer").missing

    assert pressure(*exchange(winner=None)) is None
    assert pressure(debate, unsaid) is None
    assert pressure(*exchange(lacking)) is None
    assert pressure(*exchange(WORSE, lacking)) is None
    assert pressure(fold(debate, TurnScored(turn=2, missing=reason)), comparison) is None
    assert pressure(Debate(), comparison) is None
    assert pressure(debate, Comparison(position=1, earlier=2, later=3, outcomes={"logic": "later"})) is None


def test_a_dimension_that_the_rubric_does_not_know_is_missing() -> None:
    few = replace(RUBRIC, dimensions={"logic": RUBRIC.dimensions["logic"]})

    assert pressure(*exchange(opening=opened(rubric=few))) is None


@pytest.mark.parametrize(("full", "expected"), [(1, 1.0), (4, 0.25), (10, 0.1)])
def test_the_rubric_says_what_full_pressure_is(full: float, expected: float) -> None:
    opening = opened(rubric=replace(RUBRIC, full_pressure=full))

    assert expected == felt(*exchange(WORSE, GOOD, penalty(1), opening=opening))[3]


def test_a_deficit_ends_at_one_whatever_a_ledger_says() -> None:
    behind, ahead = dict.fromkeys(MAXIMA, 0.0), {**dict.fromkeys(MAXIMA, 0.0), "rhetoric": 29.0}

    assert 1.0 == felt(*exchange(behind, ahead, penalty(2, dimension="rhetoric", claim="C1.1")))[1]


@pytest.mark.slow
@given(
    own=SCORES,
    theirs=SCORES,
    winner=st.sampled_from(["pro", "con"]),
    points=st.lists(st.integers(0, 3), max_size=4),
)
def test_only_the_loser_and_only_within_bounds(
    own: dict[str, float],
    theirs: dict[str, float],
    winner: Side,
    points: list[int],
) -> None:
    fines = [penalty(each, dimension="rhetoric", claim=f"C1.{n}") for n, each in enumerate(points, 1)]
    debate, comparison = exchange(own, theirs, *fines, winner=winner)
    found = pressure(debate, comparison)

    assert found is not None
    assert (found.side, found.turn) == (("pro", 1) if winner == "con" else ("con", 2))
    for value in felt(debate, comparison):
        assert 0 <= value <= 1
        assert value == round(value, 4)


@pytest.mark.slow
@given(own=SCORES, theirs=SCORES, name=st.sampled_from(sorted(MAXIMA)), less=st.integers(0, 40))
def test_who_falls_further_behind_feels_no_less(
    own: dict[str, float],
    theirs: dict[str, float],
    name: str,
    less: int,
) -> None:
    before = felt(*exchange(own, theirs))
    after = felt(*exchange({**own, name: max(own[name] - less, 0)}, theirs))

    assert all(first <= second for first, second in zip(before, after, strict=True))


def test_entries_say_of_what_kind_they_are() -> None:
    debate, _ = exchange(CLEAN, GOOD, band("logic", 1), penalty(2), reversal(2), gap(1))
    kinds = [entry.kind for entry in debate.ledger.cards[1].entries]

    assert [*["score"] * 5, "band", "penalty", "reversal", "gap"] == kinds

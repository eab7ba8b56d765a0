"""Docking of an earlier turn: both quotes are checked, a flaw counts once, and points never fall below 0."""

from typing import Any

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from events.state.ledger import without_notes
from events.types import FindingRefused, LogicGapAdjusted
from judge.live.answers import Answers
from judge.live.claims import ClaimsAnswer, SuspectClaim, flag_claims
from judge.live.event_batch import EventBatch
from judge.live.gaps import Gap, GapsAnswer, GradedGap, GradedGaps, dock
from judge.live.scoring import ComponentAnswer, ScoreAnswer, applicable, record_score
from judge.rubrics.rubric import rubric_v2
from tests.judge.turns import NO_ANSWER, RUBRIC, debate_of, effective, events_of, given, refusals, score

EARLY = "An error that is written down can be found. A judge owes the crowd nothing, and so like cases come out alike."
LATE = "Reasons are composed after the decision. Two courts can agree and both be wrong."
WRITTEN, CROWD, ALIKE = "An error that is written down", "A judge owes the crowd nothing", "like cases come out alike"
COMPOSED, WRONG = "Reasons are composed after the decision", "Two courts can agree and both be wrong"


def gap(fails: str = WRITTEN, exposed_by: str = COMPOSED, turn: int = 1, points: int = 4, reason: str = "so") -> Gap:
    return Gap(turn=turn, fails=fails, exposed_by=exposed_by, reason=reason, points=points)


def answer(*gaps: Gap) -> GapsAnswer:
    return GapsAnswer(gaps=list(gaps))


def debate(logic: float = 20, rubric: Any = RUBRIC) -> EventBatch:
    batch = debate_of(EARLY, LATE, rubric=rubric)
    score(batch, 1, logic=logic)
    score(batch, 2)
    return batch


def test_a_docking_names_both_passages() -> None:
    batch = debate()

    dock(batch, 2, given(answer(gap("an ERROR that is  written down", "“Reasons are composed after the decision”"))))

    [docked] = events_of(batch, LogicGapAdjusted)
    assert (1, -4, -4, "logic_gap", "logic") == (
        docked.turn,
        docked.requested,
        docked.applied,
        docked.rule,
        docked.dimension,
    )
    assert ((1, WRITTEN), (2, COMPOSED)) == (
        (docked.fails.turn, docked.fails.quote),
        (docked.exposed_by.turn, docked.exposed_by.quote),
    )
    assert (WRITTEN, COMPOSED) == (EARLY[slice(*docked.fails.span)], LATE[slice(*docked.exposed_by.span)])
    assert batch.debate.transcript.turns[2].spoken == docked.because_of
    assert 16 == effective(batch, 1)
    assert 20 == effective(batch, 2)


LIMIT = "the flaws of one turn cost at most 5 together, or what the gravest costs alone"


@pytest.mark.parametrize(
    ("asked", "taken", "after"), [((3, 3, 2), [-3, -2], 25), ((6, 6, 3), [-6], 24), ((2, 6, 3), [-2, -4], 24)]
)
def test_flaws_of_one_turn_take_their_limit_together_or_what_the_gravest_takes(
    asked: Any, taken: list[float], after: float
) -> None:
    batch = debate(logic=30, rubric=replace(RUBRIC, gaps=replace(RUBRIC.gaps, most_per_turn=5)))
    words = ((WRITTEN, COMPOSED), (CROWD, WRONG), (ALIKE, WRONG))

    flaws = (gap(*pair, points=points) for pair, points in zip(words, asked, strict=True))
    dock(batch, 2, given(answer(*flaws)))

    assert taken == [each.requested for each in events_of(batch, LogicGapAdjusted)]
    assert len(asked) - len(taken) == len(refusals(batch))
    lost = f"nothing is left to pay (turn 1 has lost {6 if asked[1] == 6 else 5} for flaws; {LIMIT})"
    assert all(each == lost for each in refusals(batch))
    assert after == effective(batch, 1)


@pytest.mark.parametrize("continues", ["C1.1, process", "process and C1.1", "C1.1; C1.1; process.", "C1.1 / process"])
def test_what_was_paid_for_each_name_that_a_flaw_continues_counts_once(continues: str) -> None:
    """The claim has cost 2; in turn 1 the component lost 2 of its 10 points, which count 4/3."""
    rubric = rubric_v2()
    batch = debate_of(EARLY, LATE, rubric=rubric)
    full = {name: ComponentAnswer(points=each.maximum, quote=WRITTEN) for name, each in applicable(rubric, 1).items()}
    scored = full | {"process": replace(full["process"], points=8)}
    record_score(batch, 1, given(ScoreAnswer(components=scored)))
    flag_claims(batch, 1, given(ClaimsAnswer(claims=[SuspectClaim(quote=CROWD, kind="inverted_fact")])))

    flaw = GradedGap(turn=1, fails=WRITTEN, exposed_by=COMPOSED, reason="So.", points=6, continues=continues)
    dock(batch, 2, given(GradedGaps(gaps=[flaw])))

    [taken] = events_of(batch, LogicGapAdjusted)
    assert -1.3 == taken.requested
    assert {"C1.1, which cost 2", "process, which lost 2.7"} == set(
        taken.reason.removeprefix("So. (it continues ").removesuffix(")").split(", and ")
    )
    assert "So." == without_notes(taken.reason)


def test_dockings_beyond_what_is_left_are_shown() -> None:
    batch = debate(logic=10)

    dock(batch, 2, given(answer(gap(points=8), gap(CROWD, WRONG, points=5), gap(ALIKE, WRONG, points=3))))

    docked = events_of(batch, LogicGapAdjusted)
    assert [(-8, -8), (-5, -2), (-3, 0)] == [(each.requested, each.applied) for each in docked]
    assert [
        "so",
        "so (2 of 5 applied: the floor of 0 takes the rest)",
        "so (0 of 3 applied: the floor of 0 takes the rest)",
    ] == [each.reason for each in docked]
    assert 0 == effective(batch, 1)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (gap("An error that nobody writes"), "the words that fail are not in turn 1"),
        (gap(COMPOSED), "the words that fail are not in turn 1"),
        (gap(exposed_by=CROWD), "the words that expose it are not in turn 2"),
        (gap(exposed_by=""), "the words that expose it are not in turn 2"),
        (gap("An err"), "the words that fail are not in turn 1"),
        (gap(COMPOSED, turn=2), "turn 2 does not stand before turn 2"),
        (gap(turn=3), "turn 3 does not stand before turn 2"),
        (gap(turn=200), "turn 200 does not stand before turn 2"),
    ],
)
def test_what_does_not_hold_is_refused(wrong: Gap, why: str) -> None:
    batch = debate()

    dock(batch, 2, given(answer(wrong)))

    assert [why] == refusals(batch)
    assert (20, 20) == (effective(batch, 1), effective(batch, 2))


@pytest.mark.parametrize(
    ("wrong", "about"),
    [(gap("An error that nobody writes"), 1), (gap(COMPOSED, turn=2), UNSET), (gap(turn=200), UNSET)],
)
def test_a_refusal_names_the_earlier_turn_that_it_is_about(wrong: Gap, about: int | UnsetType) -> None:
    batch = debate()

    dock(batch, 2, given(answer(wrong)))

    assert [(2, about)] == [(each.turn, each.about) for each in events_of(batch, FindingRefused)]


def test_a_turn_without_a_score_cannot_be_docked() -> None:
    batch = debate_of(EARLY, LATE)

    dock(batch, 2, given(answer(gap())))

    assert ["turn 1 has no score"] == refusals(batch)


@pytest.mark.parametrize(("points", "applied"), [(1, 2), (2, 2), (4, 4), (5, 4)])
def test_the_rubric_bounds_the_size(points: int, applied: int) -> None:
    batch = debate(rubric=replace(RUBRIC, gaps=replace(RUBRIC.gaps, least=2, most=4)))

    dock(batch, 2, given(answer(gap(points=points))))

    [docked] = events_of(batch, LogicGapAdjusted)
    assert -applied == docked.requested
    assert (f"requested {points}, allowed {applied}" in docked.reason) == (points != applied)


@pytest.mark.parametrize("words", [WRITTEN, "error that is written", f"{WRITTEN} can be found", "down can be found"])
def test_a_flaw_is_docked_once(words: str) -> None:
    batch = debate()
    dock(batch, 2, given(answer(gap())))

    dock(batch, 2, given(answer(gap(words, WRONG))))

    assert ["turn 1 has lost points for these words already"] == refusals(batch)
    assert 16 == effective(batch, 1)


@pytest.mark.parametrize(
    ("samples", "requested", "refused"),
    [
        ([[gap(points=2)], [gap("written down can be", WRONG, points=5)], []], [-3.5], []),
        ([[gap(points=2)], [gap(points=3)], [gap(points=8)]], [-3], []),
        ([[gap()], [gap(CROWD)]], [], ["only 1 of 2 samples find this flaw"] * 2),
        ([[gap()], []], [], ["only 1 of 2 samples find this flaw"]),
        ([[gap(points=2), gap("error that is", points=8)], [gap(points=2)]], [-2], []),
    ],
)
def test_more_than_half_of_the_samples_must_name_the_flaw(
    samples: list[list[Gap]],
    requested: list[float],
    refused: list[str],
) -> None:
    batch = debate()

    dock(batch, 2, given(*(answer(*each) for each in samples)))

    assert requested == [each.requested for each in events_of(batch, LogicGapAdjusted)]
    assert refused == refusals(batch)


def test_a_side_may_expose_itself() -> None:
    batch = debate_of(EARLY, "Well.", LATE)
    score(batch, 1)

    dock(batch, 3, given(answer(gap())))

    assert 16 == effective(batch, 1)


@pytest.mark.parametrize("answers", [NO_ANSWER, given(), given(answer())])
def test_nothing_said_is_nothing_docked(answers: Answers[GapsAnswer]) -> None:
    batch = debate()
    before = batch.debate

    dock(batch, 2, answers)

    assert before is batch.debate

"""The verdict of the numbers."""

import pytest

from events.types import BothSides, Missing, Rounds, missing
from judge.live.verdicts import scorecard_verdict
from judge.rubric import rubric_v1


@pytest.mark.parametrize(
    ("pro", "con", "winner", "margin", "reason"),
    [
        (60.0, 50.0, "pro", 10, "pro 60, con 50: pro leads by 10"),
        (50.0, 52.1, "con", 2.1, "pro 50, con 52.1: con leads by 2.1"),
        (52.1, 50.1, "neither", 2, "pro 52.1, con 50.1: within 2 nobody wins"),
        (50.0, 50.0, "neither", 0, "pro 50, con 50: within 2 nobody wins"),
    ],
)
def test_the_higher_mean_wins(pro: float, con: float, winner: str, margin: float, reason: str) -> None:
    verdict = scorecard_verdict(BothSides(pro=pro, con=con), Rounds(pro=1), rubric_v1())

    assert (winner, margin, reason, 1) == (verdict.winner, verdict.margin, verdict.reason, verdict.rounds.pro)


@pytest.mark.parametrize(
    ("pro", "con", "reason"),
    [
        (missing("failed"), 50.0, "no turn of pro was judged"),
        (50.0, missing("failed"), "no turn of con was judged"),
        (missing("failed"), missing("failed"), "no turn of either side was judged"),
    ],
)
def test_a_missing_mean_favours_nobody(pro: float | Missing, con: float | Missing, reason: str) -> None:
    verdict = scorecard_verdict(BothSides(pro=pro, con=con), Rounds(), rubric_v1())

    assert ("neither", missing(reason)) == (verdict.winner, verdict.margin)

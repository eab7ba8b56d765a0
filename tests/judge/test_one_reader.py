"""Numbers in every dress count alike wherever a model answers with numbers: one reader, one policy."""

from typing import Any

import pytest

from judge.deliberation.opinions import OpinionAnswer
from judge.deliberation.questions import opinion_type
from judge.deliberation.subject import ARTIFACT_VERDICTS, Subject
from judge.live.scoring import ScoreAnswer, score_type
from judge.panel.questions import RaterAnswer, panel_type
from judge.protocol.assess import AssessmentAnswer, assess_type
from judge.rubrics.rubric import rubric_v2
from providers.errors import WrongType
from tests.judge.protocol.rounds import CRITERIA, NAMES, RULES
from tests.judge.reading import answered

RUBRIC = rubric_v2()
SUBJECT = Subject(
    verdicts=ARTIFACT_VERDICTS, dimensions=dict.fromkeys("abc", "?"), low=0, high=10, texts=(), quote_minimum=8
)
COMPONENTS = RUBRIC.dimensions["logic"].components


def exchange(first: Any, others: Any = 5) -> Any:
    parts = {name: {"quote": "", "reason": "", "points": others} for name in COMPONENTS}
    parts["cause"]["points"] = first
    (given,) = answered(score_type(RUBRIC, 2), ScoreAnswer, {"components": parts}).values
    return given.components["cause"].points if "cause" in given.components else None


def protocol(first: Any, others: Any = 5) -> Any:
    cards = {name: {"scores": dict.fromkeys(CRITERIA.dimensions, others)} for name in NAMES}
    cards["PRO-1"]["scores"]["logic"] = first
    (given,) = answered(assess_type(NAMES, CRITERIA, RULES), AssessmentAnswer, {"arguments": cards}).values
    return given.arguments["PRO-1"].scores.get("logic")


def panel(first: Any, others: Any = 5) -> Any:
    cards = {name: dict.fromkeys(CRITERIA.dimensions, others) for name in NAMES}
    cards["PRO-1"]["logic"] = first
    (given,) = answered(panel_type(NAMES, CRITERIA), RaterAnswer, {"scores": cards}).values
    return given.scores["PRO-1"].get("logic")


def deliberation(first: Any, others: Any = 5) -> Any:
    said = {"verdict": "PASS", "scores": {"a": first, "b": others, "c": others}}
    (given,) = answered(opinion_type(SUBJECT, lists=True), OpinionAnswer, said).values
    return given.scores.get("a")


READERS = pytest.mark.parametrize("read", [exchange, protocol, panel, deliberation])


@READERS
@pytest.mark.parametrize(
    ("said", "counts"),
    [
        (8, 8),
        ("8", 8),
        ("8/10", 8),
        ("8 out of 10", 8),
        ("8 points", 8),
        (11, 10),
        ("12/10", 10),
        (7.5, 8),
        ("8/100", None),
        ("80%", None),
        ("high", None),
        (True, None),
        (None, None),
    ],
)
def test_a_number_counts_alike_in_all_four_readers(read: Any, said: Any, counts: float | None) -> None:
    assert counts == read(said)


@READERS
def test_an_answer_in_percent_is_no_answer_to_any_of_them(read: Any) -> None:
    with pytest.raises(WrongType, match="numbers are off the scales that were asked for"):
        read(99, 99)

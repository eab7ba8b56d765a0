"""The question about a case: nobody has answered its arguments, so nothing is asked that only a reply can show."""

import msgspec
import pytest
from msgspec.structs import replace

from events.types import Argument, Case, DebateOpened, Rater
from judge.panel.case import case_criteria, case_prompt, case_seat, case_type
from judge.rubrics.rubric import rubric_v1, rubric_v3
from judge.templates import parse_template
from tests.judge.panel.rater_scores import rater_seats
from tests.server.debate_events import opened as exchange_opened

SEATS = rater_seats()
CASE = Case(
    id="tides",
    motion="Tides come from the moon",
    pro=(Argument(id="PRO-1", claim="The moon pulls", reasoning="Mass attracts", evidence="Tables of 1895"),),
    con=(Argument(id="CON-1", claim="The wind does it", reasoning="Storms raise water", evidence="A storm of 1953"),),
    truth="pro",
    source="a textbook",
    digest="d",
)
OPENED = replace(exchange_opened(), rubric=rubric_v3(), panel=tuple(SEATS))


def asked(opened: DebateOpened, seat: Rater = SEATS[0]) -> str:
    return "\n\n".join(segment.text for segment in case_prompt(opened, seat, CASE))


def test_a_case_asks_for_scores_and_notes_and_for_nothing_that_was_not_tested() -> None:
    said = asked(OPENED)

    assert "- logic: is the chain of reasoning sound" in said
    assert "nobody has answered them yet" in said
    for absent in ("standings", "put to the test", "responsiveness", "finding", "You are the judge"):
        assert absent not in said
    assert ("notes", "scores") == case_type(OPENED, CASE).__struct_fields__
    assert {"logic", "evidence", "honesty"} == case_criteria(OPENED).dimensions.keys()


@pytest.mark.parametrize("seat", SEATS, ids=lambda seat: seat.name)
def test_a_rater_weighs_the_other_criteria_among_themselves_as_before(seat: Rater) -> None:
    weights = case_seat(OPENED, seat).weights

    assert pytest.approx(1) == sum(weights.values())
    assert pytest.approx(seat.weights["logic"] / seat.weights["honesty"]) == weights["logic"] / weights["honesty"]


def test_a_calibration_of_before_asks_what_it_asked() -> None:
    older = parse_template(OPENED.prompts["panel"].text.partition("--- case")[0])
    opened = replace(OPENED, prompts={**OPENED.prompts, "panel": older})

    assert "put to the test" in asked(opened)
    assert "standings" in case_type(opened, CASE).__struct_fields__
    assert SEATS[0] == case_seat(opened, SEATS[0])


def test_under_version_1_a_case_asks_for_standings_as_it_did() -> None:
    opened = replace(OPENED, rubric=rubric_v1())

    assert "- UPHELD: it withstood what was put against it" in asked(opened)
    assert msgspec.structs.fields(case_type(opened, CASE))[0].name == "scores"

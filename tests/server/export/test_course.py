"""The course of a debate: what the first page draws follows from the record."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec import UNSET

from events.record import Recorded
from events.transfer import parse_lines
from events.types import LogicGapAdjusted
from events.view import view as views
from events.view.view import Fold
from server.export.preview.course import Course, course_of, first_sentence, lead_moved, share_of
from server.export.preview.drawing import course_svg

GOLDEN = Path(__file__).parents[2] / "events/view/golden"


def recorded(name: str) -> tuple[list[Recorded], Fold]:
    records = list(parse_lines((GOLDEN / f"{name}.ndjson").read_bytes().splitlines(keepends=True)))
    return records, views.apply_all(views.INITIAL, records)


@pytest.mark.parametrize("name", ["0.1-juries_v3", "0.1-juries"])
def test_the_course_is_that_of_the_record(name: str) -> None:
    records, fold = recorded(name)
    course = course_of(fold)

    assert course.end == len(records)
    assert [1, 2, 3, 4, 5, 6] == [each.turn for each in course.points if each.turn is not UNSET]
    figures = [each for each in course.points if each.probability is not UNSET or each.lead is not UNSET]
    last = figures[-1]
    assert fold.view.lead is not UNSET
    points = fold.view.lead.points if fold.view.lead.side == "pro" else -(fold.view.lead.points or 0)
    assert (last.probability, last.lead) == (fold.view.lead.probability, points if name == "0.1-juries" else UNSET)
    gaps = {each.position: each.event for each in records if isinstance(each.event, LogicGapAdjusted)}
    moved = {each.position for each in course.points if each.dock}
    assert course.docked == len(moved)
    assert {position for position, gap in gaps.items() if gap.applied < 0} <= moved

    shown = course.exposure
    assert shown is not UNSET
    gap = gaps[shown.position]
    assert (gap.fails.quote, gap.exposed_by.quote) == (shown.fails.quote, shown.exposes.quote)
    assert shown.turns_later == max(each.exposed_by.turn - each.fails.turn for each in gaps.values())
    for said in (shown.fails, shown.exposes):
        whole = f"{said.before}{said.quote}{said.after}".removesuffix("\u00a0…").removeprefix("… ")
        assert whole in fold.view.turns[str(said.turn)].text
    assert gap.reason == shown.reason
    assert gap.applied == shown.points


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (2.4, 0.4, "Pro’s lead falls from 2.4 points to 0.4."),
        (-3.06, -5.06, "Con’s lead grows from 3.1 points to 5.1."),
        (1.0, -2.0, "Pro led by 1.0 points; now Con leads by 2.0."),
        (0.0, -2.0, "Con takes the lead by 2.0 points."),
        (3.0, 0.0, "Pro’s lead of 3.0 points is gone."),
        (3.0, 3.01, "Pro’s lead stays at 3.0 points."),
        (0.0, 0.0, "The sides stay level."),
        (None, 1.0, ""),
    ],
)
def test_what_an_event_did_to_the_lead(before: float | None, after: float | None, words: str) -> None:
    assert words == lead_moved(before, after)


def test_the_first_sentence() -> None:
    assert "It is so." == first_sentence("It is so. Watch it.")
    assert "It is so: 3.5 times" == first_sentence("It is so: 3.5 times")


@pytest.mark.parametrize("name", ["0.1-juries_v3", "0.1-juries"])
def test_the_drawing_of_a_report_has_the_steps_of_the_course(name: str) -> None:
    """The bar is split at the newest share; each change of the lead is a box, on the side of who is ahead."""
    course = course_of(recorded(name)[1])
    drawn = ET.fromstring(course_svg(course, {"pro": 67.34, "con": None}))
    boxes = [each for each in drawn if each.tag == "rect" and each.get("class") in {"pro", "con"}]
    shares = [share for each in course.points if (share := share_of(each)) is not None]

    scale, steps = boxes[:2], boxes[4:]
    split = float(scale[0].get("width", "")) / sum(float(each.get("width", "")) for each in scale)
    assert split == pytest.approx(shares[-1], abs=0.001)
    assert [each.get("class") for each in steps] == ["pro" if share > 0.5 else "con" for share in shares]
    assert [float(each.get("height", "")) for each in steps] == pytest.approx(
        [98 * abs(share - 0.5) for share in shares], abs=0.06
    )
    assert (drawn.find("pattern") is not None) == (course.is_open is True)
    assert [each.text for each in drawn if each.get("class") == "on"] == ["▲ Pro 67.3", "Con ▼"]
    assert sum(each.get("class") == "tick" for each in drawn) == course.docked
    assert drawn.get("aria-label") == course.outcome


def test_nothing_is_drawn_without_a_score() -> None:
    course = Course(end=1, format="exchange", state="open", motion="Zoos should close", turns=0)
    assert course_svg(course, {"pro": None, "con": None}) == ""

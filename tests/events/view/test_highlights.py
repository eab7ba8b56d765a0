"""The three moments of an outcome follow from the record: their events, their figures, and their words."""

import re
from pathlib import Path

import pytest
from msgspec import UNSET

from events.transfer import parse_lines
from events.view import view as views
from events.view.view import View

GOLDEN = {
    path.stem: tuple(parse_lines(path.read_bytes().splitlines(keepends=True)))
    for path in sorted((Path(__file__).parent / "golden").glob("*.ndjson"))
}
HEADINGS = {
    "0.1-cars": ["Turn 6 is scored 45, and the lead moves 9.5 towards Pro", "Turn 6 tries to instruct the judge"],
    "0.1-homework": ["Turn 1 loses points: 74.8 → 66.5", "Turn 7 exposes a flaw in turn 6: 73.0 → 69.0"],
    "0.1-juries": ["Turn 3 makes a suspect claim", "Turn 4 exposes a flaw in turn 1: 69.7 → 65.7"],
    "0.1-juries_v3": ["Turn 3 is scored 65, and the lead moves 18.5 towards Con", "Turn 3 makes a suspect claim"],
}


def composite(view: View, turn: int) -> float | None:
    found = view.turns[str(turn)].composite if str(turn) in view.turns else UNSET
    return found if isinstance(found, float) else None


@pytest.mark.parametrize("name", GOLDEN)
def test_each_moment_follows_from_its_event(name: str) -> None:
    records = GOLDEN[name]
    view = views.apply_all(views.INITIAL, records).view
    assert view.summary is not UNSET
    found = view.summary.highlights

    assert [each.heading for each in found][:2] == HEADINGS[name]
    assert len(found) == len({each.position for each in found}) == 3
    assert [each.position for each in found] == sorted(each.position for each in found)
    for each in found:
        before, after = (
            views.apply_all(views.INITIAL, records[:upto]).view for upto in (each.position - 1, each.position)
        )
        was, now = composite(before, each.turn), composite(after, each.turn)
        for quote in each.quotes:
            assert quote.side == view.turns[str(quote.turn)].side
            assert quote.quote in view.turns[str(quote.turn)].text
        if figures := re.search(r"([\d.]+) → ([\d.]+)$", each.heading):
            assert [was, now] == [pytest.approx(float(figure), abs=0.051) for figure in figures.groups()]
            assert now is not None
            assert was is not None
            assert each.points == pytest.approx(now - was)
        elif figures := re.search(r"is scored ([\d.]+)", each.heading):
            assert was is None
            assert now == pytest.approx(float(figures[1]), abs=0.051)
        else:
            claimed = [claim.penalty for claim in view.claims.values() if claim.flagged == each.position]
            assert [*claimed, UNSET][0] == each.points
            assert was == now

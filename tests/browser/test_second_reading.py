"""A debate under rubric v3 in an exported file: a turn that was scored again, and a lead that is not sure."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from events.transfer import parse_lines
from events.types import TurnRescored
from events.view import view as views
from events.view.view import View
from tests.browser.exported_file import exported_file

pytestmark = pytest.mark.browser

LOG = Path(__file__).parents[1] / "events" / "view" / "golden" / "0.1-juries_v3.ndjson"
RECORDS = parse_lines(LOG.read_bytes().splitlines(keepends=True))


def view_at(position: int) -> View:
    return views.apply_all(views.INITIAL, RECORDS[:position]).view


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return exported_file(LOG, tmp_path_factory.mktemp("second_reading"))


def visit(page: Page, address: str, position: int | None = None) -> None:
    page.goto(f"{address}{'' if position is None else f'#e{position}'}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def test_the_bar_and_the_turn_go_from_the_first_reading_to_the_second_at_once(page: Page, address: str) -> None:
    [again] = [each for each in RECORDS if isinstance(each.event, TurnRescored) and each.event.components]
    for position in (again.position - 1, again.position):
        view = view_at(position)
        visit(page, address, position)
        expect(page.locator("#lead")).to_contain_text(f"{view.lead.points:.1f}")  # type: ignore[union-attr]
        total = page.locator("article[data-turn='2'] .scores .total")
        expect(total).to_contain_text(f"{view.turns['2'].composite:.1f}".removesuffix(".0"))
    expect(page.locator("#lead")).to_contain_text("was scored again")


def test_a_turn_that_was_scored_again_tells_its_readings(page: Page, address: str) -> None:
    read = view_at(len(RECORDS)).turns["2"].rescored
    visit(page, address)
    article = page.locator("article[data-turn='2']")

    assert read
    assert read.counts
    first, last = read.read[0].composite, read.counts.composite
    assert re.search(rf"; the judge gave {first:g} .+ in turn: the median of 3 readings counts, {last:g} ", read.text)
    expect(article).to_contain_text(f"{read.text[0].upper()}{read.text[1:]}.")


def test_the_last_turn_shows_the_comparison_with_the_first(page: Page, address: str) -> None:
    visit(page, address)
    article = page.locator("article[data-turn='6']")
    expect(article.locator("p.compared")).to_have_text(
        [re.compile("^Against turn 5: "), re.compile("^Against turn 1: ")]
    )
    article.locator("details.why > summary").click()

    titles = article.locator(".compared-why h3")
    expect(titles).to_have_text(["Compared with turn 5", "Compared with turn 1"])


def test_a_lead_that_is_not_sure_is_called_so_in_the_bar_and_in_the_scorecard(page: Page, address: str) -> None:
    position = next(
        at
        for at in range(len(RECORDS) - 10, 0, -1)
        if (lead := view_at(at).lead) and lead.is_close is True and lead.points
    )
    visit(page, address, position)

    expect(page.locator("#lead")).to_contain_text("Not distinguishable")
    expect(page.locator("#scorecard .leader")).to_contain_text("sure: not distinguishable")
    expect(page.locator("#scorecard .leader")).not_to_contain_text("is ahead")

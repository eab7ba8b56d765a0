"""The poll in a browser: two phones vote before and after, an operator closes, the page and the wall show who moved."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Server
from tests.browser.test_access import View, assert_accessible, in_views, start_axe

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SCRIPT = {"label": "Poll", "says": {"pro": ["Trams carry more people than cars."], "con": ["People need their cars."]}}


@pytest.fixture
def debate(server: Server) -> str:
    seats = {seat: {"model": server.script(SCRIPT)} for seat in ("pro", "con", "judge")}
    return server.open_request({"motion": "Cities should ban private cars", "turns": 2, "poll": {}, **seats})


@pytest.fixture
def open_page(new_page: Open, server: Server) -> Open:
    """Opens an address in a browser of its own."""

    def opened(path: str, width: int = 1280) -> Page:
        page = new_page(width=width, own=True)
        page.goto(server.url + path)
        return page

    return opened


def choose(page: Page, stance: str) -> None:
    page.locator(f".stance.{stance}").click()
    expect(page.locator(f".stance.{stance}")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#answer")).to_contain_text("You can change it until the vote closes")


def test_two_phones_vote_twice_and_the_result_shows_who_moved(server: Server, open_page: Open, debate: str) -> None:
    operator = open_page(f"/d/{debate}")
    expect(operator.locator("#poll")).to_contain_text("The first vote is open. 0 people have voted.")
    phones = [open_page(f"/vote/{debate}", width=390) for _ in range(2)]
    for phone, stance in zip(phones, ("pro", "undecided"), strict=True):
        choose(phone, stance)
    room = open_page(f"/d/{debate}/wall")
    expect(room.locator("#why")).to_have_text("The first vote is open: open this debate on your phone to vote.")
    wall = open_page(f"/vote/{debate}/wall")
    expect(wall.locator("#wall")).to_contain_text("2 people have voted")
    expect(wall.locator("#wall img")).to_have_js_property("complete", value=True)
    expect(operator.locator("#poll")).to_contain_text("2 people have voted")
    operator.get_by_role("button", name="Close the vote and begin").click()
    expect(phones[0].locator("#ballot h2")).to_have_text("Where do you stand now, after the debate?")
    for phone in phones:
        phone.reload()
        choose(phone, "con")
    wall.get_by_role("button", name="Close the vote", exact=True).click()

    for page in (wall, operator):
        expect(page.locator(".winners")).to_contain_text("Audience ▼ Con")
        expect(page.locator(".moves")).to_contain_text("1 from ▲ Pro to ▼ Con")
    phones[0].reload()
    expect(phones[0].locator("#result")).to_contain_text("You moved from ▲ Pro to ▼ Con.")
    expect(phones[0].locator("#result")).to_contain_text("▼ Con +100 points")
    assert 2 == server.view(debate)["poll"]["after"]["cast"]


def test_a_phone_whose_cookies_are_refused_is_told_so(server: Server, open_page: Open, debate: str) -> None:
    page = open_page(f"/vote/{debate}")
    expect(page.locator(".stance.pro")).to_be_visible()
    page.context.clear_cookies()
    page.locator(".stance.pro").click()

    expect(page.locator("#trouble")).to_contain_text("allow cookies for this site")
    expect(page.locator(".stance.pro")).to_have_attribute("aria-pressed", "false")
    assert 0 == server.view(debate)["poll"]["before"]["cast"]


def test_the_form_opens_a_debate_with_a_poll(server: Server, open_page: Open) -> None:
    page = open_page("/")
    page.locator("#new > summary").click()
    page.locator("#extras > summary").click()
    expect(page.locator("#poll-fields")).to_be_hidden()
    page.locator("[name=poll]").check()
    page.locator("[name='poll.before_s']").fill("0")
    page.locator("#motion").fill("Cities should ban private cars")
    page.locator("#open button[type=submit]").click()
    expect(page.locator("[data-error='poll.before_s']")).to_be_visible()


@in_views
def test_axe_finds_nothing_on_the_pages_of_a_vote_and_of_its_result(
    server: Server, open_page: Open, debate: str, views: tuple[View, ...]
) -> None:
    page, wall = open_page(f"/vote/{debate}"), open_page(f"/vote/{debate}/wall")
    choose(page, "con")
    expect(wall.locator("#wall")).to_contain_text("1 person has voted")
    for each in (page, wall):
        start_axe(each)
        assert_accessible(each, views)
    server.http.post(f"/api/debates/{debate}/poll/close", json={"when": "before"}).raise_for_status()
    page.reload()
    choose(page, "pro")
    server.http.post(f"/api/debates/{debate}/poll/close", json={"when": "after"}).raise_for_status()
    operator = open_page(f"/d/{debate}")
    for each in (page, wall, operator):
        expect(each.locator(".winners")).to_be_visible()
        start_axe(each)
        assert_accessible(each, views)

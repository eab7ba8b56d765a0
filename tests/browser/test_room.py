"""A debate on the wall of a room: the words from below, who leads and why, the newest loss, keys, the code."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Server
from tests.browser.test_access import assert_accessible, start_axe

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def juries(server: Server) -> str:
    return str(server.exhibit("juries"))


LAST_LINE = """() => {
  const [box, said] = [document.querySelector(".p-said div"), document.querySelector("#said")];
  const [outer, inner] = [box, said].map((each) => each.getBoundingClientRect());
  const above = document.querySelector("#who").getBoundingClientRect().bottom;
  return [Math.abs(outer.bottom - inner.bottom) < 2, outer.top >= above - 1];
}"""


def wall(page: Page, server: Server, debate: str, rest: str = "") -> None:
    page.goto(f"{server.url}/d/{debate}/wall{rest}")
    expect(page.locator("#said")).not_to_be_empty()


def test_the_wall_shows_what_is_said_who_leads_and_why(new_page: Open, server: Server, juries: str) -> None:
    page = new_page(width=1920, height=1080)
    events = server.get(f"/api/debates/{juries}/events?limit=1000")["events"]
    gap = next(each for each in events if each["event"]["type"] == "logic_gap_adjusted")
    wall(page, server, juries, f"#e{gap['position']}")
    view = server.get(f"/api/debates/{juries}?at={gap['position']}")
    event = gap["event"]

    expect(page.locator("#state")).to_have_text("Reading back")
    expect(page.locator(".bar")).to_contain_text(re.compile(r"Pro \d+\.\d.*\d+\.\d Con", re.DOTALL))
    expect(page.locator("#why")).to_contain_text(f"{view['lead']['points']:.1f}")
    expect(page.locator("#entry")).to_contain_text(f"Flaw exposed in turn {event['turn']}")
    expect(page.locator("#entry q")).to_have_text([event["fails"]["quote"], event["exposed_by"]["quote"]])
    assert [True, True] == page.evaluate(LAST_LINE)
    for width, height in ((1920, 1080), (1280, 720), (1024, 768)):
        page.set_viewport_size({"width": width, "height": height})
        assert [True, True] == page.evaluate(LAST_LINE), (width, height)


def test_a_protocol_has_no_bar_on_the_wall(new_page: Open, server: Server) -> None:
    page = new_page(width=1920, height=1080)
    debate = server.exhibit("transit")
    wall(page, server, debate)
    outcome = server.get(f"/api/debates/{debate}")["outcome"]["headline"]

    expect(page.locator("#why")).to_have_text(f"{outcome}.")
    expect(page.locator(".bar")).to_be_hidden()


def test_the_menu_of_a_debate_leads_to_its_wall(new_page: Open, server: Server, juries: str) -> None:
    page = new_page()
    page.goto(f"{server.url}/d/{juries}")
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.locator("#menu > summary").click()
    page.locator("#menu .menu > summary").click()

    assert page.get_by_text("Put on the wall of a room").get_attribute("href") == f"/d/{juries}/wall"


def test_keys_steer_the_wall(new_page: Open, server: Server, juries: str) -> None:
    page = new_page(width=1920, height=1080, own=True)
    wall(page, server, juries)
    expect(page.locator("#state")).to_have_text("Ended")
    outcome = server.get(f"/api/debates/{juries}")["outcome"]["headline"]
    expect(page.locator("#why")).to_have_text(f"{outcome}.")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#state")).to_have_text("Reading back")
    page.keyboard.press("End")
    expect(page.locator("#state")).to_have_text("Ended")
    before = page.evaluate("parseFloat(getComputedStyle(document.querySelector('#said')).fontSize)")
    page.keyboard.press("-")
    assert before > page.evaluate("parseFloat(getComputedStyle(document.querySelector('#said')).fontSize)")
    page.keyboard.press("Space")
    expect(page.locator("#state")).to_have_text("Playing")
    expect(page.locator("#turn")).to_have_text("turn 1 of 6")


def test_a_room_joins_by_the_code(new_page: Open, server: Server, juries: str) -> None:
    page = new_page()
    wall(page, server, juries)
    code = page.locator("#address strong").inner_text()
    expect(page.locator("#code")).to_have_js_property("complete", value=True)
    assert page.evaluate("document.querySelector('#code').naturalWidth") > 0
    page.goto(f"{server.url}/{code.lower()}")

    expect(page).to_have_url(re.compile(f"/d/{juries}"))


def test_axe_finds_nothing_on_the_wall(new_page: Open, server: Server, juries: str) -> None:
    page = new_page()
    page.emulate_media(reduced_motion="reduce")
    wall(page, server, juries, "#e89")
    start_axe(page)
    views: Any = [(1280, "light"), (1280, "dark"), (390, "light")]

    assert_accessible(page, views)


def test_a_page_that_joined_by_the_code_shows_what_the_wall_shows(new_page: Open, server: Server, juries: str) -> None:
    chair, phone = new_page(width=1920, height=1080, own=True), new_page(width=390, height=844, own=True)
    wall(chair, server, juries, "#e80")
    code = chair.locator("#address strong").inner_text()
    phone.goto(f"{server.url}/{code}")
    expect(phone.locator(".together")).to_contain_text("This page follows the wall of the room.")
    expect(phone).to_have_url(re.compile("#e80$"))

    chair.keyboard.press("ArrowRight")
    expect(phone).to_have_url(re.compile("#e81$"))
    chair.keyboard.press("Shift+ArrowLeft")
    at = chair.locator("#turn").inner_text()
    expect(phone.locator("#progress")).to_have_text(at.capitalize())
    chair.keyboard.press("End")
    expect(phone.locator("#status")).to_have_text("Ended")

    phone.get_by_role("button", name="Read by yourself").click()
    expect(phone.locator(".together")).to_have_count(0)
    assert "room" not in phone.url
    chair.keyboard.press("ArrowLeft")
    expect(chair.locator("#state")).to_have_text("Reading back")
    expect(phone.locator("#status")).to_have_text("Ended")


def test_the_chair_lets_the_debate_go_on_for_one_turn(new_page: Open, server: Server, live: Any, scripts: Any) -> None:
    debate = live(scripts.silent_in(3))
    page = new_page(width=1440, height=900, own=True)
    page.goto(f"{server.url}/d/{debate}")
    expect(page.locator("[data-turn='3'] .said[aria-busy]")).not_to_be_empty()
    page.get_by_role("button", name="Pause the debate").press("Enter")  # a page that follows may move under a pointer
    expect(page.locator("#status")).to_have_text("Debate paused")

    chair = new_page(width=1920, height=1080, own=True)
    wall(chair, server, debate)
    expect(chair.locator("#state")).to_have_text("Paused")
    chair.keyboard.press("p")
    for each in (page.locator("#status"), chair.locator("#state")):
        expect(each).to_have_text("Live")
    chair.keyboard.press("p")
    expect(page.locator("#status")).to_have_text("Debate paused")

"""The foot of a debate's page: the controls of the cursor at every width."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.laws import spread

pytestmark = pytest.mark.browser

APART = """() => {
  const boxes = [...document.querySelectorAll('#foot :is(button, select, #where)')]
    .map((each) => ({ name: each.id || each.textContent, box: each.getBoundingClientRect() }))
    .filter(({ box }) => box.width);
  const touches = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const near = (one, others) => others.filter(({ box }) => touches(one.box, box)).map(({ name }) => [one.name, name]);
  return boxes.flatMap((one, i) => near(one, boxes.slice(i + 1)))
    .concat(boxes.filter(({ box }) => box.right > innerWidth || box.left < 0).map(({ name }) => [name, "outside"]));
}"""


def test_the_controls_do_not_overlap(new_page: Any, server: Any) -> None:
    page = new_page()
    page.goto(f"{server.url}/d/{server.exhibit('juries')}#e9")
    expect(page.locator("#back")).to_be_visible()
    expect(page.locator("#change-on")).to_be_visible()

    for width in (320, 360, 380, 381, 390, 640, 641, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        for text in ("To the end", "Back to live · 1,234 new", "123 turns behind · catch up"):
            page.locator("#back").evaluate("(button, text) => { button.textContent = text; }", text)
            assert page.evaluate(APART) == [], (width, text)
            assert page.evaluate("document.documentElement.scrollWidth") == width, text


@pytest.mark.parametrize("name", spread(["juries", "transit"], 1))
def test_the_track_takes_the_remaining_width(new_page: Any, server: Any, name: str) -> None:
    """In the second debate no score was changed, so the buttons for changes are hidden."""
    page = new_page()
    page.goto(f"{server.url}/d/{server.exhibit(name)}")
    expect(page.locator("#where")).to_contain_text("event")

    for width in (320, 380, 640, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator(".track").evaluate("(track) => track.offsetWidth") > width * 0.34, width
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_what_is_to_come_can_be_hidden(new_page: Any, server: Any) -> None:
    page = new_page(own=True)  # the choice is kept by the browser
    debate = server.exhibit("juries")
    head = server.view(debate)["position"]
    page.goto(f"{server.url}/d/{debate}#e40")
    expect(page.locator("#where")).to_have_text(f"event 40 of {head}")
    expect(page.locator("#course .tocome")).to_be_attached()

    page.keyboard.press("?")
    page.get_by_label("Hide what is to come").check()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("#where")).to_have_text("event 40")
    expect(page.locator("#slider")).to_have_attribute("max", "40")
    expect(page.locator("#course .tocome")).not_to_be_attached()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#where")).to_have_text("event 41")
    page.wait_for_url("**#e41")
    page.reload()
    expect(page.locator("#where")).to_have_text("event 41")
    page.keyboard.press("End")
    expect(page.locator("#where")).to_have_text(f"event {head} of {head}")

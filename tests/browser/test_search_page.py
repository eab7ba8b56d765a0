"""Search on the first page: a hit leads to its sentence, in view and marked."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

NEEDLE = "Quokkas 🚲 deserve ministries."
FILLER = "This sentence only takes room on the page of the debate. " * 30
WHEEL = """(dy) => {
  document.body.dispatchEvent(new WheelEvent("wheel", { deltaY: dy, bubbles: true, cancelable: true }));
  scrollBy(0, dy);
}"""
"""The wheel as a page sees it.  The browser's own is lost at times on a busy machine; other tests turn that one."""
MARKED = "[...CSS.highlights.get('said') ?? []].map(String).join()"


def test_a_hit_leads_to_its_sentence_marked_and_in_view(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    content = {**scripts.quick, "says": {"pro": [FILLER, f"{FILLER}{NEEDLE} {FILLER}"], "con": [FILLER]}}
    debate = server.open(content, motion="Marsupials in government", max_words=900)
    server.concluded(debate)
    page = new_page(own=True)
    page.goto(server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("quokkas")
    expect(page.locator("#hits .hit")).to_have_count(1)
    expect(page.locator("#hits .hit mark")).to_have_text("Quokkas")
    expect(page.locator("#no-match")).to_be_hidden()
    page.locator("#hits .hit").click()
    page.wait_for_url(re.compile(r"said=3\."))
    page.wait_for_function(f"() => {MARKED} === '{NEEDLE}'")
    box = page.evaluate("[...CSS.highlights.get('said')][0].getBoundingClientRect().toJSON()")

    assert 0 < box["top"] < page.viewport_size["height"] - box["height"]


def test_a_hit_stays_marked_and_in_view_until_the_reader_acts(new_page: Any, server: Any) -> None:
    debate = server.exhibit("cars")
    text = server.view(debate)["turns"]["4"]["text"]
    page = new_page(width=390, height=844)
    page.goto(f"{server.url}/d/{debate}?said=4.{len(text) - 40}-{len(text)}")
    page.wait_for_function(f"() => {MARKED}.length === 40")
    place = "[...CSS.highlights.get('said')][0].getBoundingClientRect().top"
    for turn in (4, 3):
        changes = server.get(f"/api/debates/{debate}/audit/turns/{turn}")["entries"]
        shown = [each for each in changes if each["kind"] != "score"]
        assert shown
        expect(page.locator(f"[data-turn='{turn}'] .entries li")).to_have_count(len(shown))
    page.evaluate(
        "document.querySelector('#transcript').before(Object.assign(document.createElement('div'), "
        "{ id: 'late', style: 'height: 700px' }))"
    )
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert text[-40:] == page.evaluate(MARKED)
    assert page.evaluate("[...CSS.highlights.get('said')][0].startContainer.isConnected")
    assert 200 < page.evaluate(place) < 500
    before = page.evaluate(place)
    page.evaluate(WHEEL, 300)
    page.wait_for_function(f"(before) => {place} < before - 100", arg=before)
    left = page.evaluate(place)
    page.evaluate("document.querySelector('main').append(document.querySelector('#late').cloneNode())")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert abs(left - page.evaluate(place)) < 40  # the wheel may still be on its way


def test_a_link_to_words_that_are_not_there_shows_the_debate(
    new_page: Any, server: Any, scripts: SimpleNamespace
) -> None:
    debate = server.open(scripts.quick, turns=1)
    server.concluded(debate)
    page = new_page(own=True)
    for said in ("9.1-5", "1.5-999999", "x"):
        page.goto(f"{server.url}/d/{debate}?said={said}")
        expect(page.locator("article.turn")).to_have_count(1)
        assert page.evaluate(MARKED) == ""


def test_search_is_there_before_the_first_debate(new_page: Any, empty_server: Any) -> None:
    page = new_page()
    page.goto(empty_server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("quokkas")

    expect(page.locator("#no-match")).to_be_visible()


def test_an_exhibition_that_was_played_twice_is_one_hit_in_view_of_a_phone(new_page: Any, own_server: Any) -> None:
    debates = [own_server.http.post("/api/debates", json={"exhibition": "juries"}).json()["id"] for _ in range(2)]
    said = ""
    for debate in debates:
        said = own_server.spoken(debate)
        own_server.halt(debate)
    page = new_page(own=True, width=390, height=844)
    page.goto(own_server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.locator("#search").fill(" ".join(said.split()[:4]))

    expect(page.locator("#hits .hit")).to_have_count(1)
    expect(page.locator("#hits .hit")).to_be_in_viewport()
    assert debates[1] in (page.locator("#hits .hit").get_attribute("href") or "")

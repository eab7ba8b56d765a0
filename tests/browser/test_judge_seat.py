"""A person judges in Chromium: words chosen by selecting, with the mouse, the keyboard and a finger; drafts; faults."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import PATIENCE_MS
from tests.browser.test_access import View, assert_accessible, in_views, start_axe

pytestmark = pytest.mark.browser
SELECT = """([name, words]) => {
  const text = document.querySelector(`.words[data-name="${name}"]`).firstChild;
  const at = text.data.indexOf(words);
  const range = document.createRange();
  range.setStart(text, at);
  range.setEnd(text, at + words.length);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""
"""Selects words of a speech, as a long press and its handles do on a phone."""


def opened(server: Any, scripts: Any) -> str:
    """A debate of two turns that Ben judges."""
    model = server.script(scripts.quick)
    seats = {"pro": {"model": model}, "con": {"model": model}, "judge": {"person": "Ben", "time_s": 3600}}
    return str(server.open_request({"motion": "Cities should ban private cars", "turns": 2, **seats}))


def seated(server: Any, scripts: Any, page: Page) -> str:
    """The page of the judge's seat, once the questions about the first turn are shown; the id of the debate."""
    debate = opened(server, scripts)
    page.goto(f"{server.url}{server.http.post(f'/api/debates/{debate}/seats/judge/link').json()['link']}")
    page.get_by_role("button", name="Take the seat").click()
    expect(page.locator("form.question h2")).to_have_text(
        ["Score turn 1", "Suspect claims in turn 1", "What turn 1 rests on"]
    )
    return debate


def drag(page: Page) -> None:
    """Select the beginning of the first line of the first speech with the mouse."""
    box = page.locator(".words").first.bounding_box()
    assert box is not None
    y = box["y"] + 18
    page.mouse.move(box["x"] + 10, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 180, y, steps=4)
    page.mouse.up()


def form(page: Page, title: str) -> Locator:
    return page.locator("form.question").filter(has=page.get_by_role("heading", name=title))


def test_a_person_judges_a_turn_and_the_next_one_is_asked(server: Any, scripts: Any, own_page: Page) -> None:
    page = own_page
    debate = seated(server, scripts, page)
    score, claims = form(page, "Score turn 1"), form(page, "Suspect claims in turn 1")

    for quote in score.locator(".quote").all():
        quote.get_by_role("button", name="Choose words").click()
        drag(page)
        page.get_by_role("button", name="Use these words").click()
        expect(quote.locator("blockquote")).not_to_be_empty()
    for points in score.locator("fieldset.points").all():
        points.get_by_role("radio", name="5", exact=True).check()
    claims.get_by_role("button", name="Add a suspect claim").click()
    claims.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Send all 3 answers").click()

    expect(page.locator("form.question h2")).to_have_text(
        [
            "Score turn 2",
            "Compare turn 1 and turn 2",
            "Suspect claims in turn 2",
            "What turn 2 rests on",
        ]
    )
    said = server.view(debate)["turns"]["1"]["text"]
    frames = server.get(f"/api/debates/{debate}/frames?limit=1000")["frames"]
    scored = next(each["event"] for each in frames if each["event"]["type"] == "turn_scored")
    quoted = [each for each in scored["components"].values() if each["quote"]]
    assert [said.startswith(each["quote"]) and each["verified"] for each in quoted] == [True] * 8
    expect(page.locator("main")).not_to_contain_text(re.compile(r"\bPro\b|\bCon\b|scripted"))


def test_what_the_score_will_count_stands_above_send(server: Any, scripts: Any, own_page: Page) -> None:
    page = own_page
    seated(server, scripts, page)
    score = form(page, "Score turn 1")
    sums = score.locator(".sums dd")

    for points in score.locator("fieldset.points").all():
        points.get_by_role("radio", name="5", exact=True).check()

    expect(sums.first).to_contain_text("quotes are in the turn")
    expect(score.locator(".quote .field-name").first).to_have_text("Words from the turn (needed for points above 0)")
    quote = score.locator(".quote").first
    quote.get_by_role("button", name="Choose words").click()
    drag(page)
    page.get_by_role("button", name="Use these words").click()
    expect(sums.first).to_contain_text("1 of ")


def test_words_are_chosen_with_the_keyboard_alone(server: Any, scripts: Any, own_page: Page) -> None:
    page = own_page
    seated(server, scripts, page)
    quote = page.locator(".quote").first
    said = page.locator(".words").first.inner_text()

    quote.get_by_role("button", name="Choose words").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Use these words")).to_be_disabled()
    page.keyboard.press("Control+Home")
    for _ in range(10):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.type("nothing can be typed into a speech")
    page.keyboard.press("Enter")

    expect(quote.locator("blockquote")).to_have_text(said[:10].strip())
    expect(page.locator(".words").first).to_have_text(said)
    expect(quote.get_by_role("button", name="Choose other words")).to_be_focused()

    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".pick-bar")).to_be_hidden()
    expect(quote.locator("blockquote")).to_have_text(said[:10].strip())


def test_a_form_survives_a_reload_and_shows_its_faults(server: Any, scripts: Any, own_page: Page) -> None:
    page = own_page
    seated(server, scripts, page)
    score = form(page, "Score turn 1")
    score.locator("fieldset.points").first.get_by_role("radio", name="7").check()
    score.locator("textarea").first.fill("It names what brings it about.")
    expect(score.get_by_role("status")).to_contain_text("Your answers are kept")

    page.reload()

    expect(score.locator("textarea").first).to_have_value("It names what brings it about.")
    expect(score.locator("fieldset.points").first.get_by_role("radio", name="7")).to_be_checked()
    score.get_by_role("button", name="Send this answer").click()
    expect(score.locator(".error:visible")).to_have_count(11)
    expect(score.locator(".error:visible").first).to_have_text("Choose the words, or give 0 points.")
    expect(score.locator(".error:visible").nth(1)).to_have_text("Give a whole number from 0 to 10.")
    expect(score.locator(".quote").first.get_by_role("button", name="Choose words")).to_be_focused()


def test_a_fault_that_only_the_server_finds_is_shown_at_its_field(server: Any, scripts: Any, own_page: Page) -> None:
    page = own_page
    seated(server, scripts, page)
    claims = form(page, "Suspect claims in turn 1")
    claims.get_by_role("button", name="Add a suspect claim").click()
    claims.get_by_role("button", name="Choose words").click()
    page.evaluate(SELECT, ["1", page.locator(".words").first.inner_text()[:3]])
    page.get_by_role("button", name="Use these words").click()
    claims.locator("textarea").fill("It is too short to tell.")
    claims.get_by_role("radio").first.check()

    claims.get_by_role("button", name="Send this answer").click()

    expect(claims.locator(".quote .error")).to_have_text("Choose at least 8 characters.")
    expect(claims.locator("textarea")).to_have_value("It is too short to tell.")


def test_a_finger_selects_and_taps_on_a_phone(server: Any, scripts: Any, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    context.set_default_timeout(PATIENCE_MS)
    try:
        page = context.new_page()
        seated(server, scripts, page)
        words = page.locator(".words").first.inner_text()[:24]
        quote = page.locator(".quote").first

        quote.get_by_role("button", name="Choose words").tap()
        expect(page.locator(".speech").first).to_be_in_viewport()
        page.evaluate(SELECT, ["1", words])
        expect(page.locator(".pick-bar")).to_contain_text(words)
        page.get_by_role("button", name="Use these words").tap()

        expect(quote.locator("blockquote")).to_have_text(words.strip())
        expect(quote).to_be_in_viewport()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    finally:
        context.close()


@in_views
def test_axe_finds_nothing_in_the_forms(server: Any, scripts: Any, own_page: Page, views: tuple[View, ...]) -> None:
    page = own_page
    page.emulate_media(reduced_motion="reduce")
    seated(server, scripts, page)
    form(page, "Suspect claims").get_by_role("button", name="Add").click()
    form(page, "What turn 1 rests on").get_by_role("button", name="Add").click()
    form(page, "Score turn 1").get_by_role("button", name="Send this answer").click()
    page.locator(".quote").first.get_by_role("button", name="Choose words").click()
    start_axe(page)

    assert_accessible(page, views)

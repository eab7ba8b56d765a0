"""The first page: the list and the form."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def front(page: Page, server: Any) -> None:
    page.goto(server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()


def choose(page: Page, role: str, model: str) -> None:
    page.locator(f"select[name='{role}.model']").select_option(label="another model…")
    page.locator(f"[name='{role}.model.other']").fill(model)


def test_a_debate_is_opened_and_watched(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    model = server.script(scripts.quick)
    front(page, server)
    page.get_by_label("Motion", exact=True).fill("Trams are better than cars 🚲")
    expect(page.locator("#counter")).to_have_text("28 of 2,000")
    for role in ("pro", "con", "judge"):
        choose(page, role, model)
    page.get_by_label("Turns").fill("2")
    page.get_by_role("button", name="Open the debate").click()
    page.wait_for_url(re.compile("/d/"))
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")

    expect(page.locator("article.turn")).to_have_count(2)
    expect(page.locator("#motion")).to_have_text("Trams are better than cars 🚲")


def test_the_form_sends_how_much_each_seat_thinks(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    model = server.script(scripts.quick)
    front(page, server)
    page.get_by_label("Motion", exact=True).fill("Trams are better than cars")
    page.get_by_text("A panel of raters").click()
    page.get_by_label("Seat four raters").check()
    for role in ("pro", "con", "judge"):
        choose(page, role, model)
    page.locator("[name='con.think']").select_option("off")
    page.locator("[name='judge.think']").select_option("high")
    page.get_by_role("button", name="Open the debate").click()
    page.wait_for_url(re.compile("/d/"))
    debate = page.url.rsplit("/", 1)[1].partition("#")[0]
    opened = page.request.get(f"{server.url}/api/debates/{debate}/events?limit=1").json()["events"][0]["event"]

    assert ["low", "off", "high"] == [opened[role]["think"] for role in ("pro", "con", "judge")]
    assert ["high"] * 4 == [seat["think"] for seat in opened["panel"]]


def test_an_error_is_shown_at_its_field(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page()
    front(page, server)
    for role in ("pro", "con", "judge"):
        choose(page, role, server.script(scripts.quick))
    button = page.get_by_role("button", name="Open the debate")
    for field, value in (("motion", "   "), ("turns", "0"), ("max_words", "5"), ("pro.model", "nobody:at-all")):
        said = page.locator(f"[name='{field}.other']" if field == "pro.model" else f"[name='{field}']")
        valid = "A motion" if field == "motion" else said.input_value()
        page.get_by_label("Motion", exact=True).fill("A motion")
        said.fill(value)
        button.click()

        expect(page.locator(f"[data-error='{field}']")).to_be_visible()
        expect(page.locator(f"[name='{field}']")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[aria-invalid=true]")).to_have_count(1)
        expect(button).to_be_enabled()
        said.fill(valid)


def test_the_list_finds_and_opens(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    debate = server.open(scripts.quick, motion="Zebras belong in parliaments", turns=1)
    server.concluded(debate)
    front(page, server)
    page.keyboard.press("/")
    page.keyboard.type("zebras k")
    expect(page.locator("#no-match")).to_be_visible()
    page.locator("#search").fill("Zebras belong")
    expect(page.locator(".debate")).to_have_count(1)
    expect(page.locator(".debate")).to_contain_text("1 of 1 turn")
    page.locator(".debate").click()

    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")


def test_an_empty_list_explains_the_first_step(new_page: Any, empty_server: Any) -> None:
    page = new_page()
    front(page, empty_server)

    expect(page.locator("#no-debates")).to_contain_text("Enter a motion above")
    page.get_by_role("button", name="Homework does more harm than good").click()
    expect(page.get_by_label("Motion", exact=True)).to_have_value("Homework does more harm than good")


def test_more_are_loaded_on_demand(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    for number in range(27):
        server.open(scripts.quick, motion=f"Motion number {number}", turns=1)
    front(page, server)
    page.locator("#search").fill("Motion number")
    expect(page.locator(".debate")).to_have_count(25)
    page.get_by_role("button", name="Load more").click()

    expect(page.locator(".debate")).to_have_count(27)
    expect(page.get_by_role("button", name="Load more")).to_be_hidden()

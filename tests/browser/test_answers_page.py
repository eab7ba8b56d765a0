"""The page of a question with two answers: quotes are marked by what was found of them, and it fits a small screen."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.debate.test_answers import SPEECHES, A, B, body

pytestmark = pytest.mark.browser
SAYS = {
    **SPEECHES,
    "inquire:1": {"question": "Who lit it?"},
    "choose:alone": A,
    "choose:final": B,
    "critique:given": {"critique": "B: <quote>Nobody had told her</quote>, <quote>she cried</quote>.", **A},
}


@pytest.mark.parametrize(("arm", "scheme"), [("debate", "light"), ("consultancy", "dark"), ("critique", "light")])
def test_quotes_are_marked_and_nothing_is_wider_than_a_small_screen(
    new_page: Any, server: Any, arm: str, scheme: str
) -> None:
    made = server.http.post("/api/debates", json=body(server.script({"label": arm, "answers": SAYS}), arm))
    assert made.status_code == 201, made.text
    debate = made.json()["id"]
    server.concluded(debate)
    page: Page = new_page(width=360, height=800)
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{server.url}/d/{debate}")

    expect(page.locator("#verdict .winner")).to_have_text("The judge answers B, 80 % sure by its own statement")
    expect(
        page.locator("mark.stands", has_text="left the lamp burning" if arm != "critique" else "told her")
    ).to_be_visible()
    expect(page.locator("mark.absent")).to_have_count(1)
    assert page.locator("mark.absent").get_attribute("title") == "These words do not stand in the passage."
    assert page.locator("#answers .judged > li").count() == (3 if arm == "critique" else 1)
    if arm == "consultancy":
        expect(page.locator(".put")).to_have_text("The judge asks Who lit it?")
    page.locator("summary", has_text="The passage").click()
    expect(page.locator(".said.passage")).to_contain_text("The keeper rowed out at dawn")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

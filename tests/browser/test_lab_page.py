"""``/lab/ID``: every effect is shown, it fits any screen and the printer, and it follows a run that goes on."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
BATTERIES = ["retest", "position", "length", "people"]
PAIRS = [
    {
        "id": str(number),
        "topic": f"Topic {number % 3}",
        "motion": "Which argument convinces more?",
        "note": "Both speak for the same side.",
        "speeches": [f"Trams help because they carry {number} people.", "Trams are good, so they are good."],
        "better": "first",
        "kind": "pairs",
    }
    for number in range(12)
]


@pytest.fixture(scope="module")
def run(server: Any) -> str:
    """A concluded run of the baseline."""
    body = {"judge": {"model": "baseline:lexical"}, "batteries": BATTERIES, "items": 4, "people": PAIRS}
    debate = str(server.http.post("/api/labs", json=body).json()["id"])
    server.concluded(debate)
    return debate


def test_it_shows_every_effect_as_a_mark_in_a_row_and_in_a_table(read: Any, server: Any, run: str) -> None:
    page: Page = read(f"{server.url}/lab/{run}")
    effects = server.get(f"/api/labs/{run}")["lab"]["effects"]

    assert page.locator(".forest tbody tr").count() == len(effects)
    assert page.locator(".figures tbody tr").count() == len(effects)
    labels = page.locator(".forest svg.row").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    cells = page.locator(".forest tbody td.n").all_text_contents()
    assert labels == cells
    assert page.locator("svg.curve").count() == 1
    for table in page.locator("table").all():
        assert table.locator("caption").text_content()
        assert table.locator("thead th:not([scope=col]), tbody th:not([scope=row])").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_but_a_table_is_wider_than_a_small_screen(new_page: Any, server: Any, run: str, scheme: str) -> None:
    page = new_page(width=360, height=800)
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{server.url}/lab/{run}")
    wide = page.evaluate(
        "[...document.querySelectorAll('main *')].filter((one) => !one.closest('.scroll')"
        " && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))"
    )

    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    plot = page.locator(".forest tbody svg.row").first.bounding_box()
    assert plot["width"] > 250


def test_an_address_of_a_debate_leads_a_run_to_its_page(page: Page, server: Any, run: str) -> None:
    page.goto(f"{server.url}/d/{run}")

    expect(page).to_have_url(f"{server.url}/lab/{run}")
    expect(page.locator("h1")).to_have_text("Judge lab: baseline:lexical")


def test_a_run_that_goes_on_is_followed_to_its_end(page: Page, server: Any) -> None:
    model = server.script({"label": "slow", "pace": {"answer_ms": 150}})
    body = {"judge": {"model": model}, "batteries": ["position"], "items": 40}
    debate = server.http.post("/api/labs", json=body).json()["id"]
    page.goto(f"{server.url}/lab/{debate}")

    expect(page.locator("table.progress")).to_be_visible()
    expect(page.locator("[data-done]")).not_to_have_text("0")
    expect(page.locator(".forest")).to_be_visible(timeout=60_000)
    assert server.get(f"/api/labs/{debate}")["state"] == "concluded"


def test_the_page_about_the_judge_leads_to_the_newest_run(read: Any, server: Any, run: str) -> None:
    page: Page = read(f"{server.url}/judge")

    expect(page.locator("#lab")).to_contain_text("moot lab MODEL")
    expect(page.locator(f"#lab a[href='/lab/{run}']")).to_be_visible()

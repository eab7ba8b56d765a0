"""``/batch/ID``: it fits a small screen, names what failed, and follows a batch that goes on."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def opened(server: Any, model: str, **plan: Any) -> str:
    body = {"name": "page", "motions": ["Cities should ban cars"], "models": [model], "judges": [model]}
    response = server.http.post("/api/debates", json={"format": "batch", "batch": body | {"each": {"turns": 1}} | plan})
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_batch_that_failed_fits_a_small_screen_and_names_its_debates(new_page: Any, server: Any, scheme: str) -> None:
    model = server.script({"says": {"pro": [{"fault": {"kind": "auth"}}]}, "label": scheme})
    batch = opened(server, model, name=scheme)
    page: Page = new_page(width=360, height=800)
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{server.url}/batch/{batch}")

    expect(page.locator(".standing")).to_contain_text("halted: 1 of 1 debates failed", timeout=60_000)
    failure = server.get(f"/api/batches/{batch}")["batch"]["failures"]["d1"]
    expect(page.locator(f"a[href='/d/{failure['debate']}']")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for table in page.locator("table").all():
        assert table.locator("caption").text_content()
        assert table.locator("tbody th:not([scope=row])").count() == 0


def test_a_batch_that_goes_on_is_followed_to_its_end(page: Page, server: Any) -> None:
    model = server.script({"label": "slow", "pace": {"answer_ms": 100}})
    batch = opened(server, model, name="follow", repeats=6, at_once={"scripted": 1})
    page.goto(f"{server.url}/d/{batch}")

    expect(page).to_have_url(f"{server.url}/batch/{batch}")
    expect(page.locator("#batch")).to_have_attribute("data-state", "concluded", timeout=60_000)
    expect(page.locator(".standing")).to_have_text("concluded")
    assert server.get(f"/api/batches/{batch}")["batch"]["concluded"] == 6

"""Accessibility: axe-core finds no violation (WCAG 2.2 AA) on any page, in both themes, narrow and wide."""

from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
PAGES = {
    "list": "/",
    "judge": "/judge",
    "exchange": "/d/{juries}",
    "why": "/d/{juries}?turn=3",
    "read back": "/d/{juries}#e64",
    "audit": "/d/{juries}?view=audit&event=64",
    "protocol": "/d/{transit}",
    "panel": "/d/{monolith}",
    "missing": "/d/01a1fdbb-0000-7000-8000-000000000000",
}


@pytest.fixture(scope="module")
def played(server: Any) -> dict[str, str]:
    """Exhibitions that have ended, by name."""
    return {name: server.exhibit(name) for name in ("juries", "monolith", "transit")}


def violations(page: Page, scheme: str = "light") -> list[str]:
    """The findings of axe-core. In the dark theme only colours are checked: the document is the same.

    The sticky bars are made static: they cover elements that scroll, which axe-core takes for small targets.
    """
    only = {"type": "tag", "values": RULES} if scheme == "light" else {"type": "rule", "values": COLOURS}
    page.evaluate("for (const bar of document.querySelectorAll('#top, #foot')) bar.style.position = 'static'")
    page.evaluate(AXE)
    found = page.evaluate(
        "async (only) => (await axe.run(document, {runOnly: only, resultTypes: ['violations']})).violations", only
    )
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(new_page: Any, server: Any, played: dict[str, str], name: str, width: int) -> None:
    page = new_page(width=width)
    page.goto(server.url + PAGES[name].format(**played))
    settled(page, name)

    assert violations(page, "light") == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, "dark") == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def settled(page: Page, name: str) -> None:
    """Wait until the page is complete: colours in a transition would be measured half way."""
    page.emulate_media(reduced_motion="reduce")
    match name:
        case "list":
            expect(page.locator("body[data-ready]")).to_have_count(1)
        case "judge":
            expect(page.locator("main h2").first).to_be_visible()
        case "missing":
            expect(page.locator("#trouble")).to_be_visible()
        case "audit":
            expect(page.locator(".detail table, .detail p").first).to_be_visible()
        case "why":
            expect(page.locator(".ledger [data-kind=gap]")).to_be_visible()
        case _:
            expect(page.locator("body[data-ready]")).to_have_count(1)
            expect(page.get_by_role("status").first).not_to_have_text("Connecting…")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_it_runs(new_page: Any, server: Any, scripts: Any, scheme: str) -> None:
    debate = server.open(scripts.slow)
    page = new_page(scheme=scheme)
    page.goto(f"{server.url}/d/{debate}")
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(".said[aria-busy]")).to_contain_text("Sentence")

    assert violations(page, scheme) == []
    page.keyboard.press("?")
    assert violations(page, scheme) == []
    server.http.post(f"/api/debates/{debate}/halt")

"""Accessibility: axe-core finds no violation (WCAG 2.2 AA) on any page, in both themes, narrow and wide."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any, Final

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Scheme, expect_changes
from tests.laws import spread

pytestmark = pytest.mark.browser

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
View = tuple[int, Scheme]
"""Width in pixels, and theme."""
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")
VIEWS: Final[tuple[View, ...]] = tuple(product((1280, 320), SCHEMES))
IN_EACH_RUN: Final[tuple[View, ...]] = ((320, "light"),)
in_views = pytest.mark.parametrize(
    "views", [IN_EACH_RUN, pytest.param(VIEWS, marks=pytest.mark.thorough)], ids=["narrow and light", "all views"]
)
"""Gives a test one view in each run, and all of them in a run of ``-m thorough``."""
DIFFERENT = """() => {
  const styleOf = (element) => {
    const { color, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    return [color, backgroundColor, backgroundImage, opacity];
  };
  const known = new Map();
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!element.checkVisibility() || !(hasText || element.matches("input, select, textarea"))) continue;
    const { fontSize, fontWeight, textDecorationLine, textShadow } = getComputedStyle(element);
    const key = [element.localName, fontSize, fontWeight, textDecorationLine, textShadow];
    for (let each = element; each; each = each.parentElement) key.push(...styleOf(each));
    known.set(key.join(), known.get(key.join()) ?? element);
  }
  return [...known.values()];
}"""
"""One of the visible elements with text for each combination of its font and of the colours of it and its ancestors."""
PAGES = {
    "list": "/",
    "judge": "/judge",
    "league": "/league",
    "exchange": "/d/{juries}",
    "why": "/d/{juries}?turn=3",
    "read back": "/d/{juries}#e64",
    "audit": "/d/{juries}?view=audit&event=64",
    "protocol": "/d/{transit}",
    "panel": "/d/{monolith}",
    "lab": "/lab/{lab}",
    "map": "/d/{juries}/map",
    "protocol map": "/d/{transit}/map",
    "missing": "/d/01a1fdbb-0000-7000-8000-000000000000",
}


@pytest.fixture(scope="module")
def played(server: Any) -> dict[str, str]:
    """Exhibitions that have ended, by name, and a lab run."""
    body = {"judge": {"model": "baseline:lexical"}, "batteries": ["retest", "length"], "items": 3}
    run = str(server.http.post("/api/labs", json=body).json()["id"])
    server.concluded(run)
    return {name: server.exhibit(name) for name in ("juries", "monolith", "transit")} | {"lab": run}


def start_axe(page: Page) -> None:
    """Load axe-core into the page, make the sticky bars static, and lay out what is far below the viewport too.

    The bars cover elements that scroll, which axe-core takes for small targets.  What is not laid out keeps the size
    that it had at another width, which cuts off its targets.
    """
    page.evaluate("for (const bar of document.querySelectorAll('#top, #foot')) bar.style.position = 'static'")
    page.evaluate("""() => {
      const whole = new CSSStyleSheet();
      whole.replaceSync("* { content-visibility: visible !important; }");
      document.adoptedStyleSheets.push(whole);
    }""")
    page.evaluate(AXE)


def assert_accessible(page: Page, views: Iterable[View]) -> None:
    """axe-core finds nothing in any of the views, and the page is not wider than the window.  It has been loaded."""
    for width, scheme in views:
        page.set_viewport_size({"width": width, "height": 900})
        assert violations(page, scheme) == [], (width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def violations(page: Page, scheme: Scheme) -> list[str]:
    """The findings of axe-core in a theme.

    In the dark theme only colours are checked, because the document is the same, and only one of the elements with the
    same colours: to compute the contrast takes most of the time.
    """
    page.emulate_media(color_scheme=scheme)
    only = {"type": "tag", "values": RULES} if scheme == "light" else {"type": "rule", "values": COLOURS}
    found = page.evaluate(
        f"""async (only) => {{
          const context = only.type === "tag" ? document : {{ include: ({DIFFERENT})() }};
          return (await axe.run(context, {{ runOnly: only, resultTypes: ["violations"] }})).violations;
        }}""",
        only,
    )
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]]


@in_views
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(
    new_page: Any, server: Any, played: dict[str, str], name: str, views: tuple[View, ...]
) -> None:
    page = new_page()
    page.goto(server.url + PAGES[name].format(**played))
    settled(page, name)
    start_axe(page)

    assert_accessible(page, views)


def settled(page: Page, name: str) -> None:
    """Wait until the page is complete: colours in a transition would be measured half way."""
    page.emulate_media(reduced_motion="reduce")
    match name:
        case "list":
            expect(page.locator("body[data-ready]")).to_have_count(1)
            expect(page.locator("#stage[data-state]")).to_have_count(1)
        case "judge" | "league" | "map" | "protocol map":
            expect(page.locator("main h2").first).to_be_visible()
        case "missing":
            expect(page.locator("#trouble")).to_be_visible()
        case "audit":
            expect(page.locator(".detail .moved-list li").first).to_be_visible()
            page.locator(".detail summary", has_text="every changed value").click()
            expect(page.locator(".detail .changes tbody tr").first).to_be_visible()
        case "exchange":
            expect_changes(page)
            page.locator("#characters").scroll_into_view_if_needed()
            expect(page.locator(".multiple")).to_have_count(24)
        case "why":
            expect_changes(page)
            expect(page.locator(".ledger [data-kind=gap]")).to_be_visible()
        case _:
            expect(page.locator("body[data-ready]")).to_have_count(1)
            expect(page.get_by_role("status").first).not_to_have_text("Connecting…")


@pytest.mark.parametrize("name", ["list", "exchange", "panel"])
def test_axe_finds_nothing_in_the_dark(new_page: Any, server: Any, played: dict[str, str], name: str) -> None:
    test_axe_finds_nothing(new_page, server, played, name, ((1280, "dark"),))


@pytest.mark.parametrize("scheme", spread(["light", "dark"], 1))
def test_a_penalty_that_flashes_can_be_read(new_page: Any, server: Any, played: dict[str, str], scheme: Scheme) -> None:
    page = new_page(scheme=scheme)
    page.goto(f"{server.url}/d/{played['juries']}")
    expect_changes(page)
    start_axe(page)
    page.evaluate("""() => {
      for (const each of document.querySelectorAll(".entries li")) each.style.animation = "flash 1s paused";
    }""")

    assert violations(page, scheme) == []


def test_axe_finds_nothing_while_it_runs(new_page: Any, server: Any, live: Any, scripts: Any) -> None:
    page = new_page()
    page.goto(f"{server.url}/d/{live(scripts.silent_in(1))}")
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(".said[aria-busy]")).to_contain_text("Sentence")
    start_axe(page)

    for scheme in SCHEMES:
        assert violations(page, scheme) == [], scheme
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    for scheme in SCHEMES:
        assert violations(page, scheme) == [], scheme


def test_colours_without_contrast_are_found_in_the_dark_theme(new_page: Any, empty_server: Any) -> None:
    page = new_page()
    page.goto(empty_server.url)
    settled(page, "list")
    start_axe(page)
    page.evaluate("document.querySelector('#list-title').style.color = 'light-dark(black, #222)'")

    assert violations(page, "light") == []
    assert [each.partition(":")[0] for each in violations(page, "dark")] == ["color-contrast"]

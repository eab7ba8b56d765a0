"""``/judge``: it shows every level and weakness with the figures of the data, and it fits any screen."""

from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, expect

from judge.rubrics.rubric import default_rubric
from providers.scripted.provider import shipped

pytestmark = pytest.mark.browser

PATHS = ("levels", "beside", "tables", "weaknesses")


@pytest.fixture(scope="module")
def juries(server: Any) -> str:
    """The exhibition ``juries``, played to its end under another rubric."""
    script = {**msgspec.json.decode(shipped()["juries"].read_bytes()), "pace": {"chunk_ms": 0, "chunk_chars": 400}}
    wish = script["exhibition"]
    rubric = msgspec.to_builtins(default_rubric()) | {"name": "strict", "rescore_above": 7}
    answer = server.http.post("/api/debates", json={
        "motion": wish["motion"], "turns": wish["turns"], "rubric": rubric,
        **{role: {**wish.get(role, {}), "model": server.script(script)} for role in ("pro", "con", "judge")},
    })  # fmt: skip
    debate = str(answer.json()["id"])
    server.concluded(debate)
    return debate


def visit(page: Page, server: Any, rest: str = "") -> None:
    page.goto(f"{server.url}/judge{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def test_before_any_debate_it_says_what_will_be_measured(page: Page, empty_server: Any) -> None:
    visit(page, empty_server)

    expect(page.locator("#over")).to_contain_text("No debate here has concluded yet")
    expect(page.locator("#weaknesses-order dd").last).to_have_text(
        "Not measured: no debate here has compared two turns yet."
    )
    expect(page.locator("#weaknesses .shows b")).to_have_text(["–"] * 16)


def test_it_shows_everything_that_the_server_says(read: Any, server: Any, juries: str) -> None:
    page = read(f"{server.url}/judge")
    said = server.get("/api/judge")

    for part in PATHS:
        names = [each.get("name") or each["title"] for each in said[part]]
        headings = page.locator(f"#{part} > .entry > h3")
        assert names == headings.evaluate_all("all => all.map((one) => one.lastChild.textContent)")
        linked = page.locator(f"#toc a[href^='#{part}-']")
        assert names == linked.all_text_contents()
    shown = page.locator("#levels *, #beside *").all_text_contents()
    assert {rule for level in (*said["levels"], *said["beside"]) for rule in level["rules"]} <= set(shown)
    for weakness in said["weaknesses"]:
        here = page.locator(f"#weaknesses-{weakness['id']}")
        assert weakness["says"] == here.locator("dd").last.locator("p").all_text_contents()
        assert "".join(weakness["shows"]) == here.locator(".shows").text_content()


def test_the_figures_are_those_of_the_rubric(read: Any, server: Any) -> None:
    page = read(f"{server.url}/judge")
    rubric = default_rubric()

    for name, dimension in rubric.dimensions.items():
        for part, rule in dimension.components.items():
            key = name if name == part else f"{name}.{part}"
            cells = page.locator(f"#tables-points [data-key='{key}'] td").all_text_contents()
            assert (rule.maximum, rule.applies_from) == (int(cells[1]), int(cells[3]))
    for name, band in rubric.bands.items():
        cells = page.locator(f"#tables-bands [data-key='{name}'] td").all_text_contents()
        assert [*band.winner, *band.loser] == [float(cell) for cell in cells]
    for kind, price in rubric.claims.items():
        cells = page.locator(f"#tables-penalties [data-key='{kind}'] td").all_text_contents()
        assert price.points == float(cells[1])
    assert page.locator("#tables ins, #tables del").count() == 0


def test_a_debates_page_leads_to_its_own_rubric_with_what_differs(page: Page, server: Any, juries: str) -> None:
    page.goto(f"{server.url}/d/{juries}")
    page.locator("#menu > summary").click()
    page.get_by_role("link", name="How the judge works", exact=True).click()
    expect(page.locator("body[data-ready]")).to_be_attached()

    expect(page.locator("#which")).to_contain_text("“strict 3”: the rubric of one debate.")
    again = page.locator("#tables-thresholds [data-key=rescore_above] td").first
    expect(again.locator("del")).to_have_text(f"{default_rubric().rescore_above:g}")
    expect(again.locator("ins")).to_have_text("7")
    assert page.locator("#tables ins").count() == 1
    page.locator("#which a").click()
    expect(page.locator("#motion")).to_have_text("This house would replace juries with trained judges")


def test_the_first_page_leads_there(page: Page, server: Any) -> None:
    page.goto(server.url)
    page.get_by_role("link", name="How it judges").click()

    expect(page.locator("h1")).to_have_text("The judge")


def test_it_reports_an_unknown_debate(new_page: Any, server: Any) -> None:
    page = new_page()
    visit(page, server, "?debate=nobody")

    expect(page.get_by_role("alert")).to_contain_text("nobody")


def test_it_can_be_read_by_keyboard_and_screen_reader(page: Page, server: Any, juries: str) -> None:
    visit(page, server, "#weaknesses-leniency")

    for table in page.locator("table").all():
        assert table.locator("caption").text_content()
        assert table.locator("thead th:not([scope=col]), tbody th:not([scope=row])").count() == 0
    assert page.locator(".scroll:not([tabindex='0'][role=region][aria-label])").count() == 0
    expect(page.locator("#weaknesses-leniency h3")).to_be_in_viewport()
    page.locator("#toc summary", has_text="The rubric").press("Enter")
    page.get_by_role("link", name="Bands of a comparison").press("Enter")
    expect(page.locator("#tables-bands h3")).to_be_in_viewport()


def test_nothing_but_a_table_is_wider_than_a_small_screen(new_page: Any, server: Any, juries: str) -> None:
    page = new_page(width=320, height=800)
    visit(page, server, f"?debate={juries}")
    wide = page.evaluate(
        "[...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll')"
        " && one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML.slice(0, 80))"
    )

    assert wide == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, scheme
    assert page.locator(".scroll").evaluate_all("all => all.some((one) => one.scrollWidth > one.clientWidth)")

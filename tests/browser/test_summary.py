"""An exchange under rubric v2 in an exported file: its outcome at the top, what shaped a turn, and the audit."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.exported_file import exported_file

pytestmark = pytest.mark.browser

LOG = Path(__file__).parents[1] / "server" / "debate" / "logs" / "free_transport_v2.ndjson"
FOLD = 800


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return exported_file(LOG, tmp_path_factory.mktemp("summary"))


def visit(page: Page, address: str, rest: str = "") -> None:
    page.goto(f"{address}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def test_the_outcome_is_above_the_fold_and_a_key_moment_leads_to_its_event(page: Page, address: str) -> None:
    visit(page, address)
    summary = page.locator("#summary")
    expect(summary.locator(".headline")).to_contain_text("by the judge’s points alone Con would lead by 4.3")
    expect(summary.locator(".winner")).to_have_text(["▼ Names Con", "▼ Names Con"])
    bottom = summary.locator(".headline").bounding_box()

    assert bottom is not None
    assert bottom["y"] + bottom["height"] < FOLD
    assert summary.locator(".moments li").count() == 8
    expect(summary).to_have_accessible_name(page.locator("#outcome b").inner_text())

    summary.locator(".all-moments > summary").click()
    summary.get_by_role("link", name="Pro withdrew premise P1.2 openly in turn 3.").click()
    expect(page.locator("#slider")).to_have_value("67")
    expect(summary).to_be_hidden()
    page.keyboard.press("End")
    expect(summary).to_be_visible()


def test_a_turn_shows_what_shaped_it_how_it_compares_and_what_it_concedes(page: Page, address: str) -> None:
    visit(page, address, "?turn=3")
    turn = page.locator("[data-turn='3']")
    expect(turn.locator(".shaped")).to_contain_text("Pressure on the debater after turn 1, from 0 to 1: cognitive 0.25")
    expect(turn.locator(".shaped")).to_contain_text("Directive: Be readier to adapt")
    expect(turn.locator(".compared")).to_have_text(
        "Against turn 2: logic won slightly · rhetoric lost slightly · tactics drawn"
    )
    expect(turn.locator(".concession")).to_contain_text("it withdraws P1.2 openly: Removing the fare")
    expect(turn.locator(".compared-why")).to_contain_text("Read in the order Con, Pro: Pro answers with evidence")
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("[data-turn='7'] .shaped")).to_contain_text("Directive:")

    page.goto(f"{address}#e40")
    expect(page.locator("[data-turn='3']")).to_have_count(0)


def test_no_label_of_the_judge_is_shown_in_the_debate(page: Page, address: str) -> None:
    visit(page, address)
    for why in page.locator("details.why > summary").all():
        why.click()
    expect(page.locator("[data-turn='8'] .ledger > li").nth(5)).to_be_attached()
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    text = page.locator("main").inner_text()

    assert "Con attacked the road effect from turn 2 on, and Pro conceded it" in text
    assert re.findall(r"Speakers? [AB]\b|\b[AB]['’]s\b|\bB\b|[Tt]he (?:first|second) speech|Shown as", text) == []


def test_the_audit_leads_to_what_was_refused_and_to_the_closing_audit(page: Page, address: str) -> None:
    visit(page, address, "?view=audit")
    overview = page.locator(".overview")
    expect(overview).to_have_text(re.compile("looked at again: refused or corrected 1 · closing audit 1$"))
    overview.get_by_role("link", name="refused or corrected 1").click()
    expect(page.locator(".log > li")).to_have_count(1)
    expect(page.locator(".log > li")).to_contain_text("is paid for: nothing is left to take: 3 were taken")
    overview.get_by_role("link", name="closing audit 1").click()
    expect(page.locator(".log > li")).to_contain_text("The closing audit took points from 4 turns")
    expect(page).to_have_url(re.compile(r"type=closing\+audit"))

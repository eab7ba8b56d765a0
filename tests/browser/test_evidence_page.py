"""The page of a debate with documents: each citation opens its passage, and the documents list what was cited."""

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import expect_changes
from tests.browser.test_access import View, assert_accessible, in_views, start_axe, violations
from tests.judge.protocol.rounds import closing, cross, opening
from tests.server.debate.cited_debate import ANSWERS, CUT, DOCUMENTS, MISQUOTED, MOTION, OPPOSITE, SAYS, TRUE
from tests.server.evidence.files import glued_pdf
from tests.server.protocol_debates import answers

pytestmark = pytest.mark.browser
Read = Callable[[str], Page]
HOSTILE = '<img src=x onerror=alert(1)> [E1] </p><script>alert(2)</script> "a word of its own here" \u202eabc'


@pytest.fixture(scope="module")
def cited(server: Any) -> str:
    """The address of the debate, concluded."""
    seat = {"model": server.script({"says": SAYS, "answers": ANSWERS})}
    body = {"motion": MOTION, "turns": 4, "pro": seat, "con": seat, "judge": seat, "evidence": DOCUMENTS}
    debate = server.open_request(body)
    server.concluded(debate)
    return f"{server.url}/d/{debate}"


def opened(page: Page, turn: int, mark: str) -> Locator:
    """The passages that a citation opens."""
    page.locator(f"[data-turn='{turn}'] .cite", has_text=mark).click()
    passages = page.locator(f"[data-turn='{turn}'] .passages")
    expect(passages).to_be_visible()
    return passages


def test_a_true_citation_opens_its_passage_with_the_words_marked(page: Page, cited: str) -> None:
    page.goto(cited)
    passages = opened(page, 1, "[E1]")

    expect(page.locator("[data-turn='1'] .cite")).to_have_accessible_name("[E1]: the quoted words stand in the passage")
    expect(passages).to_contain_text("E1 · ridership.txt")
    expect(passages.locator("mark").first).to_have_text("ridership on the city's buses rose by 12 percent")
    expect(passages).to_contain_text("The quoted words stand in the passage.")
    expect(passages).to_contain_text("The judge finds that it supports the claim: The passage gives the same figure")


def test_a_page_that_was_read_badly_is_named_where_it_is_cited(page: Page, server: Any) -> None:
    paper = glued_pdf("Ridership on the buses of the city rose by 12 percent in the first year")
    says = {"pro": ["So “ridership on the buses rose by 40 percent” [E1], and this counts."], "con": ["No."]}
    seat = {"model": server.script({"says": says, "answers": ANSWERS})}
    body = {"motion": MOTION, "turns": 2, "pro": seat, "con": seat, "judge": seat}
    debate = server.open_request(
        {**body, "evidence": [{"name": "paper.pdf", "base64": base64.b64encode(paper).decode()}]}
    )
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    passages = opened(page, 1, "[E1]")

    expect(passages).to_contain_text("E1 · paper.pdf, page 1, read badly")
    expect(passages).to_contain_text("not found in the passage, whose page was read badly. Nothing is charged for it.")
    expect(page.locator("#evidence")).to_contain_text("1 passage · 1 passage cited · 1 read badly: words run together")


def test_a_document_in_another_language_is_named_above_the_debate(page: Page, server: Any) -> None:
    text = "Die Stadt hat die Fahrpreise abgeschafft. Die Zahl der Fahrgäste ist danach gestiegen. " * 2
    seat = {"model": server.script({"says": SAYS, "answers": ANSWERS})}
    body = {"motion": MOTION, "turns": 2, "pro": seat, "con": seat, "judge": seat}
    debate = server.open_request({**body, "evidence": [{"name": "bericht.txt", "text": text}]})
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")

    note = page.locator("#caveats", has_text="Note on bericht.txt")
    expect(note).to_contain_text(
        "In German, which is not the debate’s language: passages are found by numbers and names"
    )


def test_the_words_of_a_reason_are_highlighted_while_passages_are_open(page: Page, cited: str) -> None:
    """The marks in passages are those of a document; no reason rests on them."""
    page.goto(cited)
    passages = opened(page, 1, "[E1]")
    page.locator("[data-turn='1'] details.why > summary").click()
    page.locator("[data-turn='1'] details.why li[tabindex='0']").first.focus()

    expect(page.locator("[data-turn='1'] .said mark.lit").first).to_be_visible()
    assert passages.locator("mark").count() > passages.locator("mark.lit").count() == 0


def test_a_misquoted_citation_shows_both_wordings(page: Page, cited: str) -> None:
    page.goto(cited)
    passages = opened(page, 2, "[E1]")

    expect(passages.locator("q")).to_have_text("ridership on the city's buses rose by 2 percent")
    expect(passages.locator("mark.nearest")).to_contain_text("rose by 12 percent")
    expect(passages).to_contain_text("with the claim first, it contradicts the claim; with the passage first")
    claim = page.locator("#claims .claim", has_text="the passage does not have these words")
    expect(claim).to_contain_text("upheld by the evidence")
    expect(claim.locator("q")).to_have_count(2)


def test_an_invented_citation_says_that_there_is_no_such_passage(page: Page, cited: str) -> None:
    page.goto(cited)

    expect(opened(page, 3, "[E9]")).to_contain_text("The evidence has no passage E9.")
    expect(page.locator("#claims")).to_contain_text("fabricated citation · upheld by the evidence")


def test_a_citation_that_says_the_opposite_shows_why_it_cost_points(page: Page, cited: str) -> None:
    page.goto(f"{cited}?turn=4")
    expect_changes(page)
    passages = opened(page, 4, "[E2]")

    expect(passages.locator("mark.relied")).to_have_text(CUT)
    expect(passages).to_contain_text("The judge finds that it contradicts the claim: The passage says")
    expect(page.locator("[data-turn='4'] .ledger")).to_contain_text(re.compile(r"given the passages E\d, E\d, E\d\."))
    entry = page.locator("[data-turn='4'] .ledger [data-kind=penalty]")
    expect(entry.locator("q").last).to_have_text(CUT)
    expect(entry).to_contain_text("passage E2")


def test_a_claim_that_ends_within_a_citation_leaves_it_one_button(page: Page, server: Any) -> None:
    flag = {"quote": TRUE.removesuffix("]."), "kind": "fabricated_citation", "reason": "No such count is known."}
    answers = {**ANSWERS, "claims:1": {"claims": [flag]}}
    seat = {"model": server.script({"says": SAYS, "answers": answers})}
    body = {"motion": MOTION, "turns": 4, "pro": seat, "con": seat, "judge": seat, "evidence": DOCUMENTS}
    debate = server.open_request(body)
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")

    mark = page.locator("[data-turn='1'] .cite")
    expect(mark).to_have_count(1)
    expect(mark).to_have_text("[E1]")
    expect(mark).to_have_accessible_name("[E1]: the quoted words stand in the passage")
    expect(page.locator("[data-turn='1'] mark", has_text="[E1]")).to_have_count(1)


def test_a_second_click_and_the_button_close_the_passage(page: Page, cited: str) -> None:
    page.goto(cited)
    mark = page.locator("[data-turn='1'] .cite")
    passages = opened(page, 1, "[E1]")
    expect(mark).to_have_attribute("aria-expanded", "true")

    passages.get_by_role("button", name="Close").click()
    expect(passages).to_have_count(0)
    expect(mark).to_be_focused()
    expect(mark).to_have_attribute("aria-expanded", "false")
    mark.click()
    expect(passages).to_have_count(1)
    mark.click()
    expect(passages).to_have_count(0)


def test_the_documents_list_what_was_cited(page: Page, cited: str) -> None:
    page.goto(cited)
    evidence = page.locator("#evidence")

    expect(evidence.locator("h3")).to_have_text(["ridership.txt", "Budget of the city of Aldern", "survey.txt"])
    expect(evidence).to_contain_text("budget.md · 1 passage · 1 passage cited")
    expect(evidence).to_contain_text("1 passage · nothing cited")
    evidence.locator("summary", has_text="E1").click()
    expect(evidence.locator("details[open] li")).to_have_text(
        ["turn 1: quoted, supports", "turn 2: misquoted, undecided"]
    )
    expect(evidence).to_contain_text("The evidence has no passage E9.")


def test_a_protocol_shows_the_passages_of_each_statement(page: Page, server: Any) -> None:
    said = {
        "open_pro": opening("pro", n1={"evidence": TRUE}),
        "cross_con": cross("con", **{"1": {"reasoning": MISQUOTED}}),
        "close_con": closing("con", final_position=OPPOSITE),
    }
    seat = {"model": server.script({"answers": answers(**said)})}
    body = {"motion": MOTION, "format": "protocol", "turns": 8, "evidence": DOCUMENTS}
    debate = server.open_request(body | {"pro": seat, "con": seat, "judge": seat})
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    argument = page.locator("#PRO-1")
    claimed = argument.locator("details", has_text="[E1] the quoted words stand in the passage")
    refuted = argument.locator(".answer details", has_text="[E1] the quoted words do not stand in the passage")

    claimed.locator("summary").click()
    expect(claimed.locator("mark.found")).to_have_text("ridership on the city's buses rose by 12 percent")
    refuted.locator("summary").click()
    expect(refuted.locator("mark.nearest")).to_contain_text("rose by 12 percent")
    expect(page.locator("#closing-con details")).to_contain_text("[E2] no words of the passage are quoted")
    page.locator("#evidence summary", has_text="E1").click()
    expect(page.locator("#evidence details[open] li")).to_have_text(
        ["Pro, openings: quoted", "Con, cross-examination: misquoted"]
    )
    start_axe(page)
    assert violations(page, "light") == []


def test_a_document_opens_with_all_its_passages(page: Page, cited: str) -> None:
    page.goto(cited)
    survey = page.locator("#evidence .document", has_text="survey.txt")

    survey.get_by_text("The passage", exact=True).press("Enter")  # a click is lost if the page moves

    expect(survey.locator("figure.passage")).to_contain_text("A survey of 1,200 passengers in Aldern")
    expect(survey.locator("figcaption")).to_contain_text("E3 · survey.txt")


def test_a_moment_before_the_check_has_no_button(page: Page, cited: str) -> None:
    page.goto(cited)
    expect(page.locator(".cite")).to_have_count(4)
    page.goto(f"{cited}#e4")
    expect(page.locator(".cite")).to_have_count(0)
    expect(page.locator("#evidence")).to_contain_text("No turn has cited a passage yet.")


def test_a_debate_without_documents_has_no_such_section(page: Page, server: Any) -> None:
    page.goto(f"{server.url}/d/{server.exhibit('juries')}")
    expect(page.locator("body[data-ready]")).to_be_attached()

    expect(page.locator("#evidence")).to_be_hidden()


@in_views
def test_axe_finds_nothing_with_an_open_passage(page: Page, cited: str, views: tuple[View, ...]) -> None:
    page.goto(cited)
    for turn, mark in ((1, "[E1]"), (2, "[E1]"), (3, "[E9]"), (4, "[E2]")):
        opened(page, turn, mark)
    page.emulate_media(reduced_motion="reduce")
    start_axe(page)

    assert_accessible(page, views)


def test_an_exported_page_opens_passages_too(page: Page, server: Any, cited: str, tmp_path: Path) -> None:
    file = tmp_path / "debate.html"
    file.write_bytes(server.http.get(f"/api/debates/{cited.rpartition('/')[2]}/export.html").content)

    page.goto(file.as_uri())

    expect(opened(page, 4, "[E2]").locator("mark.relied")).to_have_text(CUT)


def test_a_hostile_document_and_speech_are_text(page: Page, server: Any) -> None:
    seat = {"model": server.script({"says": {"pro": [HOSTILE], "con": [HOSTILE]}})}
    documents = [{"name": "<b>x</b>.txt", "text": f"{HOSTILE} and a word of its own here."}]
    body = {"motion": MOTION, "turns": 2, "pro": seat, "con": seat, "judge": seat, "evidence": documents}
    debate = server.open_request(body)
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")

    passages = opened(page, 1, "[E1]")

    expect(passages).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator(".passages img, .passages script, #evidence b:has-text('x')").count() == 0
    expect(page.locator("#evidence h3")).to_have_text("<b>x</b>.txt")

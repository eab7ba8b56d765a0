"""The page of a protocol debate with a round of answers: complete, and while its statements arrive."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.judge.protocol.rounds import replies
from tests.server.panels import AGREED
from tests.server.protocol_debates import answers

pytestmark = pytest.mark.browser

ROUNDS = ("openings", "cross-examination", "answers", "closings")
SILENT = {"fault": {"kind": "timeout", "after_ms": 600_000}}


def test_an_answer_stands_with_the_question_that_it_answers(read: Any, server: Any) -> None:
    page = read(f"{server.url}/d/{server.exhibit('monolith')}")
    one = page.locator("#CON-1")

    expect(one.locator(".asks")).to_contain_text("Which company closed")
    expect(one.locator(".answer.reply.con")).to_contain_text("▼ Con answers")
    expect(one.locator(".answer.reply.con")).to_contain_text("“Never” was more than we can support.")
    expect(page.locator(".answer.reply")).to_have_count(6)
    expect(page.locator(".case > .origin")).to_have_text(["From a script that was written beforehand"] * 2)
    expect(page.locator(".steps li")).to_have_text(
        ["✓ Openings", "✓ Cross-examination", "✓ Answers", "✓ Closings", "✓ Judgement"]
    )


def test_a_closing_says_how_the_position_shifted(read: Any, server: Any) -> None:
    page = read(f"{server.url}/d/{server.exhibit('transit')}")

    expect(page.locator(".closing.pro .shift")).to_contain_text("Position adjusted: Asked for the share")
    expect(page.locator(".closing.con .shift")).to_contain_text("Position weakened: London took from CON-3")


def opened(server: Any, language: str = "en", **said: Any) -> str:
    """A protocol debate with these answers; its id."""
    model = server.script({"label": "Test", "says": {}, "answers": answers(**said)})
    seat = {"model": model}
    debate: str = server.open_request(
        {
            "motion": "Cities should ban cars",
            "language": language,
            "format": "protocol",
            "pro": seat,
            "con": seat,
            "judge": seat,
        }
    )
    return debate


def test_a_statement_appears_while_the_other_side_still_writes(page: Page, server: Any) -> None:
    debate = opened(server, open_con=SILENT)
    page.goto(f"{server.url}/d/{debate}")

    expect(page.locator(".case.pro .argument")).to_have_count(3)
    expect(page.locator(".case.con")).to_have_count(0)
    expect(page.locator(".doing.going")).to_have_text("Con is writing its opening")
    expect(page.locator("#progress")).to_have_text("Round 1 of 4: openings")
    server.go_on(debate, {"label": "Test", "says": {}, "answers": answers(answer_pro=SILENT)})

    expect(page.locator(".case.con .argument")).to_have_count(3)
    expect(page.locator(".case.con .answer.reply")).to_have_count(3)
    expect(page.locator(".case.pro .answer.reply")).to_have_count(0)
    expect(page.locator(".doing.going")).to_have_text("Pro is writing its answers")
    expect(page.locator("#progress")).to_have_text("Round 3 of 4: answers")
    expect(page.locator(".trace tbody").first).to_contain_text("examined")
    expect(page.locator(".trace tbody").last).to_contain_text("answered")
    server.go_on(debate, {"label": "Test", "says": {}, "answers": answers()})

    expect(page.locator("#CON-2 .answer.reply")).to_have_text(
        "▼ Con answersCON-2 costs what the shop costs now, and the city pays."
    )
    expect(page.locator(".closing .shift")).to_have_count(2)


def test_a_question_without_an_answer_and_answers_with_faults_are_said(page: Page, server: Any) -> None:
    some = {name: said for name, said in replies("pro").items() if name != "PRO-2"}
    debate = opened(server, answer_pro=some)
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")

    expect(page.locator("#PRO-2 .unanswered")).to_have_text("Pro did not answer this.")
    expect(page.locator(".case.pro > .fault")).to_contain_text(
        "This round of answers did not keep its form: PRO-2 is not answered."
    )


def test_statements_carry_the_language_of_the_debate_and_the_words_of_the_page_do_not(page: Page, server: Any) -> None:
    debate = opened(server, language="de")
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    one = page.locator("#PRO-1")

    for spoken in (
        ".thesis",
        ".grounds >> nth=0",
        ".evidence span",
        ".asks span",
        ".reply .grounds",
        ".judged .spoken",
    ):
        expect(one.locator(spoken)).to_have_attribute("lang", "de")
    for spoken in (".said", ".shift span", ".plain li"):
        expect(page.locator(f".closing.pro {spoken}")).to_have_attribute("lang", "de")
    for own in (".evidence b", ".asks b", ".reply .how", ".judged .label"):
        assert not one.locator(own).evaluate("(element) => element.closest('[lang]:not(html)')"), own
    assert not page.locator(".shift b").first.evaluate("(element) => element.closest('[lang]:not(html)')")


def test_the_scores_of_an_argument_are_explained_where_they_stand(page: Page, server: Any) -> None:
    model = server.script({"label": "Test", "says": {}, "answers": answers() | AGREED})
    seat = {"model": model}
    debate = server.open_request(
        {
            "motion": "Cities should ban cars",
            "format": "protocol",
            "pro": seat,
            "con": seat,
            "judge": seat,
            "panel": [model],
        }
    )
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    one = page.locator("#PRO-1")
    one.get_by_text("why these scores").click()
    audit = server.get(f"/api/debates/{debate}/audit/arguments/PRO-1")
    made = one.locator(".made-of")

    expect(made).to_contain_text("The judge’s points × weights: logic 7 × 0.3 + evidence 7 × 0.3 + responsiveness")
    expect(made).to_contain_text("Pro’s total is the mean of 7, 7 and 7, times 3: 21.00.")
    expect(made.locator(".rater-audits > li")).to_have_count(4)
    for rater in audit["raters"]:
        row = made.locator(".rater-audits > li", has_text=rater["title"])
        expect(row).to_contain_text(f"{rater['calibrated']:.2f}")
        expect(row).to_contain_text("PRO-1 is worth")
    expect(made).to_contain_text("The calibrated scores decide.")
    made.locator("details.call > summary").first.click()
    expect(made.locator("details.call pre").first).not_to_be_empty()
    frames = server.get(f"/api/debates/{debate}/frames")["frames"]
    judged = next(each for each in frames if each["event"]["type"] == "panelist_scored")
    page.goto("about:blank")
    page.goto(f"{server.url}/d/{debate}#e{judged['position']}")
    one.get_by_text("why these scores").click()

    expect(made.locator(".rater-audits > li")).to_have_count(1)
    expect(made).not_to_contain_text("calibrated")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_motion_at_the_head_of_the_page_ends_with_its_last_word(new_page: Any, server: Any, width: int) -> None:
    model = server.script({"label": "Test", "says": {}, "answers": answers()})
    seat = {"model": model}
    motion = "A city of half a million people should close its inner ring to cars on working days and widen its paths"
    request = {"motion": motion, "format": "protocol", "pro": seat, "con": seat, "judge": seat}
    debate = server.open_request(request)
    server.concluded(debate)
    page = new_page(width=width)
    page.goto(f"{server.url}/d/{debate}")
    expect(page.locator("#motion")).to_have_text(motion)

    for name in ("#motion", "#status", "#lead"):
        cut = page.locator(name).evaluate(
            "each => [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight]"
        )
        assert max(cut) <= 0, name


def test_a_protocol_is_judged_again_and_forked_from_its_page(page: Page, server: Any) -> None:
    debate = opened(server)
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    page.get_by_text("Menu", exact=True).click()
    page.get_by_text("Judge again, fork, title, tags").click()
    page.get_by_text("Judge again or fork").click()
    places = page.locator("[name=from] option").all_text_contents()
    assert ["the beginning", *(f"after the {name}" for name in ROUNDS)] == places
    page.locator("[name=from]").select_option("turn 6")
    page.get_by_role("button", name="Fork the debate").click()
    expect(page.locator("#sources")).to_contain_text("A fork of")
    fork = page.url.rpartition("/")[2].partition("?")[0].partition("#")[0]
    server.concluded(fork)
    assert "fork" == server.view(fork)["origin"]["kind"]

    page.goto(f"{server.url}/d/{debate}")
    page.get_by_text("Menu", exact=True).click()
    page.get_by_text("Judge again, fork, title, tags").click()
    page.get_by_text("Judge again or fork").click()
    page.get_by_label("Judge, as provider:model").first.fill(server.script({"says": {}, "answers": answers()}))
    page.get_by_role("button", name="Judge again").click()
    expect(page.locator("#sources")).to_contain_text("Judged again")
    again = page.url.rpartition("/")[2].partition("?")[0].partition("#")[0]
    server.concluded(again)
    page.get_by_role("link", name="Compare with the first judging").click()
    expect(page.locator("details.compared")).to_have_count(6)
    expect(page.locator("details.compared").first).to_contain_text("PRO-1: 7 and 7, difference 0 · both upheld")

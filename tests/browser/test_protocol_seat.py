"""People debate in format ``protocol`` in Chromium: forms, their limits, a server that is killed, what is counted."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_access import View, assert_accessible, in_views, start_axe
from tests.judge.protocol.rounds import KINDS
from tests.server.people.test_protocol_seats import ANN, BEA, statement
from tests.server.protocol_debates import answers

pytestmark = pytest.mark.browser
TITLES = {
    "open": "Open your case",
    "cross": "Examine the other side’s arguments",
    "answer": "Answer the questions put to you",
    "close": "Close your case",
}
CHOICES = {"refute": "no:", "challenge": "not shown:", "partial": "in part:", "adjusted": "elsewhere:"}


def opened(server: Any, **seats: Any) -> str:
    """A debate of Ann against Bea, with a model as judge and three raters."""
    model = server.script({"label": "Test", "says": {"pro": [], "con": []}, "answers": answers()})
    request = {"motion": "Cities should ban private cars", "format": "protocol", "judge": {"model": model}}
    people = {"pro": ANN, "con": BEA, "panel": ["technical", "business", "general"]}
    return str(server.open_request(request | people | seats))


def seated(server: Any, page: Page, debate: str, seat: str) -> Page:
    made = server.http.post(f"/api/debates/{debate}/seats/{seat}/link").json()["link"]
    page.goto(f"{server.url}{made}")
    page.get_by_role("button", name="Take the seat").click()
    return page


def field(kind: str, side: str, *path: str) -> str:
    turn = 2 * KINDS.index(kind) + (1 if side == "pro" else 2)
    return f"q-{kind}-{side}-{turn}-{'-'.join(path)}"


def fill(page: Page, kind: str, side: str) -> None:
    """Fill the form of a statement as a person does."""
    expect(page.locator("form.question h2")).to_have_text(TITLES[kind])
    for name, part in statement(kind, side).items():
        if isinstance(part, dict):
            for key, value in part.items():
                give(page, value, field(kind, side, name, key))
        elif name == "concessions":
            for number, value in enumerate(part):
                page.get_by_role("button", name="Add a concession").click()
                give(page, value, field(kind, side, name, str(number)))
        elif name == "standing_arguments":
            for value in part:
                page.get_by_role("checkbox", name=value).check()
        else:
            give(page, part, field(kind, side, name))


def give(page: Page, value: str, name: str) -> None:
    if value in CHOICES:
        page.locator(f"fieldset:has(> .options input[name='{name}'])").get_by_text(CHOICES[value]).click()
    else:
        page.locator(f"#{name}").fill(value)


def send(page: Page) -> None:
    sent = page.locator("form.question").get_attribute("data-id")
    page.get_by_role("button", name="Send this statement").click()
    expect(page.locator(f'form.question[data-id="{sent}"]')).to_have_count(0)


def test_two_people_debate_and_a_killed_server_loses_nothing(
    own_server: Any, own_page: Page, new_page: Any, watched: Any
) -> None:
    server, debate = own_server, opened(own_server)
    pro, con = seated(server, own_page, debate, "pro"), seated(server, new_page(own=True), debate, "con")

    fill(pro, "open", "pro")
    send(pro)
    expect(pro.locator("#seat-state")).to_contain_text("It is shown when the other side has sent its own.")
    expect(pro.locator("#seat-turns li")).to_have_count(0)
    fill(con, "open", "con")
    send(con)
    fill(pro, "cross", "pro")
    send(pro)
    fill(con, "cross", "con")
    expect(con.locator("form.question").get_by_role("status")).to_contain_text("Your answers are kept")
    server.kill()
    con.locator(f"#{field('cross', 'con', 'PRO-1', 'follow_up')}").fill("Who pays for the trams, and when?")
    expect(con.locator("#trouble")).to_contain_text("The server does not answer")
    server.start()
    expect(con.locator("#trouble")).to_be_hidden()
    con.reload()
    again = con.locator(f"#{field('cross', 'con', 'PRO-1', 'follow_up')}")
    expect(again).to_have_value("Who pays for the trams, and when?")
    expect(con.locator("fieldset.item").first).to_contain_text("The tram decides what a city is for.")
    send(con)
    expect(pro.locator("fieldset.item").first).to_contain_text("Who pays for the trams, and when?")
    for kind in ("answer", "close"):
        for page, side in ((con, "con"), (pro, "pro")):
            fill(page, kind, side)
            send(page)

    expect(pro.locator("#seat-turns li")).to_have_count(8)
    for page in (pro, con):
        expect(page.locator("#seat-state")).to_contain_text("The judge’s scores: Pro 21.0, Con 15.0.")
    view = server.concluded(debate)
    assert [view["turns"][str(number)]["by"] for number in range(1, 9)] == ["person"] * 8
    assert [view["protocol"]["arguments"][name]["cross"]["response"] for name in ("PRO-1", "CON-3")] == [
        "refute",
        "partial",
    ]
    assert len(view["panel"]["raters"]) == 3
    watched.console.clear()  # the browser itself reports each request without an answer


def test_a_statement_shows_its_faults_and_its_words_at_their_places(server: Any, own_page: Page) -> None:
    debate = opened(server, con={"model": server.script({"label": "Test", "answers": answers()})})
    page = seated(server, own_page, debate, "pro")
    fill(page, "open", "pro")
    claim = page.locator(f"#{field('open', 'pro', 'PRO-2', 'claim')}")
    claim.fill("Short.")

    page.get_by_role("button", name="Send this statement").click()

    expect(page.locator(".error:visible").first).to_have_text("Write at least 10 characters.")
    expect(claim).to_be_focused()
    claim.fill("Noise decides what a city is for.")
    send(page)
    for kind in ("cross", "answer"):
        fill(page, kind, "pro")
        if kind == "answer":
            answer = page.locator(f"#{field(kind, 'pro', 'PRO-1', 'answer')}")
            answer.fill("so " * 101)
            expect(page.locator(".count").first).to_have_text("101 of 100 words")
            page.get_by_role("button", name="Send this statement").click()
            expect(page.locator(".error:visible").first).to_have_text("Shorten this to 100 words; it has 101.")
            answer.fill("The city pays for it, from what the roads cost now.")
        send(page)
    fill(page, "close", "pro")
    page.locator(f"#{field('close', 'pro', 'final_position')}").fill("So it is. " * 65)
    expect(page.locator(".count")).to_have_text("209 of 200 words")
    page.get_by_role("button", name="Send this statement").click()
    expect(page.locator(".error:visible").first).to_have_text("Shorten this to 200 words; it has 209.")


def test_a_person_who_judges_sees_the_totals_before_sending(server: Any, own_page: Page) -> None:
    model = server.script({"label": "Test", "answers": answers()})
    models = {"pro": {"model": model}, "con": {"model": model}, "panel": None}
    debate = opened(server, judge={"person": "Ben", "time_s": 3600}, **models)
    page = seated(server, own_page, debate, "judge")
    expect(page.locator("form.question h2")).to_have_text("Judge the whole debate")

    for item in page.locator("form.question > fieldset fieldset:has(> fieldset)").all():
        for points in item.locator("fieldset.points").all():
            points.get_by_role("radio", name="7", exact=True).check()

    expect(page.locator(".sums")).to_contain_text("21 of 30")


@in_views
def test_axe_finds_nothing_in_a_statement(server: Any, own_page: Page, views: tuple[View, ...]) -> None:
    debate = opened(server, con={"model": server.script({"label": "Test", "answers": answers()})})
    own_page.emulate_media(reduced_motion="reduce")
    page = seated(server, own_page, debate, "pro")
    fill(page, "open", "pro")
    send(page)
    fill(page, "cross", "pro")
    page.locator(f"#{field('cross', 'pro', 'CON-1', 'follow_up')}").fill("")
    page.get_by_role("button", name="Send this statement").click()
    start_axe(page)

    assert_accessible(page, views)

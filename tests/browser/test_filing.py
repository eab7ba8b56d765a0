"""How an operator names and files a debate on its page."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from judge.rubrics.rubric import SHIPPED
from tests.laws import spread

pytestmark = pytest.mark.browser


def test_a_debate_is_named_archived_and_given_a_link(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    debate = server.open(scripts.quick, turns=1)
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    page.get_by_text("Menu", exact=True).click()
    page.get_by_text("Judge again, fork, title, tags").click()
    page.get_by_label("Title, shown").fill("The tram question")
    page.get_by_label("Tags").fill("law, demo")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#filing [role=status]")).to_have_text("Saved.")
    page.get_by_role("button", name="Make a new link").click()
    link = page.get_by_label("The link", exact=True)
    expect(link).to_have_value(re.compile(f"^{server.url}/d/{debate}\\?link=[\\w-]{{22}}$"))
    view = server.view(debate)
    assert ("The tram question", ["law", "demo"], True) == (view["title"], view["tags"], view["unlisted"])

    server.http.post(f"/api/debates/{debate}/labels", json={"unlisted": False})
    page.goto(server.url)
    listed = page.locator(f"#debates .debate[href='/d/{debate}']")
    expect(listed).to_contain_text("The tram question")
    expect(listed.locator(".tag")).to_have_text(["law", "demo"])


def test_a_debate_is_deleted_on_its_page(new_page: Any, watched: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page()
    debate = server.open(scripts.quick, turns=1)
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    page.locator("#menu > summary").click()
    page.locator("#filing > summary").click()
    page.get_by_text("Delete this debate").click()
    page.get_by_label("Reason, which everyone can read").fill("The class took it back")
    page.get_by_role("button", name="Delete for ever").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This debate was deleted")
    expect(page.locator("main p")).to_contain_text(": The class took it back.")
    assert ["error: Failed to load resource: the server responded with a status of 410 (Gone)"] == watched.console
    assert 410 == server.http.get(f"/api/debates/{debate}").status_code


@pytest.mark.parametrize("width", spread([1600, 1280, 390], 1))
def test_the_menu_shows_its_fields_whole(new_page: Any, server: Any, ended: str, width: int) -> None:
    page = new_page(width=width)
    page.goto(f"{server.url}/d/{ended}")
    page.locator("#menu > summary").click()
    page.locator("#filing > summary").click()
    page.get_by_text("Judge again or fork").click()
    expect(page.get_by_role("button", name="Judge again")).to_be_visible()
    menu = page.locator("#menu > div")

    assert menu.evaluate("each => each.scrollWidth - each.clientWidth") == 0


def test_a_debate_is_forked_and_judged_again_from_its_page(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    debate = server.open(scripts.quick, turns=2)
    server.concluded(debate)
    page.goto(f"{server.url}/d/{debate}")
    page.get_by_text("Menu", exact=True).click()
    page.get_by_text("Judge again, fork, title, tags").click()
    page.get_by_text("Judge again or fork").click()
    page.locator("[name=from]").select_option("turn 1")
    page.get_by_label("Message of the moderator to both sides").fill("Speak of costs")
    page.get_by_role("button", name="Fork the debate").click()
    expect(page.locator("#sources")).to_contain_text("A fork of")
    fork = page.url.rpartition("/")[2].partition("?")[0].partition("#")[0]
    server.concluded(fork)
    view = server.view(fork)
    assert ("fork", debate) == (view["origin"]["kind"], view["origin"]["debate"])
    assert ["Speak of costs"] == [each["text"] for each in view["words"].values()]

    page.goto(f"{server.url}/d/{debate}")
    page.get_by_text("Menu", exact=True).click()
    page.get_by_text("Judge again, fork, title, tags").click()
    page.get_by_text("Judge again or fork").click()
    page.get_by_label("Judge, as provider:model").first.fill("baseline:lexical")
    rubric = page.get_by_label("Rubric")
    assert ["", *SHIPPED] == rubric.locator("option").evaluate_all("options => options.map(({ value }) => value)")
    rubric.select_option("v1")
    page.get_by_role("button", name="Judge again").click()
    expect(page.locator("#sources")).to_contain_text(f"The turns of another debate: debate {debate} in Moot")
    expect(page.locator("#sources a").first).to_have_attribute("href", re.compile(f"/d/{debate}#e\\d+$"))
    again = page.url.rpartition("/")[2].partition("?")[0].partition("#")[0]
    assert server.view(debate)["rubric_name"] == "v3"
    assert server.view(again)["rubric_name"] == "v1"
    page.locator("#about > summary").click()
    expect(page.locator("#kind")).to_have_text("The turns of another debate, judged again")
    page.get_by_role("link", name="Compare with the first judging").click()
    expect(page.get_by_role("heading", name="Two judgings of one debate")).to_be_visible()
    expect(page.get_by_role("link", name="First judging")).to_have_attribute("href", f"/d/{debate}")
    expect(page.locator("details.compared")).to_have_count(2)
    page.get_by_role("link", name="First judging").click()
    page.locator("#about > summary").click()
    expect(page.locator("#made li")).to_have_text(
        [re.compile(r"^Judged again by .*lexical, .* · compare$"), re.compile(r"^Forked at event \d+, ")]
    )


def test_the_list_is_limited_by_tag_and_its_address_says_so(
    new_page: Any, own_server: Any, scripts: SimpleNamespace
) -> None:
    plain, tagged = (own_server.open(scripts.quick, turns=1) for _ in range(2))
    for debate in (plain, tagged):
        own_server.concluded(debate)
    page = new_page(own=True)
    page.goto(own_server.url)
    rows = page.locator("#debates .debate")
    expect(rows).to_have_count(2)
    own_server.http.post(f"/api/debates/{tagged}/labels", json={"tags": ["harbour"]})
    page.reload()
    page.get_by_label("Tag").fill("Harbour")

    expect(rows).to_have_count(1)
    expect(rows).to_have_attribute("href", f"/d/{tagged}")
    expect(page).to_have_url(re.compile(r"\?tag=Harbour$"))
    page.reload()
    expect(rows).to_have_count(1)
    page.get_by_label("Tag").fill("")
    expect(rows).to_have_count(2)

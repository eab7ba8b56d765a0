"""What spectators of a server with a token see, and what operators see after they have signed in."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server

pytestmark = pytest.mark.browser

TOKEN = "s3cret-0123456789"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("guarded"), token=TOKEN)
    try:
        running.start()
        yield running
    finally:
        running.close()


def test_a_spectator_sees_no_controls_of_operators_until_it_signs_in(new_page: Any, guarded: Server) -> None:
    page = new_page(own=True)
    page.goto(guarded.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    expect(page.locator("body")).to_have_attribute("data-role", "spectator")
    expect(page.locator("#new-title")).to_be_hidden()
    expect(page.get_by_role("link", name="Watch this debate")).to_be_visible()  # it opens no debate
    expect(page.locator("#stage")).to_have_attribute("data-state", "playing")

    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Token").last.fill(TOKEN)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("body")).to_have_attribute("data-role", "operator")
    expect(page.locator("#new-title")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in")).to_be_hidden()

    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("body")).to_have_attribute("data-role", "spectator")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


def test_a_spectator_plays_an_exhibition(new_page: Any, guarded: Server) -> None:
    page = new_page(own=True)
    page.goto(guarded.url)
    page.locator("#exhibition-list a").first.click()
    page.wait_for_url(re.compile("/exhibitions/"))
    expect(page.locator("#motion")).not_to_be_empty()
    expect(page.get_by_role("status")).to_have_text("Playing at reading speed")

    assert [] == guarded.get("/api/debates")["debates"]


def test_only_operators_see_the_buttons_of_the_moderator(new_page: Any, guarded: Server, scripts: Any) -> None:
    debate = guarded.open(scripts.silent_in(1))
    page = new_page(own=True)
    page.goto(f"{guarded.url}/d/{debate}")
    expect(page.locator("body")).to_have_attribute("data-role", "spectator")
    expect(page.locator("#moderator:not([hidden])")).to_be_attached()
    expect(page.get_by_role("button", name="Pause the debate")).to_be_hidden()

    page.request.post(f"{guarded.url}/api/session", data={"token": TOKEN})
    page.reload()
    expect(page.get_by_role("button", name="Pause the debate")).to_be_visible()
    guarded.halt(debate)

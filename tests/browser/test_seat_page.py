"""The page of a person's seat: take it, write, lose the browser or the server in mid-turn, send, resign."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import CHROMIUMS, FLAGS

pytestmark = pytest.mark.browser
TEXT = "Trams carry two hundred people each, and a street that is not a car park has room for them to walk."


def opened(server: Any, scripts: Any, **pro: Any) -> str:
    """A debate in which Ann speaks for Pro."""
    model = server.script(scripts.quick)
    return str(
        server.open_request(
            {
                "motion": "Cities should ban private cars",
                "turns": 4,
                "max_words": 40,
                "pro": {"person": "Ann", **pro},
                "con": {"model": model},
                "judge": {"model": model},
            }
        )
    )


def link(server: Any, debate: str) -> str:
    return f"{server.url}{server.http.post(f'/api/debates/{debate}/seats/pro/link').json()['link']}"


def seated(server: Any, page: Page, debate: str) -> Page:
    """The page of the seat, once this browser has taken it and the turn is open."""
    page.goto(link(server, debate))
    page.get_by_role("button", name="Take the seat").click()
    expect(page.locator("#text")).to_be_focused()
    return page


def test_a_person_takes_the_seat_writes_and_sends(server: Any, scripts: Any, own_page: Page) -> None:
    debate = opened(server, scripts)
    page = seated(server, own_page, debate)

    page.keyboard.type(TEXT)
    expect(page.locator("#words")).to_have_text("21 of 40 words")
    expect(page.locator("#clock")).to_contain_text("left")
    page.keyboard.press("Control+Enter")

    expect(page.locator("#write-title")).to_have_text("Turn 3 is yours.")
    expect(page.locator("#seat-turns li")).to_have_count(2)
    expect(page.locator("#seat-turns li").first).to_contain_text(TEXT)
    expect(page.locator("#seat-turns li").nth(1)).to_contain_text("Shops need vans.")
    expect(page.locator("#text")).to_have_value("")
    page.locator("#text").fill("Trams do not park, and they do not idle.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#seat-state")).to_contain_text("both sides have the same points: Pro 49.0, Con 49.0")


def test_the_passages_and_the_words_to_answer_stand_open_above_the_text(
    server: Any, scripts: Any, new_page: Any
) -> None:
    text = "Trees cool a street by four degrees."
    model = server.script(scripts.quick)
    body = {"motion": "Cities should ban private cars", "turns": 4, "con": {"person": "Ann"}}
    seats = {"pro": {"model": model}, "judge": {"model": model}}
    debate = server.open_request(body | seats | {"evidence": [{"name": "shade.txt", "text": text}]})
    made = server.http.post(f"/api/debates/{debate}/seats/con/link").json()["link"]
    page = new_page(width=390, height=844, own=True)
    page.goto(f"{server.url}{made}")
    expect(page.locator("#rules")).to_contain_text("You may cite shade.txt")
    page.get_by_role("button", name="Take the seat").click()
    expect(page.locator("#text")).to_be_visible()

    expect(page.locator("#passages dd")).to_be_visible()
    expect(page.locator("#passages")).to_contain_text("[E1] shade.txt")
    expect(page.locator("#passages")).to_contain_text("“the words” [E1].")
    expect(page.locator("#seat-turns li").last).to_contain_text("Turn 1, Pro")
    expect(page.locator("#seat-turns .said").last).to_be_in_viewport(ratio=1)
    assert page.evaluate(
        "document.querySelector('#seat-turns .said').getBoundingClientRect().bottom"
        " <= document.querySelector('#write').getBoundingClientRect().top"
    )
    with page.expect_popup() as watching:
        page.get_by_role("link", name="Watch the debate").click()
    expect(watching.value.locator("#evidence")).to_contain_text("shade.txt")
    expect(page.locator("#text")).to_be_visible()


def test_the_words_beyond_the_most_are_told_before_they_are_cut(server: Any, scripts: Any, own_page: Page) -> None:
    page = seated(server, own_page, opened(server, scripts))

    page.locator("#text").fill("word " * 45)

    expect(page.locator("#words")).to_have_text("45 of 40 words: what is beyond 40 is cut")
    expect(page.get_by_role("button", name="Send, cut to 40 words")).to_be_visible()


def test_the_page_says_that_the_audience_votes(server: Any, scripts: Any, own_page: Page) -> None:
    model = {"model": server.script(scripts.quick)}
    body = {"motion": "Cities should ban private cars", "turns": 2, "poll": {}, "con": model, "judge": model}
    debate = server.open_request(body | {"pro": {"person": "Ann"}})
    own_page.goto(link(server, debate))
    own_page.get_by_role("button", name="Take the seat").click()

    expect(own_page.locator("#seat-state")).to_have_text(
        "The audience votes. The debate goes on when the vote has closed."
    )

    server.http.post(f"/api/debates/{debate}/poll/close", json={}).raise_for_status()
    expect(own_page.locator("#write-title")).to_have_text("Turn 1 is yours.")


def test_another_browser_is_refused(server: Any, scripts: Any, own_page: Page, new_page: Any) -> None:
    debate = opened(server, scripts)
    seated(server, own_page, debate)

    other = new_page(own=True)
    other.goto(own_page.url)

    expect(other.locator("#seat-state")).to_contain_text("Another browser has taken this seat")
    expect(other.locator("#text")).to_be_hidden()


def test_a_link_that_is_revoked_while_the_person_writes_leaves_the_text(
    server: Any, scripts: Any, own_page: Page, watched: Any
) -> None:
    debate = opened(server, scripts)
    page = seated(server, own_page, debate)
    page.keyboard.type(TEXT)
    server.http.delete(f"/api/debates/{debate}/seats/pro/link").raise_for_status()

    expect(page.locator("#trouble")).to_contain_text("This link is not valid")

    expect(page.locator("#unsent-text")).to_have_text(TEXT)
    watched.console.clear()  # the browser itself reports each answer 404


def test_a_seat_that_is_not_taken_is_not_said_to_write(server: Any, scripts: Any, page: Page) -> None:
    page.goto(f"{server.url}/d/{opened(server, scripts)}")

    expect(page.locator("[data-turn='1']")).to_contain_text("Ann has the turn, and has not taken the seat yet")
    expect(page.locator("body")).not_to_contain_text("is writing")


def test_a_spectator_sees_that_the_person_writes_and_not_what(
    server: Any, scripts: Any, own_page: Page, page: Page
) -> None:
    debate = opened(server, scripts)
    seat = seated(server, own_page, debate)
    seat.keyboard.type("A thought that is not finished")
    expect(seat.locator("#kept")).to_have_text("Kept in this browser and by the server")

    page.goto(f"{server.url}/d/{debate}")

    expect(page.locator("[data-turn='1']")).to_contain_text("Ann is writing")
    expect(page.locator("body")).not_to_contain_text("A thought that is not finished")


def test_a_person_resigns(server: Any, scripts: Any, own_page: Page) -> None:
    debate = opened(server, scripts)
    page = seated(server, own_page, debate)
    page.keyboard.type(TEXT)
    expect(page.locator("#kept")).to_have_text("Kept in this browser and by the server")

    page.get_by_text("Resign", exact=True).click()
    expect(page.locator("#leave-means")).to_contain_text("Con wins")
    page.get_by_role("button", name="Resign now").click()

    expect(page.locator("#seat-state")).to_have_text("You have resigned. Con wins: the other side resigned.")
    expect(page.locator("#unsent-why")).to_have_text(
        "You resigned before you sent your text for turn 1. This browser keeps the text."
    )
    expect(page.locator("#unsent-text")).to_have_text(TEXT)
    page.goto(f"{server.url}/d/{debate}")
    expect(page.locator("[data-turn='1'] .failures")).to_have_text("The person has resigned.")
    expect(page.locator("#lead")).to_contain_text("Con wins: the other side resigned")


def test_a_model_takes_over_and_the_person_reads_on(server: Any, scripts: Any, own_page: Page) -> None:
    page = seated(server, own_page, opened(server, scripts, takeover=server.script(scripts.quick)))

    page.get_by_text("Resign", exact=True).click()
    page.get_by_role("button", name="Resign now").click()

    expect(page.locator("#seat-turns li")).to_have_count(4)


def test_the_page_fits_a_phone_and_has_names_for_what_it_asks(server: Any, scripts: Any, new_page: Any) -> None:
    phone = new_page(width=320, height=640, own=True)
    page = seated(server, phone, opened(server, scripts))
    page.locator("#text").fill(TEXT)

    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.get_by_label("Your speech").input_value() == TEXT
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "at-end"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "send"


@contextmanager
def chromium(folder: Path, browser: Browser) -> Iterator[tuple[Page, "subprocess.Popen[bytes]"]]:
    """A browser of its own whose profile is in a folder, and its process, which a test may kill."""
    path = os.environ.get("MOOT_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)))
    port = folder / "DevToolsActivePort"
    port.unlink(missing_ok=True)
    process = subprocess.Popen(
        [path, *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 30
        while not port.exists() or not port.read_text().strip():
            assert time.monotonic() < until, "the browser did not start"
            time.sleep(0.05)  # there is no other way to wait for a file
        connected = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{port.read_text().splitlines()[0]}")
        yield connected.contexts[0].pages[0], process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_browser_that_is_killed_in_mid_turn_loses_no_word(
    server: Any, scripts: Any, browser: Browser, tmp_path: Path
) -> None:
    debate = opened(server, scripts)
    with chromium(tmp_path / "profile", browser) as (page, process):
        seated(server, page, debate)
        address = page.url
        page.locator("#text").press_sequentially(TEXT)
        typed_at = time.monotonic()
        page.wait_for_timeout(1_900 - (time.monotonic() - typed_at) * 1_000)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    with chromium(tmp_path / "profile", browser) as (page, _):
        page.goto(address)

        expect(page.locator("#text")).to_have_value(TEXT)

        page.get_by_role("button", name="Send").click()
        expect(page.locator("#seat-turns li").first).to_contain_text(TEXT)


def test_a_server_that_is_killed_in_mid_turn_goes_on_with_the_turn(
    own_server: Any, scripts: Any, own_page: Page, watched: Any
) -> None:
    debate = opened(own_server, scripts)
    page = seated(own_server, own_page, debate)
    page.keyboard.type("Trams carry ")
    own_server.kill()
    page.keyboard.type("two hundred people each.")
    expect(page.locator("#trouble")).to_contain_text("The server does not answer")
    own_server.start()

    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#text")).to_have_value("Trams carry two hundred people each.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#seat-turns li").first).to_contain_text("Trams carry two hundred people each.")
    watched.console.clear()  # the browser itself reports each request without an answer


def test_the_token_of_a_seat_is_in_no_line_of_the_servers_log(own_server: Any, scripts: Any, own_page: Page) -> None:
    debate = opened(own_server, scripts)
    page = seated(own_server, own_page, debate)
    token = page.url.rpartition("/")[2]
    own_server.http.post(f"/api/seats/{token}/take", content=b"{")
    page.keyboard.type(TEXT)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#seat-turns li")).to_have_count(2)
    own_server.stop()

    log = (own_server.folder / "server.log").read_text()
    assert token not in log
    assert token.rpartition(".")[2] not in log


def test_the_form_seats_a_person_and_the_debates_page_shows_the_link_once(
    server: Any, scripts: Any, own_page: Page, new_page: Any, watched: Any
) -> None:
    model = server.script(scripts.quick)
    page = own_page
    page.goto(server.url)
    page.locator("#new-title").click()
    page.locator("#motion").fill("Cities should ban private cars")
    page.locator("select[name='pro.model']").select_option(label="a person…")
    page.get_by_role("button", name="Open the debate").click()
    name = page.get_by_label("Name of the person").first
    expect(name).to_be_focused()
    expect(name).to_have_accessible_description(re.compile("Enter the person’s name"))
    name.fill("Ann")
    expect(name).not_to_have_attribute("aria-invalid", "true")
    page.get_by_label("Minutes for a turn").first.fill("5")
    for seat in ("con", "judge"):
        page.locator(f"select[name='{seat}.model']").select_option(label="another model…")
        page.locator(f"input[name='{seat}.model.other']").fill(model)
    page.get_by_role("button", name="Open the debate").click()

    expect(page.locator("#people")).to_contain_text("Ann")
    expect(page.locator("#people .writing")).to_contain_text("no browser has used the link yet, 4:")
    address = page.get_by_label("The link of Pro’s seat").input_value()
    seat = new_page(own=True)
    seat.goto(address)
    expect(seat.locator("#rules")).to_contain_text("You have 5 minutes and at most 180 words")
    seat.get_by_role("button", name="Take the seat").click()
    expect(seat.locator("#text")).to_be_visible()
    expect(page.locator("#people .writing")).to_contain_text("is writing, 4:")
    page.reload()
    expect(page.locator("#people .writing")).to_contain_text("is writing, 4:")
    expect(page.get_by_label("The link of Pro’s seat")).to_be_hidden()
    page.get_by_role("button", name="Revoke the link").click()
    expect(seat.locator("#trouble")).to_contain_text("This link is not valid")
    debate = page.url.rpartition("/")[2].partition("#")[0].partition("?")[0]
    server.halt(debate)
    watched.console.clear()  # the browser itself reports each answer 404


def test_the_head_of_the_debates_page_names_the_model_that_took_over(
    server: Any, scripts: Any, own_page: Page, page: Page
) -> None:
    debate = opened(server, scripts, takeover=server.script(scripts.quick))
    seat = seated(server, own_page, debate)
    page.goto(f"{server.url}/d/{debate}")
    expect(page.locator("#sides")).to_contain_text("Ann")

    seat.get_by_text("Resign", exact=True).click()
    seat.get_by_role("button", name="Resign now").click()

    expect(page.locator("#sides")).not_to_contain_text("Ann")
    expect(page.locator("#sides")).to_contain_text("engineer")


@pytest.mark.slow
def test_the_page_sends_what_is_written_when_the_time_ends(server: Any, scripts: Any, own_page: Page) -> None:
    page = seated(server, own_page, opened(server, scripts, time_s=10))

    page.keyboard.type(TEXT)

    expect(page.locator("#seat-turns li").first).to_contain_text(TEXT)
    expect(page.locator("#write-title")).to_have_text("Turn 3 is yours.")


@pytest.mark.slow
def test_after_a_time_out_a_model_speaks_and_the_person_keeps_the_text(
    server: Any, scripts: Any, own_page: Page
) -> None:
    page = seated(server, own_page, opened(server, scripts, time_s=10, takeover=server.script(scripts.quick)))
    page.get_by_label("Send what is written when the time ends").uncheck()  # first: what is kept moves the box
    page.locator("#text").fill(TEXT)

    expect(page.locator("#unsent-text")).to_have_text(TEXT)
    expect(page.locator("#seat-turns li")).to_have_count(4)
    expect(page.locator("#seat-turns")).not_to_contain_text(TEXT)

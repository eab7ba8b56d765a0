"""Chromium decodes the shared compression: pages that join in the middle of a turn show the same transcript."""

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.laws import spread

pytestmark = pytest.mark.browser

JOINS = 2


def agreed(page: Page) -> list[str]:
    """The extensions that the sockets of a page negotiate; the list is filled as they open."""
    answers: list[str] = []
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on(
        "Network.webSocketHandshakeResponseReceived",
        lambda said: answers.append(str({k.lower(): v for k, v in said["response"]["headers"].items()})),
    )
    return answers


@pytest.mark.parametrize("compress", spread(["true", "false"], 1))
def test_pages_that_join_in_the_middle_of_a_turn_show_the_transcript_of_the_log(
    new_page: Callable[..., Page],
    watched: Any,
    tmp_path: Path,
    scripts: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    compress: str,
) -> None:
    chance = random.Random(11)
    monkeypatch.setenv("MOOT_COMPRESS", compress)
    server = Server(tmp_path)
    try:
        server.start()
        debate = server.open(scripts.silent_in(1, after_chars=chance.randrange(50, 600)), turns=JOINS)
        pages = []
        for turn in range(1, JOINS + 1):
            page = new_page()
            answers = agreed(page)
            page.goto(f"{server.url}/d/{debate}")
            expect(page.locator(f"[data-turn='{turn}'] .said[aria-busy]")).not_to_be_empty()
            pages.append(page)
            assert [compress == "true"] == ["permessage-deflate" in answer for answer in answers]
            is_last = turn == JOINS
            goes_on = scripts.silent_in(turn + 1, after_chars=chance.randrange(50, 600))
            server.go_on(debate, scripts.brisk if is_last else goes_on)
        for page in pages:
            expect(page.get_by_role("status")).to_contain_text("Ended")
            expect(page.locator("article.turn")).to_have_count(JOINS)
        shown = [page.locator("article.turn .said").all_text_contents() for page in pages]
        expected = [turn["text"] for turn in server.view(debate)["turns"].values()]
    finally:
        server.close()

    assert [expected] * JOINS == shown
    assert len(expected[0]) > 500
    assert watched.console == []

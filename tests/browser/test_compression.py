"""Chromium reads the compressor that everybody shares: pages that come at random moments show the same transcript."""

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server

pytestmark = pytest.mark.browser

JOINS = 4


def agreed(page: Page) -> list[str]:
    """What the sockets of a page agree on, filled as they are opened."""
    answers: list[str] = []
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on(
        "Network.webSocketHandshakeResponseReceived",
        lambda said: answers.append(str({k.lower(): v for k, v in said["response"]["headers"].items()})),
    )
    return answers


def transcript(page: Page) -> list[str]:
    """The whole of it once the debate has ended."""
    expect(page.get_by_role("status")).to_contain_text("Ended", timeout=60_000)
    expect(page.locator("article.turn")).to_have_count(2)
    return [
        *page.locator("article.turn .said").all_text_contents(),
        *page.locator("article.turn .scores").all_text_contents(),
        *page.locator("#scorecard td[data-row]").all_text_contents(),
    ]


def test_the_transcript_is_the_same_with_and_without_compression(
    new_page: Callable[..., Page], watched: Any, tmp_path: Path, scripts: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(11)
    shown: dict[str, list[list[str]]] = {}
    for compress in ("true", "false"):
        monkeypatch.setenv("MOOT_COMPRESS", compress)
        folder = tmp_path / compress
        folder.mkdir()
        server = Server(folder)
        try:
            server.start()
            debate = server.open({**scripts.slow, "pace": {"chunk_ms": 60, "chunk_chars": 8}}, turns=2)
            pages, in_time = [], 0
            for _ in range(JOINS):
                page = new_page()
                answers = agreed(page)
                page.goto(f"{server.url}/d/{debate}")
                expect(page.locator("body[data-ready]")).to_be_attached()
                page.wait_for_timeout(chance.randrange(0, 800))
                pages.append(page)
                in_time += server.view(debate)["state"] == "open"
                assert [compress == "true"] == ["permessage-deflate" in answer for answer in answers]
            assert in_time > 1, "some came while it was going on"
            shown[compress] = [transcript(page) for page in pages]
        finally:
            server.close()

    every = [text for texts in shown.values() for text in texts]
    assert [every[0]] * (2 * JOINS) == every
    assert scripts.long.startswith(every[0][0])
    assert len(every[0][0]) > 500
    assert watched.console == []

"""The words that are read stand still while the judge reads: each frame of a whole exhibition, live and in a replay."""

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AT_ONCE, exhibition_script, silent, wheel_until

pytestmark = pytest.mark.browser

FILM = (Path(__file__).parent / "film.js").read_text()
FASTER = "const now = performance.now.bind(performance); performance.now = () => 4 * now();"
"""The clock of a replay, so that it takes seconds; frames are real."""
NO_ANCHOR = "document.documentElement.style.overflowAnchor = 'none';"
"""As in browsers that do not hold a place by themselves."""
PACE = {"chunk_ms": 10, "chunk_chars": 12, "answer_ms": 120}
SIZES = WIDE, NARROW = (1440, 900), (390, 844)
IN_EACH_RUN = (("live", NARROW),)
STILL_PX = 1
"""The browser scrolls by whole pixels, and lines have fractions of them: half a pixel before and half a pixel after."""


def filmed(page: Page, address: str, *scripts: str) -> None:
    page.add_init_script(f"{{ {';'.join(scripts)}; {FILM} }}")
    page.goto(address)


def film(page: Page) -> list[dict[str, Any]]:
    """The frames until the verdicts of the debate are shown."""
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended", timeout=90_000)
    return [frame for frame in page.evaluate("film") if not frame["isOver"]]


def emptied(frames: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    """Lists of entries that a frame shows with fewer rows than the frame before."""
    return [
        (turn, rows, after["entries"].get(turn, 0))
        for before, after in pairwise(frames)
        for turn, rows in before["entries"].items()
        if after["entries"].get(turn, 0) < rows
    ]


@pytest.mark.parametrize(
    ("mode", "size"),
    [
        pytest.param(*each, marks=() if each in IN_EACH_RUN else pytest.mark.thorough)
        for each in product(("live", "replay"), SIZES)
    ],
)
def test_the_spoken_line_moves_up_by_its_own_lines_only(
    new_page: Any, server: Any, mode: str, size: tuple[int, int]
) -> None:
    page = new_page(own=True, width=size[0], height=size[1])
    if mode == "live":
        filmed(page, f"{server.url}/d/{server.exhibition('juries', PACE)}")
    else:
        filmed(page, f"{server.url}/d/{server.exhibit('juries')}?speed=8&play#e1", FASTER)
    frames = film(page)
    spoken = [frame for frame in frames if frame["moved"] is not None and frame["isSpeaking"]]
    judged = [frame for frame in frames if frame["moved"] is not None and not frame["isSpeaking"]]

    assert {"1", "2", "3", "4", "5", "6"} == {frame["turn"] for frame in frames}
    assert len(spoken) > 40
    assert len(judged) > 10
    assert sum(frames[-1]["entries"].values()) > 8
    assert [] == [frame for frame in spoken if not -frame["grown"] - STILL_PX <= frame["moved"] <= STILL_PX]
    assert [] == [frame for frame in judged if abs(frame["moved"]) > STILL_PX]
    assert [] == [frame for frame in frames if not frame["isInView"]]
    assert [] == emptied(frames)


@pytest.mark.parametrize(("width", "height"), [NARROW, pytest.param(*WIDE, marks=pytest.mark.thorough)])
def test_a_turn_that_is_read_stands_still_while_the_debate_goes_on(
    new_page: Any, server: Any, live: Any, width: int, height: int
) -> None:
    """Turn 1 above it loses points, a summary comes above both, and the browser holds no place by itself."""
    page = new_page(own=True, width=width, height=height)
    script = exhibition_script("juries", PACE)
    debate = live(silent({**script, "pace": AT_ONCE}), motion=script["exhibition"]["motion"], turns=6)
    filmed(page, f"{server.url}/d/{debate}", f"addEventListener('load', () => {{ {NO_ANCHOR} }})")
    expect(page.locator("[data-turn='3'] .scores")).to_be_attached()
    place = "document.querySelector(\"[data-turn='2'] .said\").getBoundingClientRect().top - innerHeight * 0.3"
    wheel_until(page, lambda: float(page.evaluate(place)), f"() => Math.abs({place}) < 50")
    page.evaluate("() => { readTurn = 2; }")
    page.wait_for_function("() => film.slice(-9).every(({ turn, moved }) => turn === '2' && moved === 0)")
    page.evaluate("() => { film.length = 0; }")
    server.go_on(debate, script)
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended", timeout=90_000)
    expect(page.locator("#summary")).to_be_attached()
    frames = page.evaluate("film")

    assert frames[-1]["entries"]["1"] > frames[0]["entries"]["1"]
    assert [] == [frame for frame in frames if frame["moved"] is None or abs(frame["moved"]) > STILL_PX]
    assert [] == emptied(frames)

"""Checks of a page with hostile text: no text ran, no foreign element is in it, and the layout is intact."""

import re
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import BrowserContext, Dialog, Page, Request, WebSocket, expect

from tests.browser.conftest import leave
from tests.browser.hostile_texts import bare

WIDTHS: Final = (1280, 320)
LINE: Final = 24
"""Pixels by which the head or the foot may be higher because it contains more of the page's own words."""
_ASKS: Final = (Path(__file__).parent / "page_checks.js").read_text()


def ask(page: Page, question: str, argument: Any = None) -> Any:
    """The result of a function of ``page_checks.js`` in the page."""
    return page.evaluate(f"(argument) => {{ {_ASKS}; return {question}(argument); }}", argument)


class Watch:
    """A page that records its console messages, dialogs, popups, requests and sockets."""

    def __init__(self, context: BrowserContext, own: str) -> None:
        self.own = own
        self.faults: list[str] = []
        self.page = context.new_page()
        self.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        self.page.on("console", lambda each: self.faults.append(f"{each.type}: {each.text} {each.location['url']}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"pageerror: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("popup", lambda other: self.faults.append(f"popup: {other.url}"))
        self.page.on("request", self._request)
        self.page.on("websocket", self._socket)

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.own, "data:", "about:")):
            self.faults.append(f"request: {request.url}")

    def _socket(self, socket: WebSocket) -> None:
        if not socket.url.startswith(self.own.replace("http", "ws")):
            self.faults.append(f"socket: {socket.url}")

    def visit(self, address: str) -> Page:
        """Go to an address and wait until the page is complete."""
        if "#" in address:
            leave(self.page, self.own)  # a change of the hash alone does not reload the page
        self.page.goto(address)
        expect(self.page.locator("body[data-ready]")).to_be_attached()
        if "#e" in address and "embed" not in address:
            expect(self.page.locator("body.reading-back")).to_be_attached()
        if "event=" in address:
            self._expect_details()
        return self.page

    def read_back(self, position: int) -> None:
        """Move the cursor to an event, and wait until the page shows it: then its address names it."""
        self.page.locator("#slider").fill(str(position))
        expect(self.page).to_have_url(re.compile(f"#e{position}$"))

    def show_debate(self) -> None:
        """Leave the audit of the log."""
        self.page.locator("[data-view-button=debate]").click()
        expect(self.page.locator("#audit")).to_be_hidden()

    def audit(self, position: int) -> None:
        """Show the details of an event in the audit of the log."""
        if self.page.locator("#audit").is_hidden():
            self.page.locator("#menu > summary").click()
            self.page.locator("[data-view-button=audit]").click()
        self.page.locator(f".log > [data-position='{position}'] > button").click()
        expect(self.page.locator(f".log > [data-position='{position}'] > .detail")).to_be_visible()
        self._expect_details()

    def _expect_details(self) -> None:
        details = self.page.locator(".log .detail")
        expect(details).to_be_attached()
        expect(details.get_by_text("Comparing…")).to_have_count(0)


def assert_unharmed(watch: Watch, calm: dict[int, Any], *, is_copy: bool = False) -> None:
    """Fail with a list of every fault. ``calm``: the boxes of head and foot on a harmless page."""
    page = watch.page
    faults = list(watch.faults)
    current = page.viewport_size
    for width in sorted(WIDTHS, key=lambda each: current is None or current["width"] != each):
        if current is None or current["width"] != width:
            page.set_viewport_size({"width": width, "height": 900})
        faults += [f"{each} ({width} px)" for each in ask(page, "foreign", is_copy)]
        faults += [f"mirrored ({width} px): {each}" for each in ask(page, "mirrored")]
        if page.evaluate("document.documentElement.scrollWidth") != width:
            found = ask(page, "outside") or ["an unknown element"]
            faults += [f"too wide at {width} px: {each}" for each in found]
        for name, box in ask(page, "boxes").items():
            if width in calm and box and (calm[width][name][:3] != box[:3] or box[3] > calm[width][name][3] + LINE):
                faults.append(f"{name} at {width} px is at {box}, not at {calm[width][name]}")
    watch.faults.clear()

    assert [] == faults, "\n".join(faults)


def bar_boxes(page: Page) -> dict[int, Any]:
    """The boxes of head and foot at each width."""
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = ask(page, "boxes")
    return found


def assert_shows(page: Page, texts: list[str], root: str = "body") -> None:
    """Fail unless the page shows each of the texts as text."""
    shown = bare(page.locator(root).inner_text())
    missing = [text[:80] for text in texts if bare(text) not in shown]

    assert [] == missing, missing
    assert not re.search(r"\[object Object\]|\bfunction [A-Za-z]*\(|\[native code\]", page.locator(root).inner_text())

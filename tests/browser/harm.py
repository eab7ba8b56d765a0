"""What a page must be, whatever it is told: nothing ran, nothing foreign is in it, all stands in its place."""

import re
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import BrowserContext, Dialog, Page, Request, WebSocket, expect

from tests.browser.hostile import bare

WIDTHS: Final = (1280, 320)
LINE: Final = 24
"""Pixels by which head or foot may be higher where more of the page's own words stand in it."""
_ASKS: Final = (Path(__file__).parent / "harm.js").read_text()


def ask(page: Page, question: str, argument: Any = None) -> Any:
    """What a function of ``harm.js`` finds in the page."""
    return page.evaluate(f"(argument) => {{ {_ASKS}; return {question}(argument); }}", argument)


class Watch:
    """Everything that a page said, asked for, or put in front of its reader."""

    def __init__(self, context: BrowserContext, own: str) -> None:
        self.own = own
        self.faults: list[str] = []
        self.page = context.new_page()
        self.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        self.page.on("console", lambda message: self.faults.append(f"{message.type}: {message.text}"))
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
        """The page at an address, once it is complete."""
        if "#" in address:
            self.page.goto("about:blank")  # another cursor alone would not load the page again
        self.page.goto(address)
        expect(self.page.locator("body[data-ready]")).to_be_attached()
        if "#e" in address:
            expect(self.page.locator("body.reading-back #back")).to_be_visible()
        return self.page


def unharmed(watch: Watch, calm: dict[int, Any], *, is_copy: bool = False) -> None:
    """Fails with everything that is not as it must be.  ``calm``: where head and foot stand on a page without harm."""
    page = watch.page
    faults = list(watch.faults)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        faults += [f"{each} ({width} px)" for each in ask(page, "foreign", is_copy)]
        faults += [f"mirrored ({width} px): {each}" for each in ask(page, "mirrored")]
        if page.evaluate("document.documentElement.scrollWidth") != width:
            found = ask(page, "outside") or ["nobody knows what"]
            faults += [f"too wide at {width} px: {each}" for each in found]
        for name, box in ask(page, "boxes").items():
            if width in calm and box and (calm[width][name][:3] != box[:3] or box[3] > calm[width][name][3] + LINE):
                faults.append(f"{name} at {width} px stands {box}, not {calm[width][name]}")
    watch.faults.clear()

    assert [] == faults, "\n".join(faults)


def standing(page: Page) -> dict[int, Any]:
    """Where head and foot stand at each width."""
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = ask(page, "boxes")
    return found


def shows(page: Page, texts: list[str], root: str = "body") -> None:
    """Each of the texts is there as text."""
    shown = bare(page.locator(root).inner_text())
    missing = [text[:80] for text in texts if bare(text) not in shown]

    assert [] == missing, missing
    assert not re.search(r"\[object Object\]|\bfunction [A-Za-z]*\(|\[native code\]", page.locator(root).inner_text())

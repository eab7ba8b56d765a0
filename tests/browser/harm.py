"""What a page must be, whatever it is told: nothing ran, nothing is there that the page did not make, all stands in place."""

import re
from typing import Any, Final

from playwright.sync_api import BrowserContext, Dialog, Page, Request, WebSocket, expect

from tests.browser.hostile import bare

WIDTHS: Final = (1280, 320)
LINE: Final = 24
"""Pixels by which head or foot may be higher where more of the page's own words stand in it."""
FOREIGN: Final = """(isCopy) => {
  const known = new Set(`a article aside b bdi body button caption code dd del details dialog div dl dt em fieldset figcaption figure
    footer form h1 h2 h3 h4 header i input ins kbd label legend li main mark nav noscript ol optgroup option p pre q s section select span
    summary table tbody td textarea th thead time tr ul circle g line path polygon rect svg text title tspan`.split(/\\s+/));
  const found = [], ids = new Map(), own = document.URL.split(/[?#]/)[0];
  for (const each of document.querySelectorAll("body, body *")) {
    if (isCopy && each.id === "archive") continue;
    if (!known.has(each.localName)) found.push(`element ${each.outerHTML.slice(0, 99)}`);
    if (each.id) ids.set(each.id, (ids.get(each.id) ?? 0) + 1);
    for (const { name, value } of each.attributes) {
      if (/^on|^src|^action$|^formaction$|^data$|^background$|^ping$|xlink/.test(name)) found.push(`attribute ${name}`);
      if (name === "href" && !/^(#|\\/(?!\\/)|\\?)/.test(value) && !value.startsWith(isCopy ? own : `${location.origin}/`)) found.push(`href ${value.slice(0, 99)}`);
      if (name === "style" && !/^[\\w-]+: [\\d.]+(%|px);$/.test(value)) found.push(`style ${value.slice(0, 99)}`);
    }
  }
  for (const [id, count] of ids) if (count > 1) found.push(`${count} elements have the id ${id}`);
  if (globalThis.__pwned !== undefined || {}.__pwned !== undefined) found.push("something ran");
  for (const each of Object.keys(Object.prototype)) found.push(`every object has ${each}`);
  return found;
}"""
MIRRORED: Final = """() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest(".said, #motion")) continue;
    if (/[^ -~\\n\\u00a0-\\u00ff\\u2010-\\u2044\\u2100-\\u27ff]/.test(node.data.replace(/[\\u2066-\\u2069]/g, "\\u202e")) || /[\\u202a-\\u202e]/.test(node.data)) continue;
    const word = /[A-Za-z]{3,}/.exec(node.data);
    if (!word) continue;
    const [first, last] = [word.index, word.index + 2].map((at) => {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect();
    });
    if (first.width && first.top === last.top && first.left > last.left) found.push(`${word[0]} in ${node.parentElement.outerHTML.slice(0, 99)}`);
  }
  return found;
}"""
BOXES: Final = """() => Object.fromEntries(["#top", "#foot"].map((name) => {
  const box = document.querySelector(name)?.getBoundingClientRect();
  return [name, box && [box.left, box.width, Math.round(name === "#top" ? box.top : innerHeight - box.bottom), box.height]];
}))"""
OUTSIDE: Final = """() => [...document.querySelectorAll("body *")].filter((each) => {
  const { left, right, width } = each.getBoundingClientRect();
  const isOver = each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "visible" && each.clientWidth && ![...each.children].some((one) => one.scrollWidth > each.clientWidth + 1);
  return width && (right > innerWidth + 1 || left < -1 || isOver) && !each.closest(".scrolls, .wide-table, .scroll, .heard, .menu");
}).map((each) => each.outerHTML.replaceAll("\\n", " ").slice(0, 160)).slice(0, 8)"""


class Watch:
    """Everything that a page said, asked for, or put in front of its reader."""

    def __init__(self, context: BrowserContext, own: str) -> None:
        self.own = own
        self.faults: list[str] = []
        self.page = context.new_page()
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
            self.page.goto("about:blank")   # another cursor alone would not load the page again
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
        faults += [f"{each} ({width} px)" for each in page.evaluate(FOREIGN, is_copy)]
        faults += [f"mirrored ({width} px): {each}" for each in page.evaluate(MIRRORED)]
        if page.evaluate("document.documentElement.scrollWidth") != width:
            faults += [f"too wide at {width} px: {each}" for each in page.evaluate(OUTSIDE)] or [f"too wide at {width} px"]
        for name, box in page.evaluate(BOXES).items():
            if width in calm and box and (calm[width][name][:3] != box[:3] or box[3] > calm[width][name][3] + LINE):
                faults.append(f"{name} at {width} px stands {box}, not {calm[width][name]}")
    watch.faults.clear()

    assert [] == faults, "\n".join(faults)


def standing(page: Page) -> dict[int, Any]:
    """Where head and foot stand at each width."""
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = page.evaluate(BOXES)
    return found


def shows(page: Page, texts: list[str], root: str = "body") -> None:
    """Each of the texts is there as text."""
    shown = bare(page.locator(root).inner_text())
    missing = [text[:80] for text in texts if bare(text) not in shown]

    assert [] == missing, missing
    assert not re.search(r"\[object Object\]|\bfunction [A-Za-z]*\(|\[native code\]", page.locator(root).inner_text())

"""The pictures of the documentation, from the exhibitions: ``uv run python docs/pictures/make.py`` takes them again."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, Literal, get_args

import httpx
from playwright.sync_api import Page, ViewportSize, sync_playwright

HERE: Final = Path(__file__).parent
PORT: Final = 8497
URL: Final = f"http://127.0.0.1:{PORT}"
DOCKED: Final = 3
"""The turn of "juries" that a later one exposes."""
Scheme = Literal["light", "dark"]
SIZE: Final = ViewportSize(width=1280, height=800)
FLAGS: Final = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def exhibit(http: httpx.Client, name: str) -> str:
    """Begin an exhibition; its id."""
    debate: str = http.post("/api/debates", json={"exhibition": name}).json()["id"]
    return debate


def ended(http: httpx.Client, *debates: str) -> None:
    """Wait until they are over."""
    while any(http.get(f"/api/debates/{each}").json()["state"] != "concluded" for each in debates):
        time.sleep(0.2)


def take(page: Page, name: str, scheme: Scheme) -> None:
    """Write one picture."""
    page.wait_for_timeout(600)  # fonts, and what is fetched when it is seen
    page.screenshot(path=HERE / f"{name}-{scheme}.png")


def shoot(page: Page, http: httpx.Client, debates: dict[str, str], scheme: Scheme) -> None:
    """All of them in one theme."""
    live = exhibit(http, "juries")
    page.goto(f"{URL}/d/{live}?speed=8")
    page.wait_for_selector("[data-turn='3'].speaking .said:not(:empty)", timeout=60_000)
    page.wait_for_timeout(900)
    take(page, "live", scheme)
    page.emulate_media(reduced_motion="reduce")  # the end of the loop
    page.goto(URL)
    page.wait_for_selector("#exhibition-list li:nth-child(3) .curve", timeout=60_000)
    take(page, "list", scheme)
    page.emulate_media(reduced_motion="no-preference")
    gap = next(
        each["position"]
        for each in http.get(f"/api/debates/{debates['juries']}/events?limit=1000").json()["events"]
        if each["event"]["type"] == "logic_gap_adjusted" and each["event"]["turn"] == DOCKED
    )
    page.goto(f"{URL}/d/{debates['juries']}#e{gap}")
    page.wait_for_selector(f"[data-turn='{DOCKED}'] .entries [data-kind=gap]")
    page.locator(f"[data-turn='{DOCKED}']").evaluate("(turn) => turn.scrollIntoView()")
    take(page, "replay", scheme)
    page.goto(f"{URL}/d/{debates['juries']}?view=audit&turn={DOCKED}&event={gap}")
    page.wait_for_selector(".detail .moved-list li")
    page.locator(f"[data-position='{gap}']").evaluate("(row) => row.scrollIntoView()")
    page.mouse.wheel(0, -170)
    take(page, "audit", scheme)
    page.goto(f"{URL}/d/{debates['juries']}")
    page.wait_for_selector(".verdicts")
    page.locator(".verdicts").evaluate("(part) => part.scrollIntoView()")
    take(page, "verdicts", scheme)
    page.goto(f"{URL}/d/{debates['transit']}")
    page.wait_for_selector("#panel .says")
    page.locator("#panel").evaluate("(part) => part.scrollIntoView()")
    take(page, "panel", scheme)
    page.goto(f"{URL}/d/{debates['juries']}/wall#e{gap}")
    page.wait_for_selector("#said:not(:empty)")
    take(page, "wall", scheme)
    ended(http, live)


def main() -> None:
    """Serve a store of its own, play the exhibitions, and take every picture in both themes."""
    with tempfile.TemporaryDirectory() as folder:
        moot = [Path(sys.executable).with_name("moot"), "serve", "--store", f"sqlite:{folder}/m.db", f"--port={PORT}"]
        server = subprocess.Popen(moot, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - the words are this file's
        try:
            with httpx.Client(base_url=URL, timeout=30, transport=httpx.HTTPTransport(retries=10)) as http:
                while True:
                    try:
                        http.get("/readyz").raise_for_status()
                        break
                    except httpx.TransportError:
                        time.sleep(0.1)
                debates = {name: exhibit(http, name) for name in ("cars", "homework", "monolith", "juries", "transit")}
                ended(http, *debates.values())
                with sync_playwright() as playwright:
                    browser = playwright.chromium.launch(
                        executable_path=os.environ.get("MOOT_CHROMIUM", "/usr/bin/chromium"), args=FLAGS
                    )
                    for scheme in get_args(Scheme):
                        page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                        shoot(page, http, debates, scheme)
                    browser.close()
        finally:
            server.terminate()
            server.wait(20)


if __name__ == "__main__":
    main()

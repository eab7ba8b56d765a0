"""Watch exhibitions to their end without touching anything, and check at every moment that the spoken line is in view.

``uv run python tests/measuring/film.py http://127.0.0.1:8000 films juries transit``

For each exhibition, size and theme it writes a contact sheet of screenshots.  It ends with 1 if at any moment the words
that are spoken or read were not in view.  Without names it watches all exhibitions.
"""

import argparse
import html
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
THEMES = ("light", "dark")
SPEED = 8
EVERY_S = 2.5
LIMIT_S = 400
SHEET = "margin:4px;display:flex;flex-wrap:wrap;align-items:flex-start;gap:4px;background:#888"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu"]
MOMENT = """() => {
  const [from, to] = ["#top", "#foot"].map((one) => document.querySelector(one).getBoundingClientRect());
  const box = (one) => one?.getBoundingClientRect();
  const status = document.querySelector("#status").textContent;
  const speech = document.querySelector(".speaking .said:not(:empty)");
  const here = document.querySelector("[data-here]");
  const ending = document.querySelector(".ending:has(.verdicts)");
  const isAnyInView = (one) => one && box(one).bottom > from.bottom && box(one).top < to.top;
  if (speech) return [status, "spoken line", box(speech).bottom > from.bottom && box(speech).bottom <= to.top + 1];
  if (here) return [status, here.id || here.className, box(here).top >= from.bottom - 2 && box(here).top < to.top - 24];
  if (ending) return [status, "verdicts", isAnyInView(ending)];
  const turn = [...document.querySelectorAll("article.turn .body")].at(-1);
  if (turn) return [status, "score", box(turn).bottom > from.bottom && box(turn).bottom <= to.top + 1];
  return [status, "", true];
}"""
"""The status of the page, what must be in view, and whether it is."""


def watch(page: Page, address: str, folder: Path, name: str) -> list[str]:
    """Take a picture every ``EVERY_S`` seconds until the debate has ended; what was not in view."""
    page.goto(f"{address}?speed={SPEED}")
    page.wait_for_selector("body[data-ready]")
    lost: list[str] = []
    began = time.monotonic()
    number = 0
    status = ""
    while not status.startswith("Ended") and time.monotonic() - began < LIMIT_S:
        page.wait_for_timeout(EVERY_S * 1000)
        status, place, is_in_view = page.evaluate(MOMENT)
        page.screenshot(path=folder / f"{name}-{number:03}.png")
        if not is_in_view:
            lost.append(f"{name}-{number:03}: {place}")
        number += 1
    if not status.startswith("Ended"):
        lost.append(f"{name}: not at its end after {LIMIT_S} s: {status}")
    return lost


def contact_sheet(browser: Browser, folder: Path, name: str, width: int) -> None:
    """One picture of all pictures of a film."""
    shown = sorted(folder.glob(f"{name}-*.png"))
    cell = 300 if width > SIZES["phone"][0] else 170
    images = "".join(f'<img width="{cell}" src="{html.escape(each.name)}">' for each in shown)
    sheet = folder / f"{name}.html"
    sheet.write_text(f'<body style="{SHEET}">{images}')
    page = browser.new_page(viewport={"width": 1560, "height": 800})
    page.goto(sheet.resolve().as_uri())
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    page.close()
    for each in (*shown, sheet):
        each.unlink()


def film(browser: Browser, server: str, folder: Path, exhibition: str, size: str, theme: Any) -> list[str]:
    """Open an exhibition and watch it at one size in one theme; what was not in view."""
    answer = httpx.post(f"{server}/api/debates", json={"exhibition": exhibition}, timeout=20).raise_for_status()
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    name = f"{exhibition}-{size}-{theme}"
    lost = watch(page, f"{server}/d/{answer.json()['id']}", folder, name)
    page.close()
    contact_sheet(browser, folder, name, width)
    return lost + [f"{name}: {each}" for each in errors]


def main() -> int:
    """Watch what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server")
    parser.add_argument("folder", type=Path)
    parser.add_argument("exhibitions", nargs="*")
    parser.add_argument("--size", choices=SIZES, action="append")
    parser.add_argument("--theme", choices=THEMES, action="append")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    known = [each["name"] for each in httpx.get(f"{wanted.server}/api/exhibitions").json()["exhibitions"]]
    lost: list[str] = []
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for exhibition in wanted.exhibitions or known:
            for size in wanted.size or SIZES:
                for theme in wanted.theme or THEMES:
                    found = film(browser, wanted.server, wanted.folder, exhibition, size, theme)
                    sys.stdout.write(f"{exhibition} {size} {theme}: {found or 'in view at every moment'}\n")
                    sys.stdout.flush()
                    lost += found
        browser.close()
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())

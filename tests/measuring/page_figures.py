"""Figures of the page in Chromium: what moves while it is read, and how soon it answers.

``uv run python -m tests.measuring.page_figures`` starts a server and prints a line for each figure.  ``--moot PATH``
takes the command of another checkout, to compare.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import axe_playwright_python  # type: ignore[import-untyped]
import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.longest_debate import EVENTS, lines

PORT: Final = 8498
URL: Final = f"http://127.0.0.1:{PORT}"
FLAGS: Final = ["--no-sandbox", "--disable-gpu"]
FILM: Final = (Path(__file__).parents[1] / "browser" / "film.js").read_text(encoding="utf-8")
AXE: Final = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
FASTER: Final = "const now = performance.now.bind(performance); performance.now = () => 4 * now();"
WATCH: Final = """
globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) shifts.push(each.value);
}).observe({ type: "layout-shift", buffered: true });
"""
LATENCY: Final = """
globalThis.delays = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) delays.push([each.name, each.duration]);
}).observe({ type: "event", durationThreshold: 16, buffered: true });
"""
DOCKED: Final = """() => {
  const delta = document.querySelector("#stage .delta, .stage .delta");
  return delta && getComputedStyle(delta).opacity > 0.9;
}"""
KEYS: Final = ("ArrowLeft", "ArrowRight", ",", ".", "Shift+ArrowLeft", "Shift+ArrowRight", "b", "Escape")


@contextmanager
def served(moot: Path) -> Iterator[httpx.Client]:
    """A server over a store with the longest debate."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "longest.ndjson"
        log.write_bytes(b"".join(lines()))
        store = f"sqlite:{folder}/moot.db"
        subprocess.run([moot, "--store", store, "import", log], check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [moot, "serve", "--store", store, f"--port={PORT}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            with httpx.Client(base_url=URL, timeout=60) as http:
                while True:
                    try:
                        http.get("/readyz").raise_for_status()
                        break
                    except httpx.HTTPError:
                        time.sleep(0.2)
                yield http
        finally:
            server.terminate()
            server.wait(20)


def page_of(browser: Browser, width: int, height: int, *scripts: str) -> Page:
    """A page with scripts that run before its own."""
    page = browser.new_page(viewport={"width": width, "height": height})
    for each in scripts:
        page.add_init_script(f"{{ {each} }}")
    return page


def film(browser: Browser, debate: str, width: int, height: int) -> str:
    """What moves in a replay of an exhibition."""
    page = page_of(browser, width, height, FASTER, FILM)
    page.goto(f"{URL}/d/{debate}?speed=8&play#e1")
    page.wait_for_selector("#status[data-state=ended]", timeout=180_000)
    frames: list[dict[str, Any]] = [each for each in page.evaluate("film") if not each["isOver"]]
    still = [abs(each["moved"]) for each in frames if each["moved"] is not None and not each["isSpeaking"]]
    most = max(still, default=0)
    page.close()
    return f"{len(frames)} frames, the line that is read moves at most {most:.1f} px while the judge reads"


def layout_shift(browser: Browser, path: str, width: int, height: int) -> float:
    """The sum of layout shifts while a page loads."""
    page = page_of(browser, width, height, WATCH)
    page.goto(URL + path)
    page.wait_for_timeout(4000)
    total = sum(page.evaluate("shifts"))
    page.close()
    return float(total)


def first_docking(browser: Browser) -> float:
    """Seconds until the first page has shown that a turn lost points."""
    page = page_of(browser, 1440, 900)
    began = time.monotonic()
    page.goto(URL)
    page.wait_for_function(DOCKED, timeout=30_000)
    page.close()
    return time.monotonic() - began


def latencies(browser: Browser, debate: str) -> dict[str, float]:
    """The slowest answer to each key on the page of the longest debate, in ms, by its kind of event."""
    page = page_of(browser, 1440, 900, LATENCY)
    page.goto(f"{URL}/d/{debate}#e{EVENTS // 2}")
    page.wait_for_selector("body[data-ready]")
    page.wait_for_timeout(3000)
    page.evaluate("() => { delays.length = 0; }")
    found: dict[str, float] = {}
    for key in KEYS:
        page.evaluate("() => { delays.length = 0; }")
        for _ in range(5):
            page.keyboard.press(key)
            page.wait_for_timeout(300)
        found[key] = max((each for _, each in page.evaluate("delays")), default=0)
    page.close()
    return found


def violations(browser: Browser, path: str, width: int, height: int, theme: Any) -> int:
    """Violations of WCAG 2.2 AA that axe-core finds."""
    size: Any = {"width": width, "height": height}
    page = browser.new_page(viewport=size, color_scheme=theme, bypass_csp=True, reduced_motion="reduce")
    page.goto(URL + path)
    page.wait_for_timeout(2500)
    page.evaluate(AXE)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = page.evaluate("(tags) => axe.run(document, { runOnly: tags }).then(({ violations }) => violations)", tags)
    page.close()
    return len(found)


def main() -> None:
    """Print every figure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--moot", type=Path, default=Path(sys.executable).with_name("moot"))
    moot = options.parse_args().moot
    with served(moot) as http, sync_playwright() as started:
        longest = http.get("/api/debates").json()["debates"][0]["id"]
        script = http.post("/api/debates", json={"exhibition": "juries"}).json()["id"]
        while http.get(f"/api/debates/{script}").json()["state"] != "concluded":
            time.sleep(1)
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for size in ((1440, 900), (390, 844)):
            print(f"film {size}: {film(browser, script, *size)}")
            for path in ("/", f"/d/{script}"):
                print(f"layout shift {size} {path[:3]}: {layout_shift(browser, path, *size):.4f}")
            for theme in ("light", "dark"):
                found = {path[:3]: violations(browser, path, *size, theme) for path in ("/", f"/d/{script}")}
                print(f"axe {size} {theme}: {found}")
        print(f"latency at {EVENTS:,} events, ms: {latencies(browser, longest)}")
        try:
            print(f"first docking: {first_docking(browser):.1f} s")
        except Exception as error:  # noqa: BLE001 - a page of before has none
            print(f"first docking: none ({type(error).__name__})")
        browser.close()


if __name__ == "__main__":
    main()

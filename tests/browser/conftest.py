"""A server as a child process, Chromium, and debates from scripts."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import httpx
import msgspec
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from websockets.sync.client import connect

from providers.scripted.provider import shipped
from server.debate.setup.exhibitions import request_for

PATIENCE_MS = 15_000
Scheme = Literal["light", "dark"]
INSTALL = "no Chromium on this machine: `apt-get install chromium`, or name one in MOOT_CHROMIUM"
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The same engine; the shell has no windows to manage, so that pages take a third less CPU."""
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip


def skip_or_fail(reason: str) -> None:
    """Skip with a reason; fail in CI, where the whole suite must run."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(f"NOT TESTED: {reason}")


AT_ONCE = {"chunk_ms": 0, "chunk_chars": 400, "answer_ms": 0}


def exhibition_script(name: str, pace: dict[str, int]) -> dict[str, Any]:
    """The script of a shipped exhibition, at a pace."""
    return {**msgspec.json.decode(shipped()[name].read_bytes()), "pace": pace}


def silent(script: dict[str, Any]) -> dict[str, Any]:
    """The script of an exhibition, silent in turn 4 until ``Server.go_on`` gives another one."""
    first, second, *_ = script["says"]["con"]
    silence = {"text": second, "fault": {"kind": "timeout", "after_ms": 600_000}}
    return {**script, "says": {**script["says"], "con": [first, silence]}}


class Server:
    """`moot serve` on a free port over one store."""

    def __init__(self, folder: Path, token: str = "") -> None:
        self.folder, self._token = folder, token
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        self._scripts: list[Path] = []
        self._script_of: dict[str, Path] = {}
        self._exhibits: dict[str, str] = {}
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(
            base_url=self.url, timeout=90, headers=headers
        )  # a first lab run imports its libraries

    def start(self) -> None:
        moot = Path(sys.executable).with_name("moot")
        environment = {**os.environ, "MOOT_OPENS_PER_MINUTE": "10000", "MOOT_RETRY_MS": "0", "MOOT_TOKEN": self._token}
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [moot, "serve", "--store", f"sqlite:{self.folder / 'moot.db'}", "--port", str(self.port)],
                stdout=log,
                stderr=log,
                env=environment,
            )
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with contextlib.suppress(httpx.TransportError):
                if self.http.get("/readyz").status_code == httpx.codes.OK:
                    return
            assert self._process.poll() is None, (self.folder / "server.log").read_text()
            time.sleep(0.05)  # there is no other way to wait for a port
        pytest.fail("the server did not come up in 30 s: " + (self.folder / "server.log").read_text())

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(20)
            self._process = None

    def kill(self) -> None:
        """End the process at once, as a crash does."""
        assert self._process is not None, "the server runs"
        self._process.kill()
        self._process.wait(20)
        self._process = None

    def close(self) -> None:
        self.stop()
        self.http.close()

    def script(self, content: dict[str, Any]) -> str:
        """The name of a model that follows this script."""
        self._scripts.append(self.folder / f"script-{len(self._scripts) + 1}.json")
        self._scripts[-1].write_bytes(msgspec.json.encode(content))
        return f"scripted:{self._scripts[-1]}"

    def open(
        self, content: dict[str, Any], motion: str = "Cities should ban private cars", turns: int = 4, **more: Any
    ) -> str:
        """Open a debate in which all seats follow the script; its id.

        ``more``: members of a seat, ``max_words``, ``rubric``.
        """
        model = self.script(content)
        return self.open_request(
            {
                "motion": motion,
                "turns": turns,
                "max_words": more.get("max_words", 180),
                "pro": {"model": model, "archetype": "engineer"} | more.get("pro", {}),
                "con": {"model": model, "archetype": "provocateur"} | more.get("con", {}),
                "judge": {"model": model} | more.get("judge", {}),
                "rubric": more.get("rubric"),
            }
        )

    def open_request(self, request: dict[str, Any]) -> str:
        """Open a debate; its id. All of its seats follow the script that was made last."""
        answer = self.http.post("/api/debates", json=request)
        assert answer.status_code == httpx.codes.CREATED, answer.text
        debate: str = answer.json()["id"]
        self._script_of[debate] = self._scripts[-1]
        return debate

    def halt(self, debate: str) -> None:
        """Halt a debate, unless it has ended."""
        self.http.post(f"/api/debates/{debate}/halt", json={"reason": "the test is over"})

    def go_on(self, debate: str, content: dict[str, Any]) -> None:
        """Let a debate whose script is silent go on with another script: the turn is spoken again."""
        self.http.post(f"/api/debates/{debate}/halt", json={"reason": "the test goes on"}).raise_for_status()
        self._script_of[debate].write_bytes(msgspec.json.encode(content))
        self.http.post(f"/api/debates/{debate}/resume", json={}).raise_for_status()

    def exhibit(self, name: str, **more: Any) -> str:
        """A shipped exhibition, played to its end without pauses; its id.  ``more``: members of its request."""
        key = f"{name} {more}"
        if key not in self._exhibits:
            self._exhibits[key] = self.exhibition(name, AT_ONCE, **more)
            self.concluded(self._exhibits[key])
        return self._exhibits[key]

    def exhibition(self, name: str, pace: dict[str, int], **more: Any) -> str:
        """A debate with the script of a shipped exhibition, at a pace; its id.  ``more``: members of its request."""
        model = self.script(exhibition_script(name, pace))
        body = msgspec.json.encode(request_for(name)).replace(f"scripted:{name}".encode(), model.encode())
        request = msgspec.json.decode(body) | more
        del request["exhibition"]
        return self.open_request(request)

    def get(self, path: str) -> Any:
        return self.http.get(path).json()

    def view(self, debate: str) -> dict[str, Any]:
        shown: dict[str, Any] = self.get(f"/api/debates/{debate}")
        return shown

    def concluded(self, debate: str) -> dict[str, Any]:
        """The view after the end of the debate; the feed tells when it ends."""
        with connect(f"ws://127.0.0.1:{self.port}/ws/debates/{debate}", subprotocols=["moot.v1"]) as line:  # type: ignore[list-item]
            for text in line:
                message = msgspec.json.decode(text)
                state = message.get("view", message.get("patch", {})).get("state")
                if state == "concluded":
                    return self.view(debate)
        pytest.fail("the feed ended before the debate")

    def spoken(self, debate: str) -> str:
        """The text of the first turn, once it is spoken; the feed tells when."""
        with connect(f"ws://127.0.0.1:{self.port}/ws/debates/{debate}", subprotocols=["moot.v1"]) as line:  # type: ignore[list-item]
            for text in line:
                message = msgspec.json.decode(text)
                turns = message.get("view", message.get("patch", {})).get("turns", {})
                if said := turns.get("1", {}).get("text"):
                    return str(said)
        pytest.fail("the feed ended before the turn")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    try:
        running.start()
        yield running
    finally:
        running.close()


@pytest.fixture(scope="session")
def empty_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server in which no test opens a debate."""
    running = Server(tmp_path_factory.mktemp("empty"))
    try:
        running.start()
        yield running
    finally:
        running.close()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may stop and start again."""
    running = Server(tmp_path)
    try:
        running.start()
        yield running
    finally:
        running.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("MOOT_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        skip_or_fail(INSTALL)
    with sync_playwright() as playwright:
        expect.set_options(timeout=20_000)
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


class Watched:
    """The console messages and the requests of the pages of a test."""

    def __init__(self) -> None:
        self.console: list[str] = []
        self.requests: list[str] = []


Open = Callable[..., Page]


@pytest.fixture
def watched() -> Watched:
    return Watched()


def leave(page: Page, server: str) -> None:
    """Close what the page holds, by a light document.

    The renderer stays: ``about:blank`` would replace it, which costs half a second of work.
    """
    page.goto("about:blank" if page.url.startswith("file:") else f"{server}/healthz")


CHANGES_SHOWN = """() => {
  const turns = [...document.querySelectorAll(".turn:has(.entries)")];
  const missing = turns.find((turn) => !turn.querySelector(".entries > li"));
  missing?.scrollIntoView();
  return turns.length > 0 && !missing;
}"""


def heap(page: Page) -> int:
    """Bytes that the page holds after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used: int = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used


def expect_changes(page: Page) -> None:
    """Wait for a turn, then scroll to every turn until the changes of its score are shown.

    After that, the page replaces no turn.

    The page fetches these changes when a turn comes near the viewport, and replaces every turn in which they mark
    evidence. A page that has not received its view yet has no turn.
    """
    page.wait_for_function(CHANGES_SHOWN)


class Profile:
    """One browser profile whose pages are reused: a new page costs a test a second of work."""

    MAX_IDLE = 2

    def __init__(self, browser: Browser, server: str) -> None:
        self._server = server
        self.context = browser.new_context()
        self.context.set_default_timeout(PATIENCE_MS)
        self._idle: list[Page] = []

    def page(self) -> Page:
        page = self._idle.pop() if self._idle else self.context.new_page()
        page.bring_to_front()  # Chromium draws a tab in the background only twice a second
        return page

    def return_page(self, page: Page) -> None:
        """Remove what a test left: routes, storage, sockets, emulated media."""
        if page.is_closed():
            return
        page.unroute_all()
        page.evaluate("() => { try { localStorage.clear(); } catch { /* a page that has no storage */ } }")
        leave(page, self._server)
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        if len(self._idle) < self.MAX_IDLE:
            self._idle.append(page)
        else:
            page.close()

    def settle(self) -> None:
        """Reset the profile: no cookies, no permissions, a network."""
        self.context.set_offline(False)
        self.context.clear_permissions()
        self.context.clear_cookies()


@pytest.fixture(scope="session")
def warm(browser: Browser, server: Server) -> Iterator[Profile]:
    profile = Profile(browser, server.url)
    yield profile
    profile.context.close()


@pytest.fixture
def new_page(browser: Browser, warm: Profile, watched: Watched) -> Iterator[Open]:
    """Makes pages: ``new_page(width=320, scheme="dark")``.

    ``own=True``: with a profile of its own, for routes, scripts, a clock or other cookies.
    """
    pages: list[tuple[Page, bool]] = []

    def on_console(message: ConsoleMessage) -> None:
        watched.console.append(f"{message.type}: {message.text}")

    def on_error(error: Error) -> None:
        watched.console.append(f"pageerror: {error}")

    def on_request(request: Request) -> None:
        watched.requests.append(request.url)

    def make(*, width: int = 1280, height: int = 900, scheme: Scheme = "light", own: bool = False) -> Page:
        page = browser.new_page() if own else warm.page()
        page.set_default_timeout(PATIENCE_MS)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.on("console", on_console)
        page.on("pageerror", on_error)
        page.on("request", on_request)
        pages.append((page, own))
        return page

    yield make
    warm.settle()
    for page, own in pages:
        if own:
            page.close()  # and its profile
        else:
            page.remove_listener("console", on_console)
            page.remove_listener("pageerror", on_error)
            page.remove_listener("request", on_request)
            warm.return_page(page)


@pytest.fixture
def page(new_page: Open, watched: Watched) -> Iterator[Page]:
    """A page whose console must stay empty."""
    yield new_page()
    assert watched.console == []


@pytest.fixture
def own_page(new_page: Open, watched: Watched) -> Iterator[Page]:
    """The same with its own profile."""
    yield new_page(own=True)
    assert watched.console == []


class Reader:
    """A page that tests only read: it stays at its address for the next test that reads it."""

    def __init__(self, page: Page, server: str) -> None:
        self.page = page
        self.console: list[str] = []
        self._address, self._server = "", server
        page.set_default_timeout(PATIENCE_MS)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.console.append(f"pageerror: {error}"))

    def visit(self, address: str) -> Page:
        """The page of an address, complete."""
        if address != self._address:
            leave(self.page, self._server)  # the page before may miss a server that has ended: its messages end here
            self.console.clear()
            self.page.goto(address)
            self._address = address
        self.page.bring_to_front()
        expect(self.page.locator("body[data-ready]")).to_be_attached()
        return self.page


@pytest.fixture(scope="session")
def reader(warm: Profile, server: Server) -> Reader:
    return Reader(warm.context.new_page(), server.url)


@pytest.fixture
def read(reader: Reader) -> Iterator[Callable[[str], Page]]:
    """Shows an address in a page that the test only reads; its console must stay empty."""
    yield reader.visit
    assert reader.console == []


def wheel_until(page: Page, dy: Callable[[], float] | float, condition: str) -> None:
    """Turn the wheel over the page until a condition holds.  On a busy machine the browser loses a turn at times."""
    page.mouse.move(300, 250)
    for _ in range(10):
        page.mouse.wheel(0, dy() if callable(dy) else dy)
        with contextlib.suppress(PlaywrightTimeout):
            page.wait_for_function(condition, timeout=3_000)
            return
    raise AssertionError(f"the wheel was turned ten times, and this does not hold: {condition}")


def play_paused(page: Page) -> None:
    """Start a replay on a page whose clock stands still; the page fetches the module of replays in real time."""
    page.locator("#play").click()
    for _ in range(500):
        page.clock.run_for(2)
        if (page.get_by_role("status").text_content() or "").startswith(("Replaying", "Playing")):
            return
    pytest.fail("the replay did not start")


QUOTED = "One lane carries two thousand people an hour by car and ten thousand by tram."
SCORED: dict[str, Any] = {
    "components": {
        "cause": {"points": 8, "quote": "two thousand people an hour by car", "reason": "It names one cause."},
        "process": {"points": 7, "quote": "these words were never said", "reason": "It gives the step."},
        "consequence": {"points": 6, "quote": "ten thousand by tram", "reason": "It gives a figure."},
        "framing": {"points": 3, "quote": "One lane carries", "reason": "It begins in the middle."},
        "structure": {"points": 5, "quote": "by car and ten thousand", "reason": "It compares."},
        "delivery": {"points": 8, "quote": "people an hour", "reason": "It is short."},
        "resonance": {"points": 4, "quote": "ten thousand", "reason": "It is about people."},
        "targeting": {"points": 6, "quote": "an hour by car", "reason": "It strikes at the car."},
        "positioning": {"points": 6, "quote": "ten thousand by tram", "reason": "It stands well."},
        "frame_control": {"points": 6, "reason": "Its own terms."},
        "credibility": {"points": 7, "reason": "It claims little."},
    },
}  # fmt: skip
QUICK: dict[str, Any] = {
    "label": "made for a test",
    "says": {"pro": [f"🚲🚶 {QUOTED}", "Trams do not park."], "con": ["Shops need vans.", "Vans need streets."]},
    "answers": {"score:1": SCORED},
}


def speech(sentences: int) -> str:
    return " ".join(f"Sentence number {number} of a long speech about streets." for number in range(sentences))


BRIEF = speech(12)
BRISK: dict[str, Any] = {
    "label": "made for a test",
    "pace": {"chunk_ms": 5, "chunk_chars": 40, "answer_ms": 0},
    "says": {"pro": [BRIEF], "con": [BRIEF]},
}
SLOW: dict[str, Any] = {
    **BRISK,
    "pace": {"chunk_ms": 20, "chunk_chars": 8},
    "says": {"pro": [speech(60)], "con": [speech(60)]},
}


def silent_in(turn: int, *, after_chars: int = 200, says: str = BRIEF) -> dict[str, Any]:
    """A script that is silent in the middle of a turn, until ``Server.go_on`` gives another one."""
    silence = {"text": says, "fault": {"kind": "timeout", "after_chars": after_chars, "after_ms": 600_000}}
    said = {"pro": [says] * turn, "con": [says] * turn}
    said["pro" if turn % 2 else "con"][(turn - 1) // 2 :] = [silence]
    return {**BRISK, "says": said}


@pytest.fixture(scope="session")
def ended(server: Server) -> str:
    """A debate of four turns that has ended."""
    debate = server.open(QUICK)
    server.concluded(debate)
    return debate


@pytest.fixture(scope="session")
def scripts() -> SimpleNamespace:
    """The scripts of the debates of these tests."""
    return SimpleNamespace(quick=QUICK, slow=SLOW, brisk=BRISK, silent_in=silent_in, brief=BRIEF, quoted=QUOTED)


@pytest.fixture
def live(server: Server) -> Iterator[Callable[..., str]]:
    """Opens debates as ``Server.open`` does; those that still run at the end of the test are halted."""
    debates: list[str] = []

    def open_debate(content: dict[str, Any], **more: Any) -> str:
        debates.append(server.open(content, **more))
        return debates[-1]

    yield open_debate
    for debate in debates:
        server.halt(debate)

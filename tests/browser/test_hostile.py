"""Hostile words from every source, spoken and imported: nothing executes, and nothing breaks the layout."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from playwright.sync_api import Page, expect

from events.codec import CLASSES
from events.store.open import opened_log
from events.transfer import import_debate
from events.types import Event
from tests.browser import hostile_logs
from tests.browser.conftest import Profile, expect_changes, leave
from tests.browser.hostile_texts import ALL, BULK, MARKUP, UNICODE, script, with_hostile_texts
from tests.browser.page_checks import Watch, assert_shows, assert_unharmed, bar_boxes
from tests.laws import spread

pytestmark = pytest.mark.browser
GROUPS: Final = {"markup": MARKUP, "unicode": UNICODE, "bulk": BULK}
FORMATS: Final = ("exchange", "protocol", "panel", "artifact", "calibration", "answers")
SAID: Final = (*GROUPS, "halted")
LOGS: Final = tuple(f"{form}, {what}" for form in FORMATS for what in ("words", "names"))
IN_EACH_RUN: Final = (
    "exchange, words", "protocol, names", "panel, words", "artifact, names", "calibration, words", "answers, words",
)  # fmt: skip
"""Each format, with hostile words or with hostile names."""


class HostileServer:
    """A server over a store of hostile debates, with the boxes of head and foot on a harmless page."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.debates: dict[str, str] = {}
        self.events: dict[str, list[Event]] = {}
        self.calm: dict[str, Any] = {}

    async def import_logs(self, exported: bytes) -> None:
        async with opened_log(f"sqlite:{self.server.folder / 'moot.db'}") as log:
            for form, events in hostile_logs.logs(exported).items():
                for what in ("words", "names"):
                    key = f"{form}, {what}"
                    self.debates[key] = f"01900000-0000-7000-8000-{len(self.debates):012d}"
                    self.events[key] = with_hostile_texts(events, ALL.values(), names=what == "names")
                    await import_debate(log, hostile_logs.exported(self.debates[key], self.events[key]))

            left = self.events["panel, words"][:-1]
            self.debates["undecided"] = "01900000-0000-7000-8000-999999999999"
            await import_debate(log, hostile_logs.exported(self.debates["undecided"], left))

    def say(self, group: str, texts: dict[str, str]) -> None:
        motion = " ".join(texts.values())[:1990]
        self.debates[group] = self.server.open(
            script(texts),
            motion=motion,
            turns=6,
            judge={"appeals": "all"},
            max_words=1000,
        )

    def halt(self, scripts: Any) -> None:
        """A debate whose moderator, models and reason for halting are hostile too."""
        server = self.server
        file: Path = server.folder / ("<img src=x onerror=window.__pwned=1>\u202e" + "\u0300" * 40 + ".json")
        file.write_bytes(Path(server.script(scripts.slow).partition(":")[2]).read_bytes())
        model = {"model": f"scripted:{file}"}
        debate = self.debates["halted"] = server.open(scripts.slow, pro=model, con=model, judge=model, turns=6)
        for group in (MARKUP, UNICODE):
            for text in batches(group):
                server.http.post(f"/api/debates/{debate}/say", json={"text": text}).raise_for_status()
        reason = {"reason": next(batches(MARKUP))[:500]}
        server.http.post(f"/api/debates/{debate}/halt", json=reason).raise_for_status()


def batches(texts: dict[str, str], most: int = 1000) -> Iterator[str]:
    """The texts, joined into batches of at most ``most`` characters."""
    held = ""
    for each in texts.values():
        if len(held) + len(each) + 1 > most:
            yield held
            held = ""
        held += f" {each}"
    yield held


@pytest.fixture(scope="module")
def hostile(server: Any, scripts: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileServer]:
    exported = server.http.get(f"/api/debates/{server.exhibit('juries')}/events.ndjson").content
    running = type(server)(tmp_path_factory.mktemp("hostile"))
    made = HostileServer(running)
    try:
        with ThreadPoolExecutor(1) as beside:  # Playwright's event loop runs in this thread
            beside.submit(anyio.run, made.import_logs, exported).result()
        running.start()
        for group, texts in GROUPS.items():
            made.say(group, texts)
        made.halt(scripts)
        for group in GROUPS:
            running.concluded(made.debates[group])
        yield made
    finally:
        running.close()


@pytest.fixture(scope="module")
def watcher(warm: Profile, hostile: HostileServer, server: Any) -> Iterator[Watch]:
    calm = Watch(warm.context, server.url)
    for name, rest in (("end", ""), ("back", "#e9")):
        hostile.calm[name] = bar_boxes(calm.visit(f"{server.url}/d/{server.exhibit('juries')}{rest}"))
    calm.page.close()
    for width, boxes in hostile.calm["end"].items():  # the card has what the head has elsewhere
        boxes["#top"] = hostile.calm["back"][width]["#top"]
    watch = Watch(warm.context, hostile.server.url)
    yield watch
    watch.page.close()


@pytest.fixture
def watch(watcher: Watch, warm: Profile, hostile: HostileServer) -> Iterator[Watch]:
    watcher.own = hostile.server.url
    watcher.page.bring_to_front()
    watcher.page.set_viewport_size({"width": 1280, "height": 900})
    yield watcher
    warm.settle()
    leave(watcher.page, hostile.server.url)
    watcher.page.emulate_media(media="null")
    watcher.faults.clear()


def address(hostile: HostileServer, key: str, rest: str = "") -> str:
    return f"{hostile.server.url}/d/{hostile.debates[key]}{rest}"


def open_all(page: Page) -> None:
    """Open every ``<details>`` of the page, so that all of its words are laid out; some are fetched first."""
    page.evaluate("for (const each of document.querySelectorAll('main details:not(.menu)')) each.open = true")
    expect(page.locator("details.call[open] > div:empty")).to_have_count(0)


def test_every_type_of_event_is_among_the_logs(hostile: HostileServer) -> None:
    assert set(CLASSES.values()) == {type(event) for events in hostile.events.values() for event in events}


@pytest.mark.parametrize("what", spread(["words", "names"], 1))
def test_a_lab_run_is_text(hostile: HostileServer, watch: Watch, what: str) -> None:
    page = watch.page
    page.goto(f"{hostile.server.url}/lab/{hostile.debates[f'lab, {what}']}")
    expect(page.locator("h1")).to_contain_text("lab")

    assert watch.faults == []
    assert page.evaluate("window.__pwned") is None
    assert page.locator("main img, main script, main iframe").count() == 0


@pytest.mark.parametrize("key", GROUPS)
def test_what_debaters_and_judge_say_is_text(hostile: HostileServer, watch: Watch, key: str) -> None:
    page = watch.visit(address(hostile, key))
    expect(page.locator("article.turn")).to_have_count(6)
    open_all(page)

    assert_shows(page, list(GROUPS[key].values()), "[data-turn='1'] .said")
    assert_unharmed(watch, hostile.calm["end"])
    assert page.title().startswith(" ".join(GROUPS[key].values())[:20])


@pytest.mark.parametrize("key", spread(GROUPS, 2))
def test_it_is_text_everywhere_on_the_page(hostile: HostileServer, watch: Watch, key: str) -> None:
    turns = hostile.server.view(hostile.debates[key])["turns"]
    flagged = turns["3"]["changed"][0]
    back = max(flagged, turns["4"]["spoken"])
    for rest, calm in (
        ("?turn=3", hostile.calm["end"]),
        (f"?view=audit&event={flagged}#e{back}", hostile.calm["back"]),
        ("/embed", {}),  # it has neither head nor foot
    ):
        page = watch.visit(address(hostile, key, rest))
        open_all(page)
        assert_unharmed(watch, calm)
        if "#e" in rest:
            watch.show_debate()
            assert_unharmed(watch, calm)


@pytest.mark.parametrize(
    "key", [pytest.param(each, marks=() if each in IN_EACH_RUN else pytest.mark.thorough) for each in LOGS]
)
def test_a_hostile_log_does_no_harm(hostile: HostileServer, watch: Watch, key: str) -> None:
    events = hostile.events[key]
    page = watch.visit(address(hostile, key))
    open_all(page)
    assert_shows(page, [events[0].motion], "#motion")  # type: ignore[union-attr]
    assert_unharmed(watch, hostile.calm["end"])
    watch.audit(len(events) - 3)
    open_all(page)
    assert_unharmed(watch, hostile.calm["end"])
    watch.show_debate()
    watch.read_back(len(events) // 2)
    open_all(page)
    assert_unharmed(watch, hostile.calm["back"])
    watch.visit(address(hostile, key, "/embed"))
    open_all(page)
    assert_unharmed(watch, {})


@pytest.mark.parametrize("key", spread(["markup", "unicode", "panel, names"], 1))
def test_an_exported_file_does_no_harm(hostile: HostileServer, watch: Watch, tmp_path: Path, key: str) -> None:
    file = tmp_path / "debate.html"
    file.write_bytes(hostile.server.http.get(f"/api/debates/{hostile.debates[key]}/export.html").content)
    watch.own = file.as_uri()
    watch.page.context.set_offline(True)
    for rest in ("?turn=2", "?view=audit&event=5#e20"):
        page = watch.visit(f"{file.as_uri()}{rest}")
        open_all(page)
        assert_unharmed(watch, {}, is_copy=True)
    watch.show_debate()
    assert_unharmed(watch, {}, is_copy=True)
    assert page.locator("script").count() == len(("theme", "import map", "module", "archive"))


def test_the_moderator_and_the_names_of_models_are_text(hostile: HostileServer, watch: Watch) -> None:
    page = watch.visit(address(hostile, "halted"))
    expect(page.get_by_role("status")).to_have_text("Debate halted")
    expect(page.locator("#notice")).to_be_visible()

    assert_shows(page, [*batches(MARKUP)], "#transcript")
    assert_shows(page, [next(batches(MARKUP))[:500]], "#notice")
    page.evaluate("document.querySelector('#about').open = true")
    assert_shows(page, ["<img src=x onerror=window.__pwned=1>"], "#seats")
    assert_unharmed(watch, hostile.calm["end"])


def test_a_decision_is_text(hostile: HostileServer, watch: Watch) -> None:
    unicode, markup = next(batches(UNICODE, 200)), next(batches(MARKUP, 2000))
    said = {"decision": unicode, "reason": markup, "by": MARKUP["a formula"][:80]}
    hostile.server.http.post(f"/api/debates/{hostile.debates['undecided']}/decision", json=said).raise_for_status()
    page = watch.visit(address(hostile, "undecided"))

    assert_shows(page, [*said.values()], "#panel")
    assert_unharmed(watch, hostile.calm["end"])


def test_the_list_of_debates_shows_motions_as_text(hostile: HostileServer, watch: Watch) -> None:
    page = watch.page
    page.goto(f"{hostile.server.url}/")
    expect(page.locator("a.debate")).to_have_count(len(hostile.debates))
    expect(page.locator("body[data-ready]")).to_be_attached()

    assert_shows(page, [next(iter(MARKUP.values()))], "#debates")
    assert_unharmed(watch, {})


@pytest.mark.parametrize("key", spread(["markup", "exchange, names", "panel, names", "calibration, words"], 2))
def test_the_page_about_the_judge_does_no_harm(hostile: HostileServer, watch: Watch, key: str) -> None:
    watch.visit(f"{hostile.server.url}/judge?debate={hostile.debates[key]}")
    assert_unharmed(watch, {})


@pytest.mark.parametrize("key", spread(["unicode", "bulk", "exchange, names"], 1))
def test_on_paper_nothing_is_cut_off_or_too_wide(hostile: HostileServer, watch: Watch, key: str) -> None:
    page = watch.visit(address(hostile, key))
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    cut = page.locator(".said").evaluate_all("(all) => all.filter((one) => one.scrollHeight > one.clientHeight + 40)")

    assert ([], 700) == (cut, page.evaluate("document.documentElement.scrollWidth"))
    assert_unharmed(watch, {})


@pytest.mark.parametrize("key", spread(["markup", "exchange, names"], 1))
def test_what_if_shows_hostile_rules(hostile: HostileServer, watch: Watch, key: str) -> None:
    page = watch.visit(address(hostile, key))
    page.get_by_text("What if the rules were different?").click()
    page.get_by_text("All the numbers of the rules").click()
    expect(page.locator(".rules-of input").first).to_be_visible()

    assert_unharmed(watch, hostile.calm["end"])


def test_tall_marks_do_not_cover_the_words_beside_them(hostile: HostileServer, watch: Watch) -> None:
    """Elements beside a text with tall marks look as they do beside plain text."""
    page = watch.visit(address(hostile, "bulk"))
    expect_changes(page)
    below = page.locator("[data-turn='1'] .fold")
    before = below.screenshot()
    page.evaluate("for (const each of document.querySelectorAll('.said')) each.style.visibility = 'hidden'")

    assert below.screenshot() == before

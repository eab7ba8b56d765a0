"""Ways to watch that a reader asks for: highlights, reading aloud, notifications."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import play_paused, wheel_until
from tests.laws import spread

pytestmark = pytest.mark.browser

AN_HOUR_MS = 3_600_000
VOICES = """(() => {
  const voices = [["de-DE", "Anna"], ["en-US", "Ada"], ["en-GB", "Bob"]]
    .map(([lang, name]) => ({ lang, name, localService: true }));
  window.said = [];
  window.ends = [];
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  Object.defineProperty(window, "speechSynthesis", { value: Object.assign(new EventTarget(), {
    speaking: false, pending: false,
    getVoices: () => voices,
    speak(one) { window.said.push([one.voice.name, one.rate, one.text]); window.ends.push(one); this.speaking = true; },
    cancel() { window.ends = []; this.speaking = false; },
  }) });
  window.endSentence = () => { speechSynthesis.speaking = false; window.ends.pop()?.onend(); };
})()"""
"""A browser with three voices, whose sentences end when the test says so."""
NO_VOICES = "Object.defineProperty(window, 'speechSynthesis', { value: { getVoices: () => [] } })"
BACKGROUND = """(() => {
  window.told = [];
  window.Notification = class {
    static permission = "default";
    static async requestPermission() { return (Notification.permission = "granted"); }
    constructor(text, { body }) { window.told.push([text, body]); }
  };
  window.isAway = false;
  Object.defineProperty(document, "hidden", { get: () => window.isAway });
})()"""


def visit(page: Page, server: Any, debate: str, rest: str = "") -> None:
    page.goto(f"{server.url}/d/{debate}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


@pytest.mark.parametrize(
    ("name", "says"), spread([("juries", "lost 4 points"), ("transit", "The judge’s assessment")], 1)
)
def test_highlights_show_each_moment_and_end_with_the_verdict_within_a_minute(
    new_page: Any, server: Any, name: str, says: str
) -> None:
    page = new_page(own=True, width=390, height=844)  # its clock is the profile's
    debate = server.exhibit(name)
    head = server.view(debate)["position"]
    page.clock.install(time=0)
    visit(page, server, debate)
    page.clock.pause_at(AN_HOUR_MS)
    page.keyboard.press("h")
    caption = page.locator("#caption")
    expect(caption).to_have_text(re.compile("^1 of"))
    seen = {}
    for second in range(100):
        if not caption.count():
            break
        seen[caption.text_content()] = second, page.locator("#slider").input_value()
        page.clock.run_for(1000)

    assert any(says in (text or "") for text in seen), seen
    assert 30 < second < 90  # a minute, and the time in which the page fetches frames while its clock goes on
    assert str(head) == page.locator("#slider").input_value()
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")
    assert sorted(seen.values(), key=lambda each: int(each[1])) == list(seen.values()), "in the order of the log"


TOPS = "(place) => [place, '#caption'].map((each) => document.querySelector(each).getBoundingClientRect().top)"


def test_highlights_show_the_entry_or_the_verdict_that_the_caption_speaks_of(new_page: Any, server: Any) -> None:
    page = new_page(own=True, width=390, height=844)  # its clock is the profile's
    debate = server.exhibit("cars")
    view = server.view(debate)
    page.clock.install(time=0)
    visit(page, server, debate)
    page.clock.pause_at(AN_HOUR_MS)
    page.keyboard.press("h")
    caption = page.locator("#caption")
    claim, positions = view["claims"]["C2.1"], view["verdicts"]["positions"]
    gap = view["turns"]["2"]["changed"][-1]
    places = [
        (claim["flagged"] + 1, f".entries [data-position='{claim['flagged'] + 1}']", "C2.1"),
        (gap, f".entries [data-position='{gap}']", "lost"),
        (positions["scorecard"], ".verdict.scorecard", "scorecard"),
        (positions["narrative"], ".verdict.narrative", "narrative"),
    ]
    for position, place, says in places:
        for _ in range(60):
            if page.locator("#slider").input_value() == str(position):
                break
            page.clock.run_for(1000)
        expect(caption).to_contain_text(says)
        for _ in range(200):  # short steps: what the page fetches comes in the time of this machine
            page.clock.run_for(10)
            if page.locator(place).and_(page.locator("[data-here]")).count():
                break
        expect(page.locator(place)).to_have_attribute("data-here", "")
        shown, above = page.evaluate(TOPS, place)
        assert 0 < shown < above - 40, position
        if position == gap:
            expect(page.locator("[data-turn='2'] mark.flash").first).to_be_attached()
    caption.get_by_role("button", name="Stop").click()

    expect(caption).not_to_be_attached()


def test_any_act_of_the_reader_ends_the_highlights(new_page: Any, server: Any) -> None:
    page = new_page()
    visit(page, server, server.exhibit("juries"))
    page.locator("#menu > summary").click()
    page.locator("#watch summary").click()
    page.get_by_role("button", name="Play the highlights").click()
    expect(page.locator("#caption")).to_be_visible()
    wheel_until(page, 100, "() => !document.querySelector('#caption')")

    expect(page.get_by_role("status")).to_have_text("Reading back")


def test_speeches_are_read_aloud_in_step_by_a_voice_for_each_side(new_page: Any, server: Any) -> None:
    page = new_page(own=True)
    page.add_init_script(VOICES)
    debate = server.exhibit("juries")
    turns = server.view(debate)["turns"]
    visit(page, server, debate, f"?speed=2#e{turns['1']['started']}")
    page.locator("#menu > summary").click()
    page.locator("#watch summary").click()
    page.get_by_label("Read the speeches aloud").check()
    page.wait_for_function("() => said.length === 1")
    [voice, rate, first] = page.evaluate("said[0]")
    said = page.locator("[data-turn='1'] .said")
    expect(said).to_have_text(first.strip())
    assert (voice, rate) == ("Ada", 2)
    assert turns["1"]["text"].startswith(first)

    page.evaluate("endSentence()")
    page.wait_for_function("() => said.length === 2")
    expect(said).to_have_text((first + page.evaluate("said[1][2]")).strip())
    page.locator("#play").click()  # a pause begins the sentence again
    expect(page.get_by_role("status")).to_have_text("Reading back")
    page.locator("#play").click()
    page.wait_for_function("() => said.length === 3 && said[1][2] === said[2][2]")

    page.evaluate("setInterval(endSentence, 5)")
    page.wait_for_function("() => said.some(([voice]) => voice === 'Bob')")
    whole = page.evaluate("said.filter(([voice], i) => voice === 'Ada' && i !== 1).map(([, , text]) => text).join('')")
    assert turns["1"]["text"] == whole


def test_reading_aloud_is_hidden_where_the_browser_has_no_voice(new_page: Any, server: Any) -> None:
    page = new_page(own=True)
    page.add_init_script(NO_VOICES)
    visit(page, server, server.exhibit("juries"))
    page.locator("#menu > summary").click()
    page.locator("#watch summary").click()
    expect(page.get_by_role("button", name="Play the highlights")).to_be_visible()

    expect(page.get_by_label("Read the speeches aloud")).to_be_hidden()


def test_a_dock_and_the_verdict_are_told_in_the_background_after_the_reader_asked(new_page: Any, server: Any) -> None:
    page = new_page(own=True)  # its clock is the profile's
    page.add_init_script(BACKGROUND)
    debate = server.exhibit("juries")
    events = server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
    gap = next(each for each in events if each["event"]["type"] == "logic_gap_adjusted")
    verdict = server.view(debate)["outcome"]["headline"]
    page.clock.install(time=0)
    visit(page, server, debate, f"?speed=8#e{gap['position'] - 1}")
    page.locator("#menu > summary").click()
    page.locator("#watch summary").click()
    assert page.evaluate("Notification.permission") == "default"
    page.get_by_label("Notify me when an earlier turn loses points, and of the verdict").check()
    page.get_by_label("Notify me when this side has spoken").select_option("▲ Pro")
    page.keyboard.press("Escape")
    title = page.title()
    page.clock.pause_at(AN_HOUR_MS)
    play_paused(page)
    page.evaluate("window.isAway = true")
    for _ in range(200):
        page.clock.run_for(1000)
        if verdict in page.title():
            break
    told = [text for text, _ in page.evaluate("told")]

    assert {"Turn 1 lost 4 points", "Pro has spoken: turn 5"} <= set(told)
    assert verdict == told[-1]
    assert f"● {verdict} · {title}" == page.title()
    page.evaluate("window.isAway = false; document.dispatchEvent(new Event('visibilitychange'))")
    assert title == page.title()


def test_a_change_of_a_turn_in_view_is_folded_until_the_turn_has_left_the_view(new_page: Any, server: Any) -> None:
    page = new_page(own=True, height=3000)  # its clock is the profile's
    debate = server.exhibit("juries")
    gap = next(
        each
        for each in server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
        if each["event"]["type"] == "logic_gap_adjusted"
        and each["event"]["exposed_by"]["turn"] == each["event"]["turn"] + 1  # both are in view
    )
    position, turn = gap["position"], gap["event"]["turn"]
    page.clock.install(time=0)
    page.goto(f"{server.url}/d/{debate}#e{position - 1}")
    article = page.locator(f"article[data-turn='{turn}']")
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.clock.pause_at(AN_HOUR_MS)
    article.evaluate("(turn) => turn.scrollIntoView({ block: 'center' })")
    page.mouse.wheel(0, 20)  # the reader does not follow
    play_paused(page)
    folded = article.locator(".just-now")
    for _ in range(1200):
        if folded.locator(f"[data-position='{position}']").count():
            break
        page.clock.run_for(10)
    expect(folded.locator("summary")).to_have_text(re.compile("[1-9] changes? just now"))
    expect(folded.locator(f"[data-position='{position}']")).to_be_hidden()
    folded.locator("summary").dispatch_event("click")
    expect(folded.locator(f"[data-position='{position}']")).to_be_visible()

    page.set_viewport_size({"width": 1280, "height": 500})
    page.locator("#character").evaluate("(place) => place.scrollIntoView({ block: 'end' })")
    expect(article).not_to_be_in_viewport()
    expect(article.locator(f".body > .entries > [data-position='{position}']")).to_be_attached()
    expect(folded).to_be_hidden()


def test_a_debate_that_is_deleted_while_it_is_watched_says_so(
    new_page: Any, server: Any, scripts: SimpleNamespace
) -> None:
    page = new_page()
    debate = server.open(scripts.silent_in(2), turns=2)
    visit(page, server, debate)
    expect(page.locator("[data-turn='1'] .said")).not_to_be_empty()
    server.http.post(f"/api/debates/{debate}/halt", json={"reason": "it is taken back"}).raise_for_status()
    expect(page.get_by_role("status")).to_have_attribute("data-state", "halted")
    server.http.delete(f"/api/debates/{debate}", params={"reason": "it was a test"}).raise_for_status()

    expect(page.locator("#motion")).to_have_text("This debate has been deleted")
    expect(page.locator("[data-turn='1'] .said")).not_to_be_visible()
    expect(page.locator("#trouble-text")).not_to_contain_text("no such debate")

"""Speech: a server's voice reads in step with the words, the browser's own where it fails; dictation in a seat."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_seat_page import TEXT, opened, seated
from tests.browser.test_watching import NO_VOICES, VOICES, visit
from tests.server.speech_server import wav_of

pytestmark = pytest.mark.browser
SECONDS = 6_000
"""A hundredth of a second each: a turn of a minute."""
SOUNDS = """(() => {
  window.sounds = [];
  const Sound = window.Audio;
  window.Audio = class { constructor() { const one = new Sound(); window.sounds.push(one); return one; } };
})()"""
SHARE = """([turn, length]) => {
  const { currentTime, duration } = sounds[0];
  const shown = [...document.querySelector(`[data-turn='${turn}'] .said`)?.textContent ?? ""].length;
  return Math.abs(shown / length - currentTime / duration) < 0.01 && currentTime > 0;
}"""
RECOGNITION = """(() => {
  window.heard = [];
  window.webkitSpeechRecognition = window.SpeechRecognition = class {
    constructor() { window.heard.push(this); this.acts = []; }
    start() { this.acts.push("start"); }
    stop() { this.acts.push("stop"); }
    abort() { this.acts.push("abort"); }
  };
  window.hear = (...parts) => {
    const results = parts.map(([transcript, isFinal]) => Object.assign([{ transcript }], { isFinal }));
    window.heard.at(-1).onresult({ resultIndex: 0, results });
  };
})()"""
"""A browser that recognises what the test says."""
NO_RECOGNITION = "delete window.webkitSpeechRecognition; delete window.SpeechRecognition;"


def voiced(page: Page, answer: Callable[[Route], None]) -> None:
    """Gives the page a server with a voice, whose sounds are these answers."""
    session = {"role": "operator", "signed_in": False, "voice": "openai:tts-test"}
    page.route("**/api/session", lambda route: route.fulfill(json=session))
    page.route("**/turns/*/speech", answer)


def read_aloud(page: Page) -> Any:
    page.locator("#menu > summary").click()
    page.locator("#watch summary").click()
    box = page.get_by_label("Read the speeches aloud")
    expect(page.get_by_text("Generated voices, by openai:tts-test.")).to_be_visible()
    box.check()
    return box


def test_words_appear_as_they_are_heard(new_page: Any, server: Any) -> None:
    page = new_page(own=True)
    page.add_init_script(SOUNDS + ";" + NO_VOICES)
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url.rsplit("/", 2)[1])
        route.fulfill(body=wav_of("x" * SECONDS), content_type="audio/wav")

    voiced(page, answer)
    debate = server.exhibit("juries")
    turns = server.view(debate)["turns"]
    visit(page, server, debate, f"#e{turns['1']['started']}")
    read_aloud(page)
    first = ["1", len(turns["1"]["text"])]
    page.wait_for_function(SHARE, arg=first)
    page.evaluate("sounds[0].currentTime = 30")
    page.wait_for_function(f"() => sounds[0].currentTime > 30 && ({SHARE})({first})")
    page.locator("#play").click()
    expect(page.get_by_role("status")).to_have_text("Reading back")
    assert page.evaluate("sounds[0].paused")
    page.locator("#play").click()
    page.wait_for_function("() => !sounds[0].paused && sounds[0].currentTime > 30")
    assert ["1", "2"] == asked

    page.evaluate("sounds[0].currentTime = 59.9")
    page.wait_for_function(SHARE, arg=["2", len(turns["2"]["text"])])

    expect(page.locator("[data-turn='1'] .said")).to_have_text(turns["1"]["text"])
    assert "2" not in asked[2:]


def test_a_turn_of_a_live_debate_is_heard_whole_once_it_is_spoken(new_page: Any, server: Any, scripts: Any) -> None:
    debate = opened(server, scripts)
    page = new_page(own=True)
    page.add_init_script(SOUNDS + ";" + NO_VOICES)
    voiced(page, lambda route: route.fulfill(body=wav_of("x" * SECONDS), content_type="audio/wav"))
    visit(page, server, debate)
    read_aloud(page)
    person = seated(server, new_page(own=True), debate)
    person.keyboard.type(TEXT)
    person.get_by_role("button", name="Send").click()
    expect(person.locator("#write-title")).to_have_text("Turn 3 is yours.")  # the debate goes on meanwhile

    page.wait_for_function(SHARE, arg=["1", len(TEXT)])
    expect(page.locator("article.turn")).to_have_count(1)


def fails(route: Route) -> None:
    message = "the server of the voices says: too many requests"
    route.fulfill(status=429, json={"error": {"code": "provider_error", "message": message, "field": None}})


def test_where_the_server_s_voice_fails_the_browser_s_own_reads(new_page: Any, server: Any) -> None:
    page = new_page(own=True)
    page.add_init_script(VOICES)
    voiced(page, fails)
    debate = server.exhibit("juries")
    turns = server.view(debate)["turns"]
    visit(page, server, debate, f"#e{turns['1']['started']}")
    box = read_aloud(page)

    page.wait_for_function("() => said.length === 1")
    assert turns["1"]["text"].startswith(page.evaluate("said[0][2]"))
    says = "The server of the voices says: too many requests. Your browser’s own voice reads this turn."
    expect(page.locator("#toast")).to_have_text(says)
    expect(box).to_be_checked()


def test_without_a_voice_of_its_own_the_browser_stops_reading(new_page: Any, server: Any) -> None:
    page = new_page(own=True)
    page.add_init_script(NO_VOICES)
    voiced(page, fails)
    debate = server.exhibit("juries")
    visit(page, server, debate, f"#e{server.view(debate)['turns']['1']['started']}")
    box = read_aloud(page)

    expect(page.locator("#toast")).to_have_text(re.compile("too many requests. Reading aloud is off."))
    expect(box).not_to_be_checked()


@pytest.mark.parametrize("has_voice", [True, False])
def test_a_recording_is_offered_where_the_server_has_a_voice(new_page: Any, server: Any, has_voice: bool) -> None:
    page = new_page(own=True)
    if has_voice:
        voiced(page, fails)
    debate = server.exhibit("juries")
    visit(page, server, debate)
    page.locator("#menu > summary").click()
    page.locator("#menu").get_by_text("Share, export, embed").click()

    expect(page.get_by_role("link", name="Markdown")).to_be_visible()
    audio = page.get_by_role("link", name="Audio")
    expect(audio).to_have_count(int(has_voice))
    if has_voice:
        assert audio.get_attribute("href") == f"/api/debates/{debate}/export.audio"


def test_a_person_dictates_at_the_cursor_and_is_told_where_the_sound_goes(
    server: Any, scripts: Any, new_page: Any
) -> None:
    page = new_page(own=True)
    page.add_init_script(RECOGNITION)
    seated(server, page, opened(server, scripts))
    dictate = page.get_by_role("button", name="Dictate")
    expect(page.get_by_text("may send the sound to its maker")).to_be_visible()
    page.keyboard.type("Cars are loud. End.")
    page.evaluate("document.querySelector('#text').setSelectionRange(14, 14)")

    dictate.click()
    stop = page.get_by_role("button", name="Stop dictating")
    expect(stop).to_be_visible()
    page.evaluate("hear(['Trams are', false])")
    expect(page.get_by_text("Trams are", exact=True)).to_be_visible()
    page.evaluate("hear([' Trams are not.', true])")
    expect(page.locator("#text")).to_have_value("Cars are loud. Trams are not. End.")
    expect(page.locator("#words")).to_have_text("7 of 40 words")
    stop.click()
    page.evaluate("hear([' Bells ring.', true])")  # the last words come after the end
    expect(page.locator("#text")).to_have_value("Cars are loud. Trams are not. Bells ring. End.")
    dictate.click()
    page.evaluate("heard.at(-1).onerror({ error: 'not-allowed' })")
    page.evaluate("heard.at(-1).onend()")
    expect(page.get_by_text("Dictation stopped: the microphone is not allowed here.")).to_be_visible()
    expect(dictate).to_be_visible()
    dictate.click()
    page.locator("#text").press("Control+Enter")
    expect(page.locator("#write-title")).to_have_text("Turn 3 is yours.")

    acts = [["start", "stop"], ["start"], ["start", "abort"]]
    assert acts == page.evaluate("heard.map(({ acts }) => acts.slice(0, 2))")
    assert "en-US" == page.evaluate("heard[0].lang")


def test_without_recognition_there_is_no_dictation(server: Any, scripts: Any, new_page: Any) -> None:
    page = new_page(own=True)
    page.add_init_script(NO_RECOGNITION)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    seated(server, page, opened(server, scripts))

    expect(page.get_by_role("button", name="Send")).to_be_visible()
    expect(page.get_by_role("button", name="Dictate")).to_have_count(0)
    assert not any("dictation" in url for url in asked)

"""The page of one debate: watching, reading back, replaying."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

import web
from server.feed.frames import HEARTBEAT
from server.feed.hub import HEARTBEAT_S
from tests.browser.conftest import expect_changes, heap, play_paused, wheel_until
from tests.laws import spread

pytestmark = pytest.mark.browser

SCRIPT = 61 * 1024
PACKED_FROM = 1000
SIZES = """() => performance.getEntriesByType("resource").filter(({name}) => name.endsWith(".js"))
  .map(({name, encodedBodySize, decodedBodySize}) => [name, encodedBodySize, decodedBodySize])"""

SPOKEN = "document.querySelector('.speaking .said').textContent.length"
SCORES_WHILE_SPOKEN = """() => document.querySelector("[data-turn='2'] .said[aria-busy]:not(:empty)")
  && { scores: document.querySelectorAll("[data-turn='2'] .scores").length }"""
"""The number of scores of the second turn at a moment at which it is spoken; null while it is not spoken."""
CELLS = """() => [...document.querySelectorAll('#scorecard [data-row]')]
  .map((cell) => [cell.dataset.side, cell.dataset.row, cell.textContent])"""


AN_HOUR_MS = 3_600_000


def status(page: Page) -> Any:
    return page.get_by_role("status")


def visit(page: Page, server: Any, debate: str, rest: str = "") -> None:
    page.goto(f"{server.url}/d/{debate}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def test_everything_comes_from_this_server(page: Page, server: Any, ended: str, watched: Any) -> None:
    visit(page, server, ended)
    expect(page.locator("article.turn")).to_have_count(4)

    assert {urlsplit(server.url).netloc} == {urlsplit(url).netloc for url in watched.requests}


@pytest.mark.parametrize("what", ["/", "/judge", "juries", "transit"])
def test_a_page_loads_at_most_61_kib_of_script_at_first(new_page: Any, server: Any, what: str) -> None:
    """On the wire, compressed: before the reader opens the audit or another part that is fetched on demand."""
    page = new_page(own=True)  # a cache of its own: what is read from a cache has no size
    page.goto(server.url + (what if what.startswith("/") else f"/d/{server.exhibit(what)}"))
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.wait_for_load_state("networkidle")
    sizes: dict[str, int] = {name: size for name, size, _ in page.evaluate(SIZES)}

    assert {"dom.js"} <= {name.rsplit("/", 1)[1] for name in sizes}
    assert 0 < sum(sizes.values()) <= SCRIPT
    assert all(sent < decoded for _, sent, decoded in page.evaluate(SIZES) if decoded > PACKED_FROM), "it is compressed"


def test_text_grows_while_it_is_spoken(page: Page, server: Any, live: Any, scripts: SimpleNamespace) -> None:
    visit(page, server, live(scripts.slow))
    expect(status(page)).to_have_text("Live")
    expect(page.locator(".speaking .said[aria-busy=true]")).not_to_be_empty()

    for _ in range(2):
        page.wait_for_function(f"(before) => {SPOKEN} > before", arg=page.evaluate(SPOKEN))


def test_no_score_stands_there_before_a_turn_is_complete(
    page: Page, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    debate = live(scripts.silent_in(2), turns=2)
    visit(page, server, debate)
    seen = page.wait_for_function(SCORES_WHILE_SPOKEN).json_value()

    assert {"scores": 0} == seen

    server.go_on(debate, scripts.brisk)
    expect(page.locator("[data-turn='2'] .given")).to_be_visible()
    outcome = server.concluded(debate)["outcome"]["headline"]
    expect(page.locator("#announcer")).to_have_text(f"{outcome}.")
    assert page.locator("[aria-live] .said, .said[aria-live]").count() == 0


def test_the_scorecard_is_the_servers(read: Any, server: Any, ended: str) -> None:
    page = read(f"{server.url}/d/{ended}")
    expect(page.locator("#scorecard td[data-row=composite]").first).to_be_visible()
    card = server.view(ended)["scorecard"]
    cells = page.evaluate(CELLS)

    rows = {"logic", "rhetoric", "tactics", "composite", "frame_control", "credibility", "judged_turns", "rounds"}
    assert rows == {row for _, row, _ in cells}
    said = [card["rounds"][side] if row == "rounds" else card[side][row] for side, row, _ in cells]
    assert said == pytest.approx([float(text) for _, _, text in cells], abs=0.051)  # the page shows one decimal
    assert card["leader"] == page.locator("[data-leader]").get_attribute("data-leader")


def test_the_outcome_stands_once_and_the_bar_names_it_out_of_view(read: Any, server: Any, ended: str) -> None:
    page = read(f"{server.url}/d/{ended}")
    outcome = server.view(ended)["outcome"]
    named = page.locator("#lead").get_by_text(outcome["headline"])

    expect(status(page)).to_have_text("Ended")
    expect(page.locator("#outcome")).to_have_text(outcome["text"])
    expect(page.locator("#outcome")).to_be_in_viewport()
    expect(named).to_be_hidden()
    page.locator("#end").scroll_into_view_if_needed()
    expect(named).to_be_visible()


def test_a_score_shows_what_it_rests_on(page: Page, server: Any, scripts: SimpleNamespace, ended: str) -> None:
    visit(page, server, ended)
    turn = page.locator("[data-turn='1']")
    assert f"🚲🚶 {scripts.quoted}" == turn.locator(".said").text_content()
    marked = "".join(turn.locator("mark[data-names*='logic/cause']").all_text_contents())
    turn.get_by_text("why this score").click()
    row = turn.locator(".components li", has_text="process")

    assert marked == "two thousand people an hour by car"
    expect(row).to_contain_text("not found in the turn: at most half the points count")
    expect(row.locator("s")).to_contain_text("7")
    expect(row).to_contain_text("5 of 10")
    expect(turn.locator(".components li", has_text="delivery").locator(".rules")).to_contain_text("framing at 3")
    rhetoric = turn.locator(".scores [data-dimension=rhetoric]")
    score = server.view(ended)["turns"]["1"]["scores"]["rhetoric"]
    assert score["effective"] < score["at_first"] < score["raw"]
    expect(rhetoric.locator("s")).to_contain_text([f"{score[each]:g}" for each in ("raw", "at_first")])
    expect(rhetoric.locator("b")).to_have_text(f"{score['effective']:g}")
    expect(rhetoric.locator(".word")).to_have_text("changed later")
    visit(page, server, ended, f"#e{server.view(ended)['turns']['1']['judged']}")
    expect(rhetoric.locator(".word")).to_have_text("lowered by rule")


def test_failed_attempts_and_missing_scores_are_shown(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    fault = {"text": "I begin, and I break off.", "fault": {"kind": "reset", "after_chars": 8}}
    broken = {"fault": {"kind": "bad_json", "times": 9}}
    script = {"says": {"pro": [fault], "con": ["No."]}, "answers": {"score:1": broken}}
    debate = server.open(script, turns=2)
    server.concluded(debate)
    visit(page, server, debate)
    turn = page.locator("[data-turn='1']")

    expect(turn.locator(".failures")).to_contain_text("Attempt 1 broke off")
    expect(turn.locator(".failures")).to_contain_text("Tried again")
    expect(turn.locator(".scores")).to_contain_text("No score: ")


def test_a_cut_line_resumes_with_nothing_doubled(
    own_page: Page, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    lines: list[str] = []
    frames: list[int] = []
    cut: list[int] = []

    def through(line: WebSocketRoute) -> None:
        lines.append(line.url)
        number = len(lines)
        upstream = line.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            known = msgspec.json.decode(message)
            if number in cut:
                return
            if known["kind"] == "frame":
                if number == 1 and known["event"]["type"] == "turn_spoken":
                    cut.append(number)
                    line.close(code=4408, reason="cut by the test")
                    return
                frames.append(known["position"])
            line.send(message)

        upstream.on_message(pass_on)

    own_page.route_web_socket(re.compile("/ws/"), through)
    debate = live(scripts.silent_in(1), turns=3)
    visit(own_page, server, debate)
    server.go_on(debate, scripts.brisk)
    expect(status(own_page)).to_have_attribute("data-state", "ended")
    view = server.view(debate)

    assert len(lines) == 2
    assert "after=" not in lines[0]
    assert re.search(r"after=\d+$", lines[1])
    assert frames == sorted(set(frames))
    assert [str(number) for number in (1, 2, 3)] == [
        turn.get_attribute("data-turn") for turn in own_page.locator("article.turn").all()
    ]
    assert [view["turns"][n]["text"] for n in "123"] == own_page.locator(".said").all_text_contents()
    expect(own_page.locator("#where")).to_have_text(f"event {view['position']} of {view['position']}")


def test_a_dead_line_is_told_and_another_one_goes_on_without_a_gap(
    new_page: Any, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    """The browser keeps its socket; nothing comes through it.  The second line is dead from the start."""
    page = new_page(own=True)
    addresses: list[str] = []
    is_dead: list[bool] = []

    def through(line: WebSocketRoute) -> None:
        addresses.append(line.url)
        line.connect_to_server().on_message(lambda message: None if is_dead else line.send(message))

    page.route_web_socket(re.compile("/ws/"), through)
    page.clock.install()
    debate = live(scripts.silent_in(1), turns=3)
    visit(page, server, debate)
    expect(status(page)).to_have_text("Live")
    is_dead.append(True)
    server.go_on(debate, scripts.silent_in(3))
    page.clock.fast_forward(5_000)
    expect(status(page)).to_have_text("Live")  # two heartbeats are five seconds apart

    page.clock.fast_forward(7_500)
    expect(status(page)).to_have_text("No word for 12 s, trying again…")
    page.clock.run_for(1_000)
    assert len(addresses) == 2
    expect(page.locator("article.turn")).to_have_count(1)
    is_dead.clear()
    page.clock.fast_forward(61_000)  # the second line may have opened: then it has a minute
    expect(status(page)).to_have_text("Live")
    server.go_on(debate, scripts.brisk)
    expect(status(page)).to_have_attribute("data-state", "ended")
    view = server.view(debate)

    assert all(re.search(r"after=\d+$", each) for each in addresses[1:])
    assert [view["turns"][n]["text"] for n in "123"] == page.locator(".said").all_text_contents()
    expect(page.locator("#where")).to_have_text(f"event {view['position']} of {view['position']}")


def test_a_page_at_rest_for_ten_minutes_holds_no_more(
    new_page: Any, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    """Time is the test's, and so are the heartbeats: one every five seconds."""
    page, lines = new_page(own=True), list[WebSocketRoute]()

    def through(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    def rest(beats: int) -> int:
        for _ in range(beats):
            lines[-1].send(HEARTBEAT)
            page.clock.run_for(int(HEARTBEAT_S * 1000))
        return heap(page)

    page.route_web_socket(re.compile("/ws/"), through)
    page.clock.install()
    visit(page, server, live(scripts.silent_in(1)))
    expect(status(page)).to_have_text("Live")
    before = rest(24)  # what a first look compiles and draws is held by then
    after = rest(120)

    expect(status(page)).to_have_text("Live")
    assert len(lines) == 1
    assert after < before + 20_000, (before, after)


def test_without_a_network_the_page_says_so_at_once_and_is_live_again_with_it(
    own_page: Page, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    own_page.set_viewport_size({"width": 390, "height": 844})
    visit(own_page, server, live(scripts.silent_in(1)))
    expect(status(own_page)).to_have_text("Live")
    own_page.evaluate("scrollTo(0, 300)")
    own_page.context.set_offline(True)
    expect(status(own_page)).to_have_text("Offline, waiting for the network…")
    expect(status(own_page)).to_be_in_viewport(ratio=1)
    own_page.context.set_offline(False)

    expect(status(own_page)).to_have_text("Live")


def test_the_page_reconnects_to_a_restarted_server(new_page: Any, own_server: Any, scripts: SimpleNamespace) -> None:
    page = new_page()
    visit(page, own_server, own_server.open(scripts.silent_in(1)))
    expect(status(page)).to_have_attribute("data-state", "live")
    own_server.stop()
    expect(status(page)).to_have_attribute("data-state", "reconnecting")
    own_server.start()

    expect(status(page)).to_have_attribute("data-state", "live", timeout=30_000)
    expect(page.locator("article.turn").first).to_be_visible()


def test_reading_back_is_not_interrupted(page: Page, server: Any, live: Any, scripts: SimpleNamespace) -> None:
    debate = live(scripts.silent_in(3), turns=6)
    visit(page, server, debate)
    expect(page.locator("article.turn").nth(2)).to_be_attached()
    page.keyboard.press("Shift+ArrowLeft")
    expect(status(page)).to_have_text("Reading back")
    before = page.locator("#slider").input_value()
    words = page.locator("#transcript").text_content()
    server.go_on(debate, scripts.silent_in(5))
    expect(page.locator("#back")).to_have_text(re.compile(r"\d turns? behind · catch up"))

    assert before == page.locator("#slider").input_value()
    assert words == page.locator("#transcript").text_content()
    expect(page).to_have_url(re.compile(f"#e{before}$"))

    page.locator("#back").click()
    expect(page.locator("#back")).to_be_hidden()
    expect(status(page)).to_have_attribute("data-state", "live")


def test_a_reader_who_scrolled_up_stays_there(new_page: Any, server: Any, live: Any, scripts: SimpleNamespace) -> None:
    page = new_page(height=500)
    debate = live(scripts.silent_in(3), turns=6)
    visit(page, server, debate)
    expect(page.locator("article.turn")).to_have_count(3)
    wheel_until(page, -10_000, "() => scrollY === 0")
    server.go_on(debate, scripts.silent_in(5))
    expect(page.locator("[data-turn='5'] .said[aria-busy]")).not_to_be_empty()

    assert page.evaluate("scrollY") == 0


def test_a_reader_at_the_end_follows_new_text(new_page: Any, server: Any, live: Any, scripts: SimpleNamespace) -> None:
    page = new_page(height=500)
    debate = live(scripts.silent_in(2), turns=6)
    visit(page, server, debate)
    page.locator("#end").evaluate("(end) => end.scrollIntoView({block: 'end'})")
    expect(page.locator("[data-turn='4'] .said")).not_to_be_attached()
    server.go_on(debate, scripts.silent_in(4))

    expect(page.locator("[data-turn='4'] .said[aria-busy]")).not_to_be_empty()
    expect(page.locator("[data-turn='4'] .said")).to_be_in_viewport()


def test_an_earlier_position_tells_nothing_of_later_ones(page: Page, server: Any, ended: str) -> None:
    spoken = server.view(ended)["turns"]["2"]["spoken"]
    visit(page, server, ended, f"#e{spoken}")
    expect(page.locator("article.turn")).to_have_count(2)

    assert page.locator(".scores").count() == 1
    assert "wins" not in (page.locator("body").text_content() or "")
    expect(status(page)).to_have_text("Reading back")
    expect(page.locator("#where")).to_contain_text(f"event {spoken} of ")


def test_a_link_to_an_event_opens_there(new_page: Any, server: Any, ended: str) -> None:
    page = new_page(width=360, height=500)
    visit(page, server, ended, f"#e{server.view(ended)['turns']['3']['judged']}")

    expect(page.locator("[data-turn='3'] .given")).to_be_in_viewport()


def test_keys_move_the_cursor(page: Page, server: Any, ended: str) -> None:
    visit(page, server, ended)
    view = server.view(ended)
    head, turns = view["position"], view["turns"]
    where = page.locator("#slider")
    for key, position in (
        ("ArrowLeft", head - 1),
        ("k", head - 2),
        ("ArrowRight", head - 1),
        ("j", head),
        ("Home", 1),
        ("ArrowLeft", 1),
        ("Shift+ArrowRight", turns["1"]["judged"]),
        ("Shift+ArrowRight", turns["2"]["judged"]),
        ("Shift+ArrowLeft", turns["1"]["judged"]),
        ("End", head),
        ("Home", 1),
        ("l", head),
    ):
        page.keyboard.press(key)
        expect(where).to_have_value(str(position))


def test_space_plays_from_the_start_and_brackets_set_the_pace(page: Page, server: Any, ended: str) -> None:
    visit(page, server, ended)
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(page.locator("#speed")).to_have_value("8")
    page.keyboard.press("[")
    page.keyboard.press("Space")
    expect(status(page)).to_have_text("Replaying at 4×")
    page.keyboard.press("]")
    page.keyboard.press("]")

    expect(status(page)).to_have_attribute("data-state", "ended")
    expect(page).to_have_url(re.compile(r"\?speed=8$"))


def test_a_replay_keeps_the_recorded_pace(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page(own=True)  # its clock is the profile's
    debate = server.open({**scripts.brisk, "pace": {"chunk_ms": 20, "chunk_chars": 10}}, turns=1)
    view = server.concluded(debate)
    page.clock.install(time=0)
    visit(page, server, debate, "?speed=4#e2")
    expect(page.locator("#slider")).to_have_value("2")
    page.keyboard.press("?")
    page.get_by_label("Replays run at the recorded pace").check()
    page.keyboard.press("Escape")
    page.clock.pause_at(AN_HOUR_MS)
    play_paused(page)
    page.clock.run_for(150)
    early = len(page.locator(".speaking .said").text_content() or "")
    page.clock.run_for(100)
    late = len(page.locator(".speaking .said").text_content() or "")

    assert 0 < early < late < len(view["turns"]["1"]["text"])


def test_keys_can_be_switched_off(page: Page, server: Any, ended: str) -> None:
    visit(page, server, ended)
    page.keyboard.press("?")
    page.get_by_label("Use single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.reload()
    expect(page.locator("body[data-ready]")).to_be_attached()
    head = str(server.view(ended)["position"])
    expect(page.locator("#slider")).to_have_value(head)
    page.keyboard.press("k")
    page.keyboard.press("?")

    expect(page.locator("#help")).to_be_hidden()
    assert page.locator("#slider").input_value() == head


def test_keys_with_a_modifier_are_the_browsers(page: Page, server: Any, ended: str) -> None:
    visit(page, server, ended)
    head = str(server.view(ended)["position"])
    expect(page.locator("#slider")).to_have_value(head)
    page.keyboard.press("Control+k")
    page.keyboard.press("Alt+j")

    assert page.locator("#slider").input_value() == head


def test_back_undoes_a_jump(page: Page, server: Any, ended: str) -> None:
    visit(page, server, ended)
    page.locator("[data-turn='2'] .who a").click()
    judged = server.view(ended)["turns"]["2"]["judged"]
    expect(page).to_have_url(re.compile(f"#e{judged}$"))
    page.go_back()

    expect(status(page)).to_have_attribute("data-state", "ended")
    page.go_forward()
    expect(page.locator("#slider")).to_have_value(str(judged))


def test_the_moderator_pauses_resumes_and_halts(page: Page, server: Any, live: Any, scripts: SimpleNamespace) -> None:
    debate = live(scripts.silent_in(1))
    visit(page, server, debate)
    expect(page.locator(".said[aria-busy]")).to_contain_text("Sentence")  # the layout above the button is complete now
    page.get_by_role("button", name="Pause the debate").focus()  # the page no longer scrolls to the newest words
    page.get_by_role("button", name="Pause the debate").click()
    expect(status(page)).to_have_text("Debate paused")
    expect(page.locator("#notice")).to_contain_text("The debate is paused for everyone.")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause my view")
    page.get_by_role("button", name="Resume the debate").click()
    expect(status(page)).to_have_text("Live")
    page.get_by_role("button", name="Halt the debate…").click()
    page.get_by_label("Reason, for the record").fill("enough said")
    page.get_by_role("button", name="Halt it").click()

    expect(status(page)).to_have_text("Debate halted")
    expect(page.locator("#notice")).to_contain_text("enough said")
    assert server.view(debate)["state"] == "halted"


def test_the_acts_of_operators_stand_near_the_top_wherever_they_read(
    new_page: Any, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    page = new_page(width=390, height=844)
    debate = live(scripts.silent_in(2))
    visit(page, server, debate)
    expect(page.locator("[data-turn='2'] .said[aria-busy]")).not_to_be_empty()
    visit(page, server, debate, "?back#e2")
    expect(status(page)).to_have_text("Reading back")
    pause = page.get_by_role("button", name="Pause the debate")
    page.evaluate("scrollTo(0, 0)")
    page.get_by_text("Control the debate for everyone").click()
    expect(pause).to_be_in_viewport()
    pause.click()

    expect(page.get_by_role("button", name="Resume the debate")).to_be_in_viewport()
    assert server.view(debate)["state"] == "paused"
    expect(page.locator("#notice")).to_be_hidden()  # at the event that is shown the debate went on


def test_the_page_says_how_many_of_the_judges_questions_are_answered(
    page: Page, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    silence = {"fault": {"kind": "timeout", "after_ms": 600_000}}
    debate = live({**scripts.brisk, "answers": {"score:1": silence}})
    visit(page, server, debate)

    expect(page.locator("[data-turn='1'] .doing")).to_have_text(
        "The judge is reading this turn: 2 of 3 questions answered"
    )


def test_an_unknown_debate_is_reported(new_page: Any, server: Any) -> None:
    page = new_page()
    page.goto(f"{server.url}/d/00000000-0000-7000-8000-000000000000")

    expect(page.get_by_role("alert").filter(has_text="There is no such debate")).to_be_visible()


def test_caveats_are_seen(read: Any, server: Any, ended: str) -> None:
    page = read(f"{server.url}/d/{ended}")

    expect(page.locator(".caveat")).to_contain_text("made for a test")


def test_nothing_scrolls_sideways_at_320(new_page: Any, server: Any, ended: str) -> None:
    page = new_page(width=320, height=640)
    for path in ("/", f"/d/{ended}", f"/d/{ended}?again#e7"):
        page.goto(server.url + path)
        expect(page.locator("body[data-ready]")).to_be_attached()
        if "#" in path:
            expect(page.locator("#slider")).to_have_value("7")
        for summary in page.locator("main summary:visible:not(#about *)").all():
            summary.click()
        for menu in page.locator(":is(#about, #menu) > summary").all():
            menu.click()
            assert page.evaluate("document.documentElement.scrollWidth") == 320, path
            page.keyboard.press("Escape")

        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") == 320, (path, scheme)


def test_the_theme_is_the_systems_until_chosen(new_page: Any, server: Any) -> None:
    page = new_page(scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    page.goto(server.url)
    assert page.evaluate(paper) == "rgb(22, 21, 19)"
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Theme: system").click()
    page.reload()

    assert page.evaluate(paper) == "rgb(250, 248, 244)"


# The head, and the tabs of small screens

SMALL_TARGETS = """() => [...document.querySelectorAll("button, select, summary, [type=range], .views *")]
  .filter((one) => one.checkVisibility() && one.matches("button, select, summary, [type=range]"))
  .map((one) => [one.id || one.textContent.trim().slice(0, 30), one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44)
  .map(([name, { width, height }]) => `${name}: ${width} x ${height}`)"""


# Motion, state and menu stand in one row.
HEAD_IN_ONE_LINE = """() => {
  const boxes = ["#short", "#status", "#menu > summary"].map((place) =>
    document.querySelector(place).getBoundingClientRect());
  const middles = boxes.map(({ top, height }) => top + height / 2);
  const shown = boxes.every(({ width, height }) => width > 0 && height > 0);
  const record = document.querySelector("#record").getBoundingClientRect();
  const inLine = Math.max(...middles) - Math.min(...middles) < 12;
  return shown && inLine && record.height > 0 && boxes[0].bottom < 53;
}"""


def test_the_head_is_one_line_and_a_chip_opens_the_rest(page: Page, server: Any) -> None:
    visit(page, server, server.exhibit("juries"))
    page.wait_for_function(HEAD_IN_ONE_LINE)
    expect(page.locator("#short")).to_be_visible()
    expect(page.locator("#seats")).to_be_hidden()
    page.get_by_text("About · 1 note").click()
    expect(page.locator("#seats")).to_contain_text("scripted:")
    expect(page.locator("#caveats")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#seats")).to_be_hidden()
    wheel_until(page, 2000, "() => scrollY > 1000")
    expect(page.locator("#short")).to_be_visible()


def test_tabs_show_the_debate_the_score_the_vote_and_the_log_on_a_phone(
    new_page: Any, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    page = new_page(width=390, height=844)
    debate = live(scripts.silent_in(2), turns=4)
    visit(page, server, debate)
    parts = {"debate": "#transcript", "score": "#scorecard", "vote": "#audience", "audit": "#audit"}
    for name, place in (*parts.items(), ("debate", "#transcript")):
        tab = page.locator(f"[data-view-button={name}]")
        if tab.is_hidden() and name != "debate":
            page.locator("#menu > summary").click()
        if tab.is_visible():
            tab.click()
        expect(tab).to_have_attribute("aria-pressed", "true")
        for other in parts.values():
            expect(page.locator(other)).to_be_visible(visible=other == place)
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 844})
            share = page.locator("#menu > summary").bounding_box() or {"x": 999, "width": 0}
            assert share["x"] + share["width"] <= width, name
            assert page.evaluate("document.documentElement.scrollWidth") == width, name
    page.locator("#bar").click()
    page.reload()
    expect(page.locator("#scorecard")).to_be_visible()
    page.locator("#bar").click()

    expect(page.locator("[data-turn='1']")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator("#scorecard")).to_be_visible()
    expect(page.locator("[data-view-button=score]")).to_be_hidden()


def test_a_tab_is_found_again_where_it_was_left(new_page: Any, server: Any) -> None:
    page = new_page(width=390, height=844)
    visit(page, server, server.exhibit("juries"))
    expect_changes(page)  # after this, the page replaces no turn
    left = page.evaluate("""() => {
      scrollTo(0, 900);
      document.querySelector("[data-view-button=score]").click();  // Playwright would scroll to the button
      return scrollY;
    }""")
    expect(page.locator("#scorecard")).to_be_in_viewport()
    page.locator("[data-view-button=debate]").evaluate("(button) => button.click()")

    assert left == 900
    page.wait_for_function("() => scrollY === 900")


@pytest.mark.parametrize("view", ["", "?view=score", "?view=audit"])
def test_targets_on_a_phone_are_large_enough_for_a_finger(new_page: Any, server: Any, view: str) -> None:
    page = new_page(width=390, height=844)
    visit(page, server, server.exhibit("juries"), view)
    page.locator("#menu > summary").click()

    assert page.evaluate(SMALL_TARGETS) == []


# Text and colours

SENTENCES = """() => {
  const captions = ["figcaption", ".label", "thead", "pre", "code", ".digest", "textarea", ".status-line", "#foot"];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const small = [];
  while (walker.nextNode()) {
    const { data, parentElement: around } = walker.currentNode;
    if (data.trim().length < 30 || !around.checkVisibility() || around.closest(captions.join())) continue;
    const size = parseFloat(getComputedStyle(around).fontSize);
    if (size < 15) small.push([size, data.trim().slice(0, 50)]);
  }
  return small;
}"""
UNDERLINED = """(mark) => getComputedStyle(mark).textDecorationLine === "underline" """


@pytest.mark.parametrize(
    "what", spread(["juries", "transit", "monolith", "juries?turn=3", "juries?view=audit&event=64"], 2)
)
def test_sentences_are_large_enough_to_read(read: Any, server: Any, what: str) -> None:
    name, _, rest = what.partition("?")
    page = read(f"{server.url}/d/{server.exhibit(name)}?{rest}")
    if name == "juries" and "audit" not in rest:
        expect_changes(page)

    assert page.evaluate(SENTENCES) == []


def test_only_what_is_suspect_or_exposed_is_underlined_until_the_reader_asks(page: Page, server: Any) -> None:
    visit(page, server, server.exhibit("juries"))
    expect_changes(page)
    turn = page.locator("[data-turn='3']")
    plain = turn.locator(".said mark:not(.claimed, .gap, .entry)").first
    page.mouse.move(0, 0)
    assert turn.locator("mark.claimed").first.evaluate(UNDERLINED)
    assert turn.locator("mark.gap").first.evaluate(UNDERLINED)
    assert not plain.evaluate(UNDERLINED)

    turn.hover()
    assert plain.evaluate(UNDERLINED)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1])
def test_sides_penalties_live_links_and_errors_have_colours_of_their_own(theme: int) -> None:
    """WCAG 1.4.3: at least 4.5 to 1 on both papers, in the light and in the dark theme."""
    style = (Path(web.__file__).parent / "parts" / "style.css").read_text(encoding="utf-8")
    tokens = {name: values[theme] for name, *values in re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", style)}
    names = ("pro", "con", "dock", "live", "link", "error")

    assert len({tokens[name] for name in names}) == len(names)
    for name in (*names, "ink", "soft"):
        for paper in ("paper", "raised"):
            dark, light = sorted((luminance(tokens[name]), luminance(tokens[paper])))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (name, paper)


def test_paper_has_the_scorecard_and_the_graph_and_nothing_to_press(page: Page, server: Any) -> None:
    visit(page, server, server.exhibit("juries"))
    expect(page.locator("#ending .pin")).to_have_count(3)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 720, "height": 1000})
    pressed = page.locator("button, select, input, textarea, summary").evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 60))"
    )

    assert pressed == []
    for place in (
        "#motion",
        "#caveats",
        "#scorecard .pairs",
        "#ending .curve",
        "[data-turn='6'] .said",
        ".verdict.narrative",
    ):
        expect(page.locator(place)).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") == 720
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    expect(page.locator("#seats")).to_be_hidden()


def test_the_head_of_a_phone_cuts_nothing_off_and_its_menu_files(new_page: Any, server: Any) -> None:
    page = new_page(width=390, height=844)
    page.goto(f"{server.url}/d/{server.exhibit('juries')}#e60")
    expect(page.locator("#lead a")).to_be_visible()
    for part in ("#lead", "#status"):
        widths = page.evaluate(
            "name => ['scrollWidth', 'clientWidth'].map(of => document.querySelector(name)[of])", part
        )
        assert widths[0] <= widths[1], part
    page.locator("#menu > summary").click()
    expect(page.get_by_role("link", name="How the judge works")).to_be_visible()
    page.locator("#filing > summary").click()

    expect(page.get_by_label("Title, shown in place of the motion in lists")).to_be_visible()


def test_the_acts_of_operators_are_folded_in_an_exhibition(new_page: Any, own_server: Any) -> None:
    debate = own_server.http.post("/api/debates", json={"exhibition": "juries"}).json()["id"]
    page = new_page(own=True)
    page.goto(f"{own_server.url}/d/{debate}")
    expect(page.locator("#moderator summary")).to_be_visible()
    expect(page.locator("#pause")).to_be_hidden()
    own_server.halt(debate)

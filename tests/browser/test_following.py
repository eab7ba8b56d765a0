"""Following a debate: the newest words stay in view, links show their target, and a key takes the reader back."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from events.text.figures import rounded, sure
from tests.browser.conftest import expect_changes, play_paused, wheel_until
from tests.browser.test_search_page import WHEEL
from tests.laws import spread

pytestmark = pytest.mark.browser

AN_HOUR_MS = 3_600_000
NAME_AT = 0.9
"""Rubric v3 names the side that is ahead if it is at least this sure."""
LINE_IN_VIEW = """() => {
  const said = document.querySelector(".speaking .said");
  if (!said?.textContent) return false;
  const {bottom} = said.getBoundingClientRect();
  const [from, to] = ["#top", "#foot"].map((one) => document.querySelector(one).getBoundingClientRect());
  return bottom > from.bottom && bottom <= to.top;
}"""
"""Whether the last spoken line stands between the head and the foot of the page."""
READ_IN_VIEW = """() => {
  const here = document.querySelector("[data-here]");
  if (!here) return ["", true];
  const {top} = here.getBoundingClientRect();
  const [from, to] = ["#top", "#foot"].map((one) => document.querySelector(one).getBoundingClientRect());
  return [here.id, top >= from.bottom - 1 && top < to.top - 40];
}"""
"""The part of a statement that is being read, and whether its first lines stand in view."""
TOP = "(element) => element.getBoundingClientRect().top"
BOX = """(before) => {
  const box = document.createElement("div");
  box.style.height = "2000px";
  document.querySelector(before).before(box);
}"""

# Notices of docks cover no words.
NOTICES_IN_FOOT = """() => {
  const foot = document.querySelector("#foot").getBoundingClientRect();
  const notices = [...document.querySelectorAll("#docks .dock")].map((each) => each.getBoundingClientRect());
  return notices.length > 0 && notices.every(({ top, bottom }) => top >= foot.top && bottom <= foot.bottom);
}"""

SPEAKER_IN_VIEW = """() => {
  const [from, to] = ["#top", "#foot"].map((each) => document.querySelector(each).getBoundingClientRect());
  const seen = [...document.querySelectorAll("article.turn")].map((turn) => turn.getBoundingClientRect());
  const at = seen.findIndex(({ top, bottom }) => top < (from.bottom + to.top) / 2 && bottom > from.bottom + 60);
  if (at < 0) return false;
  const who = document.querySelectorAll("article.turn > .gutter")[at].getBoundingClientRect();
  return who.top >= from.bottom - 1 && who.bottom <= to.top;
}"""


def visit(page: Page, server: Any, debate: str, rest: str = "") -> None:
    page.goto(f"{server.url}/d/{debate}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


@pytest.mark.parametrize("before", spread(["#record", "#end"], 1))
def test_boxes_that_grow_do_not_end_following(
    new_page: Any, server: Any, live: Any, scripts: SimpleNamespace, before: str
) -> None:
    page = new_page(height=500)
    debate = live(scripts.silent_in(2), turns=6)
    visit(page, server, debate)
    expect(page.locator("[data-turn='2'] .said[aria-busy]")).not_to_be_empty()
    page.evaluate(BOX, before)
    server.go_on(debate, scripts.silent_in(4))
    expect(page.locator("[data-turn='4'] .said[aria-busy]")).not_to_be_empty()

    page.wait_for_function(LINE_IN_VIEW)


def test_only_the_readers_scrolling_ends_following_and_a_key_or_a_button_takes_it_up_again(
    new_page: Any, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    page = new_page(height=500)
    debate = live(scripts.silent_in(3), turns=8)
    visit(page, server, debate)
    page.wait_for_function(LINE_IN_VIEW)
    page.evaluate(WHEEL, -10_000)
    page.wait_for_function("() => scrollY === 0")
    back = page.locator("#catch-up")
    expect(back).to_be_visible()
    server.go_on(debate, scripts.silent_in(5))
    expect(page.locator("[data-turn='5'] .said[aria-busy]")).not_to_be_empty()

    expect(back).to_have_text(re.compile(r"\d turns? behind · catch up"))
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("f")
    page.wait_for_function(LINE_IN_VIEW)
    expect(back).to_be_hidden()
    page.evaluate("() => { window.rest = new Promise((rest) => addEventListener('scrollend', rest, { once: true })); }")
    page.keyboard.press("PageUp")
    page.evaluate("() => rest.then(() => null)")
    back.click()
    page.wait_for_function(LINE_IN_VIEW)


def test_a_replay_keeps_the_spoken_line_in_view(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page(own=True, height=500)  # its clock is the profile's
    debate = server.open({**scripts.slow, "pace": {"chunk_ms": 20, "chunk_chars": 40}}, turns=1)
    server.concluded(debate)
    page.clock.install(time=0)
    visit(page, server, debate, "?speed=8#e2")
    expect(page.locator("#slider")).to_have_value("2")
    page.clock.pause_at(AN_HOUR_MS)
    play_paused(page)
    for _ in range(500):
        page.clock.run_for(100)
        if len(page.locator("[data-turn='1'] .said").text_content() or "") > 1000:
            break
    else:
        pytest.fail("a thousand characters were not spoken")

    for _ in range(50):  # the browser lays the page out in real time, and the next words follow what it did
        if page.evaluate(LINE_IN_VIEW):
            return
        page.clock.run_for(20)
    pytest.fail("the spoken line is not in view")


def test_an_exhibition_is_read_at_reading_speed_while_it_runs_ahead(new_page: Any, server: Any) -> None:
    """The server is done with a turn long before a reader; at once means: as the debate comes."""
    debate = server.http.post("/api/debates", json={"exhibition": "juries"}).json()["id"]
    page = new_page(width=390, height=844)
    visit(page, server, debate)
    expect(page.get_by_role("status")).to_have_text("Playing at reading speed")
    expect(page.locator("#back")).to_have_text("1 turn behind · catch up")

    page.wait_for_function(LINE_IN_VIEW)
    assert page.locator("article.turn").count() == 1

    page.locator("#speed").select_option("At once")
    expect(page.get_by_role("status")).to_have_text("Live")
    expect(page.locator("#speed")).to_have_value("all")
    page.keyboard.press("[")
    expect(page.get_by_role("status")).to_have_text("Playing at reading speed")
    server.halt(debate)


def test_a_replay_of_a_protocol_keeps_what_is_read_in_view(new_page: Any, server: Any) -> None:
    page = new_page(own=True, width=390, height=700)  # its clock is the profile's
    debate = server.exhibit("transit")
    page.clock.install(time=0)
    visit(page, server, debate, "?speed=8#e2")
    expect(page.locator("#slider")).to_have_value("2")
    page.clock.pause_at(AN_HOUR_MS)
    play_paused(page)
    seen = []
    while len(seen) < 150 and "closing-pro" not in {place for place, _ in seen}:
        page.clock.run_for(500)
        seen.append(page.evaluate(READ_IN_VIEW))

    assert {"PRO-1", "PRO-3", "CON-1-cross", "PRO-1-reply", "closing-pro"} <= {place for place, _ in seen}
    assert [] == [place for place, is_seen in seen if not is_seen]


def test_a_dock_of_an_earlier_turn_is_told_when_it_comes_and_leads_to_its_place(new_page: Any, server: Any) -> None:
    debate = server.exhibit("juries")
    events = server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
    gap = next(each for each in events if each["event"]["type"] == "logic_gap_adjusted")
    page = new_page(width=390, height=844)
    visit(page, server, debate, f"?speed=8#e{gap['position'] - 3}")
    assert page.locator("#docks .dock").count() == 0  # joining in the middle tells of nothing that was before
    page.locator("#play").click()
    notice = page.locator("#docks .dock[data-turn='1']")
    expect(notice).to_contain_text("Turn 1 lost 4 points")
    expect(notice.locator("q")).to_have_text([gap["event"]["fails"]["quote"], gap["event"]["exposed_by"]["quote"]])
    page.wait_for_function(NOTICES_IN_FOOT)
    for turn in (1, 4):
        expect(page.locator(f"[data-turn='{turn}'] mark.flash").first).to_be_attached()
    notice.get_by_role("button").click()

    expect(page.get_by_role("status")).to_have_text("Reading back")
    expect(page.locator(f".entries [data-position='{gap['position']}']")).to_be_in_viewport()
    assert page.locator("#docks [data-turn='4']").count() == 0  # the newest turn has just been scored


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.thorough)])
def test_the_speaker_is_in_view_at_a_linked_change_of_a_score_on_a_phone(
    new_page: Any, server: Any, every: int
) -> None:
    debate = server.exhibit("juries")
    events = server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
    page = new_page(width=390, height=844)
    for event in [each for each in events if each["event"].get("applied")][::every]:
        visit(page, server, debate, f"?at={event['position']}#e{event['position']}")
        expect(page.locator("#slider")).to_have_value(str(event["position"]))
        page.wait_for_function(SPEAKER_IN_VIEW)


def test_a_dock_is_told_live_and_not_to_those_who_join_later(new_page: Any, server: Any) -> None:
    page = new_page(height=700)
    debate = server.exhibition("juries", {"chunk_ms": 10, "chunk_chars": 60, "answer_ms": 300})
    visit(page, server, debate)
    expect(page.locator("#docks .dock[data-turn='1'] q")).to_have_count(2)
    expect(page.locator("[data-turn='1'] mark.flash").first).to_be_attached()
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")
    visit(page, server, debate, "?again")
    expect(page.locator("#summary")).to_be_visible()

    assert page.locator("#docks .dock").count() == 0


def test_a_protocol_debate_is_followed_to_its_end(new_page: Any, server: Any) -> None:
    page = new_page(height=700)
    visit(page, server, server.exhibition("transit", {"chunk_ms": 20, "chunk_chars": 60, "answer_ms": 400}))
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")

    page.wait_for_function("() => scrollY > 0")
    expect(page.locator("#panel, #briefing, #closings").filter(visible=True).first).to_be_visible()


def test_a_link_to_an_event_of_the_audit_shows_it(new_page: Any, server: Any) -> None:
    page = new_page(height=500)
    visit(page, server, server.exhibit("juries"), "?view=audit&event=64")
    row = page.locator(".log [data-position='64']")

    expect(row.get_by_role("button", expanded=True)).to_be_in_viewport()


def test_a_link_to_a_change_of_a_score_marks_its_entry(new_page: Any, server: Any) -> None:
    debate = server.exhibit("juries")
    events = server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
    gap = next(each for each in events if each["event"]["type"] == "logic_gap_adjusted")
    page = new_page(height=500)
    visit(page, server, debate, f"#e{gap['position']}")
    marked = page.locator("[data-here]")

    expect(marked).to_have_attribute("data-position", str(gap["position"]))
    expect(marked).to_be_in_viewport()


def test_b_explains_the_turn_that_is_read(new_page: Any, server: Any) -> None:
    page = new_page(height=600)
    visit(page, server, server.exhibit("juries"))
    expect_changes(page)  # after that no turn changes its height
    turn = page.locator("[data-turn='2']")
    near = f"() => Math.abs(({TOP})(document.querySelector(\"[data-turn='2']\")) - 150) < 50"
    wheel_until(page, lambda: turn.evaluate(TOP) - 150, near)
    page.keyboard.press("b")

    expect(page).to_have_url(re.compile(r"turn=2$"))


@pytest.mark.parametrize(("button", "copied"), [("#copy", ""), ("#copy-here", "#e3")])
def test_copy_link_copies_the_debate_and_another_button_the_moment(
    new_page: Any, server: Any, ended: str, button: str, copied: str
) -> None:
    page = new_page(own=True)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page, server, ended, "?speed=2#e3")
    expect(page.locator("#slider")).to_have_value("3")
    if button == "#copy":
        page.locator("#menu > summary").click()
    page.locator(button).click()
    expect(page.locator("#toast")).to_contain_text("Link copied")

    assert f"{server.url}/d/{ended}{copied}" == page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize(("name", "copied"), [("Copy link to the debate", ""), ("Copy link to this moment", "#e3")])
def test_the_share_menu_copies_the_debate_or_the_moment(
    new_page: Any, server: Any, ended: str, name: str, copied: str
) -> None:
    page = new_page(own=True)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page, server, ended, "?speed=2#e3")
    expect(page.locator("#slider")).to_have_value("3")
    page.locator("#menu > summary").click()
    page.locator(".menu > summary").click()
    page.get_by_role("button", name=name).click()
    expect(page.locator("#toast")).to_contain_text("Link copied")

    assert f"{server.url}/d/{ended}{copied}" == page.evaluate("navigator.clipboard.readText()")


def lead_words(card: dict[str, Any]) -> str:
    """What the bar says of a lead, by the scorecard of rubric v2 or v3."""
    margin = card["pro"]["composite"] - card["con"]["composite"]
    ahead = f"{'▲ Pro' if margin > 0 else '▼ Con'} +{rounded(round(abs(margin), 2))}"
    if "certainty" not in card:
        return f"Level ({ahead})" if card["leader"] == "neither" else ahead
    ahead += f", {sure(card['certainty'])} sure"
    return ahead if card["certainty"] >= NAME_AT else f"Not distinguishable ({ahead})"


def test_a_bar_says_who_leads_by_how_much_and_what_moved_it(new_page: Any, server: Any) -> None:
    debate = server.exhibit("juries")
    events = server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
    gap = next(each for each in events if each["event"]["type"] == "logic_gap_adjusted")
    card = server.get(f"/api/debates/{debate}?at={gap['position']}")["scorecard"]
    event = gap["event"]
    page = new_page(width=390, height=844)
    visit(page, server, debate, f"#e{gap['position']}")
    bar = page.locator("#lead")

    expect(bar).to_contain_text(re.compile(rf"^{re.escape(lead_words(card))} · "))
    expect(bar).to_contain_text(
        f"▼ Con’s turn {event['exposed_by']['turn']} exposed ▲ Pro’s turn {event['turn']} (−{-event['applied']:g})"
    )
    expect(bar).to_have_attribute("data-kind", "dock")
    expect(bar.get_by_role("link")).to_be_in_viewport()
    for turn in (event["turn"], event["exposed_by"]["turn"]):
        expect(page.locator(f"[data-turn='{turn}'] mark.flash").first).to_be_attached()


@pytest.mark.parametrize(
    ("name", "says"),
    spread(
        [
            ("transit", "No winner is named · ▲ 19.8/30, ▼ 19.1/30 → see"),
            ("monolith", "▲ Pro wins by judge and panel together · ▲ 22.8/30, ▼ 18.4/30 → see"),
        ],
        1,
    ),
)
def test_the_bar_of_a_protocol_gives_the_outcome_and_both_totals(
    new_page: Any, server: Any, name: str, says: str
) -> None:
    debate = server.exhibit(name)
    page = new_page(width=390, height=844)
    visit(page, server, debate)
    bar = page.locator("#lead")
    expect(bar).to_have_text(says)
    expect(page.locator("#outcome")).to_have_text(server.view(debate)["outcome"]["text"])

    bar.get_by_role("link").first.click()
    assessment = server.view(debate)["protocol"]["positions"]["assessment"]
    expect(page).to_have_url(re.compile(f"#e{assessment}$"))
    visit(page, server, debate, f"#e{assessment - 1}")
    expect(bar).to_contain_text("Upheld so far: ")
    visit(page, server, debate, "#e9")
    expect(bar).to_have_text("No lead yet: the judge weighs the arguments after the closings.")
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@pytest.mark.parametrize(("rubric", "said"), [("v2", {"Level", "▲ Pro"}), ("v3", {"Not distinguishable", "▲ Pro"})])
def test_the_bar_names_no_side_while_the_lead_is_open(page: Page, server: Any, rubric: str, said: set[str]) -> None:
    debate = server.exhibit("cars", rubric=rubric)
    openings = set()
    for at in (each["judged"] for each in server.view(debate)["turns"].values()):
        card = server.get(f"/api/debates/{debate}?at={at}")["scorecard"]
        means = [card[side]["composite"] for side in ("pro", "con")]
        if any(isinstance(mean, dict) for mean in means):
            continue
        visit(page, server, debate, f"#e{at}")
        expect(page.locator("#scorecard .leader")).to_have_attribute("data-leader", card["leader"])
        words = lead_words(card)
        expect(page.locator("#lead")).to_contain_text(re.compile(rf"^{re.escape(words)}"))
        openings |= {each for each in said if words.startswith(each)}

    assert openings == said


@pytest.mark.parametrize("width", spread([320, 390, 800, 981, 1024, 1440], 2))
def test_the_bar_shows_all_of_its_words(new_page: Any, server: Any, width: int) -> None:
    debate = server.exhibit("cars")
    page = new_page(width=width)
    visit(page, server, debate, f"#e{server.view(debate)['turns']['2']['changed'][-1]}")
    bar = page.locator("#lead")
    expect(bar).to_contain_text("▲ Pro’s turn 5 exposed ▼ Con’s turn 2 (−2) → see")

    assert bar.evaluate("(bar) => [bar.scrollWidth - bar.clientWidth, bar.scrollHeight - bar.clientHeight]") == [0, 0]


def test_a_raise_does_not_look_like_a_penalty(new_page: Any, server: Any) -> None:
    debate = server.exhibit("cars")
    events = server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
    raised = next(each for each in events if each["event"]["type"] == "penalty_reversed")
    page = new_page()
    visit(page, server, debate, f"#e{raised['position']}")

    expect(page.locator(f".entries [data-position='{raised['position']}'][data-raise]")).to_be_attached()
    bar = page.locator("#lead")
    expect(bar).to_contain_text("No lead yet: each side needs a score. · ▲ Pro’s turn 1 gained 1 point")
    visit(page, server, debate)
    expect(page.locator("#lead")).not_to_have_attribute("data-kind", "dock")


def test_the_first_words_stand_above_the_fold_of_a_phone(new_page: Any, server: Any) -> None:
    debate = server.exhibit("cars")
    page = new_page(width=390, height=844)
    visit(page, server, debate, f"#e{server.view(debate)['turns']['1']['judged']}")
    page.evaluate("scrollTo(0, 0)")

    expect(page.locator("#caveats")).to_contain_text("Note on Pro")
    assert (page.locator("[data-turn='1'] .said").bounding_box() or {"y": 844})["y"] < 400


def test_a_debate_that_has_ended_is_not_behind(page: Page, server: Any, ended: str) -> None:
    visit(page, server, ended)
    expect(page.locator("#summary")).to_be_visible()

    expect(page.locator("#catch-up")).to_be_hidden()


def test_a_debate_that_ends_before_the_readers_eyes_is_not_behind(page: Page, server: Any, ended: str) -> None:
    visit(page, server, ended, f"?speed=8#e{server.view(ended)['turns']['4']['judged']}")
    page.locator("#play").click()
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")
    wheel_until(page, -10_000, "() => scrollY === 0")

    expect(page.locator("#catch-up")).to_be_hidden()


def test_the_way_on_in_an_exhibition_leads_to_its_end(page: Page, server: Any) -> None:
    debate = server.http.post("/api/debates", json={"exhibition": "juries"}).json()["id"]
    server.halt(debate)
    visit(page, server, debate, f"#e{server.view(debate)['position'] - 1}")

    expect(page.locator("#back")).to_have_text("To the end")

"""Expectations of spectators: speed, a clear status, the keyboard, reduced motion."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from events.text.figures import rounded

pytestmark = pytest.mark.browser

COMPLETE = """() => {
  const [page] = performance.getEntriesByType("navigation");
  return Math.max(page.loadEventEnd, ...performance.getEntriesByType("mark").map((mark) => mark.startTime));
}"""


def visit(page: Page, server: Any, debate: str, rest: str = "") -> None:
    page.goto(f"{server.url}/d/{debate}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def test_the_first_page_is_complete_within_a_second(new_page: Any, server: Any, ended: str) -> None:
    """The best of five visits counts: other work on the machine is not part of the page."""
    took: list[float] = []
    while len(took) < 5 and not any(each < 1000 for each in took):
        page = new_page(own=True)  # an empty cache
        page.goto(server.url)
        expect(page.locator("#debates li").first).to_be_visible()
        page.wait_for_function("() => performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        took.append(page.evaluate(COMPLETE))

    assert min(took) < 1000
    assert ended


def test_the_status_shows_each_state_in_turn(own_page: Page, server: Any, live: Any, scripts: SimpleNamespace) -> None:
    """Connecting, catching up, live, reconnecting, live again, ended."""
    own_page.add_init_script("""addEventListener("DOMContentLoaded", () => {
      window.states = [];
      const status = document.querySelector("#status");
      const note = () => window.states.push(status.dataset.state);
      note();
      new MutationObserver(note).observe(status, {attributes: true, attributeFilter: ["data-state"]});
    })""")
    lines: list[WebSocketRoute] = []

    def through(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    own_page.route_web_socket(re.compile("/ws/"), through)
    debate = live(scripts.silent_in(1), turns=2)
    visit(own_page, server, debate)
    expect(own_page.locator("#status")).to_have_text("Live")
    lines[0].close(code=4408, reason="cut by the test")
    expect(own_page.locator("#status")).to_have_text("Live")
    own_page.wait_for_function("() => states.lastIndexOf('live') > states.indexOf('reconnecting')")
    server.go_on(debate, scripts.brisk)
    expect(own_page.locator("#status")).to_have_attribute("data-state", "ended")
    states = own_page.evaluate("states")
    seen = [state for state, before in zip(states, [None, *states], strict=False) if state != before]

    assert "connecting" == seen[0]
    assert ["live", "reconnecting"] == [state for state in seen if state in {"live", "reconnecting"}][:2]
    assert "live" in seen[seen.index("reconnecting") :]
    assert "ended" == seen[-1]


def test_who_speaks_how_far_how_many_watch_and_what_it_costs(
    page: Page, new_page: Any, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    visit(page, server, live(scripts.silent_in(1), turns=3))
    expect(page.locator("#watching")).to_have_text("1 watching")
    expect(page.locator("#progress")).to_have_text(re.compile(r"Turn 1 of 3"))
    expect(page.locator("article.speaking h2")).to_contain_text("Pro")
    other = new_page()
    other.goto(page.url)

    expect(page.locator("#watching")).to_have_text("2 watching")
    other.close()
    expect(page.locator("#watching")).to_have_text("1 watching")
    expect(page.locator("#cost")).to_have_text(re.compile(r"\d+ tokens?|\$\d"))


def test_pro_and_con_differ_by_word_and_sign_as_well(read: Any, server: Any) -> None:
    page = read(f"{server.url}/d/{server.exhibit('juries')}")

    expect(page.locator("article.pro h2").first).to_contain_text("▲ Pro")
    expect(page.locator("article.con h2").first).to_contain_text("▼ Con")
    expect(page.locator("#bar .bar > span")).to_have_text([re.compile("▲ Pro"), re.compile("Con ▼")])
    expect(page.locator("table.pairs thead")).to_contain_text("▲ Pro")


def test_numbers_are_tabular(read: Any, server: Any) -> None:
    page = read(f"{server.url}/d/{server.exhibit('juries')}")

    for place in (".scores", "table.card", "#where", "#course"):
        expect(page.locator(place).first).to_be_attached()
        style = page.evaluate("(at) => getComputedStyle(document.querySelector(at)).fontVariantNumeric", place)
        assert "tabular-nums" in style


def test_a_score_shows_its_spread_where_there_are_samples(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    scored = scripts.quick["answers"]["score:1"]["components"]
    samples = [{"components": {**scored, "cause": {**scored["cause"], "points": n}}} for n in (4, 6, 9)]
    debate = server.open({**scripts.quick, "answers": {"score:1": samples}}, turns=1, judge={"samples": 3})
    turn = server.concluded(debate)["turns"]["1"]
    logic = turn["scores"]["logic"]
    visit(page, server, debate)

    assert logic["spread"] > 0
    expect(page.locator("[data-turn='1'] .spread")).to_contain_text(f"±{logic['spread'] / 2:g}")

    content = {**scripts.quick, "answers": {"score:1": samples}}
    debate = server.open(content, turns=2, judge={"samples": 3}, rubric="v2")
    spread = server.concluded(debate)["turns"]["1"]["composite_spread"]
    visit(page, server, debate)
    expect(page.locator("#lead")).to_contain_text(f"±{rounded(spread / 2)}")

    debate = server.open(content, turns=2, judge={"samples": 3})  # its rubric says how sure the lead is in its place
    outcome = server.concluded(debate)["outcome"]
    visit(page, server, debate)
    expect(page.locator("#lead")).to_contain_text(outcome["headline"])
    expect(page.locator("#lead")).to_contain_text(" % sure)")
    expect(page.locator("#lead")).not_to_contain_text("±")


def test_everything_is_reached_by_keyboard_and_the_focus_is_seen(page: Page, server: Any) -> None:
    visit(page, server, server.exhibit("juries"))
    wanted = page.evaluate("""() => [
      ...document.querySelectorAll("a[href], button, select, input, summary, [tabindex='0']")
    ].filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0).length""")
    reached = set()
    for _ in range(wanted + 4):
        page.keyboard.press("Tab")
        where = page.evaluate("""() => {
          const one = document.activeElement;
          if (one === document.body) return null;
          const style = getComputedStyle(one);
          window.stops ??= new Map();
          if (!window.stops.has(one)) window.stops.set(one, window.stops.size);
          return [window.stops.get(one), style.outlineStyle !== "none" || style.boxShadow !== "none"];
        }""")
        if where is None:
            continue
        number, seen = where
        reached.add(number)
        assert seen, page.evaluate("document.activeElement.outerHTML")

    assert len(reached) >= wanted


def test_reduced_motion_is_respected(page: Page, server: Any, live: Any, scripts: SimpleNamespace) -> None:
    page.emulate_media(reduced_motion="reduce")
    visit(page, server, live(scripts.slow))
    expect(page.locator(".said[aria-busy]")).not_to_be_empty()

    assert [] == page.evaluate("document.getAnimations().map((one) => one.animationName ?? 'transition')")


def test_the_policy_is_strict_with_trusted_types(page: Page, server: Any, ended: str) -> None:
    answer = page.goto(f"{server.url}/d/{ended}")
    assert answer is not None
    policy = answer.headers["content-security-policy"]

    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy or "default-src 'self'" in policy


# The audience and the moderator


def test_a_vote_is_cast_blind_and_shown_beside_the_judge_after_the_end(
    new_page: Any, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    debate = live(scripts.silent_in(1), turns=3)
    pages = [new_page(own=True), new_page(own=True)]
    for page, side in zip(pages, ("Pro", "Con"), strict=True):
        page.bring_to_front()
        visit(page, server, debate)
        page.locator("#audience").get_by_label(side).focus()  # the page no longer scrolls to the newest words
        page.locator("#audience").get_by_label(side).check()
        expect(page.locator("#audience")).to_contain_text("Your vote is recorded")
    other = new_page()
    visit(other, server, debate)
    expect(other.locator("#audience")).to_contain_text("stay hidden until the verdict")
    assert "audience" not in server.view(debate)
    pages[0].bring_to_front()
    server.go_on(debate, scripts.silent_in(2))
    expect(pages[0].locator("#audience")).to_contain_text("after turn 1")
    assert pages[0].evaluate("document.activeElement.value") == "pro", "a new turn does not take the focus away"
    pages[0].locator("#belief").fill("80")
    pages[0].locator("#belief").dispatch_event("change")
    expect(pages[0].locator("#audience")).to_contain_text("Recorded for turn")
    server.go_on(debate, scripts.brisk)

    expect(other.locator("#audience")).to_contain_text("2 votes")
    expect(other.locator("#audience")).to_contain_text("▲ Pro 1")
    expect(other.locator("#audience")).to_contain_text("▼ Con 1")
    expect(other.locator("#audience table td").first).to_have_text("80")


def test_a_moderators_word_stands_in_the_transcript_and_in_the_next_prompt(
    page: Page, server: Any, live: Any, scripts: SimpleNamespace
) -> None:
    debate = live(scripts.silent_in(1), turns=3)
    visit(page, server, debate)
    page.get_by_label("Message to both debaters, for the record").fill("Please speak of costs.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#transcript .message")).to_contain_text("Please speak of costs.")
    server.go_on(debate, scripts.brisk)
    server.concluded(debate)

    prompt = server.get(f"/api/debates/{debate}/calls/speak.3.1")["prompt"]
    assert any("Please speak of costs." in each["text"] for each in prompt)


def test_a_blind_debate_names_its_models_at_the_end(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    model = server.script(scripts.silent_in(1))
    seat = {"model": model}
    request = {"motion": "Cats are better", "turns": 2, "blind": True, "pro": seat, "con": seat, "judge": seat}
    debate = server.open_request(request)
    visit(page, server, debate)
    expect(page.locator("#seats")).to_contain_text("model named at the end")
    assert model not in page.content()
    server.go_on(debate, scripts.brisk)
    server.concluded(debate)
    page.reload()

    expect(page.locator("#seats")).to_contain_text(model.rpartition("/")[2])


def test_what_if_runs_the_rules_again_and_writes_nothing(page: Page, server: Any) -> None:
    debate = server.exhibit("juries")
    before = server.view(debate)["position"]
    visit(page, server, debate)
    page.locator("#whatif > summary").click()
    page.get_by_text("All the numbers of the rules").click()
    page.get_by_label("fabricated citation").fill("9")
    page.get_by_role("button", name="Run the rules again").click()
    row = page.locator("#whatif tbody tr").filter(has_text="Turn 3 composite")
    changed = {"rubric": {"claims": {"fabricated_citation": {"points": 9}}}}
    told = server.http.post(f"/api/debates/{debate}/whatif", json=changed).json()

    expect(row.locator("td").first).to_have_text(f"{server.view(debate)['turns']['3']['composite']:g}")
    expect(row.locator(".differs")).to_contain_text("≠")
    expect(page.locator("#whatif .says")).to_contain_text(f"Under these rules: {told['would_be_text']}")
    assert told["would_be_text"] != server.view(debate)["outcome"]["text"]
    expect(page.locator("#whatif .because")).to_contain_text(re.compile(r"Pro [\d.]+, Con [\d.]+: "))
    assert before == server.view(debate)["position"]


def test_a_term_has_its_sentence_of_the_glossary_as_a_tooltip(page: Page, server: Any) -> None:
    visit(page, server, server.exhibit("juries"))
    known = server.get("/api/terms")["terms"]
    page.locator("#scorecard summary").click()
    for place, term in (("#scorecard th:text-is('frame control')", "frame control"), ("#claims .id >> nth=0", "C2.1")):
        page.locator(place).hover()
        expect(page.locator(place)).to_have_attribute("title", known[term])


def test_the_scorecard_has_the_turns_of_each_side_and_what_a_turn_can_have(read: Any, server: Any) -> None:
    page = read(f"{server.url}/d/{server.exhibit('juries')}#e25")
    cells = page.locator("table.pairs tbody td")

    expect(cells).to_have_count(6)
    assert ["1", "2", "3", "4", "5", "6"] == page.locator("table.pairs tbody small").all_text_contents()
    expect(cells.first).to_contain_text("/70")
    expect(page.locator("#scorecard")).to_contain_text("Not the mean of the turns")


def test_to_the_end_of_an_exchange_leads_to_the_card_of_its_outcome(read: Any, server: Any) -> None:
    page = read(f"{server.url}/d/{server.exhibit('juries')}#e60")
    expect(page.locator("#back")).to_have_text("To the end")
    page.locator("#back").click()

    expect(page.locator("#ending")).to_be_in_viewport()
    expect(page.locator("#headline")).to_contain_text("Not distinguishable")

"""A judged debate: changes of scores, suspect claims, characters, premises, verdicts, exhibitions."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AT_ONCE, exhibition_script, expect_changes, silent

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def juries(server: Any) -> str:
    """The exhibition ``juries``, played to its end."""
    return str(server.exhibit("juries"))


def visit(page: Page, server: Any, debate: str, rest: str = "") -> None:
    page.goto(f"{server.url}/d/{debate}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def test_a_docked_turn_shows_what_it_was_and_why_it_changed(read: Any, server: Any, juries: str) -> None:
    score = server.view(juries)["turns"]["1"]["scores"]["logic"]
    page = read(f"{server.url}/d/{juries}")
    logic = page.locator("[data-turn='1'] .scores [data-dimension=logic]")

    expect(logic.locator("s").last).to_have_text(f"when it was judged {score['at_first']:g}")
    expect(logic.locator("b")).to_have_text(f"{score['effective']:g}")
    dock = page.locator("[data-turn='1'] .entries [data-kind=gap]")
    expect(dock).to_contain_text("−4")
    expect(dock).to_contain_text("flaw exposed by turn 4")
    expect(dock.locator("q")).to_have_count(2)
    expect(page.locator("[data-turn='1'] mark.gap").first).to_contain_text("An error that is written down")
    expect(page.locator("[data-turn='4'] mark.gap").first).to_be_visible()


def test_the_entries_are_those_of_the_audit(read: Any, server: Any, juries: str) -> None:
    page = read(f"{server.url}/d/{juries}")
    expect_changes(page)
    entries = page.locator("[data-turn='3'] .entries li")
    told = entries.evaluate_all("all => all.map(({ dataset }) => [Number(dataset.position), dataset.kind])")

    audit = server.get(f"/api/debates/{juries}/audit/turns/3")["entries"]
    expected = [(entry["position"], entry["kind"]) for entry in audit if entry["kind"] != "score"]
    assert expected == sorted((tuple(each) for each in told), key=expected.index)  # routine ones are folded at the end


def test_reading_back_shows_nothing_that_came_later(page: Page, server: Any, juries: str) -> None:
    events = server.get(f"/api/debates/{juries}/events?limit=1000")["events"]
    dock = next(each["position"] for each in events if each["event"]["type"] == "logic_gap_adjusted")
    entries = server.get(f"/api/debates/{juries}/audit/turns/1")["entries"]
    before = next(each["before"] for each in entries if each["position"] == dock)
    visit(page, server, juries, f"#e{dock - 1}")

    expect(page.locator("[data-turn='1'] .scores [data-dimension=logic] b")).to_have_text(f"{before:g}")
    assert page.locator("[data-turn='1'] [data-kind=gap], mark.gap, .verdict").count() == 0


def test_suspect_claims_are_listed_with_their_state(read: Any, server: Any, juries: str) -> None:
    page = read(f"{server.url}/d/{juries}")

    claim = page.locator("#claims .claim#C3\\.1")
    expect(claim).to_contain_text("fabricated citation")
    expect(claim).to_contain_text("upheld by a second opinion")
    expect(claim.locator(".cost")).to_have_text("−2")
    expect(page.locator("#claims .claim#C2\\.1")).to_contain_text("more certain or wider than its grounds")
    expect(page.locator("[data-turn='3'] mark.claimed").first).to_be_visible()


def test_the_spine_and_the_anomalies_stand_there(read: Any, server: Any, juries: str) -> None:
    page = read(f"{server.url}/d/{juries}")

    expect(page.locator("#spine #P1\\.1")).to_contain_text("dropped without mention in turn 3")
    expect(page.locator("#spine #P2\\.3")).to_contain_text("withdrawn openly in turn 4")
    expect(page.locator("#spine .lane.pro h3")).to_contain_text("3 of 5 premises stand, 0 withdrawn openly, 2 dropped")
    logic = server.view(juries)["turns"]["3"]["scores"]["logic"]["effective"]
    expect(page.locator("#anomalies")).to_contain_text(f"Turn 3 has {logic:g} for logic, and ")


@pytest.mark.parametrize(("more", "names"), [({}, "Names no winner"), ({"rubric": "v2"}, "▲ Names Pro")])
def test_the_verdicts_stand_side_by_side_with_the_conflict_explained(
    read: Any, server: Any, more: dict[str, str], names: str
) -> None:
    page = read(f"{server.url}/d/{server.exhibit('juries', **more)}")

    expect(page.locator(".verdict.scorecard .winner")).to_have_text(names)
    expect(page.locator(".verdict.narrative .winner")).to_have_text("▼ Names Con")
    expect(page.locator(".verdict.narrative")).to_contain_text("clear margin")
    expect(page.locator(".verdict.conflict")).to_contain_text("Coherence collapse")
    expect(page.locator(".verdict.conflict")).to_contain_text("The scorecard adds up turns")


def test_directives_are_hidden_while_the_debate_runs_and_shown_afterwards(page: Page, server: Any, live: Any) -> None:
    script = exhibition_script("juries", AT_ONCE)
    debate = live(silent(script), motion=script["exhibition"]["motion"], turns=4)
    visit(page, server, debate)
    page.locator("#parts").get_by_role("link", name="Characters").click()
    expect(page.locator("#characters")).to_contain_text("traits have changed")
    live = server.get(f"/api/debates/{debate}?director=1")["directives"]
    told = [each["text"] for each in live.values()]

    assert told
    assert not [text for text in told if text in page.content()]

    server.go_on(debate, script)
    server.concluded(debate)
    for text in told:
        expect(page.locator("#characters")).to_contain_text(text)


def test_a_directive_says_at_which_turns_it_was_given_and_stands_above_these_only(page: Page, server: Any) -> None:
    debate = server.exhibit("cars")
    visit(page, server, debate)
    page.locator("#characters").scroll_into_view_if_needed()
    given: dict[int, set[int]] = {}
    for each in server.get(f"/api/debates/{debate}/events?limit=1000")["events"]:
        event = each["event"]
        if event["type"] == "directive_issued":
            given[each["position"]] = set()
        elif event["type"] == "turn_started" and event["directive"] is not None:
            given[event["directive"]].add(event["turn"])

    assert len(given) > 3
    expect(page.locator(".directives li")).to_have_count(len(given))
    shown = page.locator(".directives li").all_text_contents()
    listed = {int(words.split(",")[0].removeprefix("event ")): words for words in shown}
    assert given.keys() == listed.keys()
    for position, turns in given.items():
        assert f", given at {f'turn {min(turns)}' if turns else 'no turn'}: " in listed[position]
    above = page.locator("article.turn:has(.shaped a)").evaluate_all("(all) => all.map((each) => +each.dataset.turn)")
    assert sorted(turn for turns in given.values() for turn in turns) == above


def test_each_trait_is_a_chart_whose_moves_lead_to_their_events(page: Page, server: Any) -> None:
    debate = server.exhibit("juries")
    visit(page, server, debate)
    expect(page.locator("article.turn")).to_have_count(6)
    expect(page.locator(".multiple")).to_have_count(0)  # fetched when the reader comes to them
    page.locator("#characters").scroll_into_view_if_needed()
    expect(page.locator(".multiple")).to_have_count(24)
    view = server.view(debate)
    moves = view["trait_moves"]
    expect(page.locator(".multiple a")).to_have_count(sum(len(each["shifts"]) for each in moves.values()))
    for side in ("pro", "con"):
        shown = page.locator(f".character.{side} .multiple").evaluate_all(
            "(all) => Object.fromEntries(all.map((each) => [each.querySelector('figcaption').textContent, "
            "each.querySelector('svg').getAttribute('aria-label')]))"
        )
        assert 12 == len(shown)
        for name, value in view["traits"][side].items():
            [label] = [each for text, each in shown.items() if text.startswith(name)]
            is_moved = value != view["archetype_traits"][side][name]
            assert is_moved == ("after turn" in label)
            assert is_moved != label.endswith("at the start, unchanged")
    position, move = next(iter(moves.items()))
    trait, (start, end) = next(iter(move["shifts"].items()))
    words = rf"^{trait} {round(start, 2):g} → {round(end, 2):g} after turn \d, event {position} in the audit$"
    link = page.locator(f".character.{move['side']}").get_by_role("link", name=re.compile(words, re.IGNORECASE))
    link.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"\?view=audit&event={position}$"))
    opened = page.locator(f"#audit [data-position='{position}'] button")
    expect(opened).to_be_focused()
    expect(opened).to_have_attribute("aria-expanded", "true")
    expect(opened).to_be_in_viewport()


def test_a_flag_is_appealed_from_the_page(page: Page, server: Any, live: Any) -> None:
    script = exhibition_script("juries", AT_ONCE)
    debate = live(silent(script), motion=script["exhibition"]["motion"], turns=4)
    visit(page, server, debate)
    claim = page.locator("#claims .claim#C3\\.1")
    claim.get_by_role("button", name="Appeal").focus()  # the page no longer scrolls to the newest words
    claim.get_by_role("button", name="Appeal").click()

    expect(claim).to_contain_text("appealed")
    server.go_on(debate, script)
    server.concluded(debate)
    expect(claim).to_contain_text("upheld by a second opinion")


def test_an_exhibition_is_one_press_away(page: Page, server: Any) -> None:
    page.goto(server.url)
    page.locator("#exhibition-list a", has_text="This house would replace juries with trained judges").click()

    expect(page.locator("#motion")).to_have_text("This house would replace juries with trained judges")
    expect(page.locator("#caveats")).to_contain_text("scripted throughout")
    expect(page.locator(".speaking .said")).not_to_be_empty()


def test_nothing_is_wider_than_a_small_screen(new_page: Any, server: Any, juries: str) -> None:
    page = new_page(width=320, height=800)
    visit(page, server, juries)
    expect(page.locator(".verdict.narrative")).to_be_attached()

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, scheme

"""The audit: every number shows its reason, its causes and effects, and its value before a change."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from events.text.figures import rounded
from tests.browser.conftest import expect_changes
from tests.laws import spread

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def juries(server: Any) -> str:
    return str(server.exhibit("juries"))


def visit(page: Page, server: Any, debate: str, rest: str = "") -> None:
    page.goto(f"{server.url}/d/{debate}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def entries(server: Any, debate: str, turn: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get(f"/api/debates/{debate}/audit/turns/{turn}")["entries"]
    return found


def event_of(server: Any, debate: str, kind: str) -> dict[str, Any]:
    """The first event of a kind."""
    events = server.get(f"/api/debates/{debate}/events?limit=1000")["events"]
    return next(each for each in events if each["event"]["type"] == kind)


def signed(points: float) -> str:
    return f"{points:+g}".replace("-", "−")


def shortest(points: float) -> str:
    """Rounded to a tenth, without a zero after the point."""
    return f"{float(rounded(points)):g}"


def ledger_rows(page: Page, turn: int) -> Locator:
    return page.locator(f"[data-turn='{turn}'] .ledger > li")


# Why this score


def test_b_lists_every_entry_with_old_new_requested_applied_rule_and_cause(
    page: Page, server: Any, juries: str
) -> None:
    audit = entries(server, juries, 3)
    visit(page, server, juries, f"#e{audit[-1]['position']}")
    page.keyboard.press("b")
    rows = ledger_rows(page, 3)
    expect(rows.first).to_contain_text("logic 23")

    later = [each for each in audit if each["kind"] != "score"]
    shown = [int(each or 0) for each in rows.evaluate_all("all => all.map((one) => one.dataset.position)")]
    assert [audit[0]["position"], *(each["position"] for each in later)] == shown
    for number, entry in enumerate(later, 1):
        row = rows.nth(number)
        expect(row.locator(".moves s")).to_have_text(f"{entry['before']:g}")
        expect(row.locator(".moves b")).to_have_text(f"{entry['after']:g}")
        requested = entry.get("given", entry["requested"])
        expect(row).to_contain_text(f"requested {signed(requested)}, applied {signed(entry['applied'])}")
        expect(row.locator(".rule")).not_to_be_empty()
        expect(row.get_by_role("link", name=f"because of event {entry['cause']}")).to_be_visible()
    expect(page).to_have_url(re.compile("turn=3"))


def test_the_evidence_of_a_docking_is_highlighted_in_both_turns(page: Page, server: Any, juries: str) -> None:
    visit(page, server, juries, "?turn=3")
    expect_changes(page)
    gap = page.locator("[data-turn='3'] .ledger [data-kind=gap]")
    gap.hover()

    expect(page.locator("[data-turn='3'] mark.lit")).to_contain_text("so like cases come out alike")
    expect(page.locator("[data-turn='4'] mark.lit")).to_contain_text("Two courts can agree")


def test_the_exact_question_and_the_raw_answer_stand_beside_the_entry(page: Page, server: Any, juries: str) -> None:
    entry = next(each for each in entries(server, juries, 3) if each["kind"] == "gap")
    said = server.get(f"/api/debates/{juries}/calls/{entry['call']}")
    visit(page, server, juries, "?turn=3")
    expect_changes(page)
    row = page.locator("[data-turn='3'] .ledger [data-kind=gap]")
    row.get_by_text("the judge’s question and answer").click()
    texts = [each["text"] for each in said["prompt"]] + [said["answer"]]
    expect(row.locator("pre")).to_have_count(len(texts))

    assert texts == row.locator("pre").all_text_contents()


def test_as_it_was_before_goes_to_the_entry_less_one_and_shows_the_old_number(
    page: Page, server: Any, juries: str
) -> None:
    """Other entries may lie between the cause and the entry: after the cause, the number may still be another one."""
    entry = next(each for each in entries(server, juries, 3) if each["kind"] == "gap")
    visit(page, server, juries, "?turn=3")
    row = page.locator("[data-turn='3'] .ledger [data-kind=gap]")
    expect(page.locator("[data-turn='3'] [data-dimension=logic] > b")).to_have_text(f"{entry['after']:g}")
    row.get_by_role("link", name="as it was before").click()

    expect(page.locator("#slider")).to_have_value(str(entry["position"] - 1))
    expect(page.locator("[data-turn='3'] [data-dimension=logic] > b")).to_have_text(f"{entry['before']:g}")
    expect(page.locator("[data-turn='3'] .ledger [data-kind=gap]")).to_have_count(0)


def test_a_revised_score_looks_revised(page: Page, server: Any, juries: str) -> None:
    visit(page, server, juries)
    turn = page.locator("[data-turn='3']")

    next_turn = server.view(juries)["turns"]["4"]["started"]
    changes = entries(server, juries, 3)
    names = [each["dimension"] for each in changes if each["kind"] == "score"]
    later = {each["dimension"] for each in changes if each["position"] > next_turn}
    first, *_, judged = [
        each["after"] for each in changes if each["dimension"] == "logic" and each["position"] < next_turn
    ]
    assert "logic" in later
    expect(turn.locator(".revised")).to_have_text(f"revised: {', '.join(each for each in names if each in later)}")
    expect(turn.locator("[data-dimension=logic] > s")).to_have_text(
        [f"the judge gave {first:g}", f"when it was judged {judged:g}"]
    )
    expect(turn.locator("[data-dimension=logic]")).to_contain_text("changed later")


def test_only_a_score_that_fell_has_the_colour_of_a_penalty(page: Page, server: Any, juries: str) -> None:
    visit(page, server, juries)
    rose = set[bool]()
    for number, turn in server.view(juries)["turns"].items():
        moved = {
            name: each["effective"] - each["at_first"] for name, each in turn["scores"].items() if "at_first" in each
        }
        rose |= {points > 0 for points in moved.values()}
        fell = [name.replace("_", " ") for name, points in moved.items() if points < 0]
        shown = page.locator(f"[data-turn='{number}'] .revised .dock")
        expect(shown).to_have_count(len(fell))

        assert sorted(fell) == sorted(shown.all_text_contents())
    label, lower = page.locator(".revised").first, page.locator(".revised .dock").first
    colours = [each.evaluate("(one) => getComputedStyle(one).color") for each in (label, lower)]

    assert rose == {True, False}
    assert colours[0] != colours[1]


# The log


def log(page: Page) -> list[int]:
    shown = page.locator(".log > li").evaluate_all("all => all.map((one) => one.dataset.position)")
    return [int(each or 0) for each in shown]


def test_a_opens_the_log_and_closes_it_and_the_address_says_so(page: Page, server: Any, juries: str) -> None:
    visit(page, server, juries)
    page.keyboard.press("a")
    expect(page.locator(".log > li")).to_have_count(server.view(juries)["position"])
    expect(page).to_have_url(re.compile("view=audit"))
    expect(page.locator("#transcript")).to_be_hidden()
    page.go_back()

    expect(page.locator("#transcript")).to_be_visible()
    expect(page).not_to_have_url(re.compile("view=audit"))


def test_the_log_is_filtered_by_side_kind_turn_and_words(page: Page, server: Any, juries: str) -> None:
    events = [
        (each["position"], each["event"]) for each in server.get(f"/api/debates/{juries}/events?limit=1000")["events"]
    ]
    visit(page, server, juries, "?view=audit")
    expect(page.locator(".log > li").first).to_be_visible()

    page.get_by_label("Kind").select_option("characters")
    expect(page.locator(".log > li")).to_have_count(sum(
        event["type"].startswith(("pressure_", "traits_", "directive_")) for _, event in events
    ))  # fmt: skip
    page.locator(".filters [name=side]").select_option("pro")
    expect(page.locator(".log > li")).to_have_count(sum(
        event["type"].startswith(("pressure_", "traits_", "directive_")) and event["side"] == "pro"
        for _, event in events
    ))  # fmt: skip
    page.get_by_label("Kind").select_option("")
    page.locator(".filters [name=side]").select_option("")
    page.locator(".filters [name=turn]").select_option("3")
    of_turn = [at for at, event in events if 3 in {event.get("turn"), event.get("later")}]
    expect(page.locator(".log > li")).to_have_count(len(of_turn))
    assert of_turn == log(page)
    page.locator(".filters [name=turn]").select_option("")
    page.keyboard.press("Escape")
    page.get_by_label("Find").fill("larkmoor")
    expect(page.locator(".log > li").first).to_contain_text("turn 3")
    page.reload()

    expect(page.get_by_label("Find")).to_have_value("larkmoor")
    expect(page.locator(".log > li").first).to_contain_text("turn 3")
    assert 0 < len(log(page)) < 12
    page.get_by_label("Find").fill("no such words anywhere")
    expect(page.locator(".log .empty")).to_contain_text("Remove a filter")


def test_slash_searches_the_log(page: Page, server: Any, juries: str) -> None:
    visit(page, server, juries)
    page.keyboard.press("/")

    expect(page.get_by_label("Find")).to_be_focused()


def test_a_directive_its_traits_and_the_judgement_are_one_chain(page: Page, server: Any, juries: str) -> None:
    told = event_of(server, juries, "directive_issued")
    visit(page, server, juries, f"?view=audit&event={told['position']}")
    chain = page.locator(".detail .chain").filter(has=page.locator("[aria-current]"))

    expect(chain).to_contain_text("traits changed")
    expect(chain).to_contain_text("were compared")
    expect(chain).to_contain_text("the judge answered")
    expect(chain.locator("[aria-current]")).to_contain_text(told["event"]["text"])


def test_an_event_says_what_it_changed(page: Page, server: Any, juries: str) -> None:
    gap = event_of(server, juries, "logic_gap_adjusted")
    visit(page, server, juries, f"?view=audit&event={gap['position']}")

    expect(page.locator(".detail .moved-list")).to_contain_text("(logic gap)")
    expect(page.locator(".detail .moved-list li a").first).to_have_text(str(gap["position"]))
    change = page.locator(".detail .changes tr").filter(has_text="logic › effective").first
    expect(change).to_contain_text("turns › ")
    expect(page.locator(".detail .changes")).to_contain_text(str(gap["position"]))


def test_two_moments_are_compared(page: Page, server: Any, juries: str) -> None:
    of_logic = [each for each in entries(server, juries, 3) if each["dimension"] == "logic"]
    start, *changed = [each["position"] for each in of_logic]
    end, kept = changed[-1], f"{of_logic[-1]['after']:g}"
    visit(page, server, juries, "?view=audit")
    page.get_by_label("From event").fill(str(start))
    page.get_by_label("To event").fill(str(end))
    page.get_by_role("button", name="Compare", exact=True).click()
    moved = page.locator(".moved-list li")
    expect(moved.filter(has_text="Turn 3, ").or_(moved.filter(has_text="Turn 3 ")).first).to_be_visible()
    assert 0 < moved.count() <= 12
    rows = page.locator(".changes tbody tr")
    expect(rows.first).to_be_hidden()
    page.locator("summary", has_text="every changed value").click()
    expect(rows.first).to_be_visible()

    differs = server.get(f"/api/debates/{juries}/diff?from={start}&to={end}")["changes"]
    assert len(differs) == rows.count()
    logic = rows.filter(has_text="turns › 3 › scores › logic › effective")
    expect(logic.locator("td")).to_have_text(["23", kept, ", ".join(map(str, changed))])


def test_a_comparison_is_gone_when_other_moments_are_asked_for(new_page: Any, server: Any, juries: str) -> None:
    """Also a failed one: an error says nothing about the next comparison."""
    page = new_page()
    visit(page, server, juries, "?view=audit&from=9&to=99999")
    result = page.locator("#audit > [aria-live] .error")
    expect(result).to_contain_text("beyond the head")
    page.get_by_label("To event").fill("20")
    expect(result).to_have_count(0)

    page.get_by_label("From event").fill("40")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", name="What moved from event 20 to event 40")).to_be_visible()
    expect(page.locator("#audit .error")).to_have_count(0)


def test_a_row_of_the_log_says_who_acted_and_which_question_it_was(page: Page, server: Any, juries: str) -> None:
    events = server.get(f"/api/debates/{juries}/events?limit=1000")["events"]
    visit(page, server, juries, "?view=audit")
    for kind, purpose, turn, actor, words in (
        ("model_answered", "speak", 3, "Pro", "The model wrote the speech of turn 3"),
        ("model_answered", "score", 3, "Judge", "The judge answered: the score of turn 3"),
        (
            "model_answered",
            "compare",
            2,
            "Judge",
            "The judge answered: which is better, read in the order turn 1, turn 2",
        ),
        ("model_answered", "second_opinion", 2, "Judge", "The judge answered: a second opinion on claim C2.1"),
        ("model_failed", "claims", 2, "Judge", "No usable answer: suspect claims in turn 2 (bad json)"),
        ("model_answered", "audit", None, "Judge", "The judge answered: the closing audit"),
        ("turn_spoken", None, 2, "Con", "Con finished turn 2"),
        ("turn_scored", None, 3, "Judge", "Turn 3 was scored"),
        ("penalty_applied", None, 3, "Rules", "Turn 3: logic −2, fabricated citation"),
    ):
        wanted = {"type": kind, "turn": turn, "purpose": purpose}
        position = next(
            each["position"] for each in events if wanted == {key: each["event"].get(key) for key in wanted}
        )
        row = page.locator(f".log [data-position='{position}']")
        expect(row).to_contain_text(words)
        expect(row.locator(".actor")).to_have_text(actor)
    assert page.locator(".log [data-type=turn_scored] .by:is([data-by=pro], [data-by=con])").count() == 0


def test_the_log_ends_at_the_cursor(page: Page, server: Any, juries: str) -> None:
    visit(page, server, juries, "?view=audit#e40")
    expect(page.locator(".log > li")).to_have_count(40)

    assert max(log(page)) == 40


# Links


def test_y_copies_a_link_that_opens_the_same_moment(new_page: Any, server: Any, juries: str) -> None:
    page = new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page, server, juries, "?turn=3#e64")
    page.keyboard.press("y")
    expect(page.locator("#toast")).to_contain_text("Link copied: event 64")
    link = page.evaluate("navigator.clipboard.readText()")
    other = new_page()
    other.goto(link)

    expect(other.locator("#slider")).to_have_value("64")
    expect(other.locator("[data-turn='3'] details.why")).to_have_attribute("open", "")


def test_the_link_of_the_newest_moment_names_it(new_page: Any, server: Any, juries: str) -> None:
    page = new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page, server, juries)
    page.get_by_role("button", name="Copy a link to this moment").click()
    expect(page.locator("#toast")).to_contain_text("Link copied")

    assert page.evaluate("navigator.clipboard.readText()").endswith(f"#e{server.view(juries)['position']}")


# The curve and the score changes

SIGNS = {"pro": "▲", "con": "▼"}


def test_the_curve_ends_at_the_cursor_and_what_is_to_come_is_dots(page: Page, server: Any, juries: str) -> None:
    view = server.view(juries)
    visit(page, server, juries)
    expect(page.locator("#course .tocome")).to_have_count(0)
    expect(page.locator("#course .plot > span")).to_have_text(list(view["turns"]))
    page.locator("#ending .pin").nth(1).click()
    expect(page.locator("#slider")).to_have_value(str(view["summary"]["highlights"][1]["position"]))
    expect(page.locator("#course .tocome")).to_have_count(1)
    first = page.locator("#course .head").get_attribute("d")
    page.keyboard.press("Shift+ArrowRight")

    expect(page.locator("#course .head")).not_to_have_attribute("d", first or "")


def test_a_claim_leads_to_the_state_that_has_the_loss(page: Page, server: Any) -> None:
    debate = server.exhibit("cars")
    view = server.view(debate)
    claim = view["claims"]["C6.1"]
    links = [("#claims [id='C6.1'] a.id", claim["flagged"] + 1)]
    for link, position in links:
        visit(page, server, debate)
        page.locator(link).click()
        entry = page.locator(f"[data-turn='6'] .entries [data-position='{position}']")

        expect(page.locator("#slider")).to_have_value(str(position))
        expect(entry).to_have_attribute("data-here", "")
        expect(entry).to_be_in_viewport(ratio=1)
        composite = server.get(f"/api/debates/{debate}?at={position}")["turns"]["6"]["composite"]
        expect(page.locator("[data-turn='6'] .scores .total")).to_contain_text(f"composite {shortest(composite)}/100")


@pytest.mark.parametrize("name", spread(["juries", "homework"], 1))
def test_the_bar_and_the_curve_show_the_lead_of_the_view(page: Page, server: Any, name: str) -> None:
    debate = server.exhibit(name)
    view = server.view(debate)
    moves = [move for move in view["lead"]["moves"].values() if "probability" in move]
    visit(page, server, debate)

    share = page.locator("#bar .bar").evaluate("bar => Number(bar.style.getPropertyValue('--p'))")
    assert share == pytest.approx(100 * view["lead"]["probability"])
    gate = page.locator("#bar .bar").evaluate("bar => Number(bar.style.getPropertyValue('--gate'))")
    assert gate == pytest.approx(100 * view["lead"]["name_at"])
    drawn = [page.locator(f"#course .{part}").get_attribute("d") or "" for part in ("up", "down", "tick")]
    sides = [sum((move["probability"] >= 0.5) == is_pro for move in moves) for is_pro in (True, False)]
    docks = [
        move
        for move in view["lead"]["moves"].values()
        if move.get("kind") in {"gap", "penalty"} and move["applied"] < 0
    ]
    assert [*sides, len(docks)] == [path.count("M") for path in drawn]
    means = ", ".join(f"{sign} {rounded(view['scorecard'][side]['composite'])}" for side, sign in SIGNS.items())
    expect(page.locator("#lead")).to_contain_text(f"{view['outcome']['headline']} · {means}")
    for side in ("pro", "con"):
        mean = view["scorecard"][side]["composite"]
        expect(page.locator(f"table.card [data-row=composite][data-side={side}]")).to_have_text(rounded(mean))


def test_dots_and_commas_jump_between_score_changes(page: Page, server: Any, juries: str) -> None:
    stops = sorted({at for turn in server.view(juries)["turns"].values() for at in turn["changed"]})
    visit(page, server, juries, "#e1")
    expect(page.locator("#slider")).to_have_value("1")
    for stop in stops[:3]:
        page.keyboard.press(".")
        expect(page.locator("#slider")).to_have_value(str(stop))
    page.keyboard.press(",")

    expect(page.locator("#slider")).to_have_value(str(stops[1]))


def test_an_audit_without_the_entry_that_is_looked_for_leaves_the_page_alive(new_page: Any, server: Any) -> None:
    debate = server.exhibit("cars")
    page = new_page(own=True)  # its routes end with it
    page.route("**/audit/turns/*", lambda route: route.fulfill(json={"turn": 6, "entries": [], "effective": {}}))
    rescored = event_of(server, debate, "turn_rescored")
    visit(page, server, debate, f"#e{rescored['position']}")

    expect(page.locator(f"[data-turn='{rescored['event']['turn']}']")).to_have_attribute("data-here", "")
    assert page.evaluate("new Promise((done) => setTimeout(() => done('alive'), 50))") == "alive"

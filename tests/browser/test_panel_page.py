"""The pages of protocols, briefings, panels, artifacts and calibrations."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from playwright.sync_api import Page, expect

from events.store.open import opened_log
from events.types import AgreementMeasured, ArgumentTraced, DebateConcluded, Event, PanelConcluded, PanelistScored
from tests.browser import artifact_logs, panel_logs, protocol_logs
from tests.server.export.test_deliberation_sentences import told

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)> <script>document.title='gone'</script> “quoted”"
LOGS: dict[str, list[Event]] = {
    "split": panel_logs.irreconcilable(),
    "agreed": panel_logs.agreeing(),
    "strict": panel_logs.strict(),
    "close": panel_logs.too_close(),
    "artifact": artifact_logs.artifact(),
    "calibration": artifact_logs.calibration(),
    "faulty": [
        protocol_logs.opened(),
        *protocol_logs.protocol(faulty=True),
        DebateConcluded(winner="con", by_rule="assessment"),
    ],
    "hostile": panel_logs.irreconcilable(claims={"PRO-1": HOSTILE}),
    "poisoned": artifact_logs.artifact(finding=HOSTILE),
    "reasons": [record.event for record in told("reasons").records],
    "conformity": [record.event for record in told("conformity").records],
}


def name_of(log: str) -> str:
    return f"01900000-0000-7000-8000-{list(LOGS).index(log):012d}"


async def _fill(store: str) -> None:
    async with opened_log(store) as log:
        for name, events in LOGS.items():
            await log.append(name_of(name), 0, events)


@pytest.fixture(scope="module")
def house(server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server over a store with all logs."""
    running = type(server)(tmp_path_factory.mktemp("records"))
    try:
        with ThreadPoolExecutor(1) as beside:  # Playwright's event loop runs in this thread
            beside.submit(anyio.run, _fill, f"sqlite:{running.folder / 'moot.db'}").result()
        running.start()
        yield running
    finally:
        running.close()


def address(house: Any, log: str, rest: str = "") -> str:
    return f"{house.url}/d/{name_of(log)}{rest}"


def visit(page: Page, house: Any, log: str, rest: str = "") -> None:
    page.goto(address(house, log, rest))
    expect(page.locator("body[data-ready]")).to_be_attached()
    assert not re.search(r"\b(false|null|NaN|object Object)\b", words(page)), "a value that is not a word"


def before(log: str, kind: type) -> int:
    """The position before the first event of a kind."""
    return next(at for at, event in enumerate(LOGS[log]) if isinstance(event, kind))


def words(page: Page) -> str:
    return page.locator("body").inner_text()


# protocol


def test_an_argument_stands_with_its_answer_its_standing_and_its_scores(read: Any, house: Any) -> None:
    page = read(address(house, "split"))
    one = page.locator("#PRO-1")

    expect(one.locator(".badge")).to_have_text(re.compile("Upheld in part"))
    expect(one.locator(".answer")).to_contain_text("Con challenges this")
    expect(one.locator(".asks")).to_contain_text("What did frequency do there")
    expect(one.locator(".scores")).to_have_text(re.compile(r"logic 7\s*evidence 8\s*responsiveness 6\s*honesty 6"))
    expect(one.locator(".sum")).to_contain_text("6.90")
    expect(page.locator(".trace [data-total=con]")).to_have_text("19.05")


def test_the_words_of_a_fallacy_are_marked_where_they_stand(read: Any, house: Any) -> None:
    page = read(address(house, "split"))
    third = page.locator("#PRO-3")

    expect(third.locator(".fallacies li").first).to_contain_text("Appeal to authority")
    expect(third.locator(".evidence mark.fallacy")).to_have_text(protocol_logs.CASES["PRO-3"][2])
    expect(third.locator(".grounds mark.fallacy")).to_contain_text("From there the roads empty")
    expect(page.locator(".closing.con mark.fallacy")).to_have_text("Only those who hate cars could think otherwise.")
    expect(page.locator("#CON-1 .fallacies")).to_contain_text("in the closing")


def test_what_did_not_keep_its_form_is_flagged(page: Page, house: Any) -> None:
    visit(page, house, "faulty")
    con = page.locator(".case.con > .fault")

    expect(con.first).to_contain_text("This opening did not keep its form: 2 arguments where 3 are asked for.")
    con.first.get_by_text("The whole text").click()
    expect(con.first.locator(".said")).to_contain_text("<b>that buses will be cut</b>")
    expect(page.locator(".case.pro > .fault")).to_contain_text("Con’s cross-examination of it did not keep its form")
    expect(page.get_by_role("status")).to_have_text("Ended")
    expect(page.locator("#outcome")).to_contain_text("Con wins by the judge’s assessment (")


def test_the_briefing_names_claims_and_links_to_them(page: Page, house: Any) -> None:
    visit(page, house, "split")
    briefing = page.locator("#briefing")

    expect(briefing.locator(".rely_on li")).to_have_text(
        [
            "PRO-2 Collecting fares costs more than it seems.",
            "CON-1 The money buys more as frequency than as a free ticket.",
        ]
    )
    expect(briefing.locator(".do_not_use")).to_contain_text("congestion will vanish")
    expect(briefing.locator(".still_open")).to_contain_text("CON-3")
    briefing.locator(".do_not_use a").click()
    expect(page.locator("#PRO-3")).to_be_focused()
    expect(page.locator("#PRO-3")).to_be_in_viewport()
    assert page.evaluate("location.hash") == ""


def test_paper_gets_the_briefing_and_nothing_else(page: Page, house: Any) -> None:
    visit(page, house, "split")
    expect(page.locator("#briefing")).to_be_visible()
    page.emulate_media(media="print")

    expect(page.locator("#briefing .lists")).to_be_visible()
    expect(page.locator("#motion")).to_be_visible()
    for other in ("#transcript", "#panel", "#foot", "aside", "#top"):
        expect(page.locator(other)).to_be_hidden()


def test_a_running_protocol_says_which_round_it_is_and_who_writes(page: Page, server: Any) -> None:
    script = {"label": "silent", "pace": {"answer_ms": 600_000}}
    seat = {"model": server.script(script)}
    request = {"motion": "Zoos should close", "format": "protocol", "pro": seat, "con": seat, "judge": seat}
    debate = server.open_request(request)
    page.goto(f"{server.url}/d/{debate}")

    expect(page.locator("#progress")).to_have_text("Round 1 of 4: openings")
    expect(page.locator(".preparing")).to_contain_text("Pro and Con are writing their openings")
    expect(page.locator(".steps [aria-current]")).to_contain_text("Openings")

    silence = {"fault": {"kind": "timeout", "after_ms": 600_000}}
    server.go_on(debate, {"label": "silent", "answers": {"cross:*": silence}})
    expect(page.locator("#progress")).to_have_text("Round 2 of 4: cross-examination")
    expect(page.locator(".argument").first).to_be_visible()
    server.halt(debate)


# replay


def test_reading_back_shows_no_standing_before_it_was_given(page: Page, house: Any) -> None:
    visit(page, house, "split", f"#e{before('split', ArgumentTraced)}")
    expect(page.locator("#PRO-1 .answer")).to_be_visible()

    assert page.locator(".badge, .says, #agreement, #briefing .lists, .deliberation").count() == 0
    assert page.locator("#panel [data-rater]").count() == 0
    assert not re.search(r"upheld|refuted|winner|concludes", words(page), re.IGNORECASE)


def test_reading_back_shows_no_scores_of_raters_before_they_were_given(page: Page, house: Any) -> None:
    visit(page, house, "split", f"#e{before('split', PanelistScored)}")
    expect(page.locator("#briefing .lists")).to_be_visible()
    expect(page.locator("#panel")).to_contain_text("4 raters will score independently")
    assert page.locator("#panel [data-rater], #panel svg").count() == 0

    page.goto(f"{house.url}/d/{name_of('split')}#e{before('split', AgreementMeasured)}")
    expect(page.locator("#panel [data-item='CON-1'] [data-rater=general] b")).to_have_text("9.0")
    assert page.locator("#agreement, .says, .disputed, .decision:not([hidden])").count() == 0


def test_the_keys_stop_where_a_panel_did_something(page: Page, house: Any) -> None:
    visit(page, house, "artifact")
    placed = house.view(name_of("artifact"))["panel"]["positions"]
    page.keyboard.press("Home")
    expect(page.locator("#slider")).to_have_value("1")
    for position in (placed["round:1"], placed["round:2"], placed["verdict"]):
        page.keyboard.press("Shift+ArrowRight")
        expect(page.locator("#slider")).to_have_value(str(position))


# panel


def test_a_panel_that_cannot_be_reconciled_names_no_winner(page: Page, house: Any) -> None:
    visit(page, house, "split")

    says = "{}: the raters are too far apart on an argument that decides."
    expect(page.locator("#outcome")).to_contain_text(says.format("No winner is named"))
    expect(page.locator(".says")).to_have_text(says.format("The panel names no winner"))
    expect(page.get_by_role("status")).to_have_text("Ended")
    expect(page.locator(".advice")).to_contain_text("What to find out instead")
    assert not re.search(r"\b(wins|won)\b|concludes|Winner: ", words(page))
    page.goto(house.url)
    row = page.locator(f".debate[href*='{name_of('split')}']")
    expect(row.locator(".outcome")).to_have_text("No winner is named")
    expect(row).to_contain_text("protocol")


def test_a_panel_that_agrees_says_so_in_one_sentence(page: Page, house: Any) -> None:
    visit(page, house, "agreed")

    expect(page.locator(".says")).to_contain_text("The panel concludes: Pro.")
    expect(page.get_by_role("status")).to_have_text("Ended")
    expect(page.locator("#outcome b")).to_have_text("Pro wins by the panel")
    expect(page.locator(".disputes")).to_contain_text("Nothing is disputed")
    assert page.locator(".decision:visible").count() == 0


def test_strict_and_lenient_raters_agree_for_reference_and_each_offset_is_shown(page: Page, house: Any) -> None:
    visit(page, house, "strict")

    expect(page.locator(".says")).to_have_text("For reference only: the raters agree, and they lean to Pro.")
    expect(page.get_by_role("status")).to_have_text("Ended")
    expect(page.locator("#outcome b")).to_have_text("Pro wins by judge and panel together")
    expect(page.locator(".reasons-list")).to_contain_text("The raters differ in strictness by 3.0 points")
    expect(page.locator(".disputes")).to_contain_text("Nothing is disputed")
    expect(page.locator("#agreement .coefficient")).to_have_count(3)
    expect(page.locator("#agreement")).to_contain_text("The lower one of the first two decides")
    expect(page.locator("#rater-risk summary")).to_contain_text("−1.5 points beside the mean")
    expect(page.locator("[data-without=risk]")).to_contain_text("concluded, leans to Pro")
    page.locator("#agreement").get_by_text("Other measures").click()
    expect(page.locator("#agreement")).to_contain_text("ICC(2,k): the raters’ mean, strictness counts")
    expect(page.locator(".sides tr", has_text="Calibrated")).to_contain_text("decides")
    assert page.locator(".decision:visible").count() == 0


def test_sides_that_are_too_close_are_no_quarrel_and_every_coefficient_is_named(page: Page, house: Any) -> None:
    visit(page, house, "close")
    agreement = page.locator("#agreement")

    expect(page.locator(".says")).to_have_text("The panel names no winner: the two sides are too close to tell apart.")
    expect(page.locator("#outcome")).to_contain_text(
        "the judge names Con, and the panel none: the two sides are too close"
    )
    expect(agreement.locator(".coefficient b:first-child").filter(has_text=re.compile("[A-Z]"))).to_have_text(
        ["Arguments", "Criteria", "Lead", "Standings"]
    )
    expect(agreement).to_contain_text("The first one decides")
    expect(agreement).to_contain_text("which criterion is rated higher than another")
    expect(page.locator(".advice")).to_contain_text("What to do")
    expect(page.locator("[data-without=risk]")).to_contain_text("too close, ")
    page.locator("#panel").get_by_text("Other measures").click()
    expect(agreement).to_contain_text("one calibrated score of each item by each rater (decides)")
    assert not re.search(r"irreconcilable|\bagree\b", words(page))


def test_the_standings_of_the_panel_stand_beside_those_of_the_judge(page: Page, house: Any) -> None:
    visit(page, house, "close")
    briefing = page.locator("#briefing")

    expect(briefing.locator(".with_care li", has_text="PRO-1")).to_contain_text(
        "Judge: upheld in part; panel: 4 of 4 upheld."
    )
    expect(briefing.locator(".with_care li", has_text="PRO-1").locator(".limits")).to_contain_text("Limits: ")
    expect(page.locator("#PRO-1 .panel-standings")).to_have_text("Panel: 4 of 4 upheld")
    expect(page.locator(".trace tr", has_text="PRO-2")).to_contain_text("Panel: 3 of 4 upheld in part")


def test_agreement_is_told_in_words_with_its_interval_drawn(page: Page, house: Any) -> None:
    visit(page, house, "split")
    agreement = page.locator("#agreement")

    expect(agreement).to_contain_text(
        "If other arguments like these were rated, the agreement would likely lie between 0.16 and 0.57."
    )
    picture = agreement.locator("svg.scale").first
    assert "0.38" in (picture.get_attribute("aria-label") or "")
    assert ["unacceptable", "low", "moderate", "high"] == picture.locator("text:not(.edge)").all_text_contents()
    agreement.get_by_text("Other measures").click()
    expect(agreement).to_contain_text("undefined: a score of 0 has no ratio")


def test_every_raters_numbers_stand_in_the_table(page: Page, house: Any) -> None:
    visit(page, house, "split")
    expect(page.locator("[data-item='CON-1']")).to_have_class(re.compile("disputed"))
    raters = house.view(name_of("split"))["panel"]["raters"]
    shown = page.evaluate(
        "[...document.querySelectorAll('.raters [data-rater] b')].map((b) => [b.closest('[data-item]').dataset.item,"
        " b.closest('td').dataset.rater, Number(b.textContent)])"
    )

    assert {(item, name, total) for item, name, total in shown} == {
        (item, name, total) for name, each in raters.items() for item, total in each["totals"].items()
    }
    expect(page.locator("[data-item='CON-3'] [data-rater=risk]")).to_have_text("not given")
    page.locator("#rater-risk summary").click()
    expect(page.locator("#rater-risk")).to_contain_text("Missing: CON-3 (left out).")
    expect(page.locator("#rater-risk")).to_contain_text("A script, written beforehand.")
    expect(page.locator("#rater-technical")).to_contain_text("right on 7 of 9 known outcomes")


def test_the_most_disputed_comes_first_and_says_that_it_decides(read: Any, house: Any) -> None:
    page = read(address(house, "split"))
    disputes = page.locator(".dispute")

    expect(disputes).to_have_count(3)
    expect(disputes.first).to_contain_text("CON-1")
    expect(disputes.first).to_contain_text("This item decides")
    drawn = disputes.first.locator("svg").get_attribute("aria-label")
    assert drawn == "technical 2.00, business 4.00, risk 7.00, general 9.00"


def test_leaving_a_rater_out_is_told_row_by_row(read: Any, house: Any) -> None:
    page = read(address(house, "split"))
    row = page.locator("[data-without=risk]")

    expect(row).to_have_text(re.compile(r"Without Risk rater\s*concluded, Pro\s*0.71\s*9 %"))
    expect(page.locator("[data-without=general]")).to_contain_text("not measured")


def test_deliberation_counts_evidence_and_conformity_and_changes_nothing(read: Any, house: Any) -> None:
    page = read(address(house, "split"))
    held = page.locator(".deliberation")

    expect(held).to_contain_text("stay the verdict of record")
    expect(held.locator(".moved")).to_contain_text("2 changes of mind: 1 by evidence")
    expect(held.locator("[data-kind=evidence]")).to_contain_text("General rater: = Tie → ▼ Con by evidence")
    expect(held.locator("[data-kind=evidence] q")).to_contain_text("61 percent name waiting")
    expect(held.locator("[data-kind=conformity]")).to_have_count(1)
    expect(held.locator(".round")).to_have_count(3)


def test_a_person_decides_where_the_panel_does_not(page: Page, house: Any) -> None:
    visit(page, house, "hostile")
    page.get_by_role("button", name="Record it").click()
    expect(page.locator(".decision .error")).to_have_text("Write your decision.")
    page.get_by_label("Decision", exact=True).fill("We try two lines first.")
    page.get_by_label("Reason", exact=True).fill("It is cheap to undo.")
    page.get_by_role("button", name="Record it").click()

    expect(page.locator(".decided")).to_contain_text("We try two lines first.")
    expect(page.locator(".decision")).to_be_hidden()
    assert house.view(name_of("hostile"))["panel"]["decision"]["reason"] == "It is cheap to undo."
    page.goto(f"{house.url}/d/{name_of('hostile')}#e{len(LOGS['hostile'])}")
    expect(page.locator(".decided")).to_have_count(0)
    expect(page.locator(".says")).to_be_visible()
    assert page.locator(".decision:visible").count() == 0


# artifact, calibration


def test_an_artifacts_verdict_has_one_headline_and_the_other_opinions_under_it(page: Page, house: Any) -> None:
    visit(page, house, "artifact")

    verdict = page.locator("#verdict")
    expect(verdict.locator(".winner")).to_have_text("◐ Conditional")
    expect(verdict.locator("p").nth(2)).to_contain_text("2 of 5 judges moved to it (1 by evidence, 1 by conformity).")
    expect(verdict.locator(".against")).to_contain_text("Security analyst ✕ Fail A release that is tested afterwards")
    expect(page.locator(".stands").first).to_contain_text("Conditional 76 % · Fail 24 %")
    expect(page.locator(".stands").nth(1)).to_contain_text("Fail 45 %")
    expect(page.get_by_text("verdict of record")).to_have_count(0)
    expect(page.get_by_role("status")).to_have_text("Ended: verdict Conditional")
    expect(page).to_have_title("release-plan.md · artifact · Moot")
    expect(page.locator("#persona-qa_evaluator")).to_contain_text("not found in the text")
    expect(page.locator("#persona-domain_expert")).to_contain_text("after round 1; on its own: Pass")
    stands = "Domain expert gave no opinion in this round: its opinion of round 1 stands."
    expect(page.locator("#round-2")).to_contain_text(stands)
    page.locator("#persona-domain_expert summary").last.click()
    expect(page.locator("#persona-domain_expert")).to_contain_text("gave no opinion: the model timed out")
    page.get_by_text("release-plan.md, ").click()
    expect(page.locator("pre mark.quoted")).to_have_text("Load tests will follow after the release.")


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("log", ["reasons", "conformity"])
def test_every_sentence_about_a_verdict_is_in_the_record(new_page: Any, house: Any, log: str, width: int) -> None:
    """``test_deliberation_sentences`` computes again, from the raw answers, what the view says."""
    page = new_page(width=width, height=900)
    visit(page, house, log)
    panel = house.view(name_of(log))["panel"]
    verdict, titles = panel["verdict"], {name: each["seat"]["title"] for name, each in panel["raters"].items()}
    signs = {"FAIL": "✕ Fail", "CONDITIONAL": "◐ Conditional", "PASS": "✓ Pass"}
    known = {
        "the verdict", "against it", "weight behind each verdict", "before they read each other",
        "findings", "remediation", signs[verdict["verdict"]], panel["says"], *verdict["reasons"],
        *(f"Agreement {verdict[name]:.2f} of 1." for name in ("agreement", "independent_agreement")),
    }  # fmt: skip
    for rater, number in panel["dissent"].items():
        said = panel["opinions"][number][rater]
        known.add(f"{titles[rater]} {signs[said['verdict']]} {said['rationale']} {said['quote']}")
    for shares in (verdict["shares"], verdict["independent_shares"]):
        ordered = sorted(shares.items(), key=lambda each: -each[1])
        known.add(" · ".join(f"{signs[name][2:]} {100 * weight:.0f} %" for name, weight in ordered))
    for point in (*verdict["named_findings"], *verdict["named_remediation"]):
        also = "".join(f"; also “{each}”" for each in point.get("alike", []))
        known.add(f"{point['text']} ({', '.join(titles[rater] for rater in point['by'])}{also})")

    lines = [line.strip() for line in page.locator("#verdict").inner_text().splitlines() if line.strip()]
    folded = {each.casefold() for each in known}
    assert [] == [line for line in lines if line.casefold() not in folded]
    assert folded == {line.casefold() for line in lines}
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_calibration_shows_records_and_every_case(page: Page, house: Any) -> None:
    visit(page, house, "calibration")

    expect(page.locator("tr[data-rater=technical]")).to_contain_text(re.compile(r"3\s*3\s*100 %"))
    expect(page.locator("tr[data-rater=risk]")).to_contain_text(re.compile(r"1\s*2\s*50 %"))
    expect(page.locator("#case-canals td")).to_have_text(["Con", re.compile("right"), re.compile("✕ wrong Pro")])
    expect(page.locator("#case-tulips td").last).to_have_text("missing")
    expect(page.locator("#progress")).to_have_text("6 of 6 verdicts")


# everywhere


def test_hostile_words_do_nothing(page: Page, house: Any) -> None:
    visit(page, house, "hostile")
    expect(page.locator("#PRO-1 .thesis")).to_have_text(HOSTILE)
    visit(page, house, "poisoned")
    expect(page.locator("#verdict .listed").first).to_contain_text(HOSTILE)

    assert page.locator("main img, body script:not([src])").count() == 0
    expect(page).to_have_title("release-plan.md · artifact · Moot")


def test_nothing_is_wider_than_a_small_screen(new_page: Any, house: Any) -> None:
    page = new_page(width=320, height=800)
    for log in LOGS:
        visit(page, house, log)
        page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true")

        assert page.evaluate("document.documentElement.scrollWidth") == 320, log


def test_details_stay_open_while_the_cursor_moves(page: Page, house: Any) -> None:
    visit(page, house, "split")
    page.locator("#rater-risk summary").click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")

    expect(page.locator(".says")).to_have_count(0)
    expect(page.locator("#rater-risk")).to_have_attribute("open", "")


def test_the_form_opens_a_protocol_with_a_panel(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    model = server.script(scripts.quick)
    page.goto(server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.locator("#new-title").click()
    page.get_by_label("Motion", exact=True).fill("Trams are better than cars")
    page.get_by_role("radio", name="Protocol").check()
    page.get_by_text("A panel of raters").click()
    page.get_by_label("Seat four raters").check()
    for role in ("pro", "con", "judge"):
        page.locator(f"select[name='{role}.model']").select_option(label="another model…")
        page.locator(f"[name='{role}.model.other']").fill(model)
    expect(page.get_by_label("Turns")).to_be_hidden()
    page.get_by_role("button", name="Open the debate").click()
    page.wait_for_url(re.compile("/d/"))
    debate = page.url.rsplit("/", 1)[1].partition("#")[0]
    opened = server.view(debate)

    assert opened["format"] == "protocol"
    assert list(opened["panel"]["raters"]) == ["technical", "business", "risk", "general"]
    expect(page.locator(".seat").last).to_contain_text("4 raters")


def test_an_unknown_rater_model_is_reported_at_the_panel(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page()
    model = server.script(scripts.quick)
    page.goto(server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.locator("#new-title").click()
    page.get_by_label("Motion", exact=True).fill("Trams are better than cars")
    page.get_by_text("A panel of raters").click()
    page.get_by_label("Seat four raters").check()
    for role in ("pro.model", "con.model", "judge.model", "raters.risk"):
        page.locator(f"select[name='{role}']").select_option(label="another model…")
        page.locator(f"[name='{role}.other']").fill("nobody:at-all" if role == "raters.risk" else model)
    page.get_by_role("button", name="Open the debate").click()

    expect(page.locator("[data-error=panel]")).to_contain_text("nobody")


def test_an_outcome_is_not_shown_before_its_event(page: Page, house: Any) -> None:
    visit(page, house, "split", f"#e{before('split', PanelConcluded)}")
    expect(page.locator(".deliberation .round")).to_have_count(3)

    assert page.locator(".says, .disputes, [data-without]").count() == 0

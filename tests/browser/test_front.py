"""The first page: the list and the form."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.laws import spread
from tests.server.evidence.files import pdf

pytestmark = pytest.mark.browser


def front(page: Page, server: Any) -> None:
    page.goto(server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()


def new_debate(page: Page, server: Any) -> None:
    front(page, server)
    page.locator("#new-title").click()


def choose(page: Page, role: str, model: str) -> None:
    page.locator(f"select[name='{role}.model']").select_option(label="another model…")
    page.locator(f"[name='{role}.model.other']").fill(model)


def test_a_debate_is_opened_and_watched(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    model = server.script(scripts.quick)
    new_debate(page, server)
    page.get_by_label("Motion", exact=True).fill("Trams are better than cars 🚲")
    expect(page.locator("#counter")).to_have_text("28 of 2,000")
    for role in ("pro", "con", "judge"):
        choose(page, role, model)
    page.get_by_label("Turns").fill("2")
    page.get_by_label("Motion", exact=True).press("Enter")
    page.wait_for_url(re.compile("/d/"))
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")

    expect(page.locator("article.turn")).to_have_count(2)
    expect(page.locator("#motion")).to_have_text("Trams are better than cars 🚲")


def test_what_opens_a_debate_stays_readable_under_the_pointer(page: Page, server: Any) -> None:
    front(page, server)
    button = page.get_by_role("button", name="Open the debate")
    button.hover()
    text, ground = button.evaluate("each => [getComputedStyle(each).color, getComputedStyle(each).backgroundColor]")

    paper = "rgb(250, 248, 244)"
    assert (paper, False) == (text, ground in {paper, "rgba(0, 0, 0, 0)"})


def test_the_form_sends_how_each_seat_is_asked(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    model = server.script(scripts.quick)
    new_debate(page, server)
    page.get_by_label("Motion", exact=True).fill("Trams are better than cars")
    page.get_by_text("A panel of raters").click()
    page.get_by_label("Seat four raters").check()
    for role in ("pro", "con", "judge"):
        choose(page, role, model)
    page.locator("[name='con.think']").select_option("off")
    page.locator("[name='judge.think']").select_option("high")
    page.locator("[name='judge.effort']").select_option("brief")
    page.get_by_role("button", name="Open the debate").click()
    page.wait_for_url(re.compile("/d/"))
    debate = page.url.rsplit("/", 1)[1].partition("#")[0]
    opened = page.request.get(f"{server.url}/api/debates/{debate}/events?limit=1").json()["events"][0]["event"]

    assert ["low", "off", "high"] == [opened[role]["think"] for role in ("pro", "con", "judge")]
    assert "brief" == opened["judge"]["effort"]
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.locator("#about > summary").click()
    expect(page.get_by_text("asked briefly")).to_be_visible()
    assert ["high"] * 4 == [seat["think"] for seat in opened["panel"]]


def test_the_form_sends_the_elasticity_of_each_side(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page()
    model = server.script(scripts.quick)
    new_debate(page, server)
    page.get_by_label("Motion", exact=True).fill("Trams are better than cars")
    page.get_by_text("A panel of raters").click()
    for role in ("pro", "con", "judge"):
        choose(page, role, model)
    page.get_by_role("radio", name="Protocol").check()
    expect(page.locator("#elasticities")).to_be_hidden()
    page.get_by_role("radio", name="Exchange").check()
    con = page.get_by_role("group", name="Elasticity").get_by_label("Con")
    con.fill("1.5")
    page.get_by_role("button", name="Open the debate").click()
    expect(page.locator("[data-error='con.elasticity']")).to_have_text("elasticity must be at most 1")
    con.fill("0")
    page.get_by_role("button", name="Open the debate").click()
    page.wait_for_url(re.compile("/d/"))
    debate = page.url.rsplit("/", 1)[1].partition("#")[0]
    opened = page.request.get(f"{server.url}/api/debates/{debate}/events?limit=1").json()["events"][0]["event"]

    assert [0.5, 0] == [opened[side]["elasticity"] for side in ("pro", "con")]


def test_a_side_of_a_protocol_has_a_character_only_if_one_is_chosen(page: Page, server: Any) -> None:
    new_debate(page, server)
    pro, con = (page.locator(f"select[name='{side}.archetype']") for side in ("pro", "con"))
    expect(pro).to_have_value("engineer")
    page.locator("#open [name=format][value=protocol]").check()
    expect(pro).to_have_value("")
    expect(page.locator("[data-note='pro.archetype']")).to_be_hidden()
    con.select_option("philosopher")
    page.locator("#open [name=format][value=exchange]").check()

    expect(pro).to_have_value("engineer")
    expect(con).to_have_value("philosopher")
    expect(pro.locator("option[value='']")).to_be_disabled()


def test_an_error_is_shown_at_its_field(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page()
    new_debate(page, server)
    for role in ("pro", "con", "judge"):
        choose(page, role, server.script(scripts.quick))
    button = page.get_by_role("button", name="Open the debate")
    for field, value in (("motion", "   "), ("turns", "0"), ("max_words", "5"), ("pro.model", "nobody:at-all")):
        said = page.locator(f"[name='{field}.other']" if field == "pro.model" else f"[name='{field}']")
        valid = "A motion" if field == "motion" else said.input_value()
        page.get_by_label("Motion", exact=True).fill("A motion")
        said.fill(value)
        button.click()

        expect(page.locator(f"[data-error='{field}']")).to_be_visible()
        expect(page.locator(f"[name='{field}']")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[aria-invalid=true]")).to_have_count(1)
        expect(button).to_be_enabled()
        said.fill(valid)


def test_the_list_finds_and_opens(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    debate = server.open(scripts.quick, motion="Zebras belong in parliaments", turns=1)
    server.concluded(debate)
    front(page, server)
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("zebras k")
    expect(page.locator("#no-match")).to_be_visible()
    page.locator("#search").fill("Zebras belong")
    expect(page.locator("#debates .debate")).to_have_count(1)
    expect(page.locator("#debates .debate")).to_contain_text("1 of 1 turn")
    page.locator("#debates .debate").click()

    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")


def test_an_empty_list_explains_the_first_step(new_page: Any, empty_server: Any) -> None:
    page = new_page()
    front(page, empty_server)

    expect(page.locator("#no-debates")).to_contain_text("Press Start yours")
    page.keyboard.press("n")
    page.get_by_role("button", name="Homework does more harm than good").click()
    expect(page.get_by_label("Motion", exact=True)).to_have_value("Homework does more harm than good")


def test_more_are_loaded_on_demand(page: Page, server: Any, scripts: SimpleNamespace) -> None:
    for number in range(27):
        server.open(scripts.quick, motion=f"Motion number {number}", turns=1)
    front(page, server)
    page.locator("#search").fill("Motion number")
    expect(page.locator("#found")).to_have_text("25 debates and more")
    expect(page.locator("#debates .debate")).to_have_count(25)
    page.get_by_role("button", name="Load more").click()

    expect(page.locator("#debates .debate")).to_have_count(27)
    expect(page.get_by_role("button", name="Load more")).to_be_hidden()


NOW = "document.querySelector('#stage .step i').getAnimations()[0].currentTime"


def test_a_moment_plays_by_itself_and_can_be_paused_and_opened(new_page: Any, empty_server: Any) -> None:
    page = new_page()
    front(page, empty_server)
    stage = page.locator("#stage")
    expect(stage).to_have_attribute("data-state", "playing")
    expect(stage).to_contain_text("Con, three turns later")
    page.get_by_role("button", name="Pause").click()
    expect(stage).to_have_attribute("data-state", "paused")
    stopped = page.evaluate(NOW)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert stopped == page.evaluate(NOW)
    assert [] == empty_server.get("/api/debates")["debates"]  # it is played, not opened

    stage.get_by_role("button", name="Play").click()
    expect(stage).to_have_attribute("data-state", "playing")
    page.wait_for_function(f"() => {NOW} !== {stopped}")
    page.get_by_role("link", name="Watch this debate").click()
    page.wait_for_url(re.compile(r"/exhibitions/juries\?play#e[1-9]"))
    assert [] == empty_server.get("/api/debates")["debates"]


WORDS = ("before", "quote", "after")


def test_the_moment_is_one_of_the_record_and_leads_to_its_event(new_page: Any, server: Any) -> None:
    page = new_page(own=True)
    page.emulate_media(reduced_motion="reduce")
    front(page, server)
    frames = server.get("/api/exhibitions/juries/frames")["frames"]
    expect(page.locator("#stage[data-state]")).to_be_attached()
    stage = page.locator("#stage")
    shown = stage.inner_text()
    quotes = [" ".join(each.split()) for each in stage.locator("mark").all_text_contents()]
    figures = stage.locator(".num s, .num .n span, .delta").all_text_contents()
    shares = stage.evaluate(
        "(element) => ['--from', '--to', '--p'].map((name) => getComputedStyle(element).getPropertyValue(name))"
    )
    page.locator("#stage-open").click()
    page.wait_for_url(re.compile(r"/exhibitions/juries#e\d+"))
    event = frames[int(page.url.rpartition("#e")[2]) - 1]["event"]
    found = server.get("/api/exhibitions/juries/course")["exposure"]

    said = [found["reason"], found["text"], *(found[part][each] for part in ("fails", "exposes") for each in WORDS)]
    assert [] == [words for words in said if words.strip("\u00a0…. ") not in shown]
    assert [f"{found[each]:.1f}" for each in ("was", "was", "now")] + [f"−{-found['points']:g}"] == figures
    assert [f"{100 * found[each]['probability']:.2f}" for each in ("since", "until", "until")] == shares
    assert "logic_gap_adjusted" == event["type"]
    assert [event["fails"]["quote"], event["exposed_by"]["quote"]] == quotes
    expect(page.locator(f"[data-turn='{event['fails']['turn']}']")).to_be_in_viewport()


def test_the_moment_stands_still_for_readers_who_prefer_less_motion(new_page: Any, server: Any) -> None:
    page = new_page(own=True)
    page.emulate_media(reduced_motion="reduce")
    front(page, server)
    stage = page.locator("#stage")
    expect(stage).to_have_attribute("data-state", "still")
    expect(stage.locator(".num .a3")).to_have_text([re.compile(r"^\d+(\.\d)?$")] * 2)

    assert 0 == page.evaluate("document.querySelector('#stage').getAnimations({ subtree: true }).length")
    expect(page.locator("#stage-toggle")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), spread([(1440, 900), (1024, 768), (844, 390), (390, 844)], 1))
def test_nothing_moves_when_the_moment_and_the_curves_come(new_page: Any, server: Any, width: int, height: int) -> None:
    """Their places are there from the start, with the widest of the fonts too."""
    page = new_page(own=True, width=width, height=height)
    page.add_init_script("""window.shifts = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { shifts += value; }))
        .observe({ type: "layout-shift", buffered: true });""")
    held: list[Route] = []
    is_open = False

    def hold(route: Route) -> None:
        if is_open:
            route.continue_()
        else:
            held.append(route)

    page.route("**/api/exhibitions/*/course", hold)
    with page.expect_request("**/api/exhibitions/*/course"):
        front(page, server)
        page.locator("#exhibition-list a.card").first.scroll_into_view_if_needed()  # it asks when it is seen
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    before = page.evaluate("shifts")
    is_open = True
    for route in held:
        route.continue_()
    expect(page.locator("#stage[data-state]")).to_be_attached()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert before == page.evaluate("shifts")


def test_without_the_exhibition_the_page_works(new_page: Any, server: Any) -> None:
    page = new_page(own=True)  # its routes end with it
    page.route("**/api/exhibitions/*/course", lambda route: route.fulfill(status=404, body="{}"))
    front(page, server)

    expect(page.locator("#stage mark")).to_have_count(2)
    expect(page.locator("#exhibition-list a.card").first).to_be_visible()
    expect(page.get_by_role("button", name="Open the debate")).to_be_enabled()


def status_of(name: str, *, ok: bool = True) -> dict[str, Any]:
    return {"name": name, "provider": name.partition(":")[0], "ok": ok, "detail": "", "hint": "", "caveat": ""}


def test_where_only_the_embedded_model_answers_one_line_says_how_to_get_another(new_page: Any, server: Any) -> None:
    """A model that appears is offered, and what the reader chose stays."""
    known = [status_of("embedded:smollm2"), status_of("ollama", ok=False)]
    answer = {"models": known, "default": "embedded:smollm2", "default_judge": "embedded:smollm2", "load": []}
    page = new_page(own=True)  # its clock and its routes end with it
    page.clock.install()
    page.route("**/api/models", lambda route: route.fulfill(json=answer))
    new_debate(page, server)
    expect(page.locator("#only-embedded")).to_contain_text("Ollama on this machine")
    expect(page.locator("select[name='pro.model']")).to_have_value("embedded:smollm2")
    page.locator("select[name='con.model']").select_option("embedded:smollm2")

    known[1] = status_of("ollama:qwen3")
    answer["default"] = answer["default_judge"] = "ollama:qwen3"
    page.clock.run_for(10_500)
    expect(page.locator("#appeared")).to_have_text("Now available: ollama:qwen3")
    expect(page.locator("#only-embedded")).to_be_hidden()
    expect(page.locator("select[name='pro.model']")).to_have_value("ollama:qwen3")
    expect(page.locator("select[name='judge.model']")).to_have_value("ollama:qwen3")
    expect(page.locator("select[name='con.model']")).to_have_value("embedded:smollm2")


def test_the_form_says_what_the_debate_will_take(new_page: Any, server: Any) -> None:
    page = new_page()
    new_debate(page, server)
    choose(page, "pro", "ollama:x")
    says = "It takes about a minute on this machine, about 23 calls, no cost."
    answer = {"calls": 23, "seconds": 64, "cost_usd": 0, "max_words": 70, "says": says}
    page.route("**/api/estimate", lambda route: route.fulfill(json=answer))
    page.get_by_label("Turns").fill("3")

    expect(page.locator("#takes")).to_have_text(says)
    expect(page.get_by_label("Words per turn")).to_have_attribute("placeholder", "70")


def test_limits_stand_in_the_address_and_a_link_keeps_them(
    new_page: Any, server: Any, scripts: SimpleNamespace
) -> None:
    motion = "Otters should be mayors"
    ended = server.open(scripts.quick, motion=motion, turns=1)
    server.concluded(ended)
    server.halt(server.open(scripts.silent_in(1), motion=motion))
    page = new_page(own=True)
    page.goto(f"{server.url}/?q=otters&state=halted")
    expect(page.locator("#debates .debate")).to_have_count(1)
    expect(page.locator("#debates .debate")).to_have_attribute("data-state", "halted")
    page.get_by_label("State").select_option("ended")
    expect(page.locator("#debates .debate")).to_have_attribute("data-state", "concluded")
    expect(page).to_have_url(re.compile("q=otters&state=concluded"))

    page.locator("#limits [name=format]").select_option("protocol")
    expect(page.locator("#no-match")).to_be_visible()
    page.reload()
    expect(page.locator("#no-match")).to_be_visible()
    expect(page.locator("#limits [name=format]")).to_have_value("protocol")


def test_an_exhibition_is_not_listed_unless_the_reader_wants_it(new_page: Any, own_server: Any) -> None:
    debate = own_server.http.post("/api/debates", json={"exhibition": "juries"}).json()["id"]
    page = new_page(own=True)
    front(page, own_server)
    expect(page.locator("#no-debates")).to_be_visible()
    expect(page.locator("#live")).to_be_hidden()
    page.get_by_role("button", name="List them too").click()
    expect(page.get_by_label("With exhibitions")).to_be_checked()
    expect(page.locator("#played")).to_be_hidden()
    expect(page.locator("#live .debate")).to_have_count(1)
    expect(page.locator("#debates .debate")).to_have_count(0)  # what is live is listed once
    own_server.halt(debate)
    expect(page.locator("#debates .debate")).to_have_count(1)
    expect(page.locator("#live .debate")).to_have_count(0)


def test_live_debates_come_first(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    debate = server.open(scripts.silent_in(1), motion="Live debates come first")
    page = new_page(own=True)
    front(page, server)
    expect(page.locator("#live .debate").first).to_contain_text("Live debates come first")
    assert page.evaluate("document.querySelector('#live').offsetTop < document.querySelector('#stage').offsetTop")
    server.halt(debate)


def test_a_log_is_imported_on_the_page(
    new_page: Any, server: Any, own_server: Any, scripts: SimpleNamespace, tmp_path: Path
) -> None:
    debate = server.open(scripts.quick, motion="An imported motion", turns=1)
    server.concluded(debate)
    log = tmp_path / "log.ndjson"
    log.write_bytes(server.http.get(f"/api/debates/{debate}/events.ndjson").content)
    page = new_page(own=True)
    front(page, own_server)
    broken = log.read_bytes().replace(b"An imported motion", b"Another motion")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import a log…").click()
    chooser.value.set_files({"name": "b.ndjson", "mimeType": "text/plain", "buffer": broken})
    expect(page.locator("#list-error")).to_contain_text("b.ndjson was not imported: ")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import a log…").click()
    chooser.value.set_files(log)
    page.wait_for_url(re.compile(debate))
    expect(page.locator("#motion")).to_have_text("An imported motion")


DROP = """([name, type, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type }));
    const form = document.querySelector("#open");
    for (const kind of ["dragover", "drop"]) {
        form.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
    }
}"""


GERMAN = "Die Stadt hat die Fahrpreise abgeschafft. Die Zahl der Fahrgäste ist danach gestiegen. " * 2


def test_documents_are_chosen_and_dropped_on_the_form(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page: Page = new_page()
    model = server.script(scripts.quick)
    new_debate(page, server)
    page.get_by_label("Motion", exact=True).fill("Cities should ban cars")
    shade = {"name": "shade.pdf", "mimeType": "application/pdf", "buffer": pdf(["Trees cool a street."], title="Shade")}
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="choose files").click()
    chosen.value.set_files([shade])  # type: ignore[list-item]
    items = page.locator("#document-list li")
    expect(items).to_contain_text(["shade.pdf “Shade” · PDF · 1 passage"])
    page.evaluate(DROP, ["<b>cars</b>.md", "text/markdown", "# Cars\n\nCities ban cars."])
    expect(items.nth(1)).to_contain_text("<b>cars</b>.md “Cars” · Markdown · 1 passage")
    page.evaluate(DROP, ["bericht.txt", "text/plain", GERMAN])
    expect(items.nth(2)).to_contain_text("bericht.txt text · 1 passage · in German")
    expect(page.locator("#takes")).to_contain_text(
        "Of a document in German passages are found by numbers and names only."
    )
    page.get_by_role("button", name="Remove bericht.txt").click()
    page.evaluate(DROP, ["none.txt", "text/plain", ""])
    expect(page.locator("[data-error=evidence]")).to_have_text("none.txt is empty")
    expect(items).to_have_count(2)
    page.evaluate(DROP, ["more.txt", "text/plain", "More of it."])
    page.get_by_role("button", name="Remove more.txt").click()
    expect(items).to_have_count(2)
    items.nth(1).get_by_text("How it is read").click()
    expect(items.nth(1)).to_contain_text("Cars: Cities ban cars.")
    for role in ("pro", "con", "judge"):
        choose(page, role, model)
    page.get_by_label("Turns").fill("1")
    page.get_by_role("button", name="Open the debate").click()
    page.wait_for_url(re.compile("/d/"))
    debate = page.url.rsplit("/", 1)[1].partition("#")[0]

    events = page.request.get(f"{server.url}/api/debates/{debate}/events?limit=3").json()["events"]
    supplied = [each["event"] for each in events if each["event"]["type"] == "evidence_supplied"]
    assert ["shade.pdf", "<b>cars</b>.md"] == [each["document"]["name"] for each in supplied]
    assert ["E1", "E2"] == [passage["id"] for each in supplied for passage in each["passages"]]

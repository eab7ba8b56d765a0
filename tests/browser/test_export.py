"""A debate exported to one file and opened from disk without a network; a debate embedded in another site."""

import http.server
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from events.text.figures import rounded
from server.export.receipt.keys import has_keys, make_keys, read_keys
from server.settings import Settings

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>document.title='broken in'</script><img src=x onerror=\"document.title='broken in'\"><!--"
CARDS = """() => Object.fromEntries([...document.querySelectorAll('article.turn')].map((article) => [
  article.dataset.turn, [...article.querySelectorAll('.scores [data-dimension]')].map((each) =>
    [each.dataset.dimension, Number(each.querySelector('b').textContent)])]))"""
ASKED = "(path) => globalThis.moot.copy.answer(path)"


def opened(page: Page, server: Any, debate: str, folder: Path, rest: str = "") -> None:
    """Export a debate and open the file from disk without a network."""
    file = folder / "debate.html"
    file.write_bytes(server.http.get(f"/api/debates/{debate}/export.html").content)
    page.context.set_offline(True)
    page.goto(f"{file.as_uri()}{rest}")
    expect(page.locator("body[data-ready]")).to_be_attached()


def test_the_file_replays_by_keyboard_with_the_network_off(
    page: Page, server: Any, ended: str, tmp_path: Path, watched: Any
) -> None:
    opened(page, server, ended, tmp_path)
    view = server.view(ended)
    head, turns = view["position"], view["turns"]
    expect(page.get_by_role("status")).to_have_text("Ended")
    for key, position in (
        ("ArrowLeft", head - 1),
        ("ArrowRight", head),
        ("Home", 1),
        ("ArrowRight", 2),
        ("Shift+ArrowRight", turns["1"]["judged"]),
        ("Shift+ArrowRight", turns["2"]["judged"]),
        ("End", head),
    ):
        page.keyboard.press(key)
        expect(page.locator("#slider")).to_have_value(str(position))
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(r"debate\.html\?speed=2$"))
    page.keyboard.press("Space")
    expect(page.get_by_role("status")).to_have_text("Replaying at 2×")
    page.locator("#speed").select_option("At once")
    expect(page.get_by_role("status")).to_have_text("Ended")

    assert [page.url.split("?")[0]] == [url for url in watched.requests if not url.startswith("data:")]


def test_scores_in_the_middle_are_those_of_the_server(page: Page, server: Any, ended: str, tmp_path: Path) -> None:
    middle = server.view(ended)["turns"]["2"]["judged"]
    opened(page, server, ended, tmp_path, f"#e{middle}")
    expect(page.locator("article.turn")).to_have_count(2)
    turns = server.get(f"/api/debates/{ended}?at={middle}")["turns"]
    shown = page.evaluate(CARDS)

    told = {
        number: {name: score["effective"] for name, score in turn["scores"].items()} | {"composite": turn["composite"]}
        for number, turn in turns.items()
    }

    assert told.keys() == shown.keys()
    for number, scores in shown.items():
        assert {"logic", "rhetoric", "tactics", "composite"} <= dict(scores).keys()
        assert {name: pytest.approx(told[number][name], abs=0.005) for name, _ in scores} == dict(scores)


def assert_told_by_events(server: Any, debate: str, told: list[Any], said: dict[str, Any]) -> None:
    """A copy tells a difference by events that made it, in the server's sentences; the server tells it by values."""
    sentences = said.pop("sentences")
    page = server.get(f"/api/debates/{debate}/frames?limit=1000")
    words = {frame["position"]: each["words"] for frame, each in zip(page["frames"], page["said"], strict=True)}
    made = {position for change in said["changes"] for position in change["because_of"]}

    assert 0 < len(sentences) <= 12
    assert len(told) > 0
    for each in sentences:
        (position,) = each["because_of"]
        assert position in made
        assert f"{words[position]}.".lower() == each["text"].lower()


def test_a_copy_answers_as_the_server_does(page: Page, server: Any, ended: str, tmp_path: Path) -> None:
    opened(page, server, ended, tmp_path)
    root, head = f"/api/debates/{ended}", server.view(ended)["position"]
    call = next(
        event["event"]["call"]
        for event in server.get(f"{root}/events")["events"]
        if event["event"]["type"] == "model_answered" and event["event"]["purpose"] == "score"
    )
    paths = (
        "",
        f"?at={head // 2}",
        "?at=1",
        "/frames?after=3&limit=7",
        f"/frames?after={head - 2}&limit=5",
        "/audit/turns/1",
        f"/calls/{call}",
        f"/diff?from=0&to={head}",
        f"/diff?from={head // 3}&to={head - 1}",
    )
    for rest in paths:
        told, said = server.get(root + rest), page.evaluate(ASKED, root + rest)
        if "diff" in rest:  # changes come in the order of the keys, which has no meaning
            for each in (told, said):
                each["changes"].sort(key=lambda change: change["keys"])
            assert_told_by_events(server, ended, told.pop("sentences"), said)

        assert told == said, rest
    assert page.evaluate(ASKED, f"{root}/calls/none") is None


def test_hostile_words_do_nothing_in_the_file(page: Page, server: Any, tmp_path: Path) -> None:
    script = {"label": HOSTILE, "says": {"pro": [HOSTILE], "con": [HOSTILE]}}
    debate = server.open(script, motion=f"This house trusts {HOSTILE}", turns=2)
    server.concluded(debate)
    opened(page, server, debate, tmp_path)

    expect(page.locator("[data-turn='2'] .said")).to_have_text(HOSTILE)
    expect(page.locator("#motion")).to_contain_text(HOSTILE)
    assert "broken in" != page.title()
    assert page.locator("main img, main script").count() == 0
    assert page.locator("script").count() == 4


def test_a_copy_of_a_live_debate_says_so_and_nothing_is_done_in_it(
    page: Page, server: Any, scripts: SimpleNamespace, tmp_path: Path
) -> None:
    debate = server.open(scripts.slow, turns=6)
    opened(page, server, debate, tmp_path)

    expect(page.get_by_role("status")).to_have_text(re.compile(r"^A copy, exported at event \d+$"))
    expect(page.locator("#copy-note")).to_contain_text("The debate had not ended")
    expect(page.locator("#moderator")).to_be_hidden()
    server.http.post(f"/api/debates/{debate}/halt", json={"reason": "the test is over"})


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Any]:
    """Another site: it frames the address that its query names."""

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            framed = self.path.partition("?")[2]
            frame = f'<iframe src="{framed}" width="700" height="500"></iframe>'
            self.wfile.write(f'<title>x</title><link rel="icon" href="data:,">{frame}'.encode())

        def log_message(self, *_: Any) -> None:
            """Nothing reads the log of this site."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://localhost:{site.server_port}/"
        site.shutdown()


def test_another_site_may_frame_the_embedded_page(page: Page, server: Any, ended: str, elsewhere: str) -> None:
    card = server.view(ended)["scorecard"]
    page.goto(f"{elsewhere}?{server.url}/d/{ended}/embed")
    frame = page.frame_locator("iframe")

    expect(frame.locator("article.turn")).to_have_count(4)
    expect(frame.get_by_role("status")).to_have_text("Ended")
    expect(frame.locator("#lead")).to_be_visible()
    frame.locator("#menu > summary").click()
    expect(frame.locator("#score-summary")).to_contain_text(f"▲ {rounded(card['pro']['composite'])}")
    expect(frame.get_by_role("link", name="Open in Moot")).to_have_attribute("href", f"/d/{ended}")
    for hidden in (".brand", "#copy", ".menu", "[data-view-button=audit]", "aside"):
        expect(frame.locator(hidden)).to_be_hidden()
    assert (frame.locator("#slider").bounding_box() or {"width": 0})["width"] > 400
    frame.locator("[data-view-button=score]").click()
    expect(frame.locator("#scorecard .pairs")).to_be_visible()
    frame.locator("#play").click()
    expect(frame.locator("#where")).to_contain_text("event ")


def test_another_site_may_frame_a_turn_as_a_card(page: Page, server: Any, elsewhere: str) -> None:
    debate = server.exhibit("juries")
    turn = server.view(debate)["turns"]["3"]
    page.goto(f"{elsewhere}?{server.url}/d/{debate}/turns/3/card")
    frame = page.frame_locator("iframe")

    expect(frame.locator(".motion")).to_have_text("This house would replace juries with trained judges")
    quote = frame.locator("blockquote").text_content() or ""
    assert quote.strip("“”") in turn["text"]
    expect(frame.locator("footer")).to_contain_text("▲ Pro strategist, turn 3")
    expect(frame.locator(".score")).to_have_text(f"{turn['composite']:g}/100, at first {turn['composite_admitted']:g}")
    link = frame.get_by_role("link", name="Read the debate in Moot")
    expect(link).to_have_attribute("href", f"/d/{debate}?turn=3")


def test_selected_words_of_a_turn_become_the_quote_of_its_card(page: Page, server: Any) -> None:
    page.goto(f"{server.url}/d/{server.exhibit('juries')}")
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.locator("#menu > summary").click()
    page.locator(".menu > summary").click()
    code = page.get_by_label("Code to embed a card of one turn")
    expect(code).to_have_value(re.compile("/turns/6/card"))
    page.keyboard.press("Escape")
    words = "bound by them"
    page.evaluate(
        """(words) => {
          const said = document.querySelector("[data-turn='3'] .said");
          const walker = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
          while (walker.nextNode() && !walker.currentNode.data.includes(words));
          const start = walker.currentNode.data.indexOf(words);
          getSelection().setBaseAndExtent(walker.currentNode, start, walker.currentNode, start + words.length);
        }""",
        words,
    )
    for menu in ("#menu", ".menu"):  # a click of Playwright would end the selection
        page.locator(menu).evaluate("(menu) => { menu.open = true; }")
    expect(code).to_have_value(re.compile("/turns/3/card[?]quote=bound[+]by[+]them"))
    page.goto(server.url + (page.get_by_role("link", name="See the card").get_attribute("href") or ""))

    expect(page.locator("blockquote")).to_have_text(f"“{words}”")


def test_no_other_page_is_framed_elsewhere(new_page: Any, server: Any, ended: str, elsewhere: str) -> None:
    page = new_page()
    page.goto(f"{elsewhere}?{server.url}/d/{ended}")

    assert page.frames[1].locator("body.page").count() == 0


def test_nothing_is_done_from_within_another_site(new_page: Any, server: Any, scripts: SimpleNamespace) -> None:
    page = new_page()
    debate = server.open(scripts.slow, turns=6)
    page.goto(f"{server.url}/d/{debate}/embed")
    expect(page.locator("body[data-ready]")).to_be_attached()
    said = page.evaluate(
        "async (id) => { const { api } = await import('/static/parts/api.js');"
        " return api.act(id, 'halt', 'x').then(() => 'done', (error) => error.message); }",
        debate,
    )

    expect(page.locator("#moderator")).to_be_hidden()
    assert said == "This is an embedded debate. Open it in Moot to take part."
    assert server.view(debate)["state"] == "open"
    server.http.post(f"/api/debates/{debate}/halt", json={"reason": "the test is over"})


def test_the_menu_offers_a_receipt_and_the_file_verifies_it_and_refuses_changes(
    page: Page, server: Any, ended: str, tmp_path: Path
) -> None:
    settings = Settings(store=f"sqlite:{server.folder / 'moot.db'}")
    keys = read_keys(settings) if has_keys(settings) else make_keys(settings)
    page.goto(f"{server.url}/d/{ended}")
    page.locator("#menu > summary").click()
    page.locator("#menu").get_by_text("Share, export, embed").click()
    link = page.locator("#export").get_by_role("link", name="Receipt")
    expect(link).to_be_visible()
    receipt = server.http.get(str(link.get_attribute("href"))).raise_for_status().content
    log = server.http.get(f"/api/debates/{ended}/events.ndjson?names=short").content
    files = {
        "receipt": receipt,
        "log": log,
        "keys": json.dumps(keys.jwks).encode(),
        "other receipt": receipt.replace(b'"payload":"', b'"payload":" '),
        "other log": log.replace(b'"winner":"', b'"winner": "'),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    opened(page, server, ended, tmp_path)
    page.get_by_text("Verify a receipt of this debate").click()
    says = page.locator("#receipt").get_by_role("status")
    for field, name, told in (
        ("receipt", "receipt", ""),
        ("log", "log", ""),
        ("keys", "keys", "Verified with the key"),
        ("log", "other log", "Refused: the log is not the one of the receipt."),
        ("log", "log", "Verified with the key"),
        ("receipt", "other receipt", "Refused:"),
    ):
        page.locator(f"#receipt input[name={field}]").set_input_files(tmp_path / name)
        expect(says).to_contain_text(told)


def test_the_page_and_the_file_say_of_each_speech_where_it_comes_from(
    page: Page, server: Any, ended: str, tmp_path: Path
) -> None:
    view = server.view(ended)
    origins = [turn["origin"] for turn in view["turns"].values()]
    assert {"script"} == {each["kind"] for each in origins}
    page.goto(f"{server.url}/d/{ended}")
    for is_copy in (False, True):
        if is_copy:
            opened(page, server, ended, tmp_path)
        expect(page.locator("#mark")).to_have_text(view["mark"]["text"])
        expect(page.locator("article.turn .who .origin")).to_have_text(["· scripted"] * len(origins))
        for place, each in enumerate(origins):
            expect(page.locator("article.turn .who .origin").nth(place)).to_have_attribute("title", each["text"])

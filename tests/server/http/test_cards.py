"""A turn as a card for other sites: its words, its score, the judge's doubts, and text that stays text."""

from typing import Any

from tests.server.site import Site, refused

HOSTILE = '<script>alert(1)</script> & "quotes" of a turn'


def test_a_card_quotes_the_turn_and_any_site_may_frame_it(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    turn = site.get(f"/api/debates/{debate}")["turns"]["1"]
    answer = site.client.get(f"/d/{debate}/turns/1/card")

    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "<script" not in answer.text
    assert f"<b>{turn['composite']:.4g}</b>/100" in answer.text
    assert f'href="/d/{debate}?turn=1"' in answer.text


def test_chosen_words_must_be_in_the_turn(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    words = " ".join(site.get(f"/api/debates/{debate}")["turns"]["1"]["text"].split()[:3])

    assert f"“{words}”" in site.client.get(f"/d/{debate}/turns/1/card", params={"quote": words}).text
    refused(site.client.get(f"/d/{debate}/turns/1/card?quote=never+said"), 400, "quote")
    refused(site.client.get(f"/d/{debate}/turns/99/card"), 404)
    refused(site.client.get("/d/nobody/turns/1/card"), 404)


def test_a_wrong_request_of_a_browser_is_answered_with_a_page(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    for path, status, says in (
        (f"/d/{debate}/turns/99/card", 404, "There is no turn 99 in this debate."),
        (f"/d/{debate}/turns/1/card?quote=%3Cb%3Enever", 400, "These words are not in the turn."),
        (f"/d/{debate}/turns/x/card", 404, "x"),
        ("/d/nobody/turns/1/card", 404, "nobody"),
        ("/d/nobody/preview.png", 404, "nobody"),
        ("/compare", 400, "a must name a debate"),
        (f"/compare?a={debate}&b=nobody", 404, "nobody"),
    ):
        shown = site.client.get(path, headers={"accept": "text/html"})

        assert (status, "text/html; charset=utf-8") == (shown.status_code, shown.headers["content-type"]), path
        assert says in shown.text
        assert "<b>" not in shown.text
        assert ("Nothing is here" in shown.text) == (status == 404 and "compare" not in path)
        assert "content-security-policy" in shown.headers
        if "compare" not in path:
            refused(site.client.get(path), status, "quote" if status == 400 else None)
    refused(site.client.get("/api/debates/nobody", headers={"accept": "text/html"}), 404)


def test_markup_in_a_turn_is_text(site: Site, script: Any) -> None:
    debate = site.open(script(says={"pro": [HOSTILE], "con": [HOSTILE]}))
    site.ended(debate)
    page = site.client.get(f"/d/{debate}/turns/1/card").text

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;" in page

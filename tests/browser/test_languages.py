"""Words of debaters and judge carry the language of the debate and their own direction; the page's words do not."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, expect

from judge.live.scoring import applicable
from judge.rubrics.rubric import rubric_v2
from tests.browser.conftest import expect_changes
from tests.laws import spread

pytestmark = pytest.mark.browser

SPEECHES = msgspec.json.decode((Path(__file__).parents[1] / "judge/speeches_in_seven_languages.json").read_bytes())
MOTIONS = {
    "ar": "ينبغي للمدن أن تغلق مراكزها أمام السيارات الخاصة",
    "zh": "城市应该禁止私人汽车进入市中心",
    "de": "Die Städte sollten ihre Zentren für private Autos sperren",
}
REASONS = {"ar": "السبب مذكور بوضوح.", "zh": "原因说得清楚。", "de": "Der Grund ist genannt."}
MARKED = """(element) => {
  const { lang, dir } = element;
  return { lang, dir, direction: getComputedStyle(element).direction, text: element.textContent };
}"""


def script(language: str) -> dict[str, Any]:
    speech, reason = SPEECHES[language], REASONS[language]
    score = {
        "components": {
            name: ({"quote": speech[:30]} if each.needs_quote else {}) | {"reason": reason, "points": 5}
            for name, each in applicable(rubric_v2(), 1).items()
        }
    }
    claims = {"claims": [{"quote": speech[:30], "reason": reason, "kind": "hollow_specificity"}]}
    answers = {"score:1": score, "score:2": score, "claims:1": claims}
    return {"label": "A script.", "pace": {}, "says": {"pro": [speech], "con": [speech]}, "answers": answers}


def check(page: Page, language: str) -> None:
    direction = "rtl" if language == "ar" else "ltr"
    expect_changes(page)
    said = page.locator("[data-turn='1'] .said").evaluate(MARKED)
    motion = page.locator("#motion").evaluate(MARKED)
    page.locator("[data-turn='1'] details.why > summary").click()
    reason = page.locator("[data-turn='1'] details.why p").filter(has_text=REASONS[language]).first
    claim = page.locator("#claims q").first.evaluate(MARKED)

    assert {"lang": language, "dir": "auto", "direction": direction, "text": SPEECHES[language]} == said
    assert {"lang": language, "dir": "auto", "direction": direction, "text": MOTIONS[language]} == motion
    assert (language, direction) == (claim["lang"], claim["direction"])
    expect(reason.locator(f"span[lang={language}]")).to_have_text(REASONS[language])
    assert direction == reason.evaluate(MARKED)["direction"]
    for own in ("#status", "#scorecard th", ".who", "[data-turn='1'] .entries", "#claims p.quiet"):
        assert not page.locator(own).first.evaluate("(element) => element.closest('[lang]:not(html)')"), own


@pytest.mark.parametrize("language", spread(MOTIONS, 1))
def test_words_of_the_debate_have_its_language_and_direction(page: Page, server: Any, language: str) -> None:
    debate = server.open(script(language), motion=MOTIONS[language], turns=2)
    assert language == server.concluded(debate)["language"]
    page.goto(f"{server.url}/d/{debate}")
    expect(page.locator("body[data-ready]")).to_be_attached()

    check(page, language)


def test_a_file_has_them_too(page: Page, server: Any, tmp_path: Path) -> None:
    debate = server.open(script("ar"), motion=MOTIONS["ar"], turns=2)
    server.concluded(debate)
    file = tmp_path / "debate.html"
    file.write_bytes(server.http.get(f"/api/debates/{debate}/export.html").content)
    page.goto(file.as_uri())
    expect(page.locator("body[data-ready]")).to_be_attached()

    check(page, "ar")


def test_an_english_debate_marks_nothing(page: Page, server: Any, ended: str) -> None:
    page.goto(f"{server.url}/d/{ended}")
    expect(page.locator("article.turn")).to_have_count(4)

    assert 0 == page.locator("#transcript [lang], #claims [lang], aside [lang]").count()

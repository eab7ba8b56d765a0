"""A debate in each of seven languages: prompts tell the language, quotes and words count."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.text.languages import LANGUAGES, language_name, tokens_a_word
from events.types import DebateOpened, ModelAnswered, ModelFailed, TurnScored, TurnSpoken
from judge.live.scoring import applicable
from judge.rubrics.rubric import rubric_v1, rubric_v2
from tests.server.harness import harness

pytestmark = pytest.mark.anyio

SPEECHES = msgspec.json.decode((Path(__file__).parents[2] / "judge/speeches_in_seven_languages.json").read_bytes())
MOTIONS = {
    "en": "Cities should close their centres to private cars",
    "de": "Die Städte sollen ihre Zentren für private Autos sperren",
    "fr": "Les villes devraient fermer leur centre aux voitures privées",
    "es": "Las ciudades deberían cerrar sus centros a los coches privados",
    "hi": "शहरों को अपने केंद्र निजी कारों के लिए बंद कर देने चाहिए",
    "zh": "城市应该禁止私人汽车进入市中心",
    "ar": "ينبغي للمدن أن تغلق مراكزها أمام السيارات الخاصة",
}
QUOTES = {
    "en": "Trams carry more people",
    "de": '"ihre Kunden verlieren", sollte',
    "fr": "perdront leurs clients",
    "es": "¿Quién dice que las tiendas",
    "hi": "45 प्रतिशत महीन धूल",
    "zh": "电车在同一条街道上",
    "ar": "لأن قطارا واحدا",
}
"""Some with other marks or digits than the speech, as models copy them."""


async def held(script: Any, spoken: str, rubric: Any, **request: Any) -> list[Any]:
    components = applicable(rubric, 1).items()
    score = {
        "components": {
            name: ({"quote": QUOTES[spoken]} if each.needs_quote else {}) | {"reason": "so", "points": 5}
            for name, each in components
        }
    }
    async with harness() as h:
        says = {"pro": [SPEECHES[spoken]], "con": [SPEECHES[spoken]]}
        model = script(says=says, answers={"score:1": score, "score:2": score})
        debate = await h.open(model, turns=2, motion=MOTIONS[spoken], rubric=msgspec.to_builtins(rubric), **request)
        await h.ended(debate)
        return await h.events(debate)


def prompts_by_key(events: list[Any]) -> dict[str, list[str]]:
    answered = [each for each in events if isinstance(each, ModelAnswered | ModelFailed)]
    texts = {digest: text for each in answered for digest, text in each.segments.items()}
    return {each.key: [texts[digest] for _, digest in each.prompt] for each in answered}


@pytest.mark.parametrize("language", SPEECHES)
async def test_debaters_and_judge_are_told_the_language_of_the_motion(script: Any, language: str) -> None:
    events = await held(script, language, rubric_v2())
    prompts, name = prompts_by_key(events), language_name(language)
    asked = {key: prompt for key, prompt in prompts.items() if not key.startswith("speak")}

    assert language == events[0].language
    assert all(f"in {name}, in plain prose" in prompts[f"speak:{side}"][0] for side in ("pro", "con"))
    assert {"score:1", "claims:1", "premises:1", "compare:1-2", "gaps:2", "narrative"} <= asked.keys()
    assert all(f"Give your reasons in {name}." in prompt[1] for prompt in asked.values())
    assert {language != "en"} == {f"Write every text of your answer in {name}." in each[-1] for each in asked.values()}


@pytest.mark.parametrize("language", SPEECHES)
async def test_quotes_of_every_language_count(script: Any, language: str) -> None:
    events = await held(script, language, rubric_v2())
    spoken = next(each for each in events if isinstance(each, TurnSpoken))
    scored = next(each for each in events if isinstance(each, TurnScored))

    assert spoken.text == SPEECHES[language]
    for name, component in applicable(rubric_v2(), 1).items():
        if component.needs_quote:
            assert scored.components[name].verified
            assert scored.components[name].span


@pytest.mark.parametrize("language", SPEECHES)
async def test_a_speech_is_cut_within_its_words_at_the_end_of_a_sentence(script: Any, language: str) -> None:
    events = await held(script, language, rubric_v2(), max_words=40)
    spoken = next(each for each in events if isinstance(each, TurnSpoken))

    assert spoken.clipped
    assert 20 <= spoken.words <= 40
    assert spoken.text[-1] in ".。।?"
    assert SPEECHES[language].startswith(spoken.text)


async def test_under_rubric_version_1_no_prompt_tells_a_language(script: Any) -> None:
    arabic = prompts_by_key(await held(script, "ar", rubric_v1()))

    judged = [text for key, prompt in arabic.items() if not key.startswith("speak") for text in prompt]
    assert not any("Arabic" in text for text in judged)


async def test_a_speech_and_an_answer_get_more_tokens_where_words_take_more(script: Any) -> None:
    most = {}
    for language in ("en", "ar"):
        events = await held(script, language, rubric_v2())
        answered = [each for each in events if isinstance(each, ModelAnswered)]
        most[language] = {each.key: each.parameters["max_tokens"] for each in answered}

    assert most["en"]["speak:pro"] == 328
    assert most["ar"]["speak:pro"] == 850
    assert most["ar"]["score:1"] == round(most["en"]["score:1"] * 4.5 / 1.6)


def test_every_language_has_its_tokens() -> None:
    assert {each for each in LANGUAGES if tokens_a_word(each) >= 1.6} == set(LANGUAGES)


async def test_a_language_may_be_named(script: Any) -> None:
    events = await held(script, "en", rubric_v2(), language="de")

    assert isinstance(events[0], DebateOpened)
    assert "de" == events[0].language


async def test_statements_and_raters_are_told_the_language(script: Any) -> None:
    async with harness() as h:
        model = script(says={}, answers={})
        panel = [{"rater": name, "model": model} for name in ("technical", "business")]
        debate = await h.open(
            model,
            turns=8,
            motion=MOTIONS["ar"],
            format="protocol",
            rubric=msgspec.to_builtins(rubric_v2()),
            panel=panel,
        )
        await h.ended(debate)
        prompts = prompts_by_key(await h.events(debate))

    purposes = {key.partition(":")[0] for key in prompts}
    assert {"open", "cross", "close", "assess", "panel"} <= purposes
    told = "Write every text of your answer in Arabic."
    assert set() == {key for key, prompt in prompts.items() if not any(told in text for text in prompt)}

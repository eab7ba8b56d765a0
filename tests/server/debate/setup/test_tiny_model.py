"""SmolLM2 as a debater: a shorter turn by default, and speeches that are begun for it."""

from typing import Any

import pytest
from msgspec import UNSET

from events.types import DebateOpened
from events.view import view as views
from providers.base import Segment
from providers.registry import Registry
from server.debate.formats.prompts import speech_prompt
from server.debate.formats.steps import Speak
from server.debate.setup import opening
from server.debate.setup.estimate import estimate
from server.debate.setup.request import as_request
from server.people.names import NAME as PERSON
from server.people.provider import People
from tests.server.debate_events import Play
from tests.server.harness import QUICK

pytestmark = pytest.mark.anyio
TINY = "embedded:smollm2"


async def opened(pro_model: str, con_model: str, **request: Any) -> DebateOpened:
    seats = {side: {"model": model} for side, model in (("pro", pro_model), ("con", con_model)) if model}
    body = {"motion": "Cities should ban cars", **seats, **request}
    registry = Registry()
    registry.add(PERSON, People)
    try:
        return await opening.build_opening(as_request({"judge": {"model": con_model}, **body}), registry, QUICK)
    finally:
        await registry.close()


@pytest.mark.slow
async def test_its_turns_are_short_unless_the_request_says_otherwise(script: Any) -> None:
    other = script()

    assert [70, 70, 180] == [
        (await opened(*seats)).max_words for seats in ((TINY, TINY), (other, TINY), (other, other))
    ]
    assert 120 == (await opened(TINY, TINY, max_words=120)).max_words
    assert 70 == estimate(await opened(TINY, other)).max_words


async def test_a_person_against_it_has_the_words_of_a_debate(script: Any) -> None:
    judge = {"model": script()}
    small = await opened(TINY, "", con={"person": "Ada"}, judge=judge)
    wished = await opened(TINY, "", con={"person": "Ada"}, judge=judge, max_words=120)
    mine = Play(await opened("", TINY, pro={"person": "Ada"}, judge=judge))
    (of_model,), (of_person,) = Play(small).steps, mine.steps
    view = views.apply_all(views.INITIAL, mine.records).view

    assert (180, 70, UNSET) == (small.max_words, small.pro.max_words, small.con.max_words)
    assert (120, UNSET) == (wished.max_words, wished.pro.max_words)
    assert isinstance(of_model, Speak)
    assert isinstance(of_person, Speak)
    assert [70, 180] == [of_model.max_words, of_person.max_words]
    assert "at most 180 words" in of_person.prompt[-1].text
    assert view.pro
    assert view.con
    assert (180, UNSET, 70) == (view.max_words, view.pro.max_words, view.con.max_words)


def last_piece(opening_: DebateOpened, side: Any) -> Segment:
    return speech_prompt(Play(opening_).debate, opening_, side)[-1]


async def test_its_speech_is_begun_in_an_english_debate_only(script: Any) -> None:
    english = await opened(TINY, script())
    german = await opened(TINY, script(), motion="Städte sollten Autos aus ihrer Mitte verbannen", language="de")

    assert Segment("assistant", "Cities should ban cars. The main benefit of this plan is that") == last_piece(
        english, "pro"
    )
    assert ["user", "user"] == [last_piece(english, "con").role, last_piece(german, "pro").role]

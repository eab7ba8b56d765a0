"""SmolLM2 as a debater: a shorter turn by default, and speeches that are begun for it."""

from typing import Any

import pytest

from events.types import DebateOpened
from providers.base import Segment
from providers.registry import Registry
from server.debate.formats.prompts import speech_prompt
from server.debate.setup import opening
from server.debate.setup.estimate import estimate
from server.debate.setup.request import as_request
from tests.server.debate_events import Play
from tests.server.harness import QUICK

pytestmark = pytest.mark.anyio
TINY = "embedded:smollm2"


async def opened(pro: str, con: str, **request: Any) -> DebateOpened:
    body = {"motion": "Cities should ban cars", "pro": {"model": pro}, "con": {"model": con}, **request}
    registry = Registry()
    try:
        return await opening.build_opening(as_request({"judge": {"model": con}, **body}), registry, QUICK)
    finally:
        await registry.close()


async def test_its_turns_are_short_unless_the_request_says_otherwise(script: Any) -> None:
    other = script()

    assert [70, 70, 180] == [
        (await opened(*seats)).max_words for seats in ((TINY, TINY), (other, TINY), (other, other))
    ]
    assert 120 == (await opened(TINY, TINY, max_words=120)).max_words
    assert 70 == estimate(await opened(TINY, other)).max_words


def last_piece(opening_: DebateOpened, side: Any) -> Segment:
    return speech_prompt(Play(opening_).debate, opening_, side)[-1]


async def test_its_speech_is_begun_in_an_english_debate_only(script: Any) -> None:
    english = await opened(TINY, script())
    german = await opened(TINY, script(), motion="Städte sollten Autos aus ihrer Mitte verbannen", language="de")

    assert Segment("assistant", "Cities should ban cars. The main benefit of this plan is that") == last_piece(
        english, "pro"
    )
    assert ["user", "user"] == [last_piece(english, "con").role, last_piece(german, "pro").role]

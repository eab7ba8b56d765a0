"""The baseline over a debate of two hundred long speeches."""

import time

import pytest

from judge.lexical.provider import BaselineProvider
from judge.live.verdicts import WholeNarrative
from providers.base import Material, Request, Speech

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.slow
async def test_the_narrative_of_a_hundred_long_speeches_takes_seconds() -> None:
    words = ("city", "cars", "because", "streets", "safer", "trams", "cost", "people", "shops", "noise", "buses")
    speeches = tuple(
        Speech(
            name=str(turn),
            speaker="A" if turn % 2 else "B",
            text=" ".join(f"Point {turn}.{n} says {words[n % 11]} {words[turn % 11]} {n}." for n in range(100)),
        )
        for turn in range(1, 101)
    )
    material = Material(purpose="narrative", motion="Cities should ban cars", language="en", speeches=speeches)
    request = Request(
        key="narrative", turn=0, attempt=1, prompt=(), max_tokens=9, temperature=0, idle_timeout_s=9, material=material
    )
    began = time.process_time()
    answer = await BaselineProvider().answer("lexical", request, WholeNarrative)

    assert "neither" == answer.value.winner
    assert time.process_time() - began < 30

"""How often the number of spectators is told, and how long a tick is."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from server.feed import status
from server.feed.status import FEW, LONG_TICK_S, MANY, Presence

pytestmark = pytest.mark.anyio


def channel() -> Any:
    return SimpleNamespace(debate="d", spectators=0, announced=0)


async def test_among_few_every_coming_and_going_is_told() -> None:
    told: list[str] = []
    here, watching = Presence(told.append), channel()
    for by in (1, 1, -1):
        here.change(watching, by)

    assert ["d"] * 3 == told
    assert (1, 1, 1) == (watching.spectators, watching.announced, here.spectators)


async def test_in_a_crowd_they_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    told = asyncio.Queue[str]()
    monkeypatch.setattr(status, "COUNT_S", 0.02)
    here, watching = Presence(told.put_nowait), channel()
    here.change(watching, FEW)
    assert await told.get() == "d"
    for _ in range(50):
        here.change(watching, 1)
    assert FEW == watching.announced
    async with asyncio.timeout(5):
        await told.get()

    assert watching.announced == FEW + 50
    assert told.empty()


async def test_a_tick_is_longer_where_very_many_watch() -> None:
    here, watching = Presence(lambda _: None), channel()
    here.change(watching, MANY)
    assert here.tick_s(0.05) == 0.05
    here.change(watching, 1)

    assert LONG_TICK_S == here.tick_s(0.05)
    assert here.tick_s(1.0) == 1.0

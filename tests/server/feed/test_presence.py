"""How often the number of spectators is told, and how long a tick is."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from server.feed import presence
from server.feed.presence import CROWD, LONG_TICK_S, MANY, Presence

pytestmark = pytest.mark.anyio


def room() -> Any:
    return SimpleNamespace(debate="d", spectators=0, counted=0)


async def test_among_few_every_coming_and_going_is_told() -> None:
    told: list[str] = []
    here, watching = Presence(told.append), room()
    for by in (1, 1, -1):
        here.change(watching, by)

    assert ["d"] * 3 == told
    assert (1, 1, 1) == (watching.spectators, watching.counted, here.spectators)


async def test_in_a_crowd_they_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    told = asyncio.Queue[str]()
    monkeypatch.setattr(presence, "COUNT_S", 0.02)
    here, watching = Presence(told.put_nowait), room()
    here.change(watching, CROWD)
    assert await told.get() == "d"
    for _ in range(50):
        here.change(watching, 1)
    assert CROWD == watching.counted
    async with asyncio.timeout(5):
        await told.get()

    assert watching.counted == CROWD + 50
    assert told.empty()


async def test_a_tick_is_longer_where_very_many_watch() -> None:
    here, watching = Presence(lambda _: None), room()
    here.change(watching, MANY)
    assert here.tick_s(0.05) == 0.05
    here.change(watching, 1)

    assert LONG_TICK_S == here.tick_s(0.05)
    assert here.tick_s(1.0) == 1.0

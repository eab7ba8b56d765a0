"""How often the number of spectators is announced, and how long a tick is."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from server.feed import status
from server.feed.status import FEW, LONG_TICK_S, MANY, Presence

pytestmark = pytest.mark.anyio


def channel() -> Any:
    return SimpleNamespace(debate="d", spectators=0, announced=0)


async def test_up_to_a_hundred_spectators_every_change_is_announced() -> None:
    woken: list[str] = []
    presence, watched = Presence(woken.append), channel()
    for by in (1, 1, -1):
        presence.change(watched, by)

    assert ["d"] * 3 == woken
    assert (1, 1, 1) == (watched.spectators, watched.announced, presence.spectators)


async def test_above_that_changes_are_announced_together(monkeypatch: pytest.MonkeyPatch) -> None:
    woken = asyncio.Queue[str]()
    monkeypatch.setattr(status, "COUNT_S", 0.02)
    presence, watched = Presence(woken.put_nowait), channel()
    presence.change(watched, FEW)
    assert await woken.get() == "d"
    for _ in range(50):
        presence.change(watched, 1)
    assert FEW == watched.announced
    async with asyncio.timeout(5):
        await woken.get()

    assert watched.announced == FEW + 50
    assert woken.empty()


async def test_a_tick_is_longer_with_very_many_spectators() -> None:
    presence, watched = Presence(lambda _: None), channel()
    presence.change(watched, MANY)
    assert presence.tick_s(0.05) == 0.05
    presence.change(watched, 1)

    assert LONG_TICK_S == presence.tick_s(0.05)
    assert presence.tick_s(1.0) == 1.0

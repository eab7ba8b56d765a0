"""The rules of a person's seat: the clock, time-out, takeover, a restart in mid-turn, a lost connection, what-ifs."""

from collections.abc import Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.store.log import read_all
from events.store.memory import MemoryLog
from events.types import (
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    SeatConnectionLost,
    SeatHandedOver,
    SeatReturned,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from server.debate import time_limits
from server.debate.acting import desk
from server.debate.commands import Halt, MakeSeatLink, Resume
from server.people import provider
from server.people.acts import AtSeat
from server.people.links import digest_of_link
from server.whatif.replay import replay
from tests.server.harness import PATIENCE_S, Harness, harness

pytestmark = pytest.mark.anyio
LINK, MINE = digest_of_link("link"), digest_of_link("mine")
TEXT = "Trams carry two hundred people each, so streets get their space back."


async def open_with(h: Harness, script: str, *, time_s: float = 600.0, **pro: Any) -> str:
    """A debate in which Ann speaks for Pro within ``time_s``, which may be shorter than a request allows."""
    opened: DebateOpened = await h.opening(script, pro={"person": "Ann", **pro})
    return await h.moderators.open(replace(opened, pro=replace(opened.pro, time_s=time_s)))


async def take(h: Harness, debate: str) -> None:
    await h.moderators.act(debate, MakeSeatLink("pro", LINK, "moderator"))
    await h.moderators.act(debate, AtSeat(seat="pro", link=LINK, holder=MINE, act="take"))


async def do(h: Harness, debate: str, act: Any, **fields: str) -> int:
    return await h.moderators.act(debate, AtSeat(seat="pro", link=LINK, holder=MINE, act=act, **fields))


async def asked(h: Harness, debate: str) -> provider.OpenRequest:
    with anyio.fail_after(PATIENCE_S):
        while not (found := h.moderators.people.open_requests(debate, "pro")):
            await anyio.lowlevel.checkpoint()
    return found[0]


async def of(h: Harness, debate: str, *kinds: type) -> list[Any]:
    return [event for event in await h.events(debate) if isinstance(event, kinds)]


@pytest.mark.usefixtures("short")
async def test_a_time_out_halts_and_the_clock_begins_again_with_a_resume(script: Callable[..., str]) -> None:
    async with harness() as h:
        debate = await open_with(h, script(), time_s=0.05)
        await take(h, debate)

        halted = await h.ended(debate)
        assert isinstance(halted, DebateHalted)
        position = await h.moderators.act(debate, Resume("", "moderator"))
        again = await h.ended(debate, position)
        failed = await of(h, debate, TurnFailed)

    assert halted.reason == (
        "turn 1 (pro, Ann): the time of 0.05 s has passed. Resume the debate, and the clock of this turn begins again."
    )
    assert isinstance(again, DebateHalted)
    assert [each.kind for each in failed] == ["timeout", "timeout"]


@pytest.mark.usefixtures("short")
async def test_a_link_that_was_never_used_is_named_as_the_cause(script: Callable[..., str]) -> None:
    async with harness() as h:
        debate = await open_with(h, script(), time_s=0.05)

        halted = await h.ended(debate)

    assert isinstance(halted, DebateHalted)
    assert "No browser has taken the seat" in halted.reason


@pytest.mark.usefixtures("short")
async def test_a_model_takes_over_after_a_time_out_and_keeps_the_seat(script: Callable[..., str]) -> None:
    model = script()
    async with harness() as h:
        opened: DebateOpened = await h.opening(model, turns=3, pro={"person": "Ann", "takeover": model})
        debate = await h.moderators.open(replace(opened, pro=replace(opened.pro, time_s=0.05)))

        end = await h.ended(debate)
        handed = await of(h, debate, SeatHandedOver)
        spoken = await of(h, debate, TurnSpoken)

    assert isinstance(end, DebateConcluded)
    assert handed == [SeatHandedOver(seat="pro", model=model, reason="time_out")]
    assert [(each.turn, each.by) for each in spoken] == [(1, UNSET), (2, UNSET), (3, UNSET)]


async def test_the_clock_and_the_seat_survive_a_restart(script: Callable[..., str]) -> None:
    log, model = MemoryLog(), script()
    async with harness(log) as h:
        debate = await open_with(h, model)
        await take(h, debate)
        await asked(h, debate)
        await do(h, debate, "draft", request="speak:pro/1", text="half")
    async with harness(log) as h:
        assert await h.moderators.take_up() == 1
        request = await asked(h, debate)
        await do(h, debate, "draft", request=request.id, text="half a thought")
        await do(h, debate, "send", request=request.id, text=TEXT)
        await h.ended(debate)
        started = [each async for each in read_all(log, debate) if isinstance(each.event, TurnStarted)]
        (spoken,) = [each for each in await of(h, debate, TurnSpoken) if each.side == "pro"]

    assert [(each.event.turn, each.event.attempt) for each in started if isinstance(each.event, TurnStarted)][:2] == [
        (1, 1),
        (1, 2),
    ]
    assert request.id == "speak:pro/1"
    assert request.request.limit_s is not None
    assert request.request.limit_s < 600, "it counts from the first start"
    assert (spoken.text, spoken.by, spoken.pace) == (TEXT, "person", ())


async def test_after_a_long_time_away_the_server_leaves_some_seconds() -> None:
    step: Any = type("Step", (), {"time_s": 600.0, "since": "2026-11-22T10:00:00.000000Z"})

    left = [
        time_limits.seconds_of_turn(step, None, f"2026-11-22T10:{at}.000000Z") for at in ("04:00", "09:58", "30:00")
    ]  # type: ignore[arg-type]

    assert left == [360.0, time_limits.BACK_S, time_limits.BACK_S]


async def test_a_lost_connection_and_the_return_are_recorded(
    script: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "WATCH_S", 0.01)
    async with harness() as h:
        debate = await open_with(h, script())
        await take(h, debate)
        await asked(h, debate)
        monkeypatch.setattr(provider, "AWAY_S", 0.02)

        await h.until(debate, lambda record: isinstance(record.event, SeatConnectionLost))
        view = await h.view(debate)
        monkeypatch.setattr(provider, "AWAY_S", 60.0)
        await do(h, debate, "hear")
        await do(h, debate, "hear")
        await do(h, debate, "send", request="speak:pro/1", text=TEXT)
        end = await h.ended(debate)
        found = await of(h, debate, SeatConnectionLost, SeatReturned)

    assert view["people"]["pro"]["state"] == "away"
    assert found == [SeatConnectionLost(seat="pro"), SeatReturned(seat="pro")]
    assert isinstance(end, DebateConcluded), "the turn was not lost"


async def test_a_seat_that_no_browser_has_taken_has_no_connection_to_lose(
    script: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "WATCH_S", 0.001)
    monkeypatch.setattr(provider, "AWAY_S", -1.0)
    async with harness() as h:
        debate = await open_with(h, script())
        await asked(h, debate)
        await anyio.wait_all_tasks_blocked()
        await h.moderators.act(debate, Halt("", "moderator"))
        found = await of(h, debate, SeatConnectionLost)

    assert found == []


@pytest.mark.usefixtures("short")
async def test_a_what_if_replays_a_takeover(script: Callable[..., str]) -> None:
    async with harness() as h:
        debate = await open_with(h, script(), time_s=0.05, takeover=script())
        await h.ended(debate)
        records = [record async for record in read_all(h.log, debate)]

    result = replay(records, lambda opened: opened)

    assert result.diverges_at == 0
    assert result.would_be.seats["pro"].model == result.recorded.seats["pro"].model != ""
    assert result.would_be.status == result.recorded.status


async def test_a_halt_in_mid_turn_closes_the_request(script: Callable[..., str]) -> None:
    async with harness() as h:
        debate = await open_with(h, script())
        await take(h, debate)
        await asked(h, debate)

        await h.moderators.act(debate, Halt("tea", "moderator"))
        with anyio.fail_after(PATIENCE_S):
            while h.moderators.people.open_requests(debate, "pro"):
                await anyio.lowlevel.checkpoint()
        with pytest.raises(desk.NotNow, match="not open"):
            await do(h, debate, "send", request="speak:pro/1", text=TEXT)

"""Room for what waits: bounded, first come first served, and nobody's place is lost when somebody gives up."""

import asyncio

import anyio
import pytest

from events.store.room import Room

pytestmark = pytest.mark.anyio


async def test_who_finds_no_room_waits_in_line() -> None:
    room, order = Room(10), list[str]()

    async def enter(name: str, size: int) -> None:
        await room.enter(size)
        order.append(name)

    async with anyio.create_task_group() as group:
        for name, size in (("a", 6), ("b", 4), ("large", 8), ("small", 1)):
            group.start_soon(enter, name, size)
        await anyio.wait_all_tasks_blocked()
        assert (["a", "b"], 10) == (order, room.used)

        room.leave(4)
        await anyio.wait_all_tasks_blocked()
        assert ["a", "b"] == order  # the small one does not pass the large one

        room.leave(6)

    assert (["a", "b", "large", "small"], 9) == (order, room.used)


async def test_something_larger_than_all_of_it_enters_alone() -> None:
    room = Room(10)
    assert room.take(50)
    assert not room.take(1)

    room.leave(50)

    assert room.take(1)
    assert not room.take(50)


async def test_who_gives_up_frees_the_way_for_the_next() -> None:
    room = Room(10)
    await room.enter(8)
    entered = list[int]()

    async def enter(size: int) -> None:
        await room.enter(size)
        entered.append(size)

    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as first:
                first.start_soon(enter, 9)
                await anyio.wait_all_tasks_blocked()
                group.start_soon(enter, 2)
                await anyio.wait_all_tasks_blocked()
                assert [] == entered
                scope.cancel()

    assert ([2], 10) == (entered, room.used)


async def test_who_is_let_in_and_gives_up_in_the_same_moment_gives_it_back() -> None:
    room = Room(10)
    await room.enter(8)
    task = asyncio.ensure_future(room.enter(9))
    await asyncio.sleep(0)
    room.leave(8)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert room.used == 0

"""Back-pressure: a bounded number of requests, first come, first served, and a cancelled one keeps no place."""

import asyncio

import anyio
import pytest

from events.errors import StoreUnavailable
from events.store.requests import Backlog

pytestmark = pytest.mark.anyio


async def enter(backlog: Backlog, size: int) -> None:
    """Take a place, waiting for it if need be."""
    if not backlog.take(size):
        await backlog.wait(size)


async def test_requests_wait_in_line() -> None:
    backlog, order = Backlog(most_bytes=10), list[str]()

    async def request(name: str, size: int) -> None:
        await enter(backlog, size)
        order.append(name)

    async with anyio.create_task_group() as group:
        for name, size in (("a", 6), ("b", 4), ("large", 8), ("small", 1)):
            group.start_soon(request, name, size)
        await anyio.wait_all_tasks_blocked()
        assert (["a", "b"], 10) == (order, backlog.bytes)

        backlog.release(1, 4)
        await anyio.wait_all_tasks_blocked()
        assert ["a", "b"] == order  # the small one does not pass the large one

        backlog.release(1, 6)

    assert (["a", "b", "large", "small"], 9, 2) == (order, backlog.bytes, backlog.requests)


async def test_their_number_is_bounded_too() -> None:
    backlog = Backlog(most_requests=2)

    assert [True, True, False] == [backlog.take(1) for _ in range(3)]

    backlog.release(1, 1)

    assert backlog.take(1)


async def test_a_request_larger_than_the_bound_is_accepted_alone() -> None:
    backlog = Backlog(most_bytes=10)
    assert backlog.take(50)
    assert not backlog.take(1)

    backlog.release(1, 50)

    assert backlog.take(1)
    assert not backlog.take(50)


async def test_a_cancelled_request_leaves_its_turn_to_the_next() -> None:
    backlog = Backlog(most_bytes=10)
    await enter(backlog, 8)
    entered = list[int]()

    async def request(size: int) -> None:
        await enter(backlog, size)
        entered.append(size)

    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as first:
                first.start_soon(request, 9)
                await anyio.wait_all_tasks_blocked()
                group.start_soon(request, 2)
                await anyio.wait_all_tasks_blocked()
                assert [] == entered
                scope.cancel()

    assert ([2], 10) == (entered, backlog.bytes)


async def test_a_request_that_is_admitted_and_cancelled_at_once_gives_its_place_back() -> None:
    backlog = Backlog(most_bytes=10)
    await enter(backlog, 8)
    task = asyncio.ensure_future(enter(backlog, 9))
    await asyncio.sleep(0)
    backlog.release(1, 8)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (0, 0) == (backlog.requests, backlog.bytes)


async def test_closing_refuses_those_in_line() -> None:
    backlog = Backlog(most_bytes=10)
    await enter(backlog, 8)
    tasks = [asyncio.ensure_future(enter(backlog, 9)) for _ in range(2)]
    await asyncio.sleep(0)
    backlog.close(StoreUnavailable("closed"))
    tasks[1].cancel()

    first, second = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(first, StoreUnavailable)
    assert isinstance(second, asyncio.CancelledError)
    assert (1, 8) == (backlog.requests, backlog.bytes)

"""The limits of a provider: places, their order, and calls per minute."""

from collections import Counter
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from providers.limits import Limit
from providers.limits.limiter import CallLimiter

pytestmark = pytest.mark.anyio


async def start_all(limiter: CallLimiter, calls: list[str], work: Any) -> list[str]:
    """All calls start at once; returns the debates in the order in which they got a place."""
    admitted: list[str] = []

    async def one(debate: str) -> None:
        async with limiter.place(debate):
            admitted.append(debate)
            await work()

    async with anyio.create_task_group() as tasks:
        for debate in calls:
            tasks.start_soon(one, debate)
    return admitted


async def test_no_more_than_the_limit_are_inside() -> None:
    limiter, most = CallLimiter(Limit(concurrent=3)), 0

    async def work() -> None:
        nonlocal most
        most = max(most, limiter.running)
        await anyio.lowlevel.checkpoint()

    await start_all(limiter, ["a"] * 20, work)

    assert 3 == most
    assert (0, 0) == (limiter.running, limiter.waiting)


async def test_without_a_limit_no_call_waits() -> None:
    limiter, waited = CallLimiter(Limit()), []

    async def work() -> None:
        waited.append(limiter.waiting)
        await anyio.lowlevel.checkpoint()

    await start_all(limiter, ["a"] * 20, work)

    assert [0] * 20 == waited


async def test_a_debate_with_many_calls_does_not_keep_the_others_waiting() -> None:
    limiter = CallLimiter(Limit(concurrent=1))

    admitted = await start_all(limiter, ["greedy"] * 10 + ["b", "c", "d"], anyio.lowlevel.checkpoint)

    assert {"b", "c", "d"} < set(admitted[:5])
    assert Counter(admitted) == {"greedy": 10, "b": 1, "c": 1, "d": 1}


async def test_a_call_that_gives_up_waiting_leaves_the_queue() -> None:
    limiter = CallLimiter(Limit(concurrent=1))

    async with limiter.place("a"):
        with anyio.move_on_after(0.01) as scope:
            async with limiter.place("b"):
                raise AssertionError
        waiting = limiter.waiting

    assert scope.cancelled_caught
    assert (0, 0) == (waiting, limiter.running)


async def test_a_cancelled_call_passes_its_new_place_to_the_next_call() -> None:
    limiter, reached = CallLimiter(Limit(concurrent=1)), anyio.Event()
    scope = anyio.CancelScope()

    async def cancelled() -> None:
        with scope:
            async with limiter.place("b"):
                await anyio.sleep_forever()

    async def after() -> None:
        async with limiter.place("c"):
            reached.set()

    async with anyio.create_task_group() as tasks:
        async with limiter.place("a"):
            tasks.start_soon(cancelled)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(after)
            await anyio.wait_all_tasks_blocked()
        scope.cancel()  # it got its place above and has not run since

    assert reached.is_set()
    assert 0 == limiter.running


async def test_calls_of_a_minute_wait_for_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    limiter, slept = CallLimiter(Limit(calls_per_minute=2)), []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        raise TimeoutError  # one wait is enough

    monkeypatch.setattr(anyio, "sleep", sleep)
    for _ in range(2):
        async with limiter.place("a"):
            pass
    with pytest.raises(TimeoutError):
        async with limiter.place("a"):
            raise AssertionError

    assert 0 < slept[0] <= 60
    assert 0 == limiter.running


async def test_tokens_that_were_used_up_make_the_next_call_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    limiter, slept = CallLimiter(Limit(tokens_per_minute=100)), []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        raise TimeoutError

    monkeypatch.setattr(anyio, "sleep", sleep)
    async with limiter.place("a"):
        limiter.spend(60)
    async with limiter.place("a"):
        limiter.spend(5000)  # more than a minute allows: counts as the rest of the minute
    with pytest.raises(TimeoutError):
        async with limiter.place("a"):
            raise AssertionError

    assert 0 < slept[0] <= 60


async def test_the_order_of_debates_survives_an_empty_queue() -> None:
    """Otherwise every short pause would reset the order of the debates."""
    limiter, order = CallLimiter(Limit(concurrent=1)), []

    async def one(debate: str) -> None:
        async with limiter.place(debate):
            order.append(debate)

    for _ in range(5):
        await one("ahead")
    await one("behind")
    async with anyio.create_task_group() as tasks, limiter.place("other"):
        for debate in ("ahead", "behind", "behind", "behind"):
            tasks.start_soon(one, debate)
            await anyio.wait_all_tasks_blocked()

    assert ["behind", "behind", "behind", "ahead"] == order[6:]


async def test_a_debate_that_ended_is_forgotten_and_one_with_calls_is_not() -> None:
    limiter = CallLimiter(Limit(concurrent=1))
    async with limiter.place("a"):
        limiter.forget("a")
        kept = dict(limiter._served)
    limiter.forget("a")

    assert {"a": 1} == kept
    assert {} == limiter._served

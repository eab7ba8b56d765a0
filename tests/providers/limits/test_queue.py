"""A provider's queue: it waits while the provider or a model rests, and says why a call waits."""

import asyncio
import math
import time

import anyio
import pytest
from structlog.testing import capture_logs

from providers.base import ModelStatus
from providers.errors import NotAuthorised, Overloaded, RateLimited, Unreachable
from providers.http.status import by_status
from providers.limits import Limit, breaker
from providers.limits.queue import ProviderQueue

pytestmark = pytest.mark.anyio


class Vendor:
    """A provider that answers while ``answers`` holds; ``asked`` counts the questions whether it does."""

    name = "vendor"
    answers, asked = True, 0

    async def check(self, model: str) -> tuple[ModelStatus, ...]:
        self.asked += 1
        return (ModelStatus(name=f"vendor:{model}", provider="vendor", ok=self.answers, detail=""),)


async def call(
    queue: ProviderQueue, *, error: Exception | None = None, model: str = "m", patience_s: float = 5.0
) -> None:
    async with queue.call(Vendor(), model, "d", patience_s=patience_s):  # type: ignore[arg-type]
        if error is not None:
            raise error


async def fail(queue: ProviderQueue, error: Exception, times: int = breaker.FAILURES) -> None:
    for _ in range(times):
        with pytest.raises(type(error)):
            await call(queue, error=error)


async def test_calls_wait_until_a_rest_ends_and_one_call_tries_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaker, "REST_S", 0.05)
    queue, at_once, most = ProviderQueue("vendor", Limit()), 0, []

    async def one() -> None:
        nonlocal at_once
        async with queue.call(Vendor(), "m", "d"):  # type: ignore[arg-type]
            at_once += 1
            most.append(at_once)
            await anyio.sleep(0.01)
            at_once -= 1

    await fail(queue, Overloaded("busy"))
    with anyio.fail_after(2):
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(one)

    assert 5 == len(most)
    assert [1, 1] == most[:2]  # the trial was alone; then all the others at once
    assert 4 == max(most)


async def test_a_call_with_less_patience_than_the_rest_fails_at_once() -> None:
    queue = ProviderQueue("vendor", Limit())
    await fail(queue, Overloaded("busy"))

    with anyio.fail_after(1), pytest.raises(Unreachable, match=r"left alone for 15 s .* last: busy") as refused:
        await call(queue, patience_s=3)

    assert 14 < (refused.value.retry_after_s or 0) <= 15


async def test_a_refusal_after_a_wrong_key_can_pass() -> None:
    """Only the vendor itself says that a key is wrong."""
    queue = ProviderQueue("vendor", Limit())
    await fail(queue, NotAuthorised("is VENDOR_API_KEY right?"))

    with anyio.fail_after(1), pytest.raises(Unreachable, match="last: is VENDOR_API_KEY right") as refused:
        await call(queue, patience_s=3)

    assert 14 < (refused.value.retry_after_s or 0) <= 15


async def test_a_call_waits_after_wrong_keys_too_and_the_key_may_be_right_by_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(breaker, "REST_S", 0.05)
    queue = ProviderQueue("vendor", Limit())
    await fail(queue, NotAuthorised("is VENDOR_API_KEY right?"))

    with anyio.fail_after(2):
        await call(queue)
        await call(queue)

    assert not queue.breaker.is_open


async def test_a_forbidden_model_holds_back_no_other_one() -> None:
    queue = ProviderQueue("vendor", Limit())
    await fail(queue, by_status(403, "this key may not use m"), times=3 * breaker.FAILURES)

    with anyio.fail_after(1):
        await call(queue, model="other", patience_s=0.1)


async def test_retry_after_holds_for_its_model_alone() -> None:
    queue = ProviderQueue("vendor", Limit())
    await fail(queue, RateLimited("slow down", retry_after_s=30), times=1)

    with anyio.fail_after(1):
        with pytest.raises(RateLimited, match="vendor:m asked to be left alone for 30 s more"):
            await call(queue)
        await call(queue, model="other")
    assert "vendor rests for 30 s" == queue.wait("m", "d")
    assert "" == queue.wait("other", "d")


async def test_a_call_waits_for_as_long_as_a_vendor_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five minutes are more than the patience with a provider that rests."""
    now, slept = 1000.0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        slept.append(seconds)
        now += seconds

    monkeypatch.setattr("providers.limits.queue.anyio.sleep", sleep)
    queue = ProviderQueue("vendor", Limit(), clock=lambda: now)
    await fail(queue, RateLimited("slow down", retry_after_s=300), times=1)
    await call(queue, patience_s=math.inf)
    await fail(queue, RateLimited("come back tomorrow", retry_after_s=50_000), times=1)
    with pytest.raises(RateLimited, match="asked to be left alone for 50000 s more"):
        await call(queue, patience_s=math.inf)

    (waited,) = slept
    assert 300 <= waited <= 330


async def test_an_answer_that_was_under_way_does_not_end_a_wait() -> None:
    queue = ProviderQueue("vendor", Limit())
    async with queue.call(Vendor(), "m", "d"):  # type: ignore[arg-type]
        await fail(queue, RateLimited("slow down", retry_after_s=30), times=1)

    with pytest.raises(RateLimited, match="left alone for 30 s more"):
        await call(queue)


async def test_a_wait_that_is_asked_for_again_and_again_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr("providers.limits.queue.anyio.sleep", sleep)
    queue, seen = ProviderQueue("vendor", Limit(), clock=lambda: now), []
    for pause_s in (0, 0, 0, 0, 2000, 0):
        now += pause_s
        try:
            await call(queue, error=RateLimited("slow down", retry_after_s=300), patience_s=math.inf)
        except RateLimited as error:
            seen.append(error.is_lasting)

    assert [False, False, False, True, False, False] == seen


async def test_a_provider_that_comes_back_is_tried_before_its_rest_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("providers.limits.queue.PROBE_S", 0.01)
    queue, vendor = ProviderQueue("vendor", Limit()), Vendor()
    vendor.answers = False
    await fail(queue, Unreachable("refused"))
    done = 0

    async def one() -> None:
        nonlocal done
        async with queue.call(vendor, "m", "d"):  # type: ignore[arg-type]
            done += 1

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(one)
            while vendor.asked < 3:  # noqa: ASYNC110 - nothing else says so
                await anyio.sleep(0.001)
            assert 0 == done
            vendor.answers = True

    assert 3 == done
    assert not queue.breaker.is_open


async def test_a_provider_that_answers_all_the_while_keeps_its_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its list of models comes, and its answers do not: nothing shows that they would come now."""
    monkeypatch.setattr("providers.limits.queue.PROBE_S", 0.01)
    queue, vendor = ProviderQueue("vendor", Limit()), Vendor()
    await fail(queue, Overloaded("busy"))

    with anyio.move_on_after(0.3) as waited:
        async with queue.call(vendor, "m", "d"):  # type: ignore[arg-type]
            pass

    assert waited.cancelled_caught
    assert vendor.asked > 1
    assert queue.breaker.is_open


async def test_a_bug_in_a_check_ends_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Vendor):
        async def check(self, model: str) -> tuple[ModelStatus, ...]:
            raise ZeroDivisionError

    monkeypatch.setattr("providers.limits.queue.PROBE_S", 0.01)
    monkeypatch.setattr(breaker, "REST_S", 0.1)
    queue = ProviderQueue("vendor", Limit())
    await fail(queue, Overloaded("busy"))

    with capture_logs() as logged, anyio.fail_after(5):
        async with queue.call(Broken(), "m", "d"):  # type: ignore[arg-type]
            pass

    assert {"provider_failed"} == {each["event"] for each in logged}


async def test_a_call_waits_for_a_short_retry_after() -> None:
    queue = ProviderQueue("vendor", Limit())
    await fail(queue, RateLimited("slow down", retry_after_s=0.1), times=1)
    began = time.monotonic()

    await call(queue)

    assert 0.1 <= time.monotonic() - began < 1


@pytest.mark.parametrize(
    ("error", "times"), [(RateLimited("slow down", retry_after_s=15), 1), (Overloaded("busy"), breaker.FAILURES)]
)
async def test_the_breaker_and_retry_after_have_the_clock_of_the_queue(error: Exception, times: int) -> None:
    now = 1000.0
    queue = ProviderQueue("vendor", Limit(), clock=lambda: now)
    await fail(queue, error, times)
    waits = [queue.wait("m", "d")]
    for seconds in (10, 5):
        now += seconds
        waits.append(queue.wait("m", "d"))

    assert ["vendor rests for 15 s", "vendor rests for 5 s", ""] == waits


def test_a_timer_of_the_event_loop_may_ask_why_a_call_waits() -> None:
    """The hub asks in a callback, which runs in no task."""

    async def answers() -> list[str]:
        queue, given = ProviderQueue("vendor", Limit(concurrent=1)), list[str]()
        await fail(queue, RateLimited("slow down", retry_after_s=30), times=1)
        asyncio.get_running_loop().call_soon(lambda: given.extend((queue.wait("m", "d"), queue.wait("other", "d"))))
        await asyncio.sleep(0.01)
        return given

    assert ["vendor rests for 30 s", ""] == asyncio.run(answers())

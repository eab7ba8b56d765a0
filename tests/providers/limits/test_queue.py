"""A provider's queue says why a call waits, from wherever it is asked."""

import asyncio

from providers.limits import Limit
from providers.limits.queue import ProviderQueue


def test_a_timer_of_the_event_loop_may_ask_why_a_call_waits() -> None:
    """The hub asks in a callback, without a task: there the status of a wait must not be lost."""

    async def asked() -> list[str]:
        queue, told = ProviderQueue("somewhere", Limit(concurrent=1)), list[str]()
        queue._retry_at["slow"] = asyncio.get_running_loop().time() + 30
        asyncio.get_running_loop().call_soon(lambda: told.extend((queue.wait("slow", "d"), queue.wait("free", "d"))))
        await asyncio.sleep(0.01)
        return told

    assert ["somewhere rests for 30 s", ""] == asyncio.run(asked())

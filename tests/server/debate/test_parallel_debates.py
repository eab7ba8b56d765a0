"""Five debates at the same time over four vendors that think by default: all conclude, and every token is recorded."""

from collections import Counter

import pytest

from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import running_vendors
from tests.server.debate.parallel_debates import in_words, run_parallel_debates

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_all_conclude_through_an_outage_and_the_books_equal_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_vendors(monkeypatch) as vendors:
        vendors["gemini"].faults.append(Fault("503", first=4, times=4))
        report = await run_parallel_debates(vendors, turns=2, retry_ms=100)
        billed = report.billed

    assert ["concluded"] * 5 == report.ends, in_words(report)
    assert {name: +count for name, count in billed.items()} == {name: +count for name, count in report.booked.items()}
    assert Counter({"gemini: overloaded": 4}) == report.failures
    assert all(count["output_tokens"] > 0 for count in billed.values())

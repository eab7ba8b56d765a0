"""Five debates at once over four vendors that think by default: all conclude, and every token is booked."""

from collections import Counter

import pytest

from tests.providing.vendors.market import selling
from tests.shell.five import five, in_words

pytestmark = pytest.mark.anyio


async def test_all_conclude_through_an_outage_and_the_books_equal_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    async with selling(monkeypatch) as vendors:
        report = await five(vendors, turns=2, down="gemini", failures=4)
        billed = report.billed

    assert ["concluded"] * 5 == report.ends, in_words(report)
    assert {name: +count for name, count in billed.items()} == {name: +count for name, count in report.booked.items()}
    assert Counter({"gemini: overloaded": 4}) == report.failures
    assert all(count["output_tokens"] > 0 for count in billed.values())

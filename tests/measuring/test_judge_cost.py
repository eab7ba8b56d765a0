"""The cost of a judge as measured before fakes is what the fakes have billed."""

import math

import pytest
from msgspec.structs import replace

from events.types import ModelAnswered, ModelFailed, Usage
from tests.measuring.judge_cost import JudgeUse, by_turn, measured, shares_table, summed, totals_table, turns_table
from tests.providers.vendors.anthropic import Anthropic
from tests.providers.vendors.vendor import Bill, FakeVendor
from tests.server.debate_events import answered

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.slow
async def test_the_tokens_are_those_of_the_bills(monkeypatch: pytest.MonkeyPatch) -> None:
    bills: list[Bill] = []

    def add_bill(self: FakeVendor, bill: Bill) -> Bill:
        bills.append(bill)
        return bill

    monkeypatch.setattr(Anthropic, "add_bill", add_bill)
    used = await measured("anthropic:claude-sonnet-5-5", "v2", 2, 0.1)
    total, speeches = summed(used), 2

    assert {0, 1, 2} == set(used)
    assert len(bills) - speeches == total.calls >= 3 + 6 + 3
    billed = sorted(bills, key=lambda each: each.input)[speeches:]  # a debater reads less than this judge
    assert (sum(each.input for each in billed), sum(each.cached for each in billed)) == (total.read, total.cached)
    assert sum(each.written for each in billed) == total.kept > 0
    first, asked_at_once = used[1], 3  # a question that is asked again finds what these have kept
    assert first.cached == (first.calls - asked_at_once) * first.kept // asked_at_once
    assert used[2].cached > 0


def call(turn: int | None, **usage: int) -> ModelAnswered:
    return replace(answered(1, usage=Usage(**usage), purpose="claims"), turn=turn)


def test_calls_are_summed_by_turn_and_failed_ones_count() -> None:
    refused = ModelFailed(
        call="x", key="score:1", purpose="score", turn=1, sample=1, order=(), kind="timeout", message="",
        usage=Usage(input_tokens=40, output_tokens=4),
    )  # fmt: skip
    spoken = answered(1, purpose="speak", key="speak:pro", usage=Usage(input_tokens=9, output_tokens=9))
    events = [
        call(1, input_tokens=100, output_tokens=10, cached_tokens=60, written_tokens=20),
        refused,
        spoken,
        call(None, input_tokens=7, output_tokens=1),
        call(2, input_tokens=1, output_tokens=1),
    ]
    used = by_turn(events, "anthropic:claude-sonnet-5-5")

    assert [1, 0, 2] == list(used)
    assert (2, 140, 60, 20, 14) == (used[1].calls, used[1].read, used[1].cached, used[1].kept, used[1].written)
    assert (4, 148) == (summed(used).calls, summed(used).read)
    assert used[1].usd > 0
    assert math.isnan(by_turn(events, "openai:no-such-model")[1].usd)


def test_the_tables_have_a_row_for_each_judge_and_turn() -> None:
    one = {1: JudgeUse(calls=3, read=1000, cached=250, kept=100, written=50, usd=0.5), 0: JudgeUse(calls=1, read=1000)}
    two = {1: JudgeUse(calls=6, read=20_000, cached=15_000, written=70), 4: JudgeUse(read=100, cached=80)}
    found = {("a:b", "v1"): one, ("a:b", "v2"): two}

    assert "| `a:b` | v1 | 4 | 2,000 | 250 (12 %) | – | 100 | 50 | 0.50 |" in totals_table(found, 1)
    assert "| `a:b` | v2 | 6 | 20,100 | 15,080 (75 %) | 80 % | 0 | 70 | 0.00 |" in totals_table(found, 1)
    assert turns_table(found, "a:b").splitlines()[2:] == [
        "| turn 1 | 3 | 1,000 | 250 | 50 | 6 | 20,000 | 15,000 | 70 |",
        "| at the end | 1 | 1,000 | 0 | 0 | 0 | 0 | 0 | 0 |",
    ]


def test_the_table_of_shares_has_a_row_for_each_size() -> None:
    used = {
        1: JudgeUse(read=500, usd=0.25),
        4: JudgeUse(read=100, cached=80, usd=0.25),
        0: JudgeUse(read=100, usd=0.25),
    }

    assert shares_table({(180, 8, "a:b"): used, (180, 8, "c:d"): used, (400, 8, "a:b"): used, (400, 8, "c:d"): {}}) == (
        "| words | turns | `a:b` | `c:d` |\n|---|---|---|---|\n"
        "| 180 | 8 | 80 %, $0.750 | 80 %, $0.750 |\n| 400 | 8 | 80 %, $0.750 | –, $0.000 |"
    )


def test_no_price_is_not_shown_as_no_cost() -> None:
    unpriced = call(1, input_tokens=1, output_tokens=1)

    assert "nan" in totals_table({("openai:no-such-model", "v1"): by_turn([unpriced], "openai:no-such-model")}, 1)

"""The log holds the tokens and the cost of every call, failed calls included, as far as the vendor reported them."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from events.record import payload_without, withheld
from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    Missing,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    Usage,
)
from providers.base import Outcome, Tokens
from providers.errors import (
    BrokenOff,
    Empty,
    Malformed,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    Refused,
    Starved,
    Stopped,
    TimedOut,
    ToolCalled,
    Unreachable,
    WrongType,
)
from providers.limits.queue import Call
from server.debate.calls import BROKE_OFF
from server.debate.commands import Resume
from server.process import observe
from tests.judge.deliberation.judges import TEXT
from tests.server.cli.test_deliberate import SPLIT
from tests.server.debate.calibrations import case
from tests.server.faulty_scripts import USED, faulty_registry
from tests.server.harness import harness
from tests.server.protocol_debates import answers

pytestmark = pytest.mark.anyio
Script = Callable[..., str]
BOOKED = Usage(input_tokens=900, output_tokens=328, cached_tokens=500, written_tokens=100, thought_tokens=300)


def of(events: Any, *types: type) -> list[Any]:
    return [each for each in events if isinstance(each, types)]


async def played(script: Script, errors: Any, **request: Any) -> tuple[list[Any], Any]:
    """The events and the view of a debate of one turn with these failures."""
    told = request.pop("told", {})
    async with harness(registry=faulty_registry(errors, **told)) as h:
        debate = await h.open(script(), **{"turns": 1, **request})
        await h.ended(debate)
        return await h.events(debate), await h.view(debate)


@pytest.mark.parametrize("key", ["speak:pro", "score:1"])
@pytest.mark.parametrize("error", [Empty, Malformed, WrongType, Refused, Starved, Stopped, ToolCalled, BrokenOff])
async def test_a_failed_call_is_booked_as_far_as_its_vendor_told(
    script: Script, error: type[ProviderError], key: str
) -> None:
    events, view = await played(script, {key: [error("so it goes", outcome=USED)]})
    (failed,) = of(events, ModelFailed)

    assert (error.kind, BOOKED, 0.125, {"think": "low"}) == (
        failed.kind,
        failed.usage,
        failed.cost_usd,
        failed.parameters,
    )
    assert isinstance(events[-1], DebateConcluded)
    assert (0.125, 1, 0, 500, 300) == tuple(
        view["usage"][name]
        for name in ("cost_usd", "failed_calls", "unpriced_calls", "cached_tokens", "thought_tokens")
    )


async def test_an_answer_that_cannot_be_read_is_booked_too(script: Script) -> None:
    async with harness(registry=faulty_registry(cost_usd=0.5)) as h:
        debate = await h.open(script(answers={"narrative": {"verdict": "It is a long story."}}), turns=1)
        await h.ended(debate)
        failed = of(await h.events(debate), ModelFailed)

    assert [("wrong_type", 0.5)] * 3 == [(each.kind, each.cost_usd) for each in failed]
    assert all(each.usage.output_tokens > 0 and each.parameters for each in failed)


async def test_what_a_failed_call_used_counts_against_the_minute(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[Outcome] = []
    monkeypatch.setattr(Call, "used", lambda call, outcome: used.append(outcome))
    events, _ = await played(
        script, {"speak:pro": [Empty("so", outcome=USED)], "score:1": [WrongType("so", outcome=USED)]}
    )

    assert 2 == used.count(USED)
    assert len(of(events, ModelAnswered, ModelFailed)) == len(used)


async def test_what_a_failed_call_used_is_counted_with_the_rest(script: Script) -> None:
    def read() -> list[float]:
        cost = observe.MODEL_COST.labels("scripted")
        return [cost._value.get(), observe.MODEL_TOKENS.labels("scripted", "input")._value.get()]

    before = read()
    _, view = await played(script, {"speak:pro": [Empty("so", outcome=USED)]}, told={"tokens": Tokens()})

    assert [0.125, 900] == [after - was for after, was in zip(read(), before, strict=True)]
    assert 0.125 == view["usage"]["cost_usd"]


@pytest.mark.parametrize("error", [TimedOut, BrokenOff])
async def test_what_a_silent_vendor_charges_is_unknown(script: Script, error: type[ProviderError]) -> None:
    """It has the prompt, and it may have thought about it: that costs, and nobody knows how much."""
    events, view = await played(script, {"score:1": [error("so it goes")]})
    (failed,) = of(events, ModelFailed)

    assert (Usage(), BROKE_OFF) == (failed.usage, failed.cost_usd.missing.reason)
    assert 1 == view["usage"]["unpriced_calls"]


@pytest.mark.parametrize("error", [Unreachable, NotAuthorised, Overloaded, RateLimited])
async def test_a_call_that_the_vendor_refused_costs_nothing(script: Script, error: type[ProviderError]) -> None:
    events, view = await played(script, {"score:1": [error("so it goes")]})
    (failed,) = of(events, ModelFailed)

    assert (Usage(), 0.0, {}) == (failed.usage, failed.cost_usd, failed.parameters)
    assert 0 == view["usage"]["unpriced_calls"]


@pytest.mark.parametrize("key", ["speak:pro", "score:1"])
async def test_a_call_that_broke_off_has_no_known_cost_and_trips_no_cap(script: Script, key: str) -> None:
    unpriced = observe.MODEL_UNPRICED.labels("scripted")
    before = unpriced._value.get()
    events, view = await played(script, {key: [BrokenOff("so it goes", raw="Trams are")]}, max_cost_usd=5)
    (failed,) = of(events, ModelFailed)

    assert (BROKE_OFF, "Trams are") == (failed.cost_usd.missing.reason, failed.answer)
    assert (1, 1) == (view["usage"]["unpriced_calls"], unpriced._value.get() - before)
    assert isinstance(events[-1], DebateConcluded)


async def test_tokens_that_nobody_cached_or_thought_stand_nowhere(script: Script) -> None:
    events, view = await played(script, {})
    usages = [msgspec.to_builtins(each.usage) for each in of(events, ModelAnswered, TurnSpoken)]

    assert {("input_tokens", "output_tokens")} == {tuple(each) for each in usages}
    assert set() == {"cached_tokens", "thought_tokens"} & set(view["usage"])


async def test_an_answer_carries_its_cached_written_and_thought_tokens(script: Script) -> None:
    events, view = await played(script, {}, told={"tokens": USED.tokens})

    assert {BOOKED} == {each.usage for each in of(events, ModelAnswered, TurnSpoken)}
    assert 300 * len(of(events, ModelAnswered)) == view["usage"]["thought_tokens"]


async def test_a_blind_debate_keeps_a_failed_calls_parameters_back(script: Script) -> None:
    events, _ = await played(script, {"score:1": [Empty("so", outcome=USED)]}, blind=True)
    (failed,) = of(events, ModelFailed)

    assert b"parameters" in bytes(payload_without(failed, withheld(failed)))
    assert b"parameters" not in bytes(payload_without(failed, withheld(failed, blind=True)))


@pytest.mark.parametrize("error", [ToolCalled, Stopped])
async def test_a_tool_call_and_a_stop_are_tried_again_under_their_own_names(
    script: Script, error: type[ProviderError]
) -> None:
    events, _ = await played(script, {"speak:pro": [error("so it goes")], "score:1": [error("so it goes")]})

    assert [error.kind] * 2 == [each.kind for each in of(events, ModelFailed)]
    assert [error.kind] == [each.kind for each in of(events, TurnFailed)]
    assert isinstance(events[-1], DebateConcluded)


# a cap that cannot be kept


@pytest.mark.parametrize("blind", [False, True])
async def test_an_answer_without_a_price_halts_a_capped_debate_until_it_is_resumed(
    script: Script, *, blind: bool
) -> None:
    async with harness(registry=faulty_registry(cost_usd=None, model="grand-2025-04-14")) as h:
        debate = await h.open(script(), turns=1, max_cost_usd=5, blind=blind)
        first = await h.ended(debate)
        at = await h.log.head(debate)
        before = await h.events(debate)
        await h.moderators.act(debate, Resume("so be it", "operator"))
        second = await h.ended(debate, at)
        after = await h.events(debate)

    name = "this model" if blind else "scripted:grand-2025-04-14"
    why = f"no price is known for {name}, so the cap of 5 USD cannot be kept; put its price into a file"
    assert isinstance(first, DebateHalted)
    assert f"{why} for MOOT_PRICES and resume" == first.reason
    assert ["speak"] == [each.purpose for each in of(before, ModelAnswered)]
    assert isinstance(second, DebateHalted)
    assert first.reason == second.reason
    assert {"speak", "score", "claims", "premises"} == {each.purpose for each in of(after, ModelAnswered)}


async def test_a_failed_answer_without_a_price_halts_it_too(script: Script) -> None:
    unpriced = msgspec.structs.replace(USED, cost_usd=None)
    events, view = await played(script, {"speak:pro": [Empty("so", outcome=unpriced)]}, max_cost_usd=5)

    assert isinstance(events[-1], DebateHalted)
    assert "scripted:told" in events[-1].reason
    assert 1 == len(of(events, ModelFailed, ModelAnswered)) == view["usage"]["unpriced_calls"]


ELSEWHERE: dict[str, dict[str, Any]] = {
    "protocol": {"format": "protocol", "turns": 6},
    "panel": {"turns": 1, "panel": ["risk", "general"]},
    "deliberation": {"format": "deliberation", "artifact": {"name": "design.md", "text": TEXT}},
    "calibration": {"format": "calibration", "cases": [case("a"), case("b")]},
}


@pytest.mark.parametrize("name", ELSEWHERE)
async def test_whatever_is_held_halts_and_goes_on_call_by_call(script: Script, name: str) -> None:
    """Answers that were paid for are used; no call is made before a resume; each resume brings one more step."""
    async with harness(registry=faulty_registry(cost_usd=None)) as h:
        debate = await h.open(script(answers=answers() | SPLIT), max_cost_usd=5, **ELSEWHERE[name])
        end, asked, halts = await h.ended(debate), [0], 0
        while isinstance(end, DebateHalted):
            halts += 1
            asked.append(len(of(await h.events(debate), ModelAnswered)))
            assert "the cap of 5 USD cannot be kept" in end.reason
            at = await h.log.head(debate)
            await h.moderators.act(debate, Resume("so be it", "operator"))
            end = await h.ended(debate, at)
        view = await h.view(debate)

    assert isinstance(end, DebateConcluded)
    assert sorted(set(asked)) == asked
    assert halts > 0
    assert view["usage"]["calls"] == view["usage"]["unpriced_calls"]


async def test_statements_that_an_unpriced_one_cuts_off_say_why(script: Script) -> None:
    errors = {"open:con": [BrokenOff("so it goes")]}
    events, _ = await played(script, errors, told={"cost_usd": None}, max_cost_usd=5, **ELSEWHERE["protocol"])

    assert ["the cost cap cannot be kept"] == [each.message for each in of(events, AttemptAbandoned)]


async def test_without_a_cap_no_price_stops_nobody(script: Script) -> None:
    events, view = await played(script, {}, told={"cost_usd": None})

    assert isinstance(events[-1], DebateConcluded)
    assert len(of(events, ModelAnswered)) == view["usage"]["unpriced_calls"]
    assert all(isinstance(each.cost_usd, Missing) for each in of(events, ModelAnswered))

"""Calls that end early are in the log with what is known of their cost.

A number stands for what the vendor reported.  What nobody knows is missing with its reason, and never 0.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import pytest
from msgspec import UNSET
from msgspec.structs import replace
from structlog.testing import capture_logs

from events.record import Draft, Recorded
from events.state.debate import question
from events.state.usage import UsageTotals, in_usd
from events.store.memory import MemoryLog
from events.types import (
    DebateConcluded,
    DebateHalted,
    Event,
    Missing,
    ModelAnswered,
    ModelFailed,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from judge.report.tally import counted
from providers import imports, ollama
from providers.base import CallProgress, Outcome, Tokens
from providers.catalog import addresses, pricing
from providers.errors import BrokenOff
from server.debate import moderator, stream_writer
from server.debate.calls import BROKE_OFF
from server.debate.commands import Halt, Resume
from server.debate.formats import next_steps
from server.debate.formats.steps import Ask
from server.process import observe
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import Vendors, running_vendors
from tests.server.debate_events import Play, answered, opened, spoken, started
from tests.server.faulty_scripts import faulty_registry
from tests.server.harness import QUICK, FailingLog, Harness, check_sound, harness, is_a, is_end, shipped_registry

pytestmark = pytest.mark.anyio
Script = Callable[..., str]
MODELS: Final = {
    "anthropic": "claude-haiku-4-5",
    "gemini": "gemini-2.5-flash",
    "openai": "gpt-4.1",
    "ollama": "gpt-oss:20b-cloud",
}
REPORTS_AT_ONCE: Final = frozenset({"anthropic", "gemini"})
"""The vendors that report the tokens of the prompt before the text."""
SHORT: Final = replace(QUICK, judge_timeout_s=2.0, attempts=2)
STUCK: Final = {"chunk_ms": 60_000, "chunk_chars": 8}
"""The pace of a script that never says its first word."""


@pytest.fixture(scope="module")
def sdks() -> None:
    for each in imports.SDKS:  # an import would take longer than the deadlines here
        imports.load_now(each)


@asynccontextmanager
async def vendors_that_charge(patch: pytest.MonkeyPatch) -> AsyncIterator[Vendors]:
    """The fake vendors as if they were not on this machine, where calls cost nothing."""
    async with running_vendors(patch, thought=0, words=40) as vendors:
        patch.setattr(pricing, "is_local", lambda _: False)
        patch.setattr(addresses, "is_local", lambda _: False)
        patch.setattr(ollama, "is_local", lambda _: False)
        vendors.ollama.models[MODELS["ollama"]] = vendors.ollama.models["qwen3:latest"]
        yield vendors


def calls_in(events: Iterable[Event]) -> list[Any]:
    return [each for each in events if isinstance(each, ModelAnswered | ModelFailed)]


def failures_in(events: Iterable[Event]) -> list[ModelFailed]:
    return [each for each in events if isinstance(each, ModelFailed)]


def check_booked(name: str, failed: ModelFailed, vendors: Vendors) -> None:
    """The tokens that the vendor reported before it broke off, and their price as a minimum; else nobody knows."""
    assert failed.answer
    if name not in REPORTS_AT_ONCE:
        assert (Usage(), BROKE_OFF, UNSET) == (failed.usage, reason_of(failed), failed.at_least)
        return
    used = failed.usage
    assert used.input_tokens in {bill.input for bill in vendors[name].bills}
    assert failed.at_least is True
    assert failed.cost_usd == pricing.cost(name, MODELS[name], used.input_tokens, used.output_tokens)
    assert isinstance(failed.cost_usd, float)
    assert failed.cost_usd > 0


def reason_of(failed: ModelFailed) -> str:
    assert isinstance(failed.cost_usd, Missing)
    return failed.cost_usd.missing.reason


@pytest.mark.slow
@pytest.mark.usefixtures("sdks")
@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize(
    ("of", "kind"), [("question", "slow drip"), ("speech", "garbage"), ("question", "quits early")]
)
async def test_a_call_that_breaks_off_is_booked_as_far_as_it_is_known(
    monkeypatch: pytest.MonkeyPatch, name: str, of: Any, kind: str
) -> None:
    """A slow drip of an answer is still arriving when the time of the question ends."""
    async with (
        vendors_that_charge(monkeypatch) as vendors,
        harness(settings=SHORT, registry=shipped_registry()) as h,
    ):
        vendors[name].faults.append(Fault(kind, of=of))
        debate = await h.open(f"{name}:{MODELS[name]}", turns=1)
        end, events, view = await h.ended(debate), await h.events(debate), await h.view(debate)
        (failed,) = failures_in(events)

        assert isinstance(end, DebateConcluded)
        check_booked(name, failed, vendors)
        assert len(vendors[name].bills) == view["usage"]["calls"]
        unpriced = [each for each in calls_in(events) if isinstance(each.cost_usd, Missing)]
        assert len({id(each) for each in (*unpriced, failed)}) == view["usage"]["unpriced_calls"]


@pytest.mark.usefixtures("sdks")
@pytest.mark.parametrize("name", sorted(MODELS))
async def test_a_call_that_a_halt_cuts_off_is_booked_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    async with vendors_that_charge(monkeypatch) as vendors, harness(registry=shipped_registry()) as h:
        vendors[name].faults.append(Fault("slow drip", of="speech"))
        debate = await h.open(f"{name}:{MODELS[name]}", turns=1)
        channel = await h.hub.channel(debate)
        with anyio.fail_after(10):
            while channel.text is None or not channel.text.text:  # noqa: ASYNC110 - the text in flight sets no event
                await anyio.sleep(0.01)
            await h.moderators.act(debate, Halt("enough", "test"))
            await h.idle()
        events, view = await h.events(debate), await h.view(debate)
        (failed,) = calls_in(events)

        assert ("halted", "the debate was halted within the call") == (failed.kind, failed.message)
        check_booked(name, failed, vendors)
        assert (1, 0, 1) == tuple(view["usage"][each] for each in ("calls", "failed_calls", "unpriced_calls"))


async def cut_off(h: Harness, debate: str, how: str) -> None:
    """End the calls in flight."""
    if how == "halt":
        await h.moderators.act(debate, Halt("enough", "test"))
    elif how == "stop":
        await h.moderators.drain(0)
    else:
        await h.until(debate, is_end)
    await h.idle()


@pytest.mark.parametrize(("how", "kind"), [("halt", "halted"), ("deadline", "halted"), ("stop", "interrupted")])
@pytest.mark.parametrize("of", ["speech", "question"])
async def test_whatever_ends_a_call_it_is_booked_once_and_asked_again(
    script: Script, how: str, kind: str, of: str
) -> None:
    """A call that Moot itself ended is no try: one attempt is enough to go on with."""
    pace = STUCK if of == "speech" else {"answer_ms": 60_000}
    log, settings = MemoryLog(), replace(QUICK, attempts=1)
    limit = {"deadline_s": 1} if how == "deadline" else {}
    unpriced = observe.MODEL_UNPRICED.labels("scripted")
    before = unpriced._value.get()
    async with harness(log, settings=settings) as h:
        debate = await h.open(script(pace=pace), turns=1, **limit)
        await h.until(debate, is_a(TurnStarted if of == "speech" else TurnSpoken))
        await anyio.wait_all_tasks_blocked()  # the calls are under way
        await cut_off(h, debate, how)
        events = await h.events(debate)
        cut = failures_in(events)

    keys = {"speak:pro"} if of == "speech" else {"score:1", "claims:1", "premises:1"}
    assert keys == {each.key for each in cut}
    assert len(keys) == len(cut) == unpriced._value.get() - before
    assert {(kind, BROKE_OFF)} == {(each.kind, reason_of(each)) for each in cut}

    async with harness(log, settings=settings) as h:
        script()  # the same file, quick now
        if how == "stop":
            await h.moderators.take_up()
        else:
            await h.moderators.act(debate, Resume("again", "test"))
        end = await h.ended(debate, len(events))
        records = await check_sound(log, debate)

    assert isinstance(end, DebateConcluded)
    names = [each.call for each in calls_in(record.event for record in records)]
    assert len(names) == len(set(names))
    assert cut == failures_in(record.event for record in records)


class GatedLog(MemoryLog):
    """A log whose appends of the chosen events wait until the gate opens."""

    def __init__(self, holds: Callable[[Sequence[Any]], bool]) -> None:
        super().__init__()
        self.holds, self.gate, self.waits = holds, anyio.Event(), anyio.Event()

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        if self.holds([each.event if isinstance(each, Draft) else each for each in events]):
            self.waits.set()
            await self.gate.wait()
        return await super().append(debate, expected, events)


async def test_a_call_that_is_just_being_recorded_is_not_booked_twice(script: Script) -> None:
    """Answers are written together by one of their tasks when all of them are cancelled."""
    log = GatedLog(
        lambda events: sum(isinstance(each, ModelAnswered) and each.purpose != "speak" for each in events) > 1
    )
    async with harness(log) as h:
        debate = await h.open(script(), turns=1, samples=5)
        with anyio.fail_after(10):
            await log.waits.wait()
            h.moderators._moderators[debate].stop()
            await anyio.wait_all_tasks_blocked()
            log.gate.set()
            await h.idle()
        calls = calls_in(await h.events(debate))

    assert len({each.call for each in calls}) == len(calls) == 1 + 3 * 5


async def test_a_call_that_cannot_be_booked_is_in_the_servers_log(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderator, "BOOKING_S", 0.05)
    monkeypatch.setattr(stream_writer, "STORE_WAIT_S", 0.01)
    log = FailingLog(lambda _: False)
    with capture_logs() as lines:
        async with harness(log) as h:
            debate = await h.open(script(pace=STUCK), turns=1)
            await h.until(debate, is_a(TurnStarted))
            await anyio.wait_all_tasks_blocked()
            log.fails = lambda _: True  # the store is away from now on
            await h.moderators.drain(0)
    (line,) = [each for each in lines if each["event"] == "call_not_booked"]

    assert {"debate": debate, "call": "speak.1.1", "message": "the store does not answer"}.items() <= line.items()


# the cap


async def test_calls_of_unknown_cost_count_against_the_cap_as_much_as_the_dearest(script: Script) -> None:
    errors = {"score:1": [BrokenOff("so it goes", raw="{"), BrokenOff("so it goes", raw="{")]}
    async with harness(registry=faulty_registry(errors, cost_usd=0.1)) as h:
        debate = await h.open(script(), turns=1, max_cost_usd=0.55)
        halted, view, at = await h.ended(debate), await h.view(debate), await h.log.head(debate)
        with pytest.raises(
            Exception, match=r"0\.6000 USD have been spent already, with calls of unknown cost"
        ) as refusal:
            await h.moderators.act(debate, Resume("", "operator", 0.58))
        await h.moderators.act(debate, Resume("more money", "operator", 5.0))
        ended = await h.ended(debate, at)

    assert isinstance(halted, DebateHalted)
    sums = "0.6000 of 0.5500 USD (2 calls of unknown cost count as much as the dearest call)"
    assert f"the cost cap is reached: {sums}; resume it with a higher cap" == halted.reason
    assert (0.4, 2) == (view["usage"]["cost_usd"], view["usage"]["unpriced_calls"])
    assert "BadField" == type(refusal.value).__name__
    assert isinstance(ended, DebateConcluded)


def test_a_cut_off_call_uses_up_no_try_and_says_nothing_about_the_judge() -> None:
    asked = answered(1, answer="", cost_usd=0.25)
    play = Play(opened(judge_attempts=1), started(1), spoken(1))
    (before,) = [each for each in next_steps(play.debate) if isinstance(each, Ask) and each.key == "score:1"]
    fields = {name: getattr(asked, name) for name in ("call", "key", "purpose", "turn", "sample", "order")}
    cut = ModelFailed(**fields, kind="halted", message="cut", cost_usd=0.125, at_least=True)
    play.add(cut)
    (after,) = [each for each in next_steps(play.debate) if isinstance(each, Ask) and each.key == "score:1"]

    assert (1, 2) == (before.attempt, after.attempt)
    assert 0 == after.delay_ms
    assert question("score:1", 1) not in play.debate.questions.failed
    assert [] == list(counted(cut))
    assert (0.125, 1, 0, 1) == (
        play.debate.usage.cost_usd,
        play.debate.usage.calls,
        play.debate.usage.failed_calls,
        play.debate.usage.unpriced_calls,
    )


@pytest.mark.parametrize(("unpriced", "words"), [(0, "0.5000 USD"), (1, "at least 0.5000 USD")])
def test_a_sum_says_that_it_is_a_minimum(unpriced: int, words: str) -> None:
    assert words == in_usd(UsageTotals(cost_usd=0.5, calls=3, unpriced_calls=unpriced))


def test_an_error_takes_over_what_came_before_it() -> None:
    progress, partial = CallProgress(), Outcome(model="m", tokens=Tokens(input=7), latency_ms=1, cost_usd=0.5)
    progress.add("Cars ")
    progress.add("are")
    progress.outcome = partial
    bare, own = BrokenOff("so"), BrokenOff("so", raw="own", outcome=replace(partial, latency_ms=2))
    bare.complete(progress)
    own.complete(progress)

    assert ("Cars are", partial) == (bare.raw, bare.outcome)
    assert ("own", 2) == (own.raw, own.outcome.latency_ms if own.outcome else None)

"""The queue of a provider: fair among debates, visible to spectators, and not counted as the model's time."""

import gc
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from events.store.open import opened_log
from events.types import DebateConcluded, DebateHalted, ModelFailed, TurnFailed
from providers.errors import ProviderError
from providers.limits import Limit, breaker
from providers.limits.limiter import CallLimiter
from server.debate.commands import Halt
from server.feed.reader import Reader
from tests.providers.scenarios.session import request
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import running_vendors
from tests.server.harness import PATIENCE_S, QUICK, Harness, check_sound, harness, is_a, shipped_registry
from tests.server.site import Site, serving

pytestmark = pytest.mark.anyio

FEW = Limit(concurrent=4)
ONE = Limit(concurrent=1)
ROOT = Path(__file__).parents[3]
FOLDERS = ("events", "judge", "personalities", "providers", "server")


async def finished(h: Harness, models: list[str], **request: Any) -> list[float]:
    """Seconds that each debate took; all begin at the same time."""
    took: list[float] = []
    openings = [await h.opening(model, turns=4, **request) for model in models]
    began = time.monotonic()

    async def one(opening: Any) -> None:
        debate = await h.moderators.open(opening)
        with anyio.fail_after(120):
            await h.until(debate, is_a(DebateConcluded))
        took.append(time.monotonic() - began)

    async with anyio.create_task_group() as tasks:
        for opening in openings:
            tasks.start_soon(one, opening)
    await h.idle()
    return took


def let_in(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """Fills as calls are let in: calls that the debate has had, the fewest of one that waits, and how many wait.

    The order is what must be fair: the time that a debate takes is also the disk's.
    """
    seen: list[tuple[int, int, int]] = []
    admit = CallLimiter._admit

    def noted(self: CallLimiter, debate: str) -> None:
        fewest = min((self._served[each] for each in self._queues), default=self._served.get(debate, 0))
        seen.append((self._served.get(debate, 0), fewest, len(self._queues)))
        admit(self, debate)

    monkeypatch.setattr(CallLimiter, "_admit", noted)
    return seen


def held_by_us() -> int:
    """Bytes that our own lines hold: the interpreter's table of strings grows by megabytes at once when it likes."""
    ours = [tracemalloc.Filter(True, str(ROOT / folder / "*"), all_frames=False) for folder in FOLDERS]
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces(ours).traces)


@pytest.mark.slow
@pytest.mark.parametrize("crowd", [10, pytest.param(50, marks=pytest.mark.thorough)])
async def test_a_crowd_of_debates_at_four_places_ends_together_and_leaves_nothing(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crowd: int
) -> None:
    calls = let_in(monkeypatch)
    model = script(pace={"chunk_chars": 400, "chunk_ms": 5, "answer_ms": 5})
    async with (
        opened_log(f"sqlite:{tmp_path / 'moot.db'}") as log,
        harness(log, registry=shipped_registry({"scripted": FEW})) as h,
    ):
        took = await finished(h, [model] * crowd)
        most_waiting = max(waiting for *_, waiting in calls)
        tracemalloc.start()
        try:
            held = []
            for _ in range(3):
                await finished(h, [model] * (crowd // 5))
                gc.collect()
                held.append(held_by_us())
        finally:
            tracemalloc.stop()
        (load,) = [each for each in h.registry.loads() if each.provider == "scripted"]
        gate = h.registry._queues["scripted"].limiter

    assert crowd == len(took)
    assert most_waiting > crowd // 4, "there was something to share"
    assert [] == [had for had, fewest, _ in calls if had > fewest]
    assert held[2] - held[1] < 6_000 * crowd  # bytes, 30 kB a debate; the first of them filled what is kept for good
    assert (0, 0) == (load.running, load.waiting)
    assert {} == gate._served == gate._running == gate._queues


@pytest.mark.slow
async def test_a_debate_that_asks_for_much_does_not_keep_the_others_waiting(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = let_in(monkeypatch)
    async with harness(registry=shipped_registry({"scripted": FEW})) as h, anyio.create_task_group() as tasks:
        greedy = await h.open(script("greedy", pace={"answer_ms": 2}), turns=6, samples=9)
        took = await finished(h, [script("modest", pace={"answer_ms": 2})] * 10)
        await h.ended(greedy)
        tasks.cancel_scope.cancel()

    assert 10 == len(took)
    assert max(waiting for *_, waiting in calls) > 4
    assert [] == [had for had, fewest, _ in calls if had > fewest]


@pytest.mark.slow
async def test_time_outs_do_not_count_the_wait_for_a_place(script: Any) -> None:
    """Eight debates share one place: each waits longer than a call may take."""
    settings = msgspec.structs.replace(QUICK, turn_timeout_s=0.5, judge_timeout_s=0.5, idle_timeout_s=0.4, attempts=1)
    model = script(pace={"chunk_ms": 100, "chunk_chars": 400, "answer_ms": 30})
    async with harness(settings=settings, registry=shipped_registry({"scripted": ONE})) as h:
        debates = [await h.open(model) for _ in range(8)]
        waits = []
        for debate in debates:
            assert isinstance(await h.ended(debate), DebateConcluded)
            records = await check_sound(h.log, debate)
            assert not [r for r in records if isinstance(r.event, TurnFailed | ModelFailed)]
            waits.append(len(records))

    assert 8 == len(waits)


async def wait_text(h: Harness, debate: str, wanted: Callable[[str], bool]) -> str:
    """The first text about a wait that fulfils a condition, as a page gets it; the reader joins late."""
    with anyio.fail_after(PATIENCE_S):
        async with Reader(h.hub, await h.hub.channel(debate), None) as reader:
            async for batch in reader.messages():
                for message in batch:
                    said = msgspec.json.decode(message)
                    if said["kind"] == "status" and "wait" in said and wanted(said["wait"]):
                        return str(said["wait"])
    raise AssertionError


@pytest.mark.slow
async def test_who_watches_is_told_how_many_are_ahead_and_when_it_is_over(script: Any, slow: str) -> None:
    async with harness(registry=shipped_registry({"scripted": ONE})) as h:
        first = await h.open(slow)
        model = script()
        others = [await h.open(model) for _ in range(3)]
        last = await h.open(model)

        assert "waiting for scripted: 3 calls ahead" == await wait_text(h, last, bool)
        assert "waiting for scripted: next in line" == await wait_text(h, others[0], bool)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(told_over, h, last)
            await h.until(first, lambda record: True)
            await h.moderators.act(first, Halt("enough", "test"))
        for debate in (*others, last):
            assert isinstance(await h.ended(debate), DebateConcluded)


async def told_over(h: Harness, debate: str) -> None:
    seen: list[str] = []

    def over(wait: str) -> bool:
        seen.append(wait)
        return wait == "" and len(seen) > 1

    assert "" == await wait_text(h, debate, over)


@pytest.mark.slow
async def test_who_watches_is_told_of_a_rest_and_the_debate_goes_on_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(breaker, "REST_S", 1.4)
    settings = msgspec.structs.replace(QUICK, attempts=10)
    async with running_vendors(monkeypatch) as vendors, harness(settings=settings, registry=shipped_registry()) as h:
        vendors["anthropic"].faults.append(Fault("529", times=breaker.FAILURES))
        debate = await h.open("anthropic:claude-haiku-5-5")

        assert "anthropic rests for 1 s" == await wait_text(h, debate, bool)
        assert isinstance(await h.ended(debate), DebateConcluded)
        failures = [event for event in await h.events(debate) if isinstance(event, TurnFailed)]

    assert breaker.FAILURES == len(failures)
    assert {"overloaded"} == {event.kind for event in failures}


@pytest.mark.slow
async def test_a_forbidden_model_halts_only_the_debates_that_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_vendors(monkeypatch, thought=0, words=20) as vendors, harness(registry=shipped_registry()) as h:
        forbidden, allowed = "claude-haiku-4-5", "claude-haiku-5-5"
        vendors["anthropic"].faults.append(Fault("403", model=forbidden, times=99))
        halts = [await h.ended(await h.open(f"anthropic:{forbidden}", turns=1)) for _ in range(breaker.FAILURES + 1)]
        end = await h.ended(await h.open(f"anthropic:{allowed}", turns=1))
        load = {each.provider: each for each in h.registry.loads()}["anthropic"]

    said = "failed once, last: Anthropic says: it went wrong (may ANTHROPIC_API_KEY use this model?)"
    assert all(isinstance(each, DebateHalted) and said in each.reason for each in halts)
    assert isinstance(end, DebateConcluded)
    assert (0, "") == (load.rests_s, load.last)


@pytest.mark.slow
@pytest.mark.parametrize("status", ["529", "401"])
async def test_a_debate_opens_while_its_provider_rests_and_waits(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    monkeypatch.setattr(breaker, "REST_S", 1.0)
    settings = msgspec.structs.replace(QUICK, attempts=1)
    async with (
        running_vendors(monkeypatch, thought=0, words=20) as vendors,
        harness(settings=settings, registry=shipped_registry()) as h,
    ):
        model = "anthropic:claude-haiku-5-5"
        vendors["anthropic"].faults.append(Fault(status, times=breaker.FAILURES))
        for _ in range(breaker.FAILURES):
            with pytest.raises(ProviderError):
                await doomed(h, model)
        (listed,) = [each for each in await h.registry.check_all() if each.name == model]
        debate = await h.open(model, turns=1)
        why = await wait_text(h, debate, bool)
        end, events = await h.ended(debate), await h.events(debate)

    assert listed.ok
    assert "left alone for 1 s more after failures" in listed.detail
    assert why.startswith("anthropic rests for ")
    assert isinstance(end, DebateConcluded)
    assert [] == [each for each in events if isinstance(each, TurnFailed | ModelFailed)]


async def doomed(h: Harness, model: str) -> None:
    """One call that fails."""
    async with h.registry.call(model, "other") as call:
        async for _ in call.stream(request()):
            pass


@pytest.mark.slow
def test_models_and_metrics_say_how_busy_a_provider_is(script: Any, slow: str) -> None:
    for site in serving(limits={"scripted": ONE}):
        first, second = site.open(slow), site.open(script())
        line = until_waiting(site)

        assert {"provider", "running", "waiting", "rests_s", "last"} <= line.keys()
        assert (1, 1, 0, "") == (line["running"], line["waiting"], line["rests_s"], line["last"])
        assert {"concurrent": 1, "calls_per_minute": None, "tokens_per_minute": None} == line["limit"]
        said = site.client.get("/metrics").text
        assert 'moot_provider_running{provider="scripted"} 1.0' in said
        assert 'moot_provider_waiting{provider="scripted"} 1.0' in said
        assert 'moot_provider_breaker_open{provider="scripted"} 0.0' in said
        for debate in (first, second):
            assert site.client.post(f"/api/debates/{debate}/halt").status_code in {200, 409}  # it may have ended


def until_waiting(site: Site) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        said = site.client.get("/metrics").text
        if 'moot_provider_waiting{provider="scripted"} 1.0' in said:
            return next(dict(each) for each in site.get("/api/models")["load"] if each["provider"] == "scripted")
    raise AssertionError(said)


@pytest.mark.slow
def test_a_failed_call_is_counted_by_provider_and_kind(site: Site, script: Any) -> None:
    debate = site.open(script(answers={"score:1": {"fault": {"kind": "auth"}}}))
    site.ended(debate)

    said = site.client.get("/metrics").text
    assert 'moot_model_failures_total{kind="auth",provider="scripted",purpose="score"}' in said

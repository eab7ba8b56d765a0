"""A model's vendor is away for minutes or for good, in virtual time: debates go on when it is back, or they end."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from events.record import Recorded
from events.store.log import follow
from events.types import DebateConcluded, DebateHalted, ModelFailed, TurnFailed, TurnScored
from providers.base import Answer, ModelStatus, Request, TextStream
from providers.errors import Overloaded, ProviderError, RateLimited, Unreachable
from providers.limits import queue
from providers.limits.queue import loop_time
from providers.scripted.provider import ScriptedProvider
from tests.laws import spread
from tests.server.harness import QUICK, check_sound, harness, is_end, shipped_registry
from tests.simulation.loop import VirtualLoop, run

DAY_S = 86_400.0
SETTINGS = replace(QUICK, retry_ms=500)
AFTER_S = 5.0
"""Seconds after the return of the vendor within which debates go on."""
TURNS = 6
CALL_S = 1.0
MOST_S = 700.0
"""Seconds within which a debate ends whose models do not answer."""


class Vendor(ScriptedProvider):
    """A script behind a network: calls of ``model`` (empty: of all) fail from ``since`` until ``back``, in seconds."""

    def __init__(self, failure: ProviderError, since: float, back: float, model: str = "") -> None:
        super().__init__()
        self._failure, self._since, self._back, self._model = failure, since, back, model
        self.answered_at: list[float] = []

    def _is_away(self, model: str) -> bool:
        return self._model in {"", model} and self._since <= loop_time() < self._back

    async def _take(self, model: str) -> None:
        if self._is_away(model):
            raise self._failure
        self.answered_at.append(loop_time())
        await anyio.sleep(CALL_S)

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        await self._take(model)
        async with super().stream(model, request) as stream:
            yield stream

    async def answer(self, model: str, request: Request, type_: type[Any]) -> Answer[Any]:
        await self._take(model)
        return await super().answer(model, request, type_)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        is_away = self._is_away(model or "") and isinstance(self._failure, Unreachable)
        return (ModelStatus(name=model or "", provider=self.name, ok=not is_away, detail=""),)


@pytest.fixture(autouse=True)
def virtual(monkeypatch: pytest.MonkeyPatch) -> None:
    """The breaker holds for scripts as for vendors, and the loop without threads runs their functions itself."""

    async def run_sync(act: Callable[..., Any], *args: Any, **_how: Any) -> Any:
        return act(*args)

    monkeypatch.setattr(queue, "IN_PROCESS", frozenset())
    monkeypatch.setattr(anyio.to_thread, "run_sync", run_sync)


def played(vendor: Vendor, model: str, judge: str, debates: int = 1) -> tuple[list[list[Recorded]], float]:
    """The records of debates that begin at the same time, and the virtual seconds until all have ended."""

    async def play() -> tuple[list[list[Recorded]], float]:
        registry = shipped_registry()
        registry._providers["scripted"] = vendor
        async with harness(settings=SETTINGS, registry=registry) as h:
            ids = [await h.open(model, turns=TURNS, judge=judge) for _ in range(debates)]
            for debate in ids:
                async for record in follow(h.log, debate):
                    if is_end(record):
                        break
            took_s = loop_time()
            return [await check_sound(h.log, debate) for debate in ids], took_s

    return run(play, VirtualLoop(DAY_S))


@pytest.mark.slow
@pytest.mark.parametrize(("away_s", "debates"), spread([(4, 1), (25, 1), (120, 5), (120, 1), (170, 1)], 2))
def test_debates_go_on_within_seconds_after_a_vendor_is_back(script: Any, away_s: int, debates: int) -> None:
    back = 5.0 + away_s
    vendor = Vendor(Unreachable("connection refused"), 5.0, back)

    logs, _ = played(vendor, script(), script("judge"), debates)

    assert all(isinstance(records[-1].event, DebateConcluded) for records in logs)
    for records in logs:
        assert not [each for each in records if isinstance(each.event, DebateHalted)]
        assert all(each.event.samples for each in records if isinstance(each.event, TurnScored)), "no score is missing"
    assert min(each for each in vendor.answered_at if each > 5.0) <= back + AFTER_S


@pytest.mark.slow
@pytest.mark.parametrize("asked_s", [121.0, 300.0, 900.0])
def test_a_vendor_that_asks_for_minutes_is_obeyed(script: Any, asked_s: float) -> None:
    vendor = Vendor(RateLimited("slow down", retry_after_s=asked_s), 5.0, 5.0 + asked_s)

    (records,), _ = played(vendor, script(), script("judge"))

    assert isinstance(records[-1].event, DebateConcluded)
    failed = [each.event.kind for each in records if isinstance(each.event, TurnFailed | ModelFailed)]
    assert {"rate_limit"} == set(failed)
    assert len(failed) <= 3, "the questions of one turn at most"


FAILURES = [Unreachable("connection refused"), Overloaded("busy"), RateLimited("slow down", retry_after_s=600.0)]


@pytest.mark.parametrize(
    ("failure", "away_s"), [*[(each, inf) for each in FAILURES], *[(each, 600.0) for each in FAILURES[:2]]]
)
def test_a_judge_that_fails_for_minutes_or_for_good_does_not_keep_its_debate(
    script: Any, failure: ProviderError, away_s: float
) -> None:
    judge = script("judge")
    vendor = Vendor(failure, 5.0, 5.0 + away_s, judge.partition(":")[2])

    (records,), took_s = played(vendor, script(), judge)

    assert isinstance(records[-1].event, DebateHalted)
    assert "judge.json does not answer, last: " in records[-1].event.reason
    assert all(each.event.samples for each in records if isinstance(each.event, TurnScored)), "no score is missing"
    assert took_s < MOST_S


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: each.kind)
def test_a_debater_that_is_gone_for_good_halts_its_debate(script: Any, failure: ProviderError) -> None:
    model = script()
    vendor = Vendor(failure, 5.0, inf, model.partition(":")[2])

    logs, took_s = played(vendor, model, script("judge"), 5)

    for records in logs:
        assert isinstance(records[-1].event, DebateHalted)
        assert "debate.json does not answer, last: " in records[-1].event.reason
    assert took_s < MOST_S

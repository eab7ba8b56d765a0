"""Calls by the vendors' batches: gathered, answered, and sent once, on good days and on bad ones."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest
from msgspec import Struct

from events.store.memory import MemoryLog
from events.types import DebateConcluded, ModelAnswered, ModelFailed
from providers.base import Answer, Request
from providers.batched import queue
from providers.catalog.pricing import cost, is_priced, price
from providers.errors import BadRequest, NotAuthorised, Overloaded, ProviderError
from providers.registry import Registry
from providers.testing.contract import make_request
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.providers.vendors.batches import BatchVendors, running_batches
from tests.server.harness import harness

pytestmark = pytest.mark.anyio
MODELS = {"anthropic-batch": "anthropic-batch:claude-sonnet-4-5", "openai-batch": "openai-batch:gpt-5.4-mini"}


class Pick(Struct, frozen=True):
    """A small typed answer."""

    winner: str


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"GATHER_S": 0.02, "POLL_S": 0.02, "LOOK_S": 0.01}.items():
        monkeypatch.setattr(queue, name, seconds)


@pytest.fixture
async def vendors(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[BatchVendors]:
    async with running_batches() as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        yield made


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


class Process:
    """A process with its own registry over a store."""

    def __init__(self, log: MemoryLog, model: str) -> None:
        self.registry, self.model = Registry(), model
        self.registry.notes = log
        self.answers: dict[int, Answer[Pick] | ProviderError] = {}

    async def ask(self, number: int, attempt: int = 1) -> None:
        request: Request = make_request("compare:1-2", attempt=attempt, debate=f"d{number}", call=f"c.1.{attempt}")
        async with self.registry.call(self.model, f"d{number}") as call:
            try:
                self.answers[number] = await call.answer(request, Pick)
            except ProviderError as error:
                self.answers[number] = error

    async def ask_all(self, numbers: Iterator[int] | range) -> None:
        async with anyio.create_task_group() as tasks:
            for number in numbers:
                tasks.start_soon(self.ask, number)


@pytest.fixture(params=list(MODELS))
def model(request: Any) -> str:
    return MODELS[request.param]


async def test_calls_are_sent_as_one_batch_and_answered_at_half_the_price(
    vendors: BatchVendors, log: MemoryLog, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vendors.slow = 2
    process = Process(log, model)
    monkeypatch.setattr("providers.catalog.pricing.is_local", lambda _: False)
    await process.ask_all(range(20))
    answers = [each for each in process.answers.values() if isinstance(each, Answer)]

    assert len(answers) == 20, process.answers
    assert len(vendors.calls) == len(set(vendors.calls)) == 20
    assert len(vendors.batches) < 20
    assert {each.outcome.parameters["structured_output"] for each in answers} <= {"json_schema", "tool"}
    vendor, _, name = model.partition(":")
    of, tokens = vendor.removesuffix("-batch"), answers[0].outcome.tokens
    whole = cost(of, name, tokens.input, tokens.output, cached=tokens.cached, written=tokens.written)
    assert whole
    assert answers[0].outcome.cost_usd == pytest.approx(whole / 2)
    assert is_priced(model)
    assert price(vendor, name).input == pytest.approx(price(of, name).input / 2)  # type: ignore[union-attr]
    await process.registry.close()


async def test_what_a_killed_process_has_sent_is_not_sent_again(
    vendors: BatchVendors, log: MemoryLog, model: str
) -> None:
    vendors.slow = -1
    first = Process(log, model)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(first.ask_all, range(5))
        while not any(b"batch_1" in each for each in (await log.notes(queue.KIND)).values()):  # noqa: ASYNC110
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    vendors.slow = 0
    second = Process(log, model)
    await second.ask_all(range(7))

    assert all(isinstance(each, Answer) for each in second.answers.values()), second.answers
    assert len(vendors.calls) == len(set(vendors.calls)) == 7
    third = Process(log, model)  # killed after it had read the answers, before they were recorded
    await third.ask_all(range(7))
    assert len(vendors.calls) == 7
    assert all(isinstance(each, Answer) for each in third.answers.values())


async def test_a_batch_whose_acceptance_was_lost_is_found_and_not_sent_again(
    vendors: BatchVendors, log: MemoryLog, model: str
) -> None:
    vendors.loses = 1
    process = Process(log, model)
    await process.ask_all(range(3))

    assert len(vendors.calls) == len(set(vendors.calls)) == 3
    assert all(isinstance(each, Answer) for each in process.answers.values())


async def test_what_expired_or_failed_is_an_error_and_is_sent_again_by_the_next_attempt(
    vendors: BatchVendors, log: MemoryLog, model: str
) -> None:
    vendors.expires, vendors.fails = {1}, {2}
    process = Process(log, model)
    await process.ask_all(range(3))
    again = {number: each for number, each in process.answers.items() if isinstance(each, Overloaded)}
    assert sorted("within 24 hours" in each.message for each in again.values()) == [False, True]
    async with anyio.create_task_group() as tasks:
        for number in again:
            tasks.start_soon(process.ask, number, 2)

    assert all(isinstance(each, Answer) for each in process.answers.values()), process.answers
    assert len(vendors.calls) == len(set(vendors.calls)) == 5


async def test_a_key_that_is_refused_fails_the_calls_and_keeps_nothing(
    vendors: BatchVendors, log: MemoryLog, model: str
) -> None:
    vendors.refuses = 401
    process = Process(log, model)
    await process.ask_all(range(2))

    assert {type(each) for each in process.answers.values()} == {NotAuthorised}
    assert not await log.notes(queue.KIND)


async def test_it_does_not_speak_and_needs_a_store(vendors: BatchVendors, log: MemoryLog, model: str) -> None:
    process = Process(log, model)
    async with process.registry.call(model, "d") as call:
        with pytest.raises(BadRequest, match="only judges"):
            async for _ in call.stream(make_request()):
                pass
    process.registry.notes = None
    await process.ask(1)
    error = process.answers[1]
    assert isinstance(error, BadRequest)
    assert "store" in error.message
    (status,) = [await process.registry.check(model)]
    assert status.ok, status


async def test_a_lab_run_that_drains_goes_on_with_the_batch_that_was_sent(
    vendors: BatchVendors, log: MemoryLog, model: str
) -> None:
    vendors.slow = -1
    body = {"format": "lab", "judge": {"model": model}, "lab": {"batteries": ["position"], "items": 4}}
    async with harness(log) as h:
        h.registry.notes = log
        made = await opening_for(log, as_request(body), h.registry, h.settings)
        run = await h.moderators.open(made.opened, made.follows)
        while not vendors.batches:  # noqa: ASYNC110 - the vendor's state
            await anyio.sleep(0.01)
        await h.moderators.drain(0)
    vendors.slow = 1
    async with harness(log) as h:
        h.registry.notes = log
        await h.moderators.take_up()
        assert isinstance(await h.ended(run), DebateConcluded)
        events = await h.events(run)

    answered = [each for each in events if isinstance(each, ModelAnswered)]
    assert not [each for each in events if isinstance(each, ModelFailed)]
    assert len(answered) == len(vendors.calls) == len(set(vendors.calls)) == 8


async def test_a_debater_is_refused_when_a_debate_is_opened(vendors: BatchVendors, log: MemoryLog, model: str) -> None:
    body = {"motion": "Cats purr", "pro": {"model": model}, "con": {"model": model}, "judge": {"model": model}}
    async with harness(log) as h:
        with pytest.raises(BadField, match="answers within a day and only judges"):
            await opening_for(log, as_request(body), h.registry, h.settings)

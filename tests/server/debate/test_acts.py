"""Pause, halt and resume at every moment of a debate: they take effect at once, and the debate can go on."""

from typing import Any

import anyio
import msgspec
import pytest

from events.errors import UnknownDebate
from events.record import Recorded
from events.store.memory import MemoryLog
from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    DebatePaused,
    DebateResumed,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from providers.scripted.provider import ScriptedProvider
from server.debate.commands import Halt, Pause, Resume
from server.errors import NotNow
from tests.laws import spread
from tests.server.conftest import CON, PRO
from tests.server.harness import QUICK, check_sound, fault, harness, is_a

pytestmark = pytest.mark.anyio

SLOW = {"chunk_ms": 5, "chunk_chars": 4}


def called(monkeypatch: pytest.MonkeyPatch, calls: int) -> anyio.Event:
    """An event that is set once the script has received this number of questions."""
    reached, answer, count = anyio.Event(), ScriptedProvider.answer, 0

    async def counted(self: ScriptedProvider, model: str, request: Any, type_: Any) -> Any:
        nonlocal count
        count += 1
        if count == calls:
            reached.set()
        return await answer(self, model, request, type_)

    monkeypatch.setattr(ScriptedProvider, "answer", counted)
    return reached


@pytest.mark.slow
async def test_a_pause_in_mid_turn_lets_the_turn_finish_and_then_rests(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(pace=SLOW))
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.act(debate, Pause("tea", "test"))
        await h.until(debate, is_a(TurnSpoken))
        await h.idle()
        assert isinstance((await h.events(debate))[-1], TurnSpoken)

        await h.moderators.act(debate, Resume("", "test"))
        assert isinstance(await h.ended(debate), DebateConcluded)
        records = await check_sound(h.log, debate)

    assert not any(isinstance(r.event, AttemptAbandoned) for r in records)


async def test_a_pause_in_mid_judgement_keeps_the_answers_that_come(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = called(monkeypatch, 2)
    async with harness() as h:
        debate = await h.open(script(pace={"answer_ms": 30}), samples=2)
        await asked.wait()
        await h.moderators.act(debate, Pause("tea", "test"))
        await h.idle()
        scored = [e for e in await h.events(debate) if isinstance(e, ModelAnswered) and e.purpose == "score"]
        assert len(scored) == 2
        assert (await h.view(debate))["state"] == "paused"

        await h.moderators.act(debate, Resume("", "test"))
        assert isinstance(await h.ended(debate), DebateConcluded)
        await check_sound(h.log, debate)


async def test_a_halt_in_mid_turn_stops_at_once_and_leaves_no_half_turn(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        await h.until(debate, is_a(TurnStarted))
        with anyio.fail_after(2):
            await h.moderators.act(debate, Halt("stop", "test"))
            await h.idle()

        halted, abandoned, call = (await h.events(debate))[-3:]
        assert isinstance(halted, DebateHalted)
        assert isinstance(abandoned, AttemptAbandoned)
        assert (abandoned.kind, abandoned.message, abandoned.attempt) == ("halted", "stop", 1)
        assert isinstance(call, ModelFailed)
        assert (call.kind, call.call) == ("halted", "speak.1.1")
        assert (await h.view(debate))["turns"]["1"]["state"] == "failed"


async def test_a_halt_in_mid_judgement_stops_at_once_and_resume_asks_again(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = called(monkeypatch, 1)
    model = script(pace={"answer_ms": 60_000})
    async with harness() as h:
        debate = await h.open(model, turns=1)
        await asked.wait()
        with anyio.fail_after(2):
            await h.moderators.act(debate, Halt("stop", "test"))
            await h.idle()
        script()  # the same file, without the long thought

        await h.moderators.act(debate, Resume("", "test"))

        assert isinstance(await h.ended(debate, len(await h.events(debate))), DebateConcluded)
        await check_sound(h.log, debate)


async def test_resume_after_a_halt_gives_a_fresh_attempt(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000}), turns=1)
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.act(debate, Halt("stop", "test"))
        script()
        position = await h.moderators.act(debate, Resume("", "test"))
        await h.ended(debate, position)
        records = await check_sound(h.log, debate)

    assert [(r.event.turn, r.event.attempt) for r in records if isinstance(r.event, TurnStarted)] == [(1, 1), (1, 2)]


async def test_a_pause_while_a_retry_waits_is_obeyed(script: Any) -> None:
    """An attempt that is still waiting for its turn is not in flight."""
    settings = _with(retry_ms=200)
    async with harness(settings=settings) as h:
        debate = await h.open(script(says={"pro": [{"text": PRO, "fault": fault("reset")}], "con": [CON]}))
        await h.until(debate, is_a(TurnFailed))
        await anyio.wait_all_tasks_blocked()
        await h.moderators.act(debate, Pause("tea", "test"))
        await h.idle()

        assert isinstance((await h.events(debate))[-1], DebatePaused)


@pytest.mark.slow
async def test_a_question_that_waits_for_its_retry_is_not_asked_after_a_pause(script: Any) -> None:
    async with harness(settings=_with(retry_ms=200)) as h:
        debate = await h.open(script(answers={"score:1": {"fault": fault("reset")}}))
        await h.until(debate, is_a(ModelFailed))
        await anyio.wait_all_tasks_blocked()
        await h.moderators.act(debate, Pause("tea", "test"))
        await h.idle()

        assert isinstance((await h.events(debate))[-1], DebatePaused)


def _with(**changes: Any) -> Any:
    return msgspec.structs.replace(QUICK, **changes)


@pytest.mark.slow
@pytest.mark.parametrize("act", [Pause, Halt])
@pytest.mark.parametrize("moment", spread(range(1, 14), 5))
async def test_an_act_after_any_event_is_obeyed_and_undone(script: Any, act: type[Pause | Halt], moment: int) -> None:
    """The debate rests right after the n-th event, without a half turn, and can go on to its end."""
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 0, "chunk_chars": 8}))
        await h.until(debate, lambda record: record.position >= moment)
        try:
            await h.moderators.act(debate, act("now", "test"))
        except NotNow:
            assert isinstance((await h.events(debate))[-1], DebateConcluded)
            return
        await h.idle()
        events = await h.events(debate)
        rest = next(i for i, e in enumerate(events) if isinstance(e, DebatePaused | DebateHalted))
        after = {type(event) for event in events[rest + 1 :]}
        allowed = {ModelAnswered, TurnSpoken} if act is Pause else {AttemptAbandoned, ModelFailed}
        assert after <= allowed
        assert {"halted"} >= {event.kind for event in events if isinstance(event, ModelFailed)}

        position = await h.moderators.act(debate, Resume("on", "test"))
        assert isinstance(await h.ended(debate, position), DebateConcluded)
        await check_sound(h.log, debate)


@pytest.mark.slow
async def test_acts_that_make_no_sense_now_are_refused(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(pace=SLOW))
        with pytest.raises(NotNow, match="the debate is open"):
            await h.moderators.act(debate, Resume("", "test"))
        await h.moderators.act(debate, Pause("", "test"))
        with pytest.raises(NotNow, match="the debate is paused"):
            await h.moderators.act(debate, Pause("", "test"))
        await h.moderators.act(debate, Halt("", "test"))
        with pytest.raises(NotNow, match="the debate is halted"):
            await h.moderators.act(debate, Halt("", "test"))
        position = await h.moderators.act(debate, Resume("", "test"))
        await h.ended(debate, position)
        for act in (Pause("", "test"), Resume("", "test"), Halt("", "test")):
            with pytest.raises(NotNow, match="the debate is concluded"):
                await h.moderators.act(debate, act)
        with pytest.raises(UnknownDebate):
            await h.moderators.act("nobody", Pause("", "test"))


async def test_halt_and_resume_again_and_again_never_makes_two_moderators(script: Any) -> None:
    """Two moderators would both write, and one of them would fail because of the position."""
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 1, "chunk_chars": 4}))
        for _ in range(30):
            try:
                await h.moderators.act(debate, Halt("stop", "test"))
                await h.moderators.act(debate, Resume("on", "test"))
                await anyio.lowlevel.checkpoint()
            except NotNow:
                break
        assert isinstance(await h.until(debate, is_a(DebateConcluded)), Recorded)
        records = await check_sound(h.log, debate)

    assert not [r.event for r in records if isinstance(r.event, DebateHalted) and r.event.by == "moot"]


class SlowToResume(MemoryLog):
    """A log that holds back the append of a resume until the test releases it."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go = anyio.Event(), anyio.Event()

    async def append(self, debate: str, expected: int, events: Any) -> Any:
        if isinstance(getattr(events[0], "event", None), DebateResumed) and not self.go.is_set():
            self.reached.set()
            await self.go.wait()
        return await super().append(debate, expected, events)


@pytest.mark.slow
async def test_a_moderator_that_ends_while_somebody_resumes_stays_the_only_one(script: Any) -> None:
    log = SlowToResume()
    async with harness(log) as h, anyio.create_task_group() as tasks:
        debate = await h.open(script(pace=SLOW))
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.act(debate, Halt("stop", "test"))
        tasks.start_soon(h.moderators.act, debate, Resume("on", "test"))
        await log.reached.wait()
        await h.idle()
        log.go.set()
        resumed = await h.until(debate, is_a(DebateResumed))
        await h.moderators.act(debate, Pause("tea", "test"))
        await h.moderators.act(debate, Resume("on", "test"))

        assert isinstance(await h.ended(debate, resumed.position), DebateConcluded)
        await check_sound(h.log, debate)


async def test_a_moderator_that_has_nothing_to_do_is_let_go(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), turns=1)
        await h.ended(debate)
        await h.idle()
        with pytest.raises(NotNow):
            await h.moderators.act(debate, Halt("", "test"))

        assert h.moderators._moderators == {}

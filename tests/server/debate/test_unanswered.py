"""Appends that the store commits without an answer: nothing is doubled, nothing is lost, and the debate goes on."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import Any

import anyio
import pytest

from events.errors import StoreUnavailable, WrongExpectedPosition
from events.record import Draft, Recorded, as_draft
from events.state.debate import Debate
from events.store.memory import MemoryLog
from events.types import (
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    DebateResumed,
    Event,
    ModeratorSpoke,
    PollClosed,
    PollOpened,
    SeatResigned,
    SeatTaken,
    TurnSpoken,
    TurnStarted,
)
from server.debate import moderators as moderators_module
from server.debate import stream_writer
from server.debate.commands import AddWord, ClosePoll, Halt, MakeSeatLink, Pause, Resume
from server.debate.stream_writer import StreamWriter
from server.errors import NotNow
from server.people.acts import AtSeat
from tests.server.debate_events import PAUSED, opened
from tests.server.harness import PATIENCE_S, Harness, check_sound, harness, is_a

pytestmark = pytest.mark.anyio
WORD = ModeratorSpoke(text="Mind the time.", by="moderator")


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_writer, "STORE_WAIT_S", 0.001)
    monkeypatch.setattr(moderators_module, "STORE_WAIT_S", 0.001)
    monkeypatch.setattr("server.feed.hub.STORE_WAIT_S", 0.001)


class LossyLog(MemoryLog):
    """A log that commits the first append with an event of one type without an answer, and is away from then on."""

    def __init__(self, kind: type[Event]) -> None:
        super().__init__()
        self.kind, self.is_away, self.has_lost = kind, False, False

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        self._check_there()
        records = await super().append(debate, expected, events)
        if not self.has_lost and any(isinstance(as_draft(each).event, self.kind) for each in events):
            self.has_lost = self.is_away = True
        self._check_there()
        return records

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        self._check_there()
        return await super().read(debate, after, limit)

    async def head(self, debate: str) -> int:
        self._check_there()
        return await super().head(debate)

    def _check_there(self) -> None:
        if self.is_away:
            raise StoreUnavailable("the database is away")


async def unanswered(log: LossyLog, act: Callable[[], Awaitable[object]]) -> None:
    """An act whose answer is lost.  Its sender learns that it may be recorded.  Then the store is back."""
    with pytest.raises(StoreUnavailable, match="it may be recorded all the same: look before you repeat it"):
        await act()
    log.is_away = False


async def count(h: Harness, debate: str, kind: type[Event]) -> int:
    return sum(isinstance(event, kind) for event in await h.events(debate))


# acts of people


async def test_a_word_without_an_answer_neither_halts_the_debate_nor_is_said_twice(script: Any) -> None:
    log = LossyLog(ModeratorSpoke)
    async with harness(log) as h:
        debate = await h.open(script(pace={"chunk_ms": 5, "chunk_chars": 40}))
        await h.until(debate, is_a(TurnStarted))
        await unanswered(log, lambda: h.moderators.act(debate, AddWord(WORD)))
        recorded = await h.until(debate, is_a(ModeratorSpoke))

        assert recorded.position == await h.moderators.act(debate, AddWord(WORD))
        assert isinstance(await h.ended(debate), DebateConcluded)
        await h.idle()
        assert await count(h, debate, ModeratorSpoke) == 1
        await check_sound(log, debate)


async def test_another_word_is_no_repetition_and_a_later_one_is_a_new_one(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = LossyLog(ModeratorSpoke)
    async with harness(log) as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        await h.until(debate, is_a(TurnStarted))
        await unanswered(log, lambda: h.moderators.act(debate, AddWord(WORD)))
        await h.moderators.act(debate, AddWord(ModeratorSpoke(text="Please answer.", by="moderator")))
        monkeypatch.setattr(stream_writer, "REPEATED_S", -1.0)
        await h.moderators.act(debate, AddWord(WORD))
        words = [event.text for event in await h.events(debate) if isinstance(event, ModeratorSpoke)]

    assert words == [WORD.text, "Please answer.", WORD.text]


async def test_a_debate_whose_resumption_got_no_answer_goes_on(script: Any) -> None:
    log = LossyLog(DebateResumed)
    async with harness(log) as h:
        debate = await h.open(script(pace={"chunk_ms": 5, "chunk_chars": 40}))
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.act(debate, Pause("tea", "moderator"))
        await h.idle()
        await unanswered(log, lambda: h.moderators.act(debate, Resume("", "moderator")))

        assert isinstance(await h.ended(debate), DebateConcluded)
        await check_sound(log, debate)


async def test_a_halt_without_an_answer_cancels_the_calls_in_flight(script: Any) -> None:
    log = LossyLog(DebateHalted)
    async with harness(log) as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        await h.until(debate, is_a(TurnStarted))
        await unanswered(log, lambda: h.moderators.act(debate, Halt("enough", "moderator")))

        with anyio.fail_after(PATIENCE_S):
            await h.idle()
        assert await count(h, debate, DebateHalted) == 1


async def test_a_debate_goes_on_when_the_closing_of_its_vote_got_no_answer(script: Any) -> None:
    log = LossyLog(PollClosed)
    async with harness(log) as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, is_a(PollOpened))
        await unanswered(log, lambda: h.moderators.act(debate, ClosePoll(None, "moderator")))

        await h.until(debate, is_a(TurnSpoken))


async def test_a_resignation_without_an_answer_ends_the_person_s_turn(script: Any) -> None:
    log = LossyLog(SeatResigned)
    async with harness(log) as h:
        debate = await h.open(script(), pro={"person": "Ann", "time_s": 600})
        await h.moderators.act(debate, MakeSeatLink("pro", "link", "moderator"))
        ann = {"seat": "pro", "link": "link", "holder": "ann"}
        await h.moderators.act(debate, AtSeat(**ann, act="take"))
        await h.until(debate, is_a(SeatTaken))
        await h.until(debate, is_a(TurnStarted))
        await unanswered(log, lambda: h.moderators.act(debate, AtSeat(**ann, act="resign")))

        assert await h.ended(debate) == DebateConcluded(winner="con", by_rule="resignation")


async def test_a_text_that_is_sent_again_while_the_store_is_away_waits_for_its_record(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.debate.acting.desk.RECORDED_S", 0.05)
    log = LossyLog(TurnSpoken)
    async with harness(log) as h:
        debate = await h.open(script(), pro={"person": "Ann", "time_s": 600})
        await h.moderators.act(debate, MakeSeatLink("pro", "link", "moderator"))
        ann = {"seat": "pro", "link": "link", "holder": "ann"}
        await h.moderators.act(debate, AtSeat(**ann, act="take"))
        await h.until(debate, is_a(TurnStarted))
        sending = AtSeat(**ann, act="send", request="speak:pro/1", text="Streets are for people.")
        for _ in range(2):
            with pytest.raises(NotNow, match="has not been recorded yet"):
                await h.moderators.act(debate, sending)
        log.is_away = False
        spoken = await h.until(debate, is_a(TurnSpoken))
        await h.ended(debate)

        assert spoken.event.text == "Streets are for people."  # type: ignore[attr-defined]
        assert await count(h, debate, TurnSpoken) == 2


async def test_a_debate_whose_opening_got_no_answer_runs(script: Any) -> None:
    log = LossyLog(DebateOpened)
    async with harness(log) as h:
        opening = await h.opening(script())
        await unanswered(log, lambda: h.moderators.open(opening))
        (debate,) = await log.unfinished()

        assert isinstance(await h.ended(debate), DebateConcluded)


# the writer


def say(text: str) -> Callable[[Debate], Sequence[Draft]]:
    return lambda _: [Draft(event=ModeratorSpoke(text=text, by="moderator"))]


def writer(log: MemoryLog) -> StreamWriter:
    return StreamWriter("d", log, lambda *_: nullcontext())


def said(records: Sequence[Recorded]) -> list[str]:
    return [record.event.text for record in records if isinstance(record.event, ModeratorSpoke)]


async def test_a_batch_whose_first_task_is_cancelled_after_its_commit_is_not_written_again() -> None:
    """The first task holds the lock for both.  When it is cancelled, the second one finds the batch in the log."""
    log = LossyLog(ModeratorSpoke)
    await log.append("d", 0, [opened()])
    made = writer(log)
    await made.load()
    answers: list[Sequence[Recorded]] = []

    async def append(text: str, scope: anyio.CancelScope) -> None:
        with scope:
            answers.append(await made.append(say(text)))

    first, second = anyio.CancelScope(), anyio.CancelScope()
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            async with made._writing:  # both wait, so that they are one batch
                tasks.start_soon(append, "one", first)
                tasks.start_soon(append, "two", second)
                await anyio.wait_all_tasks_blocked()
            while not log.has_lost:
                await anyio.lowlevel.checkpoint()
            first.cancel()
            log.is_away = False

    assert [said(records) for records in answers] == [["two"]]
    assert said(await log.read("d")) == ["one", "two"]


async def test_an_append_that_is_written_late_is_read_before_the_next_one() -> None:
    """The store writes what it did not answer only after the log was read again."""

    class Late(MemoryLog):
        late: tuple[str, int, Sequence[Draft | Event]] | None = None

        async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
            if self.late is None:
                self.late = debate, expected, events
                raise StoreUnavailable("the network is silent")
            if expected == self.late[1]:
                await super().append(*self.late)
            return await super().append(debate, expected, events)

    log = Late()
    await MemoryLog.append(log, "d", 0, [opened()])
    made = writer(log)
    await made.load()
    with pytest.raises(StoreUnavailable):
        await made.append_at_once(say("one"))
    await made.append(say("two"))

    assert said(await log.read("d")) == ["one", "two"]


async def test_an_append_that_another_writer_disturbs_is_refused_as_before() -> None:
    log = MemoryLog()
    await log.append("d", 0, [opened()])
    made = writer(log)
    await made.load()
    await log.append("d", 1, [PAUSED])

    with pytest.raises(WrongExpectedPosition):
        await made.append(say("one"))


async def test_an_act_that_waits_for_the_writer_is_refused_when_the_store_fails() -> None:
    """It must not wait until the store is back."""

    class Slow(MemoryLog):
        fails = anyio.Event()

        async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
            await self.fails.wait()
            raise StoreUnavailable("the database is away")

    log = Slow()
    await MemoryLog.append(log, "d", 0, [opened()])
    made = writer(log)
    await made.load()
    refused: list[StoreUnavailable] = []

    async def act() -> None:
        with pytest.raises(StoreUnavailable) as caught:
            await made.append_at_once(say("two"))
        refused.append(caught.value)

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(made.append, say("one"))
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(act)
            await anyio.wait_all_tasks_blocked()
            log.fails.set()
            while not refused:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()

    assert "may be recorded" not in str(refused[0]), "it was never sent"

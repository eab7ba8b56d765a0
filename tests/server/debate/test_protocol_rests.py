"""A protocol debate that is interrupted, halted, paused or out of money, and then goes on."""

from collections.abc import Sequence

import pytest

from events.record import Draft, Recorded
from events.store.memory import MemoryLog
from events.types import (
    ArgumentsOpened,
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    Event,
    ModelAnswered,
    ModelFailed,
    TurnSpoken,
    TurnStarted,
)
from server.debate.commands import Halt, Pause, Resume
from tests.judge.protocol.rounds import assessment, opening
from tests.server.harness import fault, harness, is_a
from tests.server.protocol_debates import Script, answers, calls, check, held, of

pytestmark = pytest.mark.anyio


class Boundaries(MemoryLog):
    """A log that records where its batches end."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[int] = []

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        records = await super().append(debate, expected, events)
        self.ends.append(records[-1].position)
        return records


@pytest.mark.slow
async def test_a_process_may_end_after_any_batch(script: Script) -> None:
    """The next moderator asks nothing twice and ends with the same verdict."""
    faulty = answers(
        open_pro=[opening("pro", n1={"claim": ""}), opening("pro")],
        cross_con={"fault": fault("bad_json", 9)},
        assess=[assessment(), assessment()],
    )
    log = Boundaries()
    async with harness(log) as h:
        debate, _ = await held(h, script(answers=faulty), samples=2)
        whole = await check(h.log, debate)

    assert len(log.ends) > 12
    for cut in log.ends[:-1]:
        shorter = MemoryLog()
        await shorter.adopt(whole[:cut])
        async with harness(shorter) as h:
            await h.moderators.take_up()
            assert isinstance(await h.ended(debate), DebateConcluded)
            records = await check(shorter, debate)
        asked = [(e.key, e.sample) for e in (r.event for r in records) if isinstance(e, ModelAnswered | ModelFailed)]

        assert whole[:cut] == records[:cut]
        assert sorted(asked) == sorted(
            (e.key, e.sample) for e in (r.event for r in whole) if isinstance(e, ModelAnswered | ModelFailed)
        )
        assert whole[-1].event == records[-1].event
        assert [] == of([record.event for record in records], AttemptAbandoned, DebateHalted)


async def test_a_halt_cuts_off_what_is_being_written_and_a_resume_asks_for_it_alone(script: Script) -> None:
    async with harness() as h:
        late = script(answers=answers(open_con={"fault": {"kind": "timeout", "after_ms": 60_000}}))
        debate = await h.open(late, turns=8, format="protocol")
        await h.until(debate, is_a(ArgumentsOpened))
        at = await h.moderators.act(debate, Halt("a break", "test"))
        await h.idle()
        script(answers=answers())
        await h.moderators.act(debate, Resume("on", "test"))

        assert isinstance(await h.ended(debate, at), DebateConcluded)
        events = [record.event for record in await check(h.log, debate)]

    assert [(2, "halted")] == [(each.turn, each.kind) for each in of(events, AttemptAbandoned)]
    assert [(1, 1), (2, 1), (2, 2)] == [(each.turn, each.attempt) for each in of(events, TurnStarted) if each.turn < 3]
    assert [1] == calls(events, "open:pro")
    assert [1, 2] == [each.attempt for each in of(events, TurnSpoken) if each.turn < 3]


@pytest.mark.slow
async def test_a_pause_lets_what_is_asked_be_answered(script: Script) -> None:
    async with harness() as h:
        model = script(answers=answers(), pace={"answer_ms": 40})
        debate = await h.open(model, turns=8, format="protocol")
        await h.until(debate, is_a(TurnStarted))
        await h.moderators.act(debate, Pause("tea", "test"))
        await h.idle()

        events = await h.events(debate)
        assert len(of(events, ModelAnswered)) in {0, 2}  # asked before the pause or not at all
        assert [] == of(events, TurnSpoken)
        await h.moderators.act(debate, Resume("on", "test"))
        assert isinstance(await h.ended(debate), DebateConcluded)
        await check(h.log, debate)


async def test_the_cost_cap_halts_before_the_next_question(script: Script) -> None:
    async with harness() as h:
        model = script(answers=answers(open_pro=[opening("pro", n1={"claim": ""}), opening("pro")]), cost_usd=0.25)
        for most, spoken, cut in ((0.4, 1, 1), (0.7, 2, 0), (1.2, 4, 0), (1.6, 6, 0), (2.1, 8, 0)):
            debate, end = await held(h, model, max_cost_usd=most)
            events = await h.events(debate)

            assert spoken == len(of(events, TurnSpoken))
            assert cut == len(of(events, AttemptAbandoned))
            assert isinstance(end, DebateHalted)
            assert "the cost cap is reached" in end.reason


async def test_a_debate_that_is_within_its_means_concludes(script: Script) -> None:
    async with harness() as h:
        _, end = await held(h, script(answers=answers(), cost_usd=0.25), max_cost_usd=2.3)

        assert isinstance(end, DebateConcluded)

"""The debate waits for its two votes: an operator or the time closes them, and a restart loses no vote."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import anyio
import pytest

from events.clock import Clock
from events.record import Draft
from events.state import debate as debates
from events.store.memory import MemoryLog
from events.types import (
    AudienceVoted,
    DebateConcluded,
    DebateHalted,
    Event,
    PollClosed,
    PollOpened,
    PollRound,
    ScorecardVerdictReached,
    Stance,
    StanceStated,
    TurnScored,
    TurnSpoken,
    TurnStarted,
)
from server.debate.formats import next_steps
from server.debate.moderators import Moderators
from server.debate.setup.estimate import Estimate
from server.debate.setup.lab import estimate_of
from server.errors import BadField, NotNow
from tests.server.harness import Harness, check_sound, harness, is_a
from tests.server.protocol_debates import answers

pytestmark = pytest.mark.anyio
VOTERS = 40


def stance(voter: int, when: PollRound, wanted: Stance) -> StanceStated:
    return StanceStated(voter=f"{voter:016x}", when=when, stance=wanted)


def opens(when: PollRound) -> Any:
    return lambda record: isinstance(record.event, PollOpened) and record.event.when == when


def order(events: Sequence[Event], *types: type[Event]) -> list[str]:
    return [type(each).__name__ for each in events if isinstance(each, types)]


async def cast(h: Harness, debate: str, *votes: StanceStated) -> None:
    async with anyio.create_task_group() as tasks:
        for vote in votes:
            tasks.start_soon(h.moderators.cast, debate, vote)


# the course of a debate with a poll


async def test_the_first_turn_waits_for_the_first_vote_and_the_verdict_for_the_second(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, opens("before"))
        assert 1 == h.moderators.running
        await cast(h, debate, *(stance(each, "before", "undecided") for each in range(VOTERS)))
        await h.moderators.close_poll(debate, "before", "moderator")
        await h.until(debate, opens("after"))
        await cast(h, debate, *(stance(each, "after", "pro") for each in range(VOTERS)))
        await h.until(debate, lambda record: isinstance(record.event, TurnScored) and record.event.turn == 2)
        await h.moderators.close_poll(debate, "after", "moderator")
        await h.ended(debate)
        events = await h.events(debate)
        view = await h.view(debate)
        await check_sound(h.log, debate)

    assert [
        *("PollOpened", "PollClosed", "TurnSpoken", "TurnScored", "TurnSpoken", "PollOpened", "TurnScored"),
        *("PollClosed", "ScorecardVerdictReached", "DebateConcluded"),
    ] == order(events, PollOpened, PollClosed, TurnSpoken, TurnScored, ScorecardVerdictReached, DebateConcluded)
    assert {"pro": 1.0, "con": 0.0} == view["poll"]["result"]["twice"]["gains"]
    assert VOTERS == view["poll"]["after"]["cast"]


async def test_a_vote_closes_when_its_time_is_up(script: Any) -> None:
    async with harness() as h:
        request = {"poll": {"before_s": 1, "after_s": 1}}
        debate = await h.open(script(), **request)
        await h.ended(debate)
        closed = [each for each in await h.events(debate) if isinstance(each, PollClosed)]

    assert [("before", "moot"), ("after", "moot")] == [(each.when, each.by) for each in closed]


async def test_a_protocol_debate_waits_for_both_votes(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(answers=answers()), format="protocol", turns=8, poll={})
        await h.until(debate, opens("before"))
        await h.moderators.close_poll(debate, None, "moderator")
        await h.until(debate, opens("after"))
        events = await h.events(debate)
        assert 8 == len(order(events, TurnSpoken))
        await h.moderators.close_poll(debate, None, "moderator")

        assert isinstance(await h.ended(debate), DebateConcluded)


# commands while it waits


async def test_pause_resume_and_halt_work_while_the_debate_waits(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, opens("before"))
        await h.moderators.pause(debate, "", "moderator")
        await h.idle()
        await cast(h, debate, stance(1, "before", "pro"))
        await h.moderators.resume(debate, "", "moderator")
        await h.moderators.halt(debate, "enough", "moderator")
        await h.idle()
        await h.moderators.resume(debate, "", "moderator")
        await h.moderators.close_poll(debate, "before", "moderator")
        await h.until(debate, is_a(TurnStarted))

        assert 1 == len(order(await h.events(debate), PollOpened))


async def test_a_vote_that_waits_ends_at_once_when_the_server_stops(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={"before_s": 3600})
        await h.until(debate, opens("before"))
        with anyio.fail_after(5):
            await h.moderators.drain(600)

        assert [] == order(await h.events(debate), PollClosed, DebateHalted)


async def test_the_deadline_holds_while_a_vote_is_open(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={}, deadline_s=1)

        assert isinstance(await h.ended(debate), DebateHalted)


# restarts


@pytest.mark.parametrize("hours", [0, 2])
async def test_a_restart_counts_from_the_time_at_which_the_vote_opened(script: Any, hours: int) -> None:
    log = MemoryLog()
    async with harness(log) as h:
        debate = await h.open(script(), poll={"before_s": 3600})
        opened = await h.until(debate, opens("before"))
        await cast(h, debate, stance(1, "before", "pro"))
    now = int((datetime.fromisoformat(opened.at).timestamp() + hours * 3600) * 1e9)
    async with harness(log) as h, anyio.create_task_group() as tasks:
        again = Moderators(log, h.registry, h.hub, clock=Clock(time_ns=lambda: now))
        await tasks.start(again.run)
        await again.take_up()
        if hours:
            await h.until(debate, is_a(TurnStarted))
        await anyio.wait_all_tasks_blocked()
        votes = [each for each in await h.events(debate) if isinstance(each, PollOpened | PollClosed)]
        tasks.cancel_scope.cancel()

    assert PollOpened(when="before", closes_after_s=3600.0) == votes[0]
    assert hours == 0 or PollClosed(when="before", by="moot", cast=1) == votes[1]
    assert hours > 0 or len(votes) == 1


# refusals


@pytest.mark.parametrize(
    ("setup", "vote", "why"),
    [
        (None, stance(1, "before", "pro"), "no poll"),
        ({}, stance(1, "after", "pro"), "the second vote is not open yet"),
        ({}, AudienceVoted(voter="v", winner="pro"), "this debate has a poll"),
    ],
)
async def test_a_vote_that_cannot_count_now_is_refused(script: Any, setup: Any, vote: Any, why: str) -> None:
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}), poll=setup)
        await h.until(debate, is_a(PollOpened, TurnStarted))

        with pytest.raises(NotNow, match=why):
            await h.moderators.cast(debate, vote)


async def test_a_vote_after_the_end_of_its_round_is_told_so(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}), poll={})
        await h.until(debate, opens("before"))
        await h.moderators.close_poll(debate, "before", "moderator")

        with pytest.raises(NotNow, match="the first vote is closed: your vote came too late"):
            await h.moderators.cast(debate, stance(1, "before", "pro"))
        with pytest.raises(NotNow, match="no vote is open now"):
            await h.moderators.close_poll(debate, "before", "moderator")


async def test_an_operator_does_not_close_the_other_vote_by_mistake(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, opens("before"))

        with pytest.raises(NotNow, match="the first vote is open now"):
            await h.moderators.close_poll(debate, "after", "moderator")


async def test_a_poll_is_for_debates_between_two_sides(script: Any) -> None:
    async with harness() as h:
        with pytest.raises(BadField, match="between two sides"):
            await h.open(script(), format="deliberation", artifact={"text": "A text."}, poll={})


async def test_an_estimate_waits_for_no_vote(script: Any) -> None:
    async with harness() as h:
        found = [estimate_of(await h.opening(script(), poll=poll)) for poll in (None, {})]

    assert isinstance(found[0], Estimate)
    assert found[0] == found[1]


async def test_the_moderators_next_steps_do_not_depend_on_votes(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={"before_s": 3600})
        await h.until(debate, opens("before"))
        state = debates.INITIAL
        for record in await h.log.read(debate):
            state = debates.evolve(state, record)
        before = next_steps(state)
        await cast(h, debate, stance(1, "before", "pro"))
        for record in await h.log.read(debate, state.position):
            state = debates.evolve(state, record)

    assert before == next_steps(state)
    assert [Draft] == [type(each) for each in before[0].follows(state)]  # type: ignore[union-attr]

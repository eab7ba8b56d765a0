"""The debate waits for its two votes: an operator or the time closes them, and a restart loses no vote."""

import itertools
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from events.clock import Clock
from events.record import Draft
from events.state import debate as debates
from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog
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
from server.debate.commands import CastBallot, ClosePoll, Halt, Pause, Resume
from server.debate.formats import next_steps
from server.debate.moderators import Moderators
from server.debate.setup.estimate import Estimate
from server.debate.setup.lab import estimate_of
from server.debate.setup.origins import fork_of
from server.errors import BadField, NotNow
from tests.server.children import Cli
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
            tasks.start_soon(h.moderators.act, debate, CastBallot(vote))


# the course of a debate with a poll


async def test_the_first_turn_waits_for_the_first_vote_and_the_verdict_for_the_second(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, opens("before"))
        assert 1 == h.moderators.running
        await cast(h, debate, *(stance(each, "before", "undecided") for each in range(VOTERS)))
        await h.moderators.act(debate, ClosePoll("before", "moderator"))
        await h.until(debate, opens("after"))
        await cast(h, debate, *(stance(each, "after", "pro") for each in range(VOTERS)))
        await h.until(debate, lambda record: isinstance(record.event, TurnScored) and record.event.turn == 2)
        await h.moderators.act(debate, ClosePoll("after", "moderator"))
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


@pytest.mark.slow
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
        await h.moderators.act(debate, ClosePoll(None, "moderator"))
        await h.until(debate, opens("after"))
        events = await h.events(debate)
        assert 8 == len(order(events, TurnSpoken))
        await h.moderators.act(debate, ClosePoll(None, "moderator"))

        assert isinstance(await h.ended(debate), DebateConcluded)


# commands while it waits


async def test_pause_resume_and_halt_work_while_the_debate_waits(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, opens("before"))
        await h.moderators.act(debate, Pause("", "moderator"))
        await h.idle()
        await cast(h, debate, stance(1, "before", "pro"))
        await h.moderators.act(debate, Resume("", "moderator"))
        await h.moderators.act(debate, Halt("enough", "moderator"))
        await h.idle()
        await h.moderators.act(debate, Resume("", "moderator"))
        await h.moderators.act(debate, ClosePoll("before", "moderator"))
        await h.until(debate, is_a(TurnStarted))

        assert 1 == len(order(await h.events(debate), PollOpened))


async def test_a_vote_that_waits_ends_at_once_when_the_server_stops(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={"before_s": 3600})
        await h.until(debate, opens("before"))
        with anyio.fail_after(5):
            await h.moderators.drain(600)

        assert [] == order(await h.events(debate), PollClosed, DebateHalted)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_server_that_is_killed_during_a_vote_keeps_every_vote_that_it_acknowledged(
    tmp_path: Path, script: Any
) -> None:
    """Ten phones change their votes again and again until the server is killed, three times."""
    moot, model = Cli(tmp_path), script()
    seats = {seat: {"model": model} for seat in ("pro", "con", "judge")}
    phones = [httpx.Client(trust_env=False, timeout=20) for _ in range(10)]
    acknowledged: dict[int, list[str]] = {number: [] for number in range(10)}
    sent: dict[int, str] = {}

    def keep_voting(number: int, address: str, debate: str) -> None:
        path = f"{address}/api/debates/{debate}"
        with suppress(httpx.HTTPError):
            phones[number].get(f"{path}/poll")
            for stance in itertools.cycle(("pro", "con", "undecided")):
                sent[number] = stance
                answer = phones[number].post(f"{path}/votes", json={"when": "before", "stance": stance})
                if answer.status_code != httpx.codes.OK:
                    return
                acknowledged[number].append(stance)

    debate = ""
    for _ in range(3):
        with moot.server() as (process, address), ThreadPoolExecutor(10) as threads:
            body = {"motion": "m", "turns": 2, "poll": {}, **seats}
            debate = debate or httpx.post(f"{address}/api/debates", json=body, trust_env=False).json()["id"]
            running = [threads.submit(keep_voting, number, address, debate) for number in range(10)]
            while sum(map(len, acknowledged.values())) < 10:
                time.sleep(0.01)
            time.sleep(0.2)
            process.kill()
            assert [None] * 10 == [each.result(30) for each in running]
    with moot.server() as (_, address):
        shown = [phone.get(f"{address}/api/debates/{debate}/poll").json() for phone in phones]
    for phone in phones:
        phone.close()

    assert {10} == {each["poll"]["before"]["cast"] for each in shown}
    for number, each in enumerate(shown):
        # the last vote that was sent may be recorded without an answer
        assert each["mine"]["before"] in {acknowledged[number][-1], sent[number]}

    async def count() -> int:
        async with await SqliteLog.open(moot.store, read_only=True) as log:
            return sum(isinstance(each.event, StanceStated) for each in await check_sound(log, debate))

    recorded = anyio.run(count)
    total = sum(map(len, acknowledged.values()))
    assert total <= recorded <= total + 30


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
            await h.moderators.act(debate, CastBallot(vote))


async def test_a_vote_after_the_end_of_its_round_is_told_so(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}), poll={})
        await h.until(debate, opens("before"))
        await h.moderators.act(debate, ClosePoll("before", "moderator"))

        with pytest.raises(NotNow, match="the first vote is closed: your vote came too late"):
            await h.moderators.act(debate, CastBallot(stance(1, "before", "pro")))
        with pytest.raises(NotNow, match="no vote is open now"):
            await h.moderators.act(debate, ClosePoll("before", "moderator"))


async def test_an_operator_does_not_close_the_other_vote_by_mistake(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, opens("before"))

        with pytest.raises(NotNow, match="the first vote is open now"):
            await h.moderators.act(debate, ClosePoll("after", "moderator"))


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


async def test_a_debate_with_sealed_votes_cannot_be_forked_to_read_them(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), poll={})
        await h.until(debate, opens("before"))
        await cast(h, debate, stance(1, "before", "pro"))

        with pytest.raises(NotNow, match="sealed votes"):
            await fork_of(h.log, debate, {"turn": 0}, h.registry, h.settings)
